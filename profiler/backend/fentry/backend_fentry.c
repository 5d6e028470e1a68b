// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The fentry backend: calibrated probes. A probe is a pair of fentry and fexit programs or, for
 * targets that may sleep, an fsession. Decides which of the two a target gets. Must not know how a
 * probe counts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "backend/backend_env.h"
#include "backend/fentry/backend_fentry_priv.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/own.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "host/clock_source.h"
#include "kernel/kernel_bugs.h"
#include "kernel/prog_refs.h"
#include "probe/load_insns.h"
#include "probe/probe_parts.h"
#include "target/target.h"

static void close_variant(struct fentry *f)
{
	calibration__free(&f->calibration);
	probe_template__close(f->probes.template);
	free(f);
}

static void fentry_close(void *state)
{
	struct fentry *f = state;

	if (!f)
		return;
	if (f->fsessions)
		close_variant(f->fsessions);
	calibration__free(&f->calibration);
	probes__close(&f->probes);
	clock_source__close(&f->clock_source);
	close_fd(&f->stats_fd);
	free(f);
}

/*
 * Returns the contexts that may affect the bias on this kernel. Calibration finds out which of
 * these contexts do affect it.
 */
static __u32 find_contexts(struct probes *ps)
{
	__u32 contexts = 0;
	struct reason reason;

	if (kernel_offsets__read_context(&ps->at, &reason))
		log_warn("%s: numbers of programs outside of test runs may be too high",
			 reason.detail);
	if (ps->at.migration_disabled)
		contexts |= BPROF_CONTEXT_MIGRATION;
	/* Measuring the effect of RCU needs a program of a type that exists since Linux 5.14. */
	if (ps->at.migration_disabled && ps->at.rcu_read_lock_nesting &&
	    libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_SYSCALL, NULL) == 1)
		contexts |= BPROF_CONTEXT_RCU;
	/*
	 * With multiplexed events, the probe subtracts a measured reading cost (struct
	 * bprof_rotation) and does not check for interrupts.
	 */
	if (ps->env->fds->perf_slot_cnt && !ps->env->fds->multiplexed)
		contexts |= BPROF_CONTEXT_IRQ;
	return contexts;
}

/* Opens the variant that has fsessions for probes. */
static int open_variant(struct fentry *f, struct fsession_kfuncs kfuncs, struct reason *reason)
{
	struct fentry *v = xcalloc(1, sizeof(*v));
	const bool calibrated = f->probes.env->opts.calibrate;
	int err;

	probes__share(&f->probes, kfuncs, &v->probes);
	v->calibration.probes = &v->probes;
	/*
	 * The calibration of f has found out which contexts matter. Programs that may sleep are not
	 * called with interrupts disabled.
	 */
	if (calibrated)
		v->probes.contexts = calibrate__prepare(&v->calibration,
							f->probes.contexts & ~BPROF_CONTEXT_IRQ);
	err = probes__open_template(&v->probes, reason);
	if (!err && calibrated) {
		calibrate(&v->calibration);
		if (!v->calibration.done)
			err = reason__set(reason, REASON_SYSTEM, EIO, "not calibrated");
	}
	if (err) {
		close_variant(v);
		return err;
	}
	f->fsessions = v;
	return 0;
}

/* Opens f->fsessions if the kernel has fsessions, and targets may need them. */
static void open_fsessions(struct fentry *f)
{
	struct fsession_kfuncs kfuncs;
	struct reason reason;
	char why[512];

	if (f->calibration.done != f->probes.env->opts.calibrate ||
	    !probes__may_be_fsessions(&f->probes))
		return;
	if (!probes__find_fsessions(&f->probes, &kfuncs, &reason) &&
	    !open_variant(f, kfuncs, &reason))
		return;
	log_debug("sleepable targets have no fsessions: %s",
		  reason__describe(&reason, why, sizeof(why)));
	prog_refs__close(f->probes.refs);
	f->probes.refs = NULL;
}

/*
 * If somebody has turned on the kernel's run statistics, keeps them on until the session ends. They
 * slow down the probes, so the bias would change if they were turned off.
 */
