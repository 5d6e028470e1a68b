// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares two reports. Owns the choice of the statistics that are compared, and the computation of
 * their changes. Must not know how verdicts are found, or what the output looks like. Prints
 * nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

static const struct stats_interval unknown = {NAN, NAN, NAN};

/* The comparison of one part, in progress. */
struct compare {
	struct comparison *c;
	int first; /* index in c->row of the part's first row */
	const struct report *base, *new;
	const struct compare_opts *o;
	const struct compare_limits *limits;
	bool *used; /* used[i]: limit i applied to at least one event */
	struct reason *reason;
	const struct compare_part *part;
};

/* Returns true if the part is the base itself. It is listed as a point of the axis, without a verdict. */
static bool is_reference(const struct compare *cmp)
{
	return cmp->part->axis && cmp->base == cmp->new;
}

/* One event of a function, in both reports. base or new is NULL if only the other report has the event. */
struct event_pair {
	const struct compare_pair *prog;
	/*
	 * The rows of the programs' entry functions, if their return values differ; otherwise NULL
	 */
	const struct compare_pair *returned;
	const struct report_event *base, *new;
	/* one report's event is enough for a row, because the other points of the axis may have a row, too */
	bool on_axis;
};

/* ---- values ---- */

static bool has_stat(const struct report_event *ev, enum stat_id stat)
{
	return ev && report_event__has_value(ev) && !isnan(ev->stat[stat]);
}

/*
 * Returns the values of a statistic in all blocks, or NULL if there are no values. The caller frees
 * the values.
 */
static double *collect_blocks(const struct report_event *ev, enum stat_id stat, int *cnt)
{
	double *v;

	*cnt = 0;
	if (!has_stat(ev, stat) || !ev->block_cnt)
		return NULL;
	v = xcalloc(ev->block_cnt, sizeof(*v));
	for (int i = 0; i < ev->block_cnt; i++)
		if (!isnan(ev->block[i].stat[stat]))
			v[(*cnt)++] = ev->block[i].stat[stat];
	return v;
}

static double share_of(double change, double base)
{
	return change ? change / fabs(base) : 0;
}

struct stats_interval compare__shares(const struct stats_interval *change, double base)
{
	return (struct stats_interval){share_of(change->estimate, base),
				       share_of(change->low, base), share_of(change->high, base)};
}

void compare_row__set_total(struct compare_row *row)
{
	double change = row->new_value - row->base_value;

	row->change = (struct stats_interval){change, change, change};
	if (!row->exact)
		row->change.low = row->change.high = NAN;
	row->share = compare__shares(&row->change, row->base_value);
}

/*
 * Returns the interval *in with a new estimate: the difference of the medians. If the blocks vary a
 * lot, the estimate may be outside of the interval. Then widens the interval, which stays valid.
 */
static struct stats_interval with_estimate(const struct stats_interval *in, double estimate)
{
	struct stats_interval out = *in;

	out.estimate = estimate;
	if (estimate < out.low)
		out.low = estimate;
	if (estimate > out.high)
		out.high = estimate;
	return out;
}

/* stats__shift() always succeeds, because both reports have blocks. stats__ratio() may fail. */
void compare_row__set_blocks(struct compare_row *row, const double *base, const double *new)
{
	struct stats_interval ratio;
	struct mann_whitney test;
	double change;

	row->base_value = stats__median(base, row->base_blocks);
	row->new_value = stats__median(new, row->new_blocks);
	stats__shift(base, row->base_blocks, new, row->new_blocks, &row->shift);
	stats__mann_whitney(new, row->new_blocks, base, row->base_blocks, &test);
	row->p = row->adjusted_p = test.p;
	change = row->new_value - row->base_value;
	row->change = with_estimate(&row->shift, change);
	if (stats__ratio(base, row->base_blocks, new, row->new_blocks, &ratio)) {
		/*
		 * A ratio needs positive values, but net costs can be 0 or less. Show the change as
		 * a share of the base instead.
		 */
		row->share = compare__shares(&row->change, row->base_value);
		return;
	}
	ratio = (struct stats_interval){ratio.estimate - 1, ratio.low - 1, ratio.high - 1};
	row->share = with_estimate(&ratio, share_of(change, row->base_value));
}

enum doubt compare__doubt(const struct report_prog *p)
{
	if (p && p->random_code)
		return DOUBT_BLINDED;
	if (p && p->short_code)
		return DOUBT_SHORT_CODE;
	if (p && p->uncalibrated)
		return DOUBT_RAW;
	return p && p->slowed_runs ? DOUBT_SLOWED : DOUBT_NONE;
}

