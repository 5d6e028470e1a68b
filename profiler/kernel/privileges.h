/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The privileges of this process.
 */
#ifndef BPROF_PRIVILEGES_H
#define BPROF_PRIVILEGES_H

#include <stdbool.h>

#include "base/util.h"

/* The work that a process still does after its set-up: rows of a table in privileges.c. */
enum privileges {
	PRIVILEGES_ALL,	 /* the process gives up no privileges */
	PRIVILEGES_READ, /* it reads open maps, events and programs */
	/* it also finds other processes' probes on its targets, and these processes */
	PRIVILEGES_LIST,
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
 * Removes the capabilities that *use does not need from all sets of this thread, and sets
 * no_new_privs, so that programs that the thread executes cannot get these capabilities back. Other
 * existing threads keep their capabilities. Returns 0 or -errno.
 */
int __must_check privileges__drop(const struct privileges_use *use);

/*
 * Clears the sets of capabilities that a process without root's rights passes on to a program that
 * it executes. Returns 0 or -errno.
 */
int __must_check privileges__drop_inherited(void);

#endif
