// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the command line of bprof system: what it counts, and which options are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "system/system_args.h"
#include "tests/unit/capture.h"

struct parsed {
	struct system_args args;
	int err;
	char *out, *log; /* text that was written to stdout and to stderr */
};

/* The id of the test's own process, which is also the id of its first thread. */
static char self[16];

/* An id that no process has: it is above PID_MAX_LIMIT (include/linux/threads.h). */
#define NOBODY "4194305"

static struct parsed parse_argv(char **argv)
{
	struct capture out, log;
	struct parsed p;
	int argc = 0;

	while (argv[argc])
		argc++;
	capture__begin(&out, stdout);
	capture__begin(&log, stderr);
	p.err = system_args__parse(&p.args, argc, argv);
	p.log = capture__end(&log);
	p.out = capture__end(&out);
	return p;
}

#define parse(...) parse_argv((char *[]){"system", __VA_ARGS__, NULL})

static void free_parsed(struct parsed *p)
{
	system_args__free(&p->args);
	free(p->out);
	free(p->log);
}

static void assert_parsed(const struct parsed *p)
{
	assert_string_equal(p->log, "");
	assert_string_equal(p->out, "");
	assert_int_equal(p->err, 0);
}

static void assert_refused(struct parsed p, const char *text)
{
	if (!strstr(p.log, text))
		fail_msg("\"%s\" is not in \"%s\"", text, p.log);
	assert_int_equal(p.err, -EINVAL);
	assert_memory_equal(p.log, "bprof: ", 7);
	free_parsed(&p);
}

/* Checks that parsing succeeds with one scope of this kind and id. */
static void assert_scope(struct parsed p, enum scope_kind kind, __u64 id)
{
	assert_parsed(&p);
	assert_int_equal(p.args.scopes.cnt, 1);
	assert_int_equal(p.args.scopes.v[0].kind, kind);
	assert_int_equal(p.args.scopes.v[0].id, id);
	free_parsed(&p);
}

/* ---- scopes ---- */

static void test_default_scope(void **state)
{
	assert_scope(parse_argv((char *[]){"system", NULL}), SCOPE_SYSTEM, 0);
	assert_scope(parse("-a"), SCOPE_SYSTEM, 0);
	assert_scope(parse("-C", "0"), SCOPE_SYSTEM, 0);
	assert_scope(parse("-a", "-C", "0"), SCOPE_SYSTEM, 0);
	/*
	 * the command is the scope if no other scope is given; otherwise, the command only sets the
	 * duration
	 */
	assert_scope(parse("--", "true"), SCOPE_COMMAND, 0);
	assert_scope(parse("-e", "time", "true", "-a"), SCOPE_COMMAND, 0);
	assert_scope(parse("-a", "--", "true"), SCOPE_SYSTEM, 0);
	assert_scope(parse("-C0", "--", "true"), SCOPE_SYSTEM, 0);
	assert_scope(parse("-p", self, "--", "true"), SCOPE_PROCESS, getpid());
	assert_scope(parse("-t", self, "--", "true"), SCOPE_THREAD, getpid());
	assert_scope(parse("-C", "0", "-p", self), SCOPE_PROCESS, getpid());
}

static void test_command(void **state)
{
	struct parsed p = parse("-r", "2", "--", "sleep", "1", "-a");

	assert_parsed(&p);
	assert_string_equal(p.args.scopes.v[0].name, "sleep");
	assert_string_equal(p.args.measure.loop.command[2], "-a");
	assert_int_equal(p.args.measure.repeat, 2);
	free_parsed(&p);
}

static void test_several_scopes(void **state)
{
	struct parsed p = parse("-p", self, "-t", self, "--pid", self);

	assert_parsed(&p);
	assert_int_equal(p.args.scopes.cnt, 2);
	assert_int_equal(p.args.scopes.v[0].kind, SCOPE_PROCESS);
	assert_int_equal(p.args.scopes.v[1].kind, SCOPE_THREAD);
	free_parsed(&p);
}

/* A missing process is reported, and nothing else is counted instead. */
static void test_nobody(void **state)
{
	struct parsed p = parse("-p", NOBODY, "--", "true");

	assert_int_equal(p.err, 0);
	assert_non_null(strstr(p.log, NOBODY));
	assert_int_equal(p.args.scopes.cnt, 0);
	assert_int_equal(p.args.scopes.skip_cnt, 1);
	free_parsed(&p);
}

/* ---- events, intervals and other options ---- */

static void test_defaults(void **state)
{
	struct parsed p = parse("-a");

	assert_parsed(&p);
	assert_true(p.args.system.inherit);
	assert_false(p.args.system.per_cpu);
	assert_null(p.args.system.method);
	assert_null(p.args.system.attr_map);
	assert_int_equal(p.args.system.attr_size, 0);
	assert_int_equal(p.args.system.lock_timeout_ns, 5000 * NSEC_PER_MSEC);
	assert_int_equal(p.args.measure.repeat, 0);
	free_parsed(&p);
}

