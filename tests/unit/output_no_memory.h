/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests that an output which is short of memory fails, or is complete: never that it lacks something.
 * Each allocation fails once.
 */
#ifndef BPROF_TEST_OUTPUT_NO_MEMORY_H
#define BPROF_TEST_OUTPUT_NO_MEMORY_H

#include "tests/unit/scratch_file.h"

/* Writes something about the model to out. Returns 0 or -errno. */
typedef int write_model_fn(const void *model, FILE *out);

struct checked_output {
	struct scratch_file file;
	write_model_fn *write;
	const void *model;
	char *whole;
};

static inline void write_again(void *arg)
{
	struct checked_output *c = arg;

	scratch_file__empty(&c->file);
	scratch_file__check(&c->file, c->write(c->model, c->file.out), true, false, &c->whole);
}

static inline void check_without_memory(write_model_fn *write, const void *model)
{
	static struct checked_output c; /* static, because it is too large for the stack */

	c.write = write;
	c.model = model;
	c.whole = NULL;
	scratch_file__open(&c.file);
	assert_true(fail_each_allocation(write_again, &c) > 0);
	fclose(c.file.out);
	free(c.whole);
}

#endif
