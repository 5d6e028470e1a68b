// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof bench: measures what programs cost when they run on given packets. Owns the output of the
 * results; compares if there are two versions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "cmd/bench_args.h"
#include "cmd/bench_run.h"
#include "cmd/command.h"
#include "cmd/common/compare_output.h"
#include "lib/bprof_model.h"

/* ---- output ---- */

/* Writes a report. version: "old" or "new" if the file gets both reports, else NULL. */
static int render(const struct report *report, const struct output_opts *o, const char *version,
		  const struct output *out)
{
	const struct render_opts opts = {.sep = o->sep,
					 .version = version,
					 .dist = true,
					 .verbose = o->verbose,
					 .screen = output__screen(out->file),
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

static int write_versions(const struct bench_run *r, const struct output_opts *o)
{
	struct output out;
	int err = output_opts__open(o, OUTPUT_PAGER, &out);

	if (err)
		return err;
	err = render(r->report[BENCH_BASE], o, "old", &out);
	err = output__commit(&out, err ?: render(r->report[BENCH_NEW], o, "new", &out));
	return output__close(&out, err);
}

static int save_reports(const struct bench_run *r)
{
	int err = 0;

	for (int side = 0; !err && side < BENCH_SIDE_CNT; side++) {
		const struct output_opts o = {.format = &formats[FORMAT_JSON],
					      .file = r->a->save[side]};

		if (o.file)
			err = write_report(r->report[side], &o);
	}
	return err;
}

/* Returns a version's name for the output. The caller frees it. NULL: out of memory. */
static char *side_name(const struct bench_run *r, enum bench_side side)
{
	const struct selector_list *l = &r->plan->loaded[side];
	char *name = NULL;

	if (r->plan->object_cnt)
		return strdup(r->plan->object[side]);
	return asprintf(&name, "%s%s", l->v[0].kind == SELECT_ID ? "program " : "", l->v[0].arg) < 0
		       ? NULL
		       : name;
}

static int write_comparison(const struct bench_run *r, int *status)
{
	const struct bench_args *a = r->a;
	char *base = side_name(r, BENCH_BASE), *new = side_name(r, BENCH_NEW);
	const struct compare_output_opts o = {
		.flags = &a->compare,
		.base_name = base,
		.new_name = new,
		.output = &a->measure.output,
	};
	int err = base && new ? compare_output__write(bprof_report__of(r->report[BENCH_BASE]),
						      bprof_report__of(r->report[BENCH_NEW]), &o,
						      status)
			      : log_err(-ENOMEM, "out of memory");

	free(base);
	free(new);
	return err;
}

static int write_results(const struct bench_run *r, int *status)
{
	const struct output_opts *o = &r->a->measure.output;
	int err = save_reports(r);

	if (err)
		return err;
	if (!bench_plan__compares(r->plan))
		return write_report(r->report[BENCH_NEW], o);
	return output_opts__format(o)->versions ? write_versions(r, o)
						: write_comparison(r, status);
}

static int run_bench(struct bench_args *a, char **argv)
{
	struct bench_run r;
	int status = EXIT_DONE, err = bench_run__measure(&r, a, argv);

	if (err)
		status = err == -ENODATA && !r.failed ? EXIT_NOTHING : EXIT_FAILED;
	else if (write_results(&r, &status))
		status = EXIT_FAILED; /* for example: the versions have no program in common */
	else if (r.failed && status != EXIT_REGRESSION)
		status = EXIT_FAILED;
	bench_run__free(&r);
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
	else
		status = run_bench(&a, argv);
	bench_args__free(&a);
	return status;
}
