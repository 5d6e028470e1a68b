// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes and reads a comparison as JSON, schema 1: fields may be added, but never renamed. Owns the
 * names of the fields. Exceptions are the fields of programs (compare_json_prog.c), and the names of
 * verdicts and statistics, which are in tables of other files. Leaves out unknown values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/memory.h"
#include "base/util.h"
#include "compare/compare_json_priv.h"
#include "compare/compare_priv.h"
#include "json/json_ascii.h"
#include "json/json_make.h"

#define COMPARE_SCHEMA 1
#define MAX_ROWS (READER_MAX_ROWS / 4)

#define SAVED(field) offsetof(struct compare_saved, field)
#define ALL(field) offsetof(struct comparison, field)
#define ROW(field) offsetof(struct compare_row, field)
static const struct json_field gap_rows[] = {
	FIELD("entry", string, offsetof(struct compare_gap, name), .required = true),
	FIELD("why", string, offsetof(struct compare_gap, why), .required = true),
	{},
};

#define PLACE(field) offsetof(struct compare_place, field)
#define DIFFERENCE(field) offsetof(struct compare_difference, field)
#define INTERVAL(field) offsetof(struct stats_interval, field)

/* ---- values ---- */

/* The name of an enum value. arg: struct json_table with the names. */
static json_t *make_choice(const struct json_field *f, const void *from, const void *user)
{
	const struct json_table *t = f->arg;
	const char *base = (const char *)t->name + *(const unsigned int *)from * t->name_step;

	return json_string(*(const char *const *)base);
}

static int read_choice(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct json_table *t = f->arg;
	const char *s = json_string_value(v);

	if (!s)
		return json_reader__refuse_type(rd, "a string", v);
	for (int i = 0; i < t->cnt; i++) {
		if (!strcmp(s, *(const char *const *)((const char *)t->name + i * t->name_step))) {
			*(unsigned int *)to = i;
			return 0;
		}
	}
	return json_reader__refuse(rd, "not one of the known names");
}

static const struct json_kind field_choice = {.make = make_choice, .read = read_choice};

static json_t *make_constant(const struct json_field *f, const void *from, const void *user)
{
	return json__make_number(*(const double *)f->arg);
}

static const struct json_kind field_constant = {.make = make_constant};

static json_t *make_limit(const struct json_field *f, const void *from, const void *user)
{
	const struct compare_limit *limit = *(const struct compare_limit *const *)from;

	return limit ? json__make_string(limit->spec) : json_null();
}

/*
 * Reads a limit into c->default_limits, and sets row->limits to its index + 1. A pointer would
 * become invalid when the list grows. Bits, as elsewhere, are too few: the rows of a suite may have
 * more than 64 different limits.
 */
static int read_limit(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct compare_row *row = (void *)((char *)to - ROW(limit));
	const struct compare_reader *reader = container_of(rd->user, struct compare_reader, report);
	struct compare_limits *l = reader->limits;
	struct parse_error perr;
	int i = 0, err = 0;

	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	while (i < l->cnt && strcmp(l->v[i].spec, json_string_value(v)))
		i++;
	if (i == l->cnt)
		err = compare_limits__add(l, json_string_value(v), &perr);
	row->limits = i + 1;
	return err ? json_reader__refuse(rd, "not a limit") : 0;
}

static const struct json_kind field_limit = {.make = make_limit, .read = read_limit};

static json_t *make_why(const struct json_field *f, const void *from, const void *user)
{
	return field_chars.make(f, from, user);
}

static int read_why(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	snprintf(to, sizeof(((struct compare_row *)NULL)->why), "%s", json_string_value(v));
	return 0;
}

static const struct json_kind field_why = {.make = make_why, .read = read_why};

/* ---- rows ---- */

HAS(is_returned, struct compare_row, row, row->returned.base)
HAS(is_coarse, struct compare_row, row, row->rough_share)
HAS(has_commit, struct compare_row, row, row->commit)
HAS(has_basis, struct comparison, c, c->basis)

static json_t *make_true(const struct json_field *f, const void *from, const void *user)
{
	return json_true();
}

static const struct json_kind field_true = {.make = make_true};

static const struct json_field interval_rows[] = {
	FIELD("estimate", number, INTERVAL(estimate)),
	FIELD("low", number, INTERVAL(low)),
	FIELD("high", number, INTERVAL(high)),
	{},
};

