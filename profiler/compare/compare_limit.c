// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Limits of a comparison. Owns their syntax, and the events and statistics to which each limit
 * applies; must not know how values are compared. Prints nothing.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/util.h"
#include "compare/compare_limit.h"
#include "options/amount.h"

static const char syntax[] = "expected [PROGRAM/]EVENT:STATISTIC>CHANGE, such as "
			     "instructions:p50>2%, or [PROGRAM/]SIZE>CHANGE, such as "
			     "verified_insns>5%";

/* A part of a limit's text, without surrounding spaces. */
struct part {
	const char *s;
	size_t len;
};

static struct part trim(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return (struct part){from, to - from};
}

static int refuse_empty(struct parse_error *err, const char *spec, const char *at, const char *what)
{
	return parse_error__set(err, at - spec, 1, "no %s: %s", what, syntax);
}

/* ---- parsing of the change ---- */

static int parse_change(struct compare_limit *l, const char *spec, struct part p,
			struct parse_error *err)
{
	struct amount amount;
	int ret;

	if (!p.len)
		return refuse_empty(err, spec, p.s, "change after '>'");
	ret = amount__parse(spec, p.s - spec, p.len, &amount, err);
	if (ret)
		return ret;
	l->value = amount.value;
	l->relative = amount.relative;
	l->unit = amount.unit;
	return 0;
}

/* ---- parsing of the statistic, the program and the event ---- */

static bool is_word(struct part p, const char *word)
{
	return strlen(word) == p.len && !strncasecmp(word, p.s, p.len);
}

static int parse_stat(struct compare_limit *l, const char *spec, struct part p,
		      struct parse_error *err)
{
	struct suggest near;
	char names[160] = "", text[96];
	size_t len = 0;

	if (!p.len)
		return refuse_empty(err, spec, p.s, "statistic");
	suggest__init(&near, p.s, p.len);
	for (int i = 0; i < STAT_CNT; i++) {
		if (is_word(p, stat_specs[i].name)) {
			l->stat = i;
			return 0;
		}
		suggest__offer(&near, stat_specs[i].name);
		if (len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s",
					!i		    ? ""
					: i == STAT_CNT - 1 ? " and "
							    : ", ",
					stat_specs[i].name);
	}
	return parse_error__set(err, p.s - spec, p.len, "unknown statistic; there are %s%s", names,
				suggest__text(&near, text, sizeof(text)));
}

/* Returns the '/' that ends the program's name, or NULL if the part has no program. */
static const char *find_prog_end(struct part p)
{
	const char *first = NULL;
	int cnt = 0;

	for (const char *s = p.s; s < p.s + p.len; s++) {
		if (*s != '/')
			continue;
		first = first ?: s;
		cnt++;
	}
	return cnt % 2 ? first : NULL;
}

/* Parses the program and the event. */
static int parse_names(struct compare_limit *l, const char *spec, struct part p,
		       struct parse_error *err)
{
	const char *slash = find_prog_end(p);
	struct part prog = {}, event = p;

	if (slash) {
		prog = trim(p.s, slash);
		event = trim(slash + 1, p.s + p.len);
		if (!prog.len)
			return refuse_empty(err, spec, p.s, "program before '/'");
	}
	if (!event.len)
		return refuse_empty(err, spec, event.s, "event");
	l->event = xstrndup(event.s, event.len);
	l->prog = slash ? xstrndup(prog.s, prog.len) : NULL;
	return 0;
}

/* Parses "[PROGRAM/]SIZE", which has no statistic. */
static int parse_size(struct compare_limit *l, const char *spec, struct part p,
		      struct parse_error *err)
{
	const char *slash = find_prog_end(p);
	struct part name = slash ? trim(slash + 1, p.s + p.len) : p;

	for (int i = 0; i < SIZE_CNT; i++) {
		if (!is_word(name, size_specs[i].name))
			continue;
		l->of_size = true;
		l->size = i;
		return parse_names(l, spec, p, err);
	}
	return parse_error__set(err, p.s - spec, p.len, "no statistic: %s", syntax);
}

static int parse_limit(struct compare_limit *l, const char *spec, struct parse_error *err)
{
	const char *bound = strrchr(spec, '>'), *colon;
	struct part left;

	if (!bound)
		return parse_error__set(err, strlen(spec), 1, "no '>': %s", syntax);
	l->spec = xstrdup(spec);
	l->bound = l->spec + (bound - spec);
	left = trim(spec, bound);
	colon = memrchr(left.s, ':', left.len);
	if (!left.len)
		return refuse_empty(err, spec, left.s, "event");
	if (!colon)
		return parse_size(l, spec, left, err)
			       ?: parse_change(l, spec, trim(bound + 1, bound + strlen(bound)),
					       err);
	return parse_names(l, spec, trim(left.s, colon), err) ?:
	       parse_stat(l, spec, trim(colon + 1, left.s + left.len), err) ?:
	       parse_change(l, spec, trim(bound + 1, bound + strlen(bound)), err);
}

