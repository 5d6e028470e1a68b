// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recording. Owns the order of things: targets, their code, the sampling program, the events, the loop;
 * and what is made of the counts. Must not know what becomes of a recording.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ip_sampler.h"
#include "log.h"
#include "reason.h"
#include "record_target.h"
#include "recording.h"
#include "result_host.h"
#include "sample_events.h"
#include "util.h"

#define MAX_FREQ 1000000
#define OPT(member) offsetof(struct record_opts, member)

static int add_event(void *options, const struct option_row *row, const char *arg)
{
	struct record_opts *o = options;

	o->measure.events.max = 1;
	return measure_opts__add_events(&o->measure, arg);
}

const struct option_row sample_rows[] = {
	{"event", 'e', OPTION_CALL, 0, "EVENT", 0, 0, add_event,
	 "what samples are taken of (default: cycles:P or instructions,\n"
	 "                                 or cpu-clock where no PMU samples)"},
	{"freq", 'F', OPTION_U64, OPT(freq), "HZ", 1, MAX_FREQ, NULL,
	 "so many samples a second on each CPU (default: 4000)"},
	{"count", 'c', OPTION_U64, OPT(period), "PERIOD", 1, 1ULL << 62, NULL,
	 "a sample each time the event has come so often"},
	{},
};

int record_opts__check(const struct record_opts *o)
{
	const struct option_check checks[] = {
		{!o->targets.selectors.cnt, target_opts_missing},
		{o->freq && o->period, "-F and -c: choose a frequency or a period"},
	};

	return options__check(checks, ARRAY_SIZE(checks));
}

void record_opts__free(struct record_opts *o)
{
	target_opts__free(&o->targets);
	measure_opts__free(&o->measure);
}

/* One recording under way. */
struct recording {
	const struct record_opts *o;
	struct target_list targets;
	struct record *r;
	struct ip_ranges ranges;
	struct ip_sampler *sampler;
	struct sample_events *events;
	struct loop_opts loop;
	__u64 start_ns;
	int err; /* of the stop */
};

/* ---- targets ---- */

/* The targets of one program. */
struct wanted {
	const struct target_list *targets;
	__u32 id;
};

/* A program that was selected as such is wanted with all its functions. */
static bool wants(const struct record_func *f, const void *arg)
{
	const struct wanted *w = arg;

	for (int i = 0; i < w->targets->cnt; i++) {
		const struct target *t = &w->targets->v[i];

		if (t->id == w->id && (!t->by_func || !strcmp(t->func, f->name)))
			return true;
	}
	return false;
}

static bool is_there(const struct record *r, __u32 id)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].id == id)
			return true;
	return false;
}

/* The program of each target, once; what cannot be sampled is skipped. */
static int add_programs(struct recording *rec)
{
	struct target_list *targets = &rec->targets;
	struct reason reason;
	int err, i = 0;

	while (i < targets->cnt) {
		const struct target *t = &targets->v[i];
		const struct wanted wanted = {.targets = targets, .id = t->id};

		err = is_there(rec->r, t->id) ? 0
					      : record__add_target(rec->r, t->prog, wants, &wanted,
								   &rec->ranges, &reason);
		if (err == -ENOMEM)
			return log_err(err, "out of memory");
		if (err == -E2BIG)
			return log_err(err, "the targets have more code than can be sampled at "
					    "once; choose fewer of them");
		if (err)
			err = target_list__skip(targets, i, &reason);
		else
			i++;
		if (err)
			return err;
	}
	return rec->ranges.cnt ? 0 : log_err(-ENODATA, "there is nothing that can be sampled");
}

static int keep_skipped(const struct recording *rec)
{
	int err = 0;

	for (int i = 0; !err && i < rec->targets.skip_cnt; i++) {
		const struct skipped *s = &rec->targets.skip[i];
		char text[512];

		err = report__skip(rec->r->head, s->id, s->name, reason__spec(s->reason.code)->name,
				   reason__advise(&s->reason, text, sizeof(text)));
	}
	return err;
}

/* ---- samples ---- */

static __u64 count_taken(void *arg, int cpu)
{
	const struct recording *rec = arg;

	return ip_sampler__cpu(rec->sampler, cpu)->samples;
}

static int open_events(struct recording *rec)
{
	const struct measure_opts *m = &rec->o->measure;
	const struct sample_spec spec = {
		.event = m->events.cnt ? m->events.v : NULL,
		.freq = rec->o->freq
				?: rec->o->period ? 0
						  : SAMPLE_DEFAULT_FREQ,
		.period = rec->o->period,
	};
	struct cpus cpus = {};
	int err = m->cpus.cnt ? cpus__dup(&m->cpus, &cpus) : cpus__online(&cpus);

	if (err)
		return log_err(err, "cannot read which CPUs are online: %s", strerror(-err));
	err = sample_events__open(&spec, &cpus, &rec->events);
	cpus__free(&cpus);
	if (err)
		return err;
	rec->r->frequency = spec.freq;
	rec->r->period = spec.period;
	rec->r->head->host.cpus = sample_events__cpus(rec->events)->cnt;
	rec->r->event = strdup(sample_events__name(rec->events));
	return rec->r->event ? 0 : log_err(-ENOMEM, "out of memory");
}

