// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds up the results of stat --verify, and draws conclusions. Owns the statistics and the
 * sentences; must not know how the rates are set.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/text.h"
#include "report/report_verify.h"

const __u64 verify_samples[VERIFY_RATES] = {1, 16, 256};

/* For one event, one round and one rate: the number of measured runs, and their total cost. */
struct verify_cell {
	double runs, total;
};

struct verify_round {
	struct verify_cell cell[VERIFY_RATES];
};

/* For one event: the squared differences of runs from the mean of their turn, over all turns. */
struct verify_spread {
	double runs, squares;
};

/* The turns of VERIFY_BY_SAMPLES. runs: the number of runs of the event's program. */
struct verify_sampling {
	double runs, ns;
	struct verify_sampled sampled;
};

struct verify {
	int event_cnt; /* number of events of all programs; 0: no turn yet */
	int round_cnt; /* number of complete rounds */
	int merged;    /* number of turns at each rate that make up a round */
	int turns;     /* number of turns in the present round so far */
	/* for each event, in the order of the programs: VERIFY_MAX_ROUNDS rounds */
	struct verify_round *round;
	/* one element for each event */
	struct verify_spread *spread;
	struct verify_sampling *sampling;
};

struct verify *verify__new(void)
{
	struct verify *v = xcalloc(1, sizeof(*v));

	v->merged = 1;
	return v;
}

void verify__free(struct verify *v)
{
	if (!v)
		return;
	free(v->round);
	free(v->spread);
	free(v->sampling);
	free(v);
}

static int count_verified(const struct report *r)
{
	int cnt = 0;

	for (int i = 0; i < r->prog_cnt; i++)
		cnt += r->prog[i].all.event_cnt;
	return cnt;
}

static struct verify_round *rounds_of(const struct verify *v, int event)
{
	return v->round + (size_t)event * VERIFY_MAX_ROUNDS;
}

void verify__add_turn(struct verify *v, int rate, const struct report *turn)
{
	int cnt = count_verified(turn), at = 0;

	if (!v->event_cnt && cnt) {
		v->event_cnt = cnt;
		v->round = xcalloc((size_t)cnt * VERIFY_MAX_ROUNDS, sizeof(*v->round));
		v->spread = xcalloc(cnt, sizeof(*v->spread));
		v->sampling = xcalloc(cnt, sizeof(*v->sampling));
	}
	if (cnt != v->event_cnt)
		return;
	for (int i = 0; i < turn->prog_cnt; i++) {
		const struct report_row *row = &turn->prog[i].all;

		for (int j = 0; j < row->event_cnt; j++, at++) {
			const struct report_event *ev = &row->event[j];
			double stddev = ev->stat[STAT_STDDEV];
			struct verify_cell *c;

			if (rate == VERIFY_BY_SAMPLES) {
				v->sampling[at].runs += row->runs;
				v->sampling[at].ns += turn->elapsed_ns;
				continue;
			}
			c = &rounds_of(v, at)[v->round_cnt].cell[rate];
			if (ev->status != EVENT_OK || !ev->measured || isnan(ev->total))
				continue;
			c->runs += ev->measured;
			c->total += ev->total;
			if (isnan(stddev))
				continue;
			v->spread[at].runs += ev->measured;
			v->spread[at].squares += ev->measured * stddev * stddev;
		}
	}
}

void verify__set_sampled(struct verify *v, int event, const struct verify_sampled *sampled)
{
	if (event < v->event_cnt)
		v->sampling[event].sampled = *sampled;
}

/* Merges pairs of rounds into one round. From then on, each new round also has twice as many turns. */
static void merge_rounds(struct verify *v)
{
	for (int event = 0; event < v->event_cnt; event++) {
		struct verify_round *r = rounds_of(v, event);

		for (int i = 0; i < v->round_cnt; i++) {
			struct verify_round from = r[i];

			if (i)
				r[i] = (struct verify_round){};
			if (!(i % 2))
				r[i / 2] = from;
			for (int rate = 0; i % 2 && rate < VERIFY_RATES; rate++) {
				r[i / 2].cell[rate].runs += from.cell[rate].runs;
				r[i / 2].cell[rate].total += from.cell[rate].total;
			}
		}
	}
	v->round_cnt /= 2;
	v->merged *= 2;
}

void verify__end_round(struct verify *v)
{
	if (++v->turns < v->merged)
		return;
	v->turns = 0;
	if (++v->round_cnt == VERIFY_MAX_ROUNDS)
		merge_rounds(v);
}

/* ---- means and their errors ---- */

/* The runs of an event at one rate, in all rounds. */
struct verify_sum {
	double runs, mean;
	int rounds; /* number of rounds with measured runs */
};

static struct verify_sum sum_rate(const struct verify *v, int event, int rate)
{
	struct verify_sum s = {};
	double total = 0;

	for (int i = 0; i < v->round_cnt; i++) {
		const struct verify_cell *c = &rounds_of(v, event)[i].cell[rate];

		s.runs += c->runs;
		total += c->total;
		s.rounds += c->runs > 0;
	}
	s.mean = s.runs > 0 ? total / s.runs : NAN;
	return s;
}

