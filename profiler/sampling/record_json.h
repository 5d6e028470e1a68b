/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The JSON fields that recordings and annotations have in common.
 */
#ifndef BPROF_RECORD_JSON_H
#define BPROF_RECORD_JSON_H

#include "json/json_fields.h"
#include "report/report.h"
#include "sampling/record.h"

/* fields of struct record: host, time, event, and number of samples */
extern const struct json_field record_head_rows[];
extern const struct json_field record_runs_rows[]; /* the runs of a struct record_prog */
extern const struct json_field record_skip_rows[]; /* field "skipped" of struct record */
/* all fields of a struct record except "record" */
extern const struct json_field record_rows[];

/* Makes a recording from a document. Returns the same errors as record__read(). */
int record__parse(const struct report_source *src, json_t *doc, struct record **out,
		  struct report_error *err);

#endif
