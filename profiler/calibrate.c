// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calibration. Owns the biases; knows of the backend only how to attach a probe and where its
 * counts are.
 *
 * The bias holds for what is really attached: the same probe with the same constants reads the same
 * descriptors, through a trampoline of the same shape.
 *
 * What a probe adds to the function that calls its target is the difference between what the caller
 * shows with and without it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "backend_fentry.h"
#include "affinity.h"
#include "arm64_addrs.h"
#include "calibrate.h"
#include "calibrate_bias.h"
#include "counter.h"
#include "func_table.h"
#include "irq_run.h"
#include "log.h"
#include "probe_template.h"
#include "probe_cost.h"
#include "session.h"
#include "test_run.h"
#include "util.h"

/* The built-in functions, and the programs that they are in. */
enum empty_func {
	FUNC_PROG,
	FUNC_ARGS,
	FUNC_RAW,
	FUNC_SYSCALL,
	FUNC_IRQ,
	FUNC_SUB,
	FUNC_TAIL_CALLS,
	FUNC_CNT
};

static const struct {
	enum empty prog;
	const char *func; /* NULL: the entry function */
} empty_funcs[FUNC_CNT] = {
	[FUNC_PROG] = {EMPTY_PROG, NULL},
	[FUNC_SUB] = {EMPTY_CALLS, "bprof_empty_sub"},
	[FUNC_ARGS] = {EMPTY_ARGS, NULL},
	[FUNC_TAIL_CALLS] = {EMPTY_TAIL_CALLS, "bprof_empty_tail"},
	[FUNC_RAW] = {EMPTY_RAW, NULL},
	[FUNC_SYSCALL] = {EMPTY_SYSCALL, NULL},
	[FUNC_IRQ] = {EMPTY_IRQ, NULL},
};

/* Tries at how long reading all events takes: an interrupt falls into few of them. */
#define READINGS 4

/* What was measured of them on one kind of CPU. */
struct measured {
	struct bias func[FUNC_CNT];
	int args[FUNC_CNT];	 /* that the function's trampoline saves; 0: it was not measured */
	__u32 context[FUNC_CNT]; /* that its runs were in, mostly */
	__u64 reading[FUNC_CNT][BPROF_SLOTS]; /* what reading all events takes in them */
	struct bias alone,
		with; /* a caller of bprof_empty_sub(), and the same while that is probed */
};

int calibrate__drive(int prog_fd, __u32 type, int cpu, int runs, __u32 *mean_ns)
{
	static const char packet[64];
	static const __u64 ctx[2];
	const bool takes_packet = test_run__takes_packet(type);
	const struct test_input in = {.data = packet,
				      .data_sz = sizeof(packet),
				      .ctx = takes_packet ? NULL : ctx,
				      .ctx_sz = takes_packet ? 0 : sizeof(ctx)};
	const struct test_run_opts o = {.repeat = runs};
	struct test_run_result result;
	int err;

	if (type == BPF_PROG_TYPE_PERF_EVENT)
		return irq_run(prog_fd, cpu, runs);
	err = test_run(prog_fd, type, &in, &o, &result);
	if (!err && mean_ns)
		*mean_ns = result.mean_ns;
	return err;
}

/*
 * What tells the kinds of CPU apart (big.LITTLE, hybrid): the main ID register on arm64, on x86
 * which of the core PMUs it belongs to.
 */
static void describe_kind(int cpu, char *buf, size_t sz)
{
	static const char *const pmus[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
	char path[128], *midr = NULL;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 cpu);
	if (read_file(path, &midr))
		midr = NULL;
	snprintf(buf, sz, "%s", midr ?: "");
	free(midr);
	for (size_t i = 0; i < ARRAY_SIZE(pmus); i++) {
		struct cpus cpus = {};

		snprintf(path, sizeof(path), "/sys/devices/%s/cpus", pmus[i]);
		if (!cpus__read(path, &cpus) && cpus__has(&cpus, cpu))
			strncat(buf, pmus[i], sz - strlen(buf) - 1);
		cpus__free(&cpus);
	}
}

