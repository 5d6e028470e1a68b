/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Judges one run of bprof in which a call failed, by what a clean run wrote.
 */
#ifndef BPROF_FAULTS_JUDGE_H
#define BPROF_FAULTS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

/* A sorted set of strings. */
struct set {
	char **s;
	int cnt;
};

/* The output of one run. */
struct output {
	int status; /* of waitpid() */
	char *out, *err, *file;
	char *log; /* of the shim: which call failed, and its stack */
};

/* What clean runs have in common. */
struct clean {
	int status;
	struct set out, file; /* parts that every clean run wrote, numbers replaced by '#' */
	struct set all;	      /* parts that any of them wrote */
};

enum verdict {
	RUN_GOOD,     /* failed with a message, or did everything */
	RUN_DEGRADED, /* ended as a clean run with less output, and said so */
	RUN_CRASHED,
	RUN_HUNG,
	RUN_WRONG_STATUS, /* neither 1, 4, nor that of a clean run */
	RUN_SILENT,	  /* failed without a message */
	RUN_MISSING,	  /* ended as a clean run with less output, and did not say so */
	RUN_TORN_FILE,	  /* the output file is neither whole nor as it was */
	RUN_LEFT_BEHIND,  /* left something in the kernel or in the file system */
	RUN_NEXT_FAILED,  /* a clean run after this one failed */
	RUN_VERDICT_CNT,
};

extern const char *const verdict_names[RUN_VERDICT_CNT];

/* What the output file holds before each run: one word, which is no message (count_new()). */
#define AS_IT_WAS "former\n"

void output__free(struct output *o);

/* Adds a clean run. Returns false if it did not do what the first one did. */
bool clean__add(struct clean *c, const struct output *o);
void clean__free(struct clean *c);

/*
 * Judges everything that is in *o. *messages: the number of lines that clean runs do not print;
 * *missing: the first part that is not there, or NULL.
 */
enum verdict clean__judge(const struct clean *c, const struct output *o, bool streamed,
			  int *messages, const char **missing);

#endif
