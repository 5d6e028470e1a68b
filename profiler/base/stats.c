// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Statistics of two samples (sets of values), without assumptions about their distributions. Owns
 * the arithmetic; must not know what was measured. Prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "base/memory.h"
#include "base/stats.h"

/* Like R's wilcox.test(), use the exact distribution for fewer than 50 values. */
enum { EXACT_MAX = 49, EXACT_MAX_U = EXACT_MAX * EXACT_MAX / 2 };

/* A standard normal value exceeds this quantile with probability (1 - STATS_LEVEL) / 2. */
#define NORMAL_QUANTILE 1.959963984540054

int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns a sorted copy, which the caller frees. */
static double *sorted(const double *v, int cnt)
{
	double *copy = xcalloc(cnt, sizeof(*copy));

	memcpy(copy, v, cnt * sizeof(*copy));
	qsort(copy, cnt, sizeof(*copy), compare_doubles);
	return copy;
}

/* ---- the distribution of W if both samples come from the same population ---- */

/*
 * Counts, for each u up to max, the orderings of m and n values for which W, the Mann-Whitney
 * statistic, is u. These are the coefficients of the polynomial prod (1 - q^(n+i)) / (1 - q^i), i =
 * 1..m (Mann and Whitney, On a Test of Whether one of Two Random Variables is Stochastically Larger
 * than the Other, 1947).
 */
static void count_orders(int m, int n, int max, double *count)
{
	memset(count, 0, (max + 1) * sizeof(*count));
	count[0] = 1;
	for (int i = 1; i <= m; i++) {
		for (int u = max; u >= n + i; u--)
			count[u] -= count[u - n - i];
		for (int u = i; u <= max; u++)
			count[u] += count[u - i];
	}
}

static double count_all_orders(int m, int n)
{
	double cnt = 1;

	for (int i = 1; i <= m; i++)
		cnt = cnt * (n + i) / i;
	return cnt;
}

/*
 * Returns the probability that W, the Mann-Whitney statistic, is at most u. u must not exceed half
 * of the maximum of W.
 */
static double exact_p(int m, int n, int u)
{
	double count[EXACT_MAX_U + 1], sum = 0;

	count_orders(m, n, u, count);
	for (int i = 0; i <= u; i++)
		sum += count[i];
	return sum / count_all_orders(m, n);
}

/*
 * Returns the smallest u for which the Mann-Whitney statistic W is at most u with a probability of
 * at least p. p is below 0.5.
 */
static int exact_quantile(int m, int n, double p)
{
	double count[EXACT_MAX_U + 1], sum, want = p * count_all_orders(m, n);
	int u = 0;

	count_orders(m, n, m * n / 2, count);
	sum = count[0];
	while (sum < want && u < m * n / 2)
		sum += count[++u];
	return u;
}

/* ---- the Mann-Whitney U test ---- */

struct tagged {
	double v;
	int in_x;
};

static int compare_tagged(const void *a, const void *b)
{
	return compare_doubles(&((const struct tagged *)a)->v, &((const struct tagged *)b)->v);
}

struct ranks {
	double w;
	double ties; /* sum of t^3 - t over all groups of t equal values; 0: no ties */
};

static void count_ranks(const struct tagged *all, int cnt, struct ranks *r)
{
	double y_below = 0;

	*r = (struct ranks){};
	for (int i = 0, next; i < cnt; i = next) {
		double x = 0, y = 0, t;

		for (next = i; next < cnt && all[next].v == all[i].v; next++) {
			x += all[next].in_x;
			y += !all[next].in_x;
		}
		t = x + y;
		r->w += x * (y_below + y / 2);
		r->ties += t * t * t - t;
		y_below += y;
	}
}

/* The formulas are those of wilcox.test.default() in R's stats package. */
static double approximate_p(const struct ranks *r, double m, double n)
{
	double all = m + n, d = fabs(r->w - m * n / 2) - .5;
	double sigma = sqrt(m * n / 12 * (all + 1 - r->ties / (all * (all - 1))));

	return d > 0 && sigma > 0 ? erfc(d / sigma / M_SQRT2) : 1;
}

