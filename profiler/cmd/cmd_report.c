// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof report: shows a saved report, comparison or recording in any format. Owns the display of a
 * series of reports. Must not know the fields of a document, or what a format looks like.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/util.h"
#include "btf/reason.h"
#include "formats/saved.h"
#include "render/render.h"
#include "report/report_per.h"
#include "report/report_sum.h"
#include "run/command.h"
#include "run/measure_opts.h"
#include "run/order_opts.h"
#include "run/output_opts.h"

#define HINT "'bprof stat -j -o FILE' writes a report"
#define DEFAULT_LIMIT 0.5 /* as in bprof annotate */

struct report_opts {
	struct output_opts output;
	struct order_opts order;
	bool dist, merge;
	enum sum_key sum;
	const char *per;  /* program of --per, or NULL */
	const char *file; /* "-": standard input */
};

#define OPT(member) offsetof(struct report_opts, member)

static int set_report_sum(void *options, const struct option_row *row, const char *arg)
{
	return sum_opts__parse(arg, &((struct report_opts *)options)->sum);
}

static const struct option_row show_report_rows[] = {
	OPTION("dist", 0, OPTION_FLAG, .member = OPT(dist),
	       .help = "show the distribution of each event: percentiles, minimum"),
	OPTION("merge", 0, OPTION_FLAG, .member = OPT(merge),
	       .help = "combine the reports in FILE into one report, as 'bprof diff' does: each "
		       "of them becomes a block"),
	OPTION("sum", 0, OPTION_CALL, .arg = SUM_KEYS, .add = set_report_sum,
	       .help = "show one row for all programs that have the same name, tag or type, or, if "
		       "the report says so, device or owner; percentiles need buckets (stat "
		       "--hist)",
	       .arg_kind = ARG_CHOICE),
	OPTION("per", 0, OPTION_STRING, .member = OPT(per), .arg = "PROGRAM",
	       .help = "also show the cost of each program divided by the runs of PROGRAM (an "
		       "id or name), and the total"),
	{},
};

const struct command_spec report_spec = {
	.name = "report",
	.brief = "show a saved report, comparison or recording in any format",
	.synopsis = "FILE [OPTIONS]",
	.summary = "Reads a file that bprof wrote as JSON or HTML, and shows it as text or in "
		   "another format: reports of stat, system and bench, also series of them (-I, "
		   "--append), comparisons of diff and bench, recordings, and annotated code. "
		   "This needs neither root nor BPF. The name - stands for standard input.",
	.operand = ARG_FILE,
	.tables = {{"Reports", show_report_rows},
		   {"Reports", order_rows, OPT(order)},
		   {"Output", output_rows, OPT(output)}},
	.documents = DOC_PROGRAMS | DOC_SCOPES | DOC_COMPARISON | DOC_ANNOTATION | DOC_SERIES |
		     DOC_SCOPE_SERIES,
	.examples = "bprof report base.json\n"
		    "bprof report base.json --html -o base.html\n"
		    "bprof report intervals.json -x ';' --header",
	.notes = "A recording is shown as by 'bprof annotate -i FILE', which has more options "
		 "for it.",
	.exit_status = "0 done, also if the comparison found something worse; 1 failed, 2 wrong "
		       "usage, 8 no such program (--per).",
};

static int add_report_file(void *options, const char *arg)
{
	struct report_opts *o = options;

	if (o->file)
		return log_err(-EINVAL, "report: '%s': only one file can be shown", arg);
	o->file = arg;
	return 0;
}

/* ---- reading ---- */

/* Sums up the programs of all reports. Returns 0 or -EINVAL (reported). */
static int sum_up_reports(const struct report_opts *o, struct saved_list *l)
{
	for (int i = 0; o->sum && i < l->cnt; i++) {
		const char *why = l->v[i].report ? report__refuse_sum(l->v[i].report, o->sum)
						 : "the document is no report of programs";

		if (why)
			return log_err(-EINVAL, "%s: --sum %s: %s", o->file, sum_key__name(o->sum),
				       why);
		report__sum(l->v[i].report, o->sum);
	}
	return 0;
}

