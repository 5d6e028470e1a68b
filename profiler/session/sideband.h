/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads and unloads of BPF programs as they happen, on all CPUs, from perf's side-band records
 * (Linux 5.1).
 */
#ifndef BPROF_SIDEBAND_H
#define BPROF_SIDEBAND_H

#include "session/sideband_queue.h"

struct sideband;

/*
 * Tests whether the kernel records loads of programs on that CPU for us. 0 or -errno; -EINVAL: it
 * cannot.
 */
int sideband__try(int cpu);

/*
 * Starts recording every load and unload, except those lost to full buffers. 0, or -errno
 * (reported).
 */
int __must_check sideband__open(struct sideband **out);
void sideband__close(struct sideband *s); /* NULL is fine */

/* A descriptor to poll: readable when there may be something to process. */
int sideband__epoll_fd(const struct sideband *s);

/*
 * Moves the records from the buffers to the queue, without reporting them. 0 or -errno (reported).
 */
int sideband__read(struct sideband *s);
/* True if a load of that program was read but not reported yet. */
bool sideband__has_load(const struct sideband *s, __u32 id);

/*
 * Calls fn with what happened up to the call, in the order of time. 0, what fn returned, or -errno
 * (reported).
 */
int sideband__process(struct sideband *s, sideband_fn fn, void *arg);
/*
 * The last call of the same: also reports losses after the last record of a CPU, which the kernel
 * reports only with the next record. Call nothing else after it, except close.
 */
int sideband__finish(struct sideband *s, sideband_fn fn, void *arg);

/*
 * Call now and then: adapts to CPUs that went online or offline. 1: a new CPU may have had changes
 * without a record, so all programs must be listed; 0; or -errno (reported).
 */
int sideband__follow_cpus(struct sideband *s);

#endif
