// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests functions that also run outside of the runs of their program: callbacks that run later, the
 * functions that these call, and the functions of tail-called and extended programs. The own costs
 * per run in the call tree must add up to the cost of the tree's root. Calls per run must be right
 * or not known. The group needs the deterministic VM (one vCPU, -icount).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define RUNS 200
#define UNKNOWN (-1)
#define ANY (-1)

/* ---- the table of the call trees ---- */

/* A line of the table. */
struct line {
	char id[16];
	bool root;
	/* COST/CALL, SELF/RUN, SELF%; NaN: "-" */
	double cost, own, share;
};

static double number(const char *word)
{
	double v = 0;
	char *end, plain[32] = "";

	if (!strcmp(word, "-"))
		return NAN;
	for (; *word; word++)
		if (*word != ',')
			strncat(plain, word, 1);
	v = strtod(plain, &end);
	if (*end && strcmp(end, "%"))
		fail_test("not a number: %s", plain);
	return v;
}

/* Parses a line. func: the column of the functions' names. */
static struct line parse_line(const char *text, size_t func)
{
	struct line l = {.root = text[func] != ' '};
	char copy[512], *word[32] = {}, *save;
	int cnt = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " ", &save); w && cnt < 32; w = strtok_r(NULL, " ", &save))
		word[cnt++] = w;
	if (cnt < 8)
		fail_test("not a line of the call tree: %s", text);
	snprintf(l.id, sizeof(l.id), "%s", word[0]);
	l.cost = number(word[cnt - 4]);
	l.own = number(word[cnt - 2]);
	l.share = number(word[cnt - 1]);
	return l;
}

/* Checks that the lines after a root add up to its cost, and to 100 %, up to rounding. */
static void check_sum(const struct run *r, const struct line *root, double own, double share)
{
	if (isnan(root->cost))
		return; /* The root did not run. */
	if (fabs(own - root->cost) > 0.6 || fabs(share - 100) > 0.6)
		fail_test("program %s: a run costs %g, but its functions %g (%g %%): %s", root->id,
			  root->cost, own, share, r->out);
}

/* Checks all call trees of a text report. Their number must be "want". */
static void check_trees(const struct run *r, int want)
{
	char *out = strdup(r->out), *save, *text, *header = strstr(out, "CALLS/RUN");
	struct line root = {};
	double own = 0, share = 0;
	size_t func;
	int trees = 0;

	if (!header)
		fail_test("no call tree: %s", r->out);
	while (header > out && header[-1] != '\n')
		header--;
	func = strstr(header, "FUNCTION") - header;
	strtok_r(header, "\n", &save);
	while ((text = strtok_r(NULL, "\n", &save)) && strspn(text, " 0123456789") > 1) {
		struct line l = parse_line(text, func);

		if (l.root) {
			if (trees++)
				check_sum(r, &root, own, share);
			root = l;
			own = share = 0;
		}
		own += isnan(l.own) ? 0 : l.own;
		share += isnan(l.share) ? 0 : l.share;
	}
	check_sum(r, &root, own, share);
	if (trees != want)
		fail_test("%d call trees, not %d: %s", trees, want, r->out);
	free(out);
}

/* ---- the rows ---- */

static json_t *row_of_func(const struct run *r, __u32 id, const char *func)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		if (num(row, "id") == id && !strcmp(str(row, "func"), func))
			return row;
	fail_test("no row of %s: %s", func, r->out);
	return NULL;
}

struct want {
	const char *func;
	int depth;
	int runs;     /* runs per driven run; ANY: not checked */
	double calls; /* calls per run of the root; UNKNOWN: the number must be missing */
};

static void check_row(const struct run *r, __u32 id, const struct want *want)
{
	json_t *row = row_of_func(r, id, want->func), *calls;

	calls = json_object_get(row, "calls_per_run");
	if (want->runs != ANY && num(row, "runs") != RUNS * want->runs)
		fail_test("%s: wrong number of runs: %s", want->func, r->out);
	if (json_object_get(row, "subprogram") && num(row, "depth") != want->depth)
		fail_test("%s: not at depth %d: %s", want->func, want->depth, r->out);
	if (want->calls == UNKNOWN ? calls != NULL : json_number_value(calls) != want->calls)
		fail_test("%s: calls per run not %g: %s", want->func, want->calls, r->out);
}

