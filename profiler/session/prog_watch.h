/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watches the loaded programs. Reports the programs that exist at the start, and then each load and
 * unload once, even if the kernel's records of it were lost.
 */
#ifndef BPROF_PROG_WATCH_H
#define BPROF_PROG_WATCH_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"

enum prog_change_kind {
	PROG_PRESENT, /* the program was loaded before prog_watch__open() */
	PROG_LOAD,
	PROG_UNLOAD,
	PROG_LOST,   /* records of a CPU were lost; they may have been loads or unloads */
	PROG_UNHELD, /* nothing holds the program any more; prog_watch never reports this */
};

struct prog_change {
	enum prog_change_kind kind;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	/*
	 * If the program was loaded before the time 0 of CLOCK_MONOTONIC: how long before. time_ns
	 * is then 0. This happens if the machine was suspended after the load, because
	 * CLOCK_MONOTONIC stands still in suspend.
	 */
	__u64 early_ns;
	__s64 clock_ns; /* the time of the change in nanoseconds since the epoch */
	int cpu;	/* the CPU of the change or loss; -1: not known */
	__u64 lost;	/* number of lost records (PROG_LOST only) */
	__u32 id;
	int type;	  /* enum bpf_prog_type; -1: not known */
	const char *name; /* full name; "" if the program has no name or it is not known */
	const char *tag;
	bool own; /* the program is known to be one of bprof's own */
	/*
	 * The fields below, except missed, pid and comm, are set only for PROG_PRESENT and
	 * PROG_LOAD. The sizes are also set for PROG_UNHELD.
	 */
	__u32 xlated_bytes, jited_bytes; /* 0: not known, or the program is not JITed */
	/* Names of the program's functions, the entry function first; func_cnt may be 0. */
	const char *const *func;
	int func_cnt;
	bool gone; /* the program was unloaded before bprof could open it */
	/*
	 * the program is gone, and the kernel's records have no symbols with its name, as for an
	 * interpreted program: name is ""
	 */
	bool nameless;
	/* the kernel's record was lost; bprof noticed the change when it listed all programs */
	bool missed;
	__u32 pid;	  /* the process that loaded or unloaded the program; 0: not known */
	const char *comm; /* command name of that process; "": not known */
};

/*
 * Receives a change. Pointers in it are valid until the function returns. If the function returns
 * -errno, prog_watch stops reporting and returns that error to its caller.
 */
typedef int (*prog_change_fn)(const struct prog_change *change, void *arg);

struct prog_watch;

/*
 * Starts recording. The first prog_watch__process() then lists all loaded programs, so that no load
 * is missed. If new_only is set, the programs in that first list are not reported. comm: find out
 * the command names of processes (struct prog_change). Returns 0 or -errno (reported).
 */
int __must_check prog_watch__open(bool new_only, bool comm, prog_change_fn fn, void *arg,
				  struct prog_watch **out);
void prog_watch__close(struct prog_watch *w); /* accepts NULL */

/*
 * Returns a descriptor to poll: it is readable when prog_watch__process() may have changes to
 * report.
 */
int prog_watch__fd(const struct prog_watch *w);

/*
 * Reports all changes since the last call; the first call also reports the programs that existed at
 * the start. The caller sets "last" if no further call follows. Returns 0, the error that fn
 * returned, or -errno (reported).
 */
int prog_watch__process(struct prog_watch *w, bool last);

/*
 * Adapts to CPUs that went online or offline; call it about once a second. Returns the same values
 * as prog_watch__process().
 */
int prog_watch__follow_cpus(struct prog_watch *w);

#endif
