/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocates memory. If there is none, the process ends with one message and EXIT_NO_MEMORY. Ending
 * anywhere is safe: the kernel then detaches and frees everything of bprof, as after SIGKILL. Callers
 * check sizes that come from outside before they allocate.
 */
#ifndef BPROF_MEMORY_H
#define BPROF_MEMORY_H

#include <stddef.h>

/* These functions never return NULL. The caller frees the memory. */
void *xmalloc(size_t sz);
void *xcalloc(size_t cnt, size_t sz);
void *xreallocarray(void *mem, size_t cnt, size_t sz);
char *xstrdup(const char *s);
/* Copies at most len bytes. */
char *xstrndup(const char *s, size_t len);

/* Ends the process. Call it when a library function that returns NULL only for lack of memory does so. */
_Noreturn void out_of_memory(void);

#endif
