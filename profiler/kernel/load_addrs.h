/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds where the kernel keeps its descriptions of a program, of a map and of a trampoline. The code of
 * a trampoline contains the address of a probe's program, and can contain that of its own struct
 * bpf_tramp_image; the program's code contains those of its maps.
 */
#ifndef BPROF_LOAD_ADDRS_H
#define BPROF_LOAD_ADDRS_H

#include <linux/types.h>
#include <stdbool.h>

struct load_addrs_bpf;

/*
 * Loads the BPF program that finds the addresses: of trampolines (images), or of programs and maps. This
 * takes time, because libbpf reads the kernel's BTF. Fails under lockdown (confidentiality), and for
 * trampolines before Linux 5.19. Returns 0 or -errno. The caller closes *out.
 */
int load_addrs__open(bool images, struct load_addrs_bpf **out);
void load_addrs__close(struct load_addrs_bpf *a); /* NULL is allowed */

/*
 * Finds the address of the struct bpf_prog of a loaded program, and that of the struct bpf_map of a
 * map that it uses. Returns 0 or -errno.
 */
int load_addrs__find(struct load_addrs_bpf *a, int prog_fd, int map_fd, __u64 *prog, __u64 *map);

/*
 * Finds the address of the struct bpf_tramp_image (kernel/bpf/trampoline.c) of an attached tracing
 * link. The kernel makes a new image whenever a program is attached to the same function or
 * detached from it. Returns 0 or -errno.
 */
int load_addrs__find_image(struct load_addrs_bpf *a, int link_fd, __u64 *address);

#endif
