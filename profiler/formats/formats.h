/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The formats of bprof's output. A format is one row here and, where it is not text for people or
 * JSON, one file that renders it.
 */
#ifndef BPROF_FORMATS_H
#define BPROF_FORMATS_H

#include "sampling/annotate.h"
#include "compare/compare.h"
#include "report/report.h"

/* What a command writes: bits. */
enum document {
	DOC_PROGRAMS = 1,    /* a report of programs */
	DOC_SCOPES = 2,	     /* a report of the system, tasks, cgroups */
	DOC_COMPARISON = 4,  /* of two reports */
	DOC_VERSIONS = 8,    /* the reports of two versions, one after the other */
	DOC_ANNOTATION = 16, /* code with its samples */
	DOC_OTHER = 32,	     /* something that only this command has, as text or JSON */
};

struct format {
	const char *name; /* for --format */
	/* The option of its own: --markdown, -j. NULL and 0: none. */
	const char *flag;
	char letter;
	const char *arg;  /* of that option: the separator of fields; NULL: it takes none */
	const char *help; /* of that option */
	/* The renderers; NULL: the format has no such document. */
	report_render_fn *report;
	comparison_render_fn *comparison;
	annotation_render_fn *annotation;
	bool no_scopes; /* the report is of programs only */
	bool versions;	/* a report says which of two versions it is of */
};

/* The two that every command has; the others are known by their rows only. */
enum format_id { FORMAT_TEXT, FORMAT_JSON };

extern const struct format formats[];
extern const int format_cnt;

/* Does it have one of these documents? */
bool format__has(const struct format *f, unsigned int documents);
/* The n-th format that has one of these documents; NULL: there are no more. */
const struct format *formats__next(unsigned int documents, int n);

#endif
