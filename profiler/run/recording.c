// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes a recording. Owns the sequence of steps (targets, their code, events, the sampling program,
 * the loop) and decides which counts are kept. Must not know how the recording is used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "backend/counter.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/util.h"
#include "btf/reason.h"
#include "host/cpus.h"
#include "result/result_common.h"
#include "run/progress.h"
#include "run/recording.h"
#include "sampling/kernel_names.h"
#include "sampling/record_target.h"
#include "sampling/sampling.h"

#define DEFAULT_DEPTH 1

#define OPT(member) offsetof(struct record_opts, member)

static int set_sample_event(void *options, const struct option_row *row, const char *arg)
{
	struct record_opts *o = options;
	struct event_list *events = &o->measure.events;
	int err;

	events->max = 1;
	err = event_list__add_option(events, row, arg);
	/* For a tracepoint, the kernel runs no program of type perf_event. */
	if (!err && events->v[0].type == PERF_TYPE_TRACEPOINT)
		err = log_err(-EINVAL,
			      "-e %s: tracepoints can be counted (bprof stat, system), but not "
			      "sampled",
			      arg);
	return err;
}

const struct option_row sample_func_rows[] = {
	OPTION("func", 0, OPTION_STRING, .member = offsetof(struct target_opts, func),
	       .arg = "GLOB",
	       .help = "use only the samples in those functions of the programs that match GLOB "
		       "(default: all functions). For one program only: --prog-id ID:GLOB"),
	{},
};

const struct option_row sample_rows[] = {
	OPTION("event", 'e', OPTION_CALL, .arg = "EVENT", .add = set_sample_event,
	       .help = "event to sample on (default: cycles:P, instructions or cpu-clock, the "
		       "first that the machine can sample)",
	       .arg_kind = ARG_EVENT),
	OPTION("list-events", 0, OPTION_FLAG, .member = OPT(measure.list_events),
	       .help = "list the events that this machine can count, and exit; see 'bprof stat "
		       "--help'"),
	OPTION("freq", 'F', OPTION_U64, .member = OPT(freq), .arg = "HZ", .min = 1,
	       .max = SAMPLE_MAX_FREQ, .help = "samples per second on each CPU (default: 3989)"),
	OPTION("depth", 0, OPTION_U64, .member = OPT(depth), .arg = "N", .min = 1,
	       .max = BPROF_IP_CALLEES,
	       .help = "also keep called functions, down to N levels; 1: the functions that the "
		       "program calls, 2: also those that they call, ... (default: 1; annotate "
		       "-i: all levels that the recording has)"),
	OPTION("count", 'c', OPTION_U64, .member = OPT(period), .arg = "PERIOD", .min = 1,
	       .max = 1ULL << 62,
	       .help = "take a sample every PERIOD occurrences of the event, instead of -F"),
	{},
};

int record_opts__check(const struct record_opts *o)
{
	const struct option_check checks[] = {
		{o->freq && o->period, "-F and -c: choose a frequency or a period"},
	};

	return target_opts__check(&o->targets, o->measure.loop.command)
		       ?: measure_opts__check_loop(&o->measure.loop)
		       ?: options__check(checks, ARRAY_SIZE(checks));
}

void record_opts__free(struct record_opts *o)
{
	target_opts__free(&o->targets);
	measure_opts__free(&o->measure);
}

/* The state while a recording is made. */
struct recording {
	const struct record_opts *o;
	struct target_list targets;
	struct record *r;
	struct ip_ranges ranges;
	struct sampling *sampling;
	struct kernel_names *names;
	int stats_fd; /* while it is open, the kernel counts runs; -1: the kernel does not count */
	struct loop_opts loop;
	__u64 start_ns;	  /* when sampling started; 0: not yet */
	__u64 elapsed_ns; /* how long sampling was on, up to the last stop */
	struct cpus gaps; /* CPUs on which the event was not always sampled */
};

/* ---- targets ---- */

/* The argument of wants_recorded_func(): the program whose functions are recorded. */
struct wanted_funcs {
	const struct target_list *targets;
	__u32 id;
};

/*
 * Returns true if samples in the function are wanted: it is a target, or its program was selected
 * without --func.
 */
static bool wants_recorded_func(const struct record_func *f, const void *arg)
{
	const struct wanted_funcs *w = arg;
	const struct target *t = NULL;

	while ((t = target_list__next(w->targets, w->id, t)))
		if (!t->by_func || !strcmp(t->func, f->name))
			return true;
	return false;
}

static bool has_prog(const struct record *r, __u32 id)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].id == id)
			return true;
	return false;
}

