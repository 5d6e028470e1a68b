// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads a probe's counts from the memory shared with the probe and from the kernel. Owns the way in
 * which counts are copied while the probe is counting. Must not know how the probe is attached.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/memory.h"
#include "probe/probe_parts.h"
#include "probe/probes.h"
#include "target/target.h"

/* The largest value whose square fits into 64 bits. */
#define MAX_SQUARED ((__s64)UINT32_MAX)

/*
 * Returns the sum of the biases that are subtracted from all runs. The contexts of runs without a
 * reading of this event are not known, so they are assumed to be distributed like the contexts of
 * all runs.
 */
static __s64 total_bias(const struct bprof_cpu_stat *sums, const struct bprof_event_sum *sum)
{
	__u64 measured = probe_stat__measured(sums), without = sum->errors + sum->uncovered;
	double bias = 0;

	for (int i = 0; i < BPROF_CONTEXTS; i++)
		bias += (double)sums->measured[i] * sum->bias[i];
	if (without)
		bias *= (double)(measured - without) / measured;
	return llround(bias) + sum->readings;
}

/* Returns true if the exit probe is adding a run to the sums at this moment. */
static bool is_ending(const struct bprof_cpu_stat *stat)
{
	if (stat->ending)
		return true;
	for (int i = 0; i < BPROF_FRAMES; i++)
		if (probe_stat__frame(stat, i)->ctx &&
		    probe_stat__frame(stat, i)->counted == BPROF_FRAME_ENDING)
			return true;
	return false;
}

/*
 * Copies the sums, without the distributions, so that they only contain complete runs: first the
 * sums of the CPU, then the sums of its parts. Repeats the copy if the exit probe was adding a run,
 * or has added a run meanwhile. If the CPU is too busy, stops after a number of tries and uses the
 * last copy.
 */
static void copy_sums(const struct probe *p, int cpu, struct bprof_cpu_stat *copy)
{
	const struct bprof_cpu_stat *stat = probe__stat(p, cpu);

	for (int tries = 0; tries < 1000; tries++) {
		for (int i = 0; i <= p->part_cnt; i++)
			probe_stat__copy(probe__part(p, i - 1, cpu), &copy[i]);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (is_ending(stat)) {
			sched_yield();
			continue;
		}
		if (probe_stat__measured(stat) == probe_stat__measured(copy))
			return;
	}
}

/*
 * Reads the measured runs of one element into *c: from stat, and from sums, which is a copy of
 * stat's sums. hists: also reads the distributions.
 */
static void read_sums(const struct probe *p, const struct bprof_cpu_stat *stat,
		      const struct bprof_cpu_stat *sums, bool hists, struct counts *c)
{
	c->measured = probe_stat__measured(sums);
	for (int i = 0; i < BPROF_SLOTS; i++) {
		const struct bprof_event_sum *sum = &sums->event[i];
		struct event_counts *e = &c->event[i];

		e->total = sum->total;
		e->self = sum->self;
		e->min = sum->min;
		e->max = sum->max;
		e->errors = sum->errors;
		e->uncovered = sum->uncovered;
		e->bias = total_bias(sums, sum);
		e->squares = NAN;
		if (p->hist_cnt && sum->min >= -MAX_SQUARED && sum->max <= MAX_SQUARED)
			e->squares = ldexp(sum->squares_high, 64) + sum->squares;
	}
	/*
	 * Most targets run only on some CPUs: do not search the empty distributions of the other
	 * CPUs.
	 */
	for (int i = 0; hists && c->measured && i < p->hist_cnt; i++) {
		int slot = i == p->clock_hist ? BPROF_CLOCK_SLOT : i;

		const struct bprof_event_sum *sum = probe_stat__event(stat, slot);

		hist__copy((void *)((char *)probe_stat__hist(stat) +
				    i * hist__words_sz(p->hist_shift)),
			   p->hist_shift, &sum->min, &sum->max, &c->event[slot].hist);
	}
}

/* Reads the key of a part. Part 0 has the runs whose key has no part. */
static void read_key(const struct probe *p, int part, struct counts *c)
{
	if (!part)
		return;
	if (p->set->env->opts.by == BY_RETVAL) {
		c->retval = __atomic_load_n(&probe__retvals(p)->value[part - 1], __ATOMIC_RELAXED);
		return;
	}
	c->retval = __atomic_load_n(&probe__keys(p)->value[part - 1], __ATOMIC_RELAXED);
	memcpy(c->comm, probe__keys(p)->comm[part], sizeof(c->comm) - 1);
	c->reused = p->freed && p->freed->reused[part];
}

/*
 * Reads the parts of a target's runs on one CPU, and adds them up in *c. parts is the row of the
 * first part. The rows of the next parts follow at distances of stride rows.
 */
