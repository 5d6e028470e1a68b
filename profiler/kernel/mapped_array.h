/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF array that is mapped into memory and shared with the kernel.
 */
#ifndef BPROF_MAPPED_ARRAY_H
#define BPROF_MAPPED_ARRAY_H

#include <stddef.h>

struct mapped_array {
	int fd; /* -1 if there is no map, or if fd was closed and only the mapping remains */
	void *mem;
	size_t sz;  /* size of the mapping, rounded up to pages */
	int *users; /* number of arrays that share fd and the mapping; NULL: only this one */
};

#define MAPPED_ARRAY_NONE ((struct mapped_array){.fd = -1})

/*
 * Creates and maps an array of cnt elements of elem_sz bytes (a multiple of 8). Returns 0 or
 * -errno. The caller calls mapped_array__close() in both cases.
 */
int mapped_array__create(struct mapped_array *a, const char *name, size_t elem_sz, int cnt);
/* Like mapped_array__create(), for an array fd with BPF_F_MMAPABLE, which it takes over. */
int mapped_array__map(struct mapped_array *a, int fd, size_t elem_sz, int cnt);
/* Makes *a another name of *of: both are valid until both are closed. Not for several threads. */
void mapped_array__share(struct mapped_array *a, struct mapped_array *of);
void mapped_array__close(struct mapped_array *a);

#endif
