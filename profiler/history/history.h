/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A history: reports, each with the commit whose programs it measured. In a file or a git note, an
 * entry is one JSON document on one line. Opens no files and prints nothing.
 */
#ifndef BPROF_HISTORY_H
#define BPROF_HISTORY_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "report/report.h"

#define HISTORY_SCHEMA 1

struct history_entry {
	char *commit;	      /* a hash or any other name of a version */
	struct timespec date; /* the date of the commit */
	char *machine;	      /* the name that the user gave the machine, or NULL */
	struct report *report;
	int position; /* the commit's position in the history, from 0 on */
	int order;    /* the entry's position before sorting */
};

struct history {
	struct history_entry *v; /* in the order of the commits after history__sort() */
	int cnt;
	int commit_cnt; /* the number of different commits, after history__sort() */
	/* The number of lines that could not be read. */
	int bad_cnt;
	/* The last line could not be read, so the newest entry is missing. */
	bool ends_bad;
};

/* Writes the entry and a newline. Distributions and the rows per CPU are left out. */
void history_entry__print(const struct history_entry *e, FILE *out);
void history_entry__free(struct history_entry *e); /* frees the members, not *e */

/*
 * Reads the entries of a text and appends them to the history. name: the source, for messages.
 * Leaves out lines that cannot be read, with a warning. Returns 0 or the error of reading. The
 * caller frees the history in any case.
 */
int history__read(struct history *h, FILE *in, const char *name);
/* Orders the entries by the dates of their commits, and finds their positions. */
void history__sort(struct history *h);
/* Finds the positions like history__sort(), but keeps the commits in the order in which they were added. */
void history__number(struct history *h);
void history__free(struct history *h);

/*
 * Returns the position of the commit that is called "name" or, if there is none, of the commit whose
 * name begins with "name". Returns -ENOENT if there is no such commit, and -EINVAL if there are
 * several.
 */
int history__find(const struct history *h, const char *name);

/* Parses "2026-01-31" or "2026-01-31T12:00:00Z", in UTC. Returns 0 or -EINVAL. */
int history__parse_date(const char *text, struct timespec *date);
/* Writes the date as "2026-01-31" to buf of HISTORY_DATE_SZ bytes. Returns buf. */
#define HISTORY_DATE_SZ 16
const char *history__format_date(const struct timespec *date, char *buf);
/* Writes a short name of the commit: a hash is cut to 12 digits. Returns buf. */
#define HISTORY_COMMIT_SZ 48
const char *history__format_commit(const char *commit, char *buf);

#endif
