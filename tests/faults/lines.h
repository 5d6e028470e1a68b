/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command lines of the campaign. */
#ifndef BPROF_FAULTS_LINES_H
#define BPROF_FAULTS_LINES_H

enum needs {
	NEEDS_NOTHING,
	NEEDS_BPF,     /* root */
	NEEDS_TRACING, /* a kernel that lets fentry programs be loaded */
};

/* Flags that change how a command is judged. */
#define STREAMED 1 /* it writes its output bit by bit, so that an incomplete file is no error */
#define SHARED \
	2 /* it changes something that other processes use: a run without a fault must still work afterwards */

struct line {
	const char *name;
	/*
	 * Arguments of bprof, split at blanks. $OUT: the output file; $ID: the measured program;
	 * $DRIVE: runs that program; other variables come from the environment.
	 */
	const char *args;
	enum needs needs;
	int flags;
};

extern const struct line lines[];
extern const int line_cnt;

#endif
