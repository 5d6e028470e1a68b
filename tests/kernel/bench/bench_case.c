// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs bprof bench for the tests and finds rows of its report. Knows no particular BPF program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/kernel/bench/bench_case.h"

#define DIR "/tmp/bench"

int setup_files(void **state)
{
	return mkdir(DIR, 0755) && errno != EEXIST ? -1 : setup(state);
}

int setup_bench(void **state)
{
	return has_cpus(1) ? setup_files(state) : -1;
}

int teardown_bench(void **state)
{
	if (system("rm -rf " DIR))
		fprintf(stderr, "cannot remove " DIR "\n");
	return teardown(state);
}

struct run *bench(struct fixture *f, const char *args, ...)
{
	char text[MAX_TEXT / 2];
	va_list list;

	va_start(list, args);
	vsnprintf(text, sizeof(text), args, list);
	va_end(list);
	return bprof(f, "bench -j --exact -e %s --blocks %d --repeat %d --warm-up 1 %s",
		     exact_event(), BLOCKS, RUNS, text);
}

void write_bytes(const char *path, const void *data, size_t sz)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, sz, out), sz);
	assert_int_equal(fclose(out), 0);
}

void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

static bool is_text(json_t *row, const char *key, const char *text)
{
	const char *have = json_string_value(json_object_get(row, key));

	return text ? have && !strcmp(have, text) : !have;
}

static json_t *find_row(const struct run *r, const char *key, const char *name, const char *input)
{
	json_t *rows = json_object_get(r->json, "programs"), *row, *found = NULL;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		if (!is_text(row, key, name) || !is_text(row, "case", input))
			continue;
		if (found)
			fail_test("%s [%s] has two rows: %s", name, input ?: "", r->out);
		found = row;
	}
	if (!found)
		fail_test("%s [%s] has no row; status %d\nstdout: %s\nstderr: %s", name,
			  input ?: "", r->status, r->out, r->err);
	return found;
}

json_t *case_row(const struct run *r, const char *prog, const char *input)
{
	return find_row(r, "name", prog, input);
}

json_t *func_row(const struct run *r, const char *func, const char *input)
{
	return find_row(r, "func", func, input);
}

void assert_runs(json_t *row, json_int_t runs)
{
	assert_string_equal(str(row, "method"), "fentry");
	assert_int_equal(num(row, "runs"), runs);
	assert_int_equal(num(row, "measured"), runs);
}

bool has_note(json_t *row, const char *part)
{
	json_t *notes = json_object_get(row, "notes"), *note;

	for (size_t i = 0; (note = json_array_get(notes, i)); i++)
		if (strstr(json_string_value(note), part))
			return true;
	return false;
}

json_int_t min_cost(json_t *row)
{
	return num(event_of(row, exact_event()), "per_run.min");
}

void assert_one_line(const struct run *r, int status, const char *part)
{
	size_t len = strlen(r->err);

	if (r->status != status || !len || strchr(r->err, '\n') != r->err + len - 1)
		fail_test("status %d, not %d, or not one line\nstdout: %s\nstderr: %s", r->status,
			  status, r->out, r->err);
	assert_contains(r->err, part);
}

void assert_refused(const struct run *r, int status, const char *part)
{
	if (*r->out)
		fail_test("is not refused: %s", r->out);
	assert_one_line(r, status, part);
}
