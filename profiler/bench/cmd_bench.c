// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof bench: measures what programs cost when they run on given packets. Owns the output of the
 * results. If there are two versions, compares them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/bench_args.h"
#include "bench/bench_run.h"
#include "bench/bench_suite.h"
#include "run/command.h"
#include "run/compare_output.h"

/* ---- output ---- */

/* Writes a report. version: "old" or "new" if the file gets both reports, else NULL. */
static int render(const struct report *report, const struct output_opts *o, const char *version,
		  const struct output *out)
{
	const struct render_opts opts = {.sep = o->sep,
					 .version = version,
					 .dist = true,
					 .verbose = o->verbose,
					 .screen = screen__of(out->file),
					 .names = o->header,
					 .continues = out->continues,
					 .one_line = o->append,
					 .header = true};

	return report__render(report, output_opts__format(o)->report, &opts, out->file);
}

static int write_report(const struct report *report, const struct output_opts *o)
{
	struct output out;
	int err = output_opts__open(o, OUTPUT_PAGER, &out);

	if (err)
		return err;
	err = output__commit(&out, render(report, o, NULL, &out));
	return output__close(&out, err);
}

/* The results of one bench, or of all entries of a suite. */
struct results {
	const struct bench_args *a;
	struct report *report[BENCH_SIDE_CNT]; /* the base is NULL if there is no comparison */
	char *name[BENCH_SIDE_CNT];	       /* names of the versions */
	const struct compare_part *part;
	int part_cnt; /* 0: there is no comparison */
};

static int write_versions(const struct results *r, const struct output_opts *o)
{
	struct output out;
	int err = output_opts__open(o, OUTPUT_PAGER, &out);

	if (err)
		return err;
	err = render(r->report[BENCH_BASE], o, "old", &out);
	err = output__commit(&out, err ?: render(r->report[BENCH_NEW], o, "new", &out));
	return output__close(&out, err);
}

static int write_results(const struct results *r, int *status)
{
	const struct output_opts *o = &r->a->measure.output;
	const struct compare_output_opts compare = {
		.flags = &r->a->compare,
		.base_name = r->name[BENCH_BASE],
		.new_name = r->name[BENCH_NEW],
		.output = o,
	};
	int err = 0;

	for (int side = 0; !err && side < BENCH_SIDE_CNT; side++) {
		const struct output_opts saved = {.format = &formats[FORMAT_JSON],
						  .file = r->a->save[side]};

		if (saved.file && r->report[side])
			err = write_report(r->report[side], &saved);
	}
	if (err)
		return err;
	if (!r->part_cnt)
		return write_report(r->report[BENCH_NEW], o);
	if (output_opts__format(o)->versions && r->report[BENCH_BASE] && r->report[BENCH_NEW])
		return write_versions(r, o);
	return compare_output__write_parts(r->part, r->part_cnt, &compare, status);
}

/* ---- one bench ---- */

/* Returns a version's name for the output. The caller frees it. */
static char *side_name(const struct bench_run *r, enum bench_side side)
{
	const struct selector_list *l = &r->plan->loaded[side];

	if (r->plan->object_cnt)
		return xstrdup(r->plan->object[side] ?: "");
	return text__format("%s%s", l->v[0].kind == SELECT_ID ? "program " : "", l->v[0].arg);
}

static int write_run(struct bench_run *r, int *status)
{
	const struct compare_part part = {.base = r->report[BENCH_BASE],
					  .new = r->report[BENCH_NEW],
					  .opts = compare_flags__opts(&r->a->compare)};
	struct results results = {.a = r->a, .report = {r->report[0], r->report[1]}};
	int err;

	if (!bench_plan__compares(r->plan))
		return write_results(&results, status);
	results.part = &part;
	results.part_cnt = 1;
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		results.name[side] = side_name(r, side);
	err = write_results(&results, status);
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		free(results.name[side]);
	return err;
}

static int run_bench(struct bench_args *a, char **argv)
{
	struct bench_run r;
	int status = EXIT_DONE, err = bench_run__measure(&r, a, argv);

	if (err)
		status = err == -ENODATA && r.failed ? EXIT_FAILED : exit_status__of_error(err);
	else if (write_run(&r, &status))
		status = EXIT_FAILED; /* for example: the versions have no program in common */
	else if (r.failed && status != EXIT_REGRESSION)
		status = EXIT_FAILED;
	else if (r.nothing)
		status = EXIT_NOTHING;
	bench_run__free(&r);
	return status;
}

