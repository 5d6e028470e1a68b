// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Replaces disasm_llvm.c in builds without LLVM: disasm__new() always fails.
 */
#include <errno.h>

#include "sampling/disasm.h"

int disasm__new(const char *arch, struct disasm **out)
{
	*out = NULL;
	return -EOPNOTSUPP;
}

void disasm__free(struct disasm *d)
{
}

size_t disasm__next(struct disasm *d, const __u8 *bytes, size_t sz, __u64 pc, char *buf,
		    size_t buf_sz)
{
	*buf = '\0';
	return 0;
}
