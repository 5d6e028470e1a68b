// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the notes below the text report: in which reports each note is printed, with which words,
 * and how often.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/text.h"
#include "base/util.h"
#include "budget/thinning.h"
#include "render/report_priv.h"
#include "tests/unit/report_models.h"

/* Returns the notes of the report, and frees the report. The text is valid until the next call. */
static const char *notes_of(struct report *r, const struct render_opts *o)
{
	static char *text;
	size_t sz;
	FILE *out;

	free(text);
	out = open_memstream(&text, &sz);
	assert_non_null(out);
	report__print_notes(r, o, out);
	fclose(out);
	report__free(r);
	return text;
}

/* ---- the order ---- */

static const char *order_notes(const char *column, double share)
{
	const struct render_opts o = {.sort = column};
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 10);

	p->all.cpu_share = share;
	return notes_of(r, &o);
}

/* A column without values cannot sort. */
static void test_unsorted(void **state)
{
	assert_string_equal(order_notes("cpu%", 0.1), "");
	assert_string_equal(order_notes("name", NAN), "");
	assert_string_equal(order_notes("CPU%", NAN),
			    "\nnote: not sorted: CPU% is not known of any program; it needs the "
			    "event time or cycles: add -e time\n");
	assert_string_equal(order_notes("p99", NAN),
			    "\nnote: not sorted: p99 is not known of any program\n");
}

/* ---- versions ---- */

struct version {
	double loaded_ns, attached_ns, ended_ns, missed;
	bool interval;
	const char *want;
};

/* The report of the second second of the measurement. */
static const char *version_notes(const struct version *v)
{
	const struct render_opts o = {.interval = v->interval};
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 10);

	r->interval_ns = 2000000000;
	r->elapsed_ns = 1000000000;
	p->version = (struct report_version){.loaded_ns = v->loaded_ns,
					     .attached_ns = v->attached_ns,
					     .ended_ns = v->ended_ns,
					     .missed = v->missed};
	return notes_of(r, &o);
}

#define VERSION "\nversion: 42 xdp_lb (tag d4f8542f2b42fac5): "

