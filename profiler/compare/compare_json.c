// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A comparison as JSON, schema 1: fields may be added, never renamed. Owns the names of the fields,
 * except the names of verdicts, statistics and sizes, which other files have in tables. Leaves out
 * unknown values.
 */
#include <errno.h>

#include "base/build_info.h"
#include "compare/compare_render.h"
#include "json/json_ascii.h"
#include "json/json_make.h"

static int set_interval(json_t *obj, const char *key, const struct stats_interval *in)
{
	json_t *values = json_object();
	int err = 0;

	err |= json__set_number(values, "estimate", in->estimate);
	err |= json__set_number(values, "low", in->low);
	err |= json__set_number(values, "high", in->high);
	if (!json_object_size(values)) {
		json_decref(values);
		return err;
	}
	return err | json_object_set_new(obj, key, values);
}

/* Sets "program" to the name in the new report, and "base_program" to that in the base. */
static int set_labels(json_t *obj, const struct report_prog *base, const struct report_prog *new)
{
	char label[LABEL_SZ];
	int err = 0;

	err |= json__set_string(obj, "program", report_prog__label(new ?: base, label));
	if (base && new)
		err |= json__set_string(obj, "base_program", report_prog__label(base, label));
	return err;
}

/* Writes a return value as a number, or as a text if the runs returned different values. */
static int set_retval(json_t *obj, const char *key, const struct report_prog *p)
{
	if (p->retval_varies)
		return json__set_string(obj, key, "various");
	if (p->retvals)
		return json__set_string(obj, key, "by packet");
	return json__set_number(obj, key, p->retval);
}

static int set_prog(json_t *obj, const struct compare_row *row)
{
	const struct report_prog *p = row->new ?: row->base;
	char retval[RETURNS_SZ];
	int err = set_labels(obj, row->base, row->new);

	err |= json__set_string(obj, "func", p->func);
	err |= json__set_string(obj, "type", p->type);
	if (p->input)
		err |= json__set_string(obj, "case", p->input);
	if (p->by_retval) {
		err |= json__set_number(obj, "retval", p->retval);
		err |= json__set_string(obj, "retval_name", report_prog__returns(p, retval));
	}
	return err;
}

static json_t *make_row(const struct compare_row *row)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "verdict", verdict_specs[row->verdict].name);
	err |= set_prog(obj, row);
	if (row->returned.base) {
		err |= json_object_set_new(obj, "retval_changed", json_true());
		err |= set_retval(obj, "base_retval", row->returned.base);
		err |= set_retval(obj, "new_retval", row->returned.new);
	}
	err |= json__set_string(obj, "event", row->event);
	err |= json__set_string(obj, "unit", row->unit);
	err |= json__set_string(obj, "stat", stat_specs[row->stat].name);
	err |= json_object_set_new(obj, "exact", json_boolean(row->exact));
	err |= json__set_number(obj, "base", row->base_value);
	err |= json__set_number(obj, "new", row->new_value);
	err |= set_interval(obj, "change", &row->change);
	err |= set_interval(obj, "share", &row->share);
	err |= set_interval(obj, "shift", &row->shift);
	err |= json_object_set_new(obj, "base_blocks", json_integer(row->base_blocks));
	err |= json_object_set_new(obj, "new_blocks", json_integer(row->new_blocks));
	err |= json__set_number(obj, "p", row->p);
	err |= json__set_number(obj, "adjusted_p", row->adjusted_p);
	if (row->limit)
		err |= json__set_string(obj, "limit", row->limit->spec);
	if (*row->why)
		err |= json__set_string(obj, "why", row->why);
	return json__finish(obj, err);
}

static json_t *make_counts(const struct comparison *c)
{
	json_t *obj = json_object();
	int err = 0;

	for (int i = 0; i < VERDICT_CNT; i++)
		err |= json_object_set_new(obj, verdict_specs[i].name, json_integer(c->cnt[i]));
	return json__finish(obj, err);
}

static json_t *make_difference(const struct compare_difference *d)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "what", d->what);
	err |= json__set_string(obj, "base", d->base);
	err |= json__set_string(obj, "new", d->new);
	return json__finish(obj, err);
}

/*
 * Makes the object with a program's sizes, including unchanged sizes and sizes that only one report
 * has.
 */
static json_t *make_size(const struct compare_pair *prog)
{
	json_t *obj = json_object();
	int err = set_labels(obj, prog->base, prog->new);

	for (int id = 0; id < SIZE_CNT; id++) {
		json_t *size = json_object();

		if (prog->base)
			err |= json__set_number(size, "base", prog->base->size[id]);
		if (prog->new)
			err |= json__set_number(size, "new", prog->new->size[id]);
		if (prog->base && prog->new)
			err |= json__set_number(size, "change",
						prog->new->size[id] - prog->base->size[id]);
		if (size && !json_object_size(size))
			json_decref(size);
		else
			err |= json_object_set_new(obj, size_specs[id].name, size);
	}
	return json__finish(obj, err);
}

static json_t *make_sizes(const struct comparison *c)
{
	json_t *sizes = json_array();
	int err = 0;

	for (int i = 0; i < c->size_cnt; i++)
		err |= json_array_append_new(sizes, make_size(&c->size[i]));
	return json__finish(sizes, err);
}

static json_t *make_comparison(const struct comparison *c, const struct compare_render_opts *o)
{
	json_t *obj = json_object(), *rows = json_array(), *differences = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "schema", json_integer(1));
	err |= json__set_string(obj, "tool", "bprof");
	err |= json__set_string(obj, "version", build_info__version());
	err |= json__set_string(obj, "verdict", verdict_specs[c->verdict].name);
	err |= json_object_set_new(obj, "exit_status", json_integer(o->exit_status));
	err |= json__set_string(obj, "base", o->base_name);
	err |= json__set_string(obj, "new", o->new_name);
	err |= json_object_set_new(obj, "counts", make_counts(c));
	err |= json__set_number(obj, "alpha", COMPARE_ALPHA);
	err |= json__set_number(obj, "level", STATS_LEVEL);
	err |= json_object_set_new(obj, "tests", json_integer(c->tests));
	err |= json_object_set_new(obj, "unmeasured", json_integer(c->unmeasured));
	err |= json_object_set_new(obj, "untested", json_integer(c->untested));
	err |= json_object_set_new(obj, "ambiguous", json_integer(c->ambiguous));
	for (int i = 0; i < c->difference_cnt; i++)
		err |= json_array_append_new(differences, make_difference(&c->difference[i]));
	err |= json_object_set_new(obj, "differences", differences);
	for (int i = 0; i < c->row_cnt; i++)
		err |= json_array_append_new(rows, make_row(&c->row[i]));
	err |= json_object_set_new(obj, "comparisons", rows);
	if (c->size_cnt)
		err |= json_object_set_new(obj, "sizes", make_sizes(c));
	return json__finish(obj, err);
}

int comparison__render_json(const struct comparison *c, const struct compare_render_opts *o,
			    FILE *out)
{
	int err =
		json__print(make_comparison(c, o), 0, o->one_line ? JSON_LINE : JSON_INDENTED, out);

	return err || ferror(out) ? -ENOMEM : 0;
}
