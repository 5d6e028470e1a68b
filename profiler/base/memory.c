// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ends the process if there is no memory. Must not know what the memory is for.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/memory.h"

_Noreturn void out_of_memory(void)
{
	static const char message[] = "bprof: out of memory\n";
	ssize_t n = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)n;
	exit(EXIT_NO_MEMORY);
}

static void *require_memory(void *mem)
{
	if (!mem)
		out_of_memory();
	return mem;
}

/* malloc(0) may return NULL. */
void *xmalloc(size_t sz)
{
	return require_memory(malloc(sz ? sz : 1));
}

void *xcalloc(size_t cnt, size_t sz)
{
	return require_memory(calloc(cnt ? cnt : 1, sz));
}

void *xreallocarray(void *mem, size_t cnt, size_t sz)
{
	return require_memory(reallocarray(mem, cnt ? cnt : 1, sz));
}

char *xstrdup(const char *s)
{
	return require_memory(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return require_memory(strndup(s, len));
}
