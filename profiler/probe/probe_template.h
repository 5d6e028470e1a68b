/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The template of all probes: a skeleton that is opened and loaded once per session. Its
 * instructions are then loaded again for each target.
 */
#ifndef BPROF_PROBE_TEMPLATE_H
#define BPROF_PROBE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "kernel/kernel_offsets.h"

struct bprof_trace_config;
struct call_site_at;
struct mapped_array;
struct own_runs;
struct reason;
struct target;

/* The programs of a probe. An fsession has one program: its PROBE_EXIT. */
enum probe_side { PROBE_ENTRY, PROBE_EXIT, PROBE_SIDE_CNT };

struct probe_template_opts {
	__u64 config; /* BPROF_CONFIG_... flags (bpf/probe.h) */
	/* offsets in the kernel's structs that the contexts in config need */
	struct context_offsets at;
	int event_cnt; /* number of perf events */
	bool multiplexed;
	bool nested; /* targets may call one another */
	/*
	 * If its ids are not 0, the probes are fsessions (bpf/probe_fsession.bpf.h). Cannot be
	 * combined with nested targets or multiplexed events.
	 */
	struct fsession_kfuncs kfuncs;
	/* built-in programs to load in addition to EMPTY_PROG: a bit for each of enum empty */
	__u32 empties;
	int events_fd, gate_fd;
	int runs_fd;	 /* map bprof_runs; used if nested */
	int rotation_fd; /* map bprof_rotation; used if multiplexed */
	/*
	 * number of elements in each map of counts: one for each CPU id, and one more for each CPU
	 * id and part
	 */
	int stat_cnt;
	size_t stat_sz;		    /* size of the counts of one CPU, in bytes */
	int hist_shift;		    /* how coarse the distributions are: hist__words_sz() */
	bool small;		    /* the counts have the small layout (BPROF_SMALL) */
	enum run_key by;	    /* count the runs of each value of this key separately */
	const struct key_read *key; /* how the key is read */
	/*
	 * If set, the probes record runs (bpf/trace.h). NULL: they do not. Cannot be combined with
	 * multiplexed events.
	 */
	const struct bprof_trace_config *trace;
	int records_fd;
	const struct own_runs *own; /* leaves out the runs of bprof itself; NULL: does not */
	/* divides the calls of kernel functions by the place of the call; NULL: by map */
	const struct call_site_at *site;
};

/*
 * The built-in programs (bpf/empty.bpf.c): the empty ones that calibration measures, and those that
 * check the calibration.
 */
enum empty {
	EMPTY_PROG,
	EMPTY_CALLS,	  /* calls the subprogram bprof_empty_sub() */
	EMPTY_ARGS,	  /* has a trampoline that saves five arguments */
	EMPTY_RAW,	  /* runs with migration enabled */
	EMPTY_SYSCALL,	  /* runs outside of RCU read-side critical sections */
	EMPTY_IRQ,	  /* runs with interrupts disabled */
	EMPTY_TAIL_CALLS, /* calls bprof_empty_tail(), and might make tail calls */
	/* CHECK_PROG + n is a program of known cost that is otherwise like the empty program n */
	CHECK_PROG,
	CHECK_CALLS,
	CHECK_ARGS,
	CHECK_RAW,
	CHECK_SYSCALL,
	CHECK_IRQ,
	CHECK_TAIL_CALLS,
	/*
	 * not empty: the first calls a kernel function once, the second BPROF_MORE_CALLS + 1 times
	 */
	CALLS_KERNEL,
	CALLS_MORE,
	EMPTY_CNT
};

struct probe_template;

/*
 * Loads the entry and exit probe for the built-in empty program. Returns 0, or -errno with *reason
 * if no probe can be loaded on this machine.
 */
int probe_template__open(const struct probe_template_opts *o, struct probe_template **out,
			 struct reason *reason);
void probe_template__close(struct probe_template *t); /* t may be NULL */

/* Returns the descriptor of a loaded built-in program. *t owns the descriptor. */
int probe_template__empty_fd(const struct probe_template *t, enum empty which);

/*
 * Creates a map of counts for a target. From the offset probe_template__first_stat() on, the map
 * has stat_cnt elements of stat_sz bytes, and then as many elements for each piece (struct
 * bprof_pieces). For the built-in empty program, opens the template's own map instead. Returns 0 or
 * -errno. The caller closes *stats in both cases.
 */
int probe_template__create_stats(const struct probe_template *t, const struct target *target,
				 int pieces, struct mapped_array *stats);

/* Returns the offset, in bytes, of the counts of CPU 0 in a map of counts. */
size_t probe_template__first_stat(const struct probe_template *t);

/*
 * Creates the map of frames for fsessions. Its result is like that of
 * probe_template__create_stats().
 */
int probe_template__create_pool(const struct probe_template *t, const struct target *target,
				struct mapped_array *pool);

/* Returns false if the probe has no program for that side. */
bool probe_template__has_side(const struct probe_template *t, enum probe_side side);

/*
 * Loads one side of the probe for a target. stats_fd is the map of the target's counts. pool_fd is
 * the map of its frames, which only fsessions use. Returns the program's descriptor, which the
 * caller closes, or -errno with *reason. For the built-in empty program, returns the template's own
 * program, which can be attached only once.
 */
int probe_template__load(struct probe_template *t, enum probe_side side,
			 const struct target *target, int stats_fd, int pool_fd,
			 struct reason *reason);

/*
 * Returns true if the probes themselves call the function that an instruction with this imm calls.
 * A probe on that function would run in each probe.
 */
bool probe_template__calls(const struct probe_template *t, __s32 imm);

#endif
