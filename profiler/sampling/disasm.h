/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Disassembles BPF instructions and JITed code of any architecture that bprof supports. Uses LLVM
 * (disasm_llvm.c). If bprof was built without LLVM, there is no disassembler (disasm_none.c).
 */
#ifndef BPROF_DISASM_H
#define BPROF_DISASM_H

#include <stddef.h>
#include <linux/types.h>

struct disasm;

/*
 * Creates a disassembler. arch is the architecture, as uname shows it, or "bpf". Returns 0;
 * -EOPNOTSUPP if bprof was built without LLVM; -ELIBACC if LLVM's library is not installed; or
 * -ENOENT if the architecture is unknown. The caller frees *out.
 */
int disasm__new(const char *arch, struct disasm **out);
void disasm__free(struct disasm *d); /* d may be NULL */

/*
 * Writes the instruction at "bytes" to buf as one line of text. At most sz bytes may be read. pc is
 * the instruction's offset in its function. Returns the instruction's length in bytes. If the
 * instruction is invalid, returns 0 and sets buf to "".
 */
size_t disasm__next(struct disasm *d, const __u8 *bytes, size_t sz, __u64 pc, char *buf,
		    size_t buf_sz);

#endif
