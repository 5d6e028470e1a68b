/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A waker has a descriptor that becomes readable when a task has been moved to another cgroup.
 */
#ifndef BPROF_BPERF_WAKER_H
#define BPROF_BPERF_WAKER_H

struct bperf_waker_bpf;
struct ring_buffer;

struct bperf_waker {
	struct bperf_waker_bpf *skel; /* NULL: the waker is not open */
	struct ring_buffer *wakes;
};

/*
 * Opens a waker. *w must be zeroed or open. Does nothing if *w is open. Returns 0; -KERNEL_ENOTSUPP
 * if the kernel would interpret the waker's program; or another -errno.
 */
int bperf_waker__open(struct bperf_waker *w);
void bperf_waker__close(struct bperf_waker *w);	  /* *w may be zeroed */
int bperf_waker__fd(const struct bperf_waker *w); /* returns the descriptor to poll; -1: not open */
void bperf_waker__clear(struct bperf_waker *w);	  /* discards pending wake-ups */

#endif
