/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The JSON parts that reports, recordings and annotations share: tables of fields, kinds of fields
 * (struct json_kind), and functions that read one document after the other.
 */
#ifndef BPROF_REPORT_HEAD_H
#define BPROF_REPORT_HEAD_H

#include "json/json_fields.h"
#include "report/report.h"

/*
 * These limits are far above the size of a real session (1024 targets on 128 CPUs). They prevent a
 * malicious report from producing a huge table.
 */
enum {
	/* rows of all programs and scopes, including their rows per CPU */
	READER_MAX_ROWS = 128 << 10,
	READER_MAX_EVENTS = 128, /* different names of events, each of which becomes a column */
};

/* The user argument of a json_reader that reads a report or a recording. */
struct report_reader {
	struct report *r;
	int rows;
	const char *event[READER_MAX_EVENTS]; /* the names of events, owned by the report */
	int event_cnt;
};

/*
 * The kind of a const char * member that points to a literal in a report of a measurement. In a
 * report that was read from JSON, it points to a copy: see report__keep_string().
 */
extern const struct json_kind field_word;
extern const struct json_kind field_tag; /* the kind of a char[17] member */
/* the field for --per of a struct report: costs per run of a program */
extern const struct json_kind field_per;
extern const struct json_kind
	/* the field for the costs of struct_ops operations of a struct report; it is written, but not read */
	field_ops_totals;

/*
 * The fields of struct report that a recording also has: tool, version, command, host, started,
 * elapsed_ns.
 */
extern const struct json_field report_head_rows[];
extern const struct json_field report_skip_rows[]; /* the field "skipped" of a struct report */
/* all fields of a struct report except "schema" */
extern const struct json_field report_rows[];
/* The lists of events of a struct report_row. */
extern const struct json_list report_prog_events, report_scope_events;
extern const struct json_list report_notes_list;      /* the texts of a struct report_notes */
extern const struct json_field record_samples_rows[]; /* the fields of a struct record_samples */

/* The user argument of json__set_fields() for report_rows. */
struct report_writer {
	const struct report *r;
	const struct render_opts *o;
};

/*
 * Reads the fields of a document into *to, which is an empty report or recording. The members that
 * are static strings point to copies that r frees. Returns 0, or -EINVAL with err->text, which
 * begins with the path of the bad value. The caller frees r and to in any case.
 */
int report__fill(struct report *r, json_t *doc, const struct json_field *rows, void *to,
		 struct report_error *err);

/*
 * Reads the next JSON object of src, which the caller releases. Returns 0; -ENODATA at the end;
 * -EINVAL with *err if the text is not JSON or was not written by bprof; or the error of src->in.
 */
int report_source__next(struct report_source *src, json_t **doc, struct report_error *err);
/*
 * Returns the field that shows the kind of the document: "comparisons", "annotate", "record", or
 * "schema" of a report.
 */
const char *report_source__key(const json_t *doc);
/*
 * Checks that doc is of the kind that the field called key shows (see report_source__key()), and
 * that the version of doc's format is not greater than "newest". Returns 0, or -EINVAL with *err.
 */
int report_source__check(const struct report_source *src, const json_t *doc, const char *key,
			 int newest, struct report_error *err);
/* Makes a report from a document. Returns the same errors as report__read(). */
int report__parse(const struct report_source *src, json_t *doc, struct report **out,
		  struct report_error *err);
/* Sets *err. Returns -EINVAL, for "return report_error__set(…)". */
int report_error__set(struct report_error *err, unsigned long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
