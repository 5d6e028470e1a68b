// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A BPF array that is mapped into memory and shared with the kernel. Owns the map and its mapping;
 * knows nothing of the map's contents.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "kernel/mapped_array.h"

int mapped_array__create(struct mapped_array *a, const char *name, size_t elem_sz, int cnt)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd;

	*a = MAPPED_ARRAY_NONE;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(__u32), elem_sz, cnt, &opts);
	return fd < 0 ? -errno : mapped_array__map(a, fd, elem_sz, cnt);
}

int mapped_array__map(struct mapped_array *a, int fd, size_t elem_sz, int cnt)
{
	size_t page_sz = sysconf(_SC_PAGESIZE);

	*a = (struct mapped_array){.fd = fd};
	a->sz = (cnt * elem_sz + page_sz - 1) & ~(page_sz - 1);
	a->mem = mmap(NULL, a->sz, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
	if (a->mem == MAP_FAILED) {
		a->mem = NULL;
		return -errno;
	}
	/*
	 * The kernel has mapped all pages (remap_vmalloc_range()). When bprof forks a COMMAND, the
	 * kernel would copy the page table entry of each page. It would free these entries when the
	 * COMMAND is executed. This work would be measured.
	 */
	madvise(a->mem, a->sz, MADV_DONTFORK);
	return 0;
}

void mapped_array__share(struct mapped_array *a, struct mapped_array *of)
{
	if (!of->users) {
		of->users = xmalloc(sizeof(*of->users));
		*of->users = 1;
	}
	++*of->users;
	*a = *of;
}

void mapped_array__close(struct mapped_array *a)
{
	if (a->users && --*a->users) {
		*a = MAPPED_ARRAY_NONE;
		return;
	}
	free(a->users);
	if (a->mem)
		munmap(a->mem, a->sz);
	if (a->fd >= 0)
		close(a->fd);
	*a = MAPPED_ARRAY_NONE;
}
