/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The place where a history is kept: a file with a line for each report, or git notes.
 */
#ifndef BPROF_HISTORY_STORE_H
#define BPROF_HISTORY_STORE_H

#include "history/history.h"
#include "options/options.h"

struct history_store {
	const char *file; /* NULL: the default */
	bool notes;
};

/* The options --file and --notes, which set a struct history_store. */
extern const struct option_row history_store_rows[];

/*
 * Appends a line, which ends with '\n', to the file or to the note on "commit". Writes the line
 * completely or not at all, also if several processes append at the same time. Returns 0 or -errno
 * (reported).
 */
int history_store__append(const struct history_store *s, const char *commit, const char *line);
/* Reads the history, and orders its entries. The caller frees *h. Returns 0 or -errno (reported). */
int history_store__read(const struct history_store *s, struct history *h);
/* Returns the name of the store for messages. */
const char *history_store__name(const struct history_store *s);

#endif
