/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocations that fail. Replaces the C library's calloc(), realloc() and strdup() in the test whose
 * file includes it.
 */
#ifndef BPROF_TEST_NO_MEMORY_H
#define BPROF_TEST_NO_MEMORY_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* calloc(), realloc() and strdup() return NULL where more bytes than that are wanted. */
static size_t most_memory = SIZE_MAX;

void *calloc(size_t cnt, size_t sz)
{
	static void *(*real)(size_t cnt, size_t sz);
	static bool looking; /* dlsym() may allocate, and goes on without */

	if (!real && !looking) {
		looking = true;
		real = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	}
	if (real && cnt * sz <= most_memory)
		return real(cnt, sz);
	errno = ENOMEM;
	return NULL;
}

void *realloc(void *mem, size_t sz)
{
	static void *(*real)(void *mem, size_t sz);

	if (!real)
		real = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	if (sz <= most_memory)
		return real(mem, sz);
	errno = ENOMEM;
	return NULL;
}

char *strdup(const char *s)
{
	size_t sz = strlen(s) + 1;
	char *copy = sz <= most_memory ? malloc(sz) : NULL;

	if (!copy)
		errno = ENOMEM;
	return copy ? memcpy(copy, s, sz) : NULL;
}

#endif
