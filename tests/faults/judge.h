/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Judges one run of bprof in which a call failed, by comparing its output with that of clean runs, in which no
 * call failed.
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

/* The common parts of the clean runs of a command. */
struct clean {
	int status;
	struct set out, file; /* parts that every clean run wrote, numbers replaced by '#' */
	struct set all;	      /* parts that any clean run wrote */
};

enum verdict {
	RUN_GOOD,     /* failed with a message, or did everything */
	RUN_DEGRADED, /* same status as a clean run, less output, and a message about that */
	RUN_CRASHED,
	RUN_HUNG,
	RUN_WRONG_STATUS, /* status is not 1, 4, EXIT_NO_MEMORY or that of a clean run */
	RUN_SILENT,	  /* failed without a message */
	RUN_MISSING,	  /* same status as a clean run, less output, and no message */
	RUN_TORN_FILE,	  /* the output file is neither complete nor unchanged */
	RUN_LEFT_BEHIND,  /* left something in the kernel or in the file system */
	RUN_NEXT_FAILED,  /* a clean run after this one failed */
	RUN_VERDICT_CNT,
};

extern const char *const verdict_names[RUN_VERDICT_CNT];

/* The content of the output file before each run. It is one word, so count_new() does not count it. */
#define AS_IT_WAS "former\n"

void output__free(struct output *o);

/* Adds a clean run. Returns false if its status differs from that of the first one. */
bool clean__add(struct clean *c, const struct output *o);
void clean__free(struct clean *c);

/*
 * Judges the run from *o. Sets *messages to the number of lines on stderr that clean runs do not print, and
 * *missing to the first part of the clean runs' output that is not in *o, or NULL.
 */
enum verdict clean__judge(const struct clean *c, const struct output *o, bool streamed,
			  int *messages, const char **missing);

#endif
