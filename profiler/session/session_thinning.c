// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Between the sampler and the probes. Owns what each probe had counted at the last look; must not
 * know how a period is chosen.
 *
 * The probes' memory is shared with them, and each field but one has one writer (bpf/probe.h). The
 * countdown has two: where both write at once one of them is lost, which moves the next measured run
 * a little, and no count.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "backend/fentry/probe_stat.h"
#include "base/thinning.h"
#include "session/session.h"
#include "session/session_thinning.h"
#include "base/util.h"

/* What a target had on a CPU at the last look. */
struct last_look {
	__u64 seen, measured;
};

struct session_thinning {
	int cpu_cnt, target_cnt;
	struct thinning_cpu *cpu;
	/* [index of CPU * target_cnt + target] */
	struct thinning_target *target;
	struct last_look *last;
	struct bprof_cpu_stat **stat; /* the probes' */
	/* Nested targets are sampled by whole runs: by CPU, all of them as one; else NULL. */
	struct thinning_target *whole;
	__u64 last_ns, wait_ns; /* of the last look, and how long it is to the next one */
};

/* A target that has ended has none any more. */
static bool has_probe(const struct target *t)
{
	return t->backend->ops->probe_stat && !t->frozen;
}

/* The targets that have a probe, on each CPU. */
static int find_stats(const struct session *s, struct session_thinning *ss)
{
	ss->target_cnt = 0;
	for (int i = 0; i < s->targets.cnt; i++)
		ss->target_cnt += has_probe(&s->targets.v[i]);
	ss->target = calloc(ss->cpu_cnt * ss->target_cnt + 1, sizeof(*ss->target));
	ss->last = calloc(ss->cpu_cnt * ss->target_cnt + 1, sizeof(*ss->last));
	ss->stat = calloc(ss->cpu_cnt * ss->target_cnt + 1, sizeof(*ss->stat));
	if (!ss->target || !ss->last || !ss->stat)
		return log_err(-ENOMEM, "out of memory");
	for (int c = 0; c < ss->cpu_cnt; c++) {
		struct bprof_cpu_stat **stat = ss->stat + c * ss->target_cnt;

		for (int i = 0; i < s->targets.cnt; i++) {
			const struct target *t = &s->targets.v[i];

			if (has_probe(t))
				*stat++ = t->backend->ops->probe_stat(t, s->env.cpus.id[c]);
		}
	}
	return 0;
}

static int new_cpus(const struct session *s, struct session_thinning *ss)
{
	const struct backend *b = session__prober(s);

	ss->cpu_cnt = s->env.cpus.cnt;
	ss->cpu = calloc(ss->cpu_cnt + 1, sizeof(*ss->cpu));
	if (s->env.nested)
		ss->whole = calloc(ss->cpu_cnt + 1, sizeof(*ss->whole));
	if (!ss->cpu || (s->env.nested && !ss->whole))
		return log_err(-ENOMEM, "out of memory");
	for (int c = 0; c < ss->cpu_cnt; c++) {
		const struct probe_cost *cost = b->ops->probe_cost(b->state, s->env.cpus.id[c]);

		if (!cost)
			return log_err(-EOPNOTSUPP,
				       "--sample auto: what the probe adds to a run could not "
				       "be measured; give a number");
		ss->cpu[c].share = s->env.opts.thin_share;
		ss->cpu[c].cost = *cost;
	}
	return 0;
}

/* Is there a probe, or may there be one? */
static bool is_needed(const struct session *s)
{
	if (s->env.opts.follow)
		return session__prober(s);
	for (int i = 0; i < s->targets.cnt; i++)
		if (has_probe(&s->targets.v[i]))
			return true;
	return false;
}

int session_thinning__new(const struct session *s, struct session_thinning **out)
{
	struct session_thinning *ss;
	int err;

	*out = NULL;
	if (!is_needed(s))
		return 0;
	ss = calloc(1, sizeof(*ss));
	err = ss ? new_cpus(s, ss) ?: find_stats(s, ss) : log_err(-ENOMEM, "out of memory");
	if (err)
		session_thinning__free(ss);
	else
		*out = ss;
	return err;
}

static void free_targets(struct session_thinning *ss)
{
	free(ss->target);
	free(ss->last);
	free(ss->stat);
}

/* What was known of a probe's target on that CPU; of a new one, that it may not run wild. */
static void carry_over(struct session_thinning *ss, const struct session_thinning *old, int c,
		       int i)
{
	struct bprof_cpu_stat *stat = ss->stat[i];

	for (int k = c * old->target_cnt; k < (c + 1) * old->target_cnt; k++) {
		if (old->stat[k] != stat)
			continue;
		ss->target[i] = old->target[k];
		ss->last[i] = old->last[k];
		return;
	}
	/* Until the next look nothing is known of its rate. */
	__atomic_store_n(&stat->quota, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&stat->over_period, thinning__over_period(&ss->cpu[c]), __ATOMIC_RELAXED);
}

