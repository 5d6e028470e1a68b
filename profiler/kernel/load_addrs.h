/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds where the kernel keeps its descriptions of a program and of a map. The code of a trampoline
 * contains the address of a probe's program, and the program's code contains those of its maps.
 */
#ifndef BPROF_LOAD_ADDRS_H
#define BPROF_LOAD_ADDRS_H

#include <linux/types.h>

struct load_addrs;

/*
 * Loads the BPF program that finds the addresses. This takes time, because libbpf reads the
 * kernel's BTF. Fails under lockdown (confidentiality). Returns 0 or -errno. The caller closes *out.
 */
int load_addrs__open(struct load_addrs **out);
void load_addrs__close(struct load_addrs *a); /* NULL is allowed */

/*
 * Finds the address of the struct bpf_prog of a loaded program, and that of the struct bpf_map of a
 * map that it uses. Returns 0 or -errno.
 */
int load_addrs__find(struct load_addrs *a, int prog_fd, int map_fd, __u64 *prog, __u64 *map);

#endif
