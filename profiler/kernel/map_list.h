/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists the maps and their types without opening any map (bpf/map_iter.bpf.c).
 */
#ifndef BPROF_MAP_LIST_H
#define BPROF_MAP_LIST_H

#include "base/util.h"
#include "bpf/map_iter.h"

/*
 * Sets *maps to *cnt maps. Leaves out prog arrays that the kernel is about to free. The caller
 * frees *maps. Returns 0 or -errno. Fails before Linux 5.8 and under lockdown.
 */
int __must_check map_list__load(struct bprof_map_ref **maps, int *cnt);

#endif
