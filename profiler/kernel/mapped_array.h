/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF array that is shared with the kernel through memory.
 */
#ifndef BPROF_MAPPED_ARRAY_H
#define BPROF_MAPPED_ARRAY_H

#include <stddef.h>

struct mapped_array {
	int fd; /* -1: there is none, or the mapping alone holds the map */
	void *mem;
	size_t sz; /* of all of it, in whole pages */
};

#define MAPPED_ARRAY_NONE ((struct mapped_array){.fd = -1})

/*
 * elem_sz, of an element in the map, is a multiple of 8 and cnt is max_entries. 0 or -errno; then
 * too the caller closes it.
 */
int mapped_array__create(struct mapped_array *a, const char *name, size_t elem_sz, int cnt);
/* The same of a map that there is already, made with BPF_F_MMAPABLE. Takes over fd. */
int mapped_array__map(struct mapped_array *a, int fd, size_t elem_sz, int cnt);
void mapped_array__close(struct mapped_array *a);

#endif
