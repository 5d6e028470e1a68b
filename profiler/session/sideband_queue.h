/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * perf's side-band records of BPF programs, as bytes: read, put in the order of time, and joined
 * into loads and unloads. Pure: asks no kernel, prints nothing.
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
	__u64 lost;    /* SIDEBAND_LOST: records of that CPU up to now, for want of room. Else: */
	__u32 pid;     /* who did it; 0: nobody in this pid namespace */
	char comm[16]; /* its command; "": not known */
	__u32 id;
	__u8 tag[BPF_TAG_SIZE];
	/*
	 * The names of its functions as its symbols have them, the entry function first; none where
	 * it is not JITed. The queue's, until the callback returns.
	 */
	const char *const *func;
	int func_cnt;
};

/* -errno ends the flush, which returns it. */
typedef int (*sideband_fn)(const struct sideband_event *event, void *arg);

struct sideband_queue;

/* What the records are expected to have: fills in attr, but for what is counted. */
void sideband_queue__set_attr(struct perf_event_attr *attr);

int __must_check sideband_queue__new(struct sideband_queue **out); /* 0 or -ENOMEM */
void sideband_queue__free(struct sideband_queue *q);		   /* NULL is fine */

/*
 * Takes a copy of one record of a CPU's ring buffer, which is of header->size bytes; the records of
 * one CPU in their order. What is not of interest, or shorter than it has to be, is passed over. 0
 * or -ENOMEM.
 */
int __must_check sideband_queue__add(struct sideband_queue *q, const struct perf_event_header *rec);

/* Is there a load of that program that has not been flushed? */
bool sideband_queue__has_load(const struct sideband_queue *q, __u32 id);

/*
 * Calls fn with what happened up to then, in the order of time, once. A program is unloaded after
 * it was loaded also where other CPUs did so, if all buffers were read after until_ns.
 */
int sideband_queue__flush(struct sideband_queue *q, __u64 until_ns, sideband_fn fn, void *arg);

#endif
