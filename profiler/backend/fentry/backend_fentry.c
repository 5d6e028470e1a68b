// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The fentry backend: one probe (bpf/probe_pair.bpf.h) per target. Owns the maps that the probes of a
 * session share (perf events, gate). backend_fentry_target.c has the probe of one target.
 *
 * Everything is attached only by file descriptors, so the kernel detaches the probes no matter how
 * the process ends.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "backend/backend_env.h"
#include "backend/fentry/backend_fentry_priv.h"
#include "backend/fentry/calibrate_priv.h"
#include "backend/fentry/load_insns.h"
#include "backend/fentry/probe_template.h"
#include "backend/fentry/trace_probe.h"
#include "backend/probe_stat.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "kernel/feature.h"
#include "kernel/kernel_bugs.h"
#include "kernel/kernel_offsets.h"
#include "kernel/load_addrs.h"
#include "kernel/mapped_array.h"
#include "kernel/prog_refs.h"
#include "target/target.h"

/*
 * Maximum time to wait for runs in progress when counting stops. Most runs end within microseconds.
 */
#define DRAIN_NS 10000000ULL

static int create_event_map(struct fentry *f, const struct event_fds *fds)
{
	f->events_fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "bprof_events", sizeof(__u32),
				      sizeof(__u32), BPROF_EVENT_SLOT(fds->cpu_limit, 0), NULL);
	if (f->events_fd < 0)
		return -errno;
	for (int i = 0; i < fds->event_cnt; i++) {
		for (int cpu = 0; cpu < fds->cpu_limit; cpu++) {
			int fd = fds->fd[i * fds->cpu_limit + cpu];
			__u32 slot = BPROF_EVENT_SLOT(cpu, fds->state[i].slot);

			if (fd >= 0 && bpf_map_update_elem(f->events_fd, &slot, &fd, BPF_ANY))
				return -errno;
		}
	}
	return 0;
}

/* Creates the maps that the probes of a session share, except for the perf event array. */
static int create_shared(struct fentry *f)
{
	int err = mapped_array__create(&f->gate, "bprof_gate", sizeof(__u64), 1);

	if (!err && f->env->nested)
		err = mapped_array__create(&f->runs, "bprof_runs", sizeof(struct bprof_cpu_runs),
					   f->env->cpu_limit);
	if (!err && f->env->fds->multiplexed)
		err = mapped_array__create(&f->rotation, "bprof_rotation",
					   sizeof(struct bprof_rotation), f->env->cpu_limit);
	return err;
}

/* Closes what fentry__open_variant() has opened. */
static void close_variant(struct fentry *f)
{
	if (!f)
		return;
	calibration__free(&f->calibration);
	probe_template__close(f->template);
	free(f);
}

static void fentry_close(void *state)
{
	struct fentry *f = state;

	if (!f)
		return;
	close_variant(f->fsessions);
	prog_refs__close(f->refs);
	calibration__free(&f->calibration);
	probe_template__close(f->template);
	load_addrs__close(f->images);
	load_addrs__close(f->addrs);
	clock_source__close(&f->clock_source);
	close_fd(&f->stats_fd);
	mapped_array__close(&f->gate);
	mapped_array__close(&f->runs);
	mapped_array__close(&f->rotation);
	if (f->events_fd >= 0)
		close(f->events_fd);
	free(f);
}

static __u64 make_config(const struct backend_env *env)
{
	return env->fds->perf_slot_cnt | (env->fds->clock ? BPROF_CONFIG_CLOCK : 0) |
	       (env->opts.hist ? BPROF_CONFIG_HIST : 0) |
	       (env->opts.thin_period > 1 || env->opts.thin_share ? BPROF_CONFIG_THIN : 0) |
	       (sysconf(_SC_PAGESIZE) >= 65536 ? BPROF_CONFIG_BIG_STACK : 0);
}

/* Converts contexts to flags of the probe's config. */
static __u64 context_flags(__u32 contexts)
{
	return (contexts & BPROF_CONTEXT_MIGRATION ? BPROF_CONFIG_MIGRATION : 0) |
	       (contexts & BPROF_CONTEXT_RCU ? BPROF_CONFIG_RCU : 0) |
	       (contexts & BPROF_CONTEXT_IRQ ? BPROF_CONFIG_IRQ : 0);
}

/*
 * Returns the contexts that may affect the bias on this kernel. Calibration finds out which of them
 * do.
 */