static void read_parts(const struct probe *p, int cpu, const struct bprof_cpu_stat *sums,
		       bool hists, struct counts *c, struct counts *parts, int stride)
{
	for (int i = 0; i < p->part_cnt; i++) {
		struct counts *part = &parts[i * stride];

		read_key(p, i, part);
		read_sums(p, probe__part(p, i, cpu), &sums[1 + i], hists, part);
		counts__merge(c, part);
	}
}

/*
 * Returns how many runs on a CPU got no frame. A run that begins while the gate is closed, or
 * between two loads of the copy, lowers the number that is read until the run ends. The returned
 * number never falls: otherwise the difference of two snapshots would be negative.
 */
static __u64 read_overflow(struct probe *p, int cpu, const struct bprof_cpu_stat *sums)
{
	__u64 lost = probe_stat__lost_overflow(sums);

	if (lost > p->lost_overflow[cpu])
		p->lost_overflow[cpu] = lost;
	return p->lost_overflow[cpu];
}

/*
 * Reads the counts of the session's i-th CPU into *c and, if the runs are divided, into the rows of
 * the parts.
 */
static void read_cpu_rows(const struct target *t, int i, struct bprof_cpu_stat *sums, bool hists,
			  struct counts *c, struct counts *parts)
{
	struct probe *p = t->priv;
	const struct cpus *cpus = &p->set->env->cpus;
	int cpu = cpus->id[i];

	copy_sums(p, cpu, sums);
	c->thinned_out = sums->thinned_out;
	c->own = sums->own;
	c->period = sums->period;
	c->lost[LOST_OVERFLOW] = read_overflow(p, cpu, sums);
	c->lost[LOST_ENTRY] = sums->lost_entry;
	if (!p->part_cnt) {
		read_sums(p, probe__stat(p, cpu), sums, hists, c);
		return;
	}
	read_parts(p, cpu, sums, hists, c, parts + i, cpus->cnt);
	probe_parts__add_freed(p, i, hists, c);
	probe_parts__add_freed(p, i, hists, parts + i);
}

/* Returns true if the probe is a pair with thinning that is not nested. */
static bool thins_pair(const struct probe *p)
{
	const struct backend_env *env = p->set->env;

	return !p->called && !p->pool.mem && !env->nested && backend_env__thins(env);
}

/*
 * Returns true if counts.merged can be known. Otherwise the kernel also counts skipped probes that lose no
 * measured run: of runs that are not measured, on other CPUs, or by others who call a kernel function. An
 * fsession cannot take two runs for one.
 */
static bool knows_merged(const struct probe *p)
{
	const struct backend_env *env = p->set->env;

	return !p->called && !p->pool.mem && !backend_env__thins(env) && !env->some_cpus;
}

static int read_info(const struct probe *p, enum probe_side side, struct bpf_prog_info *info)
{
	__u32 sz = sizeof(*info);

	*info = (struct bpf_prog_info){};
	return p->prog_fd[side] >= 0 && bpf_obj_get_info_by_fd(p->prog_fd[side], info, &sz) ? -errno
											    : 0;
}

int probe__count_exits(const struct probe *p, struct exit_counts *c)
{
	const bool thins = thins_pair(p);
	struct bpf_prog_info info;
	int err = read_info(p, PROBE_EXIT, &info);

	if (err)
		return err;
	c->timed += info.run_cnt;
	/*
	 * Runs that are not measured because of thinning are counted at the entry, also if the kernel
	 * skips their exit. So count the skipped entries. Of the skipped exits, only those of
	 * measured runs matter; they leave stale frames.
	 */
	if (!thins)
		c->misses += info.recursion_misses;
	/* The exit probe of a kernel function may not notice a skipped entry either. */
	if (thins || p->called) {
		err = read_info(p, PROBE_ENTRY, &info);
		c->misses += info.recursion_misses;
	} else if (info.recursion_misses && knows_merged(p)) {
		err = read_info(p, PROBE_ENTRY, &info);
		c->entry_misses += info.recursion_misses;
	}
	return err;
}

/*
 * Reads how often the kernel skipped the exit probe because the probe was already active on the CPU
 * (since Linux 5.12; earlier kernels do not skip it), and how often the kernel timed the exit
 * probe. For an fsession, both numbers count entries and returns. Returns 0 or -errno.
 */
static int read_exits(const struct probe *p, struct exit_counts *c)
{
	*c = p->detached;
	return probe__count_exits(p, c);
}

