// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the iterator over the kernel's BPF links (bpf/tramp_images.bpf.c). Must not know what the
 * addresses are used for. Prints nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/tramp_images.skel.h"
#include "kernel/iter_run.h"
#include "kernel/tramp_images.h"

struct tramp_images {
	struct tramp_images_bpf *skel;
	struct bpf_link *iter;
};

int tramp_images__open(struct tramp_images **out)
{
	struct tramp_images *t = calloc(1, sizeof(*t));
	int err;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	t->skel = tramp_images_bpf__open_and_load();
	if (t->skel)
		t->iter = bpf_program__attach_iter(t->skel->progs.bprof_tramp, NULL);
	if (!t->iter) {
		err = -errno;
		tramp_images__close(t);
		return err;
	}
	*out = t;
	return 0;
}

void tramp_images__close(struct tramp_images *t)
{
	if (!t)
		return;
	bpf_link__destroy(t->iter);
	tramp_images_bpf__destroy(t->skel);
	free(t);
}

int tramp_images__find(struct tramp_images *t, int link_fd, __u64 *address)
{
	struct bpf_link_info info = {};
	__u32 sz = sizeof(info);
	int err;

	if (bpf_obj_get_info_by_fd(link_fd, &info, &sz))
		return -errno;
	t->skel->bss->bprof_link_id = info.id;
	t->skel->bss->bprof_image = 0;
	err = iter_run__all(t->iter);
	*address = t->skel->bss->bprof_image;
	return err ?: *address ? 0 : -ENOENT;
}