static bool has_note(const struct run *r, __u32 id, const char *func, const char *part)
{
	json_t *notes = json_object_get(row_of_func(r, id, func), "notes"), *note;

	for (size_t i = 0; (note = json_array_get(notes, i)); i++)
		if (strstr(json_string_value(note), part))
			return true;
	return false;
}

/*
 * Measures all functions of these programs, as JSON and as text. The JSON must have these rows of
 * the first program, and the trees of the text must add up.
 */
static struct run *measure(struct fixture *f, const char *selectors, const char *drive, int trees,
			   __u32 id, const struct want *want, int cnt)
{
	struct run *r = bprof(f, "-e %s %s -- %s", exact_event(), selectors, drive);

	assert_status(r, 0);
	check_trees(r, trees);
	r = bprof(f, "-j -e %s %s -- %s", exact_event(), selectors, drive);
	assert_status(r, 0);
	for (int i = 0; i < cnt; i++)
		check_row(r, id, &want[i]);
	return r;
}

#define WANT(...)                           \
	(const struct want[]){__VA_ARGS__}, \
		(int)(sizeof((const struct want[]){__VA_ARGS__}) / sizeof(struct want))

static const char *format(char *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static const char *format(char *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, 256, fmt, ap);
	va_end(ap);
	return buf;
}

/* ---- callbacks that run later ---- */

static struct run *measure_one(struct fixture *f, struct target t, int trees,
			       const struct want *want, int cnt)
{
	char selectors[256], drive[256];

	return measure(f, format(selectors, "-b '%u:*'", t.id),
		       format(drive, "drive testrun %u:%d", t.id, RUNS), trees, t.id, want, cnt);
}

/* A timer's callback has a tree of its own. The callback of bpf_loop() has none. */
static void test_timer(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "later", "xdp_later");
	struct run *r;

	r = measure_one(f, t, 2,
			WANT({"xdp_later", 0, 1, UNKNOWN}, {"leaf_now", 1, 1, 1}, {"step", 1, 3, 3},
			     {"on_alarm", 0, 1, UNKNOWN}, {"leaf_later", 1, 2, 2}));
	assert_null(json_object_get(row_of_func(r, t.id, "xdp_later"), "notes"));
}

/*
 * A function is called in a run and also by the timer's callback: it is not known how often a run
 * calls it.
 */
static void test_timer_shares(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "later", "xdp_both");
	struct run *r;

	r = measure_one(f, t, 2,
			WANT({"xdp_both", 0, 1, UNKNOWN}, {"leaf_now", 1, 1, 1},
			     {"leaf_both", 1, 2, UNKNOWN}, {"on_alarm_both", 0, 1, UNKNOWN},
			     {"leaf_later", 1, 1, 1}));
	assert_true(has_note(r, t.id, "xdp_both", "how often leaf_both is called per run"));
	assert_true(has_note(r, t.id, "leaf_both", "called by xdp_both and on_alarm_both"));
}

/* A job that waits is not queued again, so the callback runs only a few times. */
static void test_workqueue(void **state)
{
	struct fixture *f = *state;
	struct target t;

	if (kernel_is("6.1"))
		skip_test("workqueue", "BPF workqueues came with Linux 6.10");
	t = load_target(f, kernel_is("6.12") ? "later_wq" : "later_wq_implicit", "xdp_work");
	measure_one(f, t, 2,
		    WANT({"xdp_work", 0, 1, UNKNOWN}, {"leaf_both", 1, ANY, UNKNOWN},
			 {"on_work", 0, ANY, UNKNOWN}, {"leaf_later", 1, ANY, 2}));
}

/* ---- tail calls ---- */

/* Loads the programs, and puts two of them and xdp_rounds into the prog array. */
static struct bpf_object *load_tail(struct fixture *f)
{
	static const char *const progs[] = {"xdp_target", "xdp_other", "xdp_rounds"};
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/later_tail.bpf.o");
	int map = bpf_object__find_map_fd_by_name(obj, "jumps");

	assert_non_null(obj);
	for (__u32 i = 0; i < 3; i++) {
		struct target t = program_of(obj, progs[i]);

		assert_int_equal(bpf_map_update_elem(map, &i, &t.fd, BPF_ANY), 0);
	}
	return obj;
}

static void assert_tail_notes(const struct run *r, struct target to, const char *func)
{
	assert_true(has_note(r, to.id, func, "its runs by tail call (it is in prog array"));
}

