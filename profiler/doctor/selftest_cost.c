// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures what a probe adds to a run. The kernel runs an empty program in a loop, with the probe and
 * without it. The clock and the counters are read before and after the loop. Owns the blocks and
 * their minima. Must not know what the probe itself counts: its own numbers are not used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "doctor/selftest.h"
#include "doctor/selftest_cost.h"
#include "doctor/selftest_progs.h"
#include "session/session.h"

/* A block is shorter than the time between two timer interrupts, so most blocks are undisturbed. */
#define BLOCK_RUNS 500
#define BLOCK_CNT 25

/* Readings of the clock and of each event, in this order. */
#define CLOCK 0
#define READINGS (1 + BPROF_MAX_EVENTS)
struct readings {
	__u64 v[READINGS];
};

/*
 * Returns true if bprof itself can read the event's counter on the CPU. The counters of a session
 * count everything on the CPU, also outside of probes.
 */
static bool is_readable(const struct session *s, int event, int cpu)
{
	const struct event_fds *fds = s->env.fds;

	return s->env.events->v[event].kind == EVENT_PERF && !fds->multiplexed &&
	       fds->state[event].status == EVENT_OK && event_fds__is_open(fds, event, cpu);
}

static int read_all(const struct session *s, int cpu, struct readings *r)
{
	int err = 0;

	r->v[CLOCK] = now_ns();
	for (int i = 0; !err && i < s->env.events->cnt; i++)
		if (is_readable(s, i, cpu))
			err = event_fds__read(s->env.fds, i, cpu, &r->v[1 + i]);
	return err;
}

/* Disturbances can only add to a block, so the minimum is an undisturbed block. */
static int run_block_for_minima(const struct session *s, int cpu, int prog_fd, struct readings *min)
{
	struct readings before = {}, after = {};
	int err = read_all(s, cpu, &before) ?:
		  selftest_pair__drive(prog_fd, BLOCK_RUNS) ?:
		  read_all(s, cpu, &after);

	for (int i = 0; !err && i < READINGS; i++) {
		__u64 v = after.v[i] - before.v[i];

		if (v < min->v[i])
			min->v[i] = v;
	}
	return err;
}

static void add_cost(struct selftest_kind *k, const char *name, const char *unit, double scale,
		     __u64 with, __u64 without)
{
	struct selftest_cost *c = array__add(&k->cost, &k->cost_cnt, sizeof(*c));

	c->name = xstrdup(name);
	c->unit = xstrdup(unit);
	c->without = without * scale / BLOCK_RUNS;
	c->added = ((double)with - (double)without) * scale / BLOCK_RUNS;
}

int selftest_cost__measure(struct session *s, const struct selftest_pair *pair,
			   struct selftest_kind *k)
{
	struct snapshot *from = NULL, *to = NULL;
	struct readings with, without;
	int stop_err, err = session__start(s, &from);

	if (err)
		return err;
	memset(&with, 0xff, sizeof(with));
	memset(&without, 0xff, sizeof(without));
	/* The blocks of the two programs alternate: changes of the CPU's frequency affect both. */
	for (int i = 0; !err && i < BLOCK_CNT; i++)
		err = run_block_for_minima(s, k->cpu, pair->bare_fd, &without)
			      ?: run_block_for_minima(s, k->cpu, pair->probed_fd, &with);
	if (err)
		log_err(err, "self-test: cannot measure the cost of a probe: %s", strerror(-err));
	stop_err = session__stop(s, &to);
	snapshot__free(from);
	snapshot__free(to);
	err = err ?: stop_err;
	if (err)
		return err;
	add_cost(k, "time", "ns", 1, with.v[CLOCK], without.v[CLOCK]);
	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];

		if (is_readable(s, i, k->cpu))
			add_cost(k, ev->name, ev->unit, ev->scale, with.v[1 + i], without.v[1 + i]);
	}
	return 0;
}
