// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Divides a history into series. Owns the rules that decide which numbers of two reports belong
 * together. Must not know how changes are found or judged.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"
#include "history/history_series.h"

/* An environment, and the programs that were measured in it: each as in the newest report that has it. */
struct place {
	struct history_env *env;
	struct report known; /* only its programs are used; they belong to the reports */
};

struct maker {
	struct history_all *all;
	const struct history_opts *o;
	struct place *place;
	int place_cnt;
};

/* ---- environments ---- */

/* Returns all properties of the entry's environment as a text that the caller frees. */
static char *describe_env(const struct history_entry *e)
{
	/* describe what the user wanted: net numbers, even if calibration failed */
	struct report wanted = *e->report;
	char *text = NULL, *value;
	const char *what;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	wanted.calibrated |= report__uncalibrated(e->report);
	for (int i = 0; compare__property(&wanted, i, &what, &value); i++) {
		fprintf(out, "%s%s %s", i ? ", " : "", what, value);
		free(value);
	}
	if (e->machine && *e->machine)
		fprintf(out, ", machine %s", e->machine);
	fclose(out);
	return text;
}

/* Returns the place of an entry. */
static struct place *find_place(struct maker *m, const struct history_entry *e)
{
	struct history_env *env;
	char *text = describe_env(e);
	struct place *place;

	for (int i = 0; i < m->place_cnt; i++) {
		if (strcmp(m->place[i].env->text, text))
			continue;
		free(text);
		return &m->place[i];
	}
	env = xcalloc(1, sizeof(*env));
	env->text = text;
	env->label = text__format("%s %s%s%s", e->report->host.kernel ?: "unknown",
				  e->report->host.arch ?: "", e->machine ? " " : "",
				  e->machine ?: "");
	env->last = env->before = -1;
	*(struct history_env **)array__add(&m->all->env, &m->all->env_cnt, sizeof(env)) = env;
	place = array__add(&m->place, &m->place_cnt, sizeof(*place));
	place->env = env;
	return place;
}

/* ---- points ---- */

static double value_of_stat(const struct report_event *ev, enum stat_id stat)
{
	return stat == COMPARE_SIZE ? ev->total : ev->stat[stat];
}

static bool has_finite_stat(const struct report_event *ev, enum stat_id stat)
{
	return report_event__has_value(ev) && isfinite(value_of_stat(ev, stat));
}

static int count_finite_blocks(const struct report_event *ev, enum stat_id stat)
{
	int cnt = 0;

	for (int i = 0; i < ev->block_cnt; i++)
		cnt += isfinite(ev->block[i].stat[stat]);
	return cnt;
}

static void set_value(const struct history_series *s, struct history_point *p)
{
	const struct report_event *ev = p->ev;
	int cnt = 0, all = s->exact ? 0 : count_finite_blocks(ev, s->stat);
	double *v;

	p->value = value_of_stat(ev, s->stat);
	p->low = p->high = NAN;
	if (!all)
		return;
	v = xcalloc(all, sizeof(*v));
	for (int i = 0; i < ev->block_cnt; i++) {
		double value = ev->block[i].stat[s->stat];

		if (!isfinite(value))
			continue;
		v[cnt++] = value;
		p->low = fmin(p->low, value);
		p->high = fmax(p->high, value);
	}
	p->value = stats__median(v, cnt);
	free(v);
}

static void add_point(struct maker *m, struct history_series *s, struct history_point p)
{
	bool again = s->cnt && s->v[s->cnt - 1].entry->position == p.entry->position;
	int before = s->cnt - again - 1; /* the point of the previous commit */
	struct history_point *added;

	set_value(s, &p);
	if (before >= 0 && s->stat != COMPARE_SIZE) {
		const struct history_point *old = &s->v[before];
		const struct compare_pair pair = {old->prog, p.prog};
		struct compare_pair returned;

		/* If the return values differ, the points are not comparable. */
		p.other_retval =
			(!m->o->allow_retval_change &&
			 compare_pair__retval_differs(&pair, old->entry->report, p.entry->report,
						      &returned)) ||
			compare_pair__rest_differs(&pair, old->entry->report, p.entry->report);
	}
	m->all->repeated += again;
	added = again ? &s->v[s->cnt - 1] : array__add(&s->v, &s->cnt, sizeof(*s->v));
	*added = p;
	s->prog = p.prog;
	s->ev = p.ev;
}

