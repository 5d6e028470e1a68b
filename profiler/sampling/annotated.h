/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The model of annotations: recordings that are arranged by source lines and instructions.
 */
#ifndef BPROF_ANNOTATED_H
#define BPROF_ANNOTATED_H

#include <stdbool.h>
#include <linux/types.h>

#include "sampling/record.h"

struct annotated {
	__u64 samples, weight;
	/* The same of what it calls: helpers, kernel functions, functions that are not shown. */
	__u64 calls, calls_weight;
};

/* A function in which samples of calls are. */
struct annotated_callee {
	int depth; /* 1: it is called by the program; 2: by the callee before it that has depth 1; ... */
	char *name;
	char *map, *map_type;  /* the map that it works on; both or none */
	__u64 samples, weight; /* with those of what it calls */
};

/* A tree: each callee is followed by those that it calls; those with more samples come first. */
struct annotated_callees {
	struct annotated_callee *v;
	int cnt;
};

/* A BPF instruction, which has no samples, or a JITed instruction, which may have some. */
struct annotated_insn {
	bool jited;
	/*
	 * BPF instruction: index in the program. JITed instruction: offset from the start of the
	 * function, in bytes.
	 */
	__u32 off;
	__u32 len; /* of a JITed instruction, in bytes; 0: not known */
	struct annotated sum;
	/*
	 * The instruction as text. NULL: there is no disassembler. Then only those JITed
	 * instructions are included that have samples.
	 */
	char *text;
	/* What it calls, or was put in the place of: see struct record_call. NULL: nothing, or unknown */
	char *callee, *inlined;
	char *map, *map_type; /* both or none */
};

/* The code of one source line in one function. */
struct annotated_line {
	/*
	 * File name and source text, borrowed from the recording unless the annotation was read;
	 * "": unknown
	 */
	const char *file, *text;
	__u32 line;
	struct annotated sum;
	/*
	 * For each entry that the line has in the line table, in program order: first the BPF
	 * instructions, then the JITed instructions.
	 */
	struct annotated_insn *insn;
	int insn_cnt;
	struct annotated_callees callees;
};

struct annotated_func {
	const struct record_func *func;
	struct annotated sum;
	struct annotated_line *line;
	int line_cnt;
	struct annotated_callees callees;
};

struct annotated_prog {
	const struct record_prog *prog;
	/* sum over all functions of the program, even those that are not shown */
	struct annotated sum;
	/* functions to show, in descending order of their samples */
	struct annotated_func *func;
	int func_cnt;
};

struct annotation {
	const struct record *r;
	/*
	 * r, if the annotation was read from JSON and owns it. Such a recording has the names of
	 * programs and functions, but no code and no places. Otherwise NULL.
	 */
	struct record *own;
	struct annotated sum;
	struct annotated_prog *prog; /* all programs, in descending order of their samples */
	int prog_cnt;
	/* a string constant: why instructions cannot be disassembled; NULL: they can */
	const char *no_disasm;
};

void annotated__add(struct annotated *sum, const struct annotated *more);
/* Returns the number of samples with those in what it calls. */
__u64 annotated__all(const struct annotated *sum);
/* Compares two sums for qsort(): the one with more samples comes first. */
int annotated__compare(const struct annotated *a, const struct annotated *b);

/* Returns the callee's samples as a part of some whole. */
struct annotated annotated_callee__sum(const struct annotated_callee *c);

/*
 * Returns the share that *part has of *whole, from 0 to 1: its share of the weight or, if the
 * weight of *whole is 0, its share of the samples. Both with what they call.
 */
double annotated__share(const struct annotated *part, const struct annotated *whole);

/* Returns the standard deviation of this share that comes from the number of samples. */
double annotated__share_stddev(const struct annotated *part, const struct annotated *whole);

/* Returns the name of the line's source file without its directories. */
const char *annotated_line__file(const struct annotated_line *l);

#endif