/* Returns by how much a round's runs at one rate change the mean over all rounds. */
static double pull(const struct verify_cell *c, const struct verify_sum *s)
{
	return (c->total - s->mean * c->runs) / s->runs;
}

/*
 * Returns the standard error of a difference: the mean at rate a minus the mean at rate b. If b is
 * -1, returns the standard error of the mean at rate a. Takes the means as ratios of sums over
 * rounds, and linearises them (Cochran, Sampling Techniques, 6.4). Runs and turns of one round have
 * too much in common to be independent values.
 */
static double mean_error(const struct verify *v, int event, int a, int b)
{
	struct verify_sum at_a = sum_rate(v, event, a), at_b = {};
	double squares = 0;
	int cnt = v->round_cnt;

	if (b >= 0)
		at_b = sum_rate(v, event, b);
	if (at_a.rounds < VERIFY_MIN_ROUNDS || (b >= 0 && at_b.rounds < VERIFY_MIN_ROUNDS))
		return NAN;
	for (int i = 0; i < cnt; i++) {
		const struct verify_round *r = &rounds_of(v, event)[i];
		double d = pull(&r->cell[a], &at_a) - (b < 0 ? 0 : pull(&r->cell[b], &at_b));

		squares += d * d;
	}
	return sqrt(squares * cnt / (cnt - 1));
}

/*
 * By how much the mean at a rate exceeds the mean at the lowest rate, and the error of this
 * difference (95 %).
 */
struct verify_excess {
	/* NaN: there are too few runs, or the error is not known */
	double value, error;
};

#define NORMAL_95 1.96 /* not Student's t: the variance comes from many runs */

static struct verify_excess find_excess(const struct verify *v, int event, int rate)
{
	const int last = VERIFY_RATES - 1;
	const struct verify_spread *s;
	struct verify_sum a = sum_rate(v, event, rate), b = sum_rate(v, event, last);
	double of_rounds = mean_error(v, event, rate, last);
	struct verify_excess e = {NAN, NAN};
	int df = b.rounds - 1;
	double of_runs;

	if (isnan(of_rounds))
		return e;
	/*
	 * The standard error if the runs are independent. The error from the differences of rounds
	 * is sometimes too small, for example if by chance no interrupt made one of the few runs at
	 * the lower rate expensive. So take the larger of the two errors.
	 */
	s = &v->spread[event];
	of_runs = s->runs > 0 ? sqrt(s->squares / s->runs * (1 / a.runs + 1 / b.runs)) : NAN;
	if (isnan(of_runs))
		return e;
	e.value = a.mean - b.mean;
	e.error = fmax(of_rounds * stats__student_quantile(df < STATS_MAX_DF ? df : STATS_MAX_DF),
		       of_runs * NORMAL_95);
	return e;
}

/* Two sums of the same doubles may differ by this share, because each addition rounds. */
#define ROUNDING 1e-9

/* mean: the mean at the rate, for the size of rounding errors */
static bool is_sure(const struct verify_excess *e, double mean)
{
	return fabs(e->value) > e->error + ROUNDING * fabs(mean);
}

/*
 * Returns the smallest N of --sample N at which the mean does not differ from the mean at the
 * lowest rate.
 */
static __u64 find_use(const struct verify *v, int event)
{
	for (int rate = 0; rate < VERIFY_RATES; rate++) {
		struct verify_excess e = find_excess(v, event, rate);

		if (!isnan(e.value) && !is_sure(&e, sum_rate(v, event, rate).mean))
			return verify_samples[rate];
	}
	return 0;
}

/* ---- the report ---- */

static void note_more(struct report_prog *p, const struct report_event *ev, const char *error)
{
	const struct report_verify *v = ev->verify;
	char by[QUANTITY_SZ], use[64] = "";

	if (v->use)
		snprintf(use, sizeof(use), ": use --sample %llu", (unsigned long long)v->use);
	report_notes__add(&p->notes,
			  "%s: each measured run makes the next one cost %s more (+-%s)%s",
			  ev->name, number__quantity(by, v->added, ev->unit, false), error, use);
}

static void note_verdict(struct report_prog *p, const struct report_event *ev)
{
	const struct report_verify *v = ev->verify;
	char by[QUANTITY_SZ], error[QUANTITY_SZ];

	number__quantity(error, v->added_error, ev->unit, v->added_error == 0);
	if (!strcmp(v->verdict, "none"))
		report_notes__add(&p->notes, "%s: no pollution by the probe found (+-%s)", ev->name,
				  error);
	else if (!strcmp(v->verdict, "more"))
		note_more(p, ev, error);
	else if (!strcmp(v->verdict, "less"))
		report_notes__add(
			&p->notes,
			"%s: a run after a measured one costs %s less (+-%s): at lower "
			"rates the probe's own code is out of the caches, so that --sample "
			"1 is the best number",
			ev->name, number__quantity(by, -v->added, ev->unit, false), error);
	else if (!isnan(v->rate[VERIFY_RATES - 1].stddev))
		report_notes__add(&p->notes,
				  "%s: --verify needs to know how much the runs differ, for which "
				  "distributions need more memory (--max-memory)",
				  ev->name);
	else
		report_notes__add(&p->notes,
				  "%s: too few runs for --verify: at --sample %llu, some must be "
				  "measured in %d rounds; measure for longer",
				  ev->name, (unsigned long long)verify_samples[VERIFY_RATES - 1],
				  VERIFY_MIN_ROUNDS);
}

