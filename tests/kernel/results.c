// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads bprof's report for the tests. If a value is missing or has another type, prints the report
 * and fails the test.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

/* Returns the value at a path such as "a.b.c"; fails the test if there is no such value. */
static json_t *at(json_t *obj, const char *path)
{
	char *keys = strdup(path), *save = NULL;
	json_t *v = json_object_get(obj, path); /* a key with a point, such as p99.9 */

	assert_non_null(keys);
	if (v) {
		free(keys);
		return v;
	}
	v = obj;
	for (char *key = strtok_r(keys, ".", &save); key; key = strtok_r(NULL, ".", &save))
		v = json_object_get(v, key);
	free(keys);
	if (!v) {
		char *text = json_dumps(obj, JSON_INDENT(1));

		fprintf(stderr, "%s\n", text ? text : "no JSON");
		free(text);
		fail_test("no %s in the report", path);
	}
	return v;
}

json_int_t num(json_t *obj, const char *path)
{
	json_t *v = at(obj, path);

	if (!json_is_integer(v))
		fail_test("%s is not an integer: %f", path, json_number_value(v));
	return json_integer_value(v);
}

double real(json_t *obj, const char *path)
{
	json_t *v = at(obj, path);

	if (!json_is_number(v))
		fail_test("%s is not a number", path);
	return json_number_value(v);
}

double rounding(double printed)
{
	int before, after; /* digits before and after the point */

	if (!printed)
		return 0;
	before = (int)floor(log10(fabs(printed))) + 1;
	after = before > 9 ? 15 - before : before > 0 ? 6 : 6 - before;
	/* half a unit of the last digit, and a little more for the arithmetic of the test */
	return .501 * pow(10, -after);
}

double uncertainty(json_t *ev)
{
	return json_number_value(json_object_get(ev, "bias_uncertainty"));
}

const char *str(json_t *obj, const char *path)
{
	json_t *v = at(obj, path);

	if (!json_is_string(v))
		fail_test("%s is not a string", path);
	return json_string_value(v);
}

json_t *row_of(const struct run *r, __u32 id)
{
	json_t *rows = json_object_get(r->json, "programs"), *row, *found = NULL;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		if (num(row, "id") != id)
			continue;
		if (found)
			fail_test("program %u has two rows: %s", id, r->out);
		found = row;
	}
	if (!found)
		fail_test("program %u has no row; status %d\nstdout: %s\nstderr: %s", id, r->status,
			  r->out, r->err);
	return found;
}

json_t *event_of(json_t *row, const char *name)
{
	json_t *events = json_object_get(row, "events"), *ev;

	for (size_t i = 0; (ev = json_array_get(events, i)); i++)
		if (!strcmp(str(ev, "name"), name))
			return ev;
	fail_test("no event %s", name);
	return NULL;
}

const char *skip_reason(const struct run *r, __u32 id)
{
	json_t *skips = json_object_get(r->json, "skipped"), *skip;

	for (size_t i = 0; (skip = json_array_get(skips, i)); i++)
		if (num(skip, "id") == id)
			return str(skip, "reason");
	return NULL;
}

json_int_t sum_of(const char *lines, __u32 id, const char *path)
{
	json_int_t sum = 0;
	json_t *report;
	json_error_t error;

	while (*lines == '{' && (report = json_loads(lines, JSON_DISABLE_EOF_CHECK, &error))) {
		struct run r = {.json = report, .out = (char *)lines, .err = ""};

		sum += num(row_of(&r, id), path);
		json_decref(report);
		lines += error.position;
		lines += strspn(lines, "\n");
	}
	if (*lines)
		fail_test("not a report: %s", lines);
	return sum;
}

json_int_t sum_of_runs(const char *lines, __u32 id)
{
	return sum_of(lines, id, "runs");
}

json_t *called_row(const struct run *r, __u32 id)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		if (num(row, "id") == id && json_is_true(json_object_get(row, "called")))
			return row;
	fail_test("no row of a call by %u: %s", id, r->out);
	return NULL;
}

void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_test("no \"%s\" in: %s", part, text);
}

void assert_counted(const struct run *r, __u32 id, __u64 runs)
{
	json_t *row = row_of(r, id);

	assert_string_equal(str(row, "method"), "fentry");
	if (num(row, "runs") != (json_int_t)runs || num(row, "measured") != (json_int_t)runs)
		fail_test("program %u ran %llu times\nstdout: %s\nstderr: %s", id, runs, r->out,
			  r->err);
}

void check_status(const struct run *r, int want, const char *file, int line)
{
	if (r->status == want)
		return;
	fprintf(stderr, "%s:%d: exit status %d, not %d\nstdout: %s\nstderr: %s\n", file, line,
		r->status, want, r->out, r->err);
	fail();
}
