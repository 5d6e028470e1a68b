// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the events of -e that sysfs describes: pmu/term=value,event,…/ and the bare names of PMU
 * events. Reads sysfs only through pmu.c; knows no lists and no modifiers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "event/event_parse.h"
#include "event/pmu.h"

/* One term: "name=value", or "name" (then value.s is NULL). */
struct term {
	struct span all, name, value;
};

/* The event that is being built, its PMU, and the user's terms for it. */
struct term_target {
	struct event_parser *p;
	const struct pmu *pmu;
	struct parsed_event *out;
	struct span user_terms;
	__u64 config[PMU_CONFIG_CNT];
};

/* The terms that perf accepts for any event. bprof does not support them. */
static const char *const sampling_terms[] = {
	"aux-output", "aux-sample-size", "branch_type", "call-graph", "driver-config", "freq",
	"inherit",    "max-stack",	 "metric-id",	"no-inherit", "no-overwrite",  "nr",
	"overwrite",  "percore",	 "period",	"stack-size", "ratio-to-prev",
};

/* The printf arguments for "%.*s". Prints at most 64 characters, so that the error's text fits. */
#define SPAN_ARG(span) (int)((span).len < 64 ? (span).len : 64), (span).s

/*
 * Removes the first term from *rest. Returns false if *rest is empty. Quoted commas do not end a
 * term.
 */
static bool next_term(struct span *rest, struct term *t)
{
	struct span all = {rest->s, 0};
	const char *eq;
	bool quoted = false;

	if (!rest->s)
		return false;
	for (; all.len < rest->len && (quoted || all.s[all.len] != ','); all.len++) {
		if (all.s[all.len] == '\'')
			quoted = !quoted;
	}
	if (all.len == rest->len)
		*rest = (struct span){0};
	else
		*rest = (struct span){all.s + all.len + 1, rest->len - all.len - 1};

	*t = (struct term){.all = span__trim(all)};
	eq = memchr(t->all.s, '=', t->all.len);
	t->name = t->all;
	if (eq) {
		t->name = span__trim((struct span){t->all.s, eq - t->all.s});
		t->value = span__trim((struct span){eq + 1, t->all.s + t->all.len - eq - 1});
	}
	return true;
}

/*
 * Returns the terms between the slashes. In the result, s is NULL if there are no terms, as in
 * "msr//".
 */
static struct span user_terms(const struct event_item *item)
{
	return span__trim(item->terms).len ? item->terms : (struct span){0};
}

static int set_name(struct event_parser *p, const struct term *t, struct parsed_event *out)
{
	struct span v = t->value;

	if (v.len >= 2 && v.s[0] == '\'' && v.s[v.len - 1] == '\'')
		v = (struct span){v.s + 1, v.len - 2};
	if (!v.len)
		return event_parser__fail(p, t->all, "the name is empty: name=text");
	free(out->ev.name);
	out->ev.name = xstrndup(v.s, v.len);
	out->named = true;
	return 0;
}

/* Parses the term's number, which is 1 if the term has no value. */
static int term_number(const struct term *t, __u64 *out)
{
	*out = 1;
	return t->value.s ? span__to_u64(t->value, out) : 0;
}

static int fail_number(struct event_parser *p, struct span at, const struct term *t, int err)
{
	if (err == -ERANGE)
		return event_parser__fail(p, at, "'%.*s' does not fit into 64 bits",
					  SPAN_ARG(t->all));
	return event_parser__fail(p, at, "'%.*s': the value must be a number, decimal or 0x…",
				  SPAN_ARG(t->all));
}

/*
 * Sets the bits of a format to the term's value. Errors point at the span "at": the term itself, or
 * the event whose description has the term.
 */
static int apply_format(struct term_target *tt, const struct pmu_format *f, const struct term *t,
			struct span at)
{
	__u64 value;
	int err = term_number(t, &value);

	if (err)
		return fail_number(tt->p, at, t, err);
	if (!f->mask)
		return event_parser__fail(tt->p, at,
					  "sysfs: format '%.64s' of PMU '%.64s' is invalid: "
					  "'%.32s'",
					  f->name, tt->pmu->name, f->text);
	if (pmu_format__set(f, value, tt->config))
		return event_parser__fail(tt->p, at,
					  "%.64s=0x%llx does not fit into %.64s (at most 0x%llx)",
					  f->name, value, f->text, pmu_format__max(f));
	return 0;
}

/*
 * Applies a term config=N, config1=N, …, which sets a complete config word. Returns 0, -ENOENT for
 * any other term, or -EINVAL with the error set.
 */
