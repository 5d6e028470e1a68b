// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof history: keeps reports with the commits that they measured, and shows at which commit a
 * program became more or less expensive. Owns the commands of history. Must not know how a history
 * is stored, how changes are found, or what the output looks like.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/util.h"
#include "history/history_add.h"
#include "history/history_check.h"
#include "history/history_export.h"
#include "history/history_git.h"
#include "history/history_show.h"
#include "history/history_store.h"
#include "run/command.h"
#include "run/compare_output.h"

/* The options that choose what is shown. */
struct select_opts {
	const char *name, *event, *since;
};

struct history_cmd_opts {
	struct output_opts output;
	struct history_store store;
	struct select_opts select;
	struct compare_flags compare;
	/* export */
	history_export_fn *export;
	const char *export_name;
};

#define OPT(member) offsetof(struct history_cmd_opts, member)
#define SELECT(member) offsetof(struct select_opts, member)

/* ---- options ---- */

static int choose_export(void *options, const struct option_row *row, const char *arg);

static const struct option_row select_rows[] = {
	OPTION("name", 0, OPTION_STRING, .member = SELECT(name), .arg = "GLOB",
	       .help = "only programs or functions whose names match, such as 'xdp_*' or "
		       "xdp_lb:parse"),
	OPTION("event", 'e', OPTION_STRING, .member = SELECT(event), .arg = "GLOB",
	       .help = "only events whose names match. Except in check, where --fail-on names "
		       "them, this can also be the verifier's figures for programs of bench: "
		       "verified_insns, peak_states, verification_ns"),
	OPTION("since", 0, OPTION_STRING, .member = SELECT(since), .arg = "REV",
	       .help = "begin with this commit (the first characters of its hash, or any name "
		       "that git knows) or with this date"),
	{},
};

static const struct option_row export_rows[] = {
	OPTION("github", 0, OPTION_CALL, .add = choose_export,
	       .help = "write the newest commit for github-action-benchmark "
		       "(customSmallerIsBetter)"),
	OPTION("benchfmt", 0, OPTION_CALL, .add = choose_export,
	       .help = "write all reports in Go's benchmark format, for benchstat"),
	{},
};

static const struct option_row file_rows[] = {
	OPTION("output", 'o', OPTION_STRING, .member = OPT(output.file), .arg = "FILE",
	       .help = "write to FILE instead of standard output", .arg_kind = ARG_FILE),
	{},
};

static const struct {
	const char *name;
	history_export_fn *export;
} exports[] = {
	{"github", history_export__github},
	{"benchfmt", history_export__benchfmt},
};

static int choose_export(void *options, const struct option_row *row, const char *arg)
{
	struct history_cmd_opts *o = options;

	if (o->export && strcmp(o->export_name, row->name))
		return log_err(-EINVAL, "--%s and --%s: choose one format", o->export_name,
			       row->name);
	for (size_t i = 0; i < ARRAY_SIZE(exports); i++) {
		if (strcmp(exports[i].name, row->name))
			continue;
		o->export = exports[i].export;
		o->export_name = exports[i].name;
	}
	return 0;
}

/* ---- commands ---- */

static const struct command_spec show_spec = {
	.name = "history show",
	.brief = "show a line for each commit, and the changes between them",
	.synopsis = "[OPTIONS]",
	.summary = "Shows each series: one statistic of one event of a program, with a line for "
		   "each commit, and a line for each change between two commits.",
	.tables = {{"History", history_store_rows, OPT(store)},
		   {"Selection", select_rows, OPT(select)},
		   {"Output", output_rows, OPT(output)}},
	.documents = DOC_OTHER,
	.exit_status = "0 done, 1 failed, 2 wrong usage.",
};

static const struct command_spec check_spec = {
	.name = "history check",
	.brief = "fail if the newest commit made a program more expensive",
	.synopsis = "[OPTIONS]",
	.summary = "Compares the newest commit with those before it, back to the last change "
		   "that was found, or to the last change of kernel, CPU or JIT. If only the "
		   "newest commit makes it certain that the cost changed at an earlier commit, "
		   "check judges that change instead, and only this once.",
	.tables = {{"History", history_store_rows, OPT(store)},
		   {"Selection", select_rows, OPT(select)},
		   {"Comparison", compare_rows, OPT(compare)},
		   {"Output", output_rows, OPT(output)}},
	.documents = DOC_COMPARISON,
	.exit_status = "0 nothing is worse, 1 failed, 2 wrong usage, 3 something is worse, 5 "
		       "inconclusive, or a program is new or gone.",
};

static const struct command_spec html_spec = {
	.name = "history html",
	.brief = "write an HTML page with a chart of each series",
	.synopsis = "[OPTIONS]",
	.summary = "Writes a page with the changes and a chart of each series. It needs neither a "
		   "network nor scripts.",
	.tables = {{"History", history_store_rows, OPT(store)},
		   {"Selection", select_rows, OPT(select)},
		   {"Output", file_rows}},
	.exit_status = "0 done, 1 failed, 2 wrong usage.",
};

