/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording put together by source lines and instructions, for those who show it. Pure but for the
 * disassembler: no kernel, no root.
 */
#ifndef BPROF_ANNOTATE_H
#define BPROF_ANNOTATE_H

#include <stdbool.h>
#include <stdio.h>

#include "sampling/record.h"

struct annotated {
	__u64 samples, weight;
};

/* A BPF instruction, which has no samples of its own, or a JITed one. */
struct annotated_insn {
	bool jited;
	__u32 off; /* BPF: its index in the program; JITed: bytes from its function's start */
	struct annotated sum;
	char *text; /* NULL: not disassembled; then JITed ones are only those with samples */
};

/* All that one source line became, in one function. */
struct annotated_line {
	const char *file, *text; /* the recording's; "" where they are not known */
	__u32 line;
	struct annotated sum;
	struct annotated_insn *insn; /* in the order of the code: for each part of it, BPF first */
	int insn_cnt;
};

struct annotated_func {
	const struct record_func *func;
	struct annotated sum;
	struct annotated_line *line;
	int line_cnt;
};

struct annotated_prog {
	const struct record_prog *prog;
	struct annotated sum;	     /* of all its functions, shown or not */
	struct annotated_func *func; /* those to be shown that were sampled, the hottest first */
	int func_cnt;
};

struct annotation {
	const struct record *r;
	struct annotated sum;
	struct annotated_prog *prog; /* the hottest first */
	int prog_cnt;
	const char *no_disasm; /* why there is no text of instructions; NULL: there is; static */
};

struct annotate_opts {
	const char *func; /* only functions that this glob matches; NULL: all */
	bool hot;	  /* lines by their samples, not by their place in the source */
	/* What the renderers leave out. */
	bool lines_only;      /* no instructions */
	double percent_limit; /* lines with less of their program's samples */
	bool color;
};

/* r has to outlive *out, which the caller frees. 0 or -ENOMEM. */
int annotate(const struct record *r, const struct annotate_opts *o, struct annotation **out);
void annotation__free(struct annotation *a); /* NULL is fine */

/* part's share of whole, 0 to 1; by weight where there is any. */
double annotated__share(const struct annotated *part, const struct annotated *whole);

/* The last part of a path. */
const char *annotated_line__file(const struct annotated_line *l);

/* The renderers, one file each, into memory: 0 or -ENOMEM. */
typedef int annotation_render_fn(const struct annotation *a, const struct annotate_opts *o,
				 FILE *out);
annotation_render_fn annotation__print_text;
annotation_render_fn annotation__print_json;
/* "program;function;file:line samples", for flame graphs. */
annotation_render_fn annotation__print_folded;

/* Renders a to out and flushes it: 0, -ENOMEM, or why out failed (-ENOSPC, ...). */
int annotation__render(const struct annotation *a, annotation_render_fn *render,
		       const struct annotate_opts *o, FILE *out);

#endif
