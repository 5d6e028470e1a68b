// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * E-divisive with a permutation test. Owns the arithmetic; must not know what the values are.
 *
 * Permutations take long, so this file avoids them in two ways. First, it tests a division with ranks. If the
 * Mann-Whitney test is significant even after correction for all places at which the values could be divided,
 * the change is certain without permutations. Second, if any permutation can be divided better than the
 * values themselves, the change is not significant, and the test ends.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/stats.h"
#include "base/util.h"
#include "history/changes.h"

enum { MIN_PART = CHANGES_MIN_PART };

/* The part of max_p that the test of ranks may use. */
#define RANKS_SHARE 0.1

/* The values from one known change to the next, and the best division of these values. */
struct part {
	int from, to;
	/* its indices count from "from"; q is 0 if the part cannot be divided */
	struct division best;
};

struct search {
	const double *v;
	double max_p;
	double *shuffled, *work;
	struct part *part; /* in no particular order */
	int part_cnt;
	struct changes *out;
};

/* ---- dividing ---- */

/*
 * Returns the paper's scaled distance of the first n values from the next m values, times (n + m) /
 * 2. between: the sum of the distances of each value of one part from each value of the other part.
 * left: the sum of the distances of all pairs of values in the first part, divided by n - 1. right:
 * the same for the second part, divided by m - 1.
 */
static inline double scaled_distance(double between, double left, double right, double n, double m)
{
	return between - m * left - n * right;
}

/*
 * For each n, tries all divisions of the first n values. Stops at a division whose q is at least "enough".
 *
 * The loop adds one value after the other. For each place "at" of a division, the sums grow by the new
 * value's distances from the earlier values. between[at] grows by the distances from the first "at"
 * values. right[at] grows by the distances from the other earlier values. left[at] does not change.
 */
struct division changes__divide(const double *v, int cnt, double enough, double *work)
{
	double *between = work, *right = work + cnt, *left = work + 2 * cnt, *sum = work + 3 * cnt;
	double *inverse = work + 4 * cnt, all = 0;
	struct division best = {.q = -INFINITY};

	memset(work, 0, 4 * cnt * sizeof(*work));
	for (int i = 1; i <= cnt; i++)
		inverse[i - 1] = 1. / i;
	for (int n = 1; n < cnt; n++) {
		double max = -INFINITY;
		int max_at = 0;

		for (int i = 0; i < n; i++)
			sum[i + 1] = sum[i] + fabs(v[n] - v[i]);
		for (int at = 1; at <= n; at++) {
			between[at] += sum[at];
			right[at] += sum[n] - sum[at];
		}
		for (int at = MIN_PART; at <= n + 1 - MIN_PART; at++) {
			int m = n + 1 - at;
			double q = scaled_distance(between[at], left[at],
						   right[at] * inverse[m - 2], at, m);

			if (q > max) {
				max = q;
				max_at = at;
			}
		}
		all += sum[n];
		if (n + 1 < cnt)
			left[n + 1] = all * inverse[n - 1];
		max *= 2 * inverse[n];
		if (max > best.q)
			best = (struct division){max_at, n + 1, max};
		if (best.q >= enough)
			break;
	}
	return best;
}

/* ---- testing ---- */

static void shuffle(double *v, int cnt, __u64 *state)
{
	for (int i = cnt - 1; i > 0; i--) {
		int k = random__next(state) % (i + 1);
		double kept = v[i];

		v[i] = v[k];
		v[k] = kept;
	}
}

/* Shuffles each part's values. Returns true if any can then be divided with a distance >= q. */
static bool shuffled_reach(struct search *s, double q, __u64 *state)
{
	for (int i = 0; i < s->part_cnt; i++) {
		const struct part *p = &s->part[i];
		int cnt = p->to - p->from;

		if (cnt < 2 * MIN_PART)
			continue;
		memcpy(s->shuffled, s->v + p->from, cnt * sizeof(*s->v));
		shuffle(s->shuffled, cnt, state);
		if (changes__divide(s->shuffled, cnt, q, s->work).q >= q)
			return true;
	}
	return false;
}

/*
 * Tests whether chance explains the best division of a part, given all parts. Returns an upper
 * bound of the probability if it is small, else 1.
 */
static double test(struct search *s, const struct part *part)
{
	const double *v = s->v + part->from;
	const struct division *d = &part->best;
	__u64 state = 1; /* the same permutations each time */
	struct mann_whitney ranks;
	double places = 0; /* the number of divisions that changes__divide() tries for all parts */
	double q;

	if (!(d->q > 0))
		return 1;
	stats__mann_whitney(v, d->at, v + d->at, d->end - d->at, &ranks);
	for (int i = 0; i < s->part_cnt; i++)
		places += pow(s->part[i].to - s->part[i].from, 2) / 2;
	ranks.p *= places;
	if (ranks.p <= RANKS_SHARE * s->max_p)
		return ranks.p;
	/* Rounding must not make an equal division look better. */
	q = d->q - fabs(d->q) * 1e-9;
	for (int left = ceil(1 / s->max_p) - 1; left > 0; left--)
		if (shuffled_reach(s, q, &state))
			return 1;
	return s->max_p;
}