/* ---- a suite ---- */

/* A part of a suite's reports: the rows of one entry. The suite's reports own these rows. */
struct entry_view {
	struct report report[BENCH_SIDE_CNT];
	int first[BENCH_SIDE_CNT]; /* index of the entry's first row in the suite's report */
};

/* Moves the rows of the entry to the suite's reports. */
static void take_entry(struct results *r, struct bench_entry *e, struct entry_view *view)
{
	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		struct report *from = e->report[side], **to = &r->report[side];

		e->report[side] = NULL;
		view->first[side] = *to ? (*to)->prog_cnt : 0;
		if (!from)
			continue;
		view->report[side].prog_cnt = from->prog_cnt;
		if (*to)
			report__take(*to, from);
		else
			*to = from;
	}
}

/* Describes an entry as a part of the comparison. */
static struct compare_part make_part(const struct results *r, const struct bench_entry *e,
				     struct entry_view *view)
{
	struct report *sides[BENCH_SIDE_CNT] = {};

	for (int side = 0; side < BENCH_SIDE_CNT; side++) {
		int cnt = view->report[side].prog_cnt;

		if (e->why || !r->report[side] ||
		    (side == BENCH_BASE && !bench_plan__compares(&e->a.plan)))
			continue;
		view->report[side] = *r->report[side];
		view->report[side].prog += view->first[side];
		view->report[side].prog_cnt = cnt;
		sides[side] = &view->report[side];
	}
	return (struct compare_part){.base = sides[BENCH_BASE],
				     .new = sides[BENCH_NEW],
				     .opts = compare_flags__opts(&e->a.compare),
				     .name = e->name,
				     .why = e->why};
}

static int write_suite(const struct bench_args *a, struct bench_suite *s, int *status)
{
	struct entry_view *views = xcalloc(s->cnt, sizeof(*views));
	struct compare_part *parts = xcalloc(s->cnt, sizeof(*parts));
	struct results r = {.a = a, .part = parts};
	int err = 0;

	for (int i = 0; i < s->cnt; i++)
		take_entry(&r, &s->v[i], &views[i]);
	for (int i = 0; i < s->cnt; i++)
		for (int side = 0; side < BENCH_SIDE_CNT; side++)
			if (s->v[i].why && r.report[side])
				report__skip(r.report[side], 0, s->v[i].name, "entry", s->v[i].why);
	for (int i = 0; i < s->cnt; i++)
		parts[i] = make_part(&r, &s->v[i], &views[i]);
	r.part_cnt = bench_suite__compares(s) ? s->cnt : 0;
	r.name[BENCH_BASE] = r.name[BENCH_NEW] = (char *)s->file;
	if (r.part_cnt || r.report[BENCH_NEW])
		err = write_results(&r, status);
	for (int side = 0; side < BENCH_SIDE_CNT; side++)
		report__free(r.report[side]);
	free(parts);
	free(views);
	return err;
}

static int run_suite(struct bench_args *a, int argc, char **argv)
{
	struct bench_suite s;
	int err = bench_suite__load(&s, a, argc, argv, a->suite.list ? stdout : NULL);
	int status = EXIT_DONE;

	if (!err && !a->suite.list)
		err = bench_args__check_output(a, bench_suite__compares(&s));
	if (err) {
		status = err == -ENODATA ? EXIT_NOTHING : exit_status__of_options(err);
	} else if (!a->suite.list) {
		bench_suite__run(&s, argv);
		if (write_suite(a, &s, &status))
			status = EXIT_FAILED;
		else if (s.failed && status != EXIT_REGRESSION)
			status = s.has_failure || s.has_report ? EXIT_FAILED : EXIT_NOTHING;
	}
	bench_suite__free(&s);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_args a;
	int status, err = bench_args__parse(&a, argc, argv);

	if (err)
		status = exit_status__of_options(err);
	else if (a.measure.list_events)
		status = measure_opts__list_events(&a.measure,
						   a.plan.object_cnt ? a.plan.object : NULL);
	else if (a.suite.file)
		status = run_suite(&a, argc, argv);
	else
		status = run_bench(&a, argv);
	bench_args__free(&a);
	return status;
}
