// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parts of the bias. Owns the arithmetic that computes the bias of a target's runs from the
 * measurements of the built-in functions. Must not know how anything is measured.
 */
#include <math.h>
#include <stdlib.h>

#include "backend/probe_stat.h"
#include "base/util.h"
#include "calibration/calibration_priv.h"

/*
 * Returns the difference of the minimum costs. The means cannot be compared: some programs need a
 * system call for each run. On average, such runs find colder caches than runs that one system call
 * repeats.
 */
static double min_difference(const struct bias *a, const struct bias *b, int slot)
{
	return a->min[slot] - b->min[slot];
}

/*
 * Returns what the context of a built-in entry function adds to its bias. Subtracts the parts that
 * are already known: the parts for the function's arguments and for its other contexts.
 */
static double context_bias(const struct measured *m, const double *part, enum empty_func which,
			   int slot)
{
	double v = min_difference(&m->func[which], &m->func[FUNC_PROG], slot) -
		   (m->args[which] - 1) * part[BIAS_ARG];

	if (which != FUNC_RAW && m->context[which] & BPROF_CONTEXT_MIGRATION)
		v -= part[BIAS_MIGRATION];
	if (which != FUNC_SYSCALL && m->context[which] & BPROF_CONTEXT_RCU)
		v -= part[BIAS_RCU];
	return v;
}

/* Sets the measured parts of the bias in one slot. */
static void set_parts(struct cpu_kind *kind, const struct measured *m, int slot)
{
	const struct bias *func = m->func;
	double part[BIAS_PART_CNT] = {
		[BIAS_PROG] = func[FUNC_PROG].value[slot],
		[BIAS_SUB] = func[FUNC_SUB].value[slot],
	};

	if (m->args[FUNC_ARGS] > 1)
		part[BIAS_ARG] = min_difference(&func[FUNC_ARGS], &func[FUNC_PROG], slot) /
				 (m->args[FUNC_ARGS] - 1);
	if (m->args[FUNC_TAIL_CALLS])
		part[BIAS_TAIL_CALLS] =
			min_difference(&func[FUNC_TAIL_CALLS], &func[FUNC_SUB], slot);
	if (m->args[FUNC_RAW])
		part[BIAS_MIGRATION] = context_bias(m, part, FUNC_RAW, slot);
	if (m->args[FUNC_SYSCALL])
		part[BIAS_RCU] = context_bias(m, part, FUNC_SYSCALL, slot);
	if (m->args[FUNC_IRQ])
		part[BIAS_IRQ] = context_bias(m, part, FUNC_IRQ, slot);
	for (int i = 0; i < BIAS_PART_CNT; i++)
		kind->part[i].value[slot] = part[i];
	kind->part[BIAS_PROG].stddev[slot] = func[FUNC_PROG].stddev[slot];
	kind->part[BIAS_SUB].stddev[slot] = func[FUNC_SUB].stddev[slot];
	kind->part[BIAS_IRQ].stddev[slot] = func[FUNC_IRQ].stddev[slot];
	if (m->has_kernel) {
		double call = (m->kernel_more.value[slot] - m->kernel_alone.value[slot]) /
			      BPROF_MORE_CALLS;

		kind->part[BIAS_KERNEL].value[slot] = m->kernel.value[slot] - call;
		kind->part[BIAS_KERNEL].stddev[slot] = m->kernel.stddev[slot];
		kind->kernel_cost[slot] = m->kernel_with.value[slot] - m->kernel_alone.value[slot];
	}
	kind->call_cost[slot] = m->with.value[slot] - m->alone.value[slot];
	kind->search_cost[slot] = m->searching.value[slot] - m->with.value[slot];
}

void calibration__set_parts(struct calibration *c, const struct measured *m)
{
	for (int k = 0; k < c->kind_cnt; k++) {
		for (int i = 0; i < BPROF_SLOTS; i++)
			set_parts(&c->kind[k], &m[k], i);
		/* The means are whole nanoseconds, rounded down. So round the difference up. */
		if (m[k].has_kernel)
			c->kind[k].other_ns =
				fmax((double)m[k].kernel_ns[1] + 1 - m[k].kernel_ns[0], 1) /
				(1 + BPROF_MORE_CALLS);
	}
}

/*
 * Sets the threshold that distinguishes runs with interrupts disabled from other runs: halfway
 * between what reading all events costs with interrupts enabled and what it costs with interrupts
 * disabled. Of the slots whose difference is well above the spread, chooses the slot with the
 * largest relative difference.
 */
void calibration__set_threshold(struct cpu_kind *kind, const struct measured *m, int slots)
{
	const struct read_cost *on = &m->reading[FUNC_PROG], *off = &m->reading[FUNC_IRQ];
	double max = 0;

	kind->irq_enabled = 0; /* without a usable slot, interrupts count as enabled */
	for (int i = 0; i < slots; i++) {
		double less = (double)on->min[i] - off->min[i];

		if (less <= 2.0 * ((double)on->spread[i] + off->spread[i]) ||
		    less / on->min[i] <= max)
			continue;
		max = less / on->min[i];
		kind->irq_slot = i;
		kind->irq_enabled = (on->min[i] + off->min[i] + 1) / 2;
	}
}