/*
 * xdp_target runs only by tail calls. The program that jumps to it has other functions (xdp_jump) or none
 * (xdp_jump_only).
 */
static void test_tail_called(void **state)
{
	static const char *const progs[] = {"xdp_jump", "xdp_jump_only"};
	struct fixture *f = *state;
	struct bpf_object *obj = load_tail(f);
	struct target to = program_of(obj, "xdp_target");

	for (int i = 0; i < 2; i++) {
		struct target from = program_of(obj, progs[i]);
		char selectors[256], drive[256];
		struct run *r;

		r = measure(f, format(selectors, "-b '%u:*,%u:*'", from.id, to.id),
			    format(drive, "drive testrun %u:%d", from.id, RUNS), 2, to.id,
			    WANT({"xdp_target", 0, 0, UNKNOWN}, {"leaf_target", 1, 2, UNKNOWN}));
		check_row(r, from.id, &(struct want){progs[i], 0, 1, UNKNOWN});
		assert_tail_notes(r, to, "xdp_target");
		assert_true(has_note(r, from.id, progs[i], "makes tail calls"));
		assert_true(has_note(r, to.id, "xdp_target", "how often leaf_target is called"));
	}
}

/* Only the tail-called program is selected. */
static void test_tail_called_alone(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = load_tail(f);
	struct target from = program_of(obj, "xdp_jump"), to = program_of(obj, "xdp_target");
	char selectors[256], drive[256];
	struct run *r;

	r = measure(f, format(selectors, "-b '%u:*'", to.id),
		    format(drive, "drive testrun %u:%d", from.id, RUNS), 1, to.id,
		    WANT({"xdp_target", 0, 0, UNKNOWN}, {"leaf_target", 1, 2, UNKNOWN}));
	assert_tail_notes(r, to, "xdp_target");
}

/* A program runs by tail calls and also in other ways. */
static void test_tail_and_direct(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = load_tail(f);
	struct target from = program_of(obj, "xdp_jump"), to = program_of(obj, "xdp_target");
	char selectors[256], drive[256];

	/*
	 * The program is in a prog array, but its probe sees all its runs, so the calls per run are
	 * right.
	 */
	measure(f, format(selectors, "-b '%u:*,%u:*'", from.id, to.id),
		format(drive, "drive testrun %u:%d", to.id, RUNS), 2, to.id,
		WANT({"xdp_target", 0, 1, UNKNOWN}, {"leaf_target", 1, 2, 2}));
	measure(f, selectors,
		format(drive, "drive testrun %u:%d %u:%d", to.id, RUNS, from.id, RUNS), 2, to.id,
		WANT({"xdp_target", 0, 1, UNKNOWN}, {"leaf_target", 1, 4, UNKNOWN}));
	measure(f, format(selectors, "-b '%u:*'", to.id), drive, 1, to.id,
		WANT({"xdp_target", 0, 1, UNKNOWN}, {"leaf_target", 1, 4, UNKNOWN}));
}

/* A program jumps in turns to two programs of one prog array. */
static void test_tail_two(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = load_tail(f);
	struct target from = program_of(obj, "xdp_jump_two"), to = program_of(obj, "xdp_target"),
		      other = program_of(obj, "xdp_other");
	char selectors[256], drive[256];

	measure(f, format(selectors, "-b '%u:*,%u:*,%u:*'", from.id, to.id, other.id),
		format(drive, "drive testrun %u:%d", from.id, RUNS), 3, to.id,
		WANT({"xdp_target", 0, 0, UNKNOWN}, {"leaf_target", 1, 1, UNKNOWN}));
	/* The jumping program's own cost includes the cost of the program that is not selected. */
	measure(f, format(selectors, "-b '%u:*,%u:*'", from.id, to.id), drive, 2, from.id,
		WANT({"xdp_jump_two", 0, 1, UNKNOWN}, {"leaf", 1, 1, 1}));
}

static void test_tail_in_sub(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = load_tail(f);
	struct target from = program_of(obj, "xdp_jump_sub"), to = program_of(obj, "xdp_target");
	char selectors[256], drive[256];

	measure(f, format(selectors, "-b '%u:*,%u:*'", from.id, to.id),
		format(drive, "drive testrun %u:%d", from.id, RUNS), 2, from.id,
		WANT({"xdp_jump_sub", 0, 1, UNKNOWN}, {"leaf", 1, 1, 1}, {"jump", 1, 1, 1}));
}

