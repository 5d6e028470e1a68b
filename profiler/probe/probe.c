// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probe of one target. Owns the probe's counts, programs and links, from the opening of the
 * target to its closing. Must not know how the bias is measured, or how counts are read.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <bpf/bpf.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/hist.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/util.h"
#include "btf/arm64_addrs.h"
#include "btf/own.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "kernel/feature.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"
#include "kernel/text_lock.h"
#include "probe/called_probe.h"
#include "probe/load_insns.h"
#include "probe/probe_parts.h"
#include "probe/probes.h"
#include "target/target.h"

/*
 * On arm64 a trampoline loads the address of its struct bpf_tramp_image twice, outside of what its
 * probe measures (prepare_trampoline() in arch/arm64/net/bpf_jit_comp.c). About one image in 64 has
 * an address that is a multiple of 64 KiB. Loading such an address takes one instruction less
 * (arm64_addrs.c), so the target's caller would seem cheaper than it is. bprof attaches the probe
 * of such a target again, because the kernel then allocates a new image.
 */
#define MAX_ATTACHMENTS 8

struct bprof_cpu_stat *probe__find_stat(const struct target *t, int cpu)
{
	return probe__stat(t->priv, cpu);
}

struct bprof_cpu_stat *probe__find_sums(const struct target *t, int cpu)
{
	const struct probe *p = t->priv;

	if (!p->part_cnt)
		return probe__stat(p, cpu);
	if (p->set->env->opts.by == BY_RETVAL)
		return probe__part(p, 1, cpu);
	/* All runs of built-in programs have the key 1 (key_read__make()). */
	return probe__part(p, 1 + BPROF_KEY_SLOT(1), cpu);
}

/* Resets the sums of all events. Keeps what user space has set: the biases, and what the probe adds to callers. */
static void reset_events(struct bprof_cpu_stat *stat)
{
	for (int i = 0; i < BPROF_SLOTS; i++) {
		struct bprof_event_sum *sum = probe_stat__event(stat, i);
		struct bprof_event_sum none = {.min = INT64_MAX, .max = INT64_MIN};

		if (!sum)
			continue;
		memcpy(none.bias, sum->bias, sizeof(none.bias));
		memcpy(none.cost, sum->cost, sizeof(none.cost));
		none.search = sum->search;
		*sum = none;
	}
}

void probe__reset_sums(const struct probe *p, struct bprof_cpu_stat *stat)
{
	memset(stat->measured, 0, sizeof(stat->measured));
	reset_events(stat);
	memset(probe_stat__hist(stat), 0, p->hist_cnt * hist__words_sz(p->hist_shift));
}

void probe__reset(const struct target *t, int cpu)
{
	const struct probe *p = t->priv;
	struct bprof_cpu_stat *stat = probe__stat(p, cpu);

	stat->thinned_out = stat->own = stat->countdown = 0;
	stat->rest = stat->period - 1;
	stat->lost_entry = stat->lost_overflow = p->lost_overflow[cpu] = 0;
	memset(stat->measured, 0, sizeof(stat->measured));
	if (!p->part_cnt)
		probe__reset_sums(p, stat);
	/* The keys of the parts stay. */
	for (int part = 0; part < p->part_cnt; part++)
		probe__reset_sums(p, probe__part(p, part, cpu));
}

bool probe__is_busy(const struct target *t)
{
	const struct probe *p = t->priv;

	/* Without an exit probe, the end of a run would not be seen. */
	if (p->link_fd[PROBE_EXIT] < 0)
		return false;
	for (int i = 0; p->pool.mem && i < BPROF_POOL_FRAMES; i++)
		if (__atomic_load_n(&probe__pool_frame(p, i)->ctx, __ATOMIC_ACQUIRE))
			return true;
	for (int cpu = 0; cpu < p->cpu_limit; cpu++)
		for (int i = 0; i < BPROF_FRAMES; i++) {
			const struct bprof_frame *frame = probe_stat__frame(probe__stat(p, cpu), i);

			if (__atomic_load_n(&frame->ctx, __ATOMIC_ACQUIRE) && frame->counted)
				return true;
		}
	return false;
}

