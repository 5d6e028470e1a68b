// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what bprof says about its command line: the list of commands, the help of each command, and
 * the hints for a command, option or type that is nearly right. Runs the bprof that was built
 * beside this test.
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

static char bprof[4096];

/* Runs bprof and returns its exit status. text, of sz bytes, gets stdout and stderr. */
static int run(const char *args, char *text, size_t sz)
{
	char command[8192];
	FILE *f;
	size_t len;
	int status;

	snprintf(command, sizeof(command), "'%s' %s 2>&1 </dev/null", bprof, args);
	f = popen(command, "r");
	assert_non_null(f);
	len = fread(text, 1, sz - 1, f);
	text[len] = '\0';
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check(const char *args, int status, const char *want)
{
	char text[1024];
	int got = run(args, text, sizeof(text));

	if (got != status || strcmp(text, want))
		fail_msg("bprof %s: status %d, \"%s\"", args, got, text);
}

#define HELP_SZ 65536

/* Checks that no line has more than 80 columns. */
static void check_width(const char *args, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > 80)
			fail_msg("bprof %s: %zu columns: %.*s", args, len, (int)len, text);
		text += len + (text[len] == '\n');
	}
}

static const char *const commands[] = {"list",	   "watch",  "stat",  "top",	"trace",   "record",
				       "annotate", "export", "bench", "diff",	"history", "report",
				       "system",   "doctor", "help",  "version"};
#define COMMAND_CNT (sizeof(commands) / sizeof(commands[0]))

/* The commands are ordered by task, and the list says what needs root. */
static void test_usage(void **state)
{
	char text[HELP_SZ], same[HELP_SZ], row[32];
	const char *at = text;

	assert_int_equal(run("help", text, sizeof(text)), 0);
	check_width("help", text);
	assert_non_null(strstr(text, "root"));
	assert_non_null(strstr(text, "\nExamples:\n  sudo bprof "));
	for (size_t i = 0; i < COMMAND_CNT; i++) {
		snprintf(row, sizeof(row), "\n  %-9s ", commands[i]);
		at = strstr(at, row);
		if (!at)
			fail_msg("%s is missing or not in its place", commands[i]);
	}
	assert_int_equal(run("--help", same, sizeof(same)), 0);
	assert_string_equal(same, text);
	assert_int_equal(run("-h", same, sizeof(same)), 0);
	assert_string_equal(same, text);
	assert_int_equal(run("", same, sizeof(same)), 2);
	assert_string_equal(same, text);
}

/* help CMD is CMD --help, at most 80 columns wide. */
static void test_help_of_commands(void **state)
{
	char args[64], begin[64], text[HELP_SZ], same[HELP_SZ];

	for (size_t i = 0; i < COMMAND_CNT; i++) {
		snprintf(args, sizeof(args), "help %s", commands[i]);
		assert_int_equal(run(args, text, sizeof(text)), 0);
		snprintf(begin, sizeof(begin), "Usage: bprof %s ", commands[i]);
		assert_memory_equal(text, begin, strlen(begin));
		check_width(args, text);
		snprintf(args, sizeof(args), "%s --help", commands[i]);
		assert_int_equal(run(args, same, sizeof(same)), 0);
		assert_string_equal(same, text);
	}
	check("help list watch", 2, "bprof: help: 'watch': give one command\n");
	assert_int_equal(run("help history add", text, sizeof(text)), 0);
	assert_int_equal(run("history add --help", same, sizeof(same)), 0);
	assert_string_equal(same, text);
	assert_memory_equal(text, "Usage: bprof history add ", 25);
	check_width("help history add", text);
	check("help history chek", 2,
	      "bprof: history: 'chek': no such command; did you mean 'check'?\n");
	check("help history add all", 2, "bprof: help: 'all': give one command\n");
}

/* Copies the help of one option to row, with one blank between words. Returns the next line. */
static const char *copy_row(const char *line, char *row, size_t sz)
{
	size_t len = 0;

	do {
		for (; *line && *line != '\n'; line++)
			if (len + 1 < sz && (*line != ' ' || (len && row[len - 1] != ' ')))
				row[len++] = *line;
		if (len + 1 < sz)
			row[len++] = ' ';
		line += *line == '\n';
	} while (!strncmp(line, "          ", 10));
	row[len] = '\0';
	return line;
}

/* The help of each option that takes a time or an amount says what a bare number means. */
static void test_units(void **state)
{
	static const struct {
		const char *name, *unit;
	} units[] = {
		{" TIME ", "; a bare number is in ms "},
		{" --event EVENT>N ",
		 "time>50us; a bare number is in EVENT's own unit, which is ns for "
		 "times."},
		{"--fail-on LIMIT ",
		 "time:p99>10us'; a bare number is in EVENT's own unit, which is "
		 "ns for times;"},
	};
	char args[64], text[HELP_SZ], row[1024];
	int seen[3] = {};

	for (size_t i = 0; i < COMMAND_CNT; i++) {
		snprintf(args, sizeof(args), "help %s", commands[i]);
		assert_int_equal(run(args, text, sizeof(text)), 0);
		for (const char *line = text; *line;) {
			line = copy_row(line, row, sizeof(row));
			for (int u = 0; row[0] == '-' && u < 3; u++) {
				seen[u] += !!strstr(row, units[u].name);
				if (strstr(row, units[u].name) && !strstr(row, units[u].unit))
					fail_msg("%s: %s", args, row);
			}
		}
	}
	assert_true(seen[0] >= 10 && seen[1] == 1 && seen[2] == 2);
}

