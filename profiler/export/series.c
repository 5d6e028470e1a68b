// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds up reports. Owns two decisions: to which program's series a row of a report is added, and
 * when the series of a program end. Must not know how the series are written or who reads them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "export/series.h"
#include "report/report.h"

struct series *series__new(const struct series_opts *opts)
{
	struct series *s = xcalloc(1, sizeof(*s));

	s->opts = *opts;
	return s;
}

static void drop_events(struct series_part *part)
{
	for (int i = 0; i < part->event_cnt; i++) {
		free(part->event[i].name);
		free(part->event[i].bucket);
	}
	part->event_cnt = 0;
}

static void free_part(struct series_part *part)
{
	drop_events(part);
	free(part->event);
	free(part->returns);
}

static void free_series_prog(struct series_prog *p)
{
	for (int i = 0; i < p->part_cnt; i++)
		free_part(&p->part[i]);
	free(p->part);
	free(p->name);
	free(p->func);
	free(p->version);
	free(p->type);
	free(p->owner);
	free(p->device);
}

static void free_instances(struct series_instance *in, int cnt)
{
	for (int i = 0; i < cnt; i++)
		free(in[i].type);
	free(in);
}

void series__free(struct series *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->prog_cnt; i++)
		free_series_prog(&s->prog[i]);
	free_series_prog(&s->other);
	free_instances(s->instance, s->instance_cnt);
	free(s->prog);
	series_opts__free(&s->opts);
	free(s);
}

/* ---- finding the series of a row ---- */

/* The labels of a row's series. */
struct series_labels {
	const char *name, *tag, *func, *version, *type, *owner, *device;
};

static struct series_labels labels_of(const struct series_opts *o, const struct report_prog *row)
{
	struct series_labels l = {.name = text__or_empty(row->name),
				  .tag = row->tag,
				  .func = text__or_empty(row->func),
				  .version = text__or_empty(row->version_name),
				  .type = "",
				  .owner = o->with_owner ? text__or_empty(row->owner) : "",
				  .device = o->with_device ? text__or_empty(row->device) : ""};

	if (!o->sum)
		return l;
	l = (struct series_labels){"", "", row->subprog ? l.func : "", "", "", "", ""};
	*(o->sum == SUM_NAME	? &l.name
	  : o->sum == SUM_TAG	? &l.tag
	  : o->sum == SUM_TYPE	? &l.type
	  : o->sum == SUM_OWNER ? &l.owner
				: &l.device) = report_prog__sum_value(row, o->sum);
	return l;
}

static bool is_series_of(const struct series_prog *p, const struct series_labels *l)
{
	return !strcmp(p->tag, l->tag) && !strcmp(p->func, l->func) && !strcmp(p->name, l->name) &&
	       !strcmp(p->version, l->version) && !strcmp(p->type, l->type) &&
	       !strcmp(p->owner, l->owner) && !strcmp(p->device, l->device);
}

static void init_prog(struct series_prog *p, const struct series_labels *l)
{
	p->name = xstrdup(l->name);
	p->func = xstrdup(l->func);
	p->version = xstrdup(l->version);
	p->type = xstrdup(l->type);
	p->owner = xstrdup(l->owner);
	p->device = xstrdup(l->device);
	snprintf(p->tag, sizeof(p->tag), "%s", l->tag);
}

/*
 * Returns the index of the program to whose series a row is added. Makes new series if necessary.
 * -1 means "other".
 */
static int find_series_prog(struct series *s, const struct report_prog *row)
{
	static const struct series_labels other = {"other", "", "", "", "", "", ""};
	const struct series_labels labels = labels_of(&s->opts, row);

	for (int i = 0; i < s->prog_cnt; i++)
		if (is_series_of(&s->prog[i], &labels))
			return i;
	if (s->prog_cnt >= s->opts.max_progs) {
		if (!s->has_other)
			init_prog(&s->other, &other);
		s->has_other = true;
		return -1;
	}
	init_prog(array__add(&s->prog, &s->prog_cnt, sizeof(*s->prog)), &labels);
	return s->prog_cnt - 1;
}

/*
 * Returns the part of p for the runs that returned this value, or had this key, and makes the part if
 * there is none. The values of the reports may change: when the program is loaded again, or when a
 * key gives its part to another (session__replace_keys()). If p has the maximum number of values, the series
 * of a key that is in no report any more ends. If there is none, the runs belong to the part
 * SERIES_OTHER_VALUES.
 */
