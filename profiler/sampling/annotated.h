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
	/*
	 * The same two sums for what the code calls: helpers, kernel functions, functions that are
	 * not shown.
	 */
	__u64 calls, calls_weight;
};

/* A function that was running, called by the program, when samples were taken. */
struct annotated_callee {
	/* 1: the program calls it; 2: the last callee before it with depth 1 calls it; ... */
	int depth;
	char *name;
	char *map, *map_type;  /* the map that it works on; either both are set or none */
	__u64 samples, weight; /* including the samples of what it calls */
};

/* A tree: each callee is followed by those that it calls; callees with more samples come first. */
struct annotated_callees {
	struct annotated_callee *v;
	int cnt;
};

/* A BPF instruction, which has no samples, or a JITed instruction, which may have samples. */
struct annotated_insn {
	bool jited;
	/* BPF: index in the program; JITed: offset in the function, in bytes */
	__u32 off;
	__u32 len; /* of a JITed instruction, in bytes; 0: not known */
	struct annotated sum;
	/*
	 * The instruction as text. NULL: there is no disassembler. Without a disassembler, only the
	 * JITed instructions that have samples are included.
	 */
	char *text;
	/*
	 * The function that the instruction calls, and the helper in whose place the kernel put it:
	 * see struct record_call. NULL: none, or not known
	 */
	char *callee, *inlined;
	char *map, *map_type; /* either both are set or none */
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
	 * The instructions of all entries that the line has in the line table, in program order.
	 * For each entry, the BPF instructions come first, then the JITed instructions.
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
	 * If the annotation was read from JSON, it owns its recording, and own is r; otherwise own
	 * is NULL. A recording that was read in this way has the names of programs and functions,
	 * but no code and no places.
	 */
	struct record *own;
	struct annotated sum;
	struct annotated_prog *prog; /* all programs, in descending order of their samples */
	int prog_cnt;
	/* a string constant: why instructions cannot be disassembled; NULL: they can be */
	const char *no_disasm;
};

void annotated__add(struct annotated *sum, const struct annotated *more);
/* Returns the number of samples, including the samples in what the code calls. */
__u64 annotated__all(const struct annotated *sum);
/* Compares two sums for qsort(): the one with more samples comes first. */
int annotated__compare(const struct annotated *a, const struct annotated *b);

/* Returns the callee's samples as a struct annotated. */
struct annotated annotated_callee__sum(const struct annotated_callee *c);

/*
 * Returns the share that *part has of *whole, from 0 to 1: its share of the weight or, if the
 * weight of *whole is 0, its share of the samples. Both include what the code calls.
 */
double annotated__share(const struct annotated *part, const struct annotated *whole);

/* Returns the standard deviation of this share. It is larger the fewer samples there are. */
double annotated__share_stddev(const struct annotated *part, const struct annotated *whole);

/* Returns the name of the line's source file without its directories. */
const char *annotated_line__file(const struct annotated_line *l);

#endif
