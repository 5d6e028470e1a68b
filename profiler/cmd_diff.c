// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof diff: two saved reports compared. Owns the options of the command, the files, and what is
 * said of them on stderr; must not know how anything is compared.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compare.h"
#include "log.h"
#include "options.h"
#include "output.h"
#include "text.h"
#include "util.h"

struct diff_opts {
	struct compare_limits limits;
	struct compare_matches matches;
	bool strict, inconclusive_ok, one_sided_ok;
	bool json, markdown, junit;
	const char *output;
	int verbose;
	const char *file[2]; /* base, new */
	int file_cnt;
};

static int report_bad_spec(int err, const char *option, const char *arg,
			   const struct parse_error *perr)
{
	if (err == -EINVAL)
		parse_error__print(stderr, option, arg, perr);
	else if (err == -E2BIG)
		log_err(err, "%s %s: one too many, at most %d can be given", option, arg,
			COMPARE_MAX_LIMITS);
	else if (err)
		log_err(err, "out of memory");
	return err;
}

static int add_limit(void *options, const struct option_row *row, const char *arg)
{
	struct diff_opts *o = options;
	struct parse_error perr;

	return report_bad_spec(compare_limits__add(&o->limits, arg, &perr), "--fail-on", arg,
			       &perr);
}

static int add_match(void *options, const struct option_row *row, const char *arg)
{
	struct diff_opts *o = options;
	struct parse_error perr;

	return report_bad_spec(compare_matches__add(&o->matches, arg, &perr), "--match", arg,
			       &perr);
}

#define OPT(member) offsetof(struct diff_opts, member)

static const struct option_row compare_rows[] = {
	{"fail-on", 0, OPTION_CALL, 0, "LIMIT", 0, 0, add_limit,
	 "worse is what grows by more: [PROGRAM/]EVENT:STAT>CHANGE, such as\n"
	 "                                 instructions:p50>2%, 'xdp_*/time:p99>10us'; of several\n"
	 "                                 each counts (default: *:p50>2%, and *:min>0 where\n"
	 "                                 both reports say that an event is exact)"},
	{"match", 0, OPTION_CALL, 0, "OLD=NEW", 0, 0, add_match,
	 "compare the program or function OLD with NEW"},
	{"strict", 0, OPTION_FLAG, OPT(strict), NULL, 0, 0, NULL,
	 "fail where kernel, CPU, JIT, events or methods differ"},
	{"inconclusive-ok", 0, OPTION_FLAG, OPT(inconclusive_ok), NULL, 0, 0, NULL,
	 "what cannot be told is no failure"},
	{"one-sided-ok", 0, OPTION_FLAG, OPT(one_sided_ok), NULL, 0, 0, NULL,
	 "what only one report has is no failure"},
	{},
};

static const struct option_row format_rows[] = {
	{"json", 'j', OPTION_FLAG, OPT(json), NULL, 0, 0, NULL, "write JSON"},
	{"markdown", 0, OPTION_FLAG, OPT(markdown), NULL, 0, 0, NULL,
	 "write Markdown, for a comment on a pull request"},
	{"junit", 0, OPTION_FLAG, OPT(junit), NULL, 0, 0, NULL,
	 "write JUnit XML: a test for each comparison"},
	{"output", 'o', OPTION_STRING, OPT(output), "FILE", 0, 0, NULL, "write there"},
	{"verbose", 'v', OPTION_COUNT, OPT(verbose), NULL, 0, 0, NULL,
	 "show how many blocks there were, and p before the correction"},
	{},
};

static const struct command_spec diff_spec = {
	.name = "diff",
	.synopsis = "BASE.json NEW.json [OPTIONS]",
	.summary = "Compares two reports (of -j): what has become dearer, by how much, and how "
		   "sure that is. Each\nneeds 6 blocks at least: the repeats of -r, or the "
		   "intervals of -I.",
	.rows = {compare_rows, format_rows},
	.epilog = "Examples:\n"
		  "  bprof --name 'xdp_*' -r 10 --timeout 500 -j -o base.json\n"
		  "  bprof diff base.json new.json --fail-on 'instructions:p50>2%' --markdown\n"
		  "  bprof diff base.json new.json --fail-on 'xdp_lb/time:p99>10us' --match "
		  "lb_v1=lb_v2\n"
		  "\nExit status: 0 nothing is worse, 1 failed, 2 usage, 3 something is worse, 5 "
		  "it cannot be told, or\nonly one report has it.\n",
};

