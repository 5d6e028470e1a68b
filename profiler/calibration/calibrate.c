// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calibration. Owns the biases. About the rest of the backend, it knows only how to attach a probe
 * and where the probe's counts are.
 *
 * The bias and the targets are measured under the same conditions: the same probe with the same
 * constants reads the same descriptors, and the trampolines have the same properties (struct
 * target_shape).
 *
 * The probe of a called function adds to the caller's measurement. The addition is measured as a
 * difference: what the caller's probe counts with the called function's probe, minus what it counts
 * without that probe.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/arm64_addrs.h"
#include "btf/func_table.h"
#include "calibration/calibrate.h"
#include "calibration/calibrate_bias.h"
#include "calibration/calibrate_check.h"
#include "calibration/calibrated_probe.h"
#include "calibration/calibration_priv.h"
#include "calibration/probe_cost.h"
#include "host/affinity.h"
#include "host/cpu_kinds.h"
#include "probe/load_insns.h"
#include "probe/probe_template.h"
#include "probe/probes.h"

/* The built-in functions, indexed by enum empty_func. */
static const struct {
	enum empty prog;
	const char *func; /* name of the subprogram; NULL: the entry function */
} empty_funcs[FUNC_CNT] = {
	[FUNC_PROG] = {EMPTY_PROG, NULL},
	[FUNC_SUB] = {EMPTY_CALLS, "bprof_empty_sub"},
	[FUNC_ARGS] = {EMPTY_ARGS, NULL},
	[FUNC_TAIL_CALLS] = {EMPTY_TAIL_CALLS, "bprof_empty_tail"},
	[FUNC_RAW] = {EMPTY_RAW, NULL},
	[FUNC_SYSCALL] = {EMPTY_SYSCALL, NULL},
	[FUNC_IRQ] = {EMPTY_IRQ, NULL},
};

/*
 * Number of measurements of the cost of reading all events. There are several, because an interrupt
 * may distort a measurement.
 */
#define READINGS 6

/* The calibration is repeated until its check succeeds. This is the maximum number of calibrations. */
#define CALIBRATIONS 3

/* Chooses a CPU of each kind that this thread may run on. Returns 0 or -ECANCELED (reported). */
static int choose_cpus(struct calibration *c, const struct affinity *allowed)
{
	char list[128];

	for (int k = 0; k < c->kind_cnt; k++) {
		struct cpu_kind *kind = &c->kind[k];

		kind->cpu = affinity__bind_any(allowed, &kind->cpus);
		if (kind->cpu >= 0)
			continue;
		log_warn("not calibrated, numbers are raw: calibration has to run on one of the "
			 "CPUs %s, where this process may not run (%s); measure others with -C",
			 cpus__format(&kind->cpus, list, sizeof(list)),
			 kind->cpu == -EINVAL ? "its cpuset" : strerror(-kind->cpu));
		return -ECANCELED;
	}
	return 0;
}

/* Subtracts instructions that load addresses from a bias (load_insns.h). */
static void subtract_insns(const struct calibration *c, struct bias *bias, int insns)
{
	for (int i = 0; i < BPROF_SLOTS; i++)
		if (c->probes->load_slots >> i & 1) {
			bias->value[i] -= insns;
			bias->min[i] -= insns;
		}
}

/*
 * Measures an attached target on every kind of CPU. The struct bias of kind k is k * stride bytes
 * after *out.
 */
static int measure_kinds(struct calibration *c, const struct target *t, struct bias *out,
			 size_t stride)
{
	int err = 0;

	for (int k = 0; !err && k < c->kind_cnt; k++) {
		struct bias *bias = (struct bias *)((char *)out + k * stride);
		int cpu = c->kind[k].cpu;

		err = affinity__bind(cpu) ?: calibrate__measure(c, t, cpu, bias);
		if (!err)
			subtract_insns(c, bias, ((struct probe *)t->priv)->load_insns);
	}
	return err;
}

/* Returns the context that the probe saw in most runs since the last reset. */
static __u32 most_common_context(const struct bprof_cpu_stat *stat)
{
	__u32 common = 0;

	for (__u32 i = 1; i < BPROF_CONTEXTS; i++)
		if (stat->measured[i] > stat->measured[common])
			common = i;
	return common;
}

