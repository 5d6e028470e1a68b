// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds up reports. Owns two decisions: which program a row of a report counts for, and when the
 * series of a program end. Must not know how the series are written or who reads them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "export/series.h"
#include "report/report.h"

struct series *series__new(const struct series_opts *opts)
{
	struct series *s = calloc(1, sizeof(*s));

	if (s)
		s->opts = *opts;
	return s;
}

static void free_event(struct series_event *e)
{
	free(e->name);
	free(e->bucket);
}

static void free_prog(struct series_prog *p)
{
	for (int i = 0; i < p->event_cnt; i++)
		free_event(&p->event[i]);
	free(p->event);
	free(p->name);
	free(p->func);
	free(p->version);
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
		free_prog(&s->prog[i]);
	free_prog(&s->other);
	free_instances(s->instance, s->instance_cnt);
	free(s->prog);
	series_opts__free(&s->opts);
	free(s);
}

/* ---- finding the series of a row ---- */

static bool is_series_of(const struct series_prog *p, const struct report_prog *row)
{
	return !strcmp(p->tag, row->tag) && !strcmp(p->func, row->func ?: "") &&
	       !strcmp(p->name, row->name ?: "") && !strcmp(p->version, row->version_name ?: "");
}

static int init_prog(struct series_prog *p, const struct report_prog *row,
		     const struct timespec *from)
{
	p->name = strdup(row->name ?: "");
	p->func = strdup(row->func ?: "");
	p->version = strdup(row->version_name ?: "");
	memcpy(p->tag, row->tag, sizeof(p->tag));
	p->created = *from;
	return p->name && p->func && p->version ? 0 : -ENOMEM;
}

static int init_other(struct series *s, const struct timespec *from)
{
	static const struct report_prog other = {.name = "other"};

	if (s->has_other)
		return 0;
	s->has_other = true;
	return init_prog(&s->other, &other, from);
}

/*
 * Sets *index to the index of the series that a row counts for, and makes new ones if necessary. -1
 * means "other".
 */
static int find_prog(struct series *s, const struct report_prog *row, const struct timespec *from,
		     int *index)
{
	int err;

	for (*index = 0; *index < s->prog_cnt; (*index)++)
		if (is_series_of(&s->prog[*index], row))
			return 0;
	if (s->prog_cnt >= s->opts.max_progs) {
		*index = -1;
		return init_other(s, from);
	}
	if (!array__add(&s->prog, &s->prog_cnt, sizeof(*s->prog)))
		return -ENOMEM;
	err = init_prog(&s->prog[*index], row, from);
	if (err)
		free_prog(&s->prog[--s->prog_cnt]);
	return err;
}

static struct series_event *find_event(struct series *s, struct series_prog *p,
				       const struct report_event *re)
{
	bool time = !strcmp(re->base, "time");
	struct series_event *e;

	for (int i = 0; i < p->event_cnt; i++)
		if (p->event[i].time == time && !strcmp(p->event[i].name, re->name))
			return &p->event[i];
	e = array__add(&p->event, &p->event_cnt, sizeof(*p->event));
	if (!e)
		return NULL;
	e->time = time;
	e->name = strdup(re->name);
	e->bounds = time ? &s->opts.time : &s->opts.events;
	e->bucket = calloc(e->bounds->cnt + 1, sizeof(*e->bucket));
	if (e->name && e->bucket)
		return e;
	free_event(e);
	p->event_cnt--;
	return NULL;
}

/* ---- adding counts ---- */

static void add_monotonic(struct monotonic *m, double v)
{
	m->exact += v;
	if (m->exact > m->shown)
		m->shown = m->exact;
}

/*
 * Adds the buckets of a distribution. A bucket belongs to the first bound that none of its values
 * exceeds. Runs without a bucket (a report that was made without them) are above all bounds.
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

static void add_event(struct series_event *e, const struct report_prog *row,
		      const struct report_event *re)
{
	e->unmeasured += row->all.runs - re->measured;
	if (re->measured) {
		add_monotonic(&e->total, re->total + re->total / re->measured * e->unmeasured);
		e->unmeasured = 0;
	}
	e->has_buckets |= row->probed;
	if (row->probed)
		add_buckets(e, re);
}

/*
 * Returns true if the row has an earlier event with the same name. A name may occur twice: the user
 * can set it (name=), and an event may be both in a group and outside of it.
 */
