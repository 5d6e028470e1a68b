/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that are loaded, and how that changes: what exists at the start, then every load and
 * unload once, also where records of them were lost.
 */
#ifndef BPROF_PROG_WATCH_H
#define BPROF_PROG_WATCH_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

enum prog_change_kind {
	PROG_THERE, /* loaded before the watch began */
	PROG_LOAD,
	PROG_UNLOAD,
	PROG_LOST, /* records of a CPU were lost, loads and unloads among them perhaps */
};

struct prog_change {
	enum prog_change_kind kind;
	__u64 time_ns;	/* CLOCK_MONOTONIC */
	__s64 clock_ns; /* the same in ns since the epoch */
	int cpu;	/* where it was done, or lost; -1: not known */
	__u64 lost;	/* PROG_LOST: records. Else: */
	__u32 id;
	int type;	  /* enum bpf_prog_type; -1: not known */
	const char *name; /* its whole name; "" where it has none, or none is known */
	const char *tag;
	bool own; /* a program of bprof, as far as can be seen */
	/* What follows is of PROG_THERE and PROG_LOAD, but for pid and comm. */
	__u32 xlated_bytes, jited_bytes; /* 0: not known, or not JITed */
	const char *const *func;	 /* its functions, the entry function first; may be none */
	int func_cnt;
	bool gone;	  /* it was unloaded again before it could be looked at */
	bool missed;	  /* its record was lost: found out by a look at all programs */
	__u32 pid;	  /* who did it; 0: not known */
	const char *comm; /* "": not known */
};

/* All pointers in change are valid until it returns. -errno ends what was called, which returns it. */
typedef int (*prog_change_fn)(const struct prog_change *change, void *arg);

struct prog_watch;

/*
 * Begins to record, then looks at all loaded programs: nothing falls between. new_only: without
 * telling of those. 0 or -errno (reported).
 */
int __must_check prog_watch__open(bool new_only, prog_change_fn fn, void *arg,
				  struct prog_watch **out);
void prog_watch__close(struct prog_watch *w); /* NULL is fine */

/* Can be polled: it is readable when prog_watch__process() may have something to tell. */
int prog_watch__fd(const struct prog_watch *w);

/*
 * Tells of what existed at the start, the first time, and of what has happened since the last call.
 * last: there will be no further call. 0, what fn returned, or -errno (reported).
 */
int prog_watch__process(struct prog_watch *w, bool last);

/* To be called each second or so: CPUs may come and go. As prog_watch__process(). */
int prog_watch__follow_cpus(struct prog_watch *w);

#endif
