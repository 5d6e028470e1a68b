/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The place to which a command writes its result: standard output, standard error, or a file. A
 * file is replaced by rename(2), and only when the first document is complete.
 */
#ifndef BPROF_OUTPUT_H
#define BPROF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/pager.h"
#include "base/screen.h"
#include "base/util.h"

enum output_flags {
	OUTPUT_APPEND = 1 << 0,	  /* append to the file instead of replacing it */
	OUTPUT_STDERR = 1 << 1,	  /* without a path: standard error instead of standard output */
	OUTPUT_PRIVATE = 1 << 2,  /* only the owner may read the file */
	OUTPUT_KEEP_OLD = 1 << 3, /* keep the replaced file as PATH.old */
	OUTPUT_PAGER = 1 << 4,	  /* show standard output with a pager if it is a terminal */
};

struct output {
	FILE *file;
	const char *name; /* for messages; owned by the caller of output__open() */
	unsigned int flags;
	bool continues; /* appends to a file that was not empty */
	/*
	 * Until the first output__commit(), file is the temporary file temp, which then replaces
	 * path. path and temp are NULL if file is written directly: a device, a pipe, a file to
	 * append to.
	 */
	char *path, *temp;
	struct pager pager;
};

/* Returns true if path means standard output or standard error: NULL or "-". */
bool output__is_standard(const char *path);
/* Returns true unless output__open() would create or replace a regular file at path. */
bool output__is_stream(const char *path);

/* Returns true if output__open() would open standard output, and standard output is a terminal. */
bool output__is_terminal(const char *path);

/*
 * Checks whether output__open() can probably open path, without changing the file. Commands call it
 * before they measure. Returns 0, or -errno after reporting the error.
 */
int output__check(const char *path);
/*
 * Opens path, or standard output for "-" and NULL (see OUTPUT_STDERR). Call it only when the first
 * document is about to be written, because it truncates a file that cannot be replaced by renaming.
 * Returns 0, or -errno after reporting the error.
 */
int output__open(const char *path, unsigned int flags, struct output *o);
/*
 * Completes a document. err: the result of writing the document. If err is 0, flushes the output and, after
 * the first document, renames the temporary file to path. Returns 0, or -errno after reporting the error.
 */
int output__commit(struct output *o, int err);
/*
 * Closes the output. err is the first error so far, or 0. Without a completed document the old file
 * stays as it is. Returns err if it is not 0. Otherwise returns 0, or -errno after reporting that
 * output was lost. Does nothing if the output is not open.
 */
int output__close(struct output *o, int err);

/* A text that is built in memory first, so that it is written completely or not at all. */
struct draft {
	FILE *mem; /* the memory stream that the text is written to */
	char *text;
	size_t sz;
};

/* After this, the caller must call draft__end() or draft__fold(). */
void draft__begin(struct draft *d);
/*
 * err is the first error so far, or 0. If it is 0, writes the text to "out" and flushes "out".
 * Returns err, or the -errno of writing (-ENOSPC, ...). Frees the draft in any case.
 */
int __must_check draft__end(struct draft *d, int err, FILE *out);
/*
 * Ends a draft whose text becomes a part of another draft, out. Folds lines that are wider than max
 * between two words. max 0: no limit. Frees the draft.
 */
void draft__fold(struct draft *d, int max, FILE *out);

#endif