/* Adds each target's program once to the recording. Skips targets that cannot be sampled. */
static int add_target_programs(struct recording *rec)
{
	struct target_list *targets = &rec->targets;
	struct reason reason;
	int err, i = 0;

	while (i < targets->cnt) {
		const struct target *t = &targets->v[i];
		const struct wanted_funcs wanted = {.targets = targets, .id = t->id};

		err = has_prog(rec->r, t->id)
			      ? 0
			      : record__add_target(rec->r, t->prog, wants_recorded_func, &wanted,
						   rec->names, &rec->ranges, &reason);
		if (err == -E2BIG)
			return log_err(err, "the targets have more code than can be sampled at "
					    "once; choose fewer of them");
		if (err)
			target_list__skip(targets, i, &reason);
		else
			i++;
	}
	target_list__report_skipped(targets);
	return rec->ranges.cnt ? 0
			       : log_err(target_list__why_none(targets),
					 "none of the targets can be sampled");
}

static void keep_skipped(const struct recording *rec)
{
	for (int i = 0; i < rec->targets.skip_cnt; i++) {
		const struct skipped *s = &rec->targets.skip[i];
		char text[512];

		report__skip(rec->r->head, s->id, s->name, reason__spec(s->reason.code)->name,
			     reason__advise(&s->reason, text, sizeof(text)));
	}
}

/* ---- samples ---- */

static int open_sample_events(struct recording *rec)
{
	const struct measure_opts *m = &rec->o->measure;
	struct sample_spec spec = {
		.event = m->events.cnt ? m->events.v : NULL,
		.freq = rec->o->freq
				?: rec->o->period ? 0
						  : sample_events__default_freq(),
		.period = rec->o->period,
		.calls = {.find = true, .depth = rec->o->depth ?: DEFAULT_DEPTH},
	};
	struct reason reason;
	struct cpus cpus = {};
	int err = cpus__choose(&m->cpus, NULL, &cpus, NULL);

	if (err)
		return err;
	kernel_names__find_interrupts(rec->names, &spec.calls);
	if (!spec.calls.irq_start)
		log_info("interrupts of the targets count as their calls: the kernel's symbols do "
			 "not show where interrupts enter it");
	err = sampling__open(&spec, &cpus, &rec->sampling, &reason);
	cpus__free(&cpus);
	if (err)
		return log_err(err, "event %s: %s", spec.event ? spec.event->name : "cpu-clock",
			       reason.detail);
	rec->r->frequency = spec.freq;
	rec->r->period = spec.period;
	rec->r->head->host.cpus = sampling__cpus(rec->sampling)->cnt;
	rec->r->event = xstrdup(sampling__event(rec->sampling));
	return 0;
}

static int attach_program(struct recording *rec)
{
	struct reason reason = {};
	char text[512];
	int err = sampling__attach(rec->sampling, &rec->ranges, &reason);

	if (err)
		return log_err(err, "the sampling program %s",
			       reason__advise(&reason, text, sizeof(text)));
	rec->r->calls = sampling__counts_calls(rec->sampling);
	sampling__measure_cost(rec->sampling);
	return 0;
}

/*
 * Enables the kernel's run statistics. If that fails, the recording only lacks the number and the
 * time of the runs. The statistics are sums over all CPUs, so they are not used if only some CPUs
 * are sampled.
 */
static void enable_run_stats(struct recording *rec)
{
	struct reason reason;
	char text[512];

	if (rec->o->measure.cpus.cnt)
		return;
	rec->stats_fd = run_stats__enable(&reason);
	if (rec->stats_fd < 0)
		log_info("the time of the runs is not known: %s",
			 reason__describe(&reason, text, sizeof(text)));
	rec->r->run_stats = rec->stats_fd >= 0;
}

/*
 * Adds the kernel's run statistics, times sign, to each program's counts. A call with -1 before
 * sampling and a call with 1 after it leave the difference.
 */
static void add_run_stats(struct recording *rec, int sign)
{
	for (int i = 0; rec->stats_fd >= 0 && i < rec->r->prog_cnt; i++) {
		struct record_prog *p = &rec->r->prog[i];
		struct prog *prog = target_list__next(&rec->targets, p->id, NULL)->prog;

		int err = prog__refresh(prog);

		if (err && rec->r->run_stats)
			log_warn("the programs' runs are not known: run_stats of program %u: %s",
				 p->id, strerror(-err));
		rec->r->run_stats &= !err;
		p->runs += sign * prog->info.run_cnt;
		p->run_time_ns += sign * prog->info.run_time_ns;
	}
}

int recording__enable(struct recording *rec, bool on)
{
	if (!on) {
		int err = sampling__enable(rec->sampling, false);

		add_run_stats(rec, 1);
		rec->elapsed_ns += now_ns() - rec->start_ns;
		rec->r->head->elapsed_ns = rec->elapsed_ns;
		return err;
	}
	if (!rec->start_ns)
		clock_gettime(CLOCK_REALTIME, &rec->r->head->started);
	rec->start_ns = now_ns();
	add_run_stats(rec, -1);
	return sampling__enable(rec->sampling, true);
}