void calibration__free(struct calibration *c)
{
	for (int i = 0; i < c->kind_cnt; i++)
		cpus__free(&c->kind[i].cpus);
	free(c->kind);
	shape_cache__free(&c->shapes);
	*c = (struct calibration){.probes = c->probes};
}

static const struct cpu_kind *find_kind(const struct calibration *c, int cpu)
{
	for (int i = 0; i < c->kind_cnt; i++)
		if (cpus__has(&c->kind[i].cpus, cpu))
			return &c->kind[i];
	return NULL;
}

bool calibration__is_unknown_kind(const struct calibration *c, int cpu)
{
	return c->done && c->kind_cnt > 1 && !find_kind(c, cpu);
}

const struct cpu_kind *calibration__kind(const struct calibration *c, int cpu)
{
	const struct cpu_kind *kind = find_kind(c, cpu);

	if (kind)
		return kind;
	/* This CPU came online after the calibration: assume that it is of the first kind. */
	return c->done && c->kind_cnt ? &c->kind[0] : NULL;
}

/* Returns the part of the bias to which the other parts are added, for a target of that shape. */
static enum bias_part base_part(const struct target_shape *shape)
{
	return shape->kernel ? BIAS_KERNEL : shape->sub ? BIAS_SUB : BIAS_PROG;
}

double calibration__stddev(const struct calibration *c, int cpu, const struct target_shape *shape,
			   int slot)
{
	const struct cpu_kind *kind = calibration__kind(c, cpu);

	return kind ? kind->part[base_part(shape)].stddev[slot] : 0;
}

double calibration__uncertainty(const struct calibration *c, const struct target_shape *shape,
				bool irqs, int slot)
{
	double max = 0;

	for (int k = 0; c->done && k < c->kind_cnt; k++) {
		const struct bias *part = c->kind[k].part;
		double v = irqs ? fabs(part[BIAS_IRQ].value[slot]) : 0;

		if (shape->tail_calls == TAIL_CALLS_MAYBE)
			v += fabs(part[BIAS_TAIL_CALLS].value[slot]);
		max = fmax(max, v);
	}
	return max;
}

/*
 * Returns how much the shape of a trampoline and a context add to the bias of an entry function or
 * a subprogram.
 */
static double added_bias(const struct cpu_kind *kind, const struct target_shape *shape,
			 __u32 context, int slot)
{
	const struct bias *part = kind->part;
	int args = shape->kernel ? KERNEL_ARGS : 1; /* number of arguments in the base part */
	double v = (shape->args - args) * part[BIAS_ARG].value[slot];

	if (shape->tail_calls != TAIL_CALLS_NO)
		v += part[BIAS_TAIL_CALLS].value[slot];
	if (context & BPROF_CONTEXT_MIGRATION)
		v += part[BIAS_MIGRATION].value[slot];
	if (context & BPROF_CONTEXT_RCU)
		v += part[BIAS_RCU].value[slot];
	if (context & BPROF_CONTEXT_IRQ)
		v += part[BIAS_IRQ].value[slot];
	return v;
}

/*
 * Returns what the probe of a function with this shape, in this context, adds to the reading of its
 * caller. The caller's reading contains each addition to the bias twice: once between the two
 * readings of the function's probe, and once outside of them. For example, an argument is saved
 * before the first reading and loaded after it, and each of the probe's two programs is entered on
 * one side of its reading and left on the other side.
 *
 * With BPROF_CONTEXT_RCU the trampoline also takes the RCU read lock twice outside of the
 * readings, to count its users (__bpf_tramp_enter(), __bpf_tramp_exit(): percpu_ref_get(),
 * percpu_ref_put()).
 */
static double call_cost(const struct cpu_kind *kind, const struct target_shape *shape,
			__u32 context, int slot)
{
	const double *base = shape->kernel ? kind->kernel_cost : kind->call_cost;
	double v = base[slot] + 2 * added_bias(kind, shape, context, slot);

	if (context & BPROF_CONTEXT_RCU)
		v += 2 * kind->part[BIAS_RCU].value[slot];
	return v;
}

void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu,
			const struct target_shape *shape)
{
	const struct cpu_kind *kind = c->done ? calibration__kind(c, cpu) : NULL;

	for (int i = 0; kind && i < BPROF_SLOTS; i++) {
		struct bprof_event_sum *sum = probe_stat__event(stat, i);

		for (__u32 context = 0; sum && context < BPROF_CONTEXTS; context++) {
			double base = kind->part[base_part(shape)].value[i];
			double added = added_bias(kind, shape, context, i);

			sum->bias[context] = llround(base + added);
			sum->cost[context] = llround(call_cost(kind, shape, context, i));
		}
		if (sum)
			sum->search = llround(kind->search_cost[i]);
	}
	if (kind) {
		stat->irqs.slot = kind->irq_slot;
		stat->irqs.enabled = kind->irq_enabled;
	}
}