static struct series_part *find_part_of_values(const struct series *s, struct series_prog *p,
					       const char *returns)
{
	struct series_part *part, *gone = NULL;
	int values = 0;

	for (int i = 0; i < p->part_cnt; i++) {
		part = &p->part[i];
		if (!strcmp(part->returns, returns)) {
			part->report = s->reports;
			return part;
		}
		if (!strcmp(part->returns, SERIES_OTHER_VALUES))
			continue;
		values++;
		if (s->has_keys && part->report + 1 < s->reports &&
		    (!gone || part->report < gone->report))
			gone = part;
	}
	if (values >= (s->has_keys ? SERIES_MAX_KEYS : SERIES_MAX_VALUES) &&
	    strcmp(returns, SERIES_OTHER_VALUES)) {
		if (!gone)
			return find_part_of_values(s, p, SERIES_OTHER_VALUES);
		free_part(gone);
		part = gone;
	} else {
		part = array__add(&p->part, &p->part_cnt, sizeof(*part));
	}
	*part = (struct series_part){
		.returns = xstrdup(returns), .report = s->reports, .created = s->from};
	return part;
}

static struct series_event *find_series_event(struct series *s, struct series_part *p,
					      const struct report_event *re)
{
	bool time = !strcmp(re->base, "time");
	struct series_event *e;

	for (int i = 0; i < p->event_cnt; i++)
		if (p->event[i].time == time && !strcmp(p->event[i].name, re->name))
			return &p->event[i];
	e = array__add(&p->event, &p->event_cnt, sizeof(*p->event));
	e->time = time;
	e->created = s->from;
	e->name = xstrdup(re->name);
	e->bounds = time ? &s->opts.time : &s->opts.events;
	e->bucket = xcalloc(e->bounds->cnt + 1, sizeof(*e->bucket));
	return e;
}

/* ---- adding counts ---- */

static void add_monotonic(struct monotonic *m, double v)
{
	m->exact += v;
	if (m->exact > m->shown)
		m->shown = m->exact;
}

/*
 * Adds the buckets of a distribution. A bucket belongs to the first bound that none of the bucket's
 * values exceeds. Runs that are in no bucket are added above all bounds.
 */
static void add_buckets(struct series_event *e, const struct report_event *re)
{
	__u64 left = re->measured;
	int bound = 0;

	for (int i = 0; i < re->bucket_cnt; i++) {
		const struct report_bucket *b = &re->bucket[i];
		__u64 count = b->count < left ? b->count : left;

		while (bound < e->bounds->cnt && b->high > e->bounds->v[bound])
			bound++;
		e->bucket[bound] += count;
		left -= count;
	}
	e->bucket[e->bounds->cnt] += left;
	e->measured += re->measured;
	add_monotonic(&e->sum, re->total);
}

/*
 * Returns the mean of an event of a row. With --by retval, it is the mean over all rows of the
 * function, because the return values of runs that were not measured are not known. NaN: no run was
 * measured.
 */
static double mean_of(const struct report *r, int row, const char *name)
{
	double total = 0, measured = 0;

	while (!report__is_first_row(r, row))
		row--;
	do {
		const struct report_event *re = report_row__find_event(&r->prog[row].all, name, 0);

		if (re && re->status == EVENT_OK && re->measured && !isnan(re->total)) {
			total += re->total;
			measured += re->measured;
		}
	} while (++row < r->prog_cnt && !report__is_first_row(r, row));
	return measured ? total / measured : NAN;
}

/*
 * Returns the mean of an event over all runs of a program that were measured so far; NaN: no run
 * was measured.
 */
static double mean_so_far(const struct series_prog *p, const struct series_event *like)
{
	double sum = 0, measured = 0;

	for (int i = 0; i < p->part_cnt; i++)
		for (int k = 0; k < p->part[i].event_cnt; k++) {
			const struct series_event *e = &p->part[i].event[k];

			if (e->time == like->time && !strcmp(e->name, like->name)) {
				sum += e->sum.exact;
				measured += e->measured;
			}
		}
	return measured ? sum / measured : NAN;
}

/*
 * Adds runs that were not measured. The total includes these runs as soon as a mean is known (not NaN).
 * stddev: the standard error of the mean; NaN: the error is not known, and may be as large as the mean. same:
 * no run was measured since the last call.
 */
static void add_unmeasured(struct series_event *e, __u64 runs, double mean, double stddev,
			   bool same)
{
	double error;

	if (!same)
		e->same_error = 0;
	e->unmeasured += runs;
	if (isnan(mean))
		return;
	error = (isnan(stddev) ? mean : stddev) * e->unmeasured;
	add_monotonic(&e->total, mean * e->unmeasured);
	e->variance += error * error + 2 * error * e->same_error;
	e->same_error += error;
	e->unmeasured = 0;
}

/*
 * Returns how much longer the runs of the row took, by the kernel, than the program's runs that were measured
 * so far, or 1 if this is not known.
 */
