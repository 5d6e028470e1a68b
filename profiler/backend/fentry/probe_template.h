/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe's skeleton, opened and loaded once per session, and loaded again from there for each
 * target.
 */
#ifndef BPROF_PROBE_TEMPLATE_H
#define BPROF_PROBE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "kernel/kernel_offsets.h"

struct bprof_trace_config;
struct mapped_array;
struct reason;
struct target;

enum probe_side { PROBE_ENTRY, PROBE_EXIT, PROBE_SIDE_CNT };

struct probe_template_opts {
	__u64 config;		   /* probe.h */
	struct context_offsets at; /* of what it says to look at */
	int event_cnt;		   /* perf events in it */
	bool multiplexed;
	bool nested;   /* targets may call one another */
	__u32 empties; /* which built-in programs are loaded beside EMPTY_PROG: bits by enum empty */
	int events_fd, gate_fd;
	int runs_fd;	 /* nested */
	int rotation_fd; /* multiplexed */
	int cpu_limit;	 /* elements of the map of counts */
	size_t stat_sz;	 /* size of each */
	/* Runs are recorded (bpf/trace.h): not nested, not multiplexed; else NULL. */
	const struct bprof_trace_config *trace;
	int records_fd;
};

/* The built-in programs (bpf/empty.bpf.c) that calibration measures. */
enum empty {
	EMPTY_PROG,
	EMPTY_CALLS,	  /* calls the subprogram bprof_empty_sub() */
	EMPTY_ARGS,	  /* its trampoline saves five arguments */
	EMPTY_RAW,	  /* runs with migration enabled */
	EMPTY_SYSCALL,	  /* runs outside of RCU read-side critical sections */
	EMPTY_IRQ,	  /* runs with interrupts disabled */
	EMPTY_TAIL_CALLS, /* calls bprof_empty_tail(), and might make tail calls */
	EMPTY_CNT
};

struct probe_template;

/*
 * Loads the pair for the built-in empty program. 0 or -errno with *reason: no probe can be loaded
 * here.
 */
int probe_template__open(const struct probe_template_opts *o, struct probe_template **out,
			 struct reason *reason);
void probe_template__close(struct probe_template *t); /* NULL is fine */

/* A built-in program that was loaded: the template's descriptor. */
int probe_template__empty_fd(const struct probe_template *t, enum empty which);

/*
 * A new map of counts for a target: an element for each CPU id. 0 or -errno; then too the caller
 * closes it. The built-in empty program has that of the template itself.
 */
int probe_template__create_stats(const struct probe_template *t, const struct target *target,
				 struct mapped_array *stats);

/*
 * Loads one side of the probe for a target, with these counts. The program's descriptor, which the
 * caller closes, or -errno with *reason. For the built-in empty program the template is loaded
 * already; it can be attached once.
 */
int probe_template__load(const struct probe_template *t, enum probe_side side,
			 const struct target *target, int stats_fd, struct reason *reason);

#endif
