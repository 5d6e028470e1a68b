/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watches the loaded programs: reports those that exist at the start, then every load and unload
 * once, even if records of them were lost.
 */
#ifndef BPROF_PROG_WATCH_H
#define BPROF_PROG_WATCH_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

enum prog_change_kind {
	PROG_PRESENT, /* loaded before the watch began */
	PROG_LOAD,
	PROG_UNLOAD,
	PROG_LOST, /* records of a CPU were lost, perhaps of loads and unloads */
};

struct prog_change {
	enum prog_change_kind kind;
	__u64 time_ns;	/* CLOCK_MONOTONIC */
	__s64 clock_ns; /* the same in ns since the epoch */
	int cpu;	/* of the change or loss; -1: not known */
	__u64 lost;	/* PROG_LOST: number of records. Otherwise: */
	__u32 id;
	int type;	  /* enum bpf_prog_type; -1: not known */
	const char *name; /* its full name; "" if it has none or none is known */
	const char *tag;
	bool own; /* a program of bprof, as far as known */
	/* The fields below, except pid and comm, are only set for PROG_PRESENT and PROG_LOAD. */
	__u32 xlated_bytes, jited_bytes; /* 0: not known, or not JITed */
	const char *const *func;	 /* its functions, the entry function first; may be empty */
	int func_cnt;
	bool gone;	  /* it was unloaded before it could be opened */
	bool missed;	  /* its record was lost; found by listing all programs */
	__u32 pid;	  /* the process that did it; 0: not known */
	const char *comm; /* "": not known */
};

/*
 * Receives a change; its pointers are valid until the function returns. A returned -errno ends the
 * calling function, which returns it.
 */
typedef int (*prog_change_fn)(const struct prog_change *change, void *arg);

struct prog_watch;

/*
 * Starts recording. The first prog_watch__process() then lists all loaded programs, so that no load
 * is missed. new_only: do not report those. 0 or -errno (reported).
 */
int __must_check prog_watch__open(bool new_only, prog_change_fn fn, void *arg,
				  struct prog_watch **out);
void prog_watch__close(struct prog_watch *w); /* accepts NULL */

/* A descriptor to poll: readable when prog_watch__process() may have something to report. */
int prog_watch__fd(const struct prog_watch *w);

/*
 * Reports what happened since the last call; the first call also reports the programs that existed
 * at the start. last: there will be no further call. 0, what fn returned, or -errno (reported).
 */
int prog_watch__process(struct prog_watch *w, bool last);

/* Call every second or so: adapts to CPUs that went online or offline. As prog_watch__process(). */
int prog_watch__follow_cpus(struct prog_watch *w);

#endif
