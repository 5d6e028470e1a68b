// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A history in the formats of other tools. Owns the names of series in these formats. Must not know
 * how changes are found.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "history/history_export.h"
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "render/render.h"

/* Returns the last point of the series if the point belongs to the newest commit, else NULL. */
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
 * Returns the name of a series: "xdp_lb [case]: instructions min". If there are several
 * environments, the name contains the environment. The caller frees the name.
 */
static char *make_series_name(const struct history_all *all, const struct history_series *s)
{
	bool env = several_envs(all);
	char title[TITLE_SZ], *name, *utf8;

	name = text__format("%s%s%s%s: %s %s", report_prog__part_title(s->prog, title),
			    env ? " (" : "", env ? s->env->label : "", env ? ")" : "", s->ev->name,
			    compare_stats[s->stat].name);
	utf8 = text__utf8(name);
	free(name);
	return utf8;
}

/* ---- github-action-benchmark, which keeps the history itself ---- */

static bool has_result(const json_t *results, const char *name)
{
	for (size_t i = 0; i < json_array_size(results); i++)
		if (!strcmp(json_string_value(json_object_get(json_array_get(results, i), "name")),
			    name))
			return true;
	return false;
}

/*
 * Returns how many earlier series of the environment have the same name, but belong to another program or
 * another event of the report. Also counts those without a value in the newest commit, so that the numbers of
 * the others stay the same.
 */
static int count_namesakes(const struct history_all *all, const struct history_series *s,
			   const char *name)
{
	int cnt = 0;

	for (const struct history_series *other = all->v; other < s; other++) {
		char *other_name;

		if (other->env != s->env ||
		    (other->prog_nr == s->prog_nr && other->event_nr == s->event_nr))
			continue;
		other_name = make_series_name(all, other);
		cnt += !strcmp(name, other_name);
		free(other_name);
	}
	return cnt;
}

/*
 * Returns a name that no earlier result has: of two results with the same name, the tool would compare one
 * with the other. The caller frees the name.
 */
static char *make_unique_name(const struct history_all *all, const struct history_series *s,
			      const json_t *earlier)
{
	char *name = make_series_name(all, s), *unique;
	int n = 1 + count_namesakes(all, s, name);

	unique = n > 1 ? text__format("%s #%d", name, n) : xstrdup(name);
	while (has_result(earlier, unique)) {
		free(unique);
		unique = text__format("%s #%d", name, ++n);
	}
	free(name);
	return unique;
}

static json_t *make_result(const struct history_all *all, const struct history_series *s,
			   const struct history_point *p, const json_t *earlier)
{
	json_t *obj = json_object();
	char *name = make_unique_name(all, s, earlier), range[2 * NUMBER_SZ], half[NUMBER_SZ];
	json_object_set_new(obj, "name", json_string(name));

	json__set_string(obj, "unit", *(s->ev->unit ?: "") ? s->ev->unit : s->ev->name);
	json__set_number(obj, "value", p->value);
	if (isfinite(p->low)) {
		number__plain(half, (p->high - p->low) / 2);
		snprintf(range, sizeof(range), "\u00b1 %s", half);
		json_object_set_new(obj, "range", json_string(range));
	}
	json__set_string(obj, "extra", s->env->text);
	free(name);
	return obj;
}

int history_export__github(const struct history_all *all, FILE *out)
{
	json_t *doc = json_array();

	for (int i = 0; i < all->cnt; i++) {
		const struct history_point *p = newest_point(all, &all->v[i]);

		if (p)
			json_array_append_new(doc, make_result(all, &all->v[i], p, doc));
	}
	if (!json_array_size(doc)) {
		json_decref(doc);
		return -ENODATA;
	}
	json__print(doc, JSON_INDENTED, out);
	return 0;
}

/* ---- benchfmt ---- */

int history_export__benchfmt(const struct history_all *all, FILE *out)
{
	const struct render_opts o = {};

	for (int i = 0; i < all->h->cnt; i++) {
		const struct history_entry *e = &all->h->v[i];
		char date[HISTORY_DATE_SZ];

		fprintf(out, "%scommit: ", i ? "\n" : "");
		text__put(out, text__utf8(e->commit));
		fprintf(out, "\ncommit-date: %s\n", history__format_date(&e->date, date));
		report__render_benchfmt(e->report, &o, out);
	}
	return 0;
}
