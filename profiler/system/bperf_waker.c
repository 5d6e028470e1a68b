// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wakes bprof when a task is moved to another cgroup. Owns the BPF program that sees the move, and
 * its ring buffer. Must not know leaders.
 */
#include <errno.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/bperf_waker.skel.h"
#include "kernel/jited.h"
#include "system/bperf_waker.h"

static int ignore_wake(void *ctx, void *data, size_t sz)
{
	return 0;
}

int bperf_waker__open(struct bperf_waker *w)
{
	struct reason reason;
	int err;

	if (w->skel)
		return 0;
	w->skel = bperf_waker_bpf__open_and_load();
	if (!w->skel)
		return -errno;
	err = jited__check_object(w->skel->obj, &reason) ?: bperf_waker_bpf__attach(w->skel);
	if (!err) {
		w->wakes = ring_buffer__new(bpf_map__fd(w->skel->maps.bprof_wakes), ignore_wake,
					    NULL, NULL);
		err = w->wakes ? 0 : -errno;
	}
	if (err)
		bperf_waker__close(w);
	return err;
}

void bperf_waker__close(struct bperf_waker *w)
{
	ring_buffer__free(w->wakes);
	bperf_waker_bpf__destroy(w->skel);
	*w = (struct bperf_waker){};
}

int bperf_waker__fd(const struct bperf_waker *w)
{
	return w->wakes ? ring_buffer__epoll_fd(w->wakes) : -1;
}

void bperf_waker__clear(struct bperf_waker *w)
{
	ring_buffer__consume(w->wakes);
}