/* Converts the costs in all reports to costs per run of a program. Returns 0 or -errno (reported). */
static int set_pers(const struct report_opts *o, struct saved_list *l)
{
	struct reason why;

	for (int i = 0; o->per && i < l->cnt; i++) {
		struct report *r = l->v[i].report;
		int err = r ? report__check_per(r, o->per, &why)
			    : reason__fail(&why, EINVAL, "the document is no report of programs");

		if (err)
			return log_err(err, "%s: --per %s: %s", o->file, o->per, why.detail);
		report__set_per(r, o->per);
	}
	return 0;
}

static int read_saved(const struct report_opts *o, struct saved_list *l)
{
	bool is_stdin = !strcmp(o->file, "-");
	struct report_error rerr = {};
	FILE *in;
	int err;

	if (o->merge) {
		l->v = xcalloc(1, sizeof(*l->v));
		err = saved__read_report(o->file, HINT, &l->v->report);
		l->cnt = !err;
		return err;
	}
	in = is_stdin ? stdin : fopen(o->file, "re");
	if (!in)
		return log_err(-errno, "%s: %s", o->file, strerror(errno));
	err = saved_list__read(in, l, &rerr);
	if (!is_stdin)
		fclose(in);
	return report_error__report(err, o->file, HINT, &rerr);
}

/* ---- writing ---- */

static bool has_cpus(const struct report *r)
{
	int cnt = 0;

	for (int i = 0; i < r->prog_cnt; i++)
		cnt += r->prog[i].cpu_cnt;
	for (int i = 0; i < r->scope_cnt; i++)
		cnt += r->scope[i].cpu_cnt;
	return cnt;
}

/*
 * Returns true if report i does not continue the intervals before it: it is the first report, a
 * total, or from another session, whose first interval may be longer than all intervals before.
 */
static bool begins_series(const struct saved_list *l, int i)
{
	const struct report *r = l->v[i].report, *before = i ? l->v[i - 1].report : NULL;

	return !before || r->total || !r->interval_ns || !before->interval_ns ||
	       r->started.tv_sec != before->started.tv_sec || r->interval_ns <= before->interval_ns;
}

static bool is_interval(const struct saved *s)
{
	return s->report && (s->report->interval_ns || s->report->total);
}

/* Returns true if the documents are reports that belong together. */
static bool is_series(const struct saved_list *l)
{
	return l->v[0].report && (l->cnt > 1 || is_interval(&l->v[0]));
}

static int render_report(const struct report_opts *o, const struct saved_list *l, int i,
			 struct output *out)
{
	const struct report *r = l->v[i].report;
	const struct render_opts opts = {
		.sep = o->output.sep,
		.names = o->output.header,
		.continues = out->continues || i,
		.one_line = o->output.append || l->cnt > 1,
		.series = is_series(l),
		.interval = is_interval(&l->v[i]),
		.header = begins_series(l, i),
		/* the last interval: nothing follows it, except perhaps a total */
		.last = i == l->cnt - 1 || (i == l->cnt - 2 && l->v[i + 1].report->total),
		.per_cpu = has_cpus(r),
		.dist = o->dist || r->driven,
		.sort = o->order.sort,
		.top = o->order.top,
		.active = o->order.active,
		.verbose = o->output.verbose,
		.screen = screen__of(out->file),
	};

	return report__render(r, output_opts__format(&o->output)->report, &opts, out->file);
}

static int render_comparison(const struct report_opts *o, const struct compare_saved *s,
			     struct output *out)
{
	const struct compare_render_opts opts = {
		.base_name = s->base_name,
		.new_name = s->new_name,
		.version = s->version,
		.excuses = (s->inconclusive_ok ? EXCUSE_INCONCLUSIVE : 0) |
			   (s->one_sided_ok ? EXCUSE_ONE_SIDED : 0),
		.exit_status = s->exit_status,
		.one_line = o->output.append,
		.screen = screen__of(out->file),
		.verbose = o->output.verbose,
	};

