/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions of a source line. Shared by annotate.c and annotate_insns.c only.
 */
#ifndef BPROF_ANNOTATE_INSNS_H
#define BPROF_ANNOTATE_INSNS_H

#include "sampling/annotate.h"

struct disasm;

/* The code of one entry of the line table; ends are exclusive. */
struct code_part {
	const char *file, *text;
	__u32 line;
	__u32 insn_off, insn_end;
	__u32 code_off, code_end;
	int first; /* index among the function's parts */
	const struct record_place *place;
	int place_cnt;
};

struct insn_printer {
	const struct record_prog *p;
	struct disasm *bpf, *jited; /* NULL: not available */
};

/* arch: as in uname. Sets *why if there is no disassembler for it. Returns 0 or -ENOMEM. */
int insn_printer__open(struct insn_printer *printer, const char *arch, const char **why);
void insn_printer__close(struct insn_printer *printer);

/* Appends the part's instructions to the line. Returns 0 or -ENOMEM. */
int insn_printer__add(const struct insn_printer *printer, const struct record_func *f,
		      const struct code_part *part, struct annotated_line *l);

#endif
