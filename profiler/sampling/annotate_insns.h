/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats the instructions of a source line. Used only by annotate.c and annotate_insns.c.
 */
#ifndef BPROF_ANNOTATE_INSNS_H
#define BPROF_ANNOTATE_INSNS_H

#include "sampling/annotated.h"

struct disasm;

/*
 * The code of one entry of the line table: BPF instructions from insn_off up to insn_end, and JITed
 * code from code_off up to code_end. The ends are exclusive.
 */
struct code_part {
	const char *file, *text;
	__u32 line;
	__u32 insn_off, insn_end;
	__u32 code_off, code_end;
	/* index of this part in the function's code; used to sort parts of the same line */
	int first;
	const struct record_place *place, *call;
	int place_cnt, call_cnt;
};

struct insn_printer {
	const struct record_prog *p;
	struct disasm *bpf, *jited; /* disassemblers; NULL: not available */
};

/*
 * Opens the disassemblers of BPF and JITed code. arch is the architecture, as uname shows it.
 * Returns NULL, or why a disassembler is missing.
 */
const char *insn_printer__open(struct insn_printer *printer, const char *arch);
void insn_printer__close(struct insn_printer *printer);

/* Appends the instructions of a part to the line l. */
void insn_printer__add(const struct insn_printer *printer, const struct record_func *f,
		       const struct code_part *part, struct annotated_line *l);

#endif
