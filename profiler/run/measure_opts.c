// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options of every command that measures. Owns their parsing, and decides which options can be
 * combined. Must not know what a command measures, or how.
 */
#include <errno.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/log.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "event/event_fds.h"
#include "host/identity.h"
#include "run/measure_opts.h"

static int set_cpus(void *options, const struct option_row *row, const char *arg)
{
	struct measure_opts *o = options;
	struct parse_error perr;

	cpus__free(&o->cpus);
	return parse_error__report(cpus__parse_online(arg, &o->cpus, &perr), "-C", arg, &perr);
}

int measure_opts__set_by(void *options, const struct option_row *row, const char *arg)
{
	struct measure_opts *o = options;
	enum run_key by = run_key__find(arg);

	if (by)
		o->by = by;
	else if (!strcmp(arg, "site"))
		o->by_site = true;
	else
		return log_err(-EINVAL,
			       "--by %s: runs can be divided by " RUN_KEY_CHOICES
			       ", and the calls of --calls by site",
			       arg);
	return 0;
}

int sum_opts__parse(const char *arg, enum sum_key *key)
{
	*key = sum_key__find(arg);
	return *key ? 0
		    : log_err(-EINVAL, "--sum %s: programs can be summed up by %s", arg, SUM_KEYS);
}

int measure_opts__set_sum(void *options, const struct option_row *row, const char *arg)
{
	return sum_opts__parse(arg, &((struct measure_opts *)options)->sum);
}

static int set_user(void *loop, const struct option_row *row, const char *arg)
{
	struct identity id;

	((struct loop_opts *)loop)->user = arg;
	switch (identity__find(arg, &id)) {
	case 0:
		return 0;
	case -E2BIG:
		return log_err(-EINVAL, "--user %s: this user is in too many groups", arg);
	default:
		return log_err(-EINVAL, "--user %s: there is no such user", arg);
	}
}

#define OPT(member) offsetof(struct measure_opts, member)

const struct option_row event_rows[] = {
	OPTION("event", 'e', OPTION_CALL, .member = OPT(events), .arg = "EVENTS",
	       .add = event_list__add_option,
	       .help = "events to count, in perf's syntax: names, pmu/term=value/, rNNN, "
		       "tracepoints such as sched:sched_switch, groups in {}, modifiers such as "
		       ":k; also time, which bprof measures without the PMU (default: "
		       "cycles,instructions, or time if there is no PMU)",
	       .arg_kind = ARG_EVENT),
	OPTION("list-events", 0, OPTION_FLAG, .member = OPT(list_events),
	       .help = "list the events that -e accepts on this machine, and exit; with a word "
		       "as argument, such as cache or sched:, list only the events whose name "
		       "contains it"),
	{},
};

const struct option_row span_rows[] = {
	OPTION("cpu", 'C', OPTION_CALL, .arg = "LIST", .add = set_cpus,
	       .help = "measure on these CPUs only, such as 0-3,5"),
	OPTION("timeout", 0, OPTION_TIME, .member = OPT(loop.timeout_ns), .arg = "TIME", .min = 1,
	       .help = "stop after TIME, such as 5s or 200ms; a bare number is in ms"),
	OPTION("delay", 'D', OPTION_TIME, .member = OPT(loop.delay_ns), .arg = "TIME",
	       .help = "start to measure after TIME, such as 1s; a bare number is in ms"),
	{},
};

const struct option_row measure_rows[] = {
	OPTION("no-aggr", 'A', OPTION_FLAG, .member = OPT(per_cpu),
	       .help = "show each CPU separately"),
	OPTION("interval", 'I', OPTION_TIME, .member = OPT(loop.interval_ns), .arg = "TIME",
	       .min = NSEC_PER_MSEC,
	       .help = "print a report every TIME, such as 1s; a bare number is in ms (alias: "
		       "--interval-print)"),
	OPTION("interval-print", 0, OPTION_TIME, .member = OPT(loop.interval_ns), .arg = "TIME",
	       .min = NSEC_PER_MSEC),
	OPTION("interval-count", 'n', OPTION_U64, .member = OPT(loop.interval_count), .arg = "N",
	       .min = 1, .help = "with -I: stop after N intervals"),
	OPTION("repeat", 'r', OPTION_U64, .member = OPT(repeat), .arg = "N", .min = 1, .max = 10000,
	       .help = "measure N times (COMMAND or --timeout), and show the spread"),
	{},
};