int session_thinning__fit(struct session_thinning *ss, const struct session *s)
{
	struct session_thinning old;
	int err;

	if (!ss)
		return 0;
	old = *ss;
	err = find_stats(s, ss);
	for (int c = 0; !err && c < ss->cpu_cnt; c++)
		for (int i = 0; i < ss->target_cnt; i++)
			carry_over(ss, &old, c, c * ss->target_cnt + i);
	free_targets(&old);
	return err;
}

void session_thinning__free(struct session_thinning *ss)
{
	if (!ss)
		return;
	free(ss->cpu);
	free_targets(ss);
	free(ss->whole);
	free(ss);
}

/* Has anything run since the last look? */
static bool read_cpu(struct session_thinning *ss, int first)
{
	bool any = false;

	for (int i = first; i < first + ss->target_cnt; i++) {
		const struct bprof_cpu_stat *stat = ss->stat[i];
		__u64 measured = probe_stat__measured(stat);
		__u64 seen = measured + __atomic_load_n(&stat->thinned_out, __ATOMIC_RELAXED) +
			     __atomic_load_n(&stat->lost_overflow, __ATOMIC_RELAXED);

		ss->target[i].seen = seen - ss->last[i].seen;
		ss->target[i].measured = measured - ss->last[i].measured;
		any |= ss->target[i].seen || ss->target[i].rate;
		ss->last[i] = (struct last_look){seen, measured};
	}
	return any;
}

/* Only what changes is written: the probe's CPU has the line. */
static void set_u64(__u64 *field, __u64 v)
{
	if (__atomic_load_n(field, __ATOMIC_RELAXED) != v)
		__atomic_store_n(field, v, __ATOMIC_RELAXED);
}

static void set_cpu(struct session_thinning *ss, const struct thinning_cpu *cpu, int first)
{
	for (int i = first; i < first + ss->target_cnt; i++) {
		const struct thinning_target *t = &ss->target[i];
		struct bprof_cpu_stat *stat = ss->stat[i];

		set_u64(&stat->over_period, thinning__over_period(cpu));
		set_u64(&stat->period, t->period);
		set_u64(&stat->quota, ss->last[i].measured + t->quota);
		/* What was left of a longer period would hold up the first run of this one. */
		if (t->quota && __atomic_load_n(&stat->countdown, __ATOMIC_RELAXED) >= t->period)
			__atomic_store_n(&stat->countdown, t->period - 1, __ATOMIC_RELAXED);
	}
}

/*
 * One period for all, as the outermost target of a run decides for what it calls. Of the quota,
 * which is of calls, each has the part that it had of the calls.
 */
static void plan_whole(struct session_thinning *ss, int c, __u64 elapsed_ns)
{
	struct thinning_target *t = ss->target + c * ss->target_cnt, *whole = &ss->whole[c];

	whole->seen = whole->measured = 0;
	for (int i = 0; i < ss->target_cnt; i++) {
		whole->seen += t[i].seen;
		whole->measured += t[i].measured;
	}
	thinning__plan(&ss->cpu[c], whole, 1, elapsed_ns, ss->wait_ns);
	for (int i = 0; i < ss->target_cnt; i++) {
		t[i].rate = whole->rate;
		t[i].period = whole->period;
		t[i].quota =
			(double)whole->quota * (t[i].seen + 1) / (whole->seen + ss->target_cnt);
	}
}

static void plan(struct session_thinning *ss, __u64 elapsed_ns)
{
	for (int c = 0; c < ss->cpu_cnt; c++) {
		int first = c * ss->target_cnt;

		/* The plan of a CPU where nothing runs holds. */
		if (!read_cpu(ss, first) && elapsed_ns && !ss->cpu[c].debt_ns)
			continue;
		if (ss->whole)
			plan_whole(ss, c, elapsed_ns);
		else
			thinning__plan(&ss->cpu[c], ss->target + first, ss->target_cnt, elapsed_ns,
				       ss->wait_ns);
		set_cpu(ss, &ss->cpu[c], first);
	}
}

void session_thinning__start(struct session_thinning *ss, const struct session *s)
{
	__u64 now = now_ns();

	if (!ss)
		return;
	ss->wait_ns = thinning__min_interval(s->env.opts.thin_share, 0);
	/* Repeats follow one another: what the last one added counts. */
	plan(ss, ss->last_ns ? now - ss->last_ns : 0);
	ss->last_ns = now;
}

static __u64 cpu_time_ns(void)
{
	struct timespec ts = {};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void session_thinning__adjust(struct session_thinning *ss, const struct session *s)
{
	__u64 now = now_ns(), elapsed, begin;

	if (!ss)
		return;
	elapsed = now - ss->last_ns;
	/* Only where looks themselves take long is it more than the timer's; that is not exact. */
	if (ss->wait_ns > thinning__min_interval(s->env.opts.thin_share, 0) &&
	    elapsed < ss->wait_ns)
		return;
	begin = cpu_time_ns();
	ss->last_ns = now;
	plan(ss, elapsed);
	ss->wait_ns = thinning__min_interval(s->env.opts.thin_share, cpu_time_ns() - begin);
}
