// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Causes minor faults. Owns the touched memory. Does not know who counts the faults.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/kernel/drive/pages.h"

int pages__touch(int cnt)
{
	long sz = sysconf(_SC_PAGESIZE);
	char *mem;
	int err = 0;

	if (!cnt)
		return 0;
	mem = mmap(NULL, cnt * sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return -errno;
	/* EINVAL: the kernel is built without huge pages. */
	if (madvise(mem, cnt * sz, MADV_NOHUGEPAGE) && errno != EINVAL)
		err = -errno;
	for (int i = 0; !err && i < cnt; i++)
		mem[i * sz] = 1;
	munmap(mem, cnt * sz);
	return err;
}
