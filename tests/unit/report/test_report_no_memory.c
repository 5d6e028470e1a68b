// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reading and merging reports with each allocation failing in turn: the result is the same as
 * with enough memory, or the error is -ENOMEM.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>

#include "base/util.h"
#include "report/report.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/report_models.h"
#include "tests/unit/scratch_file.h"

static struct report *(*const models[])(int n) = {
	make_two_programs,	 make_per_cpu,	 make_hist,    make_bench, make_multiplexed,
	make_thinned_auto,	 make_turns,	 make_samples, make_notes, make_tree,
	make_followed_intervals, make_by_retval, make_system,  make_empty, make_interval,
};

struct stored {
	struct scratch_file file; /* reports as JSON, one after the other */
	int prog_cnt, event_cnt;
};

static void assert_excused(int err, const char *why)
{
	if (err != -ENOMEM || failing_allocation < 0)
		fail_msg("allocation %ld: error %d: %s", failing_allocation, err, why);
}

static int count_events(const struct report *r)
{
	int cnt = 0;

	for (int i = 0; i < r->prog_cnt; i++)
		cnt += r->prog[i].all.event_cnt;
	return cnt;
}

static void read_all(void *arg)
{
	struct stored *s = arg;
	struct report_error rerr = {};
	struct report *r = NULL;
	int err;

	rewind(s->file.out);
	err = report__read_all(s->file.out, &r, &rerr);
	if (err) {
		/* jansson cuts off a string for which it has no memory, and does not say so. */
		if (err != -EINVAL || failing_allocation < 0)
			assert_excused(err, rerr.text);
		assert_null(r);
		return;
	}
	s->prog_cnt = s->prog_cnt < 0 ? r->prog_cnt : s->prog_cnt;
	s->event_cnt = s->event_cnt < 0 ? count_events(r) : s->event_cnt;
	assert_int_equal(r->prog_cnt, s->prog_cnt);
	assert_int_equal(count_events(r), s->event_cnt);
	report__free(r);
}

/* Two reports of one measurement, as "-r" and "-I" write them. */
static void store(struct stored *s, struct report *(*make)(int n), bool interval)
{
	const struct render_opts o = {.interval = interval, .per_cpu = true};

	scratch_file__empty(&s->file);
	for (int i = 0; i < 2; i++) {
		struct report *r = make(i);

		assert_int_equal(report__render(r, report__render_json, &o, s->file.out), 0);
		report__free(r);
	}
	fflush(s->file.out);
	s->prog_cnt = s->event_cnt = -1;
}

static void test_reading(void **state)
{
	static struct stored s;

	scratch_file__open(&s.file);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		store(&s, models[i],
		      models[i] == make_interval || models[i] == make_followed_intervals);
		assert_true(fail_each_allocation(read_all, &s) > 50);
	}
	fclose(s.file.out);
}

/* ---- reports in memory ---- */

/* Makes a report whose own allocations do not fail, and do not count. */
static struct report *make_whole(struct report *(*make)(int n))
{
	struct paused_failures p = pause_failures();
	struct report *r = make(0);

	resume_failures(p);
	return r;
}

static void repeat(void *arg)
{
	struct report *const *each = arg, *merged = make_whole(make_two_programs);
	int err = report__set_repeats(merged, each, 2);

	if (err)
		assert_excused(err, "repeats");
	for (int i = 0; !err && i < merged->prog_cnt; i++)
		for (int e = 0; e < merged->prog[i].all.event_cnt; e++)
			assert_int_equal(merged->prog[i].all.event[e].block_cnt, 2);
	report__free(merged);
}

static void compare_versions(void *arg)
{
	struct report *r = make_whole(make_followed);
	int err = report__compare_versions(r, r, NULL);

	if (err)
		assert_excused(err, "versions");
	report__free(r);
}

static void join(void *arg)
{
	struct report *a = make_whole(make_two_programs), *b = make_whole(make_notes);
	int skips = a->skip_cnt + b->skip_cnt, err = report__set_entry(b, "entry");

	if (!err)
		err = report__take(a, b);
	else
		report__free(b);
	if (err)
		assert_excused(err, "suite");
	else
		assert_int_equal(a->skip_cnt, skips);
	report__free(a);
}

static void test_merging(void **state)
{
	struct report *each[] = {make_two_programs(0), make_two_programs(1)};

	assert_true(fail_each_allocation(join, NULL) > 2);
	assert_true(fail_each_allocation(repeat, each) > 5);
	assert_int_equal(fail_each_allocation(compare_versions, NULL), 2);
	report__free(each[0]);
	report__free(each[1]);
}

/* ---- writing ---- */

struct written {
	struct scratch_file file;
	report_render_fn *render;
	struct report *r;
	char *whole;
};

static void write_report(void *arg)
{
	struct written *w = arg;

	scratch_file__empty(&w->file);
	scratch_file__check(&w->file,
			    report__render(w->r, w->render,
					   &(struct render_opts){.header = true, .last = true},
					   w->file.out),
			    true, false, &w->whole);
}

/* A small report with all parts of names, so that each single allocation can fail. */
static void test_writing(void **state)
{
	static report_render_fn *const renders[] = {
		report__render_text, report__render_json,     report__render_csv,
		report__render_tsv,  report__render_benchfmt, report__render_trace_event,
	};
	static struct written w;
	struct report_sampling *s;
	struct report_prog *p;

	w.r = make_base();
	p = add_part(w.r, 42, "xdp_lb", 1, 10, 5);
	p->func[0] = 'y';
	p->input = strdup("a b");
	s = report__add_sampling(w.r);
	assert_non_null(s);
	s->event = strdup("cycles");
	scratch_file__open(&w.file);
	for (size_t i = 0; i < ARRAY_SIZE(renders); i++) {
		w.render = renders[i];
		assert_true(fail_each_allocation(write_report, &w) > 3);
		free(w.whole);
		w.whole = NULL;
	}
	fclose(w.file.out);
	report__free(w.r);
}

/* ---- the model ---- */

static void set_strings(void *arg)
{
	struct report *r = report__new();
	struct report_event ev = {};
	int err = r ? report__skip(r, 1, "name", "reason", "detail") : -ENOMEM;

	err = err ?: report_event__set_names(&ev, "cycles:u", "cycles", "ns");
	if (err)
		assert_excused(err, "strings");
	else
		assert_true(r->skip[0].name && r->skip[0].detail && ev.name && ev.base && ev.unit);
	report__free(r);
	free(ev.name);
	free(ev.base);
	free(ev.unit);
}

static void test_strings(void **state)
{
	assert_true(fail_each_allocation(set_strings, NULL) > 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_writing),
		cmocka_unit_test(test_strings),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "this test needs the locale C.UTF-8\n");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
