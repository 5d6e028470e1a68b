/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads loads and unloads of BPF programs on all CPUs as they happen, from perf's side-band records
 * (Linux 5.1).
 */
#ifndef BPROF_SIDEBAND_H
#define BPROF_SIDEBAND_H

#include "session/sideband_queue.h"

struct sideband;

/*
 * Tests whether the kernel lets us record program loads on that CPU. Returns 0 or -errno; -EINVAL:
 * the kernel has no such records.
 */
int sideband__try(int cpu);

/*
 * Starts recording every load and unload of a program. The kernel drops records while a CPU's
 * buffer is full. comm: also record the command names of processes, because a process may have
 * ended when its record is read. This wakes the reader up at each exec on the machine. Returns 0 or
 * -errno (reported).
 */
int __must_check sideband__open(bool comm, struct sideband **out);
void sideband__close(struct sideband *s); /* accepts NULL */

/* Returns a descriptor to poll: it is readable when there may be records to process. */
int sideband__epoll_fd(const struct sideband *s);

/*
 * Moves the records from the CPUs' buffers to a queue, from which sideband__process() reports them.
 * Returns 0 or -errno (reported).
 */
int sideband__read(struct sideband *s);
/* Returns true if a load of that program is in the queue, and so has not been reported yet. */
bool sideband__has_load(const struct sideband *s, __u32 id);

/*
 * Calls fn for each load, unload and loss of records up to now, in the order of time. Returns 0,
 * the error that fn returned, or -errno (reported).
 */
int sideband__process(struct sideband *s, sideband_fn fn, void *arg);
/*
 * Call this in place of the last sideband__process(); afterwards only call sideband__close(). Also
 * reports records that were lost after the last complete record of a CPU. The kernel reports such a
 * loss only with the next record, so this function causes a record.
 */
int sideband__finish(struct sideband *s, sideband_fn fn, void *arg);

/*
 * Adapts to CPUs that went online or offline; call it regularly. Returns 1 if a CPU came online:
 * earlier loads and unloads on this CPU may have no records, so the caller must list all programs.
 * Otherwise returns 0 or -errno (reported).
 */
int sideband__follow_cpus(struct sideband *s);

#endif
