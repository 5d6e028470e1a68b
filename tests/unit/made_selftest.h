/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Made-up results of the self-test: a machine with two kinds of CPUs and PMUs, and one where no probe
 * can be attached.
 */
#ifndef BPROF_TEST_MADE_SELFTEST_H
#define BPROF_TEST_MADE_SELFTEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "doctor/selftest.h"

static inline void set_host(struct selftest *t)
{
	t->version = strdup("0.1.0");
	t->kernel = strdup("6.12.9");
	t->arch = strdup("x86_64");
	t->cpu_model = strdup("Model 7");
	t->libbpf = strdup("1.5");
	t->clock_source = strdup("tsc");
	t->clock_step_ns = 21;
}

static inline struct selftest_kind *add_kind(struct selftest *t, const char *name, const char *cpus,
					     int cpu)
{
	struct selftest_kind *k = array__add(&t->kind, &t->kind_cnt, sizeof(*k));

	assert_non_null(k);
	k->name = strdup(name);
	k->cpus = strdup(cpus);
	k->cpu = cpu;
	return k;
}

static inline struct selftest_event *add_event(struct selftest_context *c, const char *name,
					       const char *unit)
{
	struct selftest_event *ev = array__add(&c->event, &c->event_cnt, sizeof(*ev));

	assert_non_null(ev);
	ev->name = strdup(name);
	ev->base = strdup(name);
	ev->unit = strdup(unit);
	ev->off = NAN;
	for (int i = 0; i < SELFTEST_PROG_CNT; i++)
		for (int k = 0; k < STAT_CNT; k++)
			ev->stat[i][k] = NAN;
	return ev;
}

/* Sets the medians of the three programs, and other statistics that are made from them. */
static inline void set_medians(struct selftest_event *ev, double empty, double v100, double v1000)
{
	const double p50[] = {empty, v100, v1000};

	for (int i = 0; i < SELFTEST_PROG_CNT; i++) {
		ev->stat[i][STAT_P50] = p50[i];
		ev->stat[i][STAT_MEAN] = p50[i] + 0.5;
		ev->stat[i][STAT_STDDEV] = 1.5 * i + 2;
		ev->stat[i][STAT_P99] = p50[i] + 4;
	}
}

static inline void add_cost(struct selftest_kind *k, const char *name, const char *unit,
			    double added)
{
	struct selftest_cost *c = array__add(&k->cost, &k->cost_cnt, sizeof(*c));

	assert_non_null(c);
	*c = (struct selftest_cost){strdup(name), strdup(unit), 100, added};
}

/*
 * Results of cycles and instructions on the first kind of CPU. This process may not run on the
 * second kind.
 */
static inline void make_counted(struct selftest *t)
{
	struct selftest_kind *k;

	memset(t, 0, sizeof(*t));
	set_host(t);
	t->events = 2;
	k = add_kind(t, "cpu_core", "0-3", 2);
	k->counters = 8;
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		struct selftest_context *c = &k->context[i];
		struct selftest_event *ev;

		if (i == SELFTEST_SYSCALL) {
			c->why = strdup("has no context");
			continue;
		}
		c->method = "fentry";
		c->driven = c->runs = 6000;
		set_medians(add_event(c, "cycles", ""), 2, 70 + i, 612);
		ev = add_event(c, "instructions", "");
		ev->is_known = true;
		set_medians(ev, 0, 100, 1000);
	}
	k->context[SELFTEST_SOCKET].runs = 5990;
	k->context[SELFTEST_SOCKET].lost = 3;
	add_cost(k, "time", "ns", 812.25);
	add_cost(k, "cycles", "", 2433.5);
	add_cost(k, "instructions", "", 1433);
	k = add_kind(t, "cpu_atom", "4-11", -1);
	k->counters = -1;
}

/* Results without a PMU and without a probe: only the mean times of run_stats. */
static inline void make_unprobed(struct selftest *t)
{
	struct selftest_kind *k;

	memset(t, 0, sizeof(*t));
	set_host(t);
	t->events = 1;
	k = add_kind(t, "", "0-3", 1);
	k->no_probe = strdup("cannot be probed, the kernel is locked down");
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		struct selftest_context *c = &k->context[i];
		struct selftest_event *ev = add_event(c, "time", "ns");

		c->method = "run_stats";
		c->driven = c->runs = 6000;
		for (int p = 0; p < SELFTEST_PROG_CNT; p++)
			ev->stat[p][STAT_MEAN] = 50.25 + i + selftest_added[p] / 3;
	}
}

/* No program can be loaded. */
static inline void make_nothing(struct selftest *t)
{
	struct selftest_kind *k;

	memset(t, 0, sizeof(*t));
	set_host(t);
	k = add_kind(t, "", "0-3", 1);
	k->counters = -13;
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
		k->context[i].why = strdup("cannot be probed, no permission");
}

#endif
