/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads and unloads of BPF programs as they happen, on all CPUs, from perf's side-band records
 * (Linux 5.1).
 */
#ifndef BPROF_SIDEBAND_H
#define BPROF_SIDEBAND_H

#include "session/sideband_queue.h"

struct sideband;

/* Does the kernel record loads of programs on that CPU for us? 0 or -errno; -EINVAL: it cannot. */
int sideband__try(int cpu);

/*
 * From here on every load and unload is recorded, but for what is lost where the buffers are full.
 * 0, or -errno (reported).
 */
int __must_check sideband__open(struct sideband **out);
void sideband__close(struct sideband *s); /* NULL is fine */

/* Can be polled: it is readable when there may be something to process. */
int sideband__epoll_fd(const struct sideband *s);

/* Takes what there is out of the buffers, without telling of it. 0 or -errno (reported). */
int sideband__read(struct sideband *s);
/* Is there a load of that program that has been read and not told of? */
bool sideband__has_load(const struct sideband *s, __u32 id);

/*
 * Tells of what has happened up to the call, in the order of time. 0, what fn returned, or -errno
 * (reported).
 */
int sideband__process(struct sideband *s, sideband_fn fn, void *arg);
/*
 * The same for the last time: also what was lost after the last record of a CPU, which the kernel
 * does not say before it writes another one. Nothing more may come after that.
 */
int sideband__finish(struct sideband *s, sideband_fn fn, void *arg);

/*
 * Looks for CPUs that have come or gone; to be called now and then. 1: something may have been
 * missed on a CPU that came, all programs are to be looked at; 0; or -errno (reported).
 */
int sideband__follow_cpus(struct sideband *s);

#endif
