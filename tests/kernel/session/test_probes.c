// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests a target that has probes of another process in addition to those of bprof. These foreign probes add
 * to the numbers, so bprof's report has a note with their owner. There is no such note if no foreign
 * probes are attached. There is also none on Linux 5.10, which does not report to what a link is
 * attached.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>

#include "tests/kernel/harness.h"

#define NOTE "also probed by "

/* Returns true if a note of the program's row contains the text. */
static bool has_note_of(json_t *row, const char *text)
{
	json_t *notes = json_object_get(row, "notes"), *note;

	for (size_t i = 0; (note = json_array_get(notes, i)); i++)
		if (strstr(json_string_value(note), text))
			return true;
	return false;
}

static bool links_have_targets(void)
{
	return !kernel_is("5.10");
}

static void assert_noted(const struct run *r, __u32 id, const char *text)
{
	if (has_note_of(row_of(r, id), text) != links_have_targets())
		fail_test("program %u: \"%s\" is noted but should not be, or is not noted but "
			  "should be\nstdout: %s\nstderr: %s",
			  id, text, r->out, r->err);
}

static void assert_silent(const struct run *r, __u32 id)
{
	if (has_note_of(row_of(r, id), NOTE))
		fail_test("a probe that is not there: %s", r->out);
}

static const char *owner(const char *name, pid_t pid)
{
	static char text[64];

	snprintf(text, sizeof(text), NOTE "%s (pid %d)", name, pid);
	return text;
}

/* Starts a bprof and waits until it measures the program. */
static struct child *start_measuring(struct fixture *f, __u32 id)
{
	struct child *c = command_start(f, "bprof -j -I 50 -b %u -e time", id);

	child_line(c);
	return c;
}

/* Checks that the report of the next interval has a note with this text. */
static void assert_line_notes(struct child *c, const char *text)
{
	const char *line = child_line(c);

	if (!!strstr(line, text) != links_have_targets())
		fail_test("\"%s\" is noted but should not be, or is not noted but should be: %s",
			  text, line);
}

/* Ends a bprof. In the result, r->json is the last line, which is also a report. */
static struct run *stop_measuring(struct fixture *f, struct child *c)
{
	struct run *r;
	char *line, *end;

	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	for (line = r->out; (end = strchr(line, '\n')) && end[1];)
		line = end + 1;
	json_decref(r->json);
	r->json = json_loads(line, 0, NULL);
	if (!r->json)
		fail_test("not a line of JSON: %s", line);
	return r;
}

static void test_two_bprofs(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct target other = load_target(f, "xdp", "xdp_pass");
	struct child *a = start_measuring(f, t.id), *b;
	pid_t a_pid = child_pid(a), b_pid;
	struct run *r;

	/*
	 * This bprof starts after the other one and ends before it. Its report has a note on the
	 * other one.
	 */
	r = bprof(f, "-j -b %u,%u -e time -- drive testrun %u:10", t.id, other.id, t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 10);
	assert_noted(r, t.id, owner("another bprof", a_pid));
	assert_silent(r, other.id);
	r = bprof(f, "-b %u -e time -- drive testrun %u:10", t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(!!strstr(r->out, owner("another bprof", a_pid)), links_have_targets());
	/*
	 * bprof a has a note on bprof b. bprof b also has a note on bprof a, although b starts
	 * later.
	 */
	b = start_measuring(f, t.id);
	b_pid = child_pid(b);
	assert_line_notes(b, owner("another bprof", a_pid));
	assert_noted(stop_measuring(f, a), t.id, owner("another bprof", b_pid));
	stop_measuring(f, b);
	/* Now there are no other probes. */
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:10", t.id, t.id);
	assert_status(r, 0);
	assert_silent(r, t.id);
}

/*
 * Another bprof probes the target during the first repeat only. All runs are counted in each
 * repeat.
 */
static void test_repeats(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *a = start_measuring(f, t.id);
	struct run *r;

	r = bprof(f, "-j -r 3 -b %u -e time -- sh -c 'drive testrun %u:10; kill %d; sleep 0.5'",
		  t.id, t.id, child_pid(a));
	assert_counted(r, t.id, 30);
	child_wait(f, a);
}

static void test_functions(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "subprogs", "xdp_subprogs");
	struct child *a;
	struct run *r;
	json_t *rows;

	a = command_start(f, "bprof -j -I 50 -b %u:sub_global -e time", t.id);
	child_line(a);
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:10", t.id, t.id);
	assert_status(r, 0);
	assert_noted(r, t.id, "functions that it may call are " NOTE "another bprof");
	r = bprof(f, "-j -b %u:sub_static -e time -- drive testrun %u:10", t.id, t.id);
	assert_status(r, 0);
	assert_silent(r, t.id);
	/* There is no note on bprof's own probes, even on functions that call one another. */
	stop_measuring(f, a);
	r = bprof(f, "-j -b %u --func '*' -e time -- drive testrun %u:10", t.id, t.id);
	assert_status(r, 0);
	rows = json_object_get(r->json, "programs");
	assert_int_equal(json_array_size(rows), 3);
	for (int i = 0; i < 3; i++)
		assert_false(has_note_of(json_array_get(rows, i), NOTE));
}

