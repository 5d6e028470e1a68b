/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording arranged by source lines and instructions, for rendering. Pure except for the
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

/* A BPF instruction, which has no samples, or a JITed one. */
struct annotated_insn {
	bool jited;
	__u32 off; /* BPF: index in the program; JITed: bytes from its function's start */
	struct annotated sum;
	char *text; /* NULL: not disassembled; JITed ones without samples are then left out */
};

/* The code of one source line in one function. */
struct annotated_line {
	const char *file, *text; /* borrowed from the recording; "": unknown */
	__u32 line;
	struct annotated sum;
	struct annotated_insn *insn; /* in code order; for each part of the code, BPF first */
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
	struct annotated_func *func; /* sampled functions to show, the hottest first */
	int func_cnt;
};

struct annotation {
	const struct record *r;
	struct annotated sum;
	struct annotated_prog *prog; /* the hottest first */
	int prog_cnt;
	const char *no_disasm; /* why instructions are not disassembled, or NULL; static */
};

struct annotate_opts {
	const char *func; /* only functions that this glob matches; NULL: all */
	bool hot;	  /* sort lines by their samples, not by their place in the source */
	/* For the renderers: */
	bool lines_only;      /* leave out instructions */
	double percent_limit; /* leave out lines with a smaller share of the program's samples */
	bool color;
};

/* Arranges a recording; r must outlive *out, which the caller frees. Returns 0 or -ENOMEM. */
int annotate(const struct record *r, const struct annotate_opts *o, struct annotation **out);
void annotation__free(struct annotation *a); /* NULL is fine */

/* Returns part's share of whole, 0 to 1; by weight, or by samples if there is no weight. */
double annotated__share(const struct annotated *part, const struct annotated *whole);

/* Returns the file's name without directories. */
const char *annotated_line__file(const struct annotated_line *l);

/* The renderers, one file each, which write to memory. Return 0 or -ENOMEM. */
typedef int annotation_render_fn(const struct annotation *a, const struct annotate_opts *o,
				 FILE *out);
annotation_render_fn annotation__print_text;
annotation_render_fn annotation__print_json;
/* Prints "program;function;file:line samples", for flame graphs. */
annotation_render_fn annotation__print_folded;

/* Renders a to out and flushes it. Returns 0, -ENOMEM, or the error of out (-ENOSPC, ...). */
int annotation__render(const struct annotation *a, annotation_render_fn *render,
		       const struct annotate_opts *o, FILE *out);

#endif
