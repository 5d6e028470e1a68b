/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user space side of bprof trace's probe: its conditions, its ring buffers, its counts. One of
 * the options of the backends.
 */
#ifndef BPROF_TRACE_PROBE_H
#define BPROF_TRACE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/fentry/trace_conds.h"
#include "bpf/trace.h"

struct backend_env;
struct perf_buffer;
struct target;

struct trace_probe {
	/* set by the caller */
	struct trace_conds *conds;
	__u64 limit;  /* records per target, CPU and second */
	__u32 snap;   /* bytes of a packet to record; 0: none */
	bool stack;   /* record the kernel's stack */
	bool packets; /* packets are required: fail without the kernel's BTF */
	/* Called for each record, sz bytes in the ring buffer. -errno ends the reading. */
	int (*take)(void *arg, int cpu, const struct bprof_record *r, size_t sz);
	void (*lost)(void *arg, int cpu, __u64 cnt);
	void *arg;
	/* private */
	const struct backend_env *env;
	struct bprof_trace_config config;
	int records_fd;
	struct perf_buffer *buffer;
	int err; /* error of take() */
};

/* = records + held + lost */
struct trace_counts {
	__u64 matched, records, held, lost;
};

#define TRACE_PROBE_NONE ((struct trace_probe){.records_fd = -1})

/*
 * Assigns the bounds to slots. env, whose events are open, outlives it; no backend is open yet.
 * Returns 0, or -errno (reported): an event of a condition cannot be counted, or events would have
 * to be multiplexed.
 */
int trace_probe__open(struct trace_probe *t, const struct backend_env *env);
void trace_probe__close(struct trace_probe *t); /* after the backends are closed */

/* Returns the size of struct bprof_trace_cpu with its data, in each element of a probe's counts. */
size_t trace_probe__area_sz(const struct trace_probe *t);

/*
 * Opens the ring buffers and makes the probes of all targets record. Returns 0, or -errno
 * (reported): no target has a return value that a condition names, or a ring buffer cannot be
 * opened.
 */
int trace_probe__arm(struct trace_probe *t);
/* Stops recording. */
void trace_probe__disarm(struct trace_probe *t);

/*
 * Returns a descriptor that is readable when there are records. trace_probe__read() reads all of
 * them; it returns 0 or -errno.
 */
int trace_probe__fd(const struct trace_probe *t);
int trace_probe__read(struct trace_probe *t);

struct trace_counts trace_probe__count(const struct trace_probe *t, const struct target *target);

/* Returns the kind of packet in the first argument of that target. */
enum bprof_packet_kind trace_probe__packet_kind(const struct target *t);

#endif
