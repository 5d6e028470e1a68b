// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which options the commands refuse together. Runs the bprof that was built beside this test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"

static char bprof[4096];

struct refusal {
	const char *options, *message;
};

/*
 * Fails unless the command refuses the options and its error begins with "message". If the command
 * accepts the options, it finds no program, and ends.
 */
static void check_refused(const char *begin, const char *options, const char *message)
{
	char command[8192], line[1024] = "";
	FILE *err;
	int status;

	snprintf(command, sizeof(command), "'%s' %s %s 2>&1 >/dev/null </dev/null", bprof, begin,
		 options);
	err = popen(command, "r");
	assert_non_null(err);
	if (fgets(line, sizeof(line), err))
		while (getc(err) != EOF)
			;
	status = pclose(err);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 2 || strncmp(line, "bprof: ", 7) ||
	    strncmp(line + 7, message, strlen(message)))
		fail_msg("%s %s: status %d: %s", begin, options, WEXITSTATUS(status), line);
}

static void check_all(const char *begin, const struct refusal *cases, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		check_refused(begin, cases[i].options, cases[i].message);
}

static void test_stat(void **state)
{
	static const char needs_probes[] = "--hist, --sample, --max-overhead and --by need probes",
			  no_calls[] = "--calls cannot be combined with",
			  no_follow[] = "--follow: --prog-id, --pinned and --struct-ops",
			  no_verify[] = "--verify cannot be combined with";
	static const struct refusal cases[] = {
		{"--hist --no-hist", "--hist and --no-hist:"},
		{"--dist --no-hist", "--dist and --no-hist:"},
		{"--sample auto --no-calibrate",
		 "--sample auto or --max-overhead, and --no-calibrate:"},
		{"--max-overhead 1% --no-calibrate",
		 "--sample auto or --max-overhead, and --no-calibrate:"},
		{"--hist --method run_stats", needs_probes},
		{"--sample auto --method run_stats", needs_probes},
		{"--sample 2 --method run_stats", needs_probes},
		{"--max-overhead 1% --method run_stats", needs_probes},
		{"--by retval --method run_stats", needs_probes},
		{"-F 1", "-F:"},
		{"--follow --prog-id 4294967295", no_follow},
		{"--follow --pinned /none", no_follow},
		{"--follow --struct-ops none", no_follow},
		{"--follow -r 2", "-r and --follow:"},
		{"--follow --method samples", "--follow and --method samples:"},
		{"--calls none --follow", no_calls},
		{"--calls none --by retval", no_calls},
		{"--calls none --sample auto", no_calls},
		{"--calls none --max-overhead 1% --strict", no_calls},
		{"--verify --sample 1", "--verify and --sample or --max-overhead:"},
		{"--verify --max-overhead 1%", "--verify and --sample or --max-overhead:"},
		{"--verify --follow", no_verify},
		{"--verify --calls none", no_verify},
		{"--verify --by retval", no_verify},
		{"--verify --sum name", no_verify},
		{"--verify --per none", no_verify},
		{"--verify -A", no_verify},
		{"--verify -I 1s", "--verify and -I or -r:"},
		{"--verify -r 2", "--verify and -I or -r:"},
		{"--verify --no-hist", "--verify and --no-hist:"},
		{"--verify --method run_stats", "--verify needs probes"},
		{"--calls none --method run_stats", "--calls needs probes"},
		{"--by site", "--by site: it needs --calls"},
		{"--vs 0", "--vs: it needs --follow"},
		{"--per ''", "--per: give"},
		{"--sum name --func none", "--sum and --func or --calls:"},
		{"--sum name --calls none", "--sum and --func or --calls:"},
		{"--sum name --follow --vs 0", "--sum and --vs:"},
		{"--max-versions 1", "--max-versions: it needs --follow"},
		{"--sort id -j", "--sort, --top, --active:"},
		{"--top 1 -j", "--sort, --top, --active:"},
		{"--active -j", "--sort, --top, --active:"},
		{"-a -C 0", "-a and -C:"},
		/* options that other commands have, too */
		{"--sample 1 --max-overhead 1%", "--sample and --max-overhead:"},
		{"--strict", "--strict: it needs --max-overhead"},
		{"--user 0", "--user: it needs a COMMAND"},
		{"--interval-count 1", "--interval-count: it needs -I"},
		{"-r 2 -I 1s", "-r and -I:"},
	};

	check_all("stat --name no_such_program --timeout 1", cases, ARRAY_SIZE(cases));
	check_refused("stat --name no_such_program", "-r 2", "-r: it needs a COMMAND or --timeout");
}

