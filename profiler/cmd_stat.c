// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof stat: what one invocation of each target costs. Owns the options of the command and the
 * order of things: select, open, measure, report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "log.h"
#include "loop.h"
#include "measure_opts.h"
#include "result.h"
#include "session.h"
#include "util.h"

struct stat_opts {
	struct measure_opts measure; /* the first member: its rows know nothing else */
	struct selector_list selectors;
	bool hist, no_hist, no_calibrate;
	const char *func;
	__u64 sample;
	__u32 sample_share; /* --sample auto; else 0 */
};

/* What the loop's calls work on. */
struct stat_run {
	const struct stat_opts *o;
	struct session *s;
	struct result_opts result;
	struct render_opts render;
	FILE *out;
	struct snapshot *last; /* at the start, then at the end of the last interval */
	struct snapshot *end;  /* at the stop */
	bool first_block;
	bool interrupted;
	int err;
};

static int add_selector(void *options, const struct option_row *row, const char *arg)
{
	struct stat_opts *o = options;

	return selector_list__add(&o->selectors, row->min, arg);
}

static int set_sample(void *options, const struct option_row *row, const char *arg)
{
	struct stat_opts *o = options;

	if (sample__parse(arg, &o->sample, &o->sample_share))
		return log_err(-EINVAL,
			       "--sample %s: give a whole number from 1 to 4294967296, or auto, or "
			       "auto:SHARE with a share of a CPU from 0.01%% to 100%%",
			       arg);
	return 0;
}

#define OPT(member) offsetof(struct stat_opts, member)

static const struct option_row target_rows[] = {
	{"prog-id", 'b', OPTION_CALL, 0, "ID[,ID...]", SELECT_ID, 0, add_selector,
	 "programs by id; also --bpf-prog"},
	{"bpf-prog", 0, OPTION_CALL, 0, "ID", SELECT_ID, 0, add_selector, NULL},
	{"name", 0, OPTION_CALL, 0, "GLOB", SELECT_NAME, 0, add_selector,
	 "programs by (full) name, with their extensions (freplace)"},
	{"tag", 0, OPTION_CALL, 0, "HEX", SELECT_TAG, 0, add_selector,
	 "programs by tag, or its first digits"},
	{"pinned", 0, OPTION_CALL, 0, "PATH", SELECT_PINNED, 0, add_selector,
	 "a pinned program or link, or a directory of them"},
	{"type", 0, OPTION_CALL, 0, "TYPE[,TYPE...]", SELECT_TYPE, 0, add_selector,
	 "programs by type: xdp, sched_cls, ..."},
	{"all", 0, OPTION_CALL, 0, NULL, SELECT_ALL, 0, add_selector, "every loaded program"},
	{"func", 0, OPTION_STRING, OPT(func), "GLOB", 0, 0, NULL,
	 "of these programs, the functions of that name; '*': all, as a\n"
	 "                                 tree; also --prog-id ID:GLOB"},
	{"all-cpus", 'a', OPTION_FLAG, OPT(measure.all_cpus), NULL, 0, 0, NULL,
	 "count on all CPUs (the default)"},
	{},
};

static const struct option_row probe_rows[] = {
	{"hist", 0, OPTION_FLAG, OPT(hist), NULL, 0, 0, NULL,
	 "draw the distributions; in JSON, their buckets"},
	{"no-hist", 0, OPTION_FLAG, OPT(no_hist), NULL, 0, 0, NULL,
	 "keep no distributions: the cheapest probe"},
	{"no-calibrate", 0, OPTION_FLAG, OPT(no_calibrate), NULL, 0, 0, NULL,
	 "show raw numbers, the probe's own cost included"},
	{"sample", 0, OPTION_CALL, 0, "N|auto[:SHARE]", 0, 0, set_sample,
	 "count all runs, but measure one in so many; auto: in as\n"
	 "                                 many as keep the added cost under SHARE of a CPU (1%)"},
	{},
};

static const struct option_row refused_rows[] = {
	{"pid", 'p', OPTION_REFUSE, 0, "PID", 0, 0, NULL,
	 "a program's cost is not a process's: it runs in whatever context calls it"},
	{"tid", 't', OPTION_REFUSE, 0, "TID", 0, 0, NULL,
	 "a program's cost is not a thread's: it runs in whatever context calls it"},
	{"cgroup", 'G', OPTION_REFUSE, 0, "CGROUP", 0, 0, NULL,
	 "a program's cost is not a cgroup's: it runs in whatever context calls it"},
	{},
};

static const struct command_spec stat_spec = {
	.name = "stat",
	.synopsis = "TARGETS [OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Measures what one invocation of each target costs: until COMMAND ends, until "
		   "the time-out, "
		   "or\nuntil Ctrl-C. Targets may be given in several ways at once.",
	.rows = {target_rows, measure_rows, probe_rows, output_rows, refused_rows},
	.epilog = "Examples:\n"
		  "  bprof --prog-id 42,57 -e cycles,instructions\n"
		  "  bprof --name 'xdp_*' -e instructions,L1-dcache-load-misses -I 1000\n"
		  "  bprof --prog-id 42 --func '*' -- ping -c 100 -i 0.01 10.0.0.2\n"
		  "  bprof --pinned /sys/fs/bpf/xdp -j -- ping -c 100 -i 0.01 10.0.0.2\n"
		  "\nExit status: 0 done, 1 failed, 2 usage, 4 nothing could be measured; with "
		  "COMMAND its own "
		  "where\nthat is not 0.\n",
};