static int add_cpu(struct cpus *cpus, int cpu)
{
	int *id = array__add(&cpus->id, &cpus->cnt, sizeof(*id));

	if (!id)
		return -ENOMEM;
	*id = cpu;
	return 0;
}

/* Sorts the CPUs that are measured and online by their kind. */
static int find_kinds(const struct session *s, struct calibration *c)
{
	char(*names)[160] = calloc(s->online.cnt + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (int i = 0; !err && i < s->online.cnt; i++) {
		struct cpu_kind *kind = NULL;
		char name[160];

		describe_kind(s->online.id[i], name, sizeof(name));
		for (int k = 0; k < c->kind_cnt && !kind; k++)
			if (!strcmp(names[k], name))
				kind = &c->kind[k];
		if (!kind) {
			strcpy(names[c->kind_cnt], name);
			kind = array__add(&c->kind, &c->kind_cnt, sizeof(*kind));
		}
		err = kind ? add_cpu(&kind->cpus, s->online.id[i]) : -ENOMEM;
	}
	free(names);
	return err;
}

/* Chooses a CPU of each kind that this thread may run on. 0 or -ECANCELED (reported). */
static int choose_cpus(struct calibration *c, const struct affinity *saved)
{
	char list[128];

	for (int k = 0; k < c->kind_cnt; k++) {
		struct cpu_kind *kind = &c->kind[k];

		kind->cpu = affinity__bind_any(saved, &kind->cpus);
		if (kind->cpu >= 0)
			continue;
		log_warn("not calibrated, numbers are raw: calibration runs on one of the CPUs %s, "
			 "and this process may not run there (%s); measure others with -C",
			 cpus__format(&kind->cpus, list, sizeof(list)),
			 kind->cpu == -EINVAL ? "its cpuset" : strerror(-kind->cpu));
		return -ECANCELED;
	}
	return 0;
}

/* What a target shows on a CPU of a kind, to which this thread is bound from here on. */
static int measure_on(const struct cpu_kind *kind, struct session *s, void *state,
		      const struct target *t, struct bias *bias)
{
	return affinity__bind(kind->cpu) ?: calibrate__measure(s, state, t, kind->cpu, bias);
}

/* A built-in function as a target, attached. func: NULL for the entry function. */
static int open_empty(struct session *s, void *state, enum empty prog, const char *func,
		      struct target *t, struct reason *reason)
{
	const struct bpf_fn *fn;
	int fd = dup(probe_template__empty_fd(fentry__template(state), prog));
	int err = fd < 0 ? -errno : prog__open_fd(fd, &t->prog);

	if (!err)
		err = prog__load_funcs(t->prog, reason);
	if (err)
		return err;
	fn = func ? func_table__find(t->prog->funcs, func) : t->prog->funcs->fn;
	if (!fn)
		return -ENOENT;
	t->func = fn->name;
	t->subprog = func;
	t->func_btf_id = fn->type_id;
	err = fentry_ops.open_target(s, state, t, reason);
	/* With --sample too every run is measured: of one in so many there would be too few. */
	for (int i = 0; !err && i < s->online.cnt; i++) {
		struct bprof_cpu_stat *stat = fentry__stat(t, s->online.id[i]);

		stat->period = stat->over_period = 1;
	}
	return err ?: fentry_ops.attach_target(state, t, reason);
}

static void close_empty(struct target *t)
{
	if (t->priv)
		fentry_ops.close_target(t);
	prog__close(t->prog);
}

/* What an attached target shows on every kind of CPU: in out[k * stride]. */
static int measure_kinds(struct session *s, void *state, const struct target *t, struct bias *out,
			 size_t stride)
{
	int err = 0;

	for (int k = 0; !err && k < s->calibration.kind_cnt; k++)
		err = measure_on(&s->calibration.kind[k], s, state, t,
				 (struct bias *)((char *)out + k * stride));
	return err;
}

/* The context of most of the runs since the last reset, by what the probe saw. */
static __u32 find_context(const struct bprof_cpu_stat *stat)
{
	__u32 most = 0;

	for (__u32 i = 1; i < BPROF_CONTEXTS; i++)
		if (stat->measured[i] > stat->measured[most])
			most = i;
	return most;
}

static int measure_costs(struct session *s, void *state, const struct target *t)
{
	int err = 0;

	for (int k = 0; !err && s->opts.share && k < s->calibration.kind_cnt; k++) {
		struct cpu_kind *kind = &s->calibration.kind[k];

		err = affinity__bind(kind->cpu)
			      ?: probe_cost__measure(s, state, t, kind->cpu, &kind->cost);
	}
	return err;
}

/*
 * What reading all events takes, by slot, in the runs of an attached target: the least of what the
 * probe finds when it looks for interrupts.
 */
static int measure_reading(struct session *s, void *state, const struct target *t, int cpu,
			   __u64 *least)
{
	struct bprof_cpu_stat *stat = fentry__stat(t, cpu);
	int err = affinity__bind(cpu);

	memset(least, 0xff, BPROF_SLOTS * sizeof(*least));
	for (int n = 0; !err && n < READINGS; n++) {
		stat->irqs.countdown = 0;
		err = calibrate__run(s, state, t, cpu, 2);
		for (int i = 0; i < BPROF_SLOTS; i++) {
			__u64 v = stat->irqs.again[1].value[i] - stat->irqs.again[0].value[i];

			if (v && v < least[i]) /* 0: the timer was late */
				least[i] = v;
		}
	}
	return err;
}

/* Between what reading takes with interrupts enabled and disabled, by the event where it differs most. */
static void set_threshold(struct cpu_kind *kind, const struct measured *m, int slots)
{
	double most = 0;

	kind->irq_enabled = 0; /* never disabled */
	for (int i = 0; i < slots; i++) {
		__u64 enabled = m->reading[FUNC_PROG][i], disabled = m->reading[FUNC_IRQ][i];
		double part = enabled > disabled ? (double)(enabled - disabled) / enabled : 0;

		if (part <= most)
			continue;
		most = part;
		kind->irq_slot = i;
		kind->irq_enabled = (enabled + disabled + 1) / 2;
	}
}

static int measure_func(struct session *s, void *state, enum empty_func which, struct measured *m,
			struct reason *reason)
{
	struct target t = {};
	int err = open_empty(s, state, empty_funcs[which].prog, empty_funcs[which].func, &t, reason)
			  ?: measure_kinds(s, state, &t, &m->func[which], sizeof(*m));

	for (int k = 0; !err && k < s->calibration.kind_cnt; k++) {
		int cpu = s->calibration.kind[k].cpu;

		m[k].args[which] = t.shape.args;
		m[k].context[which] = find_context(fentry__stat(&t, cpu));
		if (s->calibration.contexts & BPROF_CONTEXT_IRQ &&
		    (which == FUNC_PROG || which == FUNC_IRQ))
			err = measure_reading(s, state, &t, cpu, m[k].reading[which]);
	}
	if (!err && which == FUNC_PROG)
		err = measure_costs(s, state, &t);
	close_empty(&t);
	return err;
}

/* What the probe of a subprogram costs its caller: the caller with it, less the caller without. */
static int measure_calls(struct session *s, void *state, struct measured *m, struct reason *reason)
{
	struct target caller = {}, sub = {};
	int err = open_empty(s, state, EMPTY_CALLS, NULL, &caller, reason) ?:
		  measure_kinds(s, state, &caller, &m->alone, sizeof(*m)) ?:
		  open_empty(s, state, EMPTY_CALLS, empty_funcs[FUNC_SUB].func, &sub, reason) ?:
		  measure_kinds(s, state, &caller, &m->with, sizeof(*m));

	close_empty(&sub);
	close_empty(&caller);
	return err;
}

static double difference(const struct bias *a, const struct bias *b, int slot)
{
	return a->value[slot] - b->value[slot];
}

/*
 * What the context of a built-in entry function adds to its bias: beside those of its runs' context
 * that are known already, and its arguments.
 */
static double context_bias(const struct measured *m, const double *part, enum empty_func which,
			   int slot)
{
	double v = difference(&m->func[which], &m->func[FUNC_PROG], slot) -
		   (m->args[which] - 1) * part[BIAS_ARG];

	if (which != FUNC_RAW && m->context[which] & BPROF_CONTEXT_MIGRATION)
		v -= part[BIAS_MIGRATION];
	if (which != FUNC_SYSCALL && m->context[which] & BPROF_CONTEXT_RCU)
		v -= part[BIAS_RCU];
	return v;
}

/* The parts of the bias in one slot, as far as they were measured. */
static void set_parts(struct cpu_kind *kind, const struct measured *m, int slot)
{
	const struct bias *func = m->func;
	double part[BIAS_PART_CNT] = {
		[BIAS_PROG] = func[FUNC_PROG].value[slot],
		[BIAS_SUB] = func[FUNC_SUB].value[slot],
	};

	if (m->args[FUNC_ARGS] > 1)
		part[BIAS_ARG] = difference(&func[FUNC_ARGS], &func[FUNC_PROG], slot) /
				 (m->args[FUNC_ARGS] - 1);
	if (m->args[FUNC_TAIL_CALLS])
		part[BIAS_TAIL_CALLS] = difference(&func[FUNC_TAIL_CALLS], &func[FUNC_SUB], slot);
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
	kind->call_cost[slot] = difference(&m->with, &m->alone, slot);
}

static void set_all_parts(struct calibration *c, const struct measured *m)
{
	for (int k = 0; k < c->kind_cnt; k++)
		for (int i = 0; i < BPROF_SLOTS; i++)
			set_parts(&c->kind[k], &m[k], i);
}

/* Measures those built-in functions, from one to another, that the session needs. */
static int measure_funcs(struct session *s, void *state, enum empty_func from, enum empty_func to,
			 struct measured *m, struct reason *reason)
{
	int err = 0;

	for (enum empty_func i = from; !err && i <= to; i++)
		if (s->calibration.empties >> empty_funcs[i].prog & 1)
			err = measure_func(s, state, i, m, reason);
	return err;
}

/*
 * The trampoline leaves migration or RCU alone if a test run, which disables migration and takes
 * the RCU read lock once, shows them as taken once only in the probe. Then there is no difference
 * between contexts on this kernel.
 */
static __u32 find_inert_contexts(const struct calibration *c, const struct measured *m)
{
	__u32 inert = 0;

	for (int k = 0; k < c->kind_cnt; k++)
		inert |= m[k].context[FUNC_PROG];
	return inert;
}

/*
 * Is it more than chance that the bias is another one with interrupts disabled? By the events: the
 * clock is never as exact.
 */
static bool irqs_matter(const struct session *s)
{
	for (int k = 0; k < s->calibration.kind_cnt; k++)
		for (int i = 0; i < s->fds->perf_slot_cnt; i++) {
			const struct bias *part = s->calibration.kind[k].part;
			double spread = part[BIAS_PROG].stddev[i] + part[BIAS_IRQ].stddev[i];

			if (fabs(part[BIAS_IRQ].value[i]) > fmax(0.5, 2 * spread))
				return true;
		}
	return false;
}

/* Has the probe tell these contexts apart from here on. */
static int use_contexts(struct session *s, void *state, __u32 contexts, struct reason *reason)
{
	struct calibration *c = &s->calibration;

	if (contexts == c->contexts)
		return 0;
	c->contexts = contexts;
	if (!(contexts & BPROF_CONTEXT_MIGRATION))
		c->empties &= ~(1U << EMPTY_RAW);
	if (!(contexts & BPROF_CONTEXT_RCU))
		c->empties &= ~(1U << EMPTY_SYSCALL);
	return fentry__set_contexts(s, state, contexts, reason);
}

/*
 * Finds out which contexts make a difference on this kernel, and what they add to the bias. Another
 * set of contexts makes another probe, of which everything is measured anew.
 */
static int measure_contexts(struct session *s, void *state, struct measured *m,
			    struct reason *reason)
{
	struct calibration *c = &s->calibration;
	__u32 before, contexts;
	int err;

	do {
		before = c->contexts;
		err = measure_funcs(s, state, FUNC_PROG, FUNC_PROG, m, reason);
		if (err)
			return err;
		contexts = c->contexts & ~find_inert_contexts(c, m);
		/* Its counter is looked at only where migration's is. */
		if (!(contexts & BPROF_CONTEXT_MIGRATION))
			contexts &= ~BPROF_CONTEXT_RCU;
		if (contexts == before) {
			err = measure_funcs(s, state, FUNC_ARGS, FUNC_IRQ, m, reason);
			set_all_parts(c, m);
			contexts &= ~BPROF_CONTEXT_IRQ;
			if (c->possible & BPROF_CONTEXT_IRQ && irqs_matter(s))
				contexts |= BPROF_CONTEXT_IRQ;
		}
		err = err ?: use_contexts(s, state, contexts, reason);
	} while (!err && contexts != before);
	return err;
}

static int measure_all(struct session *s, void *state, struct reason *reason)
{
	struct calibration *c = &s->calibration;
	struct measured *m = NULL;
	struct affinity *saved;
	int err = affinity__save(&saved);

	if (err)
		return err;
	err = find_kinds(s, c) ?: choose_cpus(c, saved);
	if (!err) {
		m = calloc(c->kind_cnt + 1, sizeof(*m));
		err = !m ? -ENOMEM
			 : measure_contexts(s, state, m, reason) ?:
			   measure_funcs(s, state, FUNC_SUB, FUNC_TAIL_CALLS, m, reason) ?:
			   (s->nested ? measure_calls(s, state, m, reason) : 0);
	}
	affinity__restore(saved);
	if (!err)
		set_all_parts(c, m);
	for (int k = 0; !err && c->contexts & BPROF_CONTEXT_IRQ && k < c->kind_cnt; k++)
		set_threshold(&c->kind[k], &m[k], s->fds->perf_slot_cnt);
	free(m);
	return err;
}

__u32 calibrate__prepare(struct session *s, __u32 possible)
{
	struct calibration *c = &s->calibration;
	bool subs = s->nested, tail_calls = s->opts.follow;
	/* The empty program that is in no RCU section has a context of no type. */
	bool args = s->opts.follow || possible & BPROF_CONTEXT_RCU;

	/* Of targets that come later nothing is known yet. */
	if (s->opts.follow)
		subs |= s->targets.func != NULL;
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];

		shape__find(t, &c->shapes);
		subs |= t->shape.sub;
		args |= t->shape.args != 1;
		tail_calls |= t->shape.tail_calls != TAIL_CALLS_NO;
	}
	c->possible = possible;
	c->empties = 1U << EMPTY_PROG | (args ? 1U << EMPTY_ARGS : 0) |
		     (subs || tail_calls ? 1U << EMPTY_CALLS : 0) |
		     (tail_calls ? 1U << EMPTY_TAIL_CALLS : 0) |
		     (possible & BPROF_CONTEXT_MIGRATION ? 1U << EMPTY_RAW : 0) |
		     (possible & BPROF_CONTEXT_RCU ? 1U << EMPTY_SYSCALL : 0) |
		     (possible & BPROF_CONTEXT_IRQ ? 1U << EMPTY_IRQ : 0);
	/* On arm64 interrupts mostly make no difference: not to be looked for unless they are found to. */
	c->contexts = ARM64_HERE ? possible & ~BPROF_CONTEXT_IRQ : possible;
	return c->contexts;
}

