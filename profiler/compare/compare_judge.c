// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The verdicts of a comparison. Owns the rules that decide whether a change counts, the order of
 * rows, and the overall verdict. Must not know how the changes were computed. Prints nothing.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/util.h"
#include "btf/retval.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

const struct verdict_spec verdict_specs[VERDICT_CNT] = {
	[VERDICT_WORSE] = {"worse", OUTCOME_WORSE, 0},
	[VERDICT_INCONCLUSIVE] = {"inconclusive", OUTCOME_INCONCLUSIVE, EXCUSE_INCONCLUSIVE},
	[VERDICT_GONE] = {"gone", OUTCOME_INCONCLUSIVE, EXCUSE_ONE_SIDED},
	[VERDICT_NEW] = {"new", OUTCOME_INCONCLUSIVE, EXCUSE_ONE_SIDED},
	[VERDICT_BETTER] = {"better", OUTCOME_PASS, 0},
	[VERDICT_SAME] = {"same", OUTCOME_PASS, 0},
};

_Static_assert(COMPARE_MIN_BLOCKS == 6, "a sentence below has that number");

const struct basis_spec basis_specs[BASIS_CNT] = {
	[BASIS_BLOCKS] = {"blocks", 0.05, "medians of the blocks",
			  "Mann and Whitney's test of the blocks",
			  "too few blocks have a value: measure with -r 6, --blocks 6 or -I",
			  "its blocks vary too much for this limit: measure more or longer blocks",
			  "statistics of exact events left out, as they need 6 blocks: %d; their "
			  "minimum counts instead",
			  "measure more blocks, or compare fewer statistics"},
	[BASIS_COMMITS] = {"commits", 0.001, "means of the commits",
			   "Student's t-test of the commits",
			   "too few commits before it for a test: at least two are needed",
			   "its commits vary too much for this limit: measure more or longer "
			   "blocks, or set a wider limit",
			   "statistics of exact events left out, as they need two commits before: "
			   "%d; their minimum counts instead",
			   "check fewer statistics, or add further commits"},
};

static void __attribute__((format(printf, 2, 3)))
set_why(struct compare_row *row, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row->why, sizeof(row->why), fmt, ap);
	va_end(ap);
}

static enum verdict judge(const struct comparison *c, struct compare_row *row,
			  const struct compare_limit *l)
{
	const struct stats_interval *in = l->relative ? &row->share : &row->change;

	/*
	 * The tested shift and the shown difference of the medians have opposite signs: do not use
	 * the test, because it contradicts the output.
	 */
	bool other_way = row->shift.estimate * row->change.estimate < 0;

	if (!row->exact && (other_way || !(row->adjusted_p < basis_specs[c->basis].alpha))) {
		/*
		 * The change is not significant, but it may be certain that it is within the limit:
		 * then the verdict is "same".
		 */
		if (in->high <= l->value)
			return VERDICT_SAME;
		if (in->low > l->value)
			set_why(row, "not significant among %d comparisons: %s", c->tests,
				basis_specs[c->basis].unsure);
		else
			set_why(row, "%s", basis_specs[c->basis].noisy);
		return VERDICT_INCONCLUSIVE;
	}
	if (!row->exact && fabs(in->estimate) > l->value &&
	    fmax(row->change.low, -row->change.high) <= row->session_error) {
		set_why(row,
			"two sessions may differ so much (%.0f%% of the raw value) without a "
			"change: "
			"compare six sessions each (--append), or use bprof bench",
			100 * COMPARE_SESSION_ERROR);
		return VERDICT_INCONCLUSIVE;
	}
	/*
	 * Written with '!', so that NaN also counts as worse: a change that cannot be compared with
	 * the limit must not pass.
	 */
	if (!(in->estimate <= l->value))
		return VERDICT_WORSE;
	return in->estimate < -l->value ? VERDICT_BETTER : VERDICT_SAME;
}

/*
 * Describes what p returned for the packet, or for all packets of the input case if packet is -1.
 */
static const char *describe_retval(const struct report_prog *p, int packet, char *buf)
{
	if (p->retval_varies)
		return "various values";
	if (!p->retvals)
		return retval__format(p->type, p->retval, buf);
	return packet < 0 ? "values that depend on the packet"
			  : retval__format(p->type, p->retvals[packet], buf);
}

/*
 * Returns the first packet whose return values differ, or -1 if the return values of single packets
 * are not known.
 */
static int find_packet(const struct compare_pair *r)
{
	if (!r->base->retvals || !r->new->retvals || r->base->retvals_cnt != r->new->retvals_cnt)
		return -1;
	for (int i = 0; i < r->base->retvals_cnt; i++)
		if (r->base->retvals[i] != r->new->retvals[i])
			return i;
	return -1;
}

static void judge_returned(struct compare_row *row)
{
	char base[RETVAL_SZ], new[RETVAL_SZ], which[32] = "";
	int packet = find_packet(&row->returned);

	row->verdict = VERDICT_INCONCLUSIVE;
	if (packet >= 0)
		snprintf(which, sizeof(which), " to packet %d", packet + 1);
	set_why(row,
		"returned %s%s, in the base %s: its cost is only compared with "
		"--allow-retval-change",
		describe_retval(row->returned.new, packet, new), which,
		describe_retval(row->returned.base, packet, base));
}

/*
 * If the change of a row cannot be judged, for example because a value is missing, sets the verdict
 * and returns true. Returns false for other rows.
 */
