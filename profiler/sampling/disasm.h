/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Instructions as text, of any architecture that recordings come from: by LLVM, where bprof was built
 * with it (disasm_llvm.c), else not at all (disasm_none.c).
 */
#ifndef BPROF_DISASM_H
#define BPROF_DISASM_H

#include <stddef.h>
#include <linux/types.h>

struct disasm;

/*
 * arch: uname's, or "bpf". 0; -EOPNOTSUPP: bprof was built without a disassembler; -ELIBACC: the
 * library that it was built for is not there; -ENOENT: it does not know the architecture; -ENOMEM. The
 * caller frees *out.
 */
int disasm__new(const char *arch, struct disasm **out);
void disasm__free(struct disasm *d); /* NULL is fine */

/*
 * The instruction that begins at bytes, of which there are sz, as text in one line. pc is its place in
 * its function. Returns how many bytes it takes; 0, and "" in buf: it is none.
 */
size_t disasm__next(struct disasm *d, const __u8 *bytes, size_t sz, __u64 pc, char *buf,
		    size_t buf_sz);

#endif
