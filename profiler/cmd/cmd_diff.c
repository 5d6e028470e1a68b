// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof diff: compares two saved reports. Owns the options that only this command has, and opens
 * the files; must not know how anything is compared.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "cmd/command.h"
#include "cmd/common/compare_output.h"
#include "options/options.h"

struct diff_opts {
	struct output_opts output; /* must be the first member */
	struct compare_flags compare;
	const char *file[2]; /* paths of the base and the new report; "-": standard input */
	int file_cnt;
};

#define OPT(member) offsetof(struct diff_opts, member)

const struct command_spec diff_spec = {
	.name = "diff",
	.brief = "compare two saved reports: what has become slower or more expensive",
	.synopsis = "BASE.json NEW.json [OPTIONS]",
	.summary = "Compares two reports written with -j: what has become slower or more "
		   "expensive, by how much, and how certain that is. Each report needs at least 6 "
		   "blocks: the repeats of -r, or the intervals of -I. Reports that --append wrote "
		   "to one file are taken together: each is a block, or adds its blocks. The name "
		   "- stands for standard input.",
	.operand = ARG_FILE,
	.tables = {{"Comparison", compare_rows, OPT(compare)}, {"Output", output_rows}},
	.documents = DOC_COMPARISON,
	.examples = "bprof --name 'xdp_*' -r 10 --timeout 500 -j -o base.json\n"
		    "bprof diff base.json new.json --fail-on 'instructions:p50>2%' --markdown\n"
		    "bprof diff base.json new.json --fail-on 'lb/time:p99>10us' --match lb_v1=lb",
	.notes = "-v also shows the number of blocks, and p before its correction for the number "
		 "of comparisons.",
	.exit_status = "0 nothing is worse, 1 failed, 2 wrong usage, 3 something is worse, 5 "
		       "inconclusive, or a program is in one report only.",
};

static int add_file(void *options, const char *arg)
{
	struct diff_opts *o = options;

	if (o->file_cnt == 2)
		return log_err(-EINVAL, "diff: '%s': only two reports can be compared", arg);
	o->file[o->file_cnt++] = arg;
	return 0;
}

static bool is_stdin(const char *path)
{
	return !strcmp(path, "-");
}

static int check_options(struct diff_opts *o)
{
	if (o->file_cnt < 2)
		return log_err(-EINVAL, "diff: give two reports: bprof diff BASE.json NEW.json; "
					"'bprof stat -r 10 -j -o FILE' writes one");
	if (is_stdin(o->file[0]) && is_stdin(o->file[1]))
		return log_err(-EINVAL, "diff: only one of the reports can be read from standard "
					"input");
	return output_opts__apply(&o->output, NULL);
}

static int read_report(const char *path, struct bprof_report **out)
{
	struct bprof_error error;
	int err = is_stdin(path) ? bprof_report_read(stdin, out, &error)
				 : bprof_report_read_path(path, out, &error);

	return err ? log_err(err, "%s", error.text) : 0;
}

static int run_diff(const struct diff_opts *o, int *status)
{
	const struct compare_output_opts output = {
		.flags = &o->compare,
		.base_name = o->file[0],
		.new_name = o->file[1],
		.output = &o->output,
	};
	struct bprof_report *base = NULL, *new = NULL;
	int err = read_report(o->file[0], &base) ?: read_report(o->file[1], &new);

	err = err ?: compare_output__write(base, new, &output, status);
	bprof_report_free(base);
	bprof_report_free(new);
	return err;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_opts o = {};
	int err = options__parse_mixed(&diff_spec, &o, argc, argv, add_file) ?: check_options(&o);
	int status = exit_status__of_options(err);

	if (err)
		goto out;
	run_diff(&o, &status);
out:
	compare_flags__free(&o.compare);
	return status;
}