void calibrate(struct session *s, void *state)
{
	struct reason reason = {};
	int err = measure_all(s, state, &reason);
	char why[512];

	s->calibration.done = !err;
	if (!err)
		return;
	calibration__free(&s->calibration);
	fentry__take_off_readings(s, state, false);
	/* Where no probe can be attached at all, the targets say so. */
	if (reason.code)
		log_info("not calibrated: %s", reason__describe(&reason, why, sizeof(why)));
	else if (err != -ECANCELED)
		log_warn("not calibrated, numbers are raw: %s",
			 err == -ETIME ? "some event was never on a counter" : strerror(-err));
}

void calibration__free(struct calibration *c)
{
	for (int i = 0; i < c->kind_cnt; i++)
		cpus__free(&c->kind[i].cpus);
	free(c->kind);
	shape_cache__free(&c->shapes);
	memset(c, 0, sizeof(*c));
}

const struct cpu_kind *calibration__kind(const struct calibration *c, int cpu)
{
	for (int i = 0; i < c->kind_cnt; i++)
		if (cpus__has(&c->kind[i].cpus, cpu))
			return &c->kind[i];
	/* One that came online since: like the first. */
	return c->done && c->kind_cnt ? &c->kind[0] : NULL;
}

double calibration__stddev(const struct calibration *c, int cpu, const struct target_shape *shape,
			   int slot)
{
	const struct cpu_kind *kind = calibration__kind(c, cpu);

	return kind ? kind->part[shape->sub ? BIAS_SUB : BIAS_PROG].stddev[slot] : 0;
}

