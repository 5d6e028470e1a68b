// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The samples backend: estimates the cost of a program from the samples of each event that hit the
 * program's code or what the code calls (sampling.h), and reads the kernel's count of the program's
 * runs (BPF_ENABLE_STATS). Nothing is attached to the program, so the backend also measures programs
 * that cannot be probed: programs without BTF, and programs entered by a tail call. Its overhead
 * does not grow with the number of runs.
 *
 * It samples on all CPUs because the kernel also counts runs on all CPUs. The BPF program that
 * counts samples gets its address ranges when it is loaded. So all targets must be known before it
 * is loaded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "base/log.h"
#include "base/memory.h"
#include "sampling/target_samples.h"
#include "target/entries.h"
#include "target/target.h"

#define MAX_NAMED_ENTRIES 4

struct samples {
	const struct backend_env *env;
	int stats_fd; /* the kernel counts runs while this descriptor is open */
	bool ready;   /* the sampling program is loaded, so no more targets can be added */
	struct target_samples ts;
	/*
	 * Set by refresh(): the sums so far, and the share of the time since the previous refresh()
	 * during which the event had a counter.
	 */
	struct record_samples sum[BPROF_MAX_EVENTS];
	double share[BPROF_MAX_EVENTS];
	/* The largest number of lost samples so far: a later estimate may be lower. */
	__u64 lost[BPROF_MAX_EVENTS];
	/* The CPUs on which the event was not always sampled, although they were online. */
	struct cpus gaps[BPROF_MAX_EVENTS];
	/* For each CPU of the event, how long it was enabled up to the last refresh(); or NULL */
	__u64 *enabled_ns[BPROF_MAX_EVENTS];
};

struct samples_target {
	struct sampled_code code;
	struct entries entries;
	__u64 runs; /* at the last read_target() */
	/*
	 * How many of these runs were not sampled because the event had no counter; indexed like
	 * events.
	 */
	double uncovered[BPROF_MAX_EVENTS];
};

static void samples_close(void *state)
{
	struct samples *sm = state;

	if (!sm)
		return;
	for (int i = 0; i < BPROF_MAX_EVENTS; i++) {
		cpus__free(&sm->gaps[i]);
		free(sm->enabled_ns[i]);
	}
	target_samples__close(&sm->ts);
	if (sm->stats_fd >= 0)
		close(sm->stats_fd);
	free(sm);
}

static int samples_open(const struct backend_env *env, void **state, struct reason *reason)
{
	struct samples *sm = xcalloc(1, sizeof(*sm));
	int err;

	sm->env = env;
	sm->stats_fd = run_stats__enable(reason);
	err = sm->stats_fd < 0 ? sm->stats_fd
			       : target_samples__open(&sm->ts, env->events, env->fds,
						      env->opts.sample_freq, reason);
	if (err)
		samples_close(sm);
	else
		*state = sm;
	return err;
}

/*
 * Disables the events that only a probe would read, so that sampling gets their counters. Otherwise
 * the kernel would multiplex the events.
 */
static void free_counters(const struct backend_env *env)
{
	for (int i = 0; i < env->events->cnt; i++)
		for (int k = 0; env->fds->state[i].status == EVENT_OK && k < env->cpus.cnt; k++)
			if (env->events->v[i].kind != EVENT_TIME)
				event_fds__enable(env->fds, i, env->cpus.id[k], false);
}

static int samples_ready(void *state, struct reason *reason)
{
	struct samples *sm = state;

	sm->ready = true;
	if (sm->ts.ranges.cnt && !sm->env->fds_read)
		free_counters(sm->env);
	return target_samples__attach(&sm->ts, reason);
}

static void samples_start(void *state)
{
	target_samples__enable(&((struct samples *)state)->ts, true);
}

static void samples_stop(void *state)
{
	target_samples__enable(&((struct samples *)state)->ts, false);
}

static void samples_close_target(struct target *t)
{
	struct samples_target *st = t->priv;

	if (!st)
		return;
	entries__free(&st->entries);
	free(st);
	t->priv = NULL;
}

static int samples_open_target(void *state, struct target *t, struct reason *reason)
{
	struct samples *sm = state;
	struct samples_target *st;
	int err;

	if (sm->ready)
		return reason__set(reason, REASON_METHOD, EBUSY,
				   "it was loaded after sampling began");
	st = xcalloc(1, sizeof(*st));
	t->priv = st;
	err = target_samples__add(&sm->ts, t->prog, &st->code, reason);
	if (err)
		samples_close_target(t);
	else
		entries__find(sm->env->targets, t, &st->entries);
	return err;
}

/* Reads the sums of one event. */
static void refresh_event(struct samples *sm, int i, const struct cpus *online)
{
	const struct cpus *cpus = sampling__cpus(sm->ts.sampling[i]);
	__u64 *enabled_ns = xcalloc(cpus->cnt, sizeof(*enabled_ns));
	struct record_samples now;
	double enabled;

	if (sampling__sum(sm->ts.sampling[i], &now, enabled_ns)) {
		free(enabled_ns);
		return; /* already reported */
	}
	enabled = now.enabled_ns - sm->sum[i].enabled_ns;
	sm->share[i] = enabled > 0 ? (now.running_ns - sm->sum[i].running_ns) / enabled : 1;
	sm->sum[i] = now;
	sm->lost[i] = now.lost > sm->lost[i] ? now.lost : sm->lost[i];
	sampling__find_gaps(cpus, enabled_ns, sm->enabled_ns[i], online, &sm->gaps[i]);
	free(sm->enabled_ns[i]);
	sm->enabled_ns[i] = enabled_ns;
}