static void test_how(void **state)
{
	struct parsed p = parse("--no-inherit", "-p", self, "-A", "--attr-map", "/sys/fs/bpf/m",
				"--attr-size", "136", "--lock-timeout", "0", "--method", "bperf",
				"-e", "cycles:u");

	assert_parsed(&p);
	assert_false(p.args.system.inherit);
	assert_true(p.args.system.per_cpu);
	assert_string_equal(p.args.system.attr_map, "/sys/fs/bpf/m");
	assert_int_equal(p.args.system.attr_size, 136);
	assert_int_equal(p.args.system.lock_timeout_ns, 0);
	assert_string_equal(p.args.system.method, "bperf");
	assert_string_equal(p.args.measure.events.v[0].name, "cycles:u");
	free_parsed(&p);
	p = parse("--no-inherit", "--method=perf_event", "--", "true");
	assert_parsed(&p);
	assert_false(p.args.system.inherit);
	assert_string_equal(p.args.system.method, "perf_event");
	free_parsed(&p);
	/* this is perf's name of the option */
	p = parse("--bpf-attr-map=/sys/fs/bpf/m");
	assert_parsed(&p);
	assert_string_equal(p.args.system.attr_map, "/sys/fs/bpf/m");
	free_parsed(&p);
}

static void test_list_events(void **state)
{
	struct parsed p = parse("--list-events", "--interval-count", "2");

	assert_parsed(&p);
	assert_true(p.args.measure.list_events);
	free_parsed(&p);
}

/* ---- refused command lines ---- */

static void test_refused(void **state)
{
	static const char both[] = "-a and -p, -t or --for-each-cgroup: choose the whole system or";

	assert_refused(parse("-a", "-p", self), both);
	assert_refused(parse("-t", self, "--all-cpus"), both);
	assert_refused(parse("-a", "-p", self, "--", "true"), both);
	assert_refused(parse("--attr-map", ""), "--attr-map: the path is empty\n");
	assert_refused(parse("--attr-size", "56"), "--attr-size 56: give a whole number from 64");
	assert_refused(parse("--attr-size", "520"), "from 64 to 512\n");
	assert_refused(parse("--attr-size", "132"),
		       "a multiple of 8, as the size of struct perf_event_attr is\n");
	assert_refused(parse("--method", "bpf"), "--method bpf: give bperf or perf_event\n");
	assert_refused(parse("--method", "perf_event", "--attr-map", "/m"), "it uses no map");
	assert_refused(parse("--method", "perf_event", "--attr-size", "136"), "it uses no map");
	assert_refused(parse("--method", "perf_event", "--lock-timeout", "5s"), "it uses no map");
	assert_refused(parse("--no-inherit"), "nothing that can have children is counted");
	assert_refused(parse("--no-inherit", "-a", "--", "true"), "give -p, -t or COMMAND\n");
	assert_refused(parse("--no-inherit", "-C0", "--", "true"), "give -p, -t or COMMAND\n");
	assert_refused(parse("--lock-timeout", "-1"),
		       "--lock-timeout: write a time as 5s, 200ms or 10us; a number without a unit "
		       "is in ms\n");
	/* all commands that measure refuse these combinations */
	assert_refused(parse("-j", "-x,"), "-j and -x: choose one format\n");
	assert_refused(parse("-r", "2"), "-r: it needs a COMMAND or --timeout to repeat\n");
}

/* Users of perf and of bprof stat may try these options, which are refused. */
static void test_refused_options(void **state)
{
	assert_refused(parse("-G", "x"),
		       "--cgroup: perf's -G, which gives each event its own cgroup, is "
		       "not supported; use --for-each-cgroup, which counts all "
		       "events in each cgroup\n");
	assert_refused(parse("-b", "1"),
		       "--prog-id: use 'bprof stat' to measure what one invocation of a program "
		       "costs\n");
	assert_refused(parse("--bpf-prog", "1"), "--bpf-prog: use 'bprof stat' to measure");
	assert_refused(parse("--hist"), "--hist: no such option");
}

static void test_bad_lists(void **state)
{
	assert_refused(parse("-p", "1,x"), "\n  1,x\n    ^\n");
	assert_refused(parse("-t", ""), "-t");
	assert_refused(parse("-C", "0-"), "-C");
}

static void test_help(void **state)
{
	struct parsed p = parse("--help");

	assert_int_equal(p.err, 1);
	assert_memory_equal(p.out, "Usage: bprof system ", 20);
	assert_non_null(strstr(p.out, "\n  -a, --all-cpus "));
	assert_non_null(strstr(p.out, "\n  -e, --event EVENTS "));
	assert_non_null(strstr(p.out, "\n      --for-each-cgroup LIST\n"));
	assert_non_null(strstr(p.out, "\nExamples:\n"));
	assert_non_null(strstr(p.out, "\nExit status: 0 done, 1 failed, 2 wrong usage, 4 nothing"));
	assert_null(strstr(p.out, "--cgroup "));
	assert_null(strstr(p.out, "--bpf-attr-map"));
	free_parsed(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_scope),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_several_scopes),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_how),
		cmocka_unit_test(test_list_events),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_options),
		cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_help),
	};

	snprintf(self, sizeof(self), "%d", getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
