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
	int err = json__set_fields(obj, commit_rows, p->entry, NULL);

	err |= json__set_number(obj, "value", p->value);
	err |= json__set_number(obj, "low", p->low);
	err |= json__set_number(obj, "high", p->high);
	if (p->other_retval)
		err |= json_object_set_new(obj, "retval_changed", json_true());
	return json__finish(obj, err);
}

static json_t *make_change(const struct history_series *s, int i)
{
	struct history_change c;
	json_t *obj = json_object();
	int err = 0;

	history_series__change(s, i, &c);
	err |= json__set_fields(obj, commit_rows, c.point->entry, NULL);
	err |= json__set_number(obj, "before", c.before);
	err |= json__set_number(obj, "after", c.after);
	err |= json__set_number(obj, "change", c.after - c.before);
	err |= json__set_number(obj, "share", c.share);
	err |= json__set_number(obj, "p", c.p);
	return json__finish(obj, err);
}

static json_t *make_series(const struct history_series *s)
{
	json_t *obj = json_object(), *points = json_array(), *changes = json_array();
	char label[LABEL_SZ];
	int err = 0;

	err |= json__set_string(obj, "program", report_prog__label(s->prog, label));
	if (s->prog->input)
		err |= json__set_string(obj, "case", s->prog->input);
	err |= json__set_string(obj, "type", s->prog->type);
	err |= json__set_string(obj, "event", s->ev->name);
	err |= json__set_string(obj, "unit", s->ev->unit);
	err |= json__set_string(obj, "stat", compare_stats[s->stat].name);
	err |= json_object_set_new(obj, "exact", json_boolean(s->exact));
	err |= json__set_string(obj, "method", s->prog->method);
	err |= json__set_string(obj, "environment", s->env->text);
	for (int i = 0; i < s->cnt; i++)
		err |= json_array_append_new(points, make_point(&s->v[i]));
	for (int i = 0; i < s->changes.cnt; i++)
		err |= json_array_append_new(changes, make_change(s, i));
	err |= json_object_set_new(obj, "points", points);
	err |= json_object_set_new(obj, "changes", changes);
	return json__finish(obj, err);
}

int history_all__render_json(const struct history_all *all, const struct history_show_opts *o,
			     FILE *out)
{
	json_t *doc = json_object(), *series = json_array();
	int err = 0;

	err |= json_object_set_new(doc, "schema", json_integer(HISTORY_DOCUMENT_SCHEMA));
	err |= json__set_string(doc, "tool", "bprof");
	err |= json__set_string(doc, "version", build_info__version());
	err |= json_object_set_new(doc, "commits", json_integer(all->h->commit_cnt));
	err |= json_object_set_new(doc, "unreadable", json_integer(all->h->bad_cnt));
	for (int i = 0; i < all->cnt; i++)
		err |= json_array_append_new(series, make_series(&all->v[i]));
	err |= json_object_set_new(doc, "series", series);
	return json__print(doc, err, o->one_line ? JSON_LINE : JSON_INDENTED, out);
}