static const struct json_field row_rows[] = {
	FIELD("verdict", choice, ROW(verdict), .required = true,
	      .arg = TABLE(verdict_specs, int, int)),
	FIELD(NULL, names, 0),
	FIELD("retval_changed", true, 0, .has = is_returned),
	FIELD("base_retval", retval, ROW(returned.base), .has = is_returned),
	FIELD("new_retval", retval, ROW(returned.new), .has = is_returned),
	FIELD("event", word, ROW(event), .required = true),
	FIELD("unit", word, ROW(unit), .required = true),
	FIELD("stat", choice, ROW(stat), .required = true, .arg = TABLE(compare_stats, int, int)),
	FIELD("exact", bool, ROW(exact), .required = true),
	FIELD("refused", bool, ROW(refused), .omit = true),
	FIELD("alone", bool, ROW(alone), .omit = true),
	FIELD("rough", bool, ROW(rough), .omit = true),
	FIELD("rough_share", number, ROW(rough_share), .has = is_coarse),
	FIELD("base", number, ROW(base_value)),
	FIELD("new", number, ROW(new_value)),
	FIELD("change", object, ROW(change), .omit = true, .arg = interval_rows),
	FIELD("share", object, ROW(share), .omit = true, .arg = interval_rows),
	FIELD("shift", object, ROW(shift), .omit = true, .arg = interval_rows),
	FIELD("point", word, ROW(point), .omit = true),
	FIELD("reference", bool, ROW(reference), .omit = true),
	FIELD("base_blocks", int, ROW(base_blocks), .required = true),
	FIELD("new_blocks", int, ROW(new_blocks), .required = true),
	FIELD("p", number, ROW(p)),
	FIELD("adjusted_p", number, ROW(adjusted_p)),
	FIELD("limit", limit, ROW(limit)),
	FIELD("why", why, ROW(why), .omit = true),
	FIELD("commit", word, ROW(commit), .has = has_commit),
	FIELD("environment", word, ROW(environment), .has = has_commit),
	{},
};

static void *add_json_row(void *owner)
{
	static const struct stats_interval none = {NAN, NAN, NAN};
	struct comparison *c = owner;
	struct compare_row *row = array__add(&c->row, &c->row_cnt, sizeof(*row));

	*row = (struct compare_row){
		.base_value = NAN,
		.new_value = NAN,
		.change = none,
		.share = none,
		.shift = none,
		.p = NAN,
		.adjusted_p = NAN,
	};
	return row;
}

/* If the return values of a row differ, the row must have both values. */
static int check_retvals_of_row(struct json_reader *rd, json_t *v, void *to)
{
	const struct compare_row *row = to;

	return !row->returned.base != !row->returned.new
		       ? json_reader__refuse(rd, "has only one return value")
		       : 0;
}

/* ---- the document ---- */

static const struct json_field difference_rows[] = {
	FIELD("what", string, DIFFERENCE(what), .required = true),
	FIELD("base", string, DIFFERENCE(base), .required = true),
	FIELD("new", string, DIFFERENCE(new), .required = true),
	{},
};

static const struct json_field verdict_rows[] = {
	FIELD("verdict", choice, ALL(verdict), .required = true,
	      .arg = TABLE(verdict_specs, int, int)),
	{},
};

static const struct json_field count_rows[] = {
	FIELD("counts", table, ALL(cnt), .required = true, .arg = TABLE(verdict_specs, int, int)),
	{},
};

static const struct json_field place_rows[] = {
	FIELD("label", string, PLACE(label), .required = true),
	FIELD("kernel", string, PLACE(kernel), .omit = true),
	{},
};

static const struct json_field result_rows[] = {
	FIELD("axis", string, ALL(axis), .omit = true),
	FIELD("points", list, 0, .omit = true,
	      .arg = LIST(struct comparison, place, place_cnt, object, .elem.arg = place_rows,
			  .max = MAX_ROWS)),
	FIELD("tests", int, ALL(tests)),
	FIELD("unmeasured", int, ALL(unmeasured)),
	FIELD("untested", int, ALL(untested)),
	FIELD("ambiguous", int, ALL(ambiguous)),
	FIELD("returned", int, ALL(returned), .omit = true),
	FIELD("differences", list, 0, .required = true,
	      .arg = LIST(struct comparison, difference, difference_cnt, object,
			  .elem.arg = difference_rows, .max = MAX_ROWS)),
	FIELD("not_measured", list, 0, .omit = true,
	      .arg = LIST(struct comparison, gap, gap_cnt, object, .elem.arg = gap_rows)),
	FIELD("comparisons", list, 0, .required = true,
	      .arg = LIST(struct comparison, row, row_cnt, object, .elem.arg = row_rows,
			  .elem.check = check_retvals_of_row, .add = add_json_row,
			  .max = MAX_ROWS)),
	FIELD("sizes", list, 0, .omit = true,
	      .arg = LIST(struct comparison, size, size_cnt, size, .max = MAX_ROWS)),
	{},
};

