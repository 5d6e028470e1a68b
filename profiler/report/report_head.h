/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reports, recordings and annotations share as JSON: rows and kinds of fields, and reading the
 * documents one after the other.
 */
#ifndef BPROF_REPORT_HEAD_H
#define BPROF_REPORT_HEAD_H

#include "json/json_fields.h"
#include "report/report.h"

/*
 * Far beyond a session's: 1024 targets on 128 CPUs. A table of as many rows and columns is what a
 * hostile report can make of them.
 */
enum {
	READER_MAX_ROWS = 128 << 10, /* programs and scopes, and CPUs of these */
	READER_MAX_EVENTS = 128,     /* of different names: columns */
};

/* The user of a json_reader that reads a report or a recording. */
struct report_reader {
	struct report *r;
	int rows;
	const char *event[READER_MAX_EVENTS]; /* their names; the report's */
	int event_cnt;
};

/* const char *, static when it was measured; the report keeps it when it was read */
extern const struct json_kind field_word;
extern const struct json_kind field_tag; /* char[17] */

/* struct report: tool, version, command, host, started, elapsed_ns */
extern const struct json_field report_head_rows[];
extern const struct json_field report_skip_rows[]; /* struct report: skipped */
extern const struct json_field report_rows[];	   /* struct report: all of it but the schema */
/* struct report_row */
extern const struct json_list report_prog_events, report_scope_events;
extern const struct json_list report_notes_list;      /* struct report_notes */
extern const struct json_field record_samples_rows[]; /* struct record_samples */

/* What report_rows are written with. */
struct report_writer {
	const struct report *r;
	const struct render_opts *o;
};

/*
 * Reads the fields of a document into to, an empty report or recording whose words r keeps. 0,
 * -ENOMEM, or -EINVAL with err->text, which begins with the path of what is wrong. The caller frees
 * r and to then, too.
 */
int report__fill(struct report *r, json_t *doc, const struct json_field *rows, void *to,
		 struct report_error *err);

/*
 * Reads the next JSON object of src. 0, and the caller gives back *doc; -ENODATA: there is none any
 * more; -EINVAL with *err, also where it is not by bprof; -ENOMEM; or with what in failed.
 */
int report_source__next(struct report_source *src, json_t **doc, struct report_error *err);
/*
 * Checks that doc is of the kind that src is to have, and that its version, in the field key, is at
 * most newest. 0, or -EINVAL with *err.
 */
int report_source__check(const struct report_source *src, const json_t *doc, const char *key,
			 int newest, struct report_error *err);
/* -EINVAL, for "return report_error__set(…)". */
int report_error__set(struct report_error *err, unsigned long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
