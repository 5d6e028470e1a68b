/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A made-up session for tests that make reports from sessions. It has three CPUs whose ids have
 * gaps, two targets with different kinds of backends, and two snapshots that the tests fill.
 */
#ifndef BPROF_TEST_MADE_SESSION_H
#define BPROF_TEST_MADE_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "btf/prog.h"
#include "budget/thinning.h"
#include "event/event_fds.h"
#include "result/result.h"
#include "session/session.h"

enum { CPU_CNT = 3, TARGET_CNT = 2, REST = CPU_CNT };

/* The state of the backend that has probes. */
struct made_probes {
	bool net;
	bool cost_known;
	int unknown_cpu;	   /* the id of a CPU of unknown kind; 0: none */
	struct probe_cost cost[8]; /* indexed by CPU id */
};

static inline bool made_is_net(const void *state)
{
	const struct made_probes *m = state;

	return m->net;
}

static inline bool made_is_of_unknown_kind(const void *state, int cpu)
{
	const struct made_probes *m = state;

	return cpu == m->unknown_cpu;
}

static inline double made_bias_uncertainty(const void *state, const struct target *t, int slot)
{
	return 0;
}

static inline double made_bias_stddev(const void *state, const struct target *t, int cpu, int slot)
{
	return 0;
}

static inline const struct probe_cost *made_probe_cost(const void *state, int cpu)
{
	const struct made_probes *m = state;

	return m->cost_known ? &m->cost[cpu] : NULL;
}

static const struct counter_ops probing = {
	.method = "probing",
	.caps = BACKEND_PROBES | BACKEND_COUNTS_EVENTS | BACKEND_PER_CPU,
	.is_net = made_is_net,
	.is_of_unknown_kind = made_is_of_unknown_kind,
	.bias_stddev = made_bias_stddev,
	.bias_uncertainty = made_bias_uncertainty,
	.probe_cost = made_probe_cost,
};
/* The backend called counting counts no other event than the time. */
static inline const char *made_not_counted(const void *state, const struct target *t, int event,
					   const struct event_counts *c)
{
	const struct event_list *events = state;

	return events->v[event].kind == EVENT_TIME ? NULL : "it counts runs and time only";
}

static const struct counter_ops counting = {.method = "counting", .not_counted = made_not_counted};

/* A session with three CPUs, one target for each kind of backend, and no events at first. */
struct fixture {
	struct session s;
	struct made_probes probes;
	struct event_list events;
	struct event ev[4];
	struct event_fds fds;
	struct prog prog[TARGET_CNT];
	struct target target[TARGET_CNT];
	int cpu_id[CPU_CNT];
	struct counts counts[2][TARGET_CNT * (CPU_CNT + 1)];
	__u64 cycles[2][CPU_CNT];
	struct counts *rows[2][TARGET_CNT];
	struct snapshot from, to;
	struct result_opts o;
	char *command[3];
	struct report *r;
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->cpu_id[0] = 1;
	f->cpu_id[1] = 2;
	f->cpu_id[2] = 7;
	f->events.v = f->ev;
	f->s = (struct session){.env = {.events = &f->events,
					.fds = &f->fds,
					.cpus = {f->cpu_id, CPU_CNT},
					.online = {f->cpu_id, CPU_CNT},
					.cpu_limit = 8,
					.targets = &f->s.targets},
				.cycles_event = -1,
				.targets = {.v = f->target, .cnt = 1},
				.backend = {{.ops = &probing, .state = &f->probes},
					    {.ops = &counting, .state = &f->events}}};
	f->prog[0] = (struct prog){.fd = -1,
				   .info = {.name = "xdp_lb",
					    .type = BPF_PROG_TYPE_XDP,
					    .jited_prog_len = 64,
					    .tag = {0xd4, 0xf8, 0x54, 0x2f, 0x2b, 0x42, 0, 0xc5}}};
	f->prog[1] =
		(struct prog){.fd = -1, .info = {.name = "old", .type = BPF_PROG_TYPE_SCHED_CLS}};
	f->target[0] = (struct target){42, &f->prog[0], "xdp_lb_main", .backend = &f->s.backend[0]};
	f->target[1] = (struct target){57, &f->prog[1], "", .backend = &f->s.backend[1]};
	/* initialize the snapshots as session__read() does */
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < TARGET_CNT * (CPU_CNT + 1); k++)
			for (int slot = 0; slot < BPROF_SLOTS; slot++) {
				f->counts[i][k].event[slot].min = INT64_MAX;
				f->counts[i][k].event[slot].max = INT64_MIN;
			}
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < TARGET_CNT; k++)
			f->rows[i][k] = &f->counts[i][k * (CPU_CNT + 1)];
	f->from = (struct snapshot){.ns = 0,
				    .cpu_cnt = CPU_CNT,
				    .rows_per_target = CPU_CNT + 1,
				    .target_cnt = TARGET_CNT,
				    .target = f->rows[0]};
	f->to = (struct snapshot){.ns = 1000000,
				  .cpu_cnt = CPU_CNT,
				  .rows_per_target = CPU_CNT + 1,
				  .target_cnt = TARGET_CNT,
				  .target = f->rows[1]};
	f->command[0] = "bprof";
	f->command[1] = "-A";
	f->o = (struct result_opts){f->command, .per_cpu = true, .started = {1767225600, 5}};
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	report__free(f->r);
	free(f);
	return 0;
}