static void test_versions(void **state)
{
	static const struct version cases[] = {
		/* the same program all the time */
		{NAN, NAN, NAN, NAN, false, ""},
		{NAN, NAN, 1.5e9, NAN, false, VERSION "there at the start, gone at 1.500 s\n"},
		{NAN, NAN, NAN, 1, false, VERSION "there at the start, 1 run missed\n"},
		{NAN, NAN, NAN, 0, false, ""},
		{NAN, NAN, 1.5e9, 0, false, VERSION "there at the start, gone at 1.500 s\n"},
		{1.25e9, NAN, NAN, NAN, false, VERSION "loaded at 1.250 s\n"},
		{1.25e9, NAN, NAN, 0, false, VERSION "loaded at 1.250 s, 0 runs missed\n"},
		{1.25e9, 2e6, 1.5e9, 1, false,
		 VERSION
		 "loaded at 1.250 s, attached 2.000 ms later, 1 run missed, gone at 1.500 s\n"},
		{1.25e9, 2e6, NAN, 1200, false,
		 VERSION "loaded at 1.250 s, attached 2.000 ms later, 1,200 runs missed\n"},
		/* with -I, a version has a note only for an interval in which something happens */
		{1.25e9, NAN, NAN, 0, true, VERSION "loaded at 1.250 s, 0 runs missed\n"},
		{1e9, NAN, NAN, NAN, true, VERSION "loaded at 1.000 s\n"},
		{0.75e9, NAN, NAN, 3, true, ""},
		/* the interval in which it was loaded did not have it yet */
		{0.75e9, 0.5e9, NAN, 3, true,
		 VERSION "loaded at 0.750 s, attached 500.000 ms later, 3 runs missed\n"},
		{0.5e9, 0.25e9, NAN, 3, true, ""},
		{0.75e9, NAN, 1e9, 3, true, ""},
		{0.75e9, NAN, 1.1e9, NAN, true, VERSION "loaded at 0.750 s, gone at 1.100 s\n"},
		{0.75e9, NAN, 1.1e9, 0, true, VERSION "loaded at 0.750 s, gone at 1.100 s\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = version_notes(&cases[i]);

		if (strcmp(text, cases[i].want))
			fail_msg("case %zu: %s", i, text);
	}
}

/* A version has one note, however many functions and return values it has. */
static void test_version_parts(void **state)
{
	struct report *r = make_base();

	for (int i = 0; i < 4; i++) {
		struct report_prog *p = i < 2 ? add_part(r, 42, "xdp_lb", i, 10, 5)
					      : add_prog(r, 42, "xdp_lb", "parse", 10);

		p->subprog = i >= 2;
		p->version = (struct report_version){
			.loaded_ns = 1e9, .attached_ns = NAN, .missed = NAN, .ended_ns = NAN};
	}
	assert_string_equal(notes_of(r, &(struct render_opts){}), VERSION "loaded at 1.000 s\n");
}

/* ---- programs whose constants are blinded ---- */

static void test_blinded(void **state)
{
	static const char note[] = "\nnote: %s: constants are blinded with random numbers "
				   "(net.core.bpf_jit_harden), which can make a program several "
				   "times as expensive%s\n";
	static const struct {
		int progs, random; /* number of programs, and which of them is random; -1: none */
		bool subprogs;	   /* only their subprograms were measured */
		const char *title, *end;
	} cases[] = {
		{1, -1, false, "42 lb", ""},
		{1, 0, false, "42 lb", ", and after each load in another way"},
		{1, -1, true, "42 lb:f1", ""},
		{3, 2, false, "42 lb and 2 more", ", and after each load in another way"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_base();
		char want[512];

		add_prog(r, 41, "other", "other", 10);
		for (int k = 0; k < 2 * cases[i].progs; k++) {
			bool subprog = k % 2 || cases[i].subprogs;
			struct report_prog *p = add_prog(r, 42 + k / 2, "lb",
							 k % 2	   ? "f2"
							 : subprog ? "f1"
								   : "lb",
							 10);

			p->subprog = subprog;
			p->blinded = true;
			p->random_code = k / 2 == cases[i].random;
		}
		snprintf(want, sizeof(want), note, cases[i].title, cases[i].end);
		assert_string_equal(notes_of(r, &(struct render_opts){}), want);
	}
}

/* ---- notes of programs ---- */

/* Only a kernel that is newer than the newest tested one is mentioned, once. */
static void test_untested_kernel(void **state)
{
	const struct render_opts o = {};
	struct report *r = make_base();
	const char *notes;

	assert_null(strstr(notes_of(r, &o), "untested"));
	r = make_base();
	r->host.newest_tested = strdup("7.3");
	notes = strstr(notes_of(r, &o), "untested kernel: it is newer than Linux 7.3, ");
	assert_non_null(notes);
	assert_null(strstr(notes + 1, "untested"));
}

static void add_with_notes(struct report *r, __u32 id, const char *note, const char *other)
{
	struct report_prog *p = add_prog(r, id, "prog", "prog", 0);

	report_notes__add(&p->notes, "%s", note);
	if (other)
		report_notes__add(&p->notes, "%s", other);
}

/* A note that several programs have is one line. */
static void test_same_note(void **state)
{
	const struct render_opts o = {}, verbose = {.verbose = 1};
	struct report *r = make_base();

	add_with_notes(r, 1, "a", NULL);
	add_with_notes(r, 2, "b", "a");
	add_with_notes(r, 3, "b", "b");
	for (int i = 4; i < 7; i++)
		add_with_notes(r, i, "a", NULL);
	assert_string_equal(notes_of(r, &verbose), "\nnote: 1 prog: a\n"
						   "note: 2 prog: b\n"
						   "note: 2 prog: a\n"
						   "note: 3 prog: b\n"
						   "note: 3 prog: b\n"
						   "note: 4 prog: a\n"
						   "note: 5 prog: a\n"
						   "note: 6 prog: a\n");
	r = make_base();
	add_with_notes(r, 1, "a", NULL);
	add_with_notes(r, 2, "b", "a");
	add_with_notes(r, 3, "b", NULL);
	for (int i = 4; i < 7; i++)
		add_with_notes(r, i, "a", NULL);
	assert_string_equal(notes_of(r, &o), "\nnote: 1 prog, 2 prog, 4 prog and 2 more: a\n"
					     "note: 2 prog, 3 prog: b\n");
}

/* ---- events ---- */

/* Each status is explained once for each reason. */
static void test_status(void **state)
{
	static const struct {
		const char *event, *detail;
		enum event_status status;
	} cells[] = {
		{"cycles", "no PMU", EVENT_NOT_SUPPORTED},
		{"cycles", "no PMU", EVENT_NOT_SUPPORTED},
		{"cycles", "other", EVENT_NOT_SUPPORTED},
		{"branches", "no PMU", EVENT_NOT_SUPPORTED},
		{"cycles", "no PMU", EVENT_NOT_COUNTED},
		{"cycles", NULL, EVENT_NOT_COUNTED},
		{"cycles", NULL, EVENT_NOT_COUNTED},
		{"time", NULL, EVENT_OK},
	};
	const struct render_opts first = {}, later = {.interval = true};
	char want[1024] = "\n";

	for (int again = 0; again < 2; again++) {
		struct report *r = make_base();

		for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
			struct report_row *row = &add_prog(r, i + 1, "prog", "prog", 1)->all;
			struct report_event *ev = add_event(row, cells[i].event, 5);

			if (cells[i].status != EVENT_OK)
				set_status(ev, cells[i].status, cells[i].detail);
		}
		for (size_t i = 0; i < ARRAY_SIZE(cells) && !again; i++)
			if (i != 1 && i < 6)
				snprintf(want + strlen(want), sizeof(want) - strlen(want),
					 "event %s: %s%s%s\n", cells[i].event,
					 event_status_specs[cells[i].status].text,
					 cells[i].detail ? ": " : "",
					 text__or_empty(cells[i].detail));
		assert_string_equal(notes_of(r, again ? &later : &first), again ? "" : want);
	}
}

/* With -A, notes also have the event's status on single CPUs, even if the event was counted on all CPUs together. */
static void test_cpu_status(void **state)
{
	for (int per_cpu = 0; per_cpu < 2; per_cpu++) {
		const struct render_opts o = {.per_cpu = per_cpu};
		struct report *r = make_base();
		struct report_prog *p = add_prog(r, 1, "prog", "prog", 10);

		add_event(&p->all, "cycles", 5);
		set_status(add_event(report_prog__add_cpu(p, 0), "cycles", 0), EVENT_NOT_SUPPORTED,
			   "not on CPU 0");
		assert_string_equal(notes_of(r, &o),
				    per_cpu ? "\nevent cycles: not supported: not on CPU 0\n" : "");
	}
}

/*
 * If --sample auto added more than its share of the measured time and one adjustment interval, a
 * note says so.
 */
static void test_overhead(void **state)
{
	static const struct {
		double added;
		bool noted;
	} cases[] = {{0.25, false}, {0.5, false}, {0.5625, true}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_base();

		r->thin_period = 0;
		r->elapsed_ns = THINNING_ADJUST_MS * 1000000;
		report__add_budget(r)->share = 0.25;
		r->budget->added = cases[i].added;
		assert_int_equal(!!strstr(notes_of(r, &(struct render_opts){}), "overhead:"),
				 cases[i].noted);
	}
}

/* Runs that no probe saw are counted by the kernel, or the note says that their number is not known. */
static void test_unprobed(void **state)
{
	static const struct {
		__u64 unprobed;
		bool at_least;
		const char *text;
	} cases[] = {
		{0, false, NULL},
		{0, true, "there were more than these"},
		{2000, false, "probed 0.50% of 2,010 runs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r = make_base();
		struct report_row *row = &add_prog(r, 1, "prog", "prog", 10)->all;
		const char *notes;

		row->unprobed = cases[i].unprobed;
		row->runs += row->unprobed;
		row->at_least = cases[i].at_least;
		notes = notes_of(r, &(struct render_opts){});
		if (cases[i].text)
			assert_non_null(strstr(notes, cases[i].text));
		else
			assert_null(strstr(notes, "runs:"));
	}
}

/*
 * The note is printed if any event was counted in only some of the runs, be it the first or the
 * last one.
 */
static void test_partial(void **state)
{
	for (int partial = 0; partial < 3; partial++) {
		struct report *r = make_base();
		struct report_row *row = &add_prog(r, 1, "prog", "prog", 10)->all;

		for (int i = 0; i < 2; i++)
			add_event(row, i ? "cycles" : "branches", 5)->measured -= i == partial;
		assert_int_equal(!!strstr(notes_of(r, &(struct render_opts){}), "coverage:"),
				 partial < 2);
	}
}

/* A single skipped run is worth a note; none is not. */
static void test_recursion(void **state)
{
	for (int misses = 0; misses < 2; misses++) {
		struct report *r = make_base();

		add_prog(r, 1, "prog", "prog", 10)->recursion_misses = misses;
		assert_int_equal(!!strstr(notes_of(r, &(struct render_opts){}), "(recursion)"),
				 misses);
	}
}

/* ---- scopes ---- */

static struct report_row *add_scope_row(struct report *r, const char *kind, const char *name)
{
	struct report_scope *s = report__add_scope(r);

	assert_non_null(s);
	s->kind = kind;
	s->name = strdup(name);
	s->all.runs = s->all.measured = 1;
	return &s->all;
}

static void add_share(struct report_row *row, const char *name, double enabled, double running)
{
	struct report_event *ev = add_event(row, name, 1000);

	ev->enabled_ns = enabled;
	ev->running_ns = running;
}

static void test_coverage(void **state)
{
	const struct render_opts o = {};
	struct report *r = make_base();
	struct report_row *row = add_scope_row(r, "cgroup", "/a");

	add_share(row, "cycles", 1000, 500);
	add_share(row, "branches", 1000, 1000);
	add_share(row, "time", 0, 0);
	add_share(row, "misses", 1, 0);
	add_share(row, "refs", 1000, 250);
	add_share(row, "idle", 1000, 0);
	row = add_scope_row(r, "cgroup", "/b");
	add_share(row, "cycles", 1000, 500);
	add_share(row, "branches", 1000, 0);
	add_share(row, "refs", 1000, 1000);
	add_share(row, "idle", 0, 0);
	set_status(add_event(row, "misses", 0), EVENT_NOT_SUPPORTED, "no");
	report_notes__add(&r->scope[0].notes, "has gone");
	assert_string_equal(
		notes_of(r, &o),
		"\nnote: cycles: counted 50.0% of the time and scaled (more events than counters)\n"
		"note: branches: never on a counter in some rows (more events than counters)\n"
		"note: misses: never on a counter (more events than counters)\n"
		"note: refs: counted 25.0% of the time at least, and scaled (more events than "
		"counters)\n"
		"note: idle: never on a counter (more events than counters)\n"
		"note: cgroup /a: has gone\n"
		"event misses: not supported: no\n");
}

/* Programs that are skipped for the same reason share a line; with -v, each has its own. */
static void test_skipped(void **state)
{
	const struct render_opts o = {}, verbose = {.verbose = 1};
	struct report *r;

	for (int v = 0; v < 2; v++) {
		r = make_base();
		report__skip(r, 0, "/a", "bad_pin", "is no pin");
		for (int i = 1; i <= 4; i++) {
			report__skip(r, i, "a", "no_btf", "has no BTF");
			report__skip(r, i, "a", "system", "reading it: EIO");
		}
		r->skip[r->skip_cnt - 1].more = 5;
		report__skip(r, 0, "/b", "bad_pin", "is no pin");
		report__skip(r, 9, "", "no_such_prog", "no program has this id");
		if (v)
			break;
		assert_string_equal(notes_of(r, &o),
				    "\nnot measured: /a, /b: is no pin\n"
				    "not measured: 1 a, 2 a, 3 a and 1 more: has no BTF\n"
				    "not measured: 1 a, 2 a, 3 a and 6 more: reading it: EIO\n"
				    "not measured: 9: no program has this id\n");
	}
	assert_string_equal(notes_of(r, &verbose), "\nnot measured: /a: is no pin\n"
						   "not measured: 1 a: has no BTF\n"
						   "not measured: 1 a: reading it: EIO\n"
						   "not measured: 2 a: has no BTF\n"
						   "not measured: 2 a: reading it: EIO\n"
						   "not measured: 3 a: has no BTF\n"
						   "not measured: 3 a: reading it: EIO\n"
						   "not measured: 4 a: has no BTF\n"
						   "not measured: 4 a and 5 more: reading it: EIO\n"
						   "not measured: /b: is no pin\n"
						   "not measured: 9: no program has this id\n");
}

/* The programs that a skip does not list are not in the total of --per either. */
static void test_not_in_total(void **state)
{
	const struct render_opts o = {};
	struct report *r = make_path(0);

	r->skip[0].more = 7;
	assert_non_null(
		strstr(notes_of(r, &o), "\nnot in TOTAL: 62 foo and 7 more: is not measured\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_in_total), cmocka_unit_test(test_unsorted),
		cmocka_unit_test(test_versions),     cmocka_unit_test(test_untested_kernel),
		cmocka_unit_test(test_same_note),    cmocka_unit_test(test_status),
		cmocka_unit_test(test_coverage),     cmocka_unit_test(test_version_parts),
		cmocka_unit_test(test_partial),	     cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_cpu_status),   cmocka_unit_test(test_overhead),
		cmocka_unit_test(test_unprobed),     cmocka_unit_test(test_blinded),
		cmocka_unit_test(test_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
