// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes and reads the programs of a comparison as JSON. Owns the fields with the programs' names,
 * return values and sizes. JSON has no other facts on programs. A comparison that was read from
 * JSON makes its own struct report_prog, with only these members.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "compare/compare_json_priv.h"
#include "json/json_make.h"

size_t compare_reader__count_progs(const json_t *doc)
{
	static const char *const retvals[] = {"base_retval", "new_retval"};
	const json_t *rows = json_object_get(doc, "comparisons");
	size_t cnt = 2 * (json_array_size(rows) + json_array_size(json_object_get(doc, "sizes")));

	for (size_t i = 0; i < json_array_size(rows); i++)
		for (size_t k = 0; k < ARRAY_SIZE(retvals); k++)
			cnt += !!json_object_get(json_array_get(rows, i), retvals[k]);
	return cnt;
}

void compare_reader__add_progs(struct compare_reader *reader, size_t cnt)
{
	while (cnt--)
		report__add_prog(reader->report.r);
}

/*
 * Returns an unused program of the comparison. There are enough, because
 * compare_reader__count_progs() counted them.
 */
static struct report_prog *take_prog(struct json_reader *rd)
{
	struct compare_reader *reader = container_of(rd->user, struct compare_reader, report);

	return &reader->report.r->prog[reader->next_prog++];
}

/* ---- return values ---- */

/* A return value is a number, or a text if the runs returned different values. */
static json_t *make_retval(const struct json_field *f, const void *from, const void *user)
{
	const struct report_prog *p = *(const struct report_prog *const *)from;

	if (p->retval_varies)
		return json_string("various");
	if (p->retvals)
		return json_string("by packet");
	return isnan(p->retval) ? json_null() : json__make_number(p->retval);
}

static int read_retval(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct report_prog *p = take_prog(rd);

	if (json__is_number(v)) {
		p->retval = json_number_value(v);
	} else if (json__is(v, JSON_STRING) && !strcmp(json_string_value(v), "by packet")) {
		p->retvals = xcalloc(1, sizeof(*p->retvals));
	} else {
		p->retval_varies = true;
	}
	*(const struct report_prog **)to = p;
	return 0;
}

const struct json_kind field_retval = {.make = make_retval, .read = read_retval};

/* ---- names and sizes ---- */

/* The names of a pair of programs, and their sizes, as JSON has them. */
struct pair {
	char *label, *base_label; /* base_label: NULL if only one report has the program */
	char *func, *type, *input;
	const char *point;
	double retval; /* with --by retval: the return value of the row, and the value's name */
	char *retval_name;
	/*
	 * with another key of --by: its value and the value's name; key_rest: the name of the row
	 * for all other values
	 */
	double key_value;
	char *key_name, *key_rest;
	struct {
		double base, new, change;
	} size[SIZE_CNT];
};

#define PAIR(field) offsetof(struct pair, field)

static const struct json_field label_rows[] = {
	FIELD("program", string, PAIR(label), .required = true),
	FIELD("base_program", string, PAIR(base_label), .omit = true),
	{},
};

static const struct json_field name_rows[] = {
	FIELD(NULL, object, 0, .arg = label_rows),
	FIELD("func", string, PAIR(func), .required = true),
	FIELD("type", string, PAIR(type), .required = true),
	FIELD("case", string, PAIR(input), .omit = true),
	FIELD("retval", number, PAIR(retval)),
	FIELD("retval_name", string, PAIR(retval_name), .omit = true),
	FIELD("key_value", number, PAIR(key_value)),
	FIELD("key_name", string, PAIR(key_name), .omit = true),
	FIELD("key_rest", string, PAIR(key_rest), .omit = true),
	{},
};

static const struct json_field size_rows[] = {
	FIELD("base", number, 0),
	FIELD("new", number, PAIR(size[0].new) - PAIR(size[0].base)),
	FIELD("change", number, PAIR(size[0].change) - PAIR(size[0].base)),
	{},
};

static const struct json_field pair_rows[] = {
	FIELD(NULL, object, 0, .arg = label_rows),
	FIELD("point", word, PAIR(point), .omit = true),
	FIELD(NULL, table, PAIR(size),
	      .arg = TABLE(size_specs, object, ((struct pair *)NULL)->size[0], .row.arg = size_rows,
			   .row.omit = true)),
	{},
};

/*
 * Writes the fields of "rows" for a pair of programs, one of which may be NULL. point: the point of
 * the axis, or NULL.
 */
