/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Annotations: recordings that are arranged by source lines and instructions, so that they can be
 * rendered. Needs neither the kernel nor root.
 */
#ifndef BPROF_ANNOTATE_H
#define BPROF_ANNOTATE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "sampling/record.h"

struct annotated {
	__u64 samples, weight;
	/* The same of what it calls: helpers, kernel functions, functions that are not shown. */
	__u64 calls, calls_weight;
};

/* A BPF instruction, which has no samples, or a JITed instruction, which may have some. */
struct annotated_insn {
	bool jited;
	/*
	 * BPF instruction: index in the program. JITed instruction: offset from the start of the
	 * function, in bytes.
	 */
	__u32 off;
	struct annotated sum;
	/*
	 * The instruction as text. NULL: there is no disassembler. Then only those JITed
	 * instructions are included that have samples.
	 */
	char *text;
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
};

struct annotated_func {
	const struct record_func *func;
	struct annotated sum;
	struct annotated_line *line;
	int line_cnt;
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

struct annotate_opts {
	const char *func; /* glob of the functions to show; NULL: all functions */
	bool hot;	  /* sort lines by their samples instead of by file and line number */
	/* The following options do not affect annotate(), only the renderers. */
	bool lines_only; /* show lines without their instructions */
	/* leave out lines with a smaller share of the program's samples than this */
	double percent_limit;
	bool one_line;	      /* print the JSON document on one line */
	struct screen screen; /* text only */
};

/*
 * Makes the annotation of a recording. r must outlive *out, which the caller frees with
 * annotation__free(). Returns 0 or -ENOMEM.
 */
int annotate(const struct record *r, const struct annotate_opts *o, struct annotation **out);
void annotation__free(struct annotation *a); /* a may be NULL */

void annotated__add(struct annotated *sum, const struct annotated *more);
/* Returns the number of samples with those in what it calls. */
__u64 annotated__all(const struct annotated *sum);

/*
 * Returns the share that *part has of *whole, from 0 to 1: its share of the weight or, if the
 * weight of *whole is 0, its share of the samples. Both with what they call.
 */
double annotated__share(const struct annotated *part, const struct annotated *whole);

/* Returns the standard deviation of this share that comes from the number of samples. */
double annotated__share_stddev(const struct annotated *part, const struct annotated *whole);

/*
 * Returns the time that all runs of the program took, with what it calls, as a share of one CPU's;
 * NaN: not known.
 */
double annotated_prog__cpu_share(const struct annotation *a, const struct annotated_prog *p);
/* Returns why the program has few samples or none, and what to do; NULL: it has enough. */
const char *annotated_prog__advice(const struct annotation *a, const struct annotated_prog *p);
bool annotated_prog__is_whole(const struct annotated_prog *p); /* all functions were sampled */

/* Returns the name of the line's source file without its directories. */
const char *annotated_line__file(const struct annotated_line *l);

/*
 * A renderer of annotations. out is in memory, so the renderer need not check write errors. Returns
 * 0 or -ENOMEM.
 */
typedef int annotation_render_fn(const struct annotation *a, const struct annotate_opts *o,
				 FILE *out);
annotation_render_fn annotation__print_text;
annotation_render_fn annotation__print_json;
annotation_render_fn annotation__print_html;
/*
 * Prints lines of the form "program;function;file:line samples", for flame graphs. Samples in what
 * the line calls have one more frame.
 */
#define ANNOTATED_CALLEE "(in calls)"
annotation_render_fn annotation__print_folded;
annotation_render_fn annotation__print_pprof;

/*
 * Makes an annotation of a document that annotation__print_json() wrote. Returns the same errors as
 * record__read(). The caller frees *out.
 */
int annotation__parse(const struct report_source *src, json_t *doc, struct annotation **out,
		      struct report_error *err);

/*
 * Renders a, writes it to out and flushes out. Returns 0, -ENOMEM, or the error of out (-ENOSPC,
 * ...).
 */
int annotation__render(const struct annotation *a, annotation_render_fn *render,
		       const struct annotate_opts *o, FILE *out);

#endif