static int measure_costs(struct calibration *c, const struct target *t)
{
	int err = 0;

	for (int k = 0; !err && c->probes->env->opts.thin_share && k < c->kind_cnt; k++) {
		struct cpu_kind *kind = &c->kind[k];

		err = affinity__bind(kind->cpu)
			      ?: probe_cost__measure(c, t, kind->cpu, &kind->cost);
	}
	return err;
}

static void add_reading(struct read_cost *r, const struct bprof_cpu_stat *stat)
{
	for (int i = 0; i < BPROF_SLOTS; i++) {
		bool has = probe_stat__event(stat, i);
		__u64 v = has ? *probe_stat__again(stat, 1, i) - *probe_stat__again(stat, 0, i) : 0;

		if (!v)
			continue; /* the test runs took no reading: their timer was late */
		if (v < r->min[i]) {
			r->spread[i] = r->min[i] - v;
			r->min[i] = v;
		} else if (v - r->min[i] < r->spread[i]) {
			r->spread[i] = v - r->min[i];
		}
	}
}

/*
 * Measures the cost of reading all events. The probe of an attached target measures it in test
 * runs, when it checks whether interrupts are disabled.
 */
static int measure_reading(struct calibration *c, const struct target *t, int cpu,
			   struct read_cost *r)
{
	struct bprof_cpu_stat *stat = probe__find_stat(t, cpu);
	int err = affinity__bind(cpu);

	memset(r, 0xff, sizeof(*r));
	for (int n = 0; !err && n < READINGS; n++) {
		for (int i = 0; i < BPROF_SLOTS; i++)
			if (probe_stat__event(stat, i))
				*probe_stat__again(stat, 0, i) = *probe_stat__again(stat, 1, i) = 0;
		stat->irqs.countdown = 0;
		err = calibrate__run_target(c, t, cpu, 2);
		add_reading(r, stat);
	}
	return err;
}

static int measure_func(struct calibration *c, enum empty_func which, struct measured *m,
			struct reason *reason)
{
	struct target t = {};
	struct exit_counts exits = {};
	int err = calibrate__open_empty(c, empty_funcs[which].prog, empty_funcs[which].func, &t,
					reason)
			  ?: measure_kinds(c, &t, &m->func[which], sizeof(*m));

	for (int k = 0; !err && k < c->kind_cnt; k++) {
		int cpu = c->kind[k].cpu;

		m[k].args[which] = t.shape.args;
		m[k].context[which] = most_common_context(probe__find_stat(&t, cpu));
		if (c->contexts & BPROF_CONTEXT_IRQ && (which == FUNC_PROG || which == FUNC_IRQ))
			err = measure_reading(c, &t, cpu, &m[k].reading[which]);
	}
	if (!err && which == FUNC_PROG)
		err = probe__count_exits(t.priv, &exits) ?: measure_costs(c, &t);
	c->probes->timed |= exits.timed;
	calibrate__close_empty(&t);
	return err;
}

/*
 * Measures what the probe of a subprogram adds to the measurement of the subprogram's caller.
 * Measures the caller without that probe, with it, and while that probe has to search for a frame.
 */
static int measure_calls(struct calibration *c, struct measured *m, struct reason *reason)
{
	struct target caller = {}, sub = {};
	int err = calibrate__open_empty(c, EMPTY_CALLS, NULL, &caller, reason) ?:
		  measure_kinds(c, &caller, &m->alone, sizeof(*m)) ?:
		  calibrate__open_empty(c, EMPTY_CALLS, empty_funcs[FUNC_SUB].func, &sub, reason) ?:
		  measure_kinds(c, &caller, &m->with, sizeof(*m));

	/* Mark as used the frame at which each search for a frame begins. */
	for (int k = 0; !err && k < c->kind_cnt; k++)
		probe_stat__frame(probe__find_stat(&sub, c->kind[k].cpu), 0)->ctx = BPROF_CTX_OFF;
	err = err ?: measure_kinds(c, &caller, &m->searching, sizeof(*m));
	for (int k = 0; !err && k < c->kind_cnt; k++) {
		int insns = ((struct probe *)sub.priv)->call_insns;

		subtract_insns(c, &m[k].with, insns);
		subtract_insns(c, &m[k].searching, insns);
	}
	calibrate__close_empty(&sub);
	calibrate__close_empty(&caller);
	return err;
}