static void set_pair(json_t *obj, const struct json_field *rows, const struct report_prog *base,
		     const struct report_prog *new, const char *point)
{
	const struct report_prog *p = new ?: base;
	char label[LABEL_SZ], base_label[LABEL_SZ];
	struct pair pair = {.label = label,
			    .func = p->func,
			    .type = p->type,
			    .input = p->input,
			    .point = point,
			    .retval = p->by_retval ? p->retval : NAN,
			    .key_value = p->key_value,
			    .key_name = p->key_name};
	char retval[RETURNS_SZ];

	if (p->by_retval && !p->by_key)
		pair.retval_name = (char *)report_prog__returns(p, retval);
	else if (p->by_key && !p->key_name)
		pair.key_rest = (char *)report_prog__returns(p, retval);
	report_prog__label(p, label);
	if (base && new) {
		report_prog__label(base, base_label);
		pair.base_label = base_label;
	}
	for (int id = 0; id < SIZE_CNT; id++) {
		pair.size[id].base = base ? base->size[id] : NAN;
		pair.size[id].new = new ? new->size[id] : NAN;
		pair.size[id].change = pair.size[id].new - pair.size[id].base;
	}
	json__set_fields(obj, rows, &pair, NULL);
}

/*
 * Makes a program from its label ("program", "program:function") and its function, so that it gets
 * the same label again.
 */
static struct report_prog *make_prog(struct json_reader *rd, const char *label,
				     const struct pair *pair)
{
	struct report_prog *p = take_prog(rd);
	size_t len = strlen(label), func_len = pair->func ? strlen(pair->func) : 0;
	bool subprog = func_len && len > func_len + 1 && label[len - func_len - 1] == ':' &&
		       !strcmp(label + len - func_len, pair->func);

	if (subprog) {
		p->name = xstrndup(label, len - func_len - 1);
		p->func = xstrdup(pair->func);
		p->subprog = true;
	} else {
		p->func = xstrdup(label);
	}
	if (pair->retval_name)
		report_prog__set_part(p, pair->retval_name);
	p->retval = pair->retval;
	p->by_key = pair->key_name || pair->key_rest;
	if (p->by_key)
		report_prog__set_part(p, pair->key_rest);
	p->key_value = pair->key_value;
	p->key_name = text__dup(pair->key_name);
	p->type = text__dup(pair->type);
	p->input = text__dup(pair->input);
	return p;
}

/*
 * Reads the fields of "rows". one_is_base: if only one report has the program, whether it is the
 * base report.
 */
static int read_pair(struct json_reader *rd, json_t *v, const struct json_field *rows,
		     bool one_is_base, struct compare_pair *out)
{
	struct pair pair = {.retval = NAN, .key_value = NAN};
	struct report_prog *b = NULL, *n = NULL;
	int err;

	for (int id = 0; id < SIZE_CNT; id++)
		pair.size[id].base = pair.size[id].new = NAN;
	err = json_reader__object(rd, v, rows, &pair);
	for (int id = 0; !err && id < SIZE_CNT && !pair.base_label; id++)
		one_is_base |= !isnan(pair.size[id].base);
	if (!err && (pair.base_label || one_is_base))
		b = make_prog(rd, pair.base_label ?: pair.label, &pair);
	if (!err && (pair.base_label || !one_is_base))
		n = make_prog(rd, pair.label, &pair);
	for (int id = 0; !err && id < SIZE_CNT; id++) {
		if (b)
			b->size[id] = pair.size[id].base;
		if (n)
			n->size[id] = pair.size[id].new;
	}
	*out = (struct compare_pair){.base = b, .new = n, .point = pair.point};
	free(pair.label);
	free(pair.base_label);
	free(pair.func);
	free(pair.type);
	free(pair.input);
	free(pair.retval_name);
	free(pair.key_name);
	free(pair.key_rest);
	return err;
}

static void set_names(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	const struct compare_row *row = from;

	set_pair(obj, name_rows, row->base, row->new, row->point);
}

static int read_names(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct compare_row *row = to;
	struct compare_pair pair = {};
	int err = read_pair(rd, v, name_rows, row->verdict == VERDICT_GONE, &pair);

	row->base = pair.base;
	row->new = pair.new;
	return err;
}

const struct json_kind field_names = {.set = set_names, .read = read_names};

static void set_size(const struct json_field *f, json_t *obj, const void *from, const void *user)
{
	const struct compare_pair *pair = from;

	set_pair(obj, pair_rows, pair->base, pair->new, pair->point);
}

static int read_size(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	return read_pair(rd, v, pair_rows, false, to);
}

const struct json_kind field_size = {.set = set_size, .read = read_size};