static int apply_config(struct term_target *tt, const struct term *t, struct span at)
{
	for (int i = 0; i < PMU_CONFIG_CNT; i++) {
		int err;

		if (!span__is(t->name, pmu_config_names[i]))
			continue;
		err = t->value.s ? term_number(t, &tt->config[i]) : -EINVAL;
		return err ? fail_number(tt->p, at, t, err) : 0;
	}
	return -ENOENT;
}

/* Returns true if the user's terms give a value for an event's parameter. */
static bool user_gives(const struct term_target *tt, struct span name)
{
	struct span rest = tt->user_terms;
	struct term t;

	while (next_term(&rest, &t)) {
		if (t.value.s && t.name.len == name.len && !memcmp(t.name.s, name.s, name.len))
			return true;
	}
	return false;
}

/*
 * Applies one term of an event's description in sysfs. Errors point at the span "at", the event's
 * name.
 */
static int apply_event_term(struct term_target *tt, const struct term *t, struct span at)
{
	const struct pmu_format *f;
	int err;

	if (t->value.s && span__is(t->value, "?")) {
		/*
		 * The term "name=?" is a parameter (hv_24x7, uncore). The user gives the
		 * parameter's value in another term, which sets the bits.
		 */
		if (user_gives(tt, t->name))
			return 0;
		return event_parser__fail(tt->p, at,
					  "this event needs a value for '%.*s': add ,%.*s=N",
					  SPAN_ARG(t->name), SPAN_ARG(t->name));
	}
	err = apply_config(tt, t, at);
	if (err != -ENOENT)
		return err;
	f = pmu__find_format(tt->pmu, t->name.s, t->name.len);
	if (f)
		return apply_format(tt, f, t, at);
	return event_parser__fail(tt->p, at,
				  "sysfs: event '%.*s' of PMU '%.64s' has a term '%.*s' that "
				  "the PMU has no format for",
				  SPAN_ARG(at), tt->pmu->name, SPAN_ARG(t->name));
}

/* Applies the terms, the unit and the scale of a named event of the PMU. */
static int apply_event(struct term_target *tt, const char *name, struct span at)
{
	struct event *ev = &tt->out->ev;
	struct pmu_event desc;
	struct span rest;
	struct term t;
	struct reason reason;
	int err = pmu__read_event(tt->pmu, name, &desc, &reason);

	if (err)
		return event_parser__fail(tt->p, at, "%s", reason.detail);
	if (desc.snapshot) {
		err = event_parser__fail(tt->p, at,
					 "'%.64s' is a momentary value, not a count: two "
					 "readings have no meaningful difference",
					 name);
		goto out;
	}
	rest = (struct span){desc.terms, strlen(desc.terms)};
	while (!err && next_term(&rest, &t))
		err = apply_event_term(tt, &t, at);
	if (err)
		goto out;
	ev->scale = desc.scale;
	if (desc.unit) {
		free(ev->unit_buf);
		ev->unit = ev->unit_buf = desc.unit;
		desc.unit = NULL;
	}
out:
	pmu_event__free(&desc);
	return err;
}

static int fail_term(struct term_target *tt, const struct term *t)
{
	char formats[120] = "none", near[80];
	size_t len = 0;
	struct suggest s;

	for (size_t i = 0; i < ARRAY_SIZE(sampling_terms); i++) {
		if (span__is(t->name, sampling_terms[i]))
			return event_parser__fail(tt->p, t->all,
						  "term '%s' is only for sampling or for perf "
						  "itself",
						  sampling_terms[i]);
	}
	suggest__init(&s, t->name.s, t->name.len);
	for (int i = 0; i < tt->pmu->format_cnt; i++) {
		const char *name = tt->pmu->format[i].name;

		suggest__offer(&s, name);
		if (len + strlen(name) + 2 < sizeof(formats))
			len += snprintf(formats + len, sizeof(formats) - len, "%s%s",
					len ? ", " : "", name);
	}
	for (int i = 0; i < tt->pmu->event_cnt && !t->value.s; i++)
		suggest__offer(&s, tt->pmu->event[i]);
	return event_parser__fail(tt->p, t->name.len ? t->name : t->all,
				  "PMU '%.32s' has no such %s; its formats: %s%s", tt->pmu->name,
				  t->value.s ? "format" : "format or event", formats,
				  suggest__text(&s, near, sizeof(near)));
}

