/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe's skeleton, opened and loaded once per session; from there the probe is loaded again
 * for each target.
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
	struct context_offsets at; /* offsets for the contexts in config */
	int event_cnt;		   /* number of perf events */
	bool multiplexed;
	bool nested;   /* targets may call one another */
	__u32 empties; /* built-in programs to load beside EMPTY_PROG: bits by enum empty */
	int events_fd, gate_fd;
	int runs_fd;	 /* nested */
	int rotation_fd; /* multiplexed */
	int cpu_limit;	 /* elements of the map of counts */
	size_t stat_sz;	 /* size of each */
	/* To record runs (bpf/trace.h), not with nested or multiplexed; else NULL. */
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
 * Loads the pair for the built-in empty program. Returns 0, or -errno with *reason: no probe can be
 * loaded on this machine.
 */
int probe_template__open(const struct probe_template_opts *o, struct probe_template **out,
			 struct reason *reason);
void probe_template__close(struct probe_template *t); /* NULL is fine */

/* Returns the descriptor of a loaded built-in program; owned by the template. */
int probe_template__empty_fd(const struct probe_template *t, enum empty which);

/*
 * Creates a map of counts for a target, with an element for each CPU id. For the built-in empty
 * program it is the template's own map. Returns 0 or -errno; the caller closes it in both cases.
 */
int probe_template__create_stats(const struct probe_template *t, const struct target *target,
				 struct mapped_array *stats);

/*
 * Loads one side of the probe for a target, with these counts. Returns the program's descriptor,
 * which the caller closes, or -errno with *reason. For the built-in empty program the template is
 * already loaded; it can be attached only once.
 */
int probe_template__load(const struct probe_template *t, enum probe_side side,
			 const struct target *target, int stats_fd, struct reason *reason);

#endif
