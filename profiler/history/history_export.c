// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A history in the formats of other tools. Owns the names that series have there; must not know how
 * changes are found.
 *
 * Bencher and github-action-benchmark keep the history themselves, so they get only the newest
 * commit. Otava reads all of it, but knows nothing of environments and of missing values: its metrics
 * are the series that the newest commit has.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "history/history_export.h"
#include "json/json_ascii.h"
#include "json/json_make.h"

/* Returns the last point of the series if it is of the newest commit, or NULL. */
static const struct history_point *newest_point(const struct history_all *all,
						const struct history_series *s)
{
	const struct history_point *p = &s->v[s->cnt - 1];

	return p->entry->position == all->h->v[all->h->cnt - 1].position ? p : NULL;
}

static bool several_envs(const struct history_all *all)
{
	const struct history_env *first = NULL;

	for (int i = 0; i < all->cnt; i++) {
		if (!newest_point(all, &all->v[i]))
			continue;
		if (first && first != all->v[i].env)
			return true;
		first = all->v[i].env;
	}
	return false;
}

/*
 * Returns the name of a series: "xdp_lb [case]", with the environment if there are several and, if
 * measure is set, ": instructions min". The caller frees it. NULL: out of memory.
 */
static char *make_name(const struct history_all *all, const struct history_series *s, bool measure)
{
	bool env = several_envs(all);
	char title[TITLE_SZ], *name, *utf8;

	if (!(name = text__format("%s%s%s%s%s%s%s%s", report_prog__part_title(s->prog, title),
				  env ? " (" : "", env ? s->env->label : "", env ? ")" : "",
				  measure ? ": " : "", measure ? s->ev->name : "",
				  measure ? " " : "", measure ? compare_stats[s->stat].name : "")))
		return NULL;
	utf8 = text__utf8(name);
	free(name);
	return utf8;
}

/* ---- Bencher ---- */

static json_t *make_metric(const struct history_point *p)
{
	json_t *metric = json_object();
	int err = json__set_number(metric, "value", p->value);

	err |= json__set_number(metric, "lower_value", p->low);
	err |= json__set_number(metric, "upper_value", p->high);
	return json__finish(metric, err);
}

/* A measure is an event with its statistic and its unit: "instructions min", "time p50 ns". */
static int add_measure(json_t *doc, const struct history_series *s, const char *name,
		       const struct history_point *p)
{
	const char *unit = s->ev->unit ?: "";
	json_t *measures = json_object_get(doc, name);
	char *measure, *utf8;
	int err = 0;

	if (!measures) {
		err = json_object_set_new(doc, name, json_object());
		measures = json_object_get(doc, name);
	}
	if (!(measure = text__format("%s %s%s%s", s->ev->name, compare_stats[s->stat].name,
				     *unit ? " " : "", unit)))
		return -ENOMEM;
	utf8 = text__utf8(measure);
	err |= utf8 ? json_object_set_new(measures, utf8, make_metric(p)) : -ENOMEM;
	free(measure);
	free(utf8);
	return err ? -ENOMEM : 0;
}

int history_export__bmf(const struct history_all *all, FILE *out)
{
	json_t *doc = json_object();
	int err = doc ? 0 : -ENOMEM, cnt = 0;

	for (int i = 0; !err && i < all->cnt; i++) {
		const struct history_point *p = newest_point(all, &all->v[i]);
		char *name = p ? make_name(all, &all->v[i], false) : NULL;

		if (!p)
			continue;
		err = name ? add_measure(doc, &all->v[i], name, p) : -ENOMEM;
		free(name);
		cnt++;
	}
	if (!err && !cnt) {
		json_decref(doc);
		return -ENODATA;
	}
	return json__print(doc, err, JSON_INDENTED, out);
}

/* ---- github-action-benchmark ---- */