static __u32 find_contexts(struct fentry *f)
{
	__u32 contexts = 0;
	struct reason reason;

	if (kernel_offsets__read_context(&f->at, &reason))
		log_warn("%s: numbers of programs outside of test runs may be too high",
			 reason.detail);
	if (f->at.migration_disabled)
		contexts |= BPROF_CONTEXT_MIGRATION;
	/* Measuring the effect of RCU needs a program of a type that exists since Linux 5.14. */
	if (f->at.migration_disabled && f->at.rcu_read_lock_nesting &&
	    libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_SYSCALL, NULL) == 1)
		contexts |= BPROF_CONTEXT_RCU;
	/*
	 * With multiplexed events, the probe subtracts a measured reading cost (struct
	 * bprof_rotation) and does not check for interrupts.
	 */
	if (f->env->fds->perf_slot_cnt && !f->env->fds->multiplexed)
		contexts |= BPROF_CONTEXT_IRQ;
	return contexts;
}

static int open_template(struct fentry *f, struct reason *reason)
{
	const struct backend_env *env = f->env;
	const struct trace_probe *trace = env->opts.trace;
	struct probe_template_opts o = {
		.config = make_config(env) | context_flags(f->contexts),
		.at = f->at,
		.event_cnt = env->fds->perf_slot_cnt,
		.multiplexed = env->fds->multiplexed,
		.nested = env->nested,
		.kfuncs = f->kfuncs,
		.empties = f->calibration.empties | calibrate__checks(f),
		.events_fd = f->events_fd,
		.gate_fd = f->gate.fd,
		.runs_fd = f->runs.fd,
		.rotation_fd = f->rotation.fd,
		.stat_cnt = env->cpu_limit * (1 + backend_env__part_cnt(env)),
		.stat_sz = f->stat_sz,
		.by_retval = env->opts.by_retval,
		.trace = trace ? &trace->config : NULL,
		.records_fd = trace ? trace->records_fd : -1,
		.own = f->own.tgid ? &f->own : NULL,
	};

	return probe_template__open(&o, &f->template, reason);
}

int fentry__set_contexts(struct fentry *f, __u32 contexts, struct reason *reason)
{
	struct probe_template *old = f->template;
	__u32 old_contexts = f->contexts;
	int err;

	f->contexts = contexts;
	err = open_template(f, reason);
	if (err) {
		/* without calibration, the targets are still measured */
		f->template = old;
		f->contexts = old_contexts;
		return err;
	}
	probe_template__close(old);
	return 0;
}

void fentry__subtract_readings(struct fentry *f, bool on)
{
	struct bprof_rotation *rotation = f->rotation.mem;

	for (int cpu = 0; rotation && cpu < f->env->cpu_limit; cpu++)
		rotation[cpu] = (struct bprof_rotation){.learn = on};
}

int fentry__open_variant(struct fentry *f, struct fsession_kfuncs kfuncs, struct fentry **out,
			 struct reason *reason)
{
	struct fentry *v = xcalloc(1, sizeof(*v));
	int err;

	*out = NULL;
	*v = (struct fentry){
		.env = f->env,
		.events_fd = f->events_fd,
		.stats_fd = -1,
		.gate = f->gate,
		.runs = MAPPED_ARRAY_NONE,
		.rotation = MAPPED_ARRAY_NONE,
		.at = f->at,
		.hist_cnt = f->hist_cnt,
		.stat_sz = f->stat_sz,
		.kfuncs = kfuncs,
		.refs = f->refs,
		.own = f->own,
	};
	/*
	 * The calibration of f has found out which contexts matter. Programs that may sleep are not
	 * called with interrupts disabled.
	 */
	if (f->env->opts.calibrate)
		v->contexts = calibrate__prepare(v, f->contexts & ~BPROF_CONTEXT_IRQ);
	err = open_template(v, reason);
	if (!err && f->env->opts.calibrate) {
		calibrate(v);
		if (!v->calibration.done)
			err = reason__set(reason, REASON_SYSTEM, EIO, "not calibrated");
	}
	if (err) {
		close_variant(v);
		return err;
	}
	*out = v;
	return 0;
}

/*
 * If somebody has turned on the kernel's run statistics, they stay on as long as the session: they
 * slow down the probes, so the bias would change with them.
 */
static void keep_timing(struct fentry *f)
{
	struct reason reason;
	char why[512];

	if (!f->calibration.timed)
		return;
	f->stats_fd = run_stats__enable(&reason);
	if (f->stats_fd < 0)
		log_info("net numbers will be too low if the kernel's run statistics are turned "
			 "off: %s",
			 reason__describe(&reason, why, sizeof(why)));
}

/*
 * Finds out how to leave out the runs of bprof itself, if any target may have such runs. A program that
 * is loaded later may, too.
 */
static void find_own(struct fentry *f)
{
	const struct backend_env *env = f->env;
	bool needed = env->opts.follow;
	int err;

	for (int i = 0; i < env->targets->cnt; i++)
		needed |= target__is_on_syscalls(&env->targets->v[i]);
	if (!env->opts.others_only || !needed)
		return;
	err = own_runs__find(&f->own);
	if (err) {
		f->own.tgid = 0;
		log_debug("the runs of bprof itself cannot be left out: %s", strerror(-err));
	}
}

