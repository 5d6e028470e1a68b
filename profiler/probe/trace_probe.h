/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user space side of bprof trace's probe: its conditions, its ring buffers and its counts. It
 * is passed to the backends as an option (backend_opts.trace).
 */
#ifndef BPROF_TRACE_PROBE_H
#define BPROF_TRACE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/trace.h"
#include "probe/trace_args.h"
#include "probe/trace_conds.h"

struct backend_env;
struct perf_buffer;
struct target;

struct trace_probe {
	/* The caller sets the following members. */
	struct trace_conds *conds;
	const struct trace_args *args; /* NULL: no arguments */
	__u64 limit;		       /* maximum number of records per target, CPU and second */
	/* record all runs, without a limit, also those for which no condition is true */
	bool all;
	__u32 snap;   /* number of bytes of each packet to record; 0: none */
	bool stack;   /* record the kernel stack of each run */
	bool packets; /* packets are required: fail if the kernel's BTF is missing */
	/*
	 * nested targets: record only runs of outermost targets; the costs of all functions in such
	 * a run are added up
	 */
	bool shared;
	/*
	 * Called for each record. sz is the record's size in the ring buffer. If take() returns
	 * -errno, reading ends.
	 */
	int (*take)(void *arg, int cpu, const struct bprof_record *r, size_t sz);
	void (*lost)(void *arg, int cpu, __u64 cnt);
	void *arg;
	/* The following members are private. */
	const struct backend_env *env;
	struct bprof_trace_config config;
	const struct bprof_shares *shares; /* indexed by CPU id; owned by the probes; NULL: none */
	int records_fd;
	struct perf_buffer *buffer;
	/* copy of the last record, which is not aligned in the ring buffer */
	struct bprof_record *copy;
	size_t copy_sz;
	int err; /* error that take() returned */
};

/* Counts of records. matched = records + held + lost. */
struct trace_counts {
	__u64 matched, records, held, lost;
	/* measured runs in which this target was the outermost; only with shares */
	__u64 outermost;
};

#define TRACE_PROBE_NONE ((struct trace_probe){.records_fd = -1})

/*
 * Assigns the bounds to slots. env must outlive *t, the events of env must be open, and no backend
 * may be open yet. Returns 0, or -errno (reported), for example if an event of a condition cannot
 * be counted, or if events are multiplexed.
 */
int trace_probe__open(struct trace_probe *t, const struct backend_env *env);
void trace_probe__close(struct trace_probe *t); /* call it after the backends are closed */

/*
 * Returns the size of struct bprof_trace_cpu and its data, which each element of a probe's counts
 * contains.
 */
size_t trace_probe__area_sz(const struct trace_probe *t);

/*
 * Opens the ring buffers and makes the probes of all targets record. Returns 0, or -errno
 * (reported): a condition names a return value that no target has, no target has packets although
 * the user asked for them, or a ring buffer cannot be opened.
 */
int trace_probe__arm(struct trace_probe *t);
/*
 * If a bound is a percentile, calculates its limit from each target's runs so far, for the runs
 * from now on. A target has no records until it has enough runs for one of them to exceed the bound
 * (1,000 for p99.9).
 */
void trace_probe__follow(struct trace_probe *t);
/*
 * Sets *over to a target's limit that follows a percentile, in units of the counter. Returns false
 * if there is no such limit, or none yet.
 */
bool trace_probe__bound(const struct trace_probe *t, const struct target *target, __s64 *over);
/* Makes the probes of all targets stop recording. */
void trace_probe__disarm(struct trace_probe *t);

/*
 * trace_probe__fd() returns a descriptor that is readable when there are records.
 * trace_probe__read() reads all records, and returns 0 or -errno.
 */
int trace_probe__fd(const struct trace_probe *t);
int trace_probe__read(struct trace_probe *t);
/*
 * Passes the data from one CPU's ring buffer to t->take(). Counts the data as a lost record if it
 * is no record of a target in t->env. trace_probe__read() calls it; data has sz bytes and need not
 * be aligned.
 */
void trace_probe__take(struct trace_probe *t, int cpu, const void *data, size_t sz);

struct trace_counts trace_probe__count(const struct trace_probe *t, const struct target *target);

/* The probes own the shares, and call this function when they have created them. */
void trace_probe__set_shares(struct trace_probe *t, const struct bprof_shares *shares);
/*
 * Returns true if the costs of functions are added up: t->shared is set, and targets may call one
 * another.
 */
bool trace_probe__has_shares(const struct trace_probe *t);
/*
 * Returns what the target with that index cost by itself in the runs for which a condition was
 * true.
 */
struct bprof_matching trace_probe__matching(const struct trace_probe *t, int target);
/*
 * Returns the cost of the runs for which a condition was true and whose outermost function was the
 * target. The sum of these costs over all targets is the same as the sum of
 * trace_probe__matching(), unless runs that interrupted one another were mixed up.
 */
__s64 trace_probe__net(const struct trace_probe *t, int target, __u32 slot);

/* Returns true if the target's records have packets. Call it when the target has been attached. */
bool trace_probe__has_packets(const struct trace_probe *probe, const struct target *t);
/* Returns the addresses of the record's stack, of r->stack_sz bytes. */
const void *trace_probe__stack(const struct trace_probe *t, const struct bprof_record *r);
/* Returns the r->snapped bytes of the record's packet. */
const __u8 *trace_probe__packet(const struct trace_probe *t, const struct bprof_record *r);
/*
 * Returns the value of the argument with that index: BPROF_ARG_SZ bytes, or NULL if the probe could
 * not read it, or if the target has no such argument.
 */
const void *trace_probe__arg(const struct trace_probe *t, const struct bprof_record *r, int index);
/* Returns true if the target returns a number. */
bool trace_probe__has_retval(const struct target *t);

#endif
