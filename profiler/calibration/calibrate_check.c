// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checks the calibration: measures built-in functions of known cost with the biases that targets get.
 * The calibration relies on things that are no ABI (nesting counters of tasks, how many registers a
 * trampoline saves, how the JIT loads an address), so a new kernel could make biases wrong. Owns the
 * choice of the functions and the verdict. Must not know how biases are computed.
 *
 * A false alarm would take the net numbers away from a user whose calibration is right. So the check
 * fails only if a wrong bias is the only explanation of a number. An interrupt or another busy CPU
 * makes some runs expensive, but not the cheapest run and not the median of the blocks. If a function
 * could not be measured, there is no verdict on it.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/util.h"
#include "calibration/calibrate_bias.h"
#include "calibration/calibrate_check.h"
#include "calibration/calibrated_probe.h"
#include "host/affinity.h"
#include "probe/probes.h"

#define BLOCK_CNT 5
#define BLOCK_RUNS 16
/* The number of runs in a block if a timer makes the runs: each run then takes 20 us. */
#define TIMER_RUNS 2

/* The functions of known cost, indexed by enum empty - CHECK_PROG. */
static const struct {
	const char *func; /* name of the subprogram; NULL: the entry function */
	const char *what; /* which kind of bias the function checks */
} checks[] = {
	[CHECK_PROG - CHECK_PROG] = {NULL, "an entry function"},
	[CHECK_CALLS - CHECK_PROG] = {"bprof_check_sub", "a subprogram"},
	[CHECK_ARGS - CHECK_PROG] = {NULL, "a function with several arguments"},
	[CHECK_RAW - CHECK_PROG] = {NULL, "a run with migration enabled"},
	[CHECK_SYSCALL - CHECK_PROG] = {NULL, "a run outside of RCU read-side critical sections"},
	[CHECK_IRQ - CHECK_PROG] = {NULL, "a run with interrupts disabled"},
	[CHECK_TAIL_CALLS - CHECK_PROG] = {"bprof_check_tail", "a program with tail calls"},
};

/* ---- the verdict ---- */

enum check_kind calibrate__check_kind(const struct event *ev)
{
	if (ev->kind == EVENT_TIME)
		return CHECK_NOISY;
	if (event__counts_instructions(ev))
		return CHECK_EXACT;
	return !event__is_cycles(ev) || ev->exclude_kernel ? CHECK_NONE : CHECK_NOISY;
}

/*
 * Cycles and time also depend on where the code of a probe is, and on the CPU's frequency. So an
 * error of up to half of the bias is no failure: net numbers with this error are still better than
 * raw numbers. Instructions get the same tolerance where they are not counted exactly: QEMU without
 * -icount derives them from time.
 */
double calibrate__error(const struct check_numbers *n, enum check_kind kind)
{
	const bool exact = kind == CHECK_EXACT && n->stddev < 1;
	double tolerance = 4 * n->stddev + (exact ? 1 : 2 * BPROF_CHECK_INSNS + n->bias / 2);
	double lowest = exact ? BPROF_CHECK_INSNS : 0;

	/*
	 * A probe has dozens of instructions. A smaller bias shows that the event does not count
	 * them on this machine.
	 */
	if (kind == CHECK_EXACT && n->bias < BPROF_CHECK_INSNS)
		return 0;
	if (n->min > BPROF_CHECK_INSNS + tolerance)
		return n->min - BPROF_CHECK_INSNS;
	return n->median < lowest - tolerance ? n->median - lowest : 0;
}

/* Returns CHECK_NONE for an event that could not be opened: it has no slot. */
static enum check_kind kind_of(const struct calibration *c, int event)
{
	const struct backend_env *env = c->probes->env;

	return env->fds->state[event].status == EVENT_OK
		       ? calibrate__check_kind(&env->events->v[event])
		       : CHECK_NONE;
}

/*
 * Returns CHECK_EXACT if the number of any event is known exactly, or CHECK_NOISY if it is known with
 * noise. Multiplexed events are never exact, because the reading cost that is subtracted from them is
 * an estimate (struct bprof_rotation).
 */
static enum check_kind best_kind(const struct calibration *c)
{
	enum check_kind best = CHECK_NONE;

	for (int i = 0; i < c->probes->env->events->cnt; i++) {
		enum check_kind kind = kind_of(c, i);

		if (kind == CHECK_EXACT && !c->probes->env->fds->multiplexed)
			return CHECK_EXACT;
		if (kind != CHECK_NONE)
			best = CHECK_NOISY;
	}
	return best;
}

/*
 * Each function makes the start about a millisecond longer. So leaves out functions that would show
 * nothing new.
 */
