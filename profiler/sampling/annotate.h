/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes and renders annotations (annotated.h). Works without the kernel and without root.
 */
#ifndef BPROF_ANNOTATE_H
#define BPROF_ANNOTATE_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>

#include "sampling/annotated.h"

struct annotate_opts {
	const char *func; /* glob of the functions to show; NULL: all functions */
	/* down to which depth callees are shown; 0: as deep as they were recorded */
	int depth;
	bool hot; /* sort lines by their samples instead of by file and line number */
	/* The following options affect only the renderers, not annotate(). */
	bool lines_only; /* show lines without their instructions */
	/* leave out lines whose share of the program's samples is smaller than this */
	double percent_limit;
	bool one_line;	      /* print the JSON document on one line */
	struct screen screen; /* text only */
};

/* Makes the annotation of a recording, which must outlive it. The caller frees the annotation. */
struct annotation *annotate(const struct record *r, const struct annotate_opts *o);
void annotation__free(struct annotation *a); /* a may be NULL */

/* Returns the time of all runs, with the called functions, as a share of one CPU; NaN: unknown. */
double annotated_prog__cpu_share(const struct annotation *a, const struct annotated_prog *p);
/* Returns why the program has few or no samples, and what the user can do; NULL: it has enough. */
const char *annotated_prog__advice(const struct annotation *a, const struct annotated_prog *p);
bool annotated_prog__is_whole(const struct annotated_prog *p); /* all functions were sampled */

/* A renderer of annotations. out is in memory, so the renderer need not check write errors. */
typedef void annotation_render_fn(const struct annotation *a, const struct annotate_opts *o,
				  FILE *out);
annotation_render_fn annotation__print_text;
annotation_render_fn annotation__print_json;
annotation_render_fn annotation__print_html;
/*
 * Prints lines of the form "program;function;file:line samples", for flame graphs. Samples in
 * functions that the line calls have the frames of these functions or, if they are not known, the
 * frame ANNOTATED_CALLEE.
 */
#define ANNOTATED_CALLEE "(in calls)"
annotation_render_fn annotation__print_folded;
annotation_render_fn annotation__print_pprof;

/*
 * Makes an annotation from a document that annotation__print_json() wrote. Returns the same errors
 * as record__read(). The caller frees *out.
 */
int annotation__parse(const struct report_source *src, json_t *doc, struct annotation **out,
		      struct report_error *err);

/* Renders a, writes it to out and flushes out. Returns 0 or the error of out (-ENOSPC, ...). */
int annotation__render(const struct annotation *a, annotation_render_fn *render,
		       const struct annotate_opts *o, FILE *out);

#endif