static json_t *make_alpha(const struct json_field *f, const void *from, const void *user)
{
	return json__make_number(basis_specs[*(const enum compare_basis *)from].alpha);
}

/* Not read: alpha follows from the basis. */
static const struct json_kind field_alpha = {.make = make_alpha};

static const struct json_field basis_rows[] = {
	FIELD("basis", choice, ALL(basis), .has = has_basis, .arg = TABLE(basis_specs, int, int)),
	FIELD("alpha", alpha, ALL(basis)),
	{},
};

static const double level = STATS_LEVEL;

static const struct json_field saved_rows[] = {
	FIELD("tool", const, 0, .arg = "bprof"),
	FIELD("version", string, SAVED(version), .required = true),
	FIELD(NULL, pointed, SAVED(c), .arg = verdict_rows),
	FIELD("exit_status", int, SAVED(exit_status)),
	FIELD("inconclusive_ok", bool, SAVED(inconclusive_ok), .omit = true),
	FIELD("one_sided_ok", bool, SAVED(one_sided_ok), .omit = true),
	FIELD("base", string, SAVED(base_name), .required = true),
	FIELD("new", string, SAVED(new_name), .required = true),
	FIELD(NULL, pointed, SAVED(c), .arg = count_rows),
	FIELD(NULL, pointed, SAVED(c), .arg = basis_rows),
	FIELD("level", constant, 0, .arg = &level),
	FIELD(NULL, pointed, SAVED(c), .arg = result_rows),
	{},
};

void comparison__render_json(const struct comparison *c, const struct compare_render_opts *o,
			     FILE *out)
{
	const struct compare_saved saved = {
		.c = (struct comparison *)c,
		.version = (char *)(o->version ?: build_info__version()),
		.base_name = (char *)o->base_name,
		.new_name = (char *)o->new_name,
		.exit_status = o->exit_status,
		.inconclusive_ok = o->excuses & EXCUSE_INCONCLUSIVE,
		.one_sided_ok = o->excuses & EXCUSE_ONE_SIDED,
	};
	json_t *doc = json_object();

	json_object_set_new(doc, "schema", json_integer(COMPARE_SCHEMA));
	json__set_fields(doc, saved_rows, &saved, NULL);
	json__print(doc, o->one_line ? JSON_LINE : JSON_INDENTED, out);
}

/* ---- reading ---- */

static int read_fields(struct compare_saved *saved, json_t *doc, struct report_error *err)
{
	struct comparison *c = saved->c;
	struct compare_reader reader = {.report.r = c->source, .limits = &c->default_limits};
	struct json_reader rd = {
		.text = err->text,
		.text_sz = sizeof(err->text),
		.user = &reader.report,
	};
	size_t progs = compare_reader__count_progs(doc);
	int ret;

	if (progs > 4 * MAX_ROWS)
		return report_error__set(err, err->line, "too many rows");
	compare_reader__add_progs(&reader, progs);
	ret = json_reader__object(&rd, doc, saved_rows, saved);
	if (!ret && c->place_cnt && !c->axis)
		ret = report_error__set(err, err->line, "axis: is missing, but there are points");
	if (!ret)
		comparison__group_rows(c);
	for (int i = 0; !ret && i < c->row_cnt; i++)
		if (c->row[i].limits)
			c->row[i].limit = &c->default_limits.v[c->row[i].limits - 1];
	return ret;
}

int compare_saved__parse(const struct report_source *src, json_t *doc, struct compare_saved *out,
			 struct report_error *err)
{
	int ret = report_source__check(src, doc, "comparisons", COMPARE_SCHEMA, err);

	*out = (struct compare_saved){};
	if (ret)
		return ret;
	out->c = xcalloc(1, sizeof(*out->c));
	out->c->source = report__new();
	ret = read_fields(out, doc, err);
	if (ret)
		compare_saved__free(out);
	return ret;
}

void compare_saved__free(struct compare_saved *s)
{
	comparison__free(s->c);
	free(s->version);
	free(s->base_name);
	free(s->new_name);
	*s = (struct compare_saved){};
}
