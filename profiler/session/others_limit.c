// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the time for which calls by others are counted, and the rule that decides which functions
 * are over the limit. Must not know how calls are counted.
 */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "base/log.h"
#include "base/util.h"
#include "btf/reason.h"
#include "budget/thinning.h"
#include "session/others_limit.h"
#include "target/target.h"

/*
 * How long the check before measuring counts calls. If the limit is 1 %, a function that just
 * reaches it is called thousands of times in this time.
 */
#define LOOK_NS (100 * NSEC_PER_MSEC)

static bool counts_other_calls(const struct target *t)
{
	return target__is_called(t) && !t->frozen && t->backend->ops->others;
}

/*
 * Updates how often others have called a target so far. Returns the share of a CPU that its probe
 * has added to these calls since the last check, elapsed_ns ago. Sets *rate to the calls by others
 * per second.
 */
static double read_other_calls(struct target *t, __u64 elapsed_ns, double *rate)
{
	double taken_ns, share;
	__u64 calls = t->backend->ops->others(t->backend->state, t, &taken_ns);

	*rate = ((double)calls - t->called.others) / elapsed_ns * 1e9;
	share = (taken_ns - t->called.others_ns) / elapsed_ns;
	t->called.others = calls;
	t->called.others_ns = taken_ns;
	return share;
}

/*
 * Returns the limit as a share of one CPU. 100 % means no limit: probes may take a larger share
 * than that, because their share is a sum over all CPUs.
 */
static double limit_of(const struct backend_env *env)
{
	__u32 share = env->opts.others_share ?: THINNING_DEFAULT_SHARE;

	return share < THINNING_FULL_SHARE ? (double)share / THINNING_FULL_SHARE : INFINITY;
}

/* Checks a target. Returns 0, or -EBUSY with *reason if the target is over the limit. */
static int check_calls_by_others(const struct backend_env *env, struct target *t, __u64 elapsed_ns,
				 struct reason *reason)
{
	double rate, share = read_other_calls(t, elapsed_ns, &rate);

	if (share <= limit_of(env))
		return 0;
	return reason__set(
		reason, REASON_CALL, EBUSY,
		"others call it %.0f times a second, and the probe takes %.2g%% of a "
		"CPU from them: the limit is %g%%; bprof annotate measures it by samples",
		rate, share * 100, limit_of(env) * 100);
}

/* Begins a check. Returns the time in ns since the last check. */
static __u64 begin_others_check(__u64 *at_ns)
{
	__u64 now = now_ns(), elapsed = now - *at_ns;

	*at_ns = now;
	return elapsed ?: 1;
}

/*
 * Skips all targets that are this kernel function, because calls by others are counted for all of
 * them together.
 */
static void skip_function(struct target_list *targets, struct called func,
			  const struct reason *reason)
{
	for (int i = targets->cnt - 1; i >= 0; i--) {
		struct target *t = &targets->v[i];

		if (!called__is_same(&t->called, &func))
			continue;
		if (t->backend)
			t->backend->ops->close_target(t);
		target_list__skip(targets, i, reason);
	}
}

void others_limit__refuse(struct target_list *targets, const struct backend_env *env, __u64 *at_ns)
{
	struct timespec pause = {.tv_nsec = LOOK_NS};
	struct reason reason;
	__u64 elapsed;
	double rate;
	int cnt = 0;

	for (int i = 0; i < targets->cnt; i++)
		cnt += counts_other_calls(&targets->v[i]);
	if (!cnt)
		return;
	begin_others_check(at_ns);
	for (int i = 0; i < targets->cnt; i++)
		if (counts_other_calls(&targets->v[i]))
			read_other_calls(&targets->v[i], 1, &rate);
	nanosleep(&pause, NULL);
	elapsed = begin_others_check(at_ns);
	/*
	 * Skipping a function removes all its targets, also those below i. Then i may be too large,
	 * and a target may be checked twice, which does no harm.
	 */
	for (int i = targets->cnt - 1; i >= 0; i--)
		if (i < targets->cnt && counts_other_calls(&targets->v[i]) &&
		    check_calls_by_others(env, &targets->v[i], elapsed, &reason))
			skip_function(targets, targets->v[i].called, &reason);
}

int others_limit__check(struct target_list *targets, const struct backend_env *env, __u64 min_ns,
			__u64 *at_ns)
{
	struct reason reason;
	__u64 elapsed;
	int over = 0;

	if (now_ns() - *at_ns < min_ns)
		return 0;
	elapsed = begin_others_check(at_ns);
	for (int i = 0; i < targets->cnt; i++) {
		struct target *t = &targets->v[i];

		if (!counts_other_calls(t) || !check_calls_by_others(env, t, elapsed, &reason) ||
		    over++)
			continue;
		/* An error, not a warning: bprof bench does not always show warnings. */
		log_err(-EBUSY, "measuring ends here: %u %s: %s", t->id, t->func, reason.detail);
	}
	return !!over;
}