/* ---- searching ---- */

static struct part divide_part(const struct search *s, int from, int to)
{
	struct part p = {from, to};

	if (to - from >= 2 * MIN_PART)
		p.best = changes__divide(s->v + from, to - from, INFINITY, s->work);
	return p;
}

/*
 * Finds the changes between "from" and "to", in no particular order. Divides the series at the best
 * place, and then the parts in the same way, until chance explains the best remaining division.
 */
static void search_between(struct search *s, int from, int to)
{
	s->part_cnt = 1;
	s->part[0] = divide_part(s, from, to);
	for (;;) {
		struct part *part = s->part;
		double p;
		int at;

		for (int i = 1; i < s->part_cnt; i++)
			if (s->part[i].best.q > part->best.q)
				part = &s->part[i];
		p = test(s, part);
		if (p > s->max_p)
			return;
		at = part->from + part->best.at;
		*(struct change *)array__add(&s->out->v, &s->out->cnt, sizeof(*s->out->v)) =
			(struct change){at, p};
		s->part[s->part_cnt++] = divide_part(s, at, part->to);
		*part = divide_part(s, part->from, at);
	}
}

static int compare_changes(const void *a, const void *b)
{
	return ((const struct change *)a)->at - ((const struct change *)b)->at;
}

/* Searches windows that overlap by half. Each window is searched from the last change on. */
static void search_windows(struct search *s, int cnt)
{
	int start = 0;

	for (;;) {
		int end = start + CHANGES_WINDOW < cnt ? start + CHANGES_WINDOW : cnt, last = 0;

		search_between(s, start, end);
		if (end == cnt)
			return;
		for (int i = 0; i < s->out->cnt; i++)
			last = s->out->v[i].at > last ? s->out->v[i].at : last;
		start += CHANGES_WINDOW / 2;
		start = last > start ? last : start;
	}
}

/* Returns the index of the best division of the values from "from" to "to" - 1. */
static int find_best(const struct search *s, int from, int to)
{
	const double *v = s->v + from;
	double *sum = s->work, all = 0, left = 0, best_q = -INFINITY;
	int cnt = to - from, best = 0;
	double from_left = 0; /* sum of the distances of the values before "at" from all values */

	for (int i = 0; i < cnt; i++) {
		sum[i] = 0;
		for (int k = 0; k < cnt; k++)
			sum[i] += fabs(v[i] - v[k]);
		all += sum[i] / 2;
	}
	for (int at = 1; at <= cnt - MIN_PART; at++) {
		double between, right, q;

		for (int k = 0; k < at - 1; k++)
			left += fabs(v[at - 1] - v[k]);
		from_left += sum[at - 1];
		if (at < MIN_PART)
			continue;
		between = from_left - 2 * left;
		right = all - left - between;
		q = scaled_distance(between, left / (at - 1), right / (cnt - at - 1), at, cnt - at);
		if (q > best_q) {
			best_q = q;
			best = at;
		}
	}
	return from + best;
}

/*
 * Moves each change to the best division of the values between its neighbours. Drops the change if
 * it is not significant there: it may have been the best division only before other changes were
 * found.
 */
static void check_again(struct search *s, int cnt)
{
	struct changes *c = s->out;

	for (int i = 0; i < c->cnt; i++) {
		int from = i ? c->v[i - 1].at : 0, to = i + 1 < c->cnt ? c->v[i + 1].at : cnt;
		double p;

		s->part[0] = divide_part(s, from, to);
		s->part_cnt = 1;
		p = test(s, &s->part[0]);
		if (p <= s->max_p) {
			c->v[i] = (struct change){find_best(s, from, to), p};
			continue;
		}
		memmove(&c->v[i], &c->v[i + 1], (c->cnt - i - 1) * sizeof(*c->v));
		c->cnt--;
		/* check its neighbours again, because they have other neighbours now */
		i = i > 1 ? i - 2 : -1;
	}
}

void changes__find(const double *v, int cnt, double max_p, struct changes *out)
{
	struct search s = {.v = v, .max_p = max_p, .out = out};

	*out = (struct changes){};
	s.shuffled = xcalloc(cnt + 1, sizeof(*s.shuffled));
	s.work = xcalloc(CHANGES_WORK * (size_t)cnt + 1, sizeof(*s.work));
	s.part = xcalloc(cnt + 1, sizeof(*s.part));
	search_windows(&s, cnt);
	if (out->cnt)
		qsort(out->v, out->cnt, sizeof(*out->v), compare_changes);
	check_again(&s, cnt);
	free(s.shuffled);
	free(s.work);
	free(s.part);
}

void changes__find_exact(const double *v, int cnt, struct changes *out)
{
	*out = (struct changes){};
	for (int i = 1; i < cnt; i++) {
		struct change *c;

		if (v[i] == v[i - 1])
			continue;
		c = array__add(&out->v, &out->cnt, sizeof(*c));
		c->at = i;
	}
}
