/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes allocations fail. This file replaces the C library's malloc(), calloc() and realloc() in
 * the test that includes it.
 */
#ifndef BPROF_TEST_NO_MEMORY_H
#define BPROF_TEST_NO_MEMORY_H

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* malloc(), calloc() and realloc() return NULL for requests of more bytes than this. */
static size_t max_memory = SIZE_MAX;
/* malloc(), calloc() and realloc() return NULL after this number of successful calls. */
static long allocations_left = LONG_MAX;

static bool is_refused(size_t sz)
{
	if (sz <= max_memory && allocations_left > 0) {
		allocations_left--;
		return false;
	}
	errno = ENOMEM;
	return true;
}

/* dlsym() may itself allocate memory, and works even if that allocation fails. */
#define FIND_REAL(name)                         \
	static typeof(name) *real;              \
	static bool looking;                    \
                                                \
	if (!real && !looking) {                \
		looking = true;                 \
		real = dlsym(RTLD_NEXT, #name); \
	}

void *malloc(size_t sz)
{
	FIND_REAL(malloc);
	return real && !is_refused(sz) ? real(sz) : NULL;
}

void *calloc(size_t cnt, size_t sz)
{
	FIND_REAL(calloc);
	return real && !is_refused(cnt * sz) ? real(cnt, sz) : NULL;
}

void *realloc(void *mem, size_t sz)
{
	FIND_REAL(realloc);
	return real && !is_refused(sz) ? real(mem, sz) : NULL;
}

#endif
