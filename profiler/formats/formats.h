/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The formats of bprof's output. A format is one row in formats[]. Each format except text and JSON
 * also has one file that renders it.
 */
#ifndef BPROF_FORMATS_H
#define BPROF_FORMATS_H

#include "compare/compare.h"
#include "event/event_catalog.h"
#include "report/report.h"
#include "sampling/annotate.h"

/* The kinds of documents that commands write, as bits. */
enum document {
	DOC_PROGRAMS = 1,    /* a report on programs */
	DOC_SCOPES = 2,	     /* a report on scopes: the system, tasks, cgroups */
	DOC_COMPARISON = 4,  /* a comparison of two reports */
	DOC_VERSIONS = 8,    /* reports on two versions, one report after the other */
	DOC_ANNOTATION = 16, /* code annotated with its samples */
	DOC_EVENTS = 32,     /* the list of events that -e accepts */
	DOC_OTHER = 64,	     /* a document that only one command writes, as text or JSON */
	DOC_RECORDING = 128, /* the samples of programs */
	/* with -I: reports on programs, or on scopes; one report for each interval */
	DOC_SERIES = 256,
	DOC_SCOPE_SERIES = 512,
	DOC_TIMELINE = 1024, /* events in the order of their times: invocations, loads */
	/* annotated code that was read from JSON, and so has no addresses of the code */
	DOC_ANNOTATED = 2048,
	DOC_TABLE = 4096, /* DOC_OTHER whose text is a table */
};

struct format {
	const char *name; /* the name that --format takes */
	/* The format's own option: --markdown, -j. NULL and 0 if the format has no option. */
	const char *flag;
	char letter;
	const char *arg;  /* the option's argument (the field separator), or NULL */
	const char *help; /* the option's help text */
	/*
	 * The functions that render a report, a comparison, annotated code, a list of events and a
	 * recording; NULL: the format cannot render this kind of document.
	 */
	report_render_fn *report;
	comparison_render_fn *comparison;
	annotation_render_fn *annotation;
	event_catalog_render_fn *events;
	record_write_fn *recording;
	/*
	 * Ends a series of reports in one file (-I), after the last report. NULL: the file needs no
	 * end, so further reports can be appended to it.
	 */
	void (*end)(FILE *out);
	/*
	 * The separator of a table's fields, unless -x gives another separator; NULL: the format
	 * has no tables.
	 */
	const char *table_sep;
	bool no_scopes; /* the format can render only reports on programs */
	bool timeline;	/* the format cannot render a single report; a file holds one document */
	bool binary;	/* not for terminals; a file holds one document */
	bool versions;	/* the format can render DOC_VERSIONS: each report names its version */
};

/* Indices in formats[] of the two formats that every command offers. */
enum format_id { FORMAT_TEXT, FORMAT_JSON };

extern const struct format formats[];
extern const int format_cnt;

/* Returns true if the format can render at least one of these documents. */
bool format__has(const struct format *f, unsigned int documents);
/* Returns the n-th format, counted from 0, that can render one of these documents, or NULL. */
const struct format *formats__next(unsigned int documents, int n);

#endif
