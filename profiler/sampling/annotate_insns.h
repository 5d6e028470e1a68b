/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats the instructions of a source line. Shared by annotate.c and annotate_insns.c only.
 */
#ifndef BPROF_ANNOTATE_INSNS_H
#define BPROF_ANNOTATE_INSNS_H

#include "sampling/annotate.h"

struct disasm;

/* The code of one entry of the line table. insn_end and code_end are exclusive. */
struct code_part {
	const char *file, *text;
	__u32 line;
	__u32 insn_off, insn_end;
	__u32 code_off, code_end;
	int first; /* index of this part in the function's code; orders parts of the same line */
	const struct record_place *place;
	int place_cnt;
};

struct insn_printer {
	const struct record_prog *p;
	struct disasm *bpf, *jited; /* disassemblers; NULL: not available */
};

/*
 * Opens the disassemblers. arch is the architecture as in uname. Sets *why if it has no
 * disassembler. Returns 0 or -ENOMEM.
 */
int insn_printer__open(struct insn_printer *printer, const char *arch, const char **why);
void insn_printer__close(struct insn_printer *printer);

/* Appends the part's instructions to the line. Returns 0 or -ENOMEM. */
int insn_printer__add(const struct insn_printer *printer, const struct record_func *f,
		      const struct code_part *part, struct annotated_line *l);

#endif
