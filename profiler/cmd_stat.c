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
#include "parse_error.h"
#include "log_libbpf.h"
#include "loop.h"
#include "options.h"
#include "result.h"
#include "session.h"
#include "util.h"

struct stat_opts {
	struct selector_list selectors;
	struct event_list events;
	bool list_events, json, append, per_cpu, all_cpus, hist, no_hist, no_calibrate;
	const char *sep, *output, *func;
	struct cpus cpus;
	struct loop_opts loop;
	__u64 repeat, sample;
	__u32 sample_share; /* --sample auto; else 0 */
	int verbose;
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

static int add_events(void *options, const struct option_row *row, const char *arg)
{
	struct stat_opts *o = options;
	struct parse_error perr;
	int err = event_list__parse(&o->events, arg, EVENT_SYSFS, &perr);

	if (err == -EINVAL)
		parse_error__print(stderr, "-e", arg, &perr);
	else if (err)
		log_err(err, "out of memory");
	return err;
}

static int set_cpus(void *options, const struct option_row *row, const char *arg)
{
	struct stat_opts *o = options;
	struct parse_error perr = {.len = 1};
	struct cpus online = {}, offline = {};
	char list[256];
	int err;

	cpus__free(&o->cpus);
	err = cpus__parse(arg, &o->cpus, &perr.pos);
	if (err || !o->cpus.cnt) {
		snprintf(perr.text, sizeof(perr.text),
			 "no list of CPUs; give ids and ranges, such as 0-3,5");
		parse_error__print(stderr, "-C", arg, &perr);
		return -EINVAL;
	}
	err = cpus__online(&online) ?: cpus__minus(&o->cpus, &online, &offline);
	if (err)
		log_err(err, "cannot read which CPUs are online: %s", strerror(-err));
	else if (offline.cnt)
		err = log_err(-EINVAL, "-C %s: not online: CPU %s", arg,
			      cpus__format(&offline, list, sizeof(list)));
	cpus__free(&online);
	cpus__free(&offline);
	return err;
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

static const struct option_row stat_rows[] = {
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
	{"event", 'e', OPTION_CALL, 0, "EVENTS", 0, 0, add_events,
	 "what to count: cycles,{instructions,cache-misses},time,\n"
	 "                                 pmu/term=value/,rNNN with perf's modifiers (default:\n"
	 "                                 cycles,instructions, or time where there is no PMU)"},
	{"list-events", 0, OPTION_FLAG, OPT(list_events), NULL, 0, 0, NULL,
	 "show what -e takes here"},
	{"cpu", 'C', OPTION_CALL, 0, "LIST", 0, 0, set_cpus, "count on these CPUs only: 0-3,5"},
	{"no-aggr", 'A', OPTION_FLAG, OPT(per_cpu), NULL, 0, 0, NULL, "show each CPU"},
	{"all-cpus", 'a', OPTION_FLAG, OPT(all_cpus), NULL, 0, 0, NULL,
	 "count on all CPUs (the default)"},
	{"timeout", 0, OPTION_U64, OPT(loop.timeout_ms), "MS", 1, 1ULL << 40, NULL,
	 "stop after so many milliseconds"},
	{"interval-print", 'I', OPTION_U64, OPT(loop.interval_ms), "MS", 1, 1ULL << 40, NULL,
	 "report every so many milliseconds"},
	{"interval-count", 0, OPTION_U64, OPT(loop.interval_count), "N", 1, 0, NULL,
	 "stop after so many intervals"},
	{"delay", 'D', OPTION_U64, OPT(loop.delay_ms), "MS", 0, 1ULL << 40, NULL,
	 "start counting so many milliseconds later"},
	{"repeat", 'r', OPTION_U64, OPT(repeat), "N", 1, 10000, NULL,
	 "measure so many times, and show the spread"},
	{"hist", 0, OPTION_FLAG, OPT(hist), NULL, 0, 0, NULL,
	 "draw the distributions; in JSON, their buckets"},
	{"no-hist", 0, OPTION_FLAG, OPT(no_hist), NULL, 0, 0, NULL,
	 "keep no distributions: the cheapest probe"},
	{"no-calibrate", 0, OPTION_FLAG, OPT(no_calibrate), NULL, 0, 0, NULL,
	 "show raw numbers, the probe's own cost included"},
	{"sample", 0, OPTION_CALL, 0, "N|auto[:SHARE]", 0, 0, set_sample,
	 "count all runs, but measure one in so many; auto: in as\n"
	 "                                 many as keep the added cost under SHARE of a CPU (1%)"},
	{"json", 'j', OPTION_FLAG, OPT(json), NULL, 0, 0, NULL,
	 "write JSON (a line per interval with -I)"},
	{"field-separator", 'x', OPTION_STRING, OPT(sep), "SEP", 0, 0, NULL,
	 "write CSV with this separator, columns as perf's"},
	{"output", 'o', OPTION_STRING, OPT(output), "FILE", 0, 0, NULL, "write there"},
	{"append", 0, OPTION_FLAG, OPT(append), NULL, 0, 0, NULL, "add to the file of -o"},
	{"verbose", 'v', OPTION_COUNT, OPT(verbose), NULL, 0, 0, NULL,
	 "say more (-vv: also what libbpf says)"},
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
	.rows = stat_rows,
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
	const struct {
		bool bad;
		const char *text;
	} checks[] = {
		{!o->selectors.cnt,
		 "no target: give --prog-id, --name, --tag, --pinned, --type or --all; "
		 "'bprof list' shows the loaded programs"},
		{o->hist && o->no_hist, "--hist and --no-hist: choose one"},
		{o->sample_share && o->no_calibrate,
		 "--sample auto and --no-calibrate: what the probe adds to a run is found out by "
		 "calibration; give --sample N"},
		{o->json && o->sep, "-j and -x: choose one format"},
		{o->sep && !*o->sep, "-x: the separator is empty"},
		{o->sep && strpbrk(o->sep, "\"\n"),
		 "-x: a quote or a newline cannot separate fields"},
		{o->append && !o->output, "--append: it needs -o FILE"},
		{o->loop.interval_count && !o->loop.interval_ms, "--interval-count: it needs -I"},
		{o->all_cpus && o->cpus.cnt, "-a and -C: choose all CPUs or some"},
		{o->repeat > 1 && o->loop.interval_ms, "-r and -I: repeats have no intervals"},
		{o->repeat > 1 && !o->loop.command && !o->loop.timeout_ms,
		 "-r: it needs a COMMAND or --timeout to repeat"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].bad)
			return log_err(-EINVAL, "%s", checks[i].text);
	return 0;
}

/* cycles,instructions where the PMU has one of them, else time. */
static int default_events(struct event_list *events)
{
	struct parse_error perr;
	int err = event_list__parse(events, "cycles,instructions", EVENT_SYSFS, &perr);

	if (err)
		return log_err(err, "cannot parse the default events");
	if (event__is_supported(&events->v[0], NULL) || event__is_supported(&events->v[1], NULL))
		return 0;
	event_list__free(events);
	log_warn("neither cycles nor instructions can be counted here: measuring time (see 'bprof "
		 "doctor')");
	return event_list__parse(events, "time", EVENT_SYSFS, &perr);
}

static int render(struct stat_run *r, struct report *report)
{
	int err;

	r->render.header = r->first_block;
	r->first_block = false;
	err = report__render(report, &r->render, r->out);
	if (err)
		log_err(err, "%s: cannot write the report: %s", r->o->output ?: "standard output",
			strerror(-err));
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
	int err = loop__run(loop, &r->o->loop, &loop_calls, r, &result);

	if (r->o->loop.progress)
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
	struct report **each = calloc(r->o->repeat, sizeof(*each));
	struct snapshot *first = NULL;
	struct report *whole = NULL;
	int cnt = 0, err = each ? 0 : log_err(-ENOMEM, "out of memory");

	while (!err && (__u64)cnt < r->o->repeat && !r->interrupted) {
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
	if (!o->output)
		return 0;
	*out = fopen(o->output, o->append ? "ae" : "we");
	return *out ? 0 : log_err(-errno, "-o %s: %s", o->output, strerror(errno));
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
		err = r->o->loop.interval_ms ? measure_intervals(r, loop, status)
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
	o->loop.fd_limit = lim;
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
	r.result = (struct result_opts){.command = argv, .per_cpu = o->per_cpu, .buckets = o->hist};
	r.render = (struct render_opts){
		.format = o->json  ? OUTPUT_JSON
			  : o->sep ? OUTPUT_CSV
				   : OUTPUT_TEXT,
		.sep = o->sep,
		.color = wants_color(r.out),
		.interval = o->loop.interval_ms,
		.per_cpu = o->per_cpu,
		.verbose = o->verbose,
	};
	err = (o->events.cnt ? 0 : default_events(&o->events)) ?:
	      target_list__select(&o->selectors, o->func, &targets) ?:
	      session__open(&targets, &o->events, &o->cpus, &session, &r.s);
	clock_gettime(CLOCK_REALTIME, &r.result.started);
	if (!err)
		err = run_session(&r, status);
	snapshot__free(r.last);
	snapshot__free(r.end);
	session__close(r.s);
	if (r.out != stdout && fclose(r.out) && !err)
		err = log_err(-errno, "-o %s: %s", o->output, strerror(errno));
	return err;
}

static int list_events(void)
{
	int err = event_list__print_all(stdout, EVENT_SYSFS, event__is_supported, NULL);

	if (!err && fflush(stdout))
		err = -EIO;
	if (!err)
		return EXIT_DONE;
	log_err(err, "cannot list the events: %s", strerror(-err));
	return EXIT_FAILED;
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
	struct stat_opts o = {.repeat = 1, .sample = 1};
	int err, rest, command_status = 0, status = EXIT_USAGE;

	err = options__parse(&stat_spec, &o, argc, argv, &rest);
	if (err > 0)
		status = EXIT_DONE;
	if (err)
		goto out;
	log_level = o.verbose;
	log__libbpf_init();
	if (o.list_events) {
		status = list_events();
		goto out;
	}
	if (rest < argc)
		o.loop.command = argv + rest;
	if (o.sep && !strcmp(o.sep, "\\t")) /* as perf has it */
		o.sep = "\t";
	if (check_options(&o))
		goto out;
	if (o.sample_share) {
		o.loop.first_look_ms = SAMPLE_FIRST_LOOK_MS;
		o.loop.look_ms = SAMPLE_LOOK_MS;
	}
	o.loop.progress = isatty(STDERR_FILENO) && !o.loop.interval_ms && !o.loop.command;
	err = run_stat(&o, argv, &command_status);
	status = exit_status(err, command_status);
out:
	selector_list__free(&o.selectors);
	event_list__free(&o.events);
	cpus__free(&o.cpus);
	return status;
}