static const struct command_spec export_spec_of_history = {
	.name = "history export",
	.brief = "write the history for another tool that keeps benchmarks",
	.synopsis = "--github|--benchfmt [OPTIONS]",
	.summary = "Writes the history in the format of another tool.",
	.tables = {{"Format", export_rows},
		   {"History", history_store_rows, OPT(store)},
		   {"Selection", select_rows, OPT(select)},
		   {"Output", file_rows}},
	.exit_status = "0 done, 1 failed, 2 wrong usage, 4 nothing to export.",
};

static const struct command_spec *const subs[] = {
	&history_add_spec, &show_spec, &check_spec, &html_spec, &export_spec_of_history, NULL};

const struct command_spec history_spec = {
	.name = "history",
	.brief = "keep reports over time, and find the commits that changed a cost",
	.synopsis = "COMMAND [OPTIONS]",
	.summary = "Keeps the reports of bench and stat with the commits that they measured, in a "
		   "file or in git notes, and finds the commits at which a program became more or "
		   "less expensive. This needs neither root nor BPF.",
	.operand = ARG_OTHER,
	.subs = subs,
	.examples = "bprof bench --exact xdp.bpf.o -j | bprof history add\n"
		    "bprof history show --name 'xdp_*' -e instructions\n"
		    "bprof history check --fail-on 'instructions:min>0'\n"
		    "bprof history html -o index.html",
	.notes = "For exact events, each difference between two commits is a change. For other "
		 "events, changes are found with E-divisive, a method for change points. A "
		 "change of kernel, architecture, CPU, JIT, events, calibration or machine "
		 "begins a new series.",
	.exit_status = "0 done, 1 failed, 2 wrong usage; check also 3 worse, 5 inconclusive; "
		       "export also 4 nothing to export.",
};

static int refuse_operand(void *options, const char *arg)
{
	return log_err(-EINVAL, "history: unexpected argument '%s'", arg);
}

/* ---- reading ---- */

/* Finds the position of the first commit to show. */
static int find_since(const struct history *h, const char *since, int *position)
{
	struct timespec date, unused;
	char *hash = NULL;
	int err = 0;

	*position = history__find(h, since);
	if (*position == -ENOENT && !history__parse_date(since, &date)) {
		for (*position = 0; *position < h->cnt; ++*position)
			if (h->v[*position].date.tv_sec >= date.tv_sec)
				break;
		*position = *position < h->cnt ? h->v[*position].position : h->commit_cnt;
	}
	if (*position == -ENOENT && !history_git__find_commit(since, &hash, &unused))
		*position = history__find(h, hash);
	free(hash);
	if (*position == -EINVAL)
		err = log_err(-EINVAL, "--since %s: several commits begin so", since);
	else if (*position < 0 || *position >= h->commit_cnt)
		err = log_err(-EINVAL, "--since %s: the history has no such commit or date", since);
	return err;
}

/*
 * Reads the history and makes its series. With "verifier", also makes the series of the verifier's work.
 * The caller frees the history and the series in any case.
 */
static int read_history(const struct history_cmd_opts *o, bool verifier, struct history *h,
			struct history_all *all)
{
	struct history_opts opts = {
		.limits = &o->compare.limits,
		.matches = &o->compare.matches,
		.allow_retval_change = o->compare.allow_retval_change,
		.name = o->select.name,
		.event = o->select.event,
		.verifier = verifier,
	};
	int err = history_store__read(&o->store, h);

	if (!err && o->select.since)
		err = find_since(h, o->select.since, &opts.since);
	if (err)
		return err;
	history_all__make(all, h, &opts);
	/* If there are limits, history__check() reports which limit applies to nothing. */
	if (!all->cnt && !opts.limits->cnt)
		return log_err(-ENODATA, "%s: no report has a value of a chosen program and event",
			       history_store__name(&o->store));
	return 0;
}

/* Writes the output of render(). o is the argument of render(). */
typedef void render_fn(const struct history_all *all, const struct history_show_opts *o, FILE *out);

static int write_output(const struct history_cmd_opts *o, const struct history_all *all,
			render_fn *render, history_export_fn *export)
{
	struct history_show_opts show = {.verbose = o->output.verbose,
					 .one_line = o->output.append};
	struct draft draft;
	struct output out;
	int err = output_opts__open(&o->output, OUTPUT_PAGER, &out);

	if (err)
		return err;
	show.screen = screen__of(out.file);
	draft__begin(&draft);
	if (render)
		render(all, &show, draft.mem);
	else
		err = export(all, draft.mem);
	if (err == -ENODATA) {
		log_err(err, "history: the newest commit has no value of a chosen program and "
			     "event");
		err = draft__end(&draft, err, out.file);
		output__close(&out, err);
		return err;
	}
	err = draft__end(&draft, err, out.file);
	return output__close(&out, output__commit(&out, err));
}

typedef int reader_fn(const struct history_cmd_opts *o, const struct history_all *all, int *status);

