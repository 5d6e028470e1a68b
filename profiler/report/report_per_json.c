// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The costs per run of a program, and of operations, as JSON. Owns the fields of these costs. Only
 * the field of the program is read back: the other fields are calculated from other parts of the
 * report.
 */
#include <jansson.h>

#include "base/text.h"
#include "json/json_make.h"
#include "report/report_head.h"
#include "report/report_per.h"

static void set_cost(json_t *obj, const struct report_event *ev, const struct per_cost *c)
{
	json_object_set_new(obj, "name", json__make_string(ev->name));
	json__set_number(obj, "cost", c->value);
	json__set_number(obj, "cost_stddev", c->stddev);
	if (c->estimated)
		json_object_set_new(obj, "estimated", json_true());
}

static json_t *make_row_costs(const struct per_table *t, const struct per_row *row)
{
	json_t *costs = json_array();

	for (int i = 0; i < t->event_cnt; i++) {
		const struct per_value *v = &row->value[i];
		json_t *obj = json_object();

		set_cost(obj, t->event[i].ev, &v->cost);
		if (v->left_out != PER_IN_TOTAL)
			json_object_set_new(
				obj, "left_out",
				json__make_string(per_left_out_specs[v->left_out].name));
		json_array_append_new(costs, obj);
	}
	return costs;
}

static json_t *make_per_row(const struct per_table *t, const struct per_row *row)
{
	json_t *obj = json_object();
	char returns[RETURNS_SZ];

	json_object_set_new(obj, "id", json__make_u64(row->p->programs ? 0 : row->p->id));
	json_object_set_new(obj, "name", json__make_string(row->p->name));
	if (row->p->subprog)
		json_object_set_new(obj, "func", json__make_string(row->p->func));
	if (row->p->by_retval)
		json_object_set_new(
			obj, "part",
			json__make_string(text__or_empty(report_prog__returns(row->p, returns))));
	json__set_number(obj, "runs", row->runs);
	json_object_set_new(obj, "events", make_row_costs(t, row));
	return obj;
}

static json_t *make_totals(const struct per_table *t)
{
	json_t *totals = json_array();

	for (int i = 0; i < t->event_cnt; i++) {
		json_t *obj = json_object();

		set_cost(obj, t->event[i].ev, &t->event[i].cost);
		json_object_set_new(obj, "left_out", json__make_u64(t->event[i].left_out));
		json_array_append_new(totals, obj);
	}
	return totals;
}

static json_t *make_rows(const struct per_table *t)
{
	json_t *rows = json_array();

	for (int i = 0; i < t->row_cnt; i++)
		json_array_append_new(rows, make_per_row(t, &t->row[i]));
	return rows;
}

static json_t *make_per(const struct json_field *f, const void *from, const void *user)
{
	const struct report *r = from;
	struct per_table t;
	json_t *obj;

	if (!r->per)
		return json_null();
	per_table__make(r, &t);
	obj = json_object();
	json_object_set_new(obj, "program", json__make_string(r->per));
	if (t.program)
		json__set_number(obj, "runs", t.runs);
	json_object_set_new(obj, "rows", make_rows(&t));
	json_object_set_new(obj, "total", make_totals(&t));
	per_table__free(&t);
	return obj;
}

/*
 * The operations of struct_ops maps, per second. They are not read back, but calculated from other
 * parts of the report.
 */
static json_t *make_ops(const struct json_field *f, const void *from, const void *user)
{
	json_t *all = NULL;
	struct per_table t;
	int at = -1;

	while (per_table__next_ops(from, &at, &t)) {
		json_t *obj = json_object();
		char map[OPS_MAP_SZ] = "";

		report_prog__ops_map(t.program, map);
		json_object_set_new(obj, "map", json__make_string(map));
		json_object_set_new(obj, "rows", make_rows(&t));
		json_object_set_new(obj, "total", make_totals(&t));
		all = all ?: json_array();
		json_array_append_new(all, obj);
		per_table__free(&t);
	}
	return all ?: json_null();
}

static int read_per(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const char *program = json_string_value(json_object_get(v, "program"));

	if (!json__is(v, JSON_OBJECT))
		return json_reader__refuse_type(rd, "an object", v);
	if (!program)
		return json_reader__refuse(rd, "has no program");
	report__set_per(to, program);
	return 0;
}

const struct json_kind field_per = {.make = make_per, .read = read_per};
const struct json_kind field_ops_totals = {.make = make_ops};
