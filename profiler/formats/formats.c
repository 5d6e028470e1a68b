// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of formats. Owns the formats' names, and, for each format, the list of documents that
 * it can render. Must not know what a format looks like, or which commands write it.
 */
#include "base/util.h"
#include "formats/formats.h"
#include "html/html.h"
#include "render/render.h"

const struct format formats[] = {
	[FORMAT_TEXT] = {.name = "text",
			 .report = report__render_text,
			 .comparison = comparison__render_text,
			 .annotation = annotation__print_text,
			 .events = event_catalog__render_text},
	[FORMAT_JSON] = {.name = "json",
			 .flag = "json",
			 .letter = 'j',
			 .help = "write JSON; if there are several results, one object per line",
			 .report = report__render_json,
			 .comparison = comparison__render_json,
			 .annotation = annotation__print_json,
			 .events = event_catalog__render_json,
			 .recording = record__write},
	{.name = "csv",
	 .flag = "field-separator",
	 .letter = 'x',
	 .arg = "SEP",
	 .help = "write CSV with the separator SEP; in reports, the first columns are those of "
		 "'perf stat -x'",
	 .report = report__render_csv,
	 .table_sep = ","},
	{.name = "tsv", .report = report__render_tsv, .table_sep = "\t"},
	{.name = "benchfmt",
	 .flag = "benchfmt",
	 .help = "write Go's benchmark format, for benchstat",
	 .report = report__render_benchfmt,
	 .no_scopes = true,
	 .versions = true},
	{.name = "markdown",
	 .flag = "markdown",
	 .help = "write the comparison as Markdown, for pull requests",
	 .comparison = comparison__render_markdown},
	{.name = "junit",
	 .flag = "junit",
	 .help = "write the comparison as JUnit XML, for CI systems",
	 .comparison = comparison__render_junit},
	{.name = "html",
	 .flag = "html",
	 .help = "write an HTML page, which needs neither a network nor scripts",
	 .report = report__render_html,
	 .comparison = comparison__render_html,
	 .annotation = annotation__print_html,
	 .end = html_page__end},
	{.name = "folded",
	 .flag = "folded",
	 .help = "write stacks for flame graphs: program;function;file:line COUNT",
	 .annotation = annotation__print_folded},
	{.name = "pprof",
	 .report = report__render_pprof,
	 .annotation = annotation__print_pprof,
	 .recording = record__write_pprof,
	 .no_scopes = true,
	 .binary = true},
	{.name = "trace-event", .report = report__render_trace_event, .timeline = true},
};
const int format_cnt = ARRAY_SIZE(formats);

bool format__has(const struct format *f, unsigned int documents)
{
	bool basic = f == &formats[FORMAT_TEXT] || f == &formats[FORMAT_JSON];
	bool single = f->report && !f->timeline, series = f->report && !f->binary;
	unsigned int has =
		(single ? DOC_PROGRAMS : 0) | (single && !f->no_scopes ? DOC_SCOPES : 0) |
		(series ? DOC_SERIES : 0) | (series && !f->no_scopes ? DOC_SCOPE_SERIES : 0) |
		(f->comparison ? DOC_COMPARISON : 0) | (f->versions ? DOC_VERSIONS : 0) |
		(f->annotation ? DOC_ANNOTATION : 0) |
		(f->annotation && !f->binary ? DOC_ANNOTATED : 0) | (f->events ? DOC_EVENTS : 0) |
		(f->recording ? DOC_RECORDING : 0) | (basic ? DOC_OTHER : 0) |
		(basic || f->table_sep ? DOC_TABLE : 0) | (f->timeline || basic ? DOC_TIMELINE : 0);

	return has & documents;
}

const struct format *formats__next(unsigned int documents, int n)
{
	for (int i = 0; i < format_cnt; i++)
		if (format__has(&formats[i], documents) && !n--)
			return &formats[i];
	return NULL;
}
