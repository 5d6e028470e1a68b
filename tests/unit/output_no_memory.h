/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests that an output which is short of memory fails, or is complete: never that it lacks something.
 * Each allocation fails once.
 */
#ifndef BPROF_TEST_OUTPUT_NO_MEMORY_H
#define BPROF_TEST_OUTPUT_NO_MEMORY_H

#include <stdio.h>
#include <string.h>

#include "tests/unit/no_memory.h"

/* Writes something about the model to out. Returns 0 or -errno. */
typedef int write_model_fn(const void *model, FILE *out);

struct checked_output {
	write_model_fn *write;
	const void *model;
	char *want;
};

/* The output goes to a file, because a stream in memory itself needs memory. */
static inline void write_again(void *arg)
{
	static char got[1 << 20];
	struct checked_output *c = arg;
	static FILE *out;
	size_t len;
	int err;

	if (!out)
		out = tmpfile();
	assert_non_null(out);
	rewind(out);
	assert_int_equal(ftruncate(fileno(out), 0), 0);
	err = c->write(c->model, out);
	if (fflush(out) || err) {
		assert_int_equal(err ?: -errno, -ENOMEM);
		return;
	}
	rewind(out);
	len = fread(got, 1, sizeof(got), out);
	assert_true(len < sizeof(got));
	if (!c->want)
		c->want = memcpy(calloc(1, len + 1), got, len);
	assert_int_equal(len, strlen(c->want));
	assert_memory_equal(got, c->want, len);
}

static inline void check_without_memory(write_model_fn *write, const void *model)
{
	struct checked_output c = {write, model, NULL};

	assert_true(fail_each_allocation(write_again, &c) > 0);
	free(c.want);
}

#endif