/* ---- series ---- */

/* An event of a function in the report of an entry. */
struct value {
	const struct history_entry *entry;
	const struct history_env *env;
	const struct report_prog *prog;
	const struct report_event *ev;
	int prog_nr, event_nr;
	enum doubt doubt;
};

static bool is_exact_stat(const struct report_event *ev, enum stat_id stat)
{
	return ev->exact && (stat == STAT_MIN || stat == COMPARE_SIZE);
}

static bool is_of_series(const struct history_series *s, const struct value *v, enum stat_id stat)
{
	return s->env == v->env && s->prog_nr == v->prog_nr && s->event_nr == v->event_nr &&
	       s->stat == stat && s->exact == is_exact_stat(v->ev, stat) &&
	       text__is_same(s->ev->name, v->ev->name) && text__is_same(s->ev->unit, v->ev->unit) &&
	       text__is_same(s->prog->method, v->prog->method);
}

static struct history_series *find_series(struct history_all *all, const struct value *v,
					  enum stat_id stat)
{
	struct history_series *s;

	for (int i = 0; i < all->cnt; i++)
		if (is_of_series(&all->v[i], v, stat))
			return &all->v[i];
	s = array__add(&all->v, &all->cnt, sizeof(*s));
	*s = (struct history_series){
		.env = v->env,
		.prog_nr = v->prog_nr,
		.event_nr = v->event_nr,
		.stat = stat,
		.exact = is_exact_stat(v->ev, stat),
		.left_out.position = -1,
	};
	return s;
}

bool history_series__is_same(const struct history_series *a, const struct history_series *b)
{
	return a->env == b->env && a->prog_nr == b->prog_nr && a->event_nr == b->event_nr &&
	       a->stat == b->stat && a->exact == b->exact &&
	       text__is_same(a->ev->name, b->ev->name);
}

/* Removes the series that was just added: a series must not begin with a doubtful value. */
static void remove_begun(struct history_all *all, const struct value *v)
{
	struct history_series s = all->v[--all->cnt];
	int i = 0;

	s.prog = v->prog;
	s.ev = v->ev;
	while (i < all->doubted_cnt && !history_series__is_same(&all->doubted[i], &s))
		i++;
	if (i == all->doubted_cnt)
		array__add(&all->doubted, &all->doubted_cnt, sizeof(s));
	all->doubted[i] = s;
}

static void add_stat(struct maker *m, const struct value *v, enum stat_id stat, __u64 limits)
{
	struct history_series *s;

	if (!has_finite_stat(v->ev, stat))
		return;
	s = find_series(m->all, v, stat);
	s->limits |= limits;
	if (v->doubt) {
		s->left_out.position = v->entry->position;
		s->left_out.prog = v->prog;
		s->left_out.value = value_of_stat(v->ev, stat);
		s->left_out.doubt = v->doubt;
		if (!s->cnt)
			remove_begun(m->all, v);
		return;
	}
	add_point(m, s, (struct history_point){.entry = v->entry, .prog = v->prog, .ev = v->ev});
}

static bool is_selected(const struct history_opts *o, const struct value *v)
{
	char label[LABEL_SZ];

	if (o->name && fnmatch(o->name, v->prog->name ?: "", 0) &&
	    fnmatch(o->name, report_prog__label(v->prog, label), 0))
		return false;
	return !o->event || !strcmp(o->event, v->ev->name) || !fnmatch(o->event, v->ev->name, 0);
}

/* Adds the statistics of an event to which a limit applies, like compare__reports(). */
static void add_limited_stats(struct maker *m, const struct value *v)
{
	const struct compare_limits *limits = m->all->limits;
	__u64 bits[STAT_CNT] = {};

	if (!is_selected(m->o, v))
		return;
	for (int i = 0; i < limits->cnt; i++) {
		const struct compare_limit *l = &limits->v[i];
		enum stat_id stat;

		if (!compare_limit__selects(l, v->prog, v->ev->name) || (l->exact && !v->ev->exact))
			continue;
		m->all->used[i] = true;
		stat = compare_limit__stat(l, v->ev, NULL);
		/* With too few blocks for a test, only an exact event's minimum is compared. */
		if (l->typical && v->ev->exact && has_finite_stat(v->ev, STAT_MIN) &&
		    count_finite_blocks(v->ev, stat) < COMPARE_MIN_BLOCKS)
			continue;
		bits[stat] |= 1ULL << i;
	}
	for (int stat = 0; stat < STAT_CNT; stat++)
		if (bits[stat])
			add_stat(m, v, stat, bits[stat]);
}