static void free_limit(struct compare_limit *l)
{
	free(l->spec);
	free(l->prog);
	free(l->event);
}

int compare_limits__add(struct compare_limits *l, const char *spec, struct parse_error *err)
{
	struct compare_limit limit = {};
	int ret;

	ret = parse_limit(&limit, spec, err);
	if (ret)
		free_limit(&limit);
	else
		*(struct compare_limit *)array__add(&l->v, &l->cnt, sizeof(*l->v)) = limit;
	return ret;
}

void compare_limits__add_default(struct compare_limits *l)
{
	static const struct {
		const char *spec;
		bool exact, typical;
	} defaults[] = {
		{"*:min>0", true, false},
		{"*:p50>2%", false, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		compare_limits__add(l, defaults[i].spec, NULL);
		l->v[l->cnt - 1].exact = defaults[i].exact;
		l->v[l->cnt - 1].typical = defaults[i].typical;
	}
}

void compare_limits__add_default_size(struct compare_limits *l)
{
	compare_limits__add(l, "verified_insns>0", NULL);
}

void compare_limits__free(struct compare_limits *l)
{
	for (int i = 0; i < l->cnt; i++)
		free_limit(&l->v[i]);
	free(l->v);
	*l = (struct compare_limits){};
}

/* ---- what a limit applies to ---- */

static bool selects_prog(const char *glob, const struct report_prog *p)
{
	char label[LABEL_SZ];

	return !glob || !fnmatch(glob, text__or_empty(p->name), 0) ||
	       !fnmatch(glob, report_prog__label(p, label), 0);
}

static bool selects_event(const struct compare_limit *l, const char *event)
{
	/* First compare the names: as a glob, a name with [ or ? might not match itself. */
	return !strcmp(l->event, event) || !fnmatch(l->event, event, 0);
}

bool compare_limit__selects(const struct compare_limit *l, const struct report_prog *p,
			    const char *event)
{
	return !l->of_size && selects_event(l, event) && selects_prog(l->prog, p);
}

bool compare_limit__selects_size(const struct compare_limit *l, const struct report_prog *p,
				 enum size_id size)
{
	return l->of_size && l->size == size && p && selects_prog(l->prog, p);
}

static bool has_median(const struct report_event *ev)
{
	return !ev || (report_event__has_value(ev) && !isnan(ev->stat[STAT_P50]));
}

enum stat_id compare_limit__stat(const struct compare_limit *l, const struct report_event *base,
				 const struct report_event *new)
{
	if (!l->typical)
		return l->stat;
	return has_median(base) && has_median(new) ? STAT_P50 : STAT_MEAN;
}

void limit_search__init(struct limit_search *s, const struct compare_limit *l)
{
	*s = (struct limit_search){.l = l};
	suggest__init(&s->prog, text__or_empty(l->prog), strlen(text__or_empty(l->prog)));
	suggest__init(&s->event, l->event, strlen(l->event));
}

void limit_search__look(struct limit_search *s, const struct report_prog *p, const char *event)
{
	bool is_prog = selects_prog(s->l->prog, p), is_event = event && selects_event(s->l, event);
	char label[LABEL_SZ];

	suggest__offer(&s->prog, report_prog__label(p, label));
	if (event)
		suggest__offer(&s->event, event);
	s->has_prog |= is_prog;
	s->has_event |= is_event;
	s->found |= is_prog && is_event;
}

void limit_search__look_at_report(struct limit_search *s, const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		limit_search__look(s, p, NULL);
		for (int k = 0; k < p->all.event_cnt; k++)
			limit_search__look(s, p, p->all.event[k].name);
	}
}

const char *limit_search__explain(const struct limit_search *s, char *buf, size_t sz)
{
	char hint[96];

	if (!s->has_prog && s->l->prog)
		snprintf(buf, sz, "there is no program '%s'%s", s->l->prog,
			 suggest__text(&s->prog, hint, sizeof(hint)));
	else if (s->l->of_size)
		snprintf(buf, sz,
			 "no program '%s' has this size: bprof bench finds it out when it "
			 "loads an object",
			 s->l->prog ?: "*");
	else if (!s->has_event)
		snprintf(buf, sz, "there is no event '%s'%s", s->l->event,
			 suggest__text(&s->event, hint, sizeof(hint)));
	else
		snprintf(buf, sz, "no program '%s' has an event '%s'", s->l->prog ?: "*",
			 s->l->event);
	return buf;
}

bool compare_limit__names_event(const struct compare_limit *l)
{
	return !strpbrk(l->event, "*?[");
}
