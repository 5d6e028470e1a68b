// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A history as JSON: each series with its points and its changes. Owns the names of the fields.
 */
#include <jansson.h>

#include "base/build_info.h"
#include "history/history_show.h"
#include "json/json_ascii.h"
#include "json/json_fields.h"
#include "json/json_make.h"

#define HISTORY_DOCUMENT_SCHEMA 1

static const struct json_field commit_rows[] = {
	FIELD("commit", string, offsetof(struct history_entry, commit)),
	FIELD("date", time, offsetof(struct history_entry, date)),
	{},
};

static json_t *make_point(const struct history_point *p)
{
	json_t *obj = json_object();
	json__set_fields(obj, commit_rows, p->entry, NULL);

	json__set_number(obj, "value", p->value);
	json__set_number(obj, "low", p->low);
	json__set_number(obj, "high", p->high);
	if (p->other_retval)
		json_object_set_new(obj, "retval_changed", json_true());
	return obj;
}

static json_t *make_change(const struct history_series *s, int i)
{
	struct history_change c;
	json_t *obj = json_object();

	history_series__change(s, i, &c);
	json__set_fields(obj, commit_rows, c.point->entry, NULL);
	json__set_number(obj, "before", c.before);
	json__set_number(obj, "after", c.after);
	json__set_number(obj, "change", c.after - c.before);
	json__set_number(obj, "share", c.share);
	json__set_number(obj, "p", c.p);
	return obj;
}

static json_t *make_series(const struct history_series *s)
{
	json_t *obj = json_object(), *points = json_array(), *changes = json_array();
	char label[LABEL_SZ], returns[RETURNS_SZ];

	json__set_string(obj, "program", report_prog__label(s->prog, label));
	if (s->prog->by_retval)
		json__set_string(obj, "part", report_prog__returns(s->prog, returns));
	if (s->prog->input)
		json__set_string(obj, "case", s->prog->input);
	json__set_string(obj, "type", s->prog->type);
	json__set_string(obj, "event", s->ev->name);
	json__set_string(obj, "unit", s->ev->unit);
	json__set_string(obj, "stat", compare_stats[s->stat].name);
	json_object_set_new(obj, "exact", json_boolean(s->exact));
	json__set_string(obj, "method", s->prog->method);
	json__set_string(obj, "environment", s->env->text);
	for (int i = 0; i < s->cnt; i++)
		json_array_append_new(points, make_point(&s->v[i]));
	for (int i = 0; i < s->changes.cnt; i++)
		json_array_append_new(changes, make_change(s, i));
	json_object_set_new(obj, "points", points);
	json_object_set_new(obj, "changes", changes);
	return obj;
}

void history_all__render_json(const struct history_all *all, const struct history_show_opts *o,
			      FILE *out)
{
	json_t *doc = json_object(), *series = json_array();

	json_object_set_new(doc, "schema", json_integer(HISTORY_DOCUMENT_SCHEMA));
	json__set_string(doc, "tool", "bprof");
	json__set_string(doc, "version", build_info__version());
	json_object_set_new(doc, "commits", json_integer(all->h->commit_cnt));
	json_object_set_new(doc, "unreadable", json_integer(all->h->bad_cnt));
	for (int i = 0; i < all->cnt; i++)
		json_array_append_new(series, make_series(&all->v[i]));
	json_object_set_new(doc, "series", series);
	json__print(doc, o->one_line ? JSON_LINE : JSON_INDENTED, out);
}
