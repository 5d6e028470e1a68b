// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The conditions of bprof trace. Owns their syntax, and which conditions can be combined. Must not
 * know how conditions are tested. Prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/retval.h"
#include "options/amount.h"
#include "probe/trace_conds.h"

static const char syntax[] = "write EVENT>VALUE or EVENT<VALUE, such as 'instructions>10000'";

/* Parses "p99.9". */
static int parse_percentile(struct trace_bound *b, const char *spec, size_t pos, size_t len,
			    struct parse_error *err)
{
	const char *digits = spec + pos + 1;
	size_t cnt = strspn(digits, "0123456789.");
	char *end;
	double percent = strtod(digits, &end);

	if (!cnt || cnt + 1 != len || end != digits + cnt || percent <= 0 || percent >= 100)
		return parse_error__set(err, pos, len,
					"no percentile: write p and a number between 0 and 100, "
					"such as p99.9");
	if (b->under)
		return parse_error__set(err, pos, len, "a percentile goes with '>' only");
	b->quantile = percent / 100;
	return 0;
}

static int parse_bound_value(struct trace_bound *b, const char *spec, size_t pos,
			     struct parse_error *err)
{
	size_t len = strlen(spec + pos);
	struct amount amount;
	int ret;

	while (len && spec[pos + len - 1] == ' ')
		len--;
	if (!len)
		return parse_error__set(err, pos, 1, "no value: %s", syntax);
	if (spec[pos] == 'p')
		return parse_percentile(b, spec, pos, len, err);
	ret = amount__parse_absolute(spec, pos, len, &amount, err);
	if (ret)
		return ret;
	b->value = amount.value;
	b->unit = amount.unit;
	return 0;
}

static int parse_trace_bound(struct trace_bound *b, const char *spec, struct parse_error *err)
{
	size_t from = strspn(spec, " "), to, value;
	const char *op = NULL;

	/* The last '<' or '>' is the operator: the name of the event may contain others. */
	for (const char *s = spec; *s; s++)
		if (*s == '<' || *s == '>')
			op = s;
	if (!op)
		return parse_error__set(err, strlen(spec), 1, "no '>' or '<': %s", syntax);
	to = op - spec;
	while (to > from && spec[to - 1] == ' ')
		to--;
	if (to == from)
		return parse_error__set(err, from, 1, "no event: %s", syntax);
	b->under = *op == '<';
	b->equal = op[1] == '=';
	value = op + 1 + b->equal - spec;
	value += strspn(spec + value, " ");
	b->spec = xstrdup(spec);
	b->event = xstrndup(spec + from, to - from);
	return parse_bound_value(b, spec, value, err);
}

static void free_bound(struct trace_bound *b)
{
	free(b->spec);
	free(b->event);
}

int trace_conds__add_event(struct trace_conds *c, const char *spec, struct parse_error *err)
{
	struct trace_bound bound = {}, *added;
	int ret = parse_trace_bound(&bound, spec, err);

	if (ret) {
		free_bound(&bound);
		return ret;
	}
	added = array__add(&c->bound, &c->bound_cnt, sizeof(*c->bound));
	*added = bound;
	return 0;
}

int trace_conds__add_time(struct trace_conds *c, const char *duration, struct parse_error *err)
{
	static const char event[] = "time>";
	bool bare = !duration[strspn(duration, "0123456789.")];
	char *spec;
	__u64 ns;
	int ret = *duration == 'p' ? 0 : duration__parse(duration, &ns, err);

	if (ret)
		return ret;
	spec = text__format("%s%s%s", event, duration, bare ? "ms" : "");
	ret = trace_conds__add_event(c, spec, err);
	if (ret && err)
		err->pos -= strlen(event);
	free(spec);
	return ret;
}

int trace_conds__add_retval(struct trace_conds *c, const char *text)
{
	__u32 value;

	if (c->retval_cnt == BPROF_TRACE_RETVALS)
		return -E2BIG;
	if (retval__parse(NULL, text, &value))
		return -EINVAL;
	c->retval[c->retval_cnt++] = text;
	return 0;
}

