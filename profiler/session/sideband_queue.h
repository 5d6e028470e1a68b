/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decodes perf's side-band records of BPF programs, sorts them by time, and combines them into
 * loads and unloads. Pure: makes no system calls and prints nothing.
 */
#ifndef BPROF_SIDEBAND_QUEUE_H
#define BPROF_SIDEBAND_QUEUE_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/types.h>

#include "base/util.h"

struct perf_event_attr;
struct perf_event_header;

enum sideband_kind { SIDEBAND_LOAD, SIDEBAND_UNLOAD, SIDEBAND_LOST };

struct sideband_event {
	enum sideband_kind kind;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	int cpu;
	/*
	 * only for SIDEBAND_LOST: number of records that were lost because the buffer of that CPU
	 * was full
	 */
	__u64 lost;
	/* the process that loads or unloads; 0: it has ended or is in another pid namespace */
	__u32 pid;
	char comm[16]; /* command name of the process; "": not known */
	__u32 id;
	__u8 tag[BPF_TAG_SIZE];
	/*
	 * The names of the program's functions, the entry function first. func_cnt is 0 if the
	 * program is not JITed, because such a program has no symbols. The queue owns the names.
	 * They are valid until the callback returns.
	 */
	const char *const *func;
	int func_cnt;
};

/*
 * Receives an event. If the function returns -errno, sideband_queue__flush() ends and returns that
 * error.
 */
typedef int (*sideband_fn)(const struct sideband_event *event, void *arg);

struct sideband_queue;

/*
 * Sets the fields of attr that select the records that perf writes, and the layout of these
 * records. The caller sets the event's type.
 */
void sideband_queue__set_attr(struct perf_event_attr *attr);

struct sideband_queue *sideband_queue__new(void);
void sideband_queue__free(struct sideband_queue *q); /* accepts NULL */

/*
 * Copies one record, which has rec->size bytes, from a CPU's ring buffer to the queue. The caller
 * must add the records of a CPU in their order. Ignores irrelevant and truncated records.
 */
void sideband_queue__add(struct sideband_queue *q, const struct perf_event_header *rec);

/* Returns true if the queue holds a load of that program. */
bool sideband_queue__has_load(const struct sideband_queue *q, __u32 id);

/*
 * Calls fn once for each event up to until_ns, in the order of time. If the caller read all buffers
 * after until_ns, fn gets the load of a program before its unload, even if they happened on
 * different CPUs. Returns 0 or the error that fn returned.
 */
int sideband_queue__flush(struct sideband_queue *q, __u64 until_ns, sideband_fn fn, void *arg);

#endif