static bool is_duplicate(const struct report_row *row, int i)
{
	return report_row__find_event(row, row->event[i].name, 0) != &row->event[i];
}

/* Adds the row's counts. missed: the runs since the last report that the probe did not see. */
static int add_counts(struct series *s, struct series_prog *p, const struct report_prog *row,
		      __u64 missed)
{
	p->runs += row->all.runs + missed;
	p->probed |= row->probed;
	for (int i = 0; i < LOST_CNT; i++)
		p->lost[i] += row->all.lost[i];
	for (int i = 0; i < row->all.event_cnt; i++) {
		const struct report_event *re = &row->all.event[i];
		struct series_event *e;

		if (re->status != EVENT_OK || isnan(re->total) || is_duplicate(&row->all, i))
			continue;
		e = find_event(s, p, re);
		if (!e)
			return -ENOMEM;
		e->unmeasured += missed;
		add_event(e, row, re);
	}
	return 0;
}

/* The programs of the report before. */
struct before {
	struct series_instance *instance;
	int cnt;
};

/*
 * Returns how many runs the probe has missed since the report before. The row has their number since
 * the session began; it is smaller if another session has begun.
 */
static __u64 missed_since(const struct before *before, const struct report_prog *row)
{
	__u64 missed = row->version.missed > 0 ? row->version.missed : 0;

	for (int i = 0; i < before->cnt; i++) {
		const struct series_instance *in = &before->instance[i];

		if (in->id == row->id && in->subprog == row->subprog)
			return missed >= in->missed ? missed - in->missed : missed;
	}
	return missed;
}

static int add_instance(struct series *s, int prog, const struct report_prog *row)
{
	struct series_instance *in =
		array__add(&s->instance, &s->instance_cnt, sizeof(*s->instance));

	if (!in)
		return -ENOMEM;
	*in = (struct series_instance){.prog = prog,
				       .id = row->id,
				       .ended = !isnan(row->version.ended_ns),
				       .subprog = row->subprog,
				       .missed = row->version.missed > 0 ? row->version.missed : 0,
				       .type = strdup(row->type ?: ""),
				       .method = row->method};
	s->other_cnt += prog < 0 && !in->ended;
	return in->type ? 0 : -ENOMEM;
}

static int add_row(struct series *s, const struct report_prog *row, const struct before *before,
		   const struct timespec *from, __u64 now_ns)
{
	int index, err = find_prog(s, row, from, &index);
	struct series_prog *p = index < 0 ? &s->other : &s->prog[index];

	if (err)
		return err;
	p->seen_ns = now_ns;
	return add_counts(s, p, row, missed_since(before, row)) ?: add_instance(s, index, row);
}

/* ---- the end of series, and the limit ---- */

static void move_instances(struct series *s, int from, int to)
{
	for (int i = 0; i < s->instance_cnt; i++)
		if (s->instance[i].prog == from)
			s->instance[i].prog = to;
}

/* Keeps the order of the programs: parsers are faster if it does not change. */
static void drop_gone(struct series *s, __u64 now_ns)
{
	int kept = 0;

	for (int i = 0; i < s->prog_cnt; i++) {
		if (now_ns - s->prog[i].seen_ns > s->opts.grace_ns) {
			free_prog(&s->prog[i]);
			continue;
		}
		move_instances(s, i, kept);
		s->prog[kept++] = s->prog[i];
	}
	s->prog_cnt = kept;
}

/* Warns once each time that the limit is reached. */
static void report_limit(struct series *s)
{
	if (s->other_cnt && !s->limit_reported)
		log_warn("more than %d programs (--max-programs): %d of them are counted together, "
			 "as program \"other\"",
			 s->opts.max_progs, s->other_cnt);
	s->limit_reported = s->other_cnt;
}

int series__add(struct series *s, const struct report *r, const struct timespec *from, __u64 now_ns)
{
	const struct before before = {s->instance, s->instance_cnt};
	int err = 0;

	s->instance = NULL;
	s->instance_cnt = s->other_cnt = 0;
	for (int i = 0; !err && i < r->prog_cnt; i++)
		err = add_row(s, &r->prog[i], &before, from, now_ns);
	free_instances(before.instance, before.cnt);
	drop_gone(s, now_ns);
	report_limit(s);
	return err;
}
