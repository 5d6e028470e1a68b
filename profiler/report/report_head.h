/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every JSON document of bprof that is read back says of where it is from. A recording has a report of its
 * own for that, without rows.
 */
#ifndef BPROF_REPORT_HEAD_H
#define BPROF_REPORT_HEAD_H

#include <jansson.h>

#include "report/report.h"

struct reader;

/* tool, version, command, host, started, elapsed_ns into obj. 0, or not: out of memory. */
int report__set_head(json_t *obj, const struct report *r);
/* skipped */
int report__set_skipped(json_t *obj, const struct report *r);
json_t *report_notes__to_json(const struct report_notes *notes);

/* {"taken":…,"in_targets":…,…}; NULL: out of memory. */
json_t *record_samples__to_json(const struct record_samples *s);
int record_samples__read(struct reader *rd, json_t *v, void *to); /* struct record_samples */

/* The same fields, back from doc. As report__fill(). */
int report__fill_head(struct reader *rd, json_t *doc);
int report_notes__read(struct reader *rd, json_t *v, void *to); /* struct report_notes */

/*
 * Reads the next JSON object of src. 0, and the caller gives back *doc; -ENODATA: there is none any
 * more; -EINVAL with *err, also where it is not by bprof; -ENOMEM; or with what in failed.
 */
int report_source__next(struct report_source *src, json_t **doc, struct report_error *err);
/* -EINVAL, for "return report_error__set(…)". */
int report_error__set(struct report_error *err, unsigned long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
