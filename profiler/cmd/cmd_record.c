// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof record: samples where the targets spend their time, and writes the samples to a file. Owns
 * the options that only this command has; must not know how anything is sampled or shown.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "run/command.h"
#include "run/measure.h"
#include "run/recording.h"

#define OPT(member) offsetof(struct record_opts, member)

static const struct option_row file_rows[] = {
	OPTION("output", 'o', OPTION_STRING, .member = OPT(measure.output.file), .arg = "FILE",
	       .help = "write the recording to FILE (-: standard output; default: " RECORD_FILE
		       "). --format pprof: the default is standard output; with COMMAND, give -o",
	       .arg_kind = ARG_FILE),
	{},
};

const struct command_spec record_spec = {
	.name = "record",
	.brief = "sample where programs spend their time, into a file",
	.synopsis = "TARGETS [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Samples where the targets spend their time, until COMMAND ends, until "
		   "--timeout, or until Ctrl-C. 'bprof annotate -i FILE' shows the recording, on "
		   "any machine. The file is " RECORD_FILE ", unless -o names another; an older "
		   "recording is kept as FILE.old.",
	.operand = ARG_PROGRAM,
	.tables = {{"Targets", selector_rows, OPT(targets)},
		   {"Targets", sample_func_rows, OPT(targets)},
		   {"Samples", sample_rows},
		   {"CPUs and time", span_rows, OPT(measure)},
		   {"Privileges", command_rows, OPT(measure.loop)},
		   {"Privileges", privilege_rows, OPT(measure.loop)},
		   {"Output", file_rows},
		   {"Output", output_rows, OPT(measure.output)}},
	.documents = DOC_RECORDING,
	.examples = "bprof record --prog-id 42 --timeout 10000\n"
		    "bprof record --prog-id 42 --format pprof -o lb.pb.gz --timeout 10s\n"
		    "bprof record --name 'xdp_*' -e cpu-clock -F 9999 -o lb.json -- ./traffic",
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing could be sampled, 7 not "
		       "allowed, 8 no such program. If COMMAND "
		       "fails, bprof exits with its status.",
};

/* Writes the recording to a file that only its owner may read: JITed code has kernel addresses. */
static int write_record(const struct record *r, const struct output_opts *o)
{
	char hint[PATH_MAX + 64] = "";
	struct output out;
	int err = output_opts__open(o, OUTPUT_PRIVATE | OUTPUT_KEEP_OLD, &out);

	if (err)
		return err;
	err = output__commit(&out, output_opts__format(o)->recording(r, out.file));
	if (!output__is_standard(o->file))
		snprintf(hint, sizeof(hint), "; '%s %s' shows them",
			 output_opts__is_json(o) ? "bprof annotate -i" : "go tool pprof -top",
			 o->file);
	if (!err)
		log_note("%s: %llu samples, %llu of them in the targets%s%s", out.name,
			 r->samples.taken, r->samples.in_targets,
			 r->samples.lost ? ", some lost" : "", hint);
	return output__close(&out, err);
}

int cmd_record(int argc, char **argv)
{
	struct record_opts o = {};
	struct record *r = NULL;
	int err, status, command_status = 0;

	err = options__parse(&record_spec, &o, argc, argv, &o.measure.loop.command)
		      ?: output_opts__apply(&o.measure.output, o.measure.loop.command);
	if (measure_opts__ends(&o.measure, err, &status))
		goto out;
	/*
	 * Set the defaults only after --list-events, which must write neither JSON nor to
	 * RECORD_FILE.
	 */
	o.measure.output.format = o.measure.output.format ?: &formats[FORMAT_JSON];
	if (output_opts__is_json(&o.measure.output))
		o.measure.output.file = o.measure.output.file ?: RECORD_FILE;
	err = record_opts__check(&o);
	status = exit_status__of_options(err);
	if (err)
		goto out;
	err = record__make(&o, argv, &r, &command_status);
	if (!err)
		err = write_record(r, &o.measure.output);
	record__free(r);
	status = measure__exit_status(err, command_status);
out:
	record_opts__free(&o);
	return status;
}