	return comparison__render(s->c, output_opts__format(&o->output)->comparison, &opts,
				  out->file);
}

static int render_annotation(const struct report_opts *o, const struct saved *s, struct output *out)
{
	const struct annotate_opts show = {
		.percent_limit = DEFAULT_LIMIT,
		.one_line = o->output.append,
		.screen = screen__of(out->file),
	};
	const struct annotation *a = s->annotation;
	struct annotation *made = NULL;
	int err;

	if (!a)
		a = made = annotate(s->record, &show);
	err = annotation__render(a, output_opts__format(&o->output)->annotation, &show, out->file);
	annotation__free(made);
	return err;
}

static int check_series(const struct report_opts *o, const struct saved_list *l, enum document kind)
{
	const struct format *f = output_opts__format(&o->output);
	enum document series = kind == DOC_SCOPES ? DOC_SCOPE_SERIES : DOC_SERIES;
	int cnt = 0; /* number of series; a report without intervals is a series, too */
	int err = output_opts__check_format(&o->output, series,
					    "a series of reports without --merge");

	for (int i = 0; i < l->cnt; i++)
		cnt += begins_series(l, i) && !l->v[i].report->total;
	if (!err && f->timeline && cnt != 1)
		err = log_err(-EINVAL,
			      "%s: has the intervals of %d measurements; %s shows those of one",
			      o->file, cnt, f->name);
	return err;
}

/* Refuses documents that the format cannot render. Returns 0 or -EINVAL (reported). */
static int check_format(const struct report_opts *o, const struct saved_list *l)
{
	enum document kind = saved__kind(&l->v[0]);
	const struct format *f = output_opts__format(&o->output);
	const char *what = kind == DOC_COMPARISON   ? "a comparison"
			   : kind == DOC_ANNOTATION ? "a recording"
			   : kind == DOC_ANNOTATED  ? "annotated code"
			   : f->timeline	    ? "a single report"
			   : kind == DOC_SCOPES	    ? "the system"
						    : "a report on programs";
	int err = is_series(l) ? check_series(o, l, kind)
			       : output_opts__check_format(&o->output, kind, what);

	if (!err && (f->end || f->binary) && l->cnt > 1 && !l->v[0].report)
		err = log_err(-EINVAL, "%s: has %d documents like %s; %s can show only one",
			      o->file, l->cnt, what, f->name);
	return err;
}

static int write_all(const struct report_opts *o, const struct saved_list *l)
{
	const struct format *f = output_opts__format(&o->output);
	struct output out;
	int err = output_opts__open(&o->output, OUTPUT_PAGER, &out);

	if (err)
		return err;
	for (int i = 0; !err && i < l->cnt; i++) {
		const struct saved *s = &l->v[i];

		if (i && f == &formats[FORMAT_TEXT] && !is_interval(s))
			fputc('\n', out.file);
		err = s->comparison.c ? render_comparison(o, &s->comparison, &out)
		      : s->report     ? render_report(o, l, i, &out)
				      : render_annotation(o, s, &out);
	}
	if (!err && f->end && is_series(l))
		f->end(out.file);
	return output__close(&out, output__commit(&out, err));
}

int cmd_report(int argc, char **argv)
{
	struct report_opts o = {};
	struct saved_list l = {};
	int status, err = options__parse_mixed(&report_spec, &o, argc, argv, add_report_file)
				  ?: output_opts__apply(&o.output, NULL);

	if (!err && !o.file)
		err = log_err(-EINVAL, "report: give a file: bprof report FILE.json; " HINT);
	err = err ?: order_opts__check(&o.order, report_order__column);
	status = exit_status__of_options(err);
	if (err)
		return status;
	status = EXIT_FAILED;
	if (read_saved(&o, &l))
		goto out;
	err = sum_up_reports(&o, &l) ?: set_pers(&o, &l) ?: check_format(&o, &l);
	status = err ? exit_status__of_options(err) : write_all(&o, &l) ? EXIT_FAILED : EXIT_DONE;
out:
	saved_list__free(&l);
	return status;
}