/* Adds an event. The event gets a slot if its status is ok. */
static inline struct event *add_event(struct fixture *f, const char *name, enum event_status status)
{
	int i = f->events.cnt++;
	bool clock = !strcmp(name, "time");

	f->ev[i] = (struct event){.name = (char *)name,
				  .base = (char *)name,
				  .kind = clock ? EVENT_TIME : EVENT_PERF,
				  .unit = clock ? "ns" : "",
				  .scale = 1};
	f->fds.event_cnt = f->events.cnt;
	f->fds.state[i].status = status;
	if (status == EVENT_OK)
		f->fds.state[i].slot = clock ? BPROF_CLOCK_SLOT : f->fds.perf_slot_cnt++;
	f->fds.clock |= clock;
	return &f->ev[i];
}

static inline void set_measured(struct fixture *f, struct snapshot *snap, int target, int row,
				__u64 runs)
{
	snapshot__at(snap, target, row)->measured = runs;
}

static inline struct event_counts *sum_at(struct fixture *f, struct snapshot *snap, int target,
					  int row, int slot)
{
	return &snapshot__at(snap, target, row)->event[slot];
}

static inline void set_extremes(struct event_counts *sum, __s64 total, __s64 min, __s64 max)
{
	*sum = (struct event_counts){.total = total, .min = min, .max = max};
}

/* Makes the report of the counts between the two snapshots. */
static inline struct report *make(struct fixture *f)
{
	const struct result_span span = {.from = &f->from, .to = &f->to};

	report__free(f->r);
	assert_int_equal(result__report(&f->s, &span, 1, &f->o, &f->r), 0);
	assert_int_equal(f->r->prog_cnt, f->s.targets.cnt);
	return f->r;
}

static inline void assert_near(double got, double want)
{
	if (isnan(got) || fabs(got - want) > fabs(want) * 1e-9)
		fail_msg("%.12g is not %.12g", got, want);
}

/* Checks the row's number of runs and of measured runs. All other runs must be counted as lost. */
static inline void assert_counts(const struct report_row *row, __u64 runs, __u64 measured)
{
	assert_int_equal(row->runs, runs);
	assert_int_equal(row->measured, measured);
	assert_int_equal(row->measured + report_row__lost(row), runs);
}

static inline void assert_event(const struct report_event *ev, __u64 measured, double total)
{
	assert_int_equal(ev->status, EVENT_OK);
	assert_int_equal(ev->measured, measured);
	assert_near(ev->total, total);
	if (measured)
		assert_near(ev->stat[STAT_MEAN], total / measured);
	else
		assert_true(isnan(ev->stat[STAT_MEAN]));
}

static inline void assert_extremes(const struct report_event *ev, double min, double max)
{
	assert_near(ev->stat[STAT_MIN], min);
	assert_near(ev->stat[STAT_MAX], max);
}

static inline void assert_no_extremes(const struct report_event *ev)
{
	assert_true(isnan(ev->stat[STAT_MIN]));
	assert_true(isnan(ev->stat[STAT_MAX]));
}

#endif