/* Runs a command that reads the history: parses, reads, and calls run(). */
static int run_reader(const struct command_spec *spec, int argc, char **argv, reader_fn *run)
{
	struct history_cmd_opts o = {};
	struct history_all all = {};
	struct history h = {};
	int err = options__parse_mixed(spec, &o, argc, argv, refuse_operand)
			  ?: output_opts__apply(&o.output, NULL);
	int status = exit_status__of_options(err);

	if (err)
		goto out;
	status = EXIT_FAILED;
	/*
	 * A page has room for all charts, also those of the verifier's work. Text output, which is
	 * long enough without them, has them only if -e names them.
	 */
	err = read_history(&o, spec == &html_spec || (spec != &check_spec && o.select.event), &h,
			   &all);
	if (!err && !run(&o, &all, &status) && status == EXIT_FAILED)
		status = EXIT_DONE;
	if (err == -EINVAL)
		status = EXIT_USAGE;
out:
	history_all__free(&all);
	history__free(&h);
	compare_flags__free(&o.compare);
	return status;
}

/* ---- show, html, export ---- */

static int show_history(const struct history_cmd_opts *o, const struct history_all *all,
			int *status)
{
	return write_output(o, all,
			    output_opts__is_json(&o->output) ? history_all__render_json
							     : history_all__render_text,
			    NULL);
}

static int html(const struct history_cmd_opts *o, const struct history_all *all, int *status)
{
	return write_output(o, all, history_all__render_html, NULL);
}

static int export(const struct history_cmd_opts *o, const struct history_all *all, int *status)
{
	int err;

	if (!o->export) {
		*status = EXIT_USAGE;
		return log_err(-EINVAL, "history export: choose --github or --benchfmt");
	}
	if (o->export == history_export__benchfmt &&
	    (o->select.name || o->select.event || o->select.since)) {
		*status = EXIT_USAGE;
		return log_err(-EINVAL,
			       "history export --benchfmt writes all reports: --name, -e and "
			       "--since cannot be used; choose with 'benchstat -filter'");
	}
	err = write_output(o, all, NULL, o->export);
	if (err == -ENODATA)
		*status = EXIT_NOTHING;
	return err;
}

/* ---- check ---- */

/*
 * Warns if the commit that is checked is not the one whose report was added last. In a file, dates
 * alone order the commits: a clock that was wrong, or a report that is added late, hides the commit
 * that the user wants to check. (order: as in the file; in git notes, the order of the commits)
 */
static void warn_of_order(const struct history *h)
{
	const struct history_entry *newest = &h->v[h->cnt - 1], *added = newest;
	char commit[2][HISTORY_COMMIT_SZ], date[2][HISTORY_DATE_SZ];

	for (int i = 0; i < h->cnt; i++)
		if (h->v[i].order > added->order)
			added = &h->v[i];
	if (added->position == newest->position)
		return;
	log_warn(
		"history: the last report is of commit %s, but commit %s has a later date (%s, not "
		"%s): commit %s is checked",
		history__format_commit(added->commit, commit[0]),
		history__format_commit(newest->commit, commit[1]),
		history__format_date(&newest->date, date[1]),
		history__format_date(&added->date, date[0]), commit[1]);
}

static int judge_newest_commit(const struct history_cmd_opts *o, const struct history_all *all,
			       int *status)
{
	char commit[HISTORY_COMMIT_SZ], why[512];
	struct compare_output_opts output = {
		.flags = &o->compare,
		.base_name = "the commits before",
		.output = &o->output,
	};
	const struct history_entry *newest = &all->h->v[all->h->cnt - 1];
	struct comparison *c = NULL;
	struct reason reason;
	int err;

	if (all->h->ends_bad)
		return log_err(-EINVAL,
			       "%s: the newest report cannot be read; remove its line, and "
			       "add the report again",
			       history_store__name(&o->store));
	for (int i = 0; o->compare.strict && i < all->env_cnt; i++)
		if (all->env[i]->last == newest->position && all->env[i]->before < 0 &&
		    all->h->commit_cnt > 1)
			return log_err(-EINVAL, "--strict: the newest commit is the first with %s",
				       all->env[i]->text);
	warn_of_order(all->h);
	err = history__check(all, &c, &reason);
	if (err) {
		log_err(err, "%s", reason__describe(&reason, why, sizeof(why)));
		if (err == -EINVAL)
			*status = EXIT_USAGE;
		return err;
	}
	output.new_name = history__format_commit(newest->commit, commit);
	err = compare_output__write(c, &output, status);
	comparison__free(c);
	return err;
}

/* ---- history ---- */

/* The subcommands that read the history: all but "history add", in the order of subs. */
static const struct {
	const struct command_spec *spec;
	reader_fn *run;
} readers[] = {
	{&show_spec, show_history},
	{&check_spec, judge_newest_commit},
	{&html_spec, html},
	{&export_spec_of_history, export},
};

int cmd_history(int argc, char **argv)
{
	int sub = options__parse_sub(&history_spec, &argc, &argv);

	if (sub == -EINVAL)
		return EXIT_USAGE;
	if (sub <= 0)
		return sub < 0 ? EXIT_DONE : history_add__run(argc, argv);
	return run_reader(readers[sub - 1].spec, argc, argv, readers[sub - 1].run);
}