const struct option_row sum_rows[] = {
	OPTION("sum", 0, OPTION_CALL, .arg = SUM_KEYS, .add = measure_opts__set_sum,
	       .help = "combine programs into one row (sum of runs, merged distribution) if "
		       "they have the same name, tag or type, are attached to the same devices "
		       "(device), or are held by the same systemd service or command (owner: "
		       "that of the first holder)",
	       .arg_kind = ARG_CHOICE),
	{},
};

const struct option_row command_rows[] = {
	OPTION("user", 0, OPTION_CALL, .arg = "USER", .add = set_user,
	       .help = "run COMMAND as this user, a name or a number (default: the user who called "
		       "sudo, or without sudo the current user)"),
	{},
};

const struct option_row privilege_rows[] = {
	OPTION("keep-privileges", 0, OPTION_FLAG,
	       .member = offsetof(struct loop_opts, keep_privileges),
	       .help = "keep all capabilities; by default, bprof drops those that it no longer "
		       "needs after the set-up"),
	{},
};

bool measure_opts__ends(const struct measure_opts *o, int err, int *status)
{
	*status = err ? exit_status__of_options(err) : EXIT_USAGE;
	if (!err && o->list_events)
		*status = measure_opts__list_events(o, (const char *const *)o->loop.command);
	return err || o->list_events;
}

void measure_opts__free(struct measure_opts *o)
{
	event_list__free(&o->events);
	cpus__free(&o->cpus);
}

int measure_opts__check_loop(const struct loop_opts *o)
{
	const struct option_check checks[] = {
		{o->user && !o->command, "--user: it needs a COMMAND to run"},
	};

	return options__check(checks, ARRAY_SIZE(checks));
}

int measure_opts__check(const struct measure_opts *o)
{
	const struct option_check checks[] = {
		{o->loop.interval_count && !o->loop.interval_ns, "--interval-count: it needs -I"},
		{o->repeat > 1 && o->loop.interval_ns, "-r and -I: choose repeats or intervals"},
		{o->repeat > 1 && !o->loop.command && !o->loop.timeout_ns,
		 "-r: it needs a COMMAND or --timeout to repeat"},
	};

	return measure_opts__check_loop(&o->loop) ?: options__check(checks, ARRAY_SIZE(checks));
}

int measure_opts__check_format(const struct measure_opts *o, enum document single,
			       enum document series)
{
	return o->loop.interval_ns
		       ? output_opts__check_format(&o->output, series, "a series of reports (-I)")
		       : output_opts__check_format(&o->output, single,
						   "a single report, without -I");
}

int measure_opts__list_events(const struct measure_opts *o, const char *const *pattern)
{
	const char *word = pattern ? *pattern : NULL;
	struct output_opts opts = o->output;
	struct event_catalog catalog;
	struct output out;
	int err;

	opts.command = false; /* the arguments are a pattern, not a COMMAND */
	if (output_opts__check_format(&opts, DOC_EVENTS, "a list of events"))
		return EXIT_USAGE;
	err = event_catalog__make(&catalog, EVENT_SYSFS, word, event__is_supported, NULL);
	if (err == -ENOENT)
		log_err(err, "--list-events %s: no event has such a name", word);
	else if (err)
		log_err(err, "cannot list the events: %s", strerror(-err));
	else
		err = output_opts__open(&opts, OUTPUT_PAGER, &out);
	if (!err) {
		output_opts__format(&opts)->events(&catalog, opts.append, out.file);
		err = output__close(&out, output__commit(&out, 0));
	}
	event_catalog__free(&catalog);
	return err ? EXIT_FAILED : EXIT_DONE;
}