/* Combinations that make no sense. */
static int check_options(const struct stat_opts *o)
{
	const struct option_check checks[] = {
		{!o->selectors.cnt,
		 "no target: give --prog-id, --name, --tag, --pinned, --type or --all; "
		 "'bprof list' shows the loaded programs"},
		{o->hist && o->no_hist, "--hist and --no-hist: choose one"},
		{o->sample_share && o->no_calibrate,
		 "--sample auto and --no-calibrate: what the probe adds to a run is found out by "
		 "calibration; give --sample N"},
		{o->measure.all_cpus && o->measure.cpus.cnt, "-a and -C: choose all CPUs or some"},
	};

	return options__check(checks, ARRAY_SIZE(checks)) ?: measure_opts__check(&o->measure);
}

static int render(struct stat_run *r, struct report *report)
{
	int err;

	r->render.header = r->first_block;
	r->first_block = false;
	err = report__render(report, &r->render, r->out);
	if (err)
		log_err(err, "%s: cannot write the report: %s",
			r->o->measure.output ?: "standard output", strerror(-err));
	return err;
}

static int take_start(void *arg, pid_t command)
{
	struct stat_run *r = arg;

	return session__start(r->s, &r->last);
}

static void take_stop(void *arg)
{
	struct stat_run *r = arg;

	r->err = session__stop(r->s, &r->end);
}

/* Reports what happened since the last one; takes over now. */
static int report_until(struct stat_run *r, struct snapshot *now)
{
	struct report *report = NULL;
	int err = result__report(r->s, r->last, now, &r->result, &report);

	if (!err) {
		report->interval_ns = now->ns;
		err = render(r, report);
	}
	report__free(report);
	snapshot__free(r->last);
	r->last = now;
	return err;
}

static int report_interval(void *arg)
{
	struct stat_run *r = arg;
	struct snapshot *now;

	return session__read(r->s, true, &now) ?: report_until(r, now);
}

static int take_look(void *arg)
{
	struct stat_run *r = arg;

	session__look(r->s);
	return 0;
}

static void show_progress(void *arg)
{
	struct stat_run *r = arg;
	struct snapshot *now;
	__u64 runs = 0;

	if (!r->s->running || session__read(r->s, false, &now))
		return;
	for (int i = 0; i < r->s->targets.cnt * (r->s->cpus.cnt + 1); i++)
		runs += now->counts[i].measured + now->counts[i].sampled_out -
			r->last->counts[i].measured - r->last->counts[i].sampled_out;
	fprintf(stderr, "\r%5.0f s, %d target%s, %llu runs; Ctrl-C ends it ",
		(now->ns - r->last->ns) / 1e9, r->s->targets.cnt, r->s->targets.cnt == 1 ? "" : "s",
		(unsigned long long)runs);
	snapshot__free(now);
}

static const struct loop_calls loop_calls = {
	.start = take_start,
	.stop = take_stop,
	.interval = report_interval,
	.progress = show_progress,
	.look = take_look,
};

/* One measurement, from the gate's opening to its closing. */
static int measure(struct stat_run *r, struct loop *loop, int *status)
{
	struct loop_result result;
	int err = loop__run(loop, &r->o->measure.loop, &loop_calls, r, &result);

	if (r->o->measure.loop.progress)
		fputs("\r\033[K", stderr);
	err = err ?: r->err;
	if (err)
		return err;
	r->interrupted = result.interrupted;
	if (result.status)
		*status = result.status;
	if (!r->last)
		return log_err(-ENODATA,
			       "it ended before the delay (-D) was over: that was not measured");
	return 0;
}

/* With -I: the last interval is the one that the end cuts short. */
static int measure_intervals(struct stat_run *r, struct loop *loop, int *status)
{
	int err = measure(r, loop, status);

	if (err)
		return err;
	err = report_until(r, r->end);
	r->end = NULL; /* it is r->last now */
	return err;
}

/* One repeat; its report goes to *each, and *first keeps the counts at the first one's start. */
static int measure_repeat(struct stat_run *r, struct loop *loop, int *status,
			  struct snapshot **first, struct report **each)
{
	struct snapshot *end = r->end;
	int err;

	r->end = NULL;
	err = measure(r, loop, status) ?: result__report(r->s, r->last, r->end, &r->result, each);
	if (err == -ENODATA && end) {
		r->end = end; /* the repeats before it stand */
		r->interrupted = true;
		return 0;
	}
	snapshot__free(end);
	if (*first)
		snapshot__free(r->last);
	else
		*first = r->last;
	r->last = NULL;
	return err;
}