enum doubt compare__jited_doubt(const struct report_prog *p)
{
	if (p && p->blinded)
		return DOUBT_BLINDED;
	return p && p->short_code ? DOUBT_SHORT_CODE : DOUBT_NONE;
}

static void set_change(struct compare_row *row, const struct event_pair *ev)
{
	double *base = collect_blocks(ev->base, row->stat, &row->base_blocks);
	double *new = collect_blocks(ev->new, row->stat, &row->new_blocks);

	if (!row->other_unit && !isnan(row->base_value) && !isnan(row->new_value)) {
		if (row->exact || row->refused || row->doubt ||
		    row->base_blocks < COMPARE_MIN_BLOCKS || row->new_blocks < COMPARE_MIN_BLOCKS)
			compare_row__set_total(row);
		else
			compare_row__set_blocks(row, base, new);
	}
	free(base);
	free(new);
}

static double total_value(const struct report_event *ev, enum stat_id stat)
{
	return has_stat(ev, stat) ? ev->stat[stat] : NAN;
}

static enum doubt find_doubt(const struct compare *cmp, const struct event_pair *ev)
{
	/* only one report's values are net: those of the other include the cost of the probe */
	bool half_net = ev->base && ev->new && ev->prog->base->probed && ev->prog->new->probed &&
			!isnan(ev->base->bias) != !isnan(ev->new->bias);
	enum doubt doubt = compare__doubt(ev->prog->base) ?: compare__doubt(ev->prog->new);

	if (doubt)
		return doubt;
	if (half_net)
		return DOUBT_RAW;
	return cmp->base && compare_pair__rest_differs(ev->prog, cmp->base, cmp->new) ? DOUBT_REST
										      : DOUBT_NONE;
}

/* Returns true if the event is exact in each report that has it. Without an axis, both must have it. */
static bool is_exact(const struct event_pair *ev)
{
	if (ev->on_axis && (!ev->base || !ev->new))
		return (ev->base ?: ev->new)->exact;
	return ev->base && ev->new && ev->base->exact && ev->new->exact;
}

/* Returns true if the event is exact, and each report that has the event also has its minimum. */
static bool has_exact_min(const struct event_pair *ev)
{
	return is_exact(ev) && (!ev->base || has_stat(ev->base, STAT_MIN)) &&
	       (!ev->new || has_stat(ev->new, STAT_MIN));
}

static int count_blocks(const struct report_event *ev, enum stat_id stat)
{
	int cnt = 0;

	for (int i = 0; has_stat(ev, stat) && i < ev->block_cnt; i++)
		cnt += !isnan(ev->block[i].stat[stat]);
	return cnt;
}

/*
 * Returns true if comparing the event's minimum is enough: the event is exact, and its typical
 * value (median or mean) has too few blocks for a test.
 *
 * Usually the typical value of an exact event is compared, too, because a program with a cheap and
 * an expensive path may become slower while its minimum stays the same. This comparison needs a
 * test, because the typical value includes interrupts. With too few blocks its verdict could only
 * be "inconclusive".
 */
static bool is_min_enough(const struct event_pair *ev, enum stat_id typical)
{
	return has_exact_min(ev) &&
	       ((ev->base && count_blocks(ev->base, typical) < COMPARE_MIN_BLOCKS) ||
		(ev->new &&count_blocks(ev->new, typical) < COMPARE_MIN_BLOCKS));
}

/* Fills a row of the base that is listed as a point of the axis. It has a new value, but no base value. */
static void set_reference(struct compare_row *row, const struct event_pair *ev)
{
	double *v = collect_blocks(ev->new, row->stat, &row->new_blocks);

	row->reference = true;
	row->base = NULL;
	row->base_value = NAN;
	if (!row->exact && row->new_blocks >= COMPARE_MIN_BLOCKS)
		row->new_value = stats__median(v, row->new_blocks);
	free(v);
}

/*
 * Returns the width of a percentile's bucket as a share of the percentile, if the bucket is coarse;
 * else 0.
 */
static double find_rough_share(const struct report_event *ev, enum stat_id stat)
{
	double low = ev ? ev->low[stat] : NAN, high = ev ? ev->high[stat] : NAN;

	return low > 0 && (high - low) / low > hist__bucket_width(0) ? (high - low) / low : 0;
}