double calibration__uncertainty(const struct calibration *c, const struct target_shape *shape,
				bool irqs, int slot)
{
	double most = 0;

	for (int k = 0; c->done && k < c->kind_cnt; k++) {
		const struct bias *part = c->kind[k].part;
		double v = irqs ? fabs(part[BIAS_IRQ].value[slot]) : 0;

		if (shape->tail_calls == TAIL_CALLS_MAYBE)
			v += fabs(part[BIAS_TAIL_CALLS].value[slot]);
		most = fmax(most, v);
	}
	return most;
}

/* What a shape and a context add to the bias of an entry function or a subprogram. */
static double added_bias(const struct cpu_kind *kind, const struct target_shape *shape,
			 __u32 context, int slot)
{
	const struct bias *part = kind->part;
	double v = (shape->args - 1) * part[BIAS_ARG].value[slot];

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
 * What all of it adds to the caller's reading. Whatever adds to the bias does so once between the two
 * readings, and once outside of them: an argument is saved and loaded again, the one probe is left
 * and the other entered. Outside of them the trampoline takes the RCU read lock twice more, to count
 * that it is in use (__bpf_tramp_enter(), __bpf_tramp_exit(): percpu_ref_get(), percpu_ref_put()).
 */
static double call_cost(const struct cpu_kind *kind, const struct target_shape *shape,
			__u32 context, int slot)
{
	double v = kind->call_cost[slot] + 2 * added_bias(kind, shape, context, slot);

	if (context & BPROF_CONTEXT_RCU)
		v += 2 * kind->part[BIAS_RCU].value[slot];
	return v;
}

void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu,
			const struct target_shape *shape)
{
	const struct cpu_kind *kind = c->done ? calibration__kind(c, cpu) : NULL;

	for (int i = 0; kind && i < BPROF_SLOTS; i++)
		for (__u32 context = 0; context < BPROF_CONTEXTS; context++) {
			double base = kind->part[shape->sub ? BIAS_SUB : BIAS_PROG].value[i];
			double added = added_bias(kind, shape, context, i);

			stat->event[i].bias[context] = llround(base + added);
			stat->event[i].cost[context] = llround(call_cost(kind, shape, context, i));
		}
	if (kind) {
		stat->irqs.slot = kind->irq_slot;
		stat->irqs.enabled = kind->irq_enabled;
	}
}