/* Applies one of the user's terms. */
static int apply_user_term(struct term_target *tt, const struct term *t)
{
	const struct pmu_format *f;
	int err;

	if (!t->all.len)
		return event_parser__fail(tt->p, (struct span){t->all.s, 1},
					  "a term is missing here");
	if (span__is(t->name, "name"))
		return set_name(tt->p, t, tt->out);
	err = apply_config(tt, t, t->all);
	if (err != -ENOENT)
		return err;
	f = pmu__find_format(tt->pmu, t->name.s, t->name.len);
	if (f)
		return apply_format(tt, f, t, t->all);
	if (!t->value.s) {
		const char *event = pmu__find_event(tt->pmu, t->name.s, t->name.len);

		if (event)
			return apply_event(tt, event, t->name);
		err = span__to_raw(t->name, &tt->config[0]);
		if (err == -ERANGE)
			return fail_number(tt->p, t->all, t, err);
		if (!err)
			return 0;
	}
	return fail_term(tt, t);
}

/* Sets the event's type and CPUs from the PMU, and its config words from the terms. */
static void finish_event(struct term_target *tt)
{
	struct event *ev = &tt->out->ev;

	ev->type = tt->pmu->type;
	ev->config = tt->config[0];
	ev->config1 = tt->config[1];
	ev->config2 = tt->config[2];
	ev->config3 = tt->config[3];
	cpus__dup(&tt->pmu->cpus, &ev->cpumask);
}

/*
 * Reads the PMU called name. Returns -ENOENT, without setting the error, if there is no such PMU.
 */
static int open_pmu(struct event_parser *p, struct span head, const char *name, struct pmu **out)
{
	struct reason reason;
	int err;

	if (pmu__refused(name))
		return event_parser__fail(p, head, "%s", pmu__refused(name));
	err = pmu__new(p->sysfs, name, out, &reason);
	if (err && err != -ENOENT)
		err = event_parser__fail(p, head, "%s", reason.detail);
	return err;
}

int event_parser__pmu(struct event_parser *p, const struct event_item *item,
		      struct parsed_event *out)
{
	char *name = xstrndup(item->head.s, item->head.len);
	struct term_target tt = {.p = p, .out = out, .user_terms = user_terms(item)};
	struct span rest = tt.user_terms, terms = span__trim(item->terms);
	struct pmu *pmu = NULL;
	struct term t;
	int err;

	err = open_pmu(p, item->head, name, &pmu);
	tt.pmu = pmu;
	while (!err && next_term(&rest, &t))
		err = apply_user_term(&tt, &t);
	if (!err) {
		finish_event(&tt);
		out->ev.base = text__format("%s/%.*s/", name, (int)terms.len, terms.s);
	}
	pmu__free(pmu);
	free(name);
	return err;
}

int event_parser__name_term(struct event_parser *p, const struct event_item *item,
			    struct parsed_event *out)
{
	struct span rest = user_terms(item);
	struct term t;
	int err = 0;

	while (!err && next_term(&rest, &t)) {
		if (span__is(t.name, "name"))
			err = set_name(p, &t, out);
		else
			err = event_parser__fail(
				p, t.all, "'%.*s' is not a PMU and takes only the term name=",
				SPAN_ARG(item->head));
	}
	return err;
}

/* Parses the bare name of an event that only the PMU called pmu_name has. */
static int parse_bare(struct event_parser *p, const struct event_item *item, const char *pmu_name,
		      const char *event, struct parsed_event *out)
{
	struct term_target tt = {.p = p, .out = out};
	struct pmu *pmu = NULL;
	int err = open_pmu(p, item->head, pmu_name, &pmu);

	tt.pmu = pmu;
	err = err ?: apply_event(&tt, event, item->head);
	if (!err) {
		finish_event(&tt);
		out->ev.base = text__format("%s/%s/", pmu_name, event);
	}
	pmu__free(pmu);
	return err;
}

int event_parser__pmu_event(struct event_parser *p, const struct event_item *item,
			    struct parsed_event *out)
{
	char *event = xstrndup(item->head.s, item->head.len);
	char **names = NULL;
	int cnt = 0, err;

	err = pmu__list_with_event(p->sysfs, event, &names, &cnt);
	if (err)
		err = -ENOENT; /* without sysfs, no PMU has the event */
	if (!err && !cnt)
		err = -ENOENT;
	if (!err && cnt > 1) {
		char list[120];

		err = event_parser__fail(
			p, item->head,
			"several PMUs have this event (%s): choose one, as %.32s/%.48s/",
			event_parser__join_names(names, cnt, list, sizeof(list)), names[0], event);
	}
	if (!err)
		err = parse_bare(p, item, names[0], event, out);
	pmu__free_names(names, cnt);
	free(event);
	return err;
}