/* Returns true for events that do not depend on where the kernel puts the code. */
static bool counts_code(const struct report_event *ev)
{
	return text__is_same(ev->base, "instructions") || text__is_same(ev->base, "branches");
}

/*
 * Returns how much the statistic may differ between two sessions with the same program, if the report is of
 * one session that did not load the program again for each block (bprof bench); else 0. All blocks have the
 * same bias, and the same code at the same place. In QEMU with four CPUs and no exact counting, medians
 * differed by up to 10 % of the raw value, and all of the interval by up to 6 % (docs/guide-compare.md).
 */
static double find_session_error(const struct report *r, const struct report_event *ev,
				 enum stat_id stat)
{
	if (!r || !ev || r->sessions != 1 || r->driven || counts_code(ev))
		return 0;
	return COMPARE_SESSION_ERROR * (fabs(ev->stat[stat]) + (isnan(ev->bias) ? 0 : ev->bias));
}

static void add_row(struct compare *cmp, const struct event_pair *ev, enum stat_id stat,
		    __u64 limits)
{
	const struct report_event *any = ev->new ?: ev->base;
	struct compare_row *row = array__add(&cmp->c->row, &cmp->c->row_cnt, sizeof(*row));

	row->base = ev->prog->base;
	row->new = ev->prog->new;
	row->event = any->name;
	row->unit = text__or_empty(any->unit);
	row->stat = stat;
	row->limits = limits;
	row->list = cmp->limits;
	row->alone = !cmp->base;
	row->other_unit = ev->base && ev->new &&strcmp(text__or_empty(ev->base->unit), row->unit);
	row->rough = (ev->base && report_event__is_rough(ev->base, stat)) ||
		     (ev->new &&report_event__is_rough(ev->new, stat));
	row->rough_share = fmax(find_rough_share(ev->base, stat), find_rough_share(ev->new, stat));
	row->exact = is_exact(ev) && stat == STAT_MIN;
	row->doubt = find_doubt(cmp, ev);
	if (ev->returned) {
		row->returned = *ev->returned;
		row->refused = !cmp->o->allow_retval_change;
	}
	row->change = row->share = row->shift = unknown;
	row->p = row->adjusted_p = NAN;
	row->base_value = total_value(ev->base, stat);
	row->new_value = total_value(ev->new, stat);
	row->session_error = fmax(find_session_error(cmp->base, ev->base, stat),
				  find_session_error(cmp->new, ev->new, stat));
	row->point = cmp->part->point;
	if (is_reference(cmp)) {
		set_reference(row, ev);
		return;
	}
	set_change(row, ev);
}

/* ---- selection of rows ---- */

/*
 * Returns the statistic to which the limit applies, or STAT_CNT if the limit does not apply to the
 * event.
 */
static enum stat_id select_stat(const struct compare_limit *l, const struct event_pair *ev)
{
	const struct report_event *any = ev->new ?: ev->base;

	if (!(ev->prog->base && compare_limit__selects(l, ev->prog->base, any->name)) &&
	    !(ev->prog->new &&compare_limit__selects(l, ev->prog->new, any->name)))
		return STAT_CNT;
	/*
	 * A report without distributions has no minimum. Skip the limit then: a row with only one
	 * minimum would say that the program is new or gone.
	 */
	if (l->exact && !has_exact_min(ev))
		return STAT_CNT;
	return compare_limit__stat(l, ev->base, ev->new);
}

static int check_unit(struct compare *cmp, const struct compare_limit *l,
		      const struct report_event *ev)
{
	if (!l->unit || !ev || !strcmp(text__or_empty(ev->unit), l->unit))
		return 0;
	return compare__refuse(cmp->reason, -EINVAL, "--fail-on %s: %s is not counted in %s",
			       l->spec, ev->name, l->unit);
}

static int add_rows_of_event(struct compare *cmp, const struct event_pair *ev)
{
	/* limits[stat]: bit i is set if limit i applies to the statistic */
	__u64 limits[STAT_CNT] = {};
	bool named[STAT_CNT] = {};
	int err = 0;

	for (int i = 0; !err && i < cmp->limits->cnt; i++) {
		const struct compare_limit *l = &cmp->limits->v[i];
		enum stat_id stat = select_stat(l, ev);

		if (stat == STAT_CNT)
			continue;
		cmp->used[i] = true;
		if (l->typical && is_min_enough(ev, stat)) {
			cmp->c->untested += !is_reference(cmp);
			continue;
		}
		limits[stat] |= 1ULL << i;
		named[stat] |= compare_limit__names_event(l);
		err = check_unit(cmp, l, ev->base) ?: check_unit(cmp, l, ev->new);
	}
	for (int stat = 0; !err && stat < STAT_CNT; stat++) {
		if (!limits[stat])
			continue;
		/*
		 * If neither report has a value, leave out the row, unless a limit names the event.
		 */
		if (has_stat(ev->base, stat) || has_stat(ev->new, stat) || named[stat])
			add_row(cmp, ev, stat, limits[stat]);
		else
			cmp->c->unmeasured += !is_reference(cmp);
	}
	return err;
}