static void samples_refresh(void *state)
{
	struct samples *sm = state;
	struct cpus online = {};

	if (sm->ts.ranges.cnt)
		cpus__online(&online);
	for (int i = 0; i < sm->env->events->cnt; i++)
		if (sm->ts.sampling[i] && sampling__sampler(sm->ts.sampling[i]))
			refresh_event(sm, i, &online);
	cpus__free(&online);
}

static int samples_read_target(const void *state, struct target *t, bool hists,
			       struct counts *per_cpu, struct counts *no_cpu)
{
	const struct samples *sm = state;
	struct samples_target *st = t->priv;
	int err = prog__refresh(t->prog) ?: entries__count_runs(&st->entries, &no_cpu->measured);

	if (err)
		return err;
	no_cpu->measured += t->prog->info.run_cnt;
	for (int i = 0; i < sm->env->events->cnt; i++) {
		struct event_counts *c = &no_cpu->event[sm->env->fds->state[i].slot];
		struct sampled_sum sum;

		if (!sm->ts.sampling[i])
			continue;
		sum = target_samples__sum(&sm->ts, i, &st->code);
		c->samples += sum.samples;
		c->total += sum.weight;
		c->taken = sm->sum[i].taken;
		c->lost_samples = sm->lost[i];
		st->uncovered[i] += (no_cpu->measured - st->runs) * (1 - sm->share[i]);
		c->uncovered = st->uncovered[i];
	}
	st->runs = no_cpu->measured;
	return 0;
}

/* ---- notes and totals for the report ---- */

static const char *samples_not_counted(const void *state, const struct target *t, int event,
				       const struct event_counts *c)
{
	const struct record_samples all = {.taken = c->taken, .lost = c->lost_samples};
	const struct samples *sm = state;

	if (!sm->ts.sampling[event])
		return sm->ts.why[event].detail;
	if (sampling__lost_too_many(prog_type__name(t->prog->info.type), c->samples, &all))
		return "too many samples were lost; take fewer (-F)";
	return NULL;
}

/*
 * Adds a note that names the programs that may jump to the target by a tail call: the number of the
 * target's runs includes the runs of these programs.
 */
static void note_entries(const struct samples_target *st, struct report_notes *notes)
{
	char names[MAX_NAMED_ENTRIES * 48] = "", more[32] = "";
	int len = 0, cnt = st->entries.cnt;

	if (!cnt)
		return;
	for (int i = 0; i < cnt && i < MAX_NAMED_ENTRIES; i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%u %.24s", i ? ", " : "",
				st->entries.v[i]->info.id, prog__name(st->entries.v[i]));
	if (cnt > MAX_NAMED_ENTRIES)
		snprintf(more, sizeof(more), " and %d more", cnt - MAX_NAMED_ENTRIES);
	report_notes__add(notes,
			  "the kernel does not count runs that enter it by a jump: its runs "
			  "include those of %s%s, "
			  "which may jump to it",
			  names, more);
}

static void samples_add_notes(const void *state, const struct target *t, struct report_prog *p)
{
	const struct samples *sm = state;
	const struct samples_target *st = t->priv;
	char cpus[64];
	int noted;

	note_entries(st, &p->notes);
	for (int i = 0; i < sm->env->events->cnt; i++)
		if (sm->gaps[i].cnt)
			report_notes__add(
				&p->notes,
				"%s was not always sampled on CPU %s: its numbers are too "
				"small, as the runs are those of all CPUs",
				sm->env->events->v[i].name,
				cpus__format(&sm->gaps[i], cpus, sizeof(cpus)));
	for (int i = 0; i < sm->env->events->cnt; i++)
		if (sm->ts.sampling[i] && !sampling__counts_calls(sm->ts.sampling[i]))
			report_notes__add(&p->notes,
					  "%s: without what it calls, because samples in it cannot "
					  "be found on this kernel",
					  sm->env->events->v[i].name);
	noted = p->notes.cnt;
	/* one note is enough even if several events lost samples */
	for (int i = 0; p->notes.cnt == noted && i < sm->env->events->cnt; i++) {
		if (sm->ts.sampling[i] && sm->sum[i].lost)
			sampling__note_losses(p->type,
					      target_samples__sum(&sm->ts, i, &st->code).samples,
					      sm->sum[i].lost, &p->notes);
	}
}

static void samples_fill_report(const void *state, struct report *r)
{
	const struct samples *sm = state;
	struct report_sampling *to = report__add_sampling(r);

	to->freq = sm->env->opts.sample_freq;
	for (int i = 0; sm->ts.ranges.cnt && i < sm->env->events->cnt; i++) {
		struct report_sampled_event *e;

		if (!sm->ts.sampling[i])
			continue;
		e = report_sampling__add_event(to);
		e->event = xstrdup(sampling__event(sm->ts.sampling[i]));
		e->sum = sm->sum[i];
	}
}

const struct counter_ops samples_ops = {
	.method = "samples",
	.caps = BACKEND_ESTIMATES_EVENTS | BACKEND_FIXED_TARGETS | BACKEND_SLOWS_PROBES,
	.open = samples_open,
	.open_target = samples_open_target,
	.ready = samples_ready,
	.start = samples_start,
	.stop = samples_stop,
	.refresh = samples_refresh,
	.read_target = samples_read_target,
	.not_counted = samples_not_counted,
	.add_notes = samples_add_notes,
	.fill_report = samples_fill_report,
	.close_target = samples_close_target,
	.close = samples_close,
};
