/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The privileges of this process.
 */
#ifndef BPROF_PRIVILEGES_H
#define BPROF_PRIVILEGES_H

#include <stdbool.h>

#include "base/util.h"

/* What a process still does after its set-up: rows of a table in privileges.c. */
enum privileges {
	PRIVILEGES_ALL,	 /* nothing is given up */
	PRIVILEGES_READ, /* it reads what is open: maps, events, programs */
	PRIVILEGES_LIST, /* it also finds the probes of others on its targets, and their processes */
	PRIVILEGES_OPEN, /* it also finds and opens programs, maps and events, and loads probes */
	PRIVILEGES_SHOW, /* it also shows who holds programs, and their code (bprof top) */
	PRIVILEGES_CNT
};

struct privileges_use {
	enum privileges mode;
	bool files;   /* it writes files, also in directories of other users */
	bool signals; /* it ends processes of other users */
};

/*
 * Removes the capabilities that the use does not need from all sets of this thread, and sets
 * no_new_privs, so that programs that it executes cannot get them back. Threads that exist already
 * keep their capabilities. Returns 0 or -errno.
 */
int __must_check privileges__drop(const struct privileges_use *use);

/*
 * Clears the sets of capabilities that a process without root's rights hands on to a program that it
 * executes. Returns 0 or -errno.
 */
int __must_check privileges__drop_inherited(void);

#endif