/* With fewer samples, the distribution of their number is not normal. */
#define MIN_SAMPLES 30
/* By chance, one event in 370 shows a difference of this many standard errors. */
#define SURE 3

/*
 * Returns the probes' result at the last rate, because the turns with samples have this rate. If
 * too few runs were measured at the last rate, returns the result at the first rate.
 */
static const struct report_verify_rate *probes_of(const struct report_verify *v)
{
	const struct report_verify_rate *last = &v->rate[VERIFY_RATES - 1];

	return isnan(last->stddev) ? v->rate : last;
}

static void note_samples(struct report_prog *p, const struct report_event *ev,
			 const struct report_verify_samples *s)
{
	char mean[QUANTITY_SZ], error[QUANTITY_SZ], probes[QUANTITY_SZ];

	number__quantity(mean, s->mean, ev->unit, false);
	number__quantity(error, NORMAL_95 * s->stddev, ev->unit, false);
	number__quantity(probes, probes_of(ev->verify)->mean, ev->unit, false);
	if (!strcmp(s->verdict, "agree"))
		report_notes__add(&p->notes, "%s: samples, which need no probe, agree: %s (+-%s)",
				  ev->name, mean, error);
	else
		report_notes__add(
			&p->notes,
			"%s: samples, which need no probe, disagree: %s (+-%s), where the "
			"probes show %s; concepts.md has the reasons",
			ev->name, mean, error, probes);
}

static void set_samples(const struct verify_sampling *by, struct report_prog *p,
			struct report_event *ev)
{
	const struct report_verify_rate *probes = probes_of(ev->verify);
	struct report_verify_samples *to;
	double runs_per_ns;

	if (!by->sampled.cpu_cnt)
		return;
	to = report_verify__add_samples(ev->verify);
	to->samples = by->sampled.samples;
	to->verdict = "unknown";
	if (by->sampled.gaps) {
		report_notes__add(
			&p->notes,
			"%s: not compared with samples: a CPU went offline or came online, "
			"or cannot sample this event",
			ev->name);
		return;
	}
	runs_per_ns = by->ns > 0 ? by->runs / by->ns / by->sampled.cpu_cnt : 0;
	if (!(runs_per_ns > 0) || by->sampled.samples < MIN_SAMPLES || by->sampled.dropped)
		return;
	to->mean = by->sampled.rate / runs_per_ns;
	to->stddev = to->mean / sqrt(by->sampled.samples);
	if (isnan(probes->stddev))
		return;
	to->verdict = fabs(to->mean - probes->mean) > SURE * hypot(to->stddev, probes->stddev) +
							      by->sampled.cost * to->mean
			      ? "disagree"
			      : "agree";
	note_samples(p, ev, to);
}

static void set_verify_of_event(const struct verify *v, int event, struct report_prog *p,
				struct report_event *ev)
{
	struct report_verify *to = report_event__add_verify(ev);
	struct verify_excess e = find_excess(v, event, 0);

	for (int rate = 0; rate < VERIFY_RATES; rate++) {
		struct report_verify_rate *r = report_verify__add_rate(to);
		struct verify_sum s = sum_rate(v, event, rate);

		r->sample = verify_samples[rate];
		r->measured = s.runs;
		r->mean = s.mean;
		r->stddev = mean_error(v, event, rate, -1);
	}
	to->added = e.value;
	to->added_error = e.error;
	to->verdict = isnan(e.value)		       ? "unknown"
		      : !is_sure(&e, to->rate[0].mean) ? "none"
		      : e.value > 0		       ? "more"
						       : "less";
	to->use = !strcmp(to->verdict, "less") ? 1 : find_use(v, event);
	note_verdict(p, ev);
	if (v->sampling) /* else no turn has ended */
		set_samples(&v->sampling[event], p, ev);
}

void verify__apply(const struct verify *v, struct report *r)
{
	/* event_cnt is 0 if no turn has ended */
	bool same = !v->event_cnt || v->event_cnt == count_verified(r);
	int at = 0;

	for (int i = 0; same && i < r->prog_cnt; i++) {
		struct report_prog *p = &r->prog[i];

		if (!p->probed)
			report_notes__add(&p->notes,
					  "--verify: it has no probe that could disturb it");
		for (int j = 0; j < p->all.event_cnt; j++, at++)
			if (p->all.event[j].status == EVENT_OK && p->probed)
				set_verify_of_event(v, at, p, &p->all.event[j]);
	}
}
