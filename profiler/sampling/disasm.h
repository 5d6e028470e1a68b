/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Disassembles instructions of the architectures that recordings may come from: by LLVM if bprof
 * was built with it (disasm_llvm.c), else not at all (disasm_none.c).
 */
#ifndef BPROF_DISASM_H
#define BPROF_DISASM_H

#include <stddef.h>
#include <linux/types.h>

struct disasm;

/*
 * Creates a disassembler; arch: as in uname, or "bpf". Returns 0; -EOPNOTSUPP if bprof was built
 * without one; -ELIBACC if its library is not installed; -ENOENT if the architecture is unknown; or
 * -ENOMEM. The caller frees *out.
 */
int disasm__new(const char *arch, struct disasm **out);
void disasm__free(struct disasm *d); /* NULL is fine */

/*
 * Writes the instruction at bytes, of which sz are valid, to buf as one line. pc is its offset in
 * its function. Returns its length in bytes; 0, with "" in buf, if it is not valid.
 */
size_t disasm__next(struct disasm *d, const __u8 *bytes, size_t sz, __u64 pc, char *buf,
		    size_t buf_sz);

#endif
