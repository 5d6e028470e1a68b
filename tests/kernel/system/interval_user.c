// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs bperf users and reads their reports. Owns the command line that the tests of bprof system
 * share.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/kernel/system/interval_user.h"
#include "tests/kernel/system/leaders.h"

struct child *user_start(struct fixture *f, const char *args, ...)
{
	char text[MAX_TEXT];
	struct child *c;
	va_list ap;

	va_start(ap, args);
	vsnprintf(text, sizeof(text), args, ap);
	va_end(ap);
	c = bprof_start(f, "system --attr-map " ATTR_MAP " -j -I 20 %s", text);
	child_line(c);
	return c;
}

static void set_last_report(struct run *r)
{
	const char *last = r->out + strlen(r->out);

	while (last > r->out && (last[-1] != '\n' || !*last))
		last--;
	json_decref(r->json);
	r->json = json_loads(last, 0, NULL);
	if (!r->json)
		fail_test("no report: %s\n%s", r->out, r->err);
}

struct run *user_end(struct fixture *f, struct child *c)
{
	struct run *r;

	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	set_last_report(r);
	return r;
}

json_t *scope_row(json_t *report, const char *kind, __u64 id)
{
	json_t *rows = json_object_get(report, "system"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strcmp(str(row, "scope"), kind) && (__u64)num(row, "id") == id)
			return row;
	return NULL;
}

double scope_total(const struct run *r, const char *kind, __u64 id, const char *event)
{
	const char *lines = r->out;
	json_error_t error;
	json_t *report;
	double sum = 0;

	while (*lines == '{' && (report = json_loads(lines, JSON_DISABLE_EOF_CHECK, &error))) {
		json_t *row = scope_row(report, kind, id);

		if (!row)
			fail_test("no %s %llu: %s", kind, (unsigned long long)id, r->out);
		sum += real(event_of(row, event), "total");
		json_decref(report);
		lines += error.position;
		lines += strspn(lines, "\n");
	}
	if (*lines || lines == r->out)
		fail_test("not a report: %s\n%s", lines, r->err);
	return sum;
}

bool tries_all_moments(void)
{
	return arch_is("x86_64") && kernel_is("6.12");
}
