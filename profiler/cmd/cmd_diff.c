// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof diff: compares saved reports. Owns the options that only this command has, and opens
 * the files; must not know how anything is compared.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "formats/saved.h"
#include "options/options.h"
#include "run/command.h"
#include "run/compare_output.h"

#define MAX_FILES 64

struct diff_opts {
	struct output_opts output;
	struct compare_flags compare;
	/* The name and the labels of --axis. This struct owns the memory of the labels. */
	char *axis_name, *label[MAX_FILES];
	int label_cnt;
	/*
	 * Paths of the reports: the base and the new report, or the reports of the axis. "-":
	 * standard input
	 */
	const char *file[MAX_FILES];
	int file_cnt;
};

#define OPT(member) offsetof(struct diff_opts, member)

/* Parses NAME=LABEL,LABEL... */
static int add_axis(void *options, const struct option_row *row, const char *arg)
{
	struct diff_opts *o = options;
	char *name = xstrdup(arg), *list = strchr(name, '='), *label;

	free(o->axis_name);
	o->axis_name = name;
	o->label_cnt = 0;
	if (!list || list == name || !list[1])
		return log_err(-EINVAL, "--axis '%s': expected NAME=LABEL,LABEL,...", arg);
	*list++ = '\0';
	while ((label = strsep(&list, ","))) {
		if (!*label)
			return log_err(-EINVAL, "--axis '%s': a label is empty", arg);
		if (o->label_cnt == MAX_FILES)
			return log_err(-E2BIG, "--axis: at most %d labels can be given", MAX_FILES);
		o->label[o->label_cnt++] = label;
	}
	return 0;
}

static const struct option_row axis_rows[] = {
	OPTION("axis", 0, OPTION_CALL, .arg = "NAME=LABEL,...", .add = add_axis,
	       .help = "compare the reports of several kernels or machines: the first report is "
		       "the base of all others, and each has a label, in the same order, such "
		       "as kernel=5.10,6.1,6.12. Or give two reports for each label: a base, "
		       "and the report that is compared with it"),
	{},
};

const struct command_spec diff_spec = {
	.name = "diff",
	.brief = "compare two saved reports: what has become slower or more expensive",
	.synopsis = "BASE.json NEW.json... [OPTIONS]",
	.summary = "Compares two reports written with -j: what has become slower or more "
		   "expensive, by how much, and how certain that is. Each report needs at least "
		   "6 blocks, which are the repeats of -r, the intervals of -I, or the blocks "
		   "of bench. Several reports in one file (--append) count as one report: a "
		   "report without blocks counts as one block, a report with blocks adds them. "
		   "The name - stands for standard input.",
	.operand = ARG_FILE,
	.tables = {{"Comparison", compare_rows, OPT(compare)},
		   {"Comparison", axis_rows},
		   {"Output", output_rows, OPT(output)}},
	.documents = DOC_COMPARISON,
	.examples = "bprof --name 'xdp_*' -r 10 --timeout 500 -j -o base.json\n"
		    "bprof diff base.json new.json --fail-on 'instructions:p50>2%' --markdown\n"
		    "bprof diff base.json new.json --fail-on 'lb/time:p99>10us' --match lb_v1=lb\n"
		    "bprof diff --axis kernel=6.1,6.12,7.2 6.1.json 6.12.json 7.2.json",
	.notes = "If a report is of one session (-r, -I), a change of time or cycles within 10% "
		 "of the raw value is inconclusive, because sessions differ more than their "
		 "blocks: --append writes several sessions to one file. -v also shows the number "
		 "of blocks, and the p-value before the correction for multiple comparisons.",
	.exit_status = "0 nothing is worse, 1 failed, 2 wrong usage, 3 something is worse, 5 "
		       "inconclusive, or a program is in one report only.",
};

static int add_file(void *options, const char *arg)
{
	struct diff_opts *o = options;

	if (o->file_cnt == MAX_FILES)
		return log_err(-E2BIG, "diff: '%s': at most %d reports can be compared", arg,
			       MAX_FILES);
	o->file[o->file_cnt++] = arg;
	return 0;
}

static int check_diff_options(struct diff_opts *o)
{
	int inputs = 0;

	if (o->file_cnt < (o->axis_name ? 1 : 2))
		return log_err(-EINVAL, "diff: give two reports: bprof diff BASE.json NEW.json; "
					"'bprof stat -r 10 -j -o FILE' writes one");
	if (!o->axis_name && o->file_cnt > 2)
		return log_err(-EINVAL,
			       "diff: '%s': only two reports can be compared; for several kernels "
			       "or machines, see --axis",
			       o->file[2]);
	if (o->axis_name && o->file_cnt != o->label_cnt && o->file_cnt != 2 * o->label_cnt)
		return log_err(-EINVAL,
			       "--axis: %d labels, but %d reports; give one or two for each label",
			       o->label_cnt, o->file_cnt);
	for (int i = 0; i < o->file_cnt; i++)
		inputs += !strcmp(o->file[i], "-");
	if (inputs > 1)
		return log_err(-EINVAL, "diff: only one of the reports can be read from standard "
					"input");
	return output_opts__apply(&o->output, NULL);
}

/*
 * Returns true if file i is a base. With one file per label of --axis, the first file is the base
 * of all others. Otherwise, files with even indexes are bases, each for the next file.
 */
static bool is_base(const struct diff_opts *o, int i)
{
	return o->file_cnt == o->label_cnt ? !i : i % 2 == 0;
}

/* Returns the names of the bases or of the new reports. The caller frees the text. */
static char *join_names(const struct diff_opts *o, bool base)
{
	const char *comma = "";
	char *text = NULL;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	for (int i = 0; i < o->file_cnt; i++) {
		if (is_base(o, i) != base)
			continue;
		fprintf(out, "%s%s", comma, o->file[i]);
		comma = ", ";
	}
	fclose(out);
	return text;
}

/* Compares the reports in parts: each new report with its base. */
static void compare_files(const struct diff_opts *o, struct report *const *report, int *status)
{
	struct compare_part parts[MAX_FILES];
	const struct report *base_report = NULL;
	int cnt = 0;
	char *base = join_names(o, true), *new = join_names(o, false);
	const struct compare_output_opts output = {
		.flags = &o->compare,
		.base_name = base,
		.new_name = new,
		.output = &o->output,
	};

	for (int i = 0; i < o->file_cnt; i++) {
		if (is_base(o, i))
			base_report = report[i];
		if (base_report == report[i] && o->file_cnt != o->label_cnt)
			continue;
		parts[cnt] = (struct compare_part){
			.base = base_report,
			.new = report[i],
			.opts = compare_flags__opts(&o->compare),
			.axis = o->axis_name,
			.point = o->axis_name ? o->label[cnt] : NULL,
		};
		cnt++;
	}
	compare_output__write_parts(parts, cnt, &output, status);
	free(base);
	free(new);
}

int cmd_diff(int argc, char **argv)
{
	struct report *report[MAX_FILES] = {};
	struct diff_opts o = {};
	int err = options__parse_mixed(&diff_spec, &o, argc, argv, add_file)
			  ?: check_diff_options(&o);
	int status = exit_status__of_options(err);

	if (err)
		goto out;
	for (int i = 0; !err && i < o.file_cnt; i++)
		err = saved__read_report(o.file[i], "'bprof stat -j -o FILE' writes a report",
					 &report[i]);
	if (!err)
		compare_files(&o, report, &status);
	for (int i = 0; i < o.file_cnt; i++)
		report__free(report[i]);
out:
	compare_flags__free(&o.compare);
	free(o.axis_name);
	return status;
}