/* A program jumps to itself: the runs after the first one are parts of the first run. */
static void test_tail_to_self(void **state)
{
	struct fixture *f = *state;
	struct target t = program_of(load_tail(f), "xdp_rounds");

	measure_one(f, t, 1, WANT({"xdp_rounds", 0, 1, UNKNOWN}, {"leaf", 1, 3, 3}));
}

/* ---- a function that runs inside of its own runs ---- */

/* Measures functions of a program. Returns NULL if this kernel does not allow probes on them. */
static struct run *measure_nest(struct fixture *f, struct target t, const char *funcs)
{
	struct run *r = bprof(f, "-j -e %s -b '%u%s' -- drive testrun %u:%d", exact_event(), t.id,
			      funcs, t.id, RUNS);

	if (strstr(r->out, "\"tail_call_risk\""))
		return NULL;
	assert_status(r, 0);
	return r;
}

static json_t *nest_event(const struct run *r, struct target t, const char *func)
{
	return event_of(row_of_func(r, t.id, func), exact_event());
}

/* Fails unless the function costs the same in both reports. */
static void assert_same_cost(const struct run *a, const struct run *b, struct target t,
			     const char *func, const char *number, double tolerance)
{
	if (fabs(real(nest_event(a, t, func), number) - real(nest_event(b, t, func), number)) >
	    tolerance)
		fail_test("%s %s: %s, not %s", func, number, a->out, b->out);
}

/* The width of a histogram's bucket for values of 512 to 1023. */
#define BUCKET 8

/* A function costs the same, whichever other functions of the program are measured with it. */
static void test_nest_few(void **state)
{
	static const char *const names[] = {"per_run.min", "per_run.p50", "per_run.p90"};
	struct fixture *f = *state;
	struct target t = load_target(f, "tail_nest_few", "nest");
	struct run *all = measure_nest(f, t, ":*"), *alone = measure_nest(f, t, ":sub"),
		   *outer = measure_nest(f, t, "");

	if (!all || !alone || !outer)
		return; /* refused; test_relations.c checks the reason */
	assert_int_equal(num(row_of_func(all, t.id, "sub"), "runs"), 5 * RUNS);
	assert_int_equal(num(row_of_func(alone, t.id, "sub"), "runs"), 5 * RUNS);
	for (int i = 0; i < 3; i++)
		assert_same_cost(all, alone, t, "sub", names[i], BUCKET);
	assert_same_cost(all, outer, t, "nest", "per_run.min", 2);
}

/*
 * Runs for which the probe has no room are lost. The costs of the runs around them are then not
 * known.
 */
static void test_nest_many(void **state)
{
	static const char *const funcs[] = {":*", ":sub"};
	struct fixture *f = *state;
	struct target t = load_target(f, "tail_nest_many", "nest");

	for (int i = 0; i < 2; i++) {
		struct run *r = measure_nest(f, t, funcs[i]);

		if (!r)
			return; /* refused; test_relations.c checks the reason */
		assert_int_equal(num(row_of_func(r, t.id, "sub"), "runs"), 20 * RUNS);
		assert_int_equal(num(row_of_func(r, t.id, "sub"), "lost.overflow"), 12 * RUNS);
		assert_string_equal(str(nest_event(r, t, "sub"), "status"), "not_counted");
		assert_contains(r->out, "its runs may include 2,400 lost runs of sub");
		if (!i)
			assert_string_equal(str(nest_event(r, t, "nest"), "status"), "not_counted");
	}
}

KTEST_GROUP(tree_roots, "functions that also run outside of their program's runs", NULL, ON(EXACT),
	    KTEST(test_timer, FROM(5.15), ALSO_X86), KTEST(test_timer_shares, FROM(5.15), LONG),
	    KTEST(test_workqueue, FROM(5.15), LONG), KTEST(test_tail_called, LONG),
	    KTEST(test_tail_called_alone, LONG), KTEST(test_tail_and_direct, LONG),
	    KTEST(test_tail_two, ALSO_X86), KTEST(test_tail_in_sub, FROM(6.1), LONG),
	    KTEST(test_tail_to_self), KTEST(test_nest_few), KTEST(test_nest_many));
