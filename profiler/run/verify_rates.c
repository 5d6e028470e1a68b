// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures all programs at several rates (one run in N), one rate after the other. Owns the length and the order of the
 * turns; must not know what the counts are used for.
 *
 * The turns are short and in random order, so that all rates get the same load, even if the load
 * changes or is periodic.
 */
#include "base/random.h"
#include "base/util.h"
#include "result/result.h"
#include "run/verify_rates.h"
#include "run/verify_by_samples.h"
#include "session/session.h"

#define MIN_TURN_NS (10 * NSEC_PER_MSEC)
#define MAX_TURN_NS (500 * NSEC_PER_MSEC)
#define ENDLESS_TURN_NS (200 * NSEC_PER_MSEC)
/*
 * A round has one turn at each rate. There are only a few more rounds than a mean needs
 * (VERIFY_MIN_ROUNDS): with fewer rounds, turns are longer, and have more runs at the lowest rate.
 */
#define ROUNDS 10

__u64 verify_rates__turn_ns(__u64 timeout_ns)
{
	__u64 ns = timeout_ns / (ROUNDS * (VERIFY_RATES + 1));

	if (!timeout_ns)
		return ENDLESS_TURN_NS;
	return ns < MIN_TURN_NS ? MIN_TURN_NS : ns > MAX_TURN_NS ? MAX_TURN_NS : ns;
}

void verify_rates__free(struct verify_rates *v)
{
	verify_rates__stop(v);
	verify__free(v->sums);
	v->sums = NULL;
	verify_by_samples__close(v->samples);
	v->samples = NULL;
}

/* Returns the number of turns in a round. */
static int turn_cnt(const struct verify_rates *v)
{
	return v->samples ? VERIFY_RATES + 1 : VERIFY_RATES;
}

/* Begins the next turn. Counting for the turn begins only when the probes use the new rate. */
static int begin_turn(struct verify_rates *v, struct session *s)
{
	int turns = turn_cnt(v), rate;

	/* Shuffle the order for each round. */
	for (int i = 0; !v->turn && i < turns; i++) {
		int k = random__next(&v->random) % (i + 1);

		v->order[i] = v->order[k];
		v->order[k] = i;
	}
	rate = v->order[v->turn];
	session__set_period(s, verify_samples[rate < VERIFY_RATES ? rate : VERIFY_RATES - 1],
			    &v->random);
	if (rate == VERIFY_BY_SAMPLES)
		verify_by_samples__enable(v->samples, true);
	return session__read(s, false, &v->from);
}

int verify_rates__start(struct verify_rates *v, struct session *s)
{
	v->sums = verify__new();
	return begin_turn(v, s);
}

int verify_rates__turn(struct verify_rates *v, struct session *s, const struct result_opts *o)
{
	struct result_span span = {.from = v->from};
	struct snapshot *now = NULL;
	struct report *r = NULL;
	int err = session__read(s, false, &now);

	span.to = now;
	err = err ?: result__report(s, &span, 1, o, &r);
	snapshot__free(now);
	verify_rates__stop(v);
	if (err)
		return err;
	verify__add_turn(v->sums, v->order[v->turn], r);
	report__free(r);
	v->turn = (v->turn + 1) % turn_cnt(v);
	if (!v->turn)
		verify__end_round(v->sums);
	return begin_turn(v, s);
}

void verify_rates__stop(struct verify_rates *v)
{
	if (v->from && v->order[v->turn] == VERIFY_BY_SAMPLES)
		verify_by_samples__enable(v->samples, false);
	snapshot__free(v->from);
	v->from = NULL;
}

void verify_rates__apply(const struct verify_rates *v, struct report *r)
{
	r->thin_period = 0; /* the period changed */
	if (!v->sums)
		return; /* nothing could be measured */
	if (v->samples)
		verify_by_samples__set(v->samples, r, v->sums);
	verify__apply(v->sums, r);
}
