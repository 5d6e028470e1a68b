/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the iterator over maps (holding_maps.bpf.c) writes. Also compiled for BPF.
 */
#ifndef BPROF_HOLDING_MAPS_H
#define BPROF_HOLDING_MAPS_H

#include <linux/types.h>

/* A map that can hold programs. */
struct bprof_holding_map {
	__u32 id;
	__u32 type; /* enum bpf_map_type */
};

#endif