__u32 calibrate__checks(const struct calibration *c)
{
	__u32 which = c->empties & ((1U << CHECK_PROG) - 1);
	enum check_kind kind = which ? best_kind(c) : CHECK_NONE; /* 0: --no-calibrate */

	if (kind == CHECK_NONE)
		return 0;
	/* One function is enough: the contexts differ by less than the noise. */
	if (kind == CHECK_NOISY)
		return 1U << CHECK_PROG;
	/* Leave out functions whose bias is a part of another function's bias. */
	if (which >> EMPTY_SYSCALL & 1)
		which &= ~(1U << EMPTY_ARGS);
	if (which >> EMPTY_RAW & 1)
		which &= ~(1U << EMPTY_PROG);
	return which << CHECK_PROG;
}

/* ---- measuring ---- */

/* The numbers of a function's blocks for one slot. */
struct blocks {
	double mean[BLOCK_CNT];
	int cnt; /* blocks in which the event was counted */
	double min;
};

/* Measures the blocks. The first block is not used: it warms up the caches. */
static int measure_check_blocks(struct calibration *c, const struct target *t, int cpu,
				struct blocks *b)
{
	int runs = t->prog->info.type == BPF_PROG_TYPE_PERF_EVENT ? TIMER_RUNS : BLOCK_RUNS;
	const struct bprof_cpu_stat *stat = probe__find_sums(t, cpu);
	int err = calibrate__run_target(c, t, cpu, runs);

	for (int i = 0; i < BPROF_SLOTS; i++)
		b[i] = (struct blocks){.min = INFINITY};
	for (int n = 0; !err && n < BLOCK_CNT; n++) {
		probe__reset(t, cpu);
		err = calibrate__run_target(c, t, cpu, runs);
		for (int i = 0; !err && i < BPROF_SLOTS; i++) {
			const struct bprof_event_sum *sum = probe_stat__event(stat, i);
			__u64 cnt = sum ? probe_stat__measured(stat) - sum->errors - sum->uncovered
					: 0;

			if (!cnt)
				continue;
			b[i].mean[b[i].cnt++] = (double)sum->total / cnt;
			b[i].min = fmin(b[i].min, sum->min);
		}
	}
	return err;
}

/* Returns true if an event's numbers are wrong, and describes the error in *why. */
static bool is_wrong(const struct calibration *c, const struct target *t, int cpu, int event,
		     struct blocks *b, struct check_failure *why)
{
	const struct event *ev = &c->probes->env->events->v[event];
	enum check_kind kind = kind_of(c, event);
	const struct bprof_event_sum *sum;
	struct check_numbers n;
	__u32 slot = c->probes->env->fds->state[event].slot;

	b += slot;
	n.min = b->min;
	if (kind == CHECK_EXACT && c->probes->env->fds->multiplexed)
		kind = CHECK_NOISY;
	if (kind == CHECK_NONE || b->cnt < BLOCK_CNT)
		return false;
	n.median = stats__median(b->mean, b->cnt);
	sum = probe_stat__event(probe__find_sums(t, cpu), slot);
	n.bias = sum ? sum->bias[0] : 0;
	n.stddev = calibration__stddev(c, cpu, &t->shape, slot);
	why->error = calibrate__error(&n, kind);
	log_debug("check of %s: %s min %.0f median %.1f bias %.0f stddev %.1f", why->what, ev->name,
		  n.min, n.median, n.bias, n.stddev);
	why->event = ev->name;
	why->cpu = cpu;
	return why->error != 0;
}

static int check_target(struct calibration *c, const struct target *t, struct check_failure *why)
{
	struct blocks *b = xcalloc(BPROF_SLOTS, sizeof(*b));
	bool wrong = false;
	int err = 0;

	for (int k = 0; !err && !wrong && k < c->kind_cnt; k++) {
		int cpu = c->kind[k].cpu;

		err = affinity__bind(cpu) ?: measure_check_blocks(c, t, cpu, b);
		for (int i = 0; !err && !wrong && i < c->probes->env->events->cnt; i++)
			wrong = is_wrong(c, t, cpu, i, b, why);
	}
	free(b);
	return err ?: wrong;
}

int calibrate__check(struct calibration *c, struct check_failure *why)
{
	__u32 which = calibrate__checks(c);
	int ret = 0;

	for (int i = CHECK_PROG; ret <= 0 && i < EMPTY_CNT; i++) {
		struct reason reason = {};
		struct target t = {};

		if (!(which >> i & 1))
			continue;
		why->what = checks[i - CHECK_PROG].what;
		ret = calibrate__open_empty(c, i, checks[i - CHECK_PROG].func, &t, &reason)
			      ?: check_target(c, &t, why);
		calibrate__close_empty(&t);
		if (ret < 0)
			log_debug("the calibration is not checked for %s: %s", why->what,
				  reason.code ? reason.detail : strerror(-ret));
	}
	return ret > 0;
}