static int fentry_open(const struct backend_env *env, void **state, struct reason *reason)
{
	/* Calibration probes a program of this type. */
	int err = kernel_bugs__check_type(BPF_PROG_TYPE_SCHED_CLS, reason);
	struct fentry *f = err ? NULL : xcalloc(1, sizeof(*f));

	if (err)
		return err;
	f->env = env;
	f->events_fd = f->stats_fd = -1;
	f->clock_source = CLOCK_SOURCE_NONE;
	f->gate = f->runs = f->rotation = MAPPED_ARRAY_NONE;
	f->hist_cnt = env->opts.hist ? env->fds->perf_slot_cnt + env->fds->clock : 0;
	f->stat_sz = sizeof(struct bprof_cpu_stat) +
		     sizeof(__u64) * BPROF_HIST_BUCKETS * f->hist_cnt +
		     (env->opts.trace ? trace_probe__area_sz(env->opts.trace) : 0) +
		     (env->opts.by_retval && !f->hist_cnt ? sizeof(struct bprof_retvals) : 0);
	find_own(f);
	err = create_event_map(f, env->fds) ?: create_shared(f);
	if (err) {
		reason__set(reason, err == -EPERM ? REASON_NO_PERM : REASON_SYSTEM, -err,
			    "creating its maps: %s", strerror(-err));
		features__explain_perm(reason);
	} else {
		if (env->opts.calibrate)
			f->contexts = calibrate__prepare(f, find_contexts(f));
		err = open_template(f, reason);
	}
	if (err) {
		fentry_close(f);
		return err;
	}
	fentry__open_images(f);
	load_insns__open(f);
	if (env->opts.calibrate) {
		if (env->fds->clock)
			clock_source__remember(&f->clock_source);
		calibrate(f);
		keep_timing(f);
	}
	fentry__open_fsessions(f);
	*state = f;
	return 0;
}

struct bprof_cpu_stat *fentry__stat(const struct target *t, int cpu)
{
	return probe__stat(t->priv, cpu);
}

struct bprof_cpu_stat *fentry__sums_of_empty(const struct target *t, int cpu)
{
	const struct probe *p = t->priv;

	return p->part_cnt ? probe__part(p, 1, cpu) : probe__stat(p, cpu);
}

static void reset_sum(struct bprof_event_sum *sum)
{
	struct bprof_event_sum none = {.min = INT64_MAX, .max = INT64_MIN};

	memcpy(none.bias, sum->bias, sizeof(none.bias));
	memcpy(none.cost, sum->cost, sizeof(none.cost));
	*sum = none;
}

static void reset_sums(const struct probe *p, struct bprof_cpu_stat *stat)
{
	memset(stat->measured, 0, sizeof(stat->measured));
	for (int i = 0; i < BPROF_SLOTS; i++)
		reset_sum(&stat->event[i]);
	memset(stat->hist, 0, p->hist_cnt * BPROF_HIST_BUCKETS * sizeof(__u64));
}

void fentry__reset(const struct target *t, int cpu)
{
	const struct probe *p = t->priv;
	struct bprof_cpu_stat *stat = probe__stat(p, cpu);

	stat->thinned_out = stat->own = stat->countdown = 0;
	stat->lost_entry = stat->lost_overflow = 0;
	memset(stat->measured, 0, sizeof(stat->measured));
	if (!p->part_cnt)
		reset_sums(p, stat);
	/* The parts keep their return values. */
	for (int part = 0; part < p->part_cnt; part++)
		reset_sums(p, probe__part(p, part, cpu));
}

static void fentry_reset(const void *state, struct target *t)
{
	const struct fentry *f = state;

	for (int i = 0; i < f->env->cpus.cnt; i++)
		fentry__reset(t, f->env->cpus.id[i]);
}

void fentry__start(void *state)
{
	struct fentry *f = state;
	struct bprof_cpu_runs *runs = f->runs.mem;

	/*
	 * Runs that are in progress now are not counted. An element of bprof_runs may still belong
	 * to a run whose end was never seen. Free all elements, so that later runs on the same
	 * stack are counted.
	 */
	for (int cpu = 0; runs && cpu < f->env->cpu_limit; cpu++)
		for (int i = 0; i < BPROF_RUNS; i++)
			__atomic_store_n(&runs[cpu].run[i].stack, 0, __ATOMIC_RELAXED);
	__atomic_store_n((__u64 *)f->gate.mem, 1, __ATOMIC_SEQ_CST);
}

