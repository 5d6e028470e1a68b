/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of the campaign: its options, functions that run bprof, and its findings. */
#ifndef BPROF_FAULTS_CAMPAIGN_H
#define BPROF_FAULTS_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/faults/judge.h"
#include "tests/faults/lines.h"
#include "tests/faults/objects.h"
#include "tests/faults/shim.h"

struct campaign_opts {
	const char *bprof, *kinds, *mode, *error, *lines, *dir;
	int at_most;
	bool each, per_line, shared, verbose, only;
	enum needs most;
};

extern struct campaign_opts opts;

#define MAX_FINDINGS 200

/* The campaign of one command line. */
struct campaign {
	const struct line *line;
	struct clean clean;
	struct objects objects;
	struct fault_call *calls;
	int call_cnt;
	int tried, in_libraries, most_messages;
	char *longest; /* the messages of the run with most_messages */
	int verdicts[RUN_VERDICT_CNT];
	char *findings[MAX_FINDINGS]; /* verdict and stack of each printed finding */
	int finding_cnt;
};

/* ---- runner.c ---- */

void die(const char *what);
/* Returns the path of a file of the campaign. It is valid until the next four calls. */
char *path_of(const char *name);
/* Returns the contents of a file, or NULL. */
char *read_all(const char *path, size_t *sz);
/* Runs a command in which the n-th call fails; n = 0: no call. Returns false if the command hangs. */
bool run_line(const struct line *line, int n, struct output *o);
/* Removes the command's files. Returns the name of a file that bprof should have removed itself, or "". */
const char *sweep(void);

/* ---- findings.c ---- */

/* Reads the list of library functions that do not survive a failed call (bprof.libraries). */
void findings__open(void);
/* Counts the verdict of the last run, in which a call failed, and prints it if it is new. */
void findings__add(struct campaign *c, enum verdict v, const struct output *o, const char *why);

/* Prints the first lines of a text as comments. */
void print_text(const char *text, int most);

#endif
