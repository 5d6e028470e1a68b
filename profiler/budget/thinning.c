// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Thinning (--sample): measuring one run in N. Owns the choice of the periods N; must not know
 * probes, clocks or sessions.
 *
 * bprof may use a share of each CPU. The overhead of counting, which every run has, is subtracted
 * from this share first. The rest of the share is the budget for measuring. The expected rate of a
 * target follows a higher rate at once, but falls by only a quarter with each adjustment. A quota
 * limits the number of measured runs between two adjustments.
 *
 * If a burst used up its quota, its first runs would be measured more often than its later runs, and
 * the first runs after a pause often cost more: caches are cold. So the period is chosen for a burst
 * like the last ones, also if the target has not run for a minute.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "budget/thinning.h"

#define MAX_PERIOD (1ULL << 32)
#define NS_PER_S 1000000000ULL
#define NS_PER_MS 1000000ULL
/*
 * An eighth of the share is the reserve. Half of the reserve is for runs measured beyond the
 * quotas, and half is for the adjustments themselves. At least an eighth of the share without the
 * reserve is the budget for measuring, even if counting alone takes more than the share: otherwise
 * there would be nothing to report. An eighth of the budget is for targets that run more often than
 * expected.
 */
#define SPARED_PART 8
#define MIN_MEASURING_PART 8
#define RESERVED_PART 8
/* What is expected of a burst falls by this part in each interval in which the target runs less. */
#define FORGOTTEN_PART 8
/* After so long without a run, no burst is expected. */
#define FORGOTTEN_NS (70 * NS_PER_S)

/* Does not use strtod(), which also accepts signs, exponents and infinity. */
int thinning__parse_share(const char *s, __u32 *share)
{
	__u64 whole = 0, scale = THINNING_FULL_SHARE / 100, v;
	const char *p = s;

	while (isdigit(*p) && whole <= 100)
		whole = whole * 10 + *p++ - '0';
	v = whole * scale;
	if (p == s)
		return -EINVAL;
	if (*p == '.') {
		if (!isdigit(*++p))
			return -EINVAL;
		while (isdigit(*p) && scale > 1)
			v += (*p++ - '0') * (scale /= 10);
	}
	if (*p == '%')
		p++;
	/* A share below 0.01 % would not allow even one run in an interval. */
	if (*p || v < THINNING_FULL_SHARE / 10000 || v > THINNING_FULL_SHARE)
		return -EINVAL;
	*share = v;
	return 0;
}

int thinning__parse(const char *arg, __u64 *period, __u32 *share)
{
	__u64 n;

	if (!strcmp(arg, "auto") || !strncmp(arg, "auto:", 5)) {
		__u32 chosen = THINNING_DEFAULT_SHARE;

		if (arg[4] && thinning__parse_share(arg + 5, &chosen))
			return -EINVAL;
		*period = 1;
		*share = chosen;
		return 0;
	}
	if (parse_u64(arg, MAX_PERIOD, &n) || !n)
		return -EINVAL;
	*period = n;
	*share = 0;
	return 0;
}

