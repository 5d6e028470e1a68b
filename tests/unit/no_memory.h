/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes allocations fail. This file replaces the C library's malloc(), calloc() and realloc() in
 * the test that includes it, also for the C library itself.
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
/* The number of calls so far. The call with the number failing_allocation returns NULL. */
static long allocation_cnt, failing_allocation = -1;

static bool is_refused(size_t sz)
{
	if (allocation_cnt++ != failing_allocation && sz <= max_memory && allocations_left > 0) {
		allocations_left--;
		return false;
	}
	errno = ENOMEM;
	return true;
}

/* What a test itself allocates between these two does not fail, and does not count. */
struct paused_failures {
	long failing, cnt;
};

static inline struct paused_failures pause_failures(void)
{
	const struct paused_failures p = {failing_allocation, allocation_cnt};

	failing_allocation = -1;
	return p;
}

static inline void resume_failures(struct paused_failures p)
{
	failing_allocation = p.failing;
	allocation_cnt = p.cnt;
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

#pragma GCC visibility push(default)

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

/*
 * Calls fn(arg) once, and then again for each of its allocations (for big calls, for some hundred of
 * them), which fails. fn() has to check its results: they must be right or an error, whichever
 * allocation fails. Returns the number of its allocations.
 */
static inline long fail_each_allocation(void (*fn)(void *arg), void *arg)
{
	long cnt, first, dense;

	fn(arg); /* what is allocated only once, such as a locale's tables */
	first = allocation_cnt;
	fn(arg);
	cnt = allocation_cnt - first;
	/* With a mutant (tests/mutation), a test of many allocations only has to fail somewhere. */
	dense = getenv("MUTANT") && cnt > 64 ? 4 : 100;
	for (long n = 0; n < cnt; n += 1 + n / dense) {
		failing_allocation = allocation_cnt + n;
		fn(arg);
		failing_allocation = -1;
	}
	return cnt;
}

#pragma GCC visibility pop

#endif
