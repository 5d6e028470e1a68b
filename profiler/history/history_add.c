// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof history add: reads reports, finds the commit that they measured, and appends them to the
 * history. Must not know how a history is stored.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "formats/saved.h"
#include "history/history_add.h"
#include "history/history_git.h"
#include "history/history_store.h"
#include "run/command.h"

#define HINT "'bprof bench -j -o FILE' writes a report"

struct add_opts {
	struct history_store store;
	const char *commit, *date, *machine;
	const char **file;
	int file_cnt;
};

#define ADD_OPT(member) offsetof(struct add_opts, member)

static const struct option_row add_rows[] = {
	OPTION("commit", 0, OPTION_STRING, .member = ADD_OPT(commit), .arg = "REV",
	       .help = "the commit whose programs were measured, such as HEAD~2 or a tag; "
		       "outside of a git repository, any name for the version (default: HEAD)"),
	OPTION("date", 0, OPTION_STRING, .member = ADD_OPT(date), .arg = "DATE",
	       .help = "the date of the commit, as 2026-01-31 or 2026-01-31T12:00:00Z (default: "
		       "that in git, or without git the time of the report)"),
	OPTION("machine", 0, OPTION_STRING, .member = ADD_OPT(machine), .arg = "NAME",
	       .help = "name the machine; reports of machines with different names are never "
		       "compared"),
	{},
};

const struct command_spec history_add_spec = {
	.name = "history add",
	.brief = "append a report with its commit to the history",
	.synopsis = "[FILE...] [OPTIONS]",
	.summary = "Appends each report (default: the one on standard input) to the history, "
		   "with the commit that it measured. A report is what -j writes; a FILE with "
		   "several reports (-I, --append) counts as one report with several blocks.",
	.operand = ARG_FILE,
	.tables = {{"Report", add_rows}, {"History", history_store_rows, ADD_OPT(store)}},
	.exit_status = "0 done, 1 failed, 2 wrong usage.",
};

static int add_report_operand(void *options, const char *arg)
{
	struct add_opts *o = options;
	const char **file = array__add(&o->file, &o->file_cnt, sizeof(*file));

	*file = arg;
	return 0;
}

/* Finds the commit of the reports and its date. The date is 0 if it is not known. */
static int find_commit(const struct add_opts *o, char **commit, struct timespec *date)
{
	int err;

	*date = (struct timespec){};
	if (o->commit && !*o->commit)
		return log_err(-EINVAL, "--commit: the name is empty");
	err = history_git__find_commit(o->commit ?: "HEAD", commit, date);
	if (err == -ENOENT && !o->commit)
		return log_err(-EINVAL, "history add: there is no git repository with a commit "
					"here; name the version with --commit NAME");
	if (err == -ENOENT && o->store.notes)
		return log_err(-EINVAL, "--commit %s: git knows no such commit here", o->commit);
	if (err == -ENOENT) {
		*commit = xstrdup(o->commit);
		err = 0;
	}
	if (!err && o->date && history__parse_date(o->date, date))
		return log_err(-EINVAL, "--date %s: write it as 2026-01-31 or 2026-01-31T12:00:00Z",
			       o->date);
	return err;
}

/* Checks that a report can be a part of a history. */
static int check_report(const char *path, const struct report *r)
{
	if (r->of_scopes || r->scope_cnt)
		return log_err(-EINVAL, "%s: a report on the system; a history is of programs",
			       path);
	if (!r->prog_cnt)
		return log_err(-EINVAL, "%s: the report has no program", path);
	for (int i = 0; i < r->prog_cnt; i++)
		for (int e = 0; e < r->prog[i].all.event_cnt; e++)
			if (report_event__has_value(&r->prog[i].all.event[e]))
				return 0;
	for (int i = 0; i < r->prog_cnt; i++)
		if (report_prog__has_size(&r->prog[i]))
			return 0;
	return log_err(-EINVAL, "%s: no program of the report has a value", path);
}

static int add_report(const struct add_opts *o, const char *path, const char *commit,
		      const struct timespec *date)
{
	struct history_entry e = {
		.commit = (char *)commit, .date = *date, .machine = (char *)o->machine};
	char *line = NULL;
	size_t sz;
	FILE *out;
	int err = saved__read_report(path, HINT, &e.report);

	if (err)
		return err;
	err = check_report(path, e.report);
	if (!e.date.tv_sec)
		e.date = e.report->started;
	out = text__open(&line, &sz);
	history_entry__print(&e, out);
	fclose(out);
	err = err ?: history_store__append(&o->store, commit, line);
	free(line);
	report__free(e.report);
	return err;
}

int history_add__run(int argc, char **argv)
{
	struct add_opts o = {};
	struct timespec date;
	char *commit = NULL;
	int err = options__parse_mixed(&history_add_spec, &o, argc, argv, add_report_operand),
	    status;

	err = err ?: find_commit(&o, &commit, &date);
	status = err ? exit_status__of_options(err) : EXIT_DONE;
	if (!err && !o.file_cnt)
		err = add_report(&o, "-", commit, &date);
	for (int i = 0; !err && i < o.file_cnt; i++)
		err = add_report(&o, o.file[i], commit, &date);
	if (status == EXIT_DONE && err < 0)
		status = EXIT_FAILED;
	free(commit);
	free(o.file);
	return status;
}
