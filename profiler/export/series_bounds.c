// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The bounds of the buckets: their default, and the argument of --buckets.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse_error.h"
#include "export/series.h"
#include "options/amount.h"

/*
 * The default bounds are powers of two minus 1. These are the last values of the probe's own
 * buckets (bpf/probe.h), so the counts are exact.
 */
#define TIME_MIN_BITS 6	 /* 63 ns */
#define TIME_MAX_BITS 24 /* 16.8 ms */
#define EVENT_MIN_BITS 5
#define EVENT_MAX_BITS 22

#define MAX_BOUNDS 100

static void add_bound(struct series_bounds *b, double v)
{
	double *bound = array__add(&b->v, &b->cnt, sizeof(*b->v));

	*bound = v;
}

static void set_powers(struct series_bounds *b, int min_bits, int max_bits)
{
	for (int i = min_bits; !b->given && i <= max_bits; i++)
		add_bound(b, exp2(i) - 1);
}

void series_bounds__set_default(struct series_opts *opts)
{
	set_powers(&opts->time, TIME_MIN_BITS, TIME_MAX_BITS);
	set_powers(&opts->events, EVENT_MIN_BITS, EVENT_MAX_BITS);
}

void series_opts__free(struct series_opts *opts)
{
	free(opts->time.v);
	free(opts->events.v);
	opts->time.v = opts->events.v = NULL;
}

/* Adds the bound that is len characters long and begins at arg + pos. */
static int parse_bound(const char *arg, size_t pos, size_t len, struct series_opts *opts,
		       struct parse_error *err)
{
	struct series_bounds *b;
	struct amount amount;

	if (!len)
		return parse_error__set(err, pos, 1, "a bound is missing; write 1us,10us or 100");
	if (amount__parse(arg, pos, len, &amount, err))
		return -EINVAL;
	if (amount.relative)
		return parse_error__set(err, pos, len, "a bound is a time or a number");
	b = amount.unit ? &opts->time : &opts->events;
	b->given = true;
	if (b->cnt == MAX_BOUNDS)
		return parse_error__set(err, pos, len, "more than %d bounds", MAX_BOUNDS);
	if (b->cnt && amount.value <= b->v[b->cnt - 1])
		return parse_error__set(err, pos, len,
					"bounds must ascend: this one is not above the one before");
	add_bound(b, amount.value);
	return 0;
}

int series_bounds__parse(const char *arg, struct series_opts *opts, struct parse_error *err)
{
	size_t pos = 0, len;
	int ret;

	series_opts__free(opts);
	opts->time = opts->events = (struct series_bounds){};
	if (!strcmp(arg, "none")) {
		opts->time.given = opts->events.given = true;
		return 0;
	}
	do {
		len = strcspn(arg + pos, ",");
		ret = parse_bound(arg, pos, len, opts, err);
		pos += len + 1;
	} while (!ret && arg[pos - 1]);
	return ret;
}