/* Loads the programs of the target's probe. */
static int load_sides(const struct probes *ps, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;

	for (int i = 0; i < PROBE_SIDE_CNT; i++) {
		if (!probe_template__has_side(ps->template, i))
			continue;
		p->prog_fd[i] =
			probe_template__load(ps->template, i, t, p->stats.fd, p->pool.fd, reason);
		if (p->prog_fd[i] < 0)
			return p->prog_fd[i];
	}
	return 0;
}

/*
 * Attaches one side of the probe. BPF_RAW_TRACEPOINT_OPEN without a name attaches tracing programs
 * on every kernel that supports them.
 */
static int attach_side(struct probe *p, enum probe_side side)
{
	int lock = text_lock__take(), err = 0;

	p->link_fd[side] = bpf_raw_tracepoint_open(NULL, p->prog_fd[side]);
	if (p->link_fd[side] < 0)
		err = -errno;
	text_lock__release(lock);
	return err;
}

/*
 * Closes the link of the entry probe first. An exit probe alone is harmless, but an entry probe
 * alone would never release its frames (struct bprof_frame).
 */
static void close_links(struct probe *p)
{
	int lock;

	if (p->link_fd[PROBE_ENTRY] < 0 && p->link_fd[PROBE_EXIT] < 0)
		return;
	lock = text_lock__take();
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->link_fd[i]);
	text_lock__release(lock);
}

/*
 * Closes the links and the probe's programs, because both refer to the target's program and keep it
 * loaded. A link refers to it by tgt_prog (struct bpf_tracing_link), and a probe that is not
 * attached refers to it by prog->aux->dst_prog. The probe would be of no use anyway: after its link
 * is closed, it cannot be attached to a BPF program again (kernel/bpf/syscall.c,
 * bpf_tracing_prog_attach()).
 */
void probe__detach(struct target *t)
{
	struct probe *p = t->priv;

	close_links(p);
	probe__count_exits(p, &p->detached);
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->prog_fd[i]);
}

/*
 * Returns true if the target has no callers, or if its probe adds the usual amount to the
 * measurements of the callers: the amount that calibration has measured.
 */
static bool has_common_cost(const struct probes *ps, const struct target *t)
{
	const struct probe *p = t->priv;
	__u64 image;

	if (!ARM64_HERE)
		return !p->insns_unknown;
	/*
	 * A branch reaches 128 MiB, but a trampoline may be farther away from a function in a
	 * module. Then the function calls its trampoline through ftrace_caller(), which costs more.
	 */
	if (t->called.module)
		return false;
	if (!ps->env->nested || (!t->subprog && t->prog->info.type != BPF_PROG_TYPE_EXT))
		return true;
	return ps->images && !load_addrs__find_image(ps->images, p->link_fd[PROBE_ENTRY], &image) &&
	       arm64__is_common_address(image);
}

/*
 * Attaches the exit probe first. Otherwise a run that begins before the exit probe is attached
 * would never release its frame (struct bprof_frame). Corrects the biases before the first run.
 * Only an attached probe shows how many instructions it adds to the measurement of the target's
 * caller.
 */
static int attach_corrected(const struct probes *ps, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;
	int err;

	load_insns__find(ps, t);
	err = attach_side(p, PROBE_EXIT);
	if (!err && p->prog_fd[PROBE_ENTRY] >= 0)
		err = attach_side(p, PROBE_ENTRY);
	if (!err) {
		load_insns__find_call(ps, t);
		return 0;
	}
	reason__from_attach(reason, err);
	features__explain_perm(reason);
	return err;
}

/*
 * Forgets the runs that were in progress when the probe was last detached, because no exit probe
 * has seen their ends. Otherwise the frames of these runs would stay in use, and with
 * BPROF_CONFIG_THIN the exit probe would treat each run as a measured run.
 */
static void forget_runs(const struct probes *ps, const struct probe *p)
{
	for (int i = 0; i < ps->env->cpus.cnt; i++) {
		struct bprof_cpu_stat *stat = probe__stat(p, ps->env->cpus.id[i]);
		struct bprof_cpu_stat *base = probe__base(p, ps->env->cpus.id[i]);

		if (p->called)
			base->exited = base->entered;
		for (int n = 0; n < BPROF_FRAMES; n++)
			probe_stat__frame(stat, n)->ctx = probe_stat__frame(stat, n)->counted = 0;
		stat->exited = stat->entered;
		stat->lost_overflow = probe_stat__lost_overflow(stat);
		stat->overflow_exits = stat->overflows;
	}
	for (int i = 0; p->pool.mem && i < BPROF_POOL_FRAMES; i++)
		probe__pool_frame(p, i)->ctx = 0;
}