/* Options may stand before, between and behind the files. */
static int parse_args(struct diff_opts *o, int argc, char **argv)
{
	for (;;) {
		int rest, err = options__parse(&diff_spec, o, argc, argv, &rest);
		bool only_files;

		if (err)
			return err;
		only_files = rest > 0 && !strcmp(argv[rest - 1], "--");
		do {
			if (rest == argc)
				return 0;
			if (o->file_cnt == 2)
				return log_err(-EINVAL, "diff: '%s': two reports can be compared",
					       argv[rest]);
			o->file[o->file_cnt++] = argv[rest++];
		} while (only_files);
		/* the file stands where options__parse() wants the command's name */
		argc -= rest - 1;
		argv += rest - 1;
	}
}

static int check_options(const struct diff_opts *o)
{
	const struct option_check checks[] = {
		{o->file_cnt < 2,
		 "diff: give two reports: bprof diff BASE.json NEW.json; 'bprof stat -r 10 -j -o "
		 "FILE' writes one"},
		{o->json + o->markdown + o->junit > 1,
		 "-j, --markdown and --junit: choose one format"},
	};

	return options__check(checks, ARRAY_SIZE(checks));
}

static int read_report(const char *path, struct report **out)
{
	struct report_error rerr = {};
	FILE *in = fopen(path, "re");
	int err;

	if (!in)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	err = report__read_whole(in, out, &rerr);
	fclose(in);
	switch (err) {
	case 0:
		return 0;
	case -ENODATA:
		return log_err(err, "%s: is empty; 'bprof stat -j -o FILE' writes a report", path);
	case -EINVAL:
		return log_err(err, "%s:%lu: %s", path, rerr.line, rerr.text);
	default:
		return log_err(err, "%s: %s", path, strerror(-err));
	}
}

/* The reports' differences: on stderr, unless what is written there anyway says it. */
static int check_differences(const struct diff_opts *o, const struct comparison *c)
{
	bool text = !o->json && !o->markdown && !o->junit;

	for (int i = 0; i < c->difference_cnt && (o->strict || !text || o->output); i++) {
		char note[COMPARE_NOTE_SZ], *printable;

		comparison__note(c, i, note, sizeof(note));
		printable = text__printable(note);
		if (!printable)
			return log_err(-ENOMEM, "out of memory");
		log_warn("%s%s", o->strict ? "--strict: " : "", printable);
		free(printable);
	}
	return o->strict && c->difference_cnt ? -EINVAL : 0;
}

static unsigned int excuses(const struct diff_opts *o)
{
	return (o->inconclusive_ok ? EXCUSE_INCONCLUSIVE : 0) |
	       (o->one_sided_ok ? EXCUSE_ONE_SIDED : 0);
}

static int write_comparison(const struct diff_opts *o, const struct comparison *c)
{
	struct compare_render_opts render = {
		.format = o->json	? COMPARE_JSON
			  : o->markdown ? COMPARE_MARKDOWN
			  : o->junit	? COMPARE_JUNIT
					: COMPARE_TEXT,
		.base_name = o->file[0],
		.new_name = o->file[1],
		.excuses = excuses(o),
		.verbose = o->verbose,
	};
	char headline[160];
	FILE *out;
	int err = output__open(o->output, false, &out);

	if (err)
		return err;
	render.color = output__wants_color(out);
	err = comparison__render(c, &render, out);
	if (err)
		log_err(err, "%s: cannot write the comparison: %s", o->output ?: "standard output",
			strerror(-err));
	else if (o->output)
		log_warn("%s", comparison__headline(c, headline, sizeof(headline)));
	return output__close(out, o->output, err);
}

static int run_diff(const struct diff_opts *o, int *status)
{
	const struct compare_opts compare = {.limits = &o->limits, .matches = &o->matches};
	struct report *base = NULL, *new = NULL;
	struct comparison *c = NULL;
	struct compare_error cerr;
	int err = read_report(o->file[0], &base) ?: read_report(o->file[1], &new);

	if (err)
		goto out;
	err = compare__reports(base, new, &compare, &c, &cerr);
	if (err) {
		log_err(err, "%s", err == -ENOMEM ? "out of memory" : cerr.text);
		goto out;
	}
	err = check_differences(o, c) ?: write_comparison(o, c);
	if (!err)
		*status = comparison__exit_status(c, excuses(o));
out:
	comparison__free(c);
	report__free(base);
	report__free(new);
	return err;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_opts o = {};
	int status = EXIT_USAGE, err = parse_args(&o, argc, argv);

	if (err > 0)
		status = EXIT_DONE;
	if (err || check_options(&o))
		goto out;
	log_level = o.verbose;
	status = EXIT_FAILED;
	run_diff(&o, &status);
out:
	compare_limits__free(&o.limits);
	compare_matches__free(&o.matches);
	return status;
}