/*
 * Returns the event of p that corresponds to ev, an event of the program "other". Returns NULL if p
 * has no such event, or if p is NULL.
 */
static const struct report_event *find_like(const struct report_prog *p,
					    const struct report_prog *other,
					    const struct report_event *ev)
{
	return p ? report_row__find_like(&p->all, &other->all, ev) : NULL;
}

static int add_rows_of_pair(struct compare *cmp, const struct compare_pair *pair)
{
	struct compare_pair returned;
	bool other = pair->base &&
		     pair->new &&compare_pair__retval_differs(pair, cmp->base, cmp->new, &returned);
	struct event_pair ev = {
		.prog = pair, .returned = other ? &returned : NULL, .on_axis = cmp->part->axis};
	int err = 0;

	cmp->c->returned += other && cmp->o->allow_retval_change;
	for (int i = 0; !err && pair->base && i < pair->base->all.event_cnt; i++) {
		ev.base = &pair->base->all.event[i];
		ev.new = find_like(pair->new, pair->base, ev.base);
		err = add_rows_of_event(cmp, &ev);
	}
	ev.base = NULL;
	for (int i = 0; !err && pair->new &&i < pair->new->all.event_cnt; i++) {
		ev.new = &pair->new->all.event[i];
		if (!find_like(pair->base, pair->new, ev.new))
			err = add_rows_of_event(cmp, &ev);
	}
	return err;
}

/* ---- checks ---- */

/*
 * Checks a part without an axis: each limit must apply to an event, and at least one row must have a value.
 */
static int check_rows(const struct compare *cmp)
{
	const struct comparison *c = cmp->c;
	bool means_only = false;

	for (int i = 0; i < cmp->limits->cnt; i++)
		if (!cmp->used[i] && !cmp->limits->v[i].exact && !cmp->limits->v[i].typical)
			return compare__refuse_limit(cmp->part, 1, &cmp->limits->v[i], cmp->reason);
	for (int i = cmp->first; i < c->row_cnt; i++) {
		const struct compare_row *r = &c->row[i];

		if (!isnan(r->base_value) && !isnan(r->new_value))
			return 0;
		/* only a probe measures percentiles, minimum and maximum */
		means_only |= r->stat != STAT_MEAN &&
			      ((r->base && text__is_same(r->base->method, "run_stats")) ||
			       (r->new &&text__is_same(r->new->method, "run_stats")));
	}
	return compare__refuse(cmp->reason, -ENODATA, "no statistic has a value in both reports%s",
			       means_only ? ": the method run_stats gives a mean only" : "");
}

/* ---- the comparison ---- */

void comparison__free(struct comparison *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->difference_cnt; i++) {
		free(c->difference[i].what);
		free(c->difference[i].base);
		free(c->difference[i].new);
	}
	free(c->difference);
	for (int i = 0; i < c->gap_cnt; i++) {
		free(c->gap[i].name);
		free(c->gap[i].why);
	}
	free(c->gap);
	for (int i = 0; i < c->place_cnt; i++) {
		free(c->place[i].label);
		free(c->place[i].kernel);
	}
	free(c->place);
	free(c->axis);
	free(c->size);
	compare_limits__free(&c->default_limits);
	compare_limits__free(&c->size_limits);
	report__free(c->source);
	free(c->row);
	free(c);
}

