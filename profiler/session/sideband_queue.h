/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decodes perf's side-band records of BPF programs, sorts them by time and joins them into loads
 * and unloads. Pure: asks no kernel, prints nothing.
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
	__u64 lost;    /* SIDEBAND_LOST: records lost to that CPU's full buffer. Otherwise: */
	__u32 pid;     /* the process; 0: none in this pid namespace */
	char comm[16]; /* its command; "": not known */
	__u32 id;
	__u8 tag[BPF_TAG_SIZE];
	/*
	 * The names of its functions, from its symbols, the entry function first; none if it is not
	 * JITed. Owned by the queue, valid until the callback returns.
	 */
	const char *const *func;
	int func_cnt;
};

/* Receives an event. A returned -errno ends the flush, which returns it. */
typedef int (*sideband_fn)(const struct sideband_event *event, void *arg);

struct sideband_queue;

/* Sets which fields the records must have: fills in attr, except for what is counted. */
void sideband_queue__set_attr(struct perf_event_attr *attr);

int __must_check sideband_queue__new(struct sideband_queue **out); /* 0 or -ENOMEM */
void sideband_queue__free(struct sideband_queue *q);		   /* NULL is fine */

/*
 * Copies one record, of header->size bytes, from a CPU's ring buffer; records of one CPU must come
 * in their order. Ignores irrelevant and truncated ones. 0 or -ENOMEM.
 */
int __must_check sideband_queue__add(struct sideband_queue *q, const struct perf_event_header *rec);

/* True if the queue holds a load of that program. */
bool sideband_queue__has_load(const struct sideband_queue *q, __u32 id);

/*
 * Calls fn once with each event up to until_ns, in the order of time. If all buffers were read
 * after until_ns, a program's unload comes after its load even if they happened on different CPUs.
 */
int sideband_queue__flush(struct sideband_queue *q, __u64 until_ns, sideband_fn fn, void *arg);

#endif