/* Without -I: one report of all repeats, of which there may be one. */
static int measure_repeats(struct stat_run *r, struct loop *loop, int *status)
{
	struct report **each = calloc(r->o->measure.repeat, sizeof(*each));
	struct snapshot *first = NULL;
	struct report *whole = NULL;
	int cnt = 0, err = each ? 0 : log_err(-ENOMEM, "out of memory");

	while (!err && (__u64)cnt < r->o->measure.repeat && !r->interrupted) {
		err = measure_repeat(r, loop, status, &first, &each[cnt]);
		cnt += !!each[cnt];
	}
	if (!err)
		err = result__report(r->s, first, r->end, &r->result, &whole);
	if (!err) {
		report__set_repeats(whole, each, cnt);
		err = render(r, whole);
	}
	for (int i = 0; i < cnt; i++)
		report__free(each[i]);
	free(each);
	report__free(whole);
	snapshot__free(first);
	return err;
}

/* No target can be measured: the report says of each why. */
static int report_nothing(struct stat_run *r)
{
	struct snapshot *now = NULL;
	struct report *report = NULL;
	int err = session__read(r->s, false, &now) ?:
		  result__report(r->s, now, now, &r->result, &report) ?:
		  render(r, report);

	report__free(report);
	snapshot__free(now);
	return err ?: log_err(-ENODATA, "nothing could be measured");
}

static int open_output(const struct stat_opts *o, FILE **out)
{
	*out = stdout;
	if (!o->measure.output)
		return 0;
	*out = fopen(o->measure.output, o->measure.append ? "ae" : "we");
	return *out ? 0 : log_err(-errno, "-o %s: %s", o->measure.output, strerror(errno));
}

static bool wants_color(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

static int run_session(struct stat_run *r, int *status)
{
	struct loop *loop = NULL;
	int err;

	if (!r->s->targets.cnt)
		return report_nothing(r);
	err = loop__open(&loop);
	if (!err)
		err = r->o->measure.loop.interval_ms ? measure_intervals(r, loop, status)
						     : measure_repeats(r, loop, status);
	loop__close(loop);
	return err;
}

/*
 * Every event on every CPU and every probe needs descriptors: take what the hard limit allows. The
 * command gets the limit that was.
 */
static void raise_fd_limit(struct stat_opts *o)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	o->measure.loop.fd_limit = lim;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim); /* where it fails, running out is reported */
}

static int run_stat(struct stat_opts *o, char **argv, int *status)
{
	struct stat_run r = {.o = o, .first_block = true};
	struct target_list targets = {};
	const struct session_opts session = {.calibrate = !o->no_calibrate,
					     .hist = !o->no_hist,
					     .sample = o->sample,
					     .share = o->sample_share};
	int err;

	raise_fd_limit(o);
	err = open_output(o, &r.out);
	if (err)
		return err;
	r.result = (struct result_opts){
		.command = argv, .per_cpu = o->measure.per_cpu, .buckets = o->hist};
	r.render = (struct render_opts){
		.format = o->measure.json  ? OUTPUT_JSON
			  : o->measure.sep ? OUTPUT_CSV
					   : OUTPUT_TEXT,
		.sep = o->measure.sep,
		.color = wants_color(r.out),
		.interval = o->measure.loop.interval_ms,
		.per_cpu = o->measure.per_cpu,
		.verbose = o->measure.verbose,
	};
	err = measure_opts__set_default_events(&o->measure) ?:
	      target_list__select(&o->selectors, o->func, &targets) ?:
	      session__open(&targets, &o->measure.events, &o->measure.cpus, &session, &r.s);
	clock_gettime(CLOCK_REALTIME, &r.result.started);
	if (!err)
		err = run_session(&r, status);
	snapshot__free(r.last);
	snapshot__free(r.end);
	session__close(r.s);
	if (r.out != stdout && fclose(r.out) && !err)
		err = log_err(-errno, "-o %s: %s", o->measure.output, strerror(errno));
	return err;
}

/* The exit status for what went wrong, or the command's. */
static int exit_status(int err, int command_status)
{
	if (err == -ENODATA)
		return EXIT_NOTHING;
	return err ? EXIT_FAILED : command_status;
}

int cmd_stat(int argc, char **argv)
{
	struct stat_opts o = {.sample = 1};
	struct measure_opts *m = &o.measure;
	int err, command_status = 0, status = EXIT_USAGE;

	err = measure_opts__parse(&stat_spec, m, argc, argv);
	if (err > 0)
		status = EXIT_DONE;
	if (err)
		goto out;
	if (m->list_events) {
		status = measure_opts__print_events() ? EXIT_FAILED : EXIT_DONE;
		goto out;
	}
	if (check_options(&o))
		goto out;
	if (o.sample_share) {
		m->loop.first_look_ms = SAMPLE_FIRST_LOOK_MS;
		m->loop.look_ms = SAMPLE_LOOK_MS;
	}
	m->loop.progress = isatty(STDERR_FILENO) && !m->loop.interval_ms && !m->loop.command;
	err = run_stat(&o, argv, &command_status);
	status = exit_status(err, command_status);
out:
	selector_list__free(&o.selectors);
	measure_opts__free(m);
	return status;
}
