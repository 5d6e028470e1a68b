// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof annotate: shows where programs spend their time, by source line and instruction. The
 * samples come from a recording, or are taken now. Owns the options that only this command has;
 * must not know how anything is sampled.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "base/util.h"
#include "run/command.h"
#include "run/measure.h"
#include "run/recording.h"
#include "sampling/annotate.h"

#define DEFAULT_LIMIT 0.5

struct annotate_args {
	struct record_opts record;
	struct annotate_opts show;
	const char *input;
};

static int set_sort(void *options, const struct option_row *row, const char *arg)
{
	struct annotate_args *o = options;

	o->show.hot = !strcmp(arg, "hot");
	if (o->show.hot || !strcmp(arg, "source"))
		return 0;
	return log_err(-EINVAL, "--sort %s: give source or hot", arg);
}

static int set_percent_limit(void *options, const struct option_row *row, const char *arg)
{
	struct annotate_args *o = options;
	char *end;

	o->show.percent_limit = strtod(arg, &end);
	if (end > arg && !*end && o->show.percent_limit >= 0 && o->show.percent_limit <= 100)
		return 0;
	return log_err(-EINVAL, "--percent-limit %s: give a number from 0 to 100", arg);
}

#define OPT(member) offsetof(struct annotate_args, member)

static const struct option_row input_rows[] = {
	OPTION("input", 'i', OPTION_STRING, .member = OPT(input), .arg = "FILE",
	       .help = "show a recording of 'bprof record' instead of sampling now; this needs "
		       "neither root nor BPF (-: standard input; default without "
		       "TARGETS: " RECORD_FILE ")",
	       .arg_kind = ARG_FILE),
	{},
};

static const struct option_row show_rows[] = {
	OPTION("sort", 0, OPTION_CALL, .arg = "source|hot", .add = set_sort,
	       .help = "order of the lines of a function: as in the source (default), or hottest "
		       "first",
	       .arg_kind = ARG_CHOICE),
	OPTION("percent-limit", 0, OPTION_CALL, .arg = "PERCENT", .add = set_percent_limit,
	       .help = "combine lines that have less than PERCENT of their program's samples "
		       "(default: 0.5)"),
	OPTION("lines", 0, OPTION_FLAG, .member = OPT(show.lines_only),
	       .help = "show source lines only, without their instructions"),
	{},
};

const struct command_spec annotate_spec = {
	.name = "annotate",
	.brief = "show where programs spend their time by line and instruction",
	.synopsis = "[TARGETS | -i FILE] [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Shows where programs spend their time: their functions, source lines, and BPF "
		   "and JITed instructions with their share of the samples. Given TARGETS, "
		   "samples until COMMAND ends, until --timeout, or until Ctrl-C; otherwise reads "
		   "a recording (-i, or " RECORD_FILE ").",
	.operand = ARG_PROGRAM,
	.tables = {{"Targets", selector_rows, OPT(record.targets)},
		   {"Targets", sample_func_rows, OPT(record.targets)},
		   {"Samples", sample_rows, OPT(record)},
		   {"CPUs and time", span_rows, OPT(record.measure)},
		   {"Recording", input_rows},
		   {"Privileges", command_rows, OPT(record.measure.loop)},
		   {"Privileges", privilege_rows, OPT(record.measure.loop)},
		   {"Output", show_rows},
		   {"Output", output_rows, OPT(record.measure.output)}},
	.documents = DOC_ANNOTATION,
	.examples = "bprof annotate --prog-id 42 --timeout 10000\n"
		    "bprof annotate --func parse_packet --sort hot\n"
		    "bprof annotate --folded | flamegraph.pl > lb.svg",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing could be sampled, 7 not "
		       "allowed, 8 no such program. If COMMAND "
		       "fails, bprof exits with its status.",
};

/* Returns true if the user gave an option on what to sample or how. */
static bool wants_samples(const struct record_opts *r)
{
	return r->targets.selectors.cnt || r->measure.events.cnt || r->freq || r->period ||
	       r->measure.cpus.cnt || r->measure.loop.command || r->measure.loop.timeout_ns ||
	       r->measure.loop.delay_ns;
}

static int check_annotate_options(const struct annotate_args *o)
{
	const struct record_opts *r = &o->record;
	const struct option_check checks[] = {
		{!o->input && !r->targets.selectors.cnt,
		 "annotate: give a recording (-i FILE), or targets to sample (--prog-id, --name, "
		 "...)"},
		{o->input && wants_samples(r),
		 "-i: a recording has its targets and samples already; of the options that "
		 "choose them, only --func can be given"},
	};

	return options__check(checks, ARRAY_SIZE(checks)) ?: o->input ? 0 : record_opts__check(r);
}

static int read_record(const char *path, struct record **out)
{
	struct report_error rerr = {};
	bool is_stdin = !strcmp(path, "-");
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	int err;

	if (!in)
		return log_err(-errno, "%s: %s%s", path, strerror(errno),
			       errno == ENOENT ? "; 'bprof record' writes a recording, or give "
						 "targets to sample"
					       : "");
	err = record__read(in, out, &rerr);
	if (!is_stdin)
		fclose(in);
	err = report_error__report(err, path, "'bprof record -o FILE' writes a recording", &rerr);
	return err == -ENODATA ? -EINVAL : err;
}

static int write_annotation(struct annotate_args *o, const struct annotation *a)
{
	const struct output_opts *opts = &o->record.measure.output;
	struct output out;
	int err = output_opts__open(opts, OUTPUT_PAGER, &out);

	if (err)
		return err;
	o->show.screen = screen__of(out.file);
	o->show.one_line = opts->append;
	err = annotation__render(a, output_opts__format(opts)->annotation, &o->show, out.file);
	return output__close(&out, output__commit(&out, err));
}

static int show_annotation(struct annotate_args *o, const struct record *r)
{
	annotation_render_fn *render = output_opts__format(&o->record.measure.output)->annotation;
	/* These formats show for each program why it has no samples. */
	bool says_why = render == annotation__print_text || render == annotation__print_html ||
			render == annotation__print_json;
	struct annotation *a = annotate(r, &o->show);
	int err = 0, func_cnt = 0;

	for (int i = 0; i < a->prog_cnt; i++)
		func_cnt += a->prog[i].func_cnt;
	if (!func_cnt && o->show.func) /* it is probably misspelled */
		err = log_err(-ENODATA, "--func %s: no function in the recording has such a name",
			      o->show.func);
	err = err ?: write_annotation(o, a);
	if (!err && !annotated__all(&a->sum) && !says_why)
		log_warn("none of the samples is in the targets: they did not run, or too rarely; "
			 "record for a longer time, or with a higher -F");
	annotation__free(a);
	return err;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate_args o = {.show.percent_limit = DEFAULT_LIMIT};
	struct measure_opts *m = &o.record.measure;
	int err, status, command_status = 0;
	struct record *r = NULL;

	err = options__parse(&annotate_spec, &o, argc, argv, &m->loop.command)
		      ?: output_opts__apply(&m->output, m->loop.command);
	if (measure_opts__ends(m, err, &status))
		goto out;
	if (!wants_samples(&o.record))
		o.input = o.input ?: RECORD_FILE;
	err = check_annotate_options(&o);
	if (err)
		goto out;
	o.show.func = o.record.targets.func;
	o.show.depth = o.record.depth;
	err = o.input ? read_record(o.input, &r)
		      : record__make(&o.record, argv, &r, &command_status);
	if (!err)
		err = show_annotation(&o, r);
	record__free(r);
	status = measure__exit_status(err, command_status);
out:
	record_opts__free(&o.record);
	return status;
}