/* All ways to ask for the version give the same answer. */
static void test_version(void **state)
{
	char want[1024], text[1024];

	assert_int_equal(run("version", want, sizeof(want)), 0);
	assert_memory_equal(want, "bprof ", 6);
	assert_non_null(strstr(want, "\nlibbpf "));
	assert_int_equal(run("--version", text, sizeof(text)), 0);
	assert_string_equal(text, want);
	assert_int_equal(run("-V", text, sizeof(text)), 0);
	assert_string_equal(text, want);
	assert_int_equal(run("list -V", text, sizeof(text)), 0);
	assert_string_equal(text, want);
	check("version 2", 2, "bprof: version: '2': takes no argument\n");
}

static void test_commands(void **state)
{
	check("stats", 2, "bprof: stats: no such command; did you mean 'stat'?\n");
	check("lst --all", 2, "bprof: lst: no such command; did you mean 'list'?\n");
	check("help bnech", 2, "bprof: bnech: no such command; did you mean 'bench'?\n");
	check("nonsense", 2,
	      "bprof: nonsense: no such command; 'bprof help' lists them; to measure programs by "
	      "name, give --name\n");
}

/* An id without --prog-id is taken for a command of bprof, or for the COMMAND to run. */
static void test_ids(void **state)
{
	check("501", 2,
	      "bprof: 501: no such command; to measure programs by id, give --prog-id 501\n");
	check("501,502 -e cycles", 2,
	      "bprof: 501,502: no such command; to measure programs by id, give --prog-id "
	      "501,502\n");
	check("stat 501", 2,
	      "bprof: no target: '501' is where the COMMAND to run begins; to measure programs "
	      "by id, give --prog-id 501\n");
	check("record 501", 2,
	      "bprof: no target: '501' is where the COMMAND to run begins; to measure programs "
	      "by id, give --prog-id 501\n");
	check("trace 7:parse --every 1", 2,
	      "bprof: no target: '7:parse' is where the COMMAND to run begins; to measure "
	      "programs by id, give --prog-id 7:parse\n");
	check("stat ping", 2,
	      "bprof: no target: 'ping' is where the COMMAND to run begins; to measure a program "
	      "by "
	      "name, give --name ping, see 'bprof list'\n");
	check("stat 5-7", 2,
	      "bprof: no target: '5-7' is where the COMMAND to run begins; to measure programs "
	      "by id, give --prog-id 5-7\n");
	check("stat", 2,
	      "bprof: no target: give --prog-id, --name, --tag, --pinned, --type, --struct-ops, "
	      "--owner or --all; 'bprof list' shows the loaded programs\n");
	check("list 7-5", 2, "bprof: list: the range is backwards\n  7-5\n  ^^^\n");
}

static void test_options(void **state)
{
	check("--hlep", 2, "bprof: --hlep: no such option; did you mean '--help'?\n");
	check("--prog-ids 5", 2, "bprof: --prog-ids: no such option; did you mean '--prog-id'?\n");
	check("watch --prog-id 5", 2,
	      "bprof: --prog-id: no such option; see 'bprof watch --help'\n");
}

static void test_types(void **state)
{
	const char *xpd =
		"bprof: --type: no such program type; did you mean 'xdp'?\n  xpd\n  ^^^\n";

	check("--type xpd", 2, xpd);
	check("list --type xpd", 2, xpd);
	check("watch --type xpd", 2, xpd);
	check("bench x.o --type xpd", 2, xpd);
	check("--type xdp,foo", 2,
	      "bprof: --type: no such program type, such as xdp, sched_cls or kprobe; bprof(1) "
	      "lists them\n  xdp,foo\n      ^^^\n");
}

/* Tests arguments that a command does not take, and formats that a document does not have. */
static void test_arguments(void **state)
{
	char text[HELP_SZ];

	check("doctor 1 2", 2, "bprof: doctor: '2': only one program can be given\n");
	assert_int_equal(run("bench --markdown x.o", text, sizeof(text)), 2);
	assert_non_null(strstr(text,
			       "bprof: --markdown: markdown is not available for one version; "
			       "choose text, json, "));
}

static int find_bprof(void **state)
{
	char self[2048] = "";

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	snprintf(bprof, sizeof(bprof), "%s/../../bprof", dirname(self));
	return access(bprof, X_OK);
}

/* The man page of top has the keys that its help shows. */
static void test_keys(void **state)
{
	static char text[HELP_SZ];

	assert_int_equal(run("--help=man top", text, sizeof(text)), 0);
	assert_non_null(strstr(text, "@KEYS@\n.Sh KEYS\n"));
	assert_non_null(strstr(text, ".It Ic \\&Enter\nshow the selected program: "));
	assert_non_null(strstr(text, ".It Ic \\&\\e\nshow only programs with this text"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version),		 cmocka_unit_test(test_usage),
		cmocka_unit_test(test_help_of_commands), cmocka_unit_test(test_units),
		cmocka_unit_test(test_commands),	 cmocka_unit_test(test_ids),
		cmocka_unit_test(test_options),		 cmocka_unit_test(test_types),
		cmocka_unit_test(test_arguments),	 cmocka_unit_test(test_keys),
	};

	/* tests/faults looks for leaks of each command, which takes half of the time of a call */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	return cmocka_run_group_tests_name("help", tests, find_bprof, NULL);
}