/* Measures the programs that call KERNEL_FUNC, while KERNEL_FUNC has no probe. */
static int measure_kernel_calls(struct calibration *c, const struct target *once,
				struct measured *m, struct reason *reason)
{
	struct target more = {};
	int err = measure_kinds(c, once, &m->kernel_alone, sizeof(*m)) ?:
		  calibrate__open_empty(c, CALLS_MORE, NULL, &more, reason) ?:
		  measure_kinds(c, &more, &m->kernel_more, sizeof(*m));

	calibrate__close_empty(&more);
	return err;
}

/*
 * Times the program with more calls of KERNEL_FUNC. The program has no probe. probed: KERNEL_FUNC has
 * a probe. The difference between the two times is what the probe of KERNEL_FUNC adds to callers that
 * are no targets.
 */
static int time_calls(struct calibration *c, struct measured *m, bool probed)
{
	int fd = probe_template__empty_fd(c->probes->template, CALLS_MORE), err = 0;

	for (int k = 0; !err && k < c->kind_cnt; k++)
		err = affinity__bind(c->kind[k].cpu)
			      ?: probe_cost__time(fd, c->kind[k].cpu, &m[k].kernel_ns[probed]);
	return err;
}

/*
 * Measures what the probe of a function of the kernel counts, and what it adds to the measurement
 * of the function's caller. If this fails, bprof does not measure functions of the kernel:
 * c->no_kernel.
 */
static void measure_kernel(struct calibration *c, struct measured *m)
{
	struct target once = {.caller_number = 1}, kernel = {};
	struct reason *reason = &c->no_kernel;
	int err;

	reason__set(reason, REASON_NONE, 0, NULL);
	err = calibrate__open_empty(c, CALLS_KERNEL, NULL, &once, reason) ?:
	      measure_kernel_calls(c, &once, m, reason) ?:
	      time_calls(c, m, false) ?:
	      calibrate__open_kernel(c, &once, &kernel, reason) ?:
	      time_calls(c, m, true) ?:
	      measure_kinds(c, &kernel, &m->kernel, sizeof(*m)) ?:
	      measure_kinds(c, &once, &m->kernel_with, sizeof(*m));
	if (err && !reason->code)
		reason__set(reason, REASON_SYSTEM, -err, "%s", strerror(-err));
	for (int k = 0; k < c->kind_cnt; k++)
		m[k].has_kernel = !err;
	calibrate__close_empty(&kernel);
	calibrate__close_empty(&once);
}

/* Measures the built-in functions of a range, if the targets need them. */
static int measure_funcs(struct calibration *c, enum empty_func from, enum empty_func to,
			 struct measured *m, struct reason *reason)
{
	int err = 0;

	for (enum empty_func i = from; !err && i <= to; i++)
		if (c->empties >> empty_funcs[i].prog & 1)
			err = measure_func(c, i, m, reason);
	return err;
}

/*
 * Returns the contexts that have no effect on the bias on this kernel. A test run itself disables
 * migration and takes the RCU read lock, so both counters are at least 1. If the trampoline does
 * the same, the probe sees 2. If the probe sees 1, the trampoline does not use this counter, and
 * the context cannot matter.
 */
static __u32 find_inert_contexts(const struct calibration *c, const struct measured *m)
{
	__u32 inert = 0;

	for (int k = 0; k < c->kind_cnt; k++)
		inert |= m[k].context[FUNC_PROG] & (BPROF_CONTEXT_MIGRATION | BPROF_CONTEXT_RCU);
	return inert;
}

/*
 * Returns true if the bias differs significantly when interrupts are disabled. Compares only the
 * events, because the clock is less exact than the events.
 */
static bool irqs_matter(const struct calibration *c)
{
	for (int k = 0; k < c->kind_cnt; k++)
		for (int i = 0; i < c->probes->env->fds->perf_slot_cnt; i++) {
			const struct bias *part = c->kind[k].part;
			double spread = part[BIAS_PROG].stddev[i] + part[BIAS_IRQ].stddev[i];

			if (fabs(part[BIAS_IRQ].value[i]) > fmax(0.5, 2 * spread))
				return true;
		}
	return false;
}

/* Chooses the built-in programs for the next template. */
static void set_empties(struct calibration *c)
{
	c->probes->empties = c->empties | calibrate__checks(c);
}

