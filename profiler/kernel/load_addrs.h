/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the addresses of the kernel's structs that describe a program, a map and a trampoline. The code
 * of a trampoline contains the address of a probe's program, and may contain the address of its own
 * struct bpf_tramp_image. The program's code contains the addresses of its maps, and passes them to the
 * functions that it calls.
 */
#ifndef BPROF_LOAD_ADDRS_H
#define BPROF_LOAD_ADDRS_H

#include <linux/types.h>

struct load_addrs_bpf;

/* The objects whose addresses are found. ADDRS_OF_PROGS: programs and maps. */
enum addrs_of { ADDRS_OF_PROGS, ADDRS_OF_MAPS, ADDRS_OF_IMAGES };

/*
 * Loads the BPF programs that find the addresses. This takes time, because libbpf reads the kernel's BTF. Fails under
 * lockdown (confidentiality) and, for trampolines, before Linux 5.19. Returns 0 or -errno. The caller closes *out.
 */
int load_addrs__open(enum addrs_of of, struct load_addrs_bpf **out);
void load_addrs__close(struct load_addrs_bpf *a); /* NULL is allowed */

/*
 * Finds the address of the struct bpf_prog of a loaded program, and the address of the struct
 * bpf_map of a map that the program uses. Returns 0 or -errno.
 */
int load_addrs__find(struct load_addrs_bpf *a, int prog_fd, int map_fd, __u64 *prog, __u64 *map);

/* Finds the address of the struct bpf_map of the map with that id. Returns 0 or -errno. */
int load_addrs__find_map(struct load_addrs_bpf *a, __u32 id, __u64 *map);

/*
 * Finds the address of the struct bpf_tramp_image (kernel/bpf/trampoline.c) of an attached tracing
 * link. The kernel makes a new image each time that a program is attached to the same function or
 * detached from it. Returns 0 or -errno.
 */
int load_addrs__find_image(struct load_addrs_bpf *a, int link_fd, __u64 *address);

#endif
