/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that is always there: if there is none, the process ends with one message and EXIT_NO_MEMORY.
 * That is as safe as SIGKILL, after which nothing of bprof is left in the kernel. Sizes that come from
 * outside are checked before they are allocated.
 */
#ifndef BPROF_MEMORY_H
#define BPROF_MEMORY_H

#include <stddef.h>

/* The caller frees what these return, which is not NULL. */
void *xmalloc(size_t sz);
void *xcalloc(size_t cnt, size_t sz);
void *xreallocarray(void *mem, size_t cnt, size_t sz);
char *xstrdup(const char *s);
/* Copies at most len bytes. */
char *xstrndup(const char *s, size_t len);

/* Ends the process, for libraries that return NULL only without memory. */
_Noreturn void out_of_memory(void);

#endif