void stats__mann_whitney(const double *x, int x_cnt, const double *y, int y_cnt,
			 struct mann_whitney *out)
{
	struct tagged *all;
	struct ranks r;

	all = xcalloc((size_t)x_cnt + y_cnt, sizeof(*all));
	for (int i = 0; i < x_cnt; i++)
		all[i] = (struct tagged){x[i], 1};
	for (int i = 0; i < y_cnt; i++)
		all[x_cnt + i] = (struct tagged){y[i], 0};
	qsort(all, (size_t)x_cnt + y_cnt, sizeof(*all), compare_tagged);
	count_ranks(all, x_cnt + y_cnt, &r);
	free(all);
	out->w = r.w;
	if (r.ties || x_cnt > EXACT_MAX || y_cnt > EXACT_MAX)
		out->p = approximate_p(&r, x_cnt, y_cnt);
	else
		out->p = fmin(1, 2 * exact_p(x_cnt, y_cnt, fmin(r.w, x_cnt * y_cnt - r.w)));
}

/* ---- intervals ---- */

/*
 * Converts a double to an integer with the same order, for a binary search over all doubles.
 * order_to_double() converts it back.
 */
static __u64 double_to_order(double v)
{
	__u64 bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ULL << 63;
}

static double order_to_double(__u64 order)
{
	__u64 bits = order >> 63 ? order & ~(1ULL << 63) : ~order;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

struct pairs {
	double *x, *y; /* both sorted */
	int x_cnt, y_cnt;
};

/* Returns the number of differences y - x that are not larger than d. */
static __u64 count_up_to(const struct pairs *p, double d)
{
	__u64 cnt = 0;
	int j = 0;

	for (int i = 0; i < p->x_cnt; i++) {
		while (j < p->y_cnt && p->y[j] - p->x[i] <= d)
			j++;
		cnt += j;
	}
	return cnt;
}

/*
 * Returns the k-th smallest difference (k from 1). Does not list all differences, because there may
 * be many.
 */
static double kth_difference(const struct pairs *p, __u64 k)
{
	__u64 low = double_to_order(p->y[0] - p->x[p->x_cnt - 1]);
	__u64 high = double_to_order(p->y[p->y_cnt - 1] - p->x[0]);

	while (low < high) {
		__u64 middle = low + (high - low) / 2;

		if (count_up_to(p, order_to_double(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return order_to_double(low) + 0.; /* turns -0 into 0 */
}

/*
 * The ends of the confidence interval are the k-th smallest and the k-th largest difference.
 * Returns k, or 0 if there are too few values.
 */
static __u64 interval_rank(int m, int n)
{
	double pairs = (double)m * n;

	if (m <= EXACT_MAX && n <= EXACT_MAX)
		return exact_quantile(m, n, (1 - STATS_LEVEL) / 2);
	/* the formula for large samples (Hollander and Wolfe), even if only one sample is large */
	return fmax(0, floor(pairs / 2 - NORMAL_QUANTILE * sqrt(pairs * (m + n + 1.) / 12)));
}

void stats__shift(const double *x, int x_cnt, const double *y, int y_cnt,
		  struct stats_interval *out)
{
	struct pairs p = {sorted(x, x_cnt), sorted(y, y_cnt), x_cnt, y_cnt};
	__u64 all = (__u64)x_cnt * y_cnt, rank = interval_rank(x_cnt, y_cnt);

	out->estimate = (kth_difference(&p, (all + 1) / 2) + kth_difference(&p, all / 2 + 1)) / 2;
	out->low = rank ? kth_difference(&p, rank) : NAN;
	out->high = rank ? kth_difference(&p, all + 1 - rank) : NAN;
	free(p.x);
	free(p.y);
}

/* Returns -EDOM if a value has no logarithm. The caller frees *out. */
static int logarithms(const double *v, int cnt, double **out)
{
	for (int i = 0; i < cnt; i++)
		if (!(v[i] > 0))
			return -EDOM;
	*out = xcalloc(cnt, sizeof(**out));
	for (int i = 0; i < cnt; i++)
		(*out)[i] = log(v[i]);
	return 0;
}

int stats__ratio(const double *x, int x_cnt, const double *y, int y_cnt, struct stats_interval *out)
{
	double *log_x = NULL, *log_y = NULL;
	int err = logarithms(x, x_cnt, &log_x) ?: logarithms(y, y_cnt, &log_y);

	if (!err) {
		stats__shift(log_x, x_cnt, log_y, y_cnt, out);
		*out = (struct stats_interval){exp(out->estimate), exp(out->low), exp(out->high)};
	}
	free(log_x);
	free(log_y);
	return err;
}

/* ---- Student's t-test ---- */

/* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4. */
double stats__student_p(double t, int df)
{
	double angle = atan(fabs(t) / sqrt(df)), cosine = cos(angle), term = 1, sum = 0;

	for (int i = 2 + df % 2; i <= df; i += 2) {
		sum += term;
		term *= cosine * cosine * (i - 1) / i;
	}
	if (df % 2)
		return fmax(0, 1 - (angle + sin(angle) * cosine * sum) * M_2_PI);
	return fmax(0, 1 - sin(angle) * sum);
}

double stats__student_quantile(int df)
{
	double low = 0, high = 1e4;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (stats__student_p(middle, df) > 1 - STATS_LEVEL)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double stats__mean(const double *v, int cnt)
{
	double sum = 0;

	for (int i = 0; i < cnt; i++)
		sum += v[i];
	return sum / cnt;
}

void stats_variance__add(struct stats_variance *var, const double *v, int cnt)
{
	double mean = stats__mean(v, cnt);

	for (int i = 0; i < cnt; i++)
		var->squares += (v[i] - mean) * (v[i] - mean);
	var->df += cnt - 1;
}

void stats__students_t(const double *x, int x_cnt, const double *y, int y_cnt,
		       const struct stats_variance *more, struct students_t *out)
{
	double shift = stats__mean(y, y_cnt) - stats__mean(x, x_cnt), error, margin;
	struct stats_variance var = {};

	if (more)
		var = *more;
	stats_variance__add(&var, x, x_cnt);
	stats_variance__add(&var, y, y_cnt);
	*out = (struct students_t){{shift, NAN, NAN}, NAN};
	if (var.df < 1)
		return;
	error = sqrt(var.squares / var.df * (1. / x_cnt + 1. / y_cnt));
	margin = error * stats__student_quantile(var.df);
	out->shift.low = shift - margin;
	out->shift.high = shift + margin;
	out->p = shift ? stats__student_p(shift / error, var.df) : 1;
}

/* ---- other statistics ---- */

static int compare_pointers(const void *a, const void *b)
{
	return compare_doubles(*(double *const *)a, *(double *const *)b);
}

void stats__holm(double *p, int cnt)
{
	double **order, max = 0;

	if (cnt < 1)
		return;
	order = xcalloc(cnt, sizeof(*order));
	for (int i = 0; i < cnt; i++)
		order[i] = &p[i];
	qsort(order, cnt, sizeof(*order), compare_pointers);
	for (int i = 0; i < cnt; i++) {
		max = fmax(max, (cnt - i) * *order[i]);
		*order[i] = fmin(1, max);
	}
	free(order);
}

double stats__median(const double *v, int cnt)
{
	double *copy, median;

	if (cnt < 1)
		return NAN;
	copy = sorted(v, cnt);
	median = (copy[(cnt - 1) / 2] + copy[cnt / 2]) / 2;
	free(copy);
	return median;
}

double stats__sampled_stddev(double total, __u64 cnt)
{
	return cnt ? total / sqrt(cnt) : NAN;
}
