/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the memory that jansson has in use: how much a document takes while it is written.
 */
#ifndef BPROF_TEST_JSON_MEMORY_H
#define BPROF_TEST_JSON_MEMORY_H

#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/memory.h"

static size_t json_bytes, most_json_bytes;

static void *count_malloc(size_t sz)
{
	void *mem = xmalloc(sz);

	json_bytes += malloc_usable_size(mem);
	most_json_bytes = json_bytes > most_json_bytes ? json_bytes : most_json_bytes;
	return mem;
}

static void count_free(void *mem)
{
	json_bytes -= mem ? malloc_usable_size(mem) : 0;
	free(mem);
}

/* From here on, jansson's memory is counted. */
static inline void count_json_memory(void)
{
	json_set_alloc_funcs(count_malloc, count_free);
}

/* Ends the count. Fails the test if more than limit bytes were in use at once, or some still are. */
static inline void end_json_memory(size_t limit)
{
	json_set_alloc_funcs(xmalloc, free);
	assert_int_equal(json_bytes, 0);
	if (most_json_bytes > limit)
		fail_msg("%zu bytes for JSON", most_json_bytes);
}

#endif