static void test_trace(void **state)
{
	static const struct refusal cases[] = {
		{"", "no condition:"},
		{"--every 1 -x , --stack", "--stack and --snap:"},
		{"--every 1 -x , --snap 1", "--stack and --snap:"},
		{"--every 1 --retval 0", "--every 1: it records every invocation"},
		{"--every 1 --slower-than 1ms", "--every 1: it records every invocation"},
		{"--every 1 --arg 'ctx->len>0'", "--every 1: it records every invocation"},
		{"--every 1 --join --func none", "--join: it joins runs of whole programs"},
		{"--every 1 --join --calls none", "--join: it joins runs of whole programs"},
		{"--every 1 --join -C 0", "--join: a packet may go from one CPU to another"},
		{"--every 1 --by cgroup --func none", "--by cgroup:"},
		{"--every 1 --by cgroup --calls none", "--by cgroup:"},
		{"--every 1 -a -C 0", "-a and -C:"},
		{"--every 1 --pcap -", "--pcap -:"},
		{"--every 1 -o /dev/null --pcap /dev/null", "-o and --pcap:"},
	};

	check_all("trace --name no_such_program --timeout 1", cases, ARRAY_SIZE(cases));
}

static void test_export(void **state)
{
	static const char needs_probes[] = "--sample, --max-overhead, --by and --func need probes";
	static const struct refusal cases[] = {
		{"true", "export takes no COMMAND:"},
		{"--sum name --label owner", "--sum and --label:"},
		{"--sum name --label device", "--sum and --label:"},
		{"--by site", "--by site: it needs --calls"},
		{"--method samples", "--method samples:"},
		{"--method run_stats --sample 1", needs_probes},
		{"--method run_stats --max-overhead 1%", needs_probes},
		{"--method run_stats --by retval", needs_probes},
		{"--method run_stats --func none", needs_probes},
	};

	check_all("export --name no_such_program --timeout 1", cases, ARRAY_SIZE(cases));
}

static void test_recordings(void **state)
{
	static const struct refusal cases[] = {
		{"record --name no_such_program -F 1 -c 1 -o /dev/null", "-F and -c:"},
		{"annotate -F 1", "annotate: give a recording"},
		{"annotate -i /none/x --name no_such_program", "-i: a recording has its targets"},
		{"annotate -i /none/x -F 1", "-i: a recording has its targets"},
	};

	check_all("", cases, ARRAY_SIZE(cases));
}

static void test_bench(void **state)
{
	static const struct refusal cases[] = {
		{"", "bench: nothing to run:"},
		{"/none/x.o --prog-id 4294967295", "bench: give either objects or loaded programs"},
		{"--baseline 4294967295", "--baseline: it needs"},
		{"--prog-id 4294967295 --prog x",
		 "--prog, --type and the options for maps and variables"},
		{"/none/x.o --cycle", "--cycle: it needs --pcap"},
		{"/none/x.o --calls none --by retval", "--calls and --by:"},
		{"/none/x.o --by cpu", "--by: bench runs programs itself"},
		{"/none/x.o --by cgroup", "--by: bench runs programs itself"},
		{"/none/x.o --by site", "--by site: it needs --calls"},
		{"/none/x.o --live-frames --fresh", "--live-frames and --fresh:"},
		{"/none/x.o --live-frames --expect-retval 0", "--live-frames and --expect-retval:"},
		{"/none/x.o --save-base /none/y", "--save-base, --save-new, --fail-on, --match"},
		{"/none/x.o --save-new /none/y", "--save-base, --save-new, --fail-on, --match"},
		{"/none/x.o --suite /none/y", "--suite:"},
		{"--prog-id 4294967295 --suite /none/y", "--suite:"},
		{"/none/x.o --list", "--set, --entry, --list:"},
		{"/none/x.o --entry x", "--set, --entry, --list:"},
		{"/none/x.o --set x=1", "--set, --entry, --list:"},
	};

	check_all("bench", cases, ARRAY_SIZE(cases));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),   cmocka_unit_test(test_trace),
		cmocka_unit_test(test_export), cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_bench),
	};
	char path[4096];

	/* The test is build/<arch>/unit/cmd/test_cmd_refused, and bprof is build/<arch>/bprof. */
	if (!realpath(argv[0], path))
		return 1;
	snprintf(bprof, sizeof(bprof), "%s/bprof", dirname(dirname(dirname(path))));
	/* tests/faults looks for leaks of each command, which takes half of the time of a call */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
