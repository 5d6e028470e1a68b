/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Saved documents of all kinds, which bprof wrote as JSON or as an HTML page. */
#ifndef BPROF_SAVED_H
#define BPROF_SAVED_H

#include "formats/formats.h"

/* A saved document. The member for its kind is set; the others are NULL. */
struct saved {
	struct report *report;
	struct compare_saved comparison; /* .c is NULL if the document is of another kind */
	struct record *record;
	struct annotation *annotation;
};

struct saved_list {
	struct saved *v;
	int cnt;
};

/*
 * Reads all documents of a file, which must be of the same kind. Returns 0, -ENODATA if the file is
 * empty, -EINVAL with *err, or the error of reading. The caller frees the list in any case.
 */
int saved_list__read(FILE *in, struct saved_list *l, struct report_error *err);
void saved_list__free(struct saved_list *l);

/* Returns the kind of the document: a bit of enum document. */
enum document saved__kind(const struct saved *s);

/*
 * Opens the JSON in a file for reading: *out is the file itself or, for an HTML page, a copy of the
 * documents in the page. Lines have the same numbers in the copy as in the page. The caller closes
 * *out unless it is "in". Returns 0, -EINVAL with *err if the page has no JSON, or the error of
 * reading.
 */
int saved__open(FILE *in, FILE **out, struct report_error *err);

/*
 * Reads the reports in a file ("-": standard input) with report__read_all(), which makes one report
 * of them. hint: the command that makes reports, for the error message on an empty file. Returns 0,
 * and the caller frees *out; or -errno (reported).
 */
int saved__read_report(const char *path, const char *hint, struct report **out);

#endif
