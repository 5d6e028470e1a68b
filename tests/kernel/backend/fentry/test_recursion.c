// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests recursion misses: runs that the kernel skips because the program is already running. bprof
 * reports the same number of misses as the kernel, and does not count the misses as runs.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define BEFORE 7 /* the number of runs before bprof measures */
#define RUNS 40

struct recursive {
	struct target prog;    /* calls itself once in each run */
	struct target trigger; /* runs prog once in each of its own runs */
	__u64 misses;	       /* the kernel's count of misses at the start */
};

static __u64 read_misses(struct target t)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(t.fd, &info, &len), 0);
	return info.recursion_misses;
}

static struct recursive load_recursive(struct fixture *f)
{
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/recursion.bpf.o");
	struct recursive r;

	assert_non_null(obj);
	r.prog = program_of(obj, "fentry_again");
	r.trigger = program_of(obj, "xdp_delete");
	if (!try_attach(f, r.prog))
		skip_test("recursion", strerror(errno));
	drive(r.trigger, BEFORE);
	r.misses = read_misses(r.prog);
	assert_int_equal(r.misses, BEFORE);
	return r;
}

static void test_misses(void **state)
{
	struct fixture *f = *state;
	struct recursive rec = load_recursive(f);
	json_t *row;
	struct run *r;

	r = bprof(f, "-j -b %u,%u -e time -- drive testrun %u:%d", rec.prog.id, rec.trigger.id,
		  rec.trigger.id, RUNS);
	assert_status(r, 0);
	row = row_of(r, rec.prog.id);
	assert_int_equal(num(row, "runs"), RUNS);
	assert_int_equal(num(row, "measured"), RUNS);
	assert_int_equal(num(row, "lost.recursion"), 0);
	assert_int_equal(num(row, "recursion_misses"), RUNS);
	assert_int_equal(num(row, "recursion_misses"), read_misses(rec.prog) - rec.misses);
	assert_counted(r, rec.trigger.id, RUNS);
	assert_int_equal(num(row_of(r, rec.trigger.id), "recursion_misses"), 0);
}

static void test_misses_in_text(void **state)
{
	struct fixture *f = *state;
	struct recursive rec = load_recursive(f);
	char note[128];
	struct run *r;

	r = bprof(f, "-b %u -e time -- drive testrun %u:%d", rec.prog.id, rec.trigger.id, RUNS);
	assert_status(r, 0);
	sprintf(note, "note: %u fentry_again: the kernel skipped %d runs of it (recursion)",
		rec.prog.id, RUNS);
	assert_contains(r->out, note);
	r = bprof(f, "-b %u -e time -- true", rec.prog.id);
	assert_status(r, 0);
	assert_null(strstr(r->out, "the kernel skipped"));
}

/*
 * In each repeat the program also runs during the delay (-D). Misses in that time are not counted.
 */
static void test_misses_in_repeats(void **state)
{
	struct fixture *f = *state;
	struct recursive rec = load_recursive(f);
	struct run *r;

	r = bprof(f,
		  "-j -r 3 -D 1000 -b %u -e time -- sh -c 'drive testrun %u:3; sleep 2; "
		  "drive testrun %u:%d'",
		  rec.prog.id, rec.trigger.id, rec.trigger.id, RUNS);
	assert_status(r, 0);
	assert_true(num(row_of(r, rec.prog.id), "runs") > 0);
	assert_int_equal(num(row_of(r, rec.prog.id), "recursion_misses"),
			 num(row_of(r, rec.prog.id), "runs"));
}

/*
 * Returns the sum of the misses in all printed reports. Sets *last to true if the last report
 * states its number of misses.
 */
static json_int_t sum_misses(const char *lines, __u32 id, bool *last)
{
	json_int_t sum = 0;
	json_error_t error;
	json_t *report;

	while (*lines == '{' && (report = json_loads(lines, JSON_DISABLE_EOF_CHECK, &error))) {
		struct run r = {.json = report, .out = (char *)lines, .err = ""};
		json_t *misses = json_object_get(row_of(&r, id), "recursion_misses");

		*last = misses;
		sum += json_integer_value(misses);
		json_decref(report);
		lines += error.position;
		lines += strspn(lines, "\n");
	}
	return sum;
}

static void test_misses_in_intervals(void **state)
{
	struct fixture *f = *state;
	struct recursive rec = load_recursive(f);
	struct child *c = bprof_start(f, "-j -I 50 -e time -b %u", rec.prog.id);
	bool last = false;
	struct run *r;

	child_line(c);
	drive(rec.trigger, RUNS);
	child_line(c);
	drive(rec.trigger, RUNS);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_misses(r->out, rec.prog.id, &last), 2 * RUNS);
	assert_true(last);
	assert_int_equal(sum_of_runs(r->out, rec.prog.id), 2 * RUNS);
}

KTEST_GROUP(recursion, "runs that the kernel leaves out", NULL, ON(SMP4), KTEST(test_misses),
	    KTEST(test_misses_in_text), KTEST(test_misses_in_repeats, LONG),
	    KTEST(test_misses_in_intervals));