static __u64 subtract(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

/*
 * Returns the limit counts.merged. Such a run needs a skipped exit whose frame no later entry has found
 * stale, and a skipped entry that no exit has noticed.
 */
static __u64 count_merged(const struct probe *p, const struct exit_counts *exits)
{
	__u64 stale = 0, noticed = 0;

	if (!exits->entry_misses)
		return 0;
	for (int cpu = 0; cpu < p->cpu_limit; cpu++) {
		stale += __atomic_load_n(&probe__stat(p, cpu)->stale, __ATOMIC_RELAXED);
		noticed += __atomic_load_n(&probe__stat(p, cpu)->lost_entry, __ATOMIC_RELAXED);
	}
	stale = subtract(exits->misses, stale);
	noticed = subtract(exits->entry_misses, noticed);
	return stale < noticed ? stale : noticed;
}

/*
 * Reads the counts that belong to no CPU. A run is lost if the kernel skips the exit probe. If the
 * kernel skips the entry probe instead, the exit probe counts the run in lost_entry.
 *
 * For an fsession the kernel counts E + X + 2 B: runs of which it skipped only the entry (E), only
 * the return (X), or both (B). The probe counts E, and almost all of X: without a return, the frame
 * of the run stays in use until a run on the same stack finds it. From these counts, LOST_RECURSION
 * becomes X + B.
 *
 * For a kernel function, the kernel's count includes the calls whose entry it skipped. If the exit probe
 * noticed this, it has counted the call in lost_entry, so LOST_RECURSION leaves the call out. Returns 0
 * or -errno.
 */
static int read_no_cpu(struct probe *p, struct counts *c)
{
	const bool thins = thins_pair(p);
	__u64 entries = 0, stale = 0, noticed = 0, misses;
	struct exit_counts exits;
	int err;

	/* Read the kernel's count last, so that it includes all runs in the probes' counts. */
	for (int cpu = 0; (p->pool.mem || thins) && cpu < p->cpu_limit; cpu++) {
		entries += __atomic_load_n(&probe__stat(p, cpu)->no_entry, __ATOMIC_ACQUIRE);
		stale += __atomic_load_n(&probe__stat(p, cpu)->stale, __ATOMIC_ACQUIRE);
	}
	for (int cpu = 0; p->called && cpu < p->cpu_limit; cpu++)
		noticed += __atomic_load_n(&probe__stat(p, cpu)->lost_entry, __ATOMIC_ACQUIRE);
	err = read_exits(p, &exits);
	if (err)
		return err;
	c->lost[LOST_RECURSION] = subtract(exits.misses, noticed);
	c->merged = count_merged(p, &exits);
	if (thins)
		c->lost[LOST_RECURSION] += stale;
	if (p->pool.mem) {
		misses = exits.misses - entries;
		c->lost[LOST_RECURSION] = (misses + (stale < misses ? stale : misses) + 1) / 2;
		exits.timed /= 2;
	}
	/* The kernel counts a skipped entry before the run, and the probe counts it after the run. */
	if (c->lost[LOST_RECURSION] < p->lost_recursion)
		c->lost[LOST_RECURSION] = p->lost_recursion;
	p->lost_recursion = c->lost[LOST_RECURSION];
	if (p->biased && !p->set->timed)
		c->slowed = exits.timed;
	return 0;
}

/*
 * The mark is a sum of counters that only grow, so it changes when any of them changes. The probe
 * counts a run only after it has changed all other counts of the run. So if the mark was read
 * before the counts, and the counts contain only a part of a run, the next mark is different.
 */
int probe__mark(const struct target *t, __u64 *mark)
{
	const struct probe *p = t->priv;
	struct exit_counts exits;
	int err = read_exits(p, &exits);

	*mark = exits.misses;
	for (int cpu = 0; !err && cpu < p->cpu_limit; cpu++) {
		const struct bprof_cpu_stat *stat = probe__stat(p, cpu);

		*mark += probe_stat__measured(stat) +
			 __atomic_load_n(&stat->thinned_out, __ATOMIC_RELAXED) +
			 __atomic_load_n(&stat->own, __ATOMIC_RELAXED) +
			 __atomic_load_n(&stat->lost_overflow, __ATOMIC_RELAXED) +
			 __atomic_load_n(&stat->overflow_exits, __ATOMIC_RELAXED) +
			 __atomic_load_n(&stat->lost_entry, __ATOMIC_RELAXED) +
			 __atomic_load_n(&stat->no_entry, __ATOMIC_RELAXED) +
			 __atomic_load_n(&stat->stale, __ATOMIC_RELAXED);
		if (p->called)
			*mark += __atomic_load_n(&probe__pieces(p, cpu)->others, __ATOMIC_RELAXED);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return err;
}

int probe__read(const struct target *t, bool hists, struct counts *per_cpu, struct counts *no_cpu)
{
	struct probe *p = t->priv;
	const struct cpus *cpus = &p->set->env->cpus;
	struct bprof_cpu_stat *sums = xcalloc(1 + p->part_cnt, sizeof(*sums));

	for (int i = 0; i < cpus->cnt; i++)
		read_cpu_rows(t, i, sums, hists, &per_cpu[i], no_cpu + 1);
	free(sums);
	probe_parts__complete_keys(p, no_cpu + 1);
	probe_parts__join(p, no_cpu + 1);
	return read_no_cpu(p, no_cpu);
}