/* Makes probes distinguish the given contexts from now on. */
static int use_contexts(struct calibration *c, __u32 contexts, struct reason *reason)
{
	c->contexts = contexts;
	if (!(contexts & BPROF_CONTEXT_MIGRATION))
		c->empties &= ~(1U << EMPTY_RAW);
	if (!(contexts & BPROF_CONTEXT_RCU))
		c->empties &= ~(1U << EMPTY_SYSCALL);
	set_empties(c);
	return probes__set_contexts(c->probes, contexts, reason);
}

/*
 * Measures how the bias changes when interrupts are disabled, by runs in the interrupt of a timer.
 * If such runs are impossible (the kernel may refuse or throttle the timer), bprof assumes that all
 * runs have interrupts enabled. Returns true if the bias changes.
 */
static bool find_irqs(struct calibration *c, struct measured *m)
{
	struct reason reason = {};
	char why[512];
	int err = measure_funcs(c, FUNC_IRQ, FUNC_IRQ, m, &reason);

	if (err) {
		log_info("cannot measure the probe's cost with interrupts disabled: %s",
			 reason.code ? reason__describe(&reason, why, sizeof(why))
				     : strerror(-err));
		m->args[FUNC_IRQ] = 0;
		return false;
	}
	calibration__set_parts(c, m);
	return c->empties >> EMPTY_IRQ & 1 && irqs_matter(c);
}

/*
 * Finds out which contexts affect the bias on this kernel, and measures the parts of the bias that
 * they cause. If the set of contexts changes, the probe changes, too, and everything is measured
 * again.
 */
static int measure_contexts(struct calibration *c, struct measured *m, struct reason *reason)
{
	__u32 contexts;
	int err = measure_funcs(c, FUNC_PROG, FUNC_PROG, m, reason);

	if (err)
		return err;
	contexts = c->contexts & ~find_inert_contexts(c, m);
	/* The probe reads the RCU counter only if it also reads the migration counter. */
	if (!(contexts & BPROF_CONTEXT_MIGRATION))
		contexts &= ~BPROF_CONTEXT_RCU;
	if (contexts != c->contexts)
		err = use_contexts(c, contexts, reason)
			      ?: measure_funcs(c, FUNC_PROG, FUNC_PROG, m, reason);
	err = err ?: measure_funcs(c, FUNC_ARGS, FUNC_SYSCALL, m, reason);
	if (err)
		return err;
	contexts &= ~BPROF_CONTEXT_IRQ;
	if (find_irqs(c, m))
		contexts |= BPROF_CONTEXT_IRQ;
	else
		c->empties &= ~(1U << EMPTY_IRQ);
	if (contexts == c->contexts)
		return 0;
	return use_contexts(c, contexts, reason)
		       ?: measure_funcs(c, FUNC_PROG, FUNC_IRQ, m, reason);
}

/* The argument of measure_all(). */
struct calibration_run {
	struct calibration *c;
	struct reason *reason;
	struct check_failure wrong; /* set if measure_all() returns -EBADE */
};

static int measure_once(struct calibration *c, struct reason *reason)
{
	struct measured *m = xcalloc(c->kind_cnt + 1, sizeof(*m));
	int err = measure_contexts(c, m, reason) ?:
		  measure_funcs(c, FUNC_SUB, FUNC_TAIL_CALLS, m, reason) ?:
		  (c->probes->env->nested ? measure_calls(c, m, reason) : 0);

	if (!err && c->probes->env->calls)
		measure_kernel(c, m);
	if (!err)
		calibration__set_parts(c, m);
	for (int k = 0; !err && c->contexts & BPROF_CONTEXT_IRQ && k < c->kind_cnt; k++)
		calibration__set_threshold(&c->kind[k], &m[k], c->probes->env->fds->perf_slot_cnt);
	free(m);
	return err;
}

/*
 * Makes all measurements. Called in a thread of its own, because it binds the thread to one CPU
 * after the other. Repeats the measurements if the check finds them wrong: the CPU may have changed
 * its frequency in the meantime.
 */