/*
 * Another bprof measures the calls of one program. A second program calls the same function. So the
 * second program's numbers include the probe of that bprof, whether or not its own calls are
 * measured.
 */
static void test_called(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct target other = load_target(f, "helpers", "xdp_helpers");
	struct child *a =
		command_start(f, "bprof -j -I 50 -b %u --calls bpf_user_rnd_u32 -e time", t.id);
	char text[64];
	struct run *r;
	json_t *rows;

	child_line(a);
	snprintf(text, sizeof(text), "another bprof (pid %d) probes functions of the kernel",
		 child_pid(a));
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:10", other.id, other.id);
	assert_status(r, 0);
	assert_noted(r, other.id, text);
	r = bprof(f, "-j -b %u --calls '*' -e time -- drive testrun %u:10", other.id, other.id);
	assert_status(r, 0);
	rows = json_object_get(r->json, "programs");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		bool shared = !strcmp(str(row, "func"), "bpf_user_rnd_u32");

		assert_int_equal(has_note_of(row, owner("another bprof", child_pid(a))), shared);
	}
	stop_measuring(f, a);
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:10", other.id, other.id);
	assert_status(r, 0);
	assert_silent(r, other.id);
}

static void test_follow(void **state)
{
	struct fixture *f = *state;
	struct target first = load_target(f, "xdp", "xdp_pass"), second;
	struct bpf_link *link;
	struct child *a, *b;
	pid_t b_pid;
	struct run *r;

	a = command_start(f, "bprof stat --follow -j -I 50 --name xdp_pass -e time");
	child_line(a);
	second = load_target(f, "xdp", "xdp_pass");
	/*
	 * Attach the program. Otherwise --follow might detach its probe, as it does when a program
	 * may be about to be unloaded.
	 */
	link = bpf_program__attach_xdp(second.prog, if_nametoindex("lo"));
	assert_non_null(link);
	keep_link(f, link);
	AWAIT(!links_have_targets() || prog__is_probed(second.id));
	b = start_measuring(f, second.id);
	b_pid = child_pid(b);
	assert_line_notes(b, owner("another bprof", child_pid(a)));
	r = stop_measuring(f, a);
	assert_noted(r, second.id, owner("another bprof", b_pid));
	assert_silent(r, first.id);
	stop_measuring(f, b);
}

/* bench has no note on its own probes, but a note on the probes of another bprof. */
static void test_bench(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *a;
	struct run *r;

	r = bprof(f, "bench -j -b %u -e time --blocks 3 --repeat 10", t.id);
	assert_status(r, 0);
	assert_silent(r, t.id);
	a = start_measuring(f, t.id);
	r = bprof(f, "bench -j -b %u -e time --blocks 3 --repeat 10", t.id);
	assert_status(r, 0);
	assert_noted(r, t.id, owner("another bprof", child_pid(a)));
	stop_measuring(f, a);
}

/* This process is the other owner: it attaches a tracing program to the target. */
static void test_program(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct bpf_object *obj = open_object(f, PROGS_DIR "/tracing.bpf.o");
	struct bpf_program *p = bpf_object__find_program_by_name(obj, "fentry_one");
	struct target one;
	char text[128];
	struct run *r;

	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, "fentry_two"), false);
	assert_int_equal(bpf_program__set_attach_target(p, t.fd, "xdp_pass"), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	one = program_of(obj, "fentry_one");
	assert_non_null(try_attach(f, one));
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:10", t.id, t.id);
	assert_status(r, 0);
	snprintf(text, sizeof(text), NOTE "program %u fentry_one (ktest, pid %d)", one.id,
		 getpid());
	assert_noted(r, t.id, text);
}

/*
 * The numbers of perf include the probes of bprof, and those of bprof include the probes of perf.
 * Only bprof says so.
 */
static void test_perf(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *c = command_start(f, "./perf stat -b %u -e %s", t.id, machine_event());
	struct run *r;

	assert_true(links_have_targets() ? prog_name__await_probe("xdp_pass")
					 : prog_name__await("fentry_XXX"));
	r = bprof(f, "-j -b %u -e %s -- drive testrun %u:10", t.id, machine_event(), t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 10);
	assert_noted(r, t.id, owner("perf", child_pid(c)));
	child_signal(c, SIGINT);
	child_wait(f, c);
}

KTEST_GROUP(probes, "other owners' probes on a target (./perf)", NULL, ON(SMP4, OLD),
	    KTEST(test_two_bprofs), KTEST(test_repeats, LONG), KTEST(test_functions),
	    KTEST(test_called, FROM(6.12)), KTEST(test_follow, LONG), KTEST(test_bench),
	    KTEST(test_program), KTEST(test_perf, LONG));
