/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probe of bprof trace, from user space: its conditions, its ring buffers, its counts. It is
 * one of the options of the backends.
 */
#ifndef BPROF_TRACE_PROBE_H
#define BPROF_TRACE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/trace.h"
#include "backend/fentry/trace_conds.h"

struct backend_env;
struct perf_buffer;
struct target;

struct trace_probe {
	/* the caller's */
	struct trace_conds *conds;
	__u64 limit;  /* records of a target on a CPU in a second */
	__u32 snap;   /* bytes of a packet; 0: none */
	bool stack;   /* with the kernel's stack */
	bool packets; /* a packet's length and bytes are wanted: without the kernel's BTF it fails */
	/* Of a record, which is sz bytes long and lies in the ring buffer. -errno ends it. */
	int (*take)(void *arg, int cpu, const struct bprof_record *r, size_t sz);
	void (*lost)(void *arg, int cpu, __u64 cnt);
	void *arg;
	/* its own */
	const struct backend_env *env;
	struct bprof_trace_config config;
	int records_fd;
	struct perf_buffer *buffer;
	int err; /* of take() */
};

/* = records + held + lost */
struct trace_counts {
	__u64 matched, records, held, lost;
};

#define TRACE_PROBE_NONE ((struct trace_probe){.records_fd = -1})

/*
 * Finds which slots have which bounds. env, whose events are open, outlives it; no backend is open
 * yet. 0 or -errno (reported): a condition's event cannot be counted, or events would have to take
 * turns.
 */
int trace_probe__open(struct trace_probe *t, const struct backend_env *env);
void trace_probe__close(struct trace_probe *t); /* after the backends are closed */

/* Of each element of a probe's counts, how many bytes are for struct bprof_trace_cpu. */
size_t trace_probe__area_sz(const struct trace_probe *t);

/*
 * Opens the ring buffers, and lets the probes of all targets record. 0 or -errno (reported): no
 * target returns what a condition names, or has packets where they are wanted.
 */
int trace_probe__arm(struct trace_probe *t);
/* Nothing more is recorded. */
void trace_probe__disarm(struct trace_probe *t);

/* Readable when there are records, for trace_probe__read(), which takes all there are: 0 or -errno. */
int trace_probe__fd(const struct trace_probe *t);
int trace_probe__read(struct trace_probe *t);

struct trace_counts trace_probe__count(const struct trace_probe *t, const struct target *target);

/* What kind of packet is the first argument of that target? */
enum bprof_packet_kind trace_probe__packet_kind(const struct target *t);

#endif