void trace_conds__free(struct trace_conds *c)
{
	for (int i = 0; i < c->bound_cnt; i++)
		free_bound(&c->bound[i]);
	free(c->bound);
	*c = (struct trace_conds){};
}

/* ---- assigning the bounds to the counted events ---- */

/* Finds the bound's event in the list, or adds it. */
static int find_bound_event(struct trace_bound *b, struct event_list *events, const char *sysfs,
			    struct parse_error *err)
{
	size_t pos = strstr(b->spec, b->event) - b->spec;
	struct event_list own = {};
	int ret = event_list__parse(&own, b->event, sysfs, err);

	if (!ret && own.cnt != 1)
		ret = parse_error__set(err, 0, strlen(b->event), "several events: give one");
	for (b->index = 0; !ret && b->index < events->cnt; b->index++)
		if (event__counts_same(&events->v[b->index], &own.v[0]))
			break;
	if (!ret && b->index == events->cnt)
		ret = event_list__parse(events, b->event, sysfs, err);
	event_list__free(&own);
	if (ret == -EINVAL && err)
		err->pos += pos;
	return ret;
}

/*
 * Computes the bound's limit from its value. For '>', this is the largest count for which the bound
 * is false. For '<', it is the smallest.
 */
static int set_bound_limit(struct trace_bound *b, const struct event *ev, struct parse_error *err)
{
	double raw = b->value / ev->scale;

	if (b->quantile)
		return 0;
	if (b->unit && strcmp(b->unit, ev->unit))
		return parse_error__set(err, 0, strlen(b->spec), "%s is not counted in %s",
					ev->name, b->unit);
	if (raw >= BPROF_TRACE_NO_BOUND)
		return parse_error__set(err, 0, strlen(b->spec), "too large for a counter");
	b->limit = b->under ? (__s64)ceil(raw) : (__s64)floor(raw);
	if (b->under && b->equal && ceil(raw) == floor(raw))
		b->limit++;
	if (!b->under && b->equal && ceil(raw) == floor(raw))
		b->limit--;
	return 0;
}

static int check_with(const struct trace_bound *b, const struct trace_bound *other,
		      struct parse_error *err)
{
	const struct trace_bound *over = b->under ? other : b, *under = b->under ? b : other;

	if (b->quantile && other->quantile)
		return parse_error__set(
			err, 0, strlen(b->spec),
			"'%s' is given already: only one condition can be a percentile",
			other->spec);
	if (b->index != other->index)
		return 0;
	if (b->quantile || other->quantile)
		return parse_error__set(err, 0, strlen(b->spec),
					"'%s' is given already; with a percentile, an event has "
					"no other condition",
					other->spec);
	if (b->under == other->under)
		return parse_error__set(err, 0, strlen(b->spec),
					"'%s' is given already; one of the two is enough",
					other->spec);
	if (under->limit > over->limit)
		return parse_error__set(err, 0, strlen(b->spec),
					"together with '%s' it is true for every invocation; "
					"to record them all, use --every 1",
					other->spec);
	return 0;
}

int trace_conds__resolve(struct trace_conds *c, struct event_list *events, const char *sysfs,
			 const struct trace_bound **which, struct parse_error *err)
{
	int ret = 0;

	for (int i = 0; !ret && i < c->bound_cnt; i++) {
		struct trace_bound *b = &c->bound[i];

		*which = b;
		ret = find_bound_event(b, events, sysfs, err)
			      ?: set_bound_limit(b, &events->v[b->index], err);
		for (int k = 0; !ret && k < i; k++)
			ret = check_with(b, &c->bound[k], err);
	}
	return ret;
}

const struct trace_bound *trace_conds__percentile(const struct trace_conds *c)
{
	for (int i = 0; i < c->bound_cnt; i++)
		if (c->bound[i].quantile)
			return &c->bound[i];
	return NULL;
}

bool trace_bound__is_true(const struct trace_bound *b, __s64 net)
{
	return b->quantile ? true : b->under ? net < b->limit : net > b->limit;
}