static int open_sampler(struct recording *rec)
{
	struct cpus possible = {};
	int err = cpus__possible(&possible), fd;

	if (err)
		return log_err(err, "cannot read which CPUs there are: %s", strerror(-err));
	err = ip_sampler__open(&rec->ranges, cpus__limit(&possible), &rec->sampler);
	cpus__free(&possible);
	if (err)
		return err;
	fd = ip_sampler__prog_fd(rec->sampler);
	err = sample_events__attach(rec->events, fd);
	if (!err)
		rec->r->samples.cost_ns = sample_events__cost(rec->events, fd, count_taken, rec);
	return err;
}

static int start(void *arg)
{
	struct recording *rec = arg;

	ip_sampler__clear(rec->sampler);
	rec->start_ns = now_ns();
	clock_gettime(CLOCK_REALTIME, &rec->r->head->started);
	return sample_events__enable(rec->events, true);
}

static void stop(void *arg)
{
	struct recording *rec = arg;

	rec->err = sample_events__enable(rec->events, false);
	rec->r->head->elapsed_ns = now_ns() - rec->start_ns;
}

static void show_progress(void *arg)
{
	struct recording *rec = arg;
	const struct cpus *cpus = sample_events__cpus(rec->events);
	__u64 taken = 0, in_targets = 0;

	if (!rec->start_ns)
		return;
	for (int i = 0; i < cpus->cnt; i++) {
		taken += ip_sampler__cpu(rec->sampler, cpus->id[i])->samples;
		in_targets += ip_sampler__cpu(rec->sampler, cpus->id[i])->in_targets;
	}
	fprintf(stderr, "\r%5.0f s, %llu samples, %llu in the targets; Ctrl-C ends it ",
		(now_ns() - rec->start_ns) / 1e9, taken, in_targets);
}

static int run_loop(struct recording *rec, int *status)
{
	static const struct loop_calls calls = {
		.start = start, .stop = stop, .progress = show_progress};
	struct loop_result result;
	struct loop *loop;
	int err = loop__open(&loop);

	if (err)
		return err;
	rec->loop = rec->o->measure.loop;
	rec->loop.progress = isatty(STDERR_FILENO) && !rec->loop.command;
	err = loop__run(loop, &rec->loop, &calls, rec, &result) ?: rec->err;
	if (rec->loop.progress)
		fputs("\r\033[K", stderr);
	loop__close(loop);
	if (!err && result.status)
		*status = result.status;
	if (!err && !rec->start_ns)
		err = log_err(-ENODATA, "it ended before the delay (-D) was over: nothing was "
					"recorded");
	return err;
}

/*
 * How often a sample was due that was not taken: the event has gone on for longer than the periods that
 * samples ended.
 */
static __u64 count_lost(const struct record *r, const struct sample_count *event,
			const struct bprof_ip_cpu *cpu)
{
	if (cpu->samples && event->value > cpu->weight)
		return (event->value - cpu->weight) / (cpu->weight / cpu->samples ?: 1);
	if (cpu->samples)
		return 0;
	return r->period      ? event->value / r->period
	       : event->value ? event->running_ns / 1e9 * r->frequency
			      : 0;
}

static int take_samples(struct recording *rec)
{
	const struct cpus *cpus = sample_events__cpus(rec->events);
	struct record_samples *s = &rec->r->samples;
	int err = 0;

	for (int i = 0; !err && i < cpus->cnt; i++) {
		const struct bprof_ip_cpu *cpu = ip_sampler__cpu(rec->sampler, cpus->id[i]);
		struct sample_count event;

		err = sample_events__read(rec->events, i, &event);
		if (err)
			return err;
		s->taken += cpu->samples;
		s->weight += cpu->weight;
		s->in_targets += cpu->in_targets;
		s->weight_in_targets += cpu->weight_in_targets;
		s->lost += count_lost(rec->r, &event, cpu);
		s->throttled += event.throttled;
		s->enabled_ns += event.enabled_ns;
		s->running_ns += event.running_ns;
	}
	err = record__take_samples(rec->r, &rec->ranges, rec->sampler) ?: keep_skipped(rec);
	return err ? log_err(err, "out of memory") : 0;
}

int record__make(const struct record_opts *o, char **argv, struct record **out, int *status)
{
	struct recording rec = {.o = o, .r = record__new()};
	int err = rec.r ? result__fill_host(rec.r->head, argv) : -ENOMEM;

	*out = NULL;
	if (err) {
		log_err(err, "out of memory");
		goto out;
	}
	rec.r->head->host.jit = true;
	err = target_list__select(&o->targets.selectors, o->targets.func, &rec.targets) ?:
	      add_programs(&rec) ?: open_events(&rec) ?: open_sampler(&rec) ?:
	      run_loop(&rec, status) ?: take_samples(&rec);
	if (err)
		goto out;
	*out = rec.r;
	rec.r = NULL;
out:
	sample_events__close(rec.events);
	ip_sampler__close(rec.sampler);
	ip_ranges__free(&rec.ranges);
	target_list__free(&rec.targets);
	record__free(rec.r);
	return err;
}