static int measure_all(const struct affinity *allowed, void *arg)
{
	struct calibration_run *run = arg;
	struct calibration *c = run->c;
	struct cpu_groups groups;
	int err;

	cpu_groups__find("", &c->probes->env->online, &groups);
	for (int i = 0; i < groups.cnt; i++) {
		struct cpu_kind *kind = array__add(&c->kind, &c->kind_cnt, sizeof(*kind));

		cpus__dup(&groups.v[i].cpus, &kind->cpus);
	}
	cpu_groups__free(&groups);
	err = choose_cpus(c, allowed);
	for (int i = 0; !err && !c->done && i < CALIBRATIONS; i++) {
		/*
		 * Open a new template: the probe of the old one cannot be attached a second time.
		 */
		if (i)
			err = probes__set_contexts(c->probes, c->contexts, run->reason);
		err = err ?: measure_once(c, run->reason);
		/*
		 * Set this before the check: the functions of known cost get their biases like
		 * targets.
		 */
		c->done = !err;
		if (!err && calibrate__check(c, &run->wrong))
			c->done = false;
	}
	return err ?: c->done ? 0 : -EBADE;
}

__u32 calibrate__prepare(struct calibration *c, __u32 possible)
{
	const struct target_list *targets = c->probes->env->targets;
	bool follow = c->probes->env->opts.follow, subs = c->probes->env->nested,
	     tail_calls = follow;
	/*
	 * The effect of RCU is measured with EMPTY_SYSCALL. The trampoline of EMPTY_SYSCALL saves
	 * five arguments, because its context is untyped. So the effect of further arguments must
	 * be known, too.
	 */
	bool args = follow || possible & BPROF_CONTEXT_RCU;

	/* Programs that are loaded later may have subprograms that --func selects. */
	if (follow)
		subs |= targets->func != NULL;
	for (int i = 0; i < targets->cnt; i++) {
		struct target *t = &targets->v[i];

		if (c->probes->kfuncs.cookie && !probes__needs_fsession(c->probes, t))
			continue;
		shape__find(t, &c->shapes);
		subs |= t->shape.sub;
		args |= t->shape.args != 1;
		tail_calls |= t->shape.tail_calls != TAIL_CALLS_NO;
	}
	c->possible = possible;
	c->empties = 1U << EMPTY_PROG | (args ? 1U << EMPTY_ARGS : 0) |
		     (subs || tail_calls ? 1U << EMPTY_CALLS : 0) |
		     (tail_calls ? 1U << EMPTY_TAIL_CALLS : 0) |
		     (c->probes->env->calls ? 1U << CALLS_KERNEL | 1U << CALLS_MORE : 0) |
		     (possible & BPROF_CONTEXT_MIGRATION ? 1U << EMPTY_RAW : 0) |
		     (possible & BPROF_CONTEXT_RCU ? 1U << EMPTY_SYSCALL : 0) |
		     (possible & BPROF_CONTEXT_IRQ ? 1U << EMPTY_IRQ : 0);
	/*
	 * On most arm64 machines interrupts do not affect the bias. Check for them only if
	 * calibration finds an effect.
	 */
	c->contexts = ARM64_HERE ? possible & ~BPROF_CONTEXT_IRQ : possible;
	set_empties(c);
	return c->contexts;
}

void calibrate(struct calibration *c)
{
	struct reason reason = {};
	struct calibration_run run = {.c = c, .reason = &reason};
	int err = affinity__run(measure_all, &run);

	if (!err)
		return;
	probes__subtract_readings(c->probes, false);
	if (err == -EBADE) {
		/*
		 * The costs of probes (cpu_kind.cost) are still exact enough to limit the overhead.
		 */
		if (!c->probes->kfuncs.cookie)
			log_warn("not calibrated, numbers are raw: a check of the calibration is "
				 "wrong by %+.0f %s on CPU %d for %s: send this line and the "
				 "output of 'bprof doctor --self-test -j' in a bug report",
				 run.wrong.error, run.wrong.event, run.wrong.cpu, run.wrong.what);
		return;
	}
	calibration__free(c);
	c->probes->timed = false;
	/* Do not warn yet: if no probe can be attached at all, the errors of the targets tell this. */
	c->failed = reason;
	if (!c->probes->kfuncs.cookie && !reason.code && err != -ECANCELED)
		log_warn("not calibrated, numbers are raw: %s",
			 err == -ETIME ? "an event never got a counter" : strerror(-err));
}

void calibration__warn(struct calibration *c)
{
	char why[512];

	if (c->failed.code)
		log_warn("not calibrated, numbers are raw: %s",
			 reason__describe(&c->failed, why, sizeof(why)));
	c->failed.code = REASON_NONE;
}