static bool fentry_is_busy(const struct target *t)
{
	const struct probe *p = t->priv;

	/* No exit probe would see the end of a run. */
	if (p->link_fd[PROBE_EXIT] < 0)
		return false;
	for (int i = 0; p->pool.mem && i < BPROF_POOL_FRAMES; i++)
		if (__atomic_load_n(&probe__pool_frame(p, i)->ctx, __ATOMIC_ACQUIRE))
			return true;
	for (int cpu = 0; cpu < p->cpu_limit; cpu++)
		for (int i = 0; i < BPROF_FRAMES; i++) {
			const struct bprof_frame *frame = &probe__stat(p, cpu)->frame[i];

			if (__atomic_load_n(&frame->ctx, __ATOMIC_ACQUIRE) && frame->counted)
				return true;
		}
	return false;
}

void fentry__stop(void *state)
{
	struct fentry *f = state;
	const struct target_list *targets = f->env->targets;
	__u64 end = now_ns() + DRAIN_NS;

	__atomic_store_n((__u64 *)f->gate.mem, 0, __ATOMIC_SEQ_CST);
	for (int i = 0; i < targets->cnt; i++) {
		const struct target *t = &targets->v[i];

		while (t->backend && t->backend->ops == &fentry_ops && t->priv &&
		       fentry_is_busy(t) && now_ns() < end)
			sched_yield();
	}
}

/* Returns true if the target has run both with interrupts enabled and with interrupts disabled. */
static bool has_mixed_irqs(const struct target *t)
{
	const struct probe *p = t->priv;

	for (int cpu = 0; cpu < p->cpu_limit; cpu++)
		if (probe__stat(p, cpu)->irqs.changes)
			return true;
	return false;
}

static bool fentry_clock_changed(void *state)
{
	struct fentry *f = state;

	return clock_source__check(&f->clock_source);
}

static bool fentry_is_net(const void *state)
{
	const struct fentry *f = state;

	return f->calibration.done;
}

/* Returns the variant that measures a target: before the target is opened, the common one. */
static const struct fentry *variant_of(const struct fentry *f, const struct target *t)
{
	const struct probe *p = t->priv;

	return p ? p->f : f;
}

static double fentry_bias_stddev(const void *state, const struct target *t, int cpu, int slot)
{
	const struct fentry *f = variant_of(state, t);

	return calibration__stddev(&f->calibration, cpu, &t->shape, slot);
}

static double fentry_bias_uncertainty(const void *state, const struct target *t, int slot)
{
	const struct fentry *f = variant_of(state, t);

	return calibration__uncertainty(&f->calibration, &t->shape, t->priv && has_mixed_irqs(t),
					slot);
}

static const struct probe_cost *fentry_probe_cost(const void *state, int cpu)
{
	const struct fentry *f = state;
	const struct cpu_kind *kind = calibration__kind(&f->calibration, cpu);

	return kind ? &kind->cost : NULL;
}

/* Adds a note if the bias of any event of the target is uncertain. */
static int fentry_add_notes(const void *state, const struct target *t, struct report_prog *p)
{
	char number[NUMBER_SZ];
	double max = 0;

	for (int i = 0; i < BPROF_SLOTS; i++)
		max = fmax(max, fentry_bias_uncertainty(state, t, i));
	if (max <= 0)
		return 0;
	return report_notes__add(
		&p->notes,
		t->priv && has_mixed_irqs(t)
			? "it runs with interrupts enabled and disabled, for which the "
			  "probe's cost differs: net numbers of single runs may be wrong by up to "
			  "%s"
			: "its instructions are withheld, so it is unknown whether it passes on "
			  "the count of tail calls: net numbers may be wrong by %s",
		number__plain(number, max));
}

static int fentry_open_target(void *state, struct target *t, struct reason *reason)
{
	struct fentry *f = state;
	int err = t->priv ? 0 : fentry__open_target(f, t, reason);

	if (!err)
		calibration__warn(&f->calibration);
	return err;
}

const struct counter_ops fentry_ops = {
	.method = "fentry",
	.caps = BACKEND_DEFAULT | BACKEND_PROBES | BACKEND_COUNTS_EVENTS | BACKEND_PER_CPU,
	.open = fentry_open,
	.open_targets = fentry__open_targets,
	.open_target = fentry_open_target,
	.start = fentry__start,
	.stop = fentry__stop,
	.read_target = fentry__read_target,
	.mark = fentry__mark,
	.clock_changed = fentry_clock_changed,
	.reset = fentry_reset,
	.detach = fentry__detach,
	.preload = fentry__preload,
	.reattach = fentry__attach,
	.is_net = fentry_is_net,
	.bias_stddev = fentry_bias_stddev,
	.bias_uncertainty = fentry_bias_uncertainty,
	.probe_stat = fentry__stat,
	.probe_cost = fentry_probe_cost,
	.add_notes = fentry_add_notes,
	.is_busy = fentry_is_busy,
	.link_ids = fentry__link_ids,
	.close_target = fentry__close_target,
	.close = fentry_close,
};
