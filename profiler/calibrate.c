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
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "backend_fentry.h"
#include "calibrate.h"
#include "calibrate_bias.h"
#include "counter.h"
#include "func_table.h"
#include "log.h"
#include "probe_template.h"
#include "probe_cost.h"
#include "session.h"
#include "test_run.h"
#include "util.h"

/* The shapes of subprograms that are measured. */
#define ONE_ARG (SHAPE_SUB + 1)
#define MOST_ARGS (SHAPE_SUB + SHAPE_MAX_ARGS)

int calibrate__drive(int prog_fd, int runs, __u32 *mean_ns)
{
	static const char packet[64];
	const struct test_input in = {.data = packet, .data_sz = sizeof(packet)};
	const struct test_run_opts o = {.repeat = runs};
	struct test_run_result result;
	int err = test_run(prog_fd, BPF_PROG_TYPE_SCHED_CLS, &in, &o, &result);

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

/* What a target shows on the first CPU of a kind, to which this thread is bound from here on. */
static int measure_on(const struct cpu_kind *kind, struct session *s, void *state,
		      const struct target *t, struct bias *bias)
{
	int cpu = kind->cpus.id[0];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return -errno;
	return calibrate__measure(s, state, t, cpu, bias);
}

/* A built-in function as a target, attached. func: NULL for the entry function. */
static int open_empty(struct session *s, void *state, int prog_fd, const char *func,
		      struct target *t, struct reason *reason)
{
	const struct bpf_fn *fn;
	int fd = dup(prog_fd);
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

/* Opens the empty function of that shape. */
static int open_shape(struct session *s, void *state, int shape, struct target *t,
		      struct reason *reason)
{
	const struct probe_template *template = fentry__template(state);
	char func[32];

	if (shape == SHAPE_PROG)
		return open_empty(s, state, probe_template__empty_fd(template), NULL, t, reason);
	snprintf(func, sizeof(func), "bprof_empty_%d", shape - SHAPE_SUB);
	return open_empty(s, state, probe_template__calls_fd(template), func, t, reason);
}

/* The bias of a shape on every kind of CPU, of which t is the empty function. */
static int measure_bias(struct session *s, void *state, int shape, const struct target *t)
{
	int err = 0;

	for (int k = 0; !err && k < s->calibration.kind_cnt; k++) {
		struct cpu_kind *kind = &s->calibration.kind[k];

		err = measure_on(kind, s, state, t, &kind->shape[shape]);
		if (!err && shape == SHAPE_PROG && s->opts.share)
			err = probe_cost__measure(s, state, t, kind->cpus.id[0], &kind->cost);
	}
	return err;
}

static int measure_shape(struct session *s, void *state, int shape, struct reason *reason)
{
	struct target t = {};
	int err = open_shape(s, state, shape, &t, reason) ?: measure_bias(s, state, shape, &t);

	close_empty(&t);
	return err;
}

/* What a target shows on every kind of CPU. */
static int measure_caller(struct session *s, void *state, const struct target *caller,
			  struct bias *by_kind)
{
	int err = 0;

	for (int k = 0; !err && k < s->calibration.kind_cnt; k++)
		err = measure_on(&s->calibration.kind[k], s, state, caller, &by_kind[k]);
	return err;
}

/*
 * The bias of the shape with one argument, and what a caller shows on each kind of CPU while that
 * probe is attached, in with[].
 */
static int measure_with(struct session *s, void *state, const struct target *caller,
			struct bias *with, struct reason *reason)
{
	struct target t = {};
	int err = open_shape(s, state, ONE_ARG, &t, reason) ?:
		  measure_bias(s, state, ONE_ARG, &t) ?:
		  measure_caller(s, state, caller, with);

	close_empty(&t);
	return err;
}

/* What probes cost those that call their targets: measured of one shape. */
static int measure_cost(struct session *s, void *state, struct reason *reason)
{
	struct calibration *c = &s->calibration;
	struct bias *alone = calloc(c->kind_cnt, sizeof(*alone));
	struct bias *with = calloc(c->kind_cnt, sizeof(*with));
	struct target caller = {};
	int err = alone && with ? 0 : -ENOMEM;

	if (!err)
		err = open_empty(s, state, probe_template__calls_fd(fentry__template(state)), NULL,
				 &caller, reason) ?:
		      measure_caller(s, state, &caller, alone) ?:
		      measure_with(s, state, &caller, with, reason);
	for (int k = 0; !err && k < c->kind_cnt; k++)
		for (int i = 0; i < BPROF_SLOTS; i++)
			c->kind[k].shape[ONE_ARG].cost[i] = with[k].value[i] - alone[k].value[i];
	close_empty(&caller);
	free(alone);
	free(with);
	return err;
}

/* Each argument is saved and loaded in the same way: the shapes between lie on a line. */
static void interpolate(struct bias *shape)
{
	const struct bias *one = &shape[ONE_ARG], *most = &shape[MOST_ARGS];

	for (int args = 0; args <= SHAPE_MAX_ARGS; args++)
		for (int i = 0; i < BPROF_SLOTS && SHAPE_SUB + args != ONE_ARG; i++) {
			double each =
				((double)most->value[i] - one->value[i]) / (SHAPE_MAX_ARGS - 1);

			shape[SHAPE_SUB + args].value[i] =
				llround(one->value[i] + (args - 1) * each);
			shape[SHAPE_SUB + args].stddev[i] = fmax(one->stddev[i], most->stddev[i]);
		}
}

/*
 * The costs of the other shapes: they differ by the arguments, which the trampoline saves before the
 * window and loads again in it. A program has one, and a prologue of its own, which is no cost.
 */
static void set_costs(struct bias *shape)
{
	for (int n = 0; n < SHAPE_CNT; n++)
		for (int i = 0; i < BPROF_SLOTS && n != ONE_ARG; i++)
			shape[n].cost[i] = shape[ONE_ARG].cost[i] +
					   (n == SHAPE_PROG ? 0
							    : 2 * (shape[n].value[i] -
								   shape[ONE_ARG].value[i]));
}

void calibrate__find_shape(struct target *t)
{
	const struct bpf_fn *fn;

	if (!t->subprog)
		return;
	fn = func_table__find_type(t->prog->funcs, t->func_btf_id);
	t->shape = SHAPE_SUB + (fn->linkage == BTF_FUNC_GLOBAL && fn->arg_cnt <= SHAPE_MAX_ARGS
					? (int)fn->arg_cnt
					: probe_template__saved_args(t, fn->arg_cnt));
}

/* Finds out the shapes of the targets' trampolines. True: some are subprograms. */
static bool find_shapes(struct session *s)
{
	bool any = false;

	for (int i = 0; i < s->targets.cnt; i++) {
		calibrate__find_shape(&s->targets.v[i]);
		any |= s->targets.v[i].subprog;
	}
	return any;
}

static int measure_subprogs(struct session *s, void *state, struct reason *reason)
{
	int err = measure_shape(s, state, MOST_ARGS, reason);

	if (!err)
		err = s->nested ? measure_cost(s, state, reason)
				: measure_shape(s, state, ONE_ARG, reason);
	return err;
}

static int measure_all(struct session *s, void *state, struct reason *reason)
{
	bool subprogs = find_shapes(s);
	cpu_set_t old;
	int err;

	if (sched_getaffinity(0, sizeof(old), &old))
		return -errno;
	err = find_kinds(s, &s->calibration) ?: measure_shape(s, state, SHAPE_PROG, reason);
	if (!err && (subprogs || s->nested))
		err = measure_subprogs(s, state, reason);
	sched_setaffinity(0, sizeof(old), &old);
	for (int k = 0; !err && k < s->calibration.kind_cnt; k++) {
		interpolate(s->calibration.kind[k].shape);
		set_costs(s->calibration.kind[k].shape);
	}
	return err;
}

void calibrate(struct session *s, void *state)
{
	struct reason reason = {};
	int err = measure_all(s, state, &reason);

	s->calibration.done = !err;
	if (!err)
		return;
	calibration__free(&s->calibration);
	fentry__take_off_readings(s, state, false);
	/* Where no probe can be attached at all, the targets say so. */
	if (!reason.code)
		log_warn("not calibrated, numbers are raw: %s",
			 err == -ETIME ? "some event was never on a counter" : strerror(-err));
}

void calibration__free(struct calibration *c)
{
	for (int i = 0; i < c->kind_cnt; i++)
		cpus__free(&c->kind[i].cpus);
	free(c->kind);
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

const struct bias *calibration__find(const struct calibration *c, int cpu, int shape)
{
	const struct cpu_kind *kind = calibration__kind(c, cpu);

	return kind ? &kind->shape[shape] : NULL;
}

void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu,
			int shape)
{
	const struct bias *bias = c->done ? calibration__find(c, cpu, shape) : NULL;

	for (int i = 0; bias && i < BPROF_SLOTS; i++) {
		stat->event[i].bias = bias->value[i];
		stat->event[i].cost = bias->cost[i];
	}
}