static int show_recording(struct recording *rec)
{
	struct record_samples sum;

	if (rec->start_ns && !sampling__sum(rec->sampling, &sum, NULL))
		progress__show("%5.0f s, %llu samples, %llu in the targets",
			       (now_ns() - rec->start_ns) / 1e9, sum.taken, sum.in_targets);
	return 0;
}

static int run_recording_loop(struct recording *rec, int *status)
{
	struct loop_result result;
	enum loop_event event;
	struct loop *loop;
	int err = loop__open(&loop);

	if (err)
		return err;
	rec->loop = rec->o->measure.loop;
	loop_opts__set_privileges(&rec->loop, PRIVILEGES_READ, rec->o->measure.output.file);
	rec->loop.progress = progress__is_wanted() && !rec->loop.command;
	err = loop__begin(loop, &rec->loop);
	while ((event = loop__next(loop, err)))
		err = event == LOOP_START      ? recording__enable(rec, true)
		      : event == LOOP_STOP     ? recording__enable(rec, false)
		      : event == LOOP_PROGRESS ? show_recording(rec)
					       : 0;
	err = loop__end(loop, &result);
	if (rec->loop.progress)
		progress__end();
	loop__close(loop);
	if (result.status)
		*status = result.status;
	if (!err && !rec->start_ns)
		err = log_err(-ENODATA, "nothing was recorded: it ended before the delay (-D) "
					"was over");
	return err;
}

/*
 * Notes on which CPUs the event was not always sampled: the statistics of runs include these CPUs.
 * With -C, the other CPUs are left out on purpose.
 */
static void note_gaps(struct recording *rec, const __u64 *enabled_ns)
{
	const struct cpus *given = &rec->o->measure.cpus;
	struct cpus online = {}, others = {}, wanted = {};
	int noted = rec->gaps.cnt;

	if (cpus__online(&online))
		return;
	if (given->cnt)
		cpus__minus(&online, given, &others);
	cpus__minus(&online, &others, &wanted);
	sampling__find_gaps(sampling__cpus(rec->sampling), enabled_ns, NULL, &wanted, &rec->gaps);
	if (rec->gaps.cnt > noted)
		record__note_gaps(rec->r, &rec->gaps);
	cpus__free(&online);
	cpus__free(&others);
	cpus__free(&wanted);
}

int recording__read(struct recording *rec, const struct record **out)
{
	__u64 *enabled_ns = xcalloc(sampling__cpus(rec->sampling)->cnt, sizeof(*enabled_ns));
	int err = sampling__sum(rec->sampling, &rec->r->samples, enabled_ns);

	*out = rec->r;
	if (!err)
		note_gaps(rec, enabled_ns);
	free(enabled_ns);
	if (err)
		return err;
	/* Remove the samples of the last call. */
	for (int i = 0; i < rec->r->prog_cnt; i++) {
		struct record_prog *p = &rec->r->prog[i];

		free(p->place);
		free(p->call);
		record_prog__free_callees(p);
		p->place = p->call = NULL;
		p->place_cnt = p->call_cnt = 0;
	}
	record__read_samples(rec->r, &rec->ranges, rec->names, sampling__sampler(rec->sampling));
	return 0;
}

int recording__open(const struct record_opts *o, char **argv, struct recording **out)
{
	struct recording *rec = xcalloc(1, sizeof(*rec));
	int err;

	*out = NULL;
	rec->stats_fd = -1;
	rec->names = kernel_names__new();
	rec->r = record__new();
	err = result__fill_host(rec->r->head, argv);
	if (err) {
		recording__close(rec);
		return result__fail(err);
	}
	rec->o = o;
	rec->r->head->host.jit = true;
	enable_run_stats(rec);
	/*
	 * Check the file after the permissions: without root, the message on permissions is more
	 * useful.
	 */
	err = target_list__select(&o->targets.selectors, o->targets.func, &rec->targets) ?:
	      add_target_programs(rec) ?:
	      open_sample_events(rec) ?: output__check(o->measure.output.file) ?: attach_program(rec);
	if (err)
		recording__close(rec);
	else
		*out = rec;
	return err;
}

void recording__close(struct recording *rec)
{
	if (!rec)
		return;
	sampling__close(rec->sampling);
	if (rec->stats_fd >= 0)
		close(rec->stats_fd);
	cpus__free(&rec->gaps);
	ip_ranges__free(&rec->ranges);
	kernel_names__free(rec->names);
	target_list__free(&rec->targets);
	record__free(rec->r);
	free(rec);
}

int record__make(struct record_opts *o, char **argv, struct record **out, int *status)
{
	const struct record *samples;
	struct recording *rec;
	int err;

	*out = NULL;
	raise_fd_limit(&o->measure.loop.fd_limit);
	err = recording__open(o, argv, &rec);
	if (err)
		return err;
	err = run_recording_loop(rec, status) ?: recording__read(rec, &samples);
	if (!err) {
		record__note_losses(rec->r);
		keep_skipped(rec);
		*out = rec->r;
		rec->r = NULL;
	}
	recording__close(rec);
	return err;
}