static bool judge_without_test(const struct comparison *c, struct compare_row *row)
{
	bool base = !isnan(row->base_value), new = !isnan(row->new_value);
	/*
	 * the calibration of a report failed, so that its numbers are raw although the user wanted net ones
	 */
	bool failed = (row->base && row->base->uncalibrated) ||
		      (row->new && row->new->uncalibrated);
	const struct {
		bool is;
		enum verdict verdict;
		const char *why;
	} cases[] = {
		{row->other_unit, VERDICT_INCONCLUSIVE,
		 "the reports have the event in different units"},
		{base && !new, VERDICT_GONE, ""},
		{new && !base, VERDICT_NEW, ""},
		{!base && !new, VERDICT_INCONCLUSIVE, "neither report has a value"},
		{row->doubt == DOUBT_SHORT_CODE, VERDICT_INCONCLUSIVE,
		 "a map's address takes fewer instructions than usual, or the code is hidden (-v "
		 "says which): load the programs again"},
		{row->doubt == DOUBT_BLINDED, VERDICT_INCONCLUSIVE,
		 "the kernel blinds constants with random numbers, which differ from load to load: "
		 "set net.core.bpf_jit_harden to 0 or 1, and load the programs again"},
		{row->doubt == DOUBT_SLOWED, VERDICT_INCONCLUSIVE,
		 "the kernel's run statistics were turned on during a measurement, which slowed "
		 "down its probe: measure again"},
		{row->doubt == DOUBT_RAW && failed, VERDICT_INCONCLUSIVE,
		 "the calibration of a measurement failed, so its numbers include the probe's own "
		 "cost: measure again"},
		{row->doubt == DOUBT_RAW, VERDICT_INCONCLUSIVE,
		 "only one of the reports has net numbers: measure both with --no-calibrate, or "
		 "both without"},
		{row->doubt == DOUBT_REST, VERDICT_INCONCLUSIVE,
		 "the reports have rows for different values, so these are runs with other values: "
		 "compare reports without --by, too"},
		{!row->exact && isnan(row->p), VERDICT_INCONCLUSIVE, basis_specs[c->basis].few},
	};

	if (row->refused) {
		judge_returned(row);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!cases[i].is)
			continue;
		row->verdict = cases[i].verdict;
		set_why(row, "%s", cases[i].why);
		return true;
	}
	return false;
}

static void judge_row(const struct comparison *c, struct compare_row *row)
{
	const struct compare_limits *limits = row->list;
	bool untested = judge_without_test(c, row);

	/* Say why one report lacks the program, for example because it could not be loaded there. */
	if (row->absent && !*row->why)
		set_why(row, "%s%s", row->verdict == VERDICT_NEW ? "in the base: " : "",
			row->absent->detail);
	for (int i = 0; i < limits->cnt; i++) {
		struct compare_row by = *row;

		if (!(row->limits & (1ULL << i)))
			continue;
		if (!untested)
			by.verdict = judge(c, &by, &limits->v[i]);
		/* If several limits apply, the worst verdict counts. */
		if (!row->limit || by.verdict < row->verdict) {
			*row = by;
			row->limit = &limits->v[i];
		}
	}
}

static void correct_p(struct comparison *c)
{
	double *p = xcalloc(c->row_cnt + 1, sizeof(*p));

	for (int i = 0; i < c->row_cnt; i++)
		if (!isnan(c->row[i].p))
			p[c->tests++] = c->row[i].p;
	stats__holm(p, c->tests);
	for (int i = 0, test = 0; i < c->row_cnt; i++)
		if (!isnan(c->row[i].p))
			c->row[i].adjusted_p = p[test++];
	free(p);
}

/*
 * Orders rows by verdict, then by the size of the change, then by their original position. On an
 * axis, orders groups by their worst verdict.
 */
static int compare_rows(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	double dx = fabs(x->share.estimate), dy = fabs(y->share.estimate);

	if (x->worst != y->worst)
		return x->worst < y->worst ? -1 : 1;
	if (x->point && x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->point)
		return x->order < y->order ? -1 : 1;
	if (x->refused != y->refused)
		return x->refused ? -1 : 1;
	if (dx != dy && (x->verdict == VERDICT_WORSE || x->verdict == VERDICT_BETTER))
		return dx > dy ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void comparison__judge(struct comparison *c)
{
	correct_p(c);
	for (int i = 0; i < c->row_cnt; i++) {
		struct compare_row *row = &c->row[i];

		row->verdict = VERDICT_SAME;
		if (row->reference)
			continue;
		judge_row(c, row);
		c->cnt[row->verdict]++;
	}
	comparison__group_rows(c);
	if (c->row_cnt)
		qsort(c->row, c->row_cnt, sizeof(*c->row), compare_rows);
	c->verdict = c->row_cnt ? c->row[0].worst : VERDICT_INCONCLUSIVE;
}

bool compare_row__is_excused(const struct compare_row *row, unsigned int excuses)
{
	if (row->alone)
		excuses |= EXCUSE_ONE_SIDED;
	return !row->refused && (verdict_specs[row->verdict].excuse & excuses);
}

enum compare_outcome comparison__outcome(const struct comparison *c, unsigned int excuses)
{
	enum compare_outcome outcome = OUTCOME_PASS;

	for (int i = 0; i < c->row_cnt && outcome != OUTCOME_WORSE; i++) {
		enum compare_outcome of_row = verdict_specs[c->row[i].verdict].outcome;

		if (of_row != OUTCOME_PASS && !compare_row__is_excused(&c->row[i], excuses))
			outcome = of_row;
	}
	return outcome;
}
