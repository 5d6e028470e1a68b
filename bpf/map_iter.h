/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records that the iterator over maps (map_iter.bpf.c) writes. Also compiled for BPF.
 */
#ifndef BPROF_MAP_ITER_H
#define BPROF_MAP_ITER_H

#include <linux/types.h>

/* A map. */
struct bprof_map_ref {
	__u32 id;
	__u32 type; /* enum bpf_map_type */
};

#endif
