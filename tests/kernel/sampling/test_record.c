// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what bprof record and annotate refuse, and which file they use without -o and -i.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define RECORD_FILE "bprof.record.json"
#define FILE_NAME "/tmp/ktest.record.json"

/* By default, annotate reads the file that record writes by default. */
static void test_default_file(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct run *r;

	unlink(RECORD_FILE);
	r = bprof(f, "annotate");
	assert_status(r, 1);
	assert_contains(r->err, RECORD_FILE ": No such file or directory; 'bprof record' writes a "
					    "recording, or give targets to sample");
	assert_status(bprof(f, "annotate -e cpu-clock"), 2);
	assert_status(bprof(f, "record -b %u -- true", t.id), 0);
	r = bprof(f, "annotate");
	assert_status(r, 0);
	assert_contains(r->out, "xdp_hot_loop");
	unlink(RECORD_FILE);
}

/* Checks the exit status, and that stderr is a single line that contains text. */
static void assert_refused(const struct run *r, int status, const char *text)
{
	assert_status(r, status);
	assert_contains(r->err, text);
	assert_true(strchr(r->err, '\n') == r->err + strlen(r->err) - 1);
}

static void test_refused(void **state)
{
	static const struct {
		const char *args, *text;
		int status;
	} cases[] = {
		{"record -e time -b %u -- true", "event time: bprof's own clock cannot be sampled",
		 1},
		{"record -e cpu-clock -c 500 -b %u -- true", "the minimum period is 10000 ns", 1},
		{"record -F 10 -c 10 -b %u -- true", "-F and -c: choose", 2},
		{"record -e cycles,cpu-clock -b %u -- true", "at most 1", 2},
		{"annotate -i x -b %u", "-i: a recording has its targets", 2},
		{"annotate --sort alphabet -b %u", "--sort alphabet: give source or hot", 2},
		{"annotate --percent-limit 101 -b %u", "--percent-limit 101", 2},
		{"annotate -j --folded -b %u", "-j and --folded", 2},
		{"record --timeout 100", "no target", 2},
		{"annotate -e cpu-clock", "give a recording (-i FILE), or targets", 2},
		{"annotate -i /nowhere", "/nowhere: No such file", 1},
		{"annotate -i /", "/: Is a directory", 1},
		{"annotate -i /dev/null", "/dev/null: is empty", 1},
		{"annotate -i /proc/version", "/proc/version:1: not a recording of bprof", 1},
		{"record -o /nowhere/x -b %u -- true",
		 "/nowhere/x: cannot be written: No such file", 1},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	struct run *r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char args[256];

		snprintf(args, sizeof(args), cases[i].args, t.id);
		r = bprof(f, "%s", args);
		if (cases[i].status == 1)
			assert_refused(r, 1, cases[i].text);
		assert_status(r, cases[i].status);
		assert_contains(r->err, cases[i].text);
	}
	r = bprof(f, "stat -j -b %u -o " FILE_NAME " -- true", t.id);
	assert_refused(bprof(f, "annotate -i " FILE_NAME), 1, "a report (of bprof stat");
	assert_status(bprof(f, "record -o " FILE_NAME " -b %u -- true", t.id), 0);
	unlink(FILE_NAME ".old");
	r = bprof(f, "diff " FILE_NAME " " FILE_NAME);
	assert_refused(r, 1, "a recording (of bprof record), not a report");
	r = bprof(f, "annotate -i " FILE_NAME " --func none");
	assert_refused(r, 4, "--func none: no function");
	assert_int_equal(truncate(FILE_NAME, 500), 0);
	assert_refused(bprof(f, "annotate -i " FILE_NAME), 1, "the document is cut off");
}

/*
 * bprof fails if the caller may not see code addresses, if the caller may not open programs, and if
 * the program does not exist.
 */
static void test_no_permission(void **state)
{
	static const char restrict_path[] = "/proc/sys/kernel/kptr_restrict";
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");
	char *before = strdup(command(f, "cat %s", restrict_path)->out);
	struct run *r;

	write_file(restrict_path, "2");
	r = bprof(f, "record -o /tmp/none -b %u -- true", t.id);
	write_file(restrict_path, before);
	free(before);
	assert_status(r, 4);
	assert_contains(r->err, "the kernel hides the addresses of its code");
	r = command(f, "drive nobody none bprof record -o /dev/null -b %u -e cpu-clock -- true",
		    t.id);
	assert_status(r, 7);
	assert_contains(r->err, "opening programs by id needs CAP_SYS_ADMIN");
	r = bprof(f, "record -o /dev/null -b 999999 -- true");
	assert_status(r, 8);
	assert_contains(r->err, "program 999999");
}

/* bprof raises its soft limit of file descriptors, but not that of the command. */
static void test_soft_fd_limit(void **state)
{
	static const char *const commands[] = {"record -o /dev/null", "annotate"};
	struct fixture *f = *state;
	struct target t = load_target(f, "loops", "xdp_hot_loop");

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		assert_status(command(f,
				      "sh -c 'ulimit -Sn 12; bprof %s -b %u -e cpu-clock -- "
				      "sh -c \"test \\$(ulimit -Sn) = 12\"'",
				      commands[i], t.id),
			      0);
}

KTEST_GROUP(record, "what bprof record and annotate refuse", NULL, ON(EXACT),
	    KTEST(test_default_file), KTEST(test_refused), KTEST(test_no_permission),
	    KTEST(test_soft_fd_limit));