static json_t *make_result(const struct history_all *all, const struct history_series *s,
			   const struct history_point *p)
{
	json_t *obj = json_object();
	char *name = make_name(all, s, true), range[2 * NUMBER_SZ], half[NUMBER_SZ];
	int err = name ? 0 : -ENOMEM;

	if (name)
		err |= json_object_set_new(obj, "name", json_string(name));
	err |= json__set_string(obj, "unit", *(s->ev->unit ?: "") ? s->ev->unit : s->ev->name);
	err |= json__set_number(obj, "value", p->value);
	if (isfinite(p->low)) {
		number__plain(half, (p->high - p->low) / 2);
		snprintf(range, sizeof(range), "\u00b1 %s", half);
		err |= json_object_set_new(obj, "range", json_string(range));
	}
	err |= json__set_string(obj, "extra", s->env->text);
	free(name);
	return json__finish(obj, err);
}

int history_export__github(const struct history_all *all, FILE *out)
{
	json_t *doc = json_array();
	int err = 0;

	for (int i = 0; i < all->cnt; i++) {
		const struct history_point *p = newest_point(all, &all->v[i]);

		if (p)
			err |= json_array_append_new(doc, make_result(all, &all->v[i], p));
	}
	if (!err && doc && !json_array_size(doc)) {
		json_decref(doc);
		return -ENODATA;
	}
	return json__print(doc, err, JSON_INDENTED, out);
}

/* ---- Otava ---- */

/* Returns the point of the series at a commit, or NULL. */
static const struct history_point *point_at(const struct history_series *s, int position)
{
	int low = 0, high = s->cnt;

	while (low < high) {
		int middle = (low + high) / 2;

		if (s->v[middle].entry->position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->cnt && s->v[low].entry->position == position ? &s->v[low] : NULL;
}

/* Returns true if each series that the newest commit has is also at this commit. */
static bool is_complete(const struct history_all *all, int position)
{
	for (int i = 0; i < all->cnt; i++)
		if (newest_point(all, &all->v[i]) && !point_at(&all->v[i], position))
			return false;
	return true;
}

int history_export__count_incomplete(const struct history_all *all)
{
	int cnt = 0;

	for (int i = 0, last = -1; i < all->h->cnt; i++) {
		int position = all->h->v[i].position;

		cnt += position != last && !is_complete(all, position);
		last = position;
	}
	return cnt;
}

/* Writes a field of CSV, and the separator before it. */
static int put_field(const char *text, FILE *out)
{
	fputc(',', out);
	return text__put(out, text__csv(text, ","));
}

static int put_header(const struct history_all *all, FILE *out)
{
	int err = 0, cnt = 0;

	fputs("time,commit", out);
	for (int i = 0; !err && i < all->cnt; i++) {
		char *name = newest_point(all, &all->v[i]) ? make_name(all, &all->v[i], true)
							   : NULL;

		if (!newest_point(all, &all->v[i]))
			continue;
		err = name ? put_field(name, out) : -ENOMEM;
		free(name);
		cnt++;
	}
	fputc('\n', out);
	return err ?: cnt ? 0 : -ENODATA;
}

static int put_commit(const struct history_all *all, const struct history_entry *e, FILE *out)
{
	char number[NUMBER_SZ], time[32] = "";
	struct tm tm;
	int err;

	if (gmtime_r(&e->date.tv_sec, &tm))
		strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fputs(time, out);
	err = put_field(e->commit, out);
	for (int i = 0; i < all->cnt; i++)
		if (newest_point(all, &all->v[i]))
			fprintf(out, ",%s",
				number__plain(number, point_at(&all->v[i], e->position)->value));
	fputc('\n', out);
	return err;
}

int history_export__otava(const struct history_all *all, FILE *out)
{
	int err = put_header(all, out);

	for (int i = 0, last = -1; !err && i < all->h->cnt; i++) {
		const struct history_entry *e = &all->h->v[i];

		if (e->position != last && is_complete(all, e->position))
			err = put_commit(all, e, out);
		last = e->position;
	}
	return err;
}

/* ---- benchfmt ---- */

int history_export__benchfmt(const struct history_all *all, FILE *out)
{
	const struct render_opts o = {};
	int err = 0;

	for (int i = 0; !err && i < all->h->cnt; i++) {
		const struct history_entry *e = &all->h->v[i];
		char date[HISTORY_DATE_SZ];

		fprintf(out, "%scommit: ", i ? "\n" : "");
		err = text__put(out, text__utf8(e->commit));
		fprintf(out, "\ncommit-date: %s\n", history__format_date(&e->date, date));
		err = err ?: report__render_benchfmt(e->report, &o, out);
	}
	return err;
}