int probe__preload(struct target *t, struct reason *reason)
{
	const struct probe *p = t->priv;
	int err;

	probe__detach(t);
	err = load_sides(p->set, t, reason);
	if (err)
		probe__detach(t);
	return err;
}

int probe__attach(struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;
	const struct probes *ps = p->set;
	/* true if probe__preload() has loaded the probe, which has not been attached since */
	bool loaded = p->prog_fd[PROBE_EXIT] >= 0 && p->link_fd[PROBE_EXIT] < 0;
	int left = MAX_ATTACHMENTS, err;

	if (p->shared) {
		called_probe__copy_doubt(ps, t);
		return 0;
	}
	forget_runs(ps, p);
	do {
		if (left < MAX_ATTACHMENTS)
			log_debug("program %u %s: attached again for a common trampoline address",
				  t->id, t->func);
		if (left == MAX_ATTACHMENTS && loaded) {
			err = attach_corrected(ps, t, reason);
		} else {
			probe__detach(t);
			err = load_sides(ps, t, reason) ?: attach_corrected(ps, t, reason);
		}
		t->caller_cost_varies = !err && !has_common_cost(ps, t);
	} while (t->caller_cost_varies && !t->called.module && ps->images && --left);
	if (t->caller_cost_varies && !t->called.module && ps->images)
		log_info("program %u %s: its trampoline has an uncommon address: the counts of its "
			 "callers are not exact",
			 t->id, t->func);
	if (err)
		probe__detach(t);
	return err;
}

static struct probe *new_probe(struct probes *ps, const struct target *t)
{
	struct probe *p = xcalloc(1, sizeof(*p));

	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		p->prog_fd[i] = p->link_fd[i] = -1;
	p->set = ps;
	p->stats = p->pool = MAPPED_ARRAY_NONE;
	p->cpu_limit = ps->env->cpu_limit;
	p->lost_overflow = xcalloc(p->cpu_limit, sizeof(*p->lost_overflow));
	p->part_cnt = backend_env__part_cnt(ps->env);
	p->hist_cnt = ps->hist_cnt;
	p->clock_hist = ps->env->fds->perf_slot_cnt;
	p->hist_shift = ps->env->opts.hist_shift;
	p->stat_sz = ps->stat_sz;
	p->front_sz = probe_stat__front_sz(ps->small);
	p->called = target__is_called(t);
	p->pieces = called_probe__pieces(ps, t);
	p->first_stat = target__is_called(t) ? t->called.piece * p->cpu_limit * p->stat_sz
					     : probe_template__first_stat(ps->template);
	return p;
}

/* Initializes an element of the counts: that of a CPU, or that of a part. */
static void init_sums(const struct probe *p, struct bprof_cpu_stat *stat)
{
	stat->clock_slot = p->set->small ? BPROF_SMALL_EVENTS : BPROF_CLOCK_SLOT;
	reset_events(stat);
}

/* Initializes the parts into which the probe divides the runs. */
static void init_parts(const struct target *t)
{
	const struct probe *p = t->priv;

	if (p->set->env->opts.by != BY_RETVAL) {
		probe__keys(p)->cpus = p->cpu_limit;
		return;
	}
	*probe__retvals(p) = (struct bprof_retvals){
		.cpus = p->cpu_limit,
		/* The kernel uses only the lower 32 bits of a program's return value. */
		.wide = t->subprog && target__ret_sz(t) > sizeof(__u32) ? ~0ULL : 0,
	};
}

/*
 * Counts the memory of cnt rows against the session's limit. Returns 0, or -E2BIG with *reason if
 * the limit would be exceeded.
 */
static int take_memory(const struct probes *ps, struct probe *p, int cnt, struct reason *reason)
{
	struct memory_budget *m = ps->env->memory;
	__u64 sz = (__u64)cnt * p->cpu_limit * p->stat_sz;

	if (!m)
		return 0;
	if (__atomic_add_fetch(&m->used, sz, __ATOMIC_RELAXED) <= m->limit) {
		p->memory = sz;
		return 0;
	}
	__atomic_sub_fetch(&m->used, sz, __ATOMIC_RELAXED);
	return reason__set(reason, REASON_MEMORY, E2BIG, "the limit is %llu KiB", m->limit / 1024);
}

