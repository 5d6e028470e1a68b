/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the struct bpf_tramp_image with which the kernel describes a trampoline. The code of a
 * trampoline can contain the address of its struct bpf_tramp_image.
 */
#ifndef BPROF_TRAMP_IMAGES_H
#define BPROF_TRAMP_IMAGES_H

#include <linux/types.h>

struct tramp_images;

/*
 * Loads the BPF program that finds the addresses. This takes time, because libbpf reads the
 * kernel's BTF. Fails before Linux 5.19 and under lockdown (confidentiality). Returns 0 or -errno.
 * The caller closes *out.
 */
int tramp_images__open(struct tramp_images **out);
void tramp_images__close(struct tramp_images *t); /* NULL is allowed */

/*
 * Finds the address of the struct bpf_tramp_image (kernel/bpf/trampoline.c) of an attached tracing
 * link. The kernel makes a new image whenever a program is attached to the same function or
 * detached from it. Returns 0 or -errno.
 */
int tramp_images__find(struct tramp_images *t, int link_fd, __u64 *address);

#endif
