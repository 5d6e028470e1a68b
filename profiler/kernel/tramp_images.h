/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where in memory the kernel keeps what it knows of trampolines: their code can have that address in it.
 */
#ifndef BPROF_TRAMP_IMAGES_H
#define BPROF_TRAMP_IMAGES_H

#include <linux/types.h>

struct tramp_images;

/*
 * Loads what looks for them, for which libbpf reads the kernel's BTF. 0 or -errno: before Linux 5.19, and where
 * the kernel is locked down to confidentiality. The caller closes *out.
 */
int tramp_images__open(struct tramp_images **out);
void tramp_images__close(struct tramp_images *t); /* NULL is fine */

/*
 * The address of the struct bpf_tramp_image (kernel/bpf/trampoline.c) of a tracing link that is attached. The
 * kernel makes a new one whenever something is attached to the same function, or detached. 0 or -errno.
 */
int tramp_images__find(struct tramp_images *t, int link_fd, __u64 *address);

#endif