/* Makes an event from a size. The history owns the event. */
static struct report_event *make_size(struct history_all *all, const struct report_prog *p,
				      enum size_id id)
{
	struct report_event *ev = xcalloc(1, sizeof(*ev));

	*ev = (struct report_event){
		.name = (char *)size_specs[id].name,
		.unit = (char *)size_specs[id].unit,
		.total = p->size[id],
		.measured = 1,
		.exact = id != SIZE_VERIFICATION,
	};
	*(struct report_event **)array__add(&all->size, &all->size_cnt, sizeof(ev)) = ev;
	return ev;
}

/* Adds the sizes of the value's program to which a limit applies, or that are shown without a limit. */
static void add_sizes(struct maker *m, struct value v)
{
	const struct compare_limits *limits = m->all->limits;

	v.event_nr = 0;
	for (int id = 0; id < SIZE_CNT; id++) {
		bool shown = m->o->verifier && (id == SIZE_VERIFIED_INSNS ||
						id == SIZE_PEAK_STATES || id == SIZE_VERIFICATION);
		__u64 bits = 0;

		for (int i = 0; !isnan(v.prog->size[id]) && i < limits->cnt; i++)
			if (compare_limit__selects_size(&limits->v[i], v.prog, id)) {
				m->all->used[i] = true;
				bits |= 1ULL << i;
			}
		if (isnan(v.prog->size[id]) || (!bits && !shown))
			continue;
		v.ev = make_size(m->all, v.prog, id);
		/* The length of machine code depends on the addresses of maps. */
		v.doubt = id == SIZE_JITED ? compare__jited_doubt(v.prog) : DOUBT_NONE;
		if (is_selected(m->o, &v))
			add_stat(m, &v, COMPARE_SIZE, bits);
	}
}

static void add_values_of_prog(struct maker *m, const struct history_entry *e, struct place *place,
			       const struct report_prog *p, int nr, bool with_sizes)
{
	struct value v = {
		.entry = e,
		.env = place->env,
		.prog = p,
		.prog_nr = nr,
		.doubt = compare__doubt(p),
	};

	m->all->doubtful[v.doubt]++;
	for (int i = 0; i < p->all.event_cnt; i++) {
		v.ev = &p->all.event[i];
		v.event_nr = 0;
		for (int k = 0; k < i; k++)
			v.event_nr += text__is_same(p->all.event[k].name, v.ev->name);
		add_limited_stats(m, &v);
	}
	if (with_sizes)
		add_sizes(m, v);
}

/* ---- pairing ---- */

/*
 * Returns true if pair i adds to the series of the program's sizes. A program that was measured
 * with several input cases has several pairs, but needs only one series of each size. The pair that
 * has been known for longest adds to it, so that it stays the same pair if cases are added. nr: the
 * indices of the pairs in place.known.
 */
static bool has_sizes(const struct compare_pairs *pairs, const int *nr, int i)
{
	const struct report_prog *p = pairs->v[i].new;

	for (int k = 0; k < pairs->cnt; k++) {
		const struct report_prog *other = pairs->v[k].new;

		if (other && nr[k] < nr[i] && other->id == p->id &&
		    text__is_same(other->name, p->name) && report_prog__has_size(other))
			return false;
	}
	return true;
}