static void keep_timing(struct fentry *f)
{
	struct reason reason;
	char why[512];

	if (!f->probes.timed)
		return;
	f->stats_fd = run_stats__enable(&reason);
	if (f->stats_fd < 0)
		log_info("net numbers will be too low if the kernel's run statistics are turned "
			 "off: %s",
			 reason__describe(&reason, why, sizeof(why)));
}

/*
 * Finds out how to leave out bprof's own runs, if any target may have such runs. A program that is
 * loaded later may have such runs, too.
 */
static void find_own(struct probes *ps)
{
	const struct backend_env *env = ps->env;
	bool needed = env->opts.follow;
	int err;

	for (int i = 0; i < env->targets->cnt; i++)
		needed |= target__is_on_syscalls(&env->targets->v[i]);
	if (!env->opts.others_only || !needed)
		return;
	err = own_runs__find(&ps->own);
	if (err) {
		ps->own.tgid = 0;
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
	f->stats_fd = -1;
	f->clock_source = CLOCK_SOURCE_NONE;
	f->calibration.probes = &f->probes;
	err = probes__open(env, &f->probes, reason);
	if (!err && run_key__is_read(env->opts.by))
		err = key_read__find(env->opts.by, &f->probes.key, reason);
	if (!err) {
		find_own(&f->probes);
		/* If this fails, functions of the kernel are not measured: check_called(). */
		if (env->opts.by_site && env->calls)
			call_site__find(&f->probes.site, &f->no_site);
		if (env->opts.calibrate)
			f->probes.contexts =
				calibrate__prepare(&f->calibration, find_contexts(&f->probes));
		err = probes__open_template(&f->probes, reason);
	}
	if (err) {
		fentry_close(f);
		return err;
	}
	probes__open_images(&f->probes);
	load_insns__open(&f->probes);
	if (env->opts.calibrate) {
		if (env->fds->clock)
			clock_source__remember(&f->clock_source);
		calibrate(&f->calibration);
		keep_timing(f);
	}
	open_fsessions(f);
	*state = f;
	return 0;
}

static void fentry_start(void *state)
{
	struct fentry *f = state;

	probes__start(&f->probes);
}

static void fentry_stop(void *state)
{
	struct fentry *f = state;

	probes__stop(&f->probes);
}

static void fentry_reset(const void *state, struct target *t)
{
	const struct fentry *f = state;

	for (int i = 0; i < f->probes.env->cpus.cnt; i++)
		probe__reset(t, f->probes.env->cpus.id[i]);
}

/*
 * Returns true if the target has run both with interrupts enabled and with interrupts disabled. Only
 * the probe of a run's outermost target checks this. If the target's own probe has made no check,
 * returns whether any target has run in both ways.
 */
static bool has_mixed_irqs(const struct fentry *f, const struct target *t)
{
	const struct probe *p = t->priv;
	bool checked = false;

	for (int cpu = 0; cpu < p->cpu_limit; cpu++) {
		if (probe__stat(p, cpu)->irqs.changes)
			return true;
		checked |= probe__stat(p, cpu)->irqs.checks;
	}
	return !checked && f->mixed_irqs;
}

static void fentry_refresh(void *state)
{
	struct fentry *f = state;
	const struct target_list *l = f->probes.env->targets;

	/* If targets do not call one another, each is the outermost of its runs. */
	for (int i = 0; f->probes.env->nested && !f->mixed_irqs && i < l->cnt; i++) {
		const struct target *t = &l->v[i];

		f->mixed_irqs = t->priv && t->backend->ops == &fentry_ops && has_mixed_irqs(f, t);
	}
}

static bool fentry_clock_changed(void *state)
{
	struct fentry *f = state;

	return clock_source__check(&f->clock_source);
}

static bool fentry_is_of_unknown_kind(const void *state, int cpu)
{
	const struct fentry *f = state;

	return calibration__is_unknown_kind(&f->calibration, cpu);
}

static bool fentry_is_net(const void *state)
{
	const struct fentry *f = state;

	return f->calibration.done;
}

/* Returns the variant that measures a target. Before the target is opened, returns the common variant. */
static const struct fentry *variant_of(const struct fentry *f, const struct target *t)
{
	const struct probe *p = t->priv;

	return p && f->fsessions && p->set == &f->fsessions->probes ? f->fsessions : f;
}

static double fentry_bias_stddev(const void *state, const struct target *t, int cpu, int slot)
{
	const struct fentry *f = variant_of(state, t);

	return calibration__stddev(&f->calibration, cpu, &t->shape, slot);
}

static double fentry_bias_uncertainty(const void *state, const struct target *t, int slot)
{
	return calibration__uncertainty(&variant_of(state, t)->calibration, &t->shape,
					t->priv && has_mixed_irqs(state, t), slot);
}

static const struct probe_cost *fentry_probe_cost(const void *state, int cpu)
{
	const struct fentry *f = state;
	const struct cpu_kind *kind = calibration__kind(&f->calibration, cpu);

	return kind ? &kind->cost : NULL;
}

/*
 * The time that the probe adds to a call, for measurements without calibration (--no-calibrate),
 * where it is not known. On each machine in docs/bench.md, the real time is less.
 */
#define OTHER_NS_RAW 1000

static __u64 fentry_others(const void *state, const struct target *t, double *ns)
{
	const struct fentry *f = state;
	__u64 calls = 0;

	*ns = 0;
	for (int cpu = 0; cpu < f->probes.env->cpu_limit; cpu++) {
		const struct cpu_kind *kind = calibration__kind(&f->calibration, cpu);
		const __u64 *others = &probe__pieces(t->priv, cpu)->others;
		__u64 here = __atomic_load_n(others, __ATOMIC_RELAXED);

		calls += here;
		*ns += here * (kind ? kind->other_ns : OTHER_NS_RAW);
	}
	return calls;
}

/* Adds a note if the bias of any event of the target is uncertain. */
static void fentry_add_notes(const void *state, const struct target *t, struct report_prog *p)
{
	char number[NUMBER_SZ];
	double max = 0;

	if (t->called.module && t->caller_cost_varies)
		report_notes__add(&p->notes,
				  "it is far from its probe, as functions of modules are: what its "
				  "caller costs may include some instructions for the way there");
	for (int i = 0; i < BPROF_SLOTS; i++)
		max = fmax(max, fentry_bias_uncertainty(state, t, i));
	if (max <= 0 || !p->all.runs)
		return;
	report_notes__add(
		&p->notes,
		t->priv && has_mixed_irqs(state, t)
			? "it runs with interrupts enabled and disabled, for which the "
			  "probe's cost differs: net numbers of single runs may be wrong by up to "
			  "%s"
			: "its instructions are withheld, so it is unknown whether it passes on "
			  "the count of tail calls: net numbers may be wrong by %s",
		number__plain(number, max));
}

static int open_with(struct fentry *f, struct target *t, struct reason *reason)
{
	const struct probes *ps = &f->probes;
	struct probe *p;
	int err;

	/* Do not leave out the runs of bprof's own programs: calibration measures these runs. */
	t->others_only = ps->own.tgid && target__is_on_syscalls(t) &&
			 !prog_name__is_own(t->prog->info.name);
	err = calibration__open_probe(&f->calibration, t, reason);
	if (err) {
		t->others_only = false; /* another backend may measure the target */
		return err;
	}
	/*
	 * The probe's programs and the mappings keep the maps alive. The maps' descriptors are only
	 * needed to attach the probe again.
	 */
	p = t->priv;
	if (!ps->env->opts.follow && !ps->env->opts.turns && !target__is_called(t)) {
		close_fd(&p->stats.fd);
		close_fd(&p->pool.fd);
	}
	return 0;
}

/* Returns true if a probe measures the target that calls this function of the kernel. */
static bool has_caller(const struct fentry *f, const struct target *t)
{
	const struct target_list *targets = f->probes.env->targets;

	for (int i = 0; i < targets->cnt; i++) {
		const struct target *by = &targets->v[i];

		if (by->id == t->id && by->caller_number == t->called.caller && by->backend)
			return backend__has(by->backend, BACKEND_PROBES);
	}
	return false;
}

/* Returns 0, or -errno with *reason if a function of the kernel cannot be probed. */
static int check_called(const struct fentry *f, const struct target *t, struct reason *reason)
{
	char why[512];

	if (RISCV64_HERE)
		return reason__set(reason, REASON_CALL, EOPNOTSUPP,
				   "bprof does not probe functions of the kernel on riscv64");
	if (!has_caller(f, t))
		return reason__set(reason, REASON_CALL, EOPNOTSUPP,
				   "the function that calls it has no probe");
	if (f->calibration.no_kernel.code == REASON_NO_TRAMPOLINE)
		return reason__set(
			reason, REASON_CALL, EOPNOTSUPP,
			"this kernel attaches no probes to its own functions (arm64: from "
			"Linux 6.4 on)");
	if (f->calibration.no_kernel.code)
		return reason__set(reason, REASON_CALL, EOPNOTSUPP, "functions of the kernel: %s",
				   reason__describe(&f->calibration.no_kernel, why, sizeof(why)));
	if (f->probes.env->opts.by_site && !f->probes.site.known)
		return reason__set(reason, REASON_CALL, EOPNOTSUPP,
				   "this kernel does not show where it is called (--by site): %s",
				   reason__describe(&f->no_site, why, sizeof(why)));
	if (probe_template__calls(f->probes.template, t->called.imm))
		return reason__set(reason, REASON_CALL, EOPNOTSUPP, "the probes call it, too");
	return 0;
}

/*
 * Opens a function of the kernel. The texts of most reasons speak of a program, so this function
 * keeps only the details of a reason.
 */
static int open_called(struct fentry *f, struct target *t, struct reason *reason)
{
	struct reason refused = {};
	int err = check_called(f, t, reason);

	if (err)
		return err;
	err = open_with(f, t, &refused);
	/*
	 * errors of register_fentry() in kernel/bpf/trampoline.c, and of bpf_arch_text_poke() on
	 * x86-64
	 */
	if (err == -KERNEL_ENOTSUPP || err == -EBUSY)
		return reason__set(reason, REASON_CALL, err,
				   "it has no place for a probe (notrace), or another tracer "
				   "has taken that");
	if (err)
		reason__set(reason, REASON_CALL, err, "the kernel refuses a probe: %s",
			    *refused.detail ? refused.detail : strerror(-err));
	return err;
}

int fentry__open_target(struct fentry *f, struct target *t, struct reason *reason)
{
	__u64 begin = thread_cpu_ns();
	int err;

	if (t->no_probe.code) {
		*reason = t->no_probe;
		return -EOPNOTSUPP;
	}
	/* If an fsession cannot be attached, it may still be possible to attach a pair. */
	if (target__is_called(t))
		err = open_called(f, t, reason);
	else if (f->fsessions && probes__needs_fsession(&f->probes, t) &&
		 !open_with(f->fsessions, t, reason))
		err = 0;
	else
		err = open_with(f, t, reason);
	t->open_ns = thread_cpu_ns() - begin;
	return err;
}

static int fentry_attach(void *state, struct target *t, struct reason *reason)
{
	return probe__attach(t, reason);
}

static int fentry_preload(void *state, struct target *t, struct reason *reason)
{
	return probe__preload(t, reason);
}

static int fentry_read(const void *state, struct target *t, bool hists, struct counts *per_cpu,
		       struct counts *no_cpu)
{
	double ns;

	if (target__is_called(t)) {
		no_cpu->others = fentry_others(state, t, &ns);
		no_cpu->others_ns = ns;
	}
	return probe__read(t, hists, per_cpu, no_cpu);
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
	.target_memory = probes__target_memory,
	.open_targets = fentry__open_targets,
	.open_target = fentry_open_target,
	.start = fentry_start,
	.stop = fentry_stop,
	.read_target = fentry_read,
	.close_parts = probe__close_parts,
	.free_parts = probe__free_parts,
	.mark = probe__mark,
	.clock_changed = fentry_clock_changed,
	.is_of_unknown_kind = fentry_is_of_unknown_kind,
	.refresh = fentry_refresh,
	.reset = fentry_reset,
	.detach = probe__detach,
	.preload = fentry_preload,
	.reattach = fentry_attach,
	.is_net = fentry_is_net,
	.bias_stddev = fentry_bias_stddev,
	.bias_uncertainty = fentry_bias_uncertainty,
	.probe_stat = probe__find_stat,
	.probe_cost = fentry_probe_cost,
	.others = fentry_others,
	.add_notes = fentry_add_notes,
	.is_busy = probe__is_busy,
	.link_ids = probe__link_ids,
	.close_target = probe__close,
	.close = fentry_close,
};
