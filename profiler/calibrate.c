// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calibration. Owns the biases; knows of the backend only how to attach a probe and where its
 * counts are.
 *
 * The bias holds for what is really attached: the same probe with the same constants reads the same
 * descriptors, through a trampoline of the same shape (one argument, as every program has).
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "backend_fentry.h"
#include "calibrate.h"
#include "counter.h"
#include "func_table.h"
#include "hist.h"
#include "log.h"
#include "session.h"
#include "util.h"

/* Runs to warm up and to find the least cost, then in blocks to find the usual one. */
#define WARM_UP_RUNS 64
#define BLOCK_RUNS 64
#define BLOCK_CNT 15
#define MULTIPLEXED_BLOCK_CNT 3 /* each takes as long as all events' turns */
/* Multiplexed events may have to wait for their turn; but not for ever. */
#define MOST_NS 50000000ULL

static int drive(int prog_fd, int runs)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = runs);

	return bpf_prog_test_run_opts(prog_fd, &run) ? -errno : 0;
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
		struct bias *kind = NULL;
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

/* Has every event been counted from entry to exit at least once? */
static bool all_counted(const struct session *s, const struct bprof_cpu_stat *stat)
{
	for (int i = 0; i < s->fds->perf_slot_cnt; i++)
		if (stat->event[i].min == INT64_MAX)
			return false;
	return true;
}

/*
 * One block of runs of the empty program, counted from zero; more of them until multiplexed events
 * have all had their turn, -ETIME where that takes too long.
 */
static int run_block(struct session *s, void *state, const struct target *t, int cpu, int runs)
{
	__u64 end = now_ns() + MOST_NS;
	int err;

	fentry__reset(t, cpu);
	fentry_ops.start(s, state);
	do {
		err = drive(t->prog->fd, runs);
	} while (!err && !all_counted(s, fentry__stat(t, cpu)) && now_ns() < end);
	fentry_ops.stop(s, state);
	if (!err && !all_counted(s, fentry__stat(t, cpu)))
		err = -ETIME;
	return err;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The bias of one kind, on the CPU that this thread is bound to: first the least cost, then the
 * median of the means of blocks above it. An interrupt falls into few blocks, so it moves neither.
 */
static int measure_kind(struct session *s, void *state, const struct target *t, int cpu,
			struct bias *kind)
{
	struct bprof_cpu_stat *stat = fentry__stat(t, cpu);
	const int cnt = s->fds->multiplexed ? MULTIPLEXED_BLOCK_CNT : BLOCK_CNT;
	double mean[BPROF_SLOTS][BLOCK_CNT] = {};
	int err = run_block(s, state, t, cpu, WARM_UP_RUNS)
			  ?: run_block(s, state, t, cpu, WARM_UP_RUNS);

	for (int i = 0; !err && i < BPROF_SLOTS; i++)
		if (stat->event[i].min != INT64_MAX)
			stat->event[i].bias = stat->event[i].min;
	for (int b = 0; !err && b < cnt; b++) {
		err = run_block(s, state, t, cpu, BLOCK_RUNS);
		for (int i = 0; i < BPROF_SLOTS; i++) {
			const struct bprof_event_sum *sum = &stat->event[i];
			__u64 runs = stat->measured - sum->errors - sum->uncovered;

			mean[i][b] = runs ? (double)sum->total / runs : 0;
		}
	}
	for (int i = 0; !err && i < BPROF_SLOTS; i++) {
		double middle, spread = 0;

		qsort(mean[i], cnt, sizeof(double), compare_doubles);
		middle = mean[i][cnt / 2];
		/* Of the middle half: of what an ordinary session sees. */
		for (int b = cnt / 4; b <= cnt * 3 / 4; b++)
			spread += (mean[i][b] - middle) * (mean[i][b] - middle);
		kind->value[i] = stat->event[i].bias + llround(middle);
		kind->stddev[i] = sqrt(spread / (cnt * 3 / 4 - cnt / 4 + 1));
	}
	return err;
}

static int measure_kinds(struct session *s, void *state, const struct target *t)
{
	cpu_set_t old, set;
	int err = 0;

	if (sched_getaffinity(0, sizeof(old), &old))
		return -errno;
	for (int k = 0; !err && k < s->calibration.kind_cnt; k++) {
		struct bias *kind = &s->calibration.kind[k];
		int cpu = kind->cpus.id[0];

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		err = sched_setaffinity(0, sizeof(set), &set)
			      ? -errno
			      : measure_kind(s, state, t, cpu, kind);
	}
	sched_setaffinity(0, sizeof(old), &old);
	return err;
}

/* The built-in empty program as a target, attached. */
static int open_empty(struct session *s, void *state, struct target *t, struct reason *reason)
{
	int fd = dup(fentry__empty_fd(state));
	int err = fd < 0 ? -errno : prog__open_fd(fd, &t->prog);

	if (!err)
		err = prog__load_funcs(t->prog, reason);
	if (err)
		return err;
	t->func = t->prog->funcs->fn[0].name;
	t->func_btf_id = t->prog->funcs->fn[0].type_id;
	return fentry_ops.open_target(s, state, t, reason)
		       ?: fentry_ops.attach_target(state, t, reason);
}

void calibrate(struct session *s, void *state)
{
	struct target empty = {};
	struct reason reason = {};
	int err = open_empty(s, state, &empty, &reason);

	if (!err)
		err = find_kinds(s, &s->calibration) ?: measure_kinds(s, state, &empty);
	if (empty.priv)
		fentry_ops.close_target(&empty);
	prog__close(empty.prog);
	s->calibration.done = !err;
	if (!err)
		return;
	calibration__free(&s->calibration);
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

const struct bias *calibration__find(const struct calibration *c, int cpu)
{
	for (int i = 0; i < c->kind_cnt; i++)
		if (cpus__has(&c->kind[i].cpus, cpu))
			return &c->kind[i];
	/* One that came online since: like the first. */
	return c->done && c->kind_cnt ? &c->kind[0] : NULL;
}

void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu)
{
	const struct bias *bias = c->done ? calibration__find(c, cpu) : NULL;

	for (int i = 0; bias && i < BPROF_SLOTS; i++)
		stat->event[i].bias = bias->value[i];
}