static void add_entry(struct maker *m, const struct history_entry *e)
{
	struct place *place = find_place(m, e);
	struct history_env *env = place->env;
	struct compare_pairs pairs = {};
	const struct report_prog *known;
	int *nr;

	if (env->last != e->position) {
		env->before = env->last;
		env->last = e->position;
	}
	known = place->known.prog;
	compare_pairs__find(&pairs, &place->known, e->report, m->o->matches);
	nr = xcalloc(pairs.cnt + 1, sizeof(*nr));
	/* Compute the indices first, because adding a program may move the other programs. */
	for (int i = 0; i < pairs.cnt; i++)
		nr[i] = pairs.v[i].base ? pairs.v[i].base - known : -1;
	for (int i = 0; i < pairs.cnt; i++) {
		if (!pairs.v[i].new)
			continue;
		if (nr[i] < 0) {
			nr[i] = place->known.prog_cnt;
			array__add(&place->known.prog, &place->known.prog_cnt, sizeof(*known));
		}
		place->known.prog[nr[i]] = *pairs.v[i].new;
	}
	for (int i = 0; i < pairs.cnt; i++)
		if (pairs.v[i].new)
			add_values_of_prog(m, e, place, pairs.v[i].new, nr[i],
					   has_sizes(&pairs, nr, i));
	m->all->ambiguous = pairs.ambiguous > m->all->ambiguous ? pairs.ambiguous
								: m->all->ambiguous;
	free(nr);
	free(pairs.v);
}

void history_all__make(struct history_all *all, const struct history *h,
		       const struct history_opts *o)
{
	struct maker m = {.all = all, .o = o};
	bool events = false;

	*all = (struct history_all){.h = h, .limits = o->limits};
	if (!o->limits || !o->limits->cnt) {
		compare_limits__add_default(&all->default_limits);
		for (int i = 0; i < h->cnt; i++)
			events |= report__has_events(h->v[i].report);
		if (!events)
			compare_limits__add_default_size(&all->default_limits);
		all->limits = &all->default_limits;
	}
	all->used = xcalloc(all->limits->cnt + 1, sizeof(*all->used));
	for (int i = 0; i < h->cnt; i++)
		if (h->v[i].position >= o->since)
			add_entry(&m, &h->v[i]);
	for (int i = 0; i < m.place_cnt; i++)
		free(m.place[i].known.prog);
	free(m.place);
	for (int i = 0; i < all->cnt; i++)
		history_series__find_changes(&all->v[i], all->v[i].cnt, &all->v[i].changes);
}

void history_all__free(struct history_all *all)
{
	for (int i = 0; i < all->cnt; i++) {
		free(all->v[i].v);
		free(all->v[i].changes.v);
	}
	for (int i = 0; i < all->env_cnt; i++) {
		free(all->env[i]->text);
		free(all->env[i]->label);
		free(all->env[i]);
	}
	for (int i = 0; i < all->size_cnt; i++)
		free(all->size[i]);
	free(all->size);
	free(all->doubted);
	free(all->v);
	free(all->env);
	free(all->used);
	compare_limits__free(&all->default_limits);
	*all = (struct history_all){};
}

/* ---- changes ---- */

void history_series__find_changes(const struct history_series *s, int cnt, struct changes *out)
{
	double *v = xcalloc(cnt + 1, sizeof(*v));

	*out = (struct changes){};
	for (int i = 0; i < cnt; i++)
		v[i] = s->v[i].value;
	for (int from = 0, to; from < cnt; from = to) {
		struct changes c = {};

		for (to = from + 1; to < cnt && !s->v[to].other_retval;)
			to++;
		if (s->exact)
			changes__find_exact(v + from, to - from, &c);
		else
			changes__find(v + from, to - from, CHANGES_MAX_P, &c);
		for (int i = 0; i < c.cnt; i++)
			*(struct change *)array__add(&out->v, &out->cnt, sizeof(*out->v)) =
				(struct change){from + c.v[i].at, c.v[i].p};
		free(c.v);
	}
	free(v);
}

int history_series__segment(const struct history_series *s, const struct changes *c, int i)
{
	int from = i;

	while (from > 0 && !s->v[from].other_retval)
		from--;
	for (int k = 0; k < c->cnt && c->v[k].at <= i; k++)
		from = c->v[k].at > from ? c->v[k].at : from;
	return from;
}

double history_series__median(const struct history_series *s, int from, int to)
{
	double *v = xcalloc(to - from + 1, sizeof(*v)), median;

	for (int i = from; i < to; i++)
		v[i - from] = s->v[i].value;
	median = stats__median(v, to - from);
	free(v);
	return median;
}

const char *history_series__title(const struct history_series *s, char *buf)
{
	char title[TITLE_SZ];

	snprintf(buf, SERIES_TITLE_SZ, "%s: %.200s, %s", report_prog__part_title(s->prog, title),
		 s->ev->name, compare_stats[s->stat].name);
	return buf;
}