static int compare_programs(struct compare *cmp, const struct compare_pairs *pairs)
{
	const struct compare_part *part = cmp->part;
	int err = 0, first_size = cmp->c->size_cnt;

	if (cmp->base)
		err = compare_pairs__check(pairs, cmp->base, cmp->new, part->axis, cmp->reason);
	for (int i = 0; !err && i < pairs->cnt; i++)
		err = add_rows_of_pair(cmp, &pairs->v[i]);
	if (err || is_reference(cmp))
		return err;
	cmp->c->ambiguous += pairs->ambiguous;
	comparison__find_sizes(cmp->c, pairs, part->point);
	for (int i = first_size; !err && cmp->base && i < cmp->c->size_cnt; i++)
		err = comparison__add_size_rows(cmp->c, &cmp->c->size[i], cmp->limits, cmp->used,
						cmp->reason);
	/* Set the skips that explain why a report lacks a program. */
	for (int i = cmp->first; cmp->base && i < cmp->c->row_cnt; i++) {
		struct compare_row *row = &cmp->c->row[i];

		if (!row->base || !row->new)
			row->absent = row->base ? report__find_absent(cmp->new, row->base)
						: report__find_absent(cmp->base, row->new);
	}
	if (!err && cmp->base && !part->axis)
		err = check_rows(cmp);
	/* Without programs, a report has no properties of programs to compare. */
	if (!err && cmp->base && cmp->base->prog_cnt && cmp->new->prog_cnt)
		comparison__find_differences(cmp->c, part, pairs);
	return err;
}

static int compare_part(struct comparison *c, const struct compare_part *part,
			struct reason *reason)
{
	static const struct report nothing;
	const struct compare_limits *limits = part->opts.limits;
	struct compare cmp = {
		.c = c,
		.first = c->row_cnt,
		.base = part->base,
		.new = part->new,
		.o = &part->opts,
		.reason = reason,
		.part = part,
	};
	struct compare_pairs pairs = {};
	int err;

	if (limits && limits->cnt)
		cmp.limits = limits;
	else if ((part->base && report__has_events(part->base)) || report__has_events(part->new))
		cmp.limits = &c->default_limits;
	else
		cmp.limits = &c->size_limits;
	cmp.used = xcalloc(cmp.limits->cnt, sizeof(*cmp.used));
	compare_pairs__find(&pairs, part->base ?: &nothing, part->new, part->opts.matches);
	err = compare_programs(&cmp, &pairs);
	free(pairs.v);
	free(cmp.used);
	return err;
}

int compare__parts(const struct compare_part *parts, int cnt, struct comparison **out,
		   struct reason *reason)
{
	struct comparison *c = xcalloc(1, sizeof(*c));
	int err = 0;

	*out = NULL;
	compare_limits__add_default(&c->default_limits);
	compare_limits__add_default(&c->size_limits);
	compare_limits__add_default_size(&c->size_limits);
	comparison__set_axis(c, parts, cnt);
	for (int i = 0; !err && i < cnt; i++) {
		if (parts[i].why) {
			struct compare_gap *gap = array__add(&c->gap, &c->gap_cnt, sizeof(*gap));

			gap->name = xstrdup(parts[i].name);
			gap->why = xstrdup(parts[i].why);
		} else {
			err = compare_part(c, &parts[i], reason);
		}
	}
	if (!err && c->axis)
		err = comparison__check_axis(c, parts, cnt, reason);
	if (!err)
		comparison__judge(c);
	if (err)
		comparison__free(c);
	else
		*out = c;
	return err;
}

int compare__reports(const struct report *base, const struct report *new,
		     const struct compare_opts *o, struct comparison **out, struct reason *reason)
{
	const struct compare_part part = {.base = base, .new = new, .opts = *o};

	return compare__parts(&part, 1, out, reason);
}

const char *compare__label(const struct report_prog *base, const struct report_prog *new, char *buf)
{
	char old_label[LABEL_SZ], label[LABEL_SZ];

	report_prog__label(base ?: new, old_label);
	report_prog__label(new ?: base, label);
	if (strcmp(old_label, label))
		snprintf(buf, COMPARE_LABEL_SZ, "%s -> %s", old_label, label);
	else
		snprintf(buf, COMPARE_LABEL_SZ, "%s", label);
	return buf;
}

const char *compare_row__label(const struct compare_row *row, char *buf)
{
	const struct report_prog *p = row->new ?: row->base;
	char retval[RETURNS_SZ];
	size_t len;

	compare__label(row->base, row->new, buf);
	len = strlen(buf);
	if (p->by_retval)
		snprintf(buf + len, COMPARE_LABEL_SZ - len, " (%s)",
			 report_prog__returns(p, retval));
	return buf;
}

const char *compare_row__input(const struct compare_row *row)
{
	return text__or_empty((row->new ?: row->base)->input);
}

const char *compare_row__verdict(const struct compare_row *row)
{
	return row->reference ? "base" : verdict_specs[row->verdict].name;
}