static double find_time_ratio(const struct series_prog *p, const struct report *r,
			      const struct report_row *row)
{
	const struct series_event time = {.name = (char *)"time", .time = true};
	double ratio = row->cpu_share * r->elapsed_ns / row->runs / mean_so_far(p, &time);

	return row->share_estimated || !(ratio > 0) || isinf(ratio) ? 1 : ratio;
}

/*
 * Adds the runs of a program whose probe takes turns (--max-overhead). The kernel knows the time of
 * all runs. For other events, only the runs in slices were measured. They are a sample: STAT_MEAN
 * of re is an estimate for all runs, in which not all measured runs have the same weight. If no slice had
 * runs, those before it may have been others (the first burst), so their mean counts for the time they took.
 */
static void add_turns(struct series_event *e, const struct series_prog *p, const struct report *r,
		      const struct report_row *row, const struct report_event *re)
{
	if (e->time && !isnan(row->cpu_share) && !row->share_estimated)
		add_monotonic(&e->total, row->cpu_share * r->elapsed_ns);
	else if (report_event__has_value(re))
		add_unmeasured(e, row->runs, re->stat[STAT_MEAN], re->mean_stddev, false);
	else if (re->measured)
		add_unmeasured(e, row->runs, re->total / re->measured, NAN, false);
	else
		add_unmeasured(e, row->runs, mean_so_far(p, e) * find_time_ratio(p, r, row), NAN,
			       true);
}

/*
 * Returns true if the row has a count of its event i. After a failed calibration, the row has raw
 * counts, which must not be added to net counts. Of several events with the same name, the first
 * one counts: the user can set names (name=), and an event may be both in a group and outside of
 * the group.
 */
static bool is_counted(const struct report_prog *p, int i)
{
	const struct report_event *re = &p->all.event[i];

	return !p->uncalibrated && re->status == EVENT_OK && !isnan(re->total) &&
	       report_row__find_event(&p->all, re->name, 0) == re;
}

static void add_row_events(struct series *s, const struct series_prog *sp, struct series_part *part,
			   const struct report *r, int row)
{
	const struct report_prog *p = &r->prog[row];
	double mean;

	*(p->uncalibrated ? &part->raw : &part->net) = true;
	for (int i = 0; i < p->all.event_cnt; i++) {
		const struct report_event *re = &p->all.event[i];
		struct series_event *e;

		if (!is_counted(p, i))
			continue;
		e = find_series_event(s, part, re);
		if (p->all.unprobed && !p->by_retval) {
			add_turns(e, sp, r, &p->all, re);
		} else {
			if (re->measured)
				add_monotonic(&e->total, re->total);
			mean = mean_of(r, row, re->name);
			add_unmeasured(e, p->all.runs - re->measured,
				       isnan(mean) ? mean_so_far(sp, e) : mean, 0, true);
		}
		e->has_buckets |= p->probed;
		if (p->probed)
			add_buckets(e, re);
	}
}

/*
 * Adds the counts of a row to its part of a program, or to the only part of "other". With --by
 * retval, a row without a value is added to the part of other values, like unmeasured runs. The value
 * is not known before the first measured run. It is never known if the function has no probe or
 * returns no integer.
 */
static void add_counts(struct series *s, struct series_prog *p, const struct report *r, int row)
{
	const struct report_prog *rp = &r->prog[row];
	bool divided = r->by_retval && p != &s->other;
	char returns[RETURNS_SZ];
	struct series_part *part;

	/* The part of other values exists from the start, because it gets the lost runs. */
	part = divided ? find_part_of_values(s, p, SERIES_OTHER_VALUES)
		       : find_part_of_values(s, p, "");
	part->probed |= rp->probed;
	if (divided && rp->by_retval && !rp->unmeasured)
		part = find_part_of_values(s, p, report_prog__returns(rp, returns));
	part->runs += rp->all.runs;
	part->probed |= rp->probed;
	part->blind |= rp->all.at_least;
	for (int i = 0; i < LOST_CNT; i++)
		part->lost[i] += rp->all.lost[i];
	add_row_events(s, p, part, r, row);
}

/* Adds a program's runs that the probe did not see. The values of these runs are not known. */
static void add_missed(struct series *s, struct series_prog *p, const struct report *r, int row,
		       __u64 runs)
{
	const struct report_row *all = &r->prog[row].all;
	bool divided = r->by_retval && p != &s->other;
	struct series_part *part;

	if (!runs)
		return;
	part = find_part_of_values(s, p, divided ? SERIES_OTHER_VALUES : "");
	part->runs += runs;
	for (int i = 0; i < all->event_cnt; i++) {
		struct series_event *e;

		if (!is_counted(&r->prog[row], i))
			continue;
		e = find_series_event(s, part, &all->event[i]);
		add_unmeasured(e, runs, mean_of(r, row, all->event[i].name), 0, true);
	}
}