/* Initializes the last piece of a kernel function: the counts of the calls that have no target. */
static void init_rest(const struct probes *ps, const struct probe *p, int cpu)
{
	struct bprof_cpu_stat *rest = probe__rest(p, cpu);
	struct bprof_trace_cpu *trace;

	init_sums(p, rest);
	trace = probe_stat__hist(rest);
	if (ps->env->opts.trace)
		trace->row = BPROF_NO_SHARE;
}

/*
 * Returns how many runs on a CPU the probe leaves out at first. With --follow, the target may just
 * have been loaded, and its first run may cost far more than later ones: caches are cold, or the
 * program sets something up. If that run were always measured, it would count as "period" runs
 * after each load.
 */
static __u64 first_countdown(const struct probes *ps, const struct target *t, int cpu)
{
	__u64 state = ps->random + ((__u64)t->id << 32 | cpu);

	if (!ps->env->opts.follow || target__is_called(t))
		return 0;
	/* budget.c sets the countdown when it knows the target */
	return ps->env->opts.thin_share ? BPROF_NOT_PLANNED
					: random__next(&state) % ps->env->opts.thin_period;
}

static int create_stats(struct probes *ps, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;
	int shared = called_probe__share(ps, t, p);
	int err = shared < 0 ? shared
		  : shared   ? 0
			     : take_memory(ps, p, 1 + (p->pieces ?: p->part_cnt), reason)
			      ?: probe_template__create_stats(ps->template, t, p->pieces,
							      &p->stats);

	if (!err && ps->kfuncs.cookie)
		err = probe_template__create_pool(ps->template, t, &p->pool);
	if (err)
		return err;
	if (p->pieces && !shared)
		err = called_probe__init(ps, t);
	for (int cpu = 0; cpu < p->cpu_limit; cpu++) {
		struct bprof_cpu_stat *stat = probe__stat(p, cpu);

		if (p->pieces && !shared)
			init_rest(ps, p, cpu);
		for (int part = -1; part < p->part_cnt; part++)
			init_sums(p, probe__part(p, part, cpu));
		stat->off = !cpus__has(&ps->env->cpus, cpu);
		stat->period = ps->env->opts.thin_period;
		stat->over_period = p->pieces ? ~0ULL : stat->period;
		stat->countdown = first_countdown(ps, t, cpu);
		stat->rest = ps->env->opts.thin_share ? 0 : stat->period - 1 - stat->countdown;
		for (int i = 0; stat->off && i < BPROF_FRAMES; i++)
			probe_stat__frame(stat, i)->ctx = BPROF_CTX_OFF;
	}
	if (p->part_cnt)
		init_parts(t);
	return err;
}

void probe__close(struct target *t)
{
	struct probe *p = t->priv;

	if (!p)
		return;
	close_links(p);
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->prog_fd[i]);
	mapped_array__close(&p->stats);
	mapped_array__close(&p->pool);
	if (p->memory)
		__atomic_sub_fetch(&p->set->env->memory->used, p->memory, __ATOMIC_RELAXED);
	probe_parts__close(p);
	free(p->lost_overflow);
	free(p);
	t->priv = NULL;
}

int probe__open(struct probes *ps, struct target *t, struct reason *reason)
{
	int err;

	t->priv = new_probe(ps, t);
	reason__set(reason, REASON_NONE, 0, NULL);
	err = create_stats(ps, t, reason);
	if (!err)
		return 0;
	probe__close(t);
	if (!reason->code)
		reason__from_verifier(reason, err, NULL);
	return err;
}

int probe__link_ids(const struct target *t, __u32 *ids)
{
	const struct probe *p = t->priv;
	int cnt = 0;

	for (int i = 0; p && i < PROBE_SIDE_CNT; i++) {
		struct bpf_link_info info = {};
		__u32 sz = sizeof(info);

		if (p->link_fd[i] >= 0 && !bpf_obj_get_info_by_fd(p->link_fd[i], &info, &sz))
			ids[cnt++] = info.id;
	}
	return cnt;
}
