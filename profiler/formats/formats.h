/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The formats of bprof's output. A format is one row here and, where it is not text for people or
 * JSON, one file that renders it.
 */
#ifndef BPROF_FORMATS_H
#define BPROF_FORMATS_H

#include "compare/compare.h"
#include "report/report.h"
#include "sampling/annotate.h"

/* The kinds of documents that commands write: bits. */
enum document {
	DOC_PROGRAMS = 1,    /* a report on programs */
	DOC_SCOPES = 2,	     /* a report on the system, tasks, cgroups */
	DOC_COMPARISON = 4,  /* a comparison of two reports */
	DOC_VERSIONS = 8,    /* the reports of two versions, one after the other */
	DOC_ANNOTATION = 16, /* code with its samples */
	DOC_OTHER = 32,	     /* a document of one command only, as text or JSON */
};

struct format {
	const char *name; /* for --format */
	/* The format's own option: --markdown, -j. NULL and 0: none. */
	const char *flag;
	char letter;
	const char *arg;  /* of that option: the field separator; NULL: no argument */
	const char *help; /* of that option */
	/* The renderers; NULL: the format cannot render such a document. */
	report_render_fn *report;
	comparison_render_fn *comparison;
	annotation_render_fn *annotation;
	bool no_scopes; /* can only render reports on programs */
	bool versions;	/* a report names its version, for reports on two versions */
};

/* The two that every command has. The others are found by their rows. */
enum format_id { FORMAT_TEXT, FORMAT_JSON };

extern const struct format formats[];
extern const int format_cnt;

/* True if the format can render one of these documents. */
bool format__has(const struct format *f, unsigned int documents);
/* The n-th format (from 0) that can render one of these documents, or NULL. */
const struct format *formats__next(unsigned int documents, int n);

#endif