/* The programs of the previous report. */
struct before {
	struct series_instance *instance;
	int cnt;
};

/* Returns how many runs the probe had missed up to the previous report. */
static __u64 missed_before(const struct before *before, const struct report_prog *row)
{
	for (int i = 0; i < before->cnt; i++) {
		const struct series_instance *in = &before->instance[i];

		if (in->id == row->id && in->subprog == row->subprog)
			return in->missed;
	}
	return 0;
}

static void add_report_row(struct series *s, const struct report *r, int row,
			   const struct before *before, __u64 now_ns)
{
	const struct report_prog *rp = &r->prog[row];
	int index = find_series_prog(s, rp);
	struct series_prog *p = index < 0 ? &s->other : &s->prog[index];
	struct series_instance *in;
	__u64 old_missed, missed;

	p->seen_ns = now_ns;
	add_counts(s, p, r, row);
	/*
	 * With --by retval, each row of a function has the same number of missed runs: add it once.
	 */
	if (!report__is_first_row(r, row))
		return;
	/*
	 * missed is the number of missed runs since the program was loaded. The report's number may
	 * fall when the probe is detached, but a counter must not fall.
	 */
	old_missed = missed_before(before, rp);
	missed = rp->version.missed > old_missed ? rp->version.missed : old_missed;
	add_missed(s, p, r, row, missed - old_missed);
	in = array__add(&s->instance, &s->instance_cnt, sizeof(*s->instance));
	*in = (struct series_instance){.prog = index,
				       .id = rp->id,
				       .ended = !isnan(rp->version.ended_ns),
				       .subprog = rp->subprog,
				       .missed = missed,
				       .type = xstrdup(rp->type ?: ""),
				       .method = rp->method};
	s->other_cnt += index < 0 && !in->ended;
}

/* ---- the end of series, and the limit ---- */

/*
 * Removes the events of parts that now have only uncalibrated rows. Otherwise, their counters would
 * stay the same while the count of runs grows, as if these runs cost nothing.
 */
static void drop_raw(struct series_prog *p)
{
	for (int i = 0; i < p->part_cnt; i++) {
		struct series_part *part = &p->part[i];

		if (part->raw && !part->net)
			drop_events(part);
		part->raw = part->net = false;
	}
}

static void move_instances(struct series *s, int from, int to)
{
	for (int i = 0; i < s->instance_cnt; i++)
		if (s->instance[i].prog == from)
			s->instance[i].prog = to;
}

/* Keeps the order of the programs, because parsers are faster if the order does not change. */
static void drop_gone(struct series *s, __u64 now_ns)
{
	int kept = 0;

	for (int i = 0; i < s->prog_cnt; i++) {
		if (now_ns - s->prog[i].seen_ns > s->opts.grace_ns) {
			free_series_prog(&s->prog[i]);
			continue;
		}
		move_instances(s, i, kept);
		s->prog[kept++] = s->prog[i];
	}
	s->prog_cnt = kept;
}

void series__add(struct series *s, const struct report *r, const struct timespec *from,
		 __u64 now_ns)
{
	const struct before before = {s->instance, s->instance_cnt};

	s->label = report__key(r)->label;
	s->reports++;
	s->from = *from;
	s->has_keys = r->by;
	s->instance = NULL;
	s->instance_cnt = s->other_cnt = s->uncalibrated_cnt = 0;
	for (int i = 0; i < r->prog_cnt; i++) {
		s->uncalibrated_cnt += r->prog[i].uncalibrated && !r->prog[i].subprog &&
				       report__is_first_row(r, i);
		add_report_row(s, r, i, &before, now_ns);
	}
	free_instances(before.instance, before.cnt);
	for (int i = 0; i < s->prog_cnt; i++)
		drop_raw(&s->prog[i]);
	drop_raw(&s->other);
	drop_gone(s, now_ns);
	/* Warn once each time that the limit is reached. */
	if (s->other_cnt && !s->limit_reported)
		log_warn("more than %d programs (--max-programs): %d of them are counted together, "
			 "as program \"other\"",
			 s->opts.max_progs, s->other_cnt);
	s->limit_reported = s->other_cnt;
	s->short_lived = 0; /* the report has all short-lived programs since the start */
	for (int i = 0; i < r->skip_cnt; i++)
		if (!strcmp(r->skip[i].reason, SERIES_SHORT_LIVED))
			s->short_lived += 1 + r->skip[i].more;
}