static __u64 less(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

/* Returns the additional overhead of measuring a run instead of only counting it. */
static __u64 extra_ns(const struct thinning_cpu *cpu)
{
	return cpu->cost.measured_ns - cpu->cost.skipped_ns;
}

/* Returns the additional overhead of measuring all runs that are expected in next_ns. */
static __u64 demand_ns(const struct thinning_cpu *cpu, const struct thinning_target *t,
		       __u64 next_ns)
{
	/* Of hundreds of targets, only few run: calculate nothing for the others. */
	return t->rate ? scale_up(t->rate * extra_ns(cpu), next_ns, NS_PER_S) : 0;
}

static void note_runs(struct thinning_target *t, __u64 elapsed_ns, __u64 next_ns)
{
	/*
	 * In a very short interval, a few runs would look like a high rate: compute the rate over
	 * at least this time.
	 */
	__u64 min_ns = THINNING_FIRST_ADJUST_MS * NS_PER_MS;
	__u64 now =
		!t->seen ? 0
			 : scale_up(t->seen, NS_PER_S, elapsed_ns > min_ns ? elapsed_ns : min_ns);
	__u64 fallen = t->rate - (t->rate + 3) / 4;
	__u64 forgotten = t->burst - (t->burst + FORGOTTEN_PART - 1) / FORGOTTEN_PART;

	/* a run takes at least 1 ns; this limit also avoids overflows below */
	if (now > NS_PER_S)
		now = NS_PER_S;
	t->rate = now > fallen ? now : fallen;
	t->idle_ns = t->seen ? 0 : t->idle_ns + elapsed_ns;
	if (t->idle_ns >= FORGOTTEN_NS && t->burst)
		t->burst = 1;
	if (!t->seen)
		return;
	now = elapsed_ns > next_ns ? scale_up(t->seen, next_ns, elapsed_ns) : t->seen;
	t->burst = now > forgotten ? now : forgotten;
}

/*
 * Divides budget_ns among the targets: each target gets its demand or the level, whichever is
 * lower. Returns the highest level for which the budget is enough, at least 1.
 */
static __u64 find_level(const struct thinning_cpu *cpu, const struct thinning_target *t, int cnt,
			__u64 next_ns, __u64 budget_ns)
{
	__u64 level = budget_ns / cnt, last;

	do {
		__u64 met_ns = 0;
		int met = 0;

		for (int i = 0; i < cnt; i++) {
			__u64 demand = demand_ns(cpu, &t[i], next_ns);

			if (demand <= level) {
				met_ns += demand;
				met++;
			}
		}
		last = level;
		level = met < cnt ? (budget_ns - met_ns) / (cnt - met) : level;
	} while (level > last);
	return level ?: 1;
}

/*
 * Sets the quotas: the planned runs of each target, and an equal part of the remaining budget for
 * unexpected runs.
 */
static void set_quotas(const struct thinning_cpu *cpu, struct thinning_target *t, int cnt,
		       __u64 next_ns, __u64 budget_ns)
{
	__u64 planned = 0, extra = extra_ns(cpu), spare;

	for (int i = 0; i < cnt; i++)
		planned += demand_ns(cpu, &t[i], next_ns) / t[i].period;
	spare = less(budget_ns, planned) / cnt;
	for (int i = 0; i < cnt; i++) {
		t[i].left_ns += demand_ns(cpu, &t[i], next_ns) / t[i].period + spare;
		t[i].quota = t[i].left_ns / extra;
		t[i].left_ns %= extra;
	}
}

/*
 * Makes the periods so long that a burst like the last ones does not use up its quota. This reserves
 * nothing, so the other targets have their parts of the budget as long as there is no burst.
 */
static void fit_bursts(const struct thinning_cpu *cpu, struct thinning_target *t, int cnt)
{
	__u64 over_period = thinning__over_period(cpu);

	for (int i = 0; i < cnt; i++) {
		__u64 period;

		if (!t[i].quota || t[i].period >= over_period || t[i].burst <= t[i].quota)
			continue;
		period = scale_up(t[i].burst, 1, t[i].quota) | 1;
		if (period > over_period)
			period = over_period;
		if (period > t[i].period)
			t[i].period = period;
	}
}

void thinning__plan(struct thinning_cpu *cpu, struct thinning_target *t, int cnt, __u64 elapsed_ns,
		    __u64 next_ns)
{
	__u64 share_ns = scale_up(next_ns, cpu->share, THINNING_FULL_SHARE);
	__u64 budget = share_ns - share_ns / SPARED_PART, counting = 0, level;
	__u64 added = cpu->debt_ns;

	/*
	 * The overhead beyond the share in this interval is a debt, which reduces the budget of the
	 * next interval.
	 */
	for (int i = 0; i < cnt; i++)
		added += probe_cost__added_ns(&cpu->cost, t[i].measured,
					      less(t[i].seen, t[i].measured));
	added = less(added, scale_up(elapsed_ns, cpu->share, THINNING_FULL_SHARE));
	cpu->debt_ns = added < share_ns ? added : share_ns;
	for (int i = 0; i < cnt; i++) {
		note_runs(&t[i], elapsed_ns, next_ns);
		if (t[i].rate)
			counting += scale_up(t[i].rate * cpu->cost.skipped_ns, next_ns, NS_PER_S);
	}
	if (less(budget, counting + cpu->debt_ns) > budget / MIN_MEASURING_PART)
		budget = budget - counting - cpu->debt_ns;
	else
		budget /= MIN_MEASURING_PART;
	level = cnt ? find_level(cpu, t, cnt, next_ns, budget - budget / RESERVED_PART) : 0;
	for (int i = 0; i < cnt; i++) {
		__u64 demand = demand_ns(cpu, &t[i], next_ns);

		/* If two kinds of runs alternate, an odd period measures both. */
		t[i].period = demand <= level ? 1 : scale_up(demand, 1, level) | 1;
	}
	if (cnt)
		set_quotas(cpu, t, cnt, next_ns, budget);
	fit_bursts(cpu, t, cnt);
}

__u64 thinning__over_period(const struct thinning_cpu *cpu)
{
	/*
	 * Runs on one CPU do not overlap, so N runs take at least N * skipped_ns. Choose N so that
	 * measuring one of these runs adds at most half of the reserve to this time.
	 */
	return scale_up(extra_ns(cpu) * 2 * SPARED_PART, THINNING_FULL_SHARE,
			cpu->cost.skipped_ns * cpu->share) |
	       1;
}

__u64 thinning__min_interval(__u32 share, __u64 adjust_ns)
{
	__u64 ns = scale_up(adjust_ns * 2 * SPARED_PART, THINNING_FULL_SHARE, share);

	return ns > THINNING_ADJUST_MS * NS_PER_MS ? ns : THINNING_ADJUST_MS * NS_PER_MS;
}
