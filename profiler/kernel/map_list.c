// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the iterator over the kernel's maps. Prints nothing.
 */
#include <errno.h>

#include "bpf/holding_maps.lskel.h"
#include "kernel/iter_run.h"
#include "kernel/map_list.h"

int map_list__load(struct bprof_holding_map **maps, int *cnt)
{
	struct holding_maps_bpf *skel = holding_maps_bpf__open_and_load();
	char *text = NULL;
	ssize_t sz;
	int link;

	*maps = NULL;
	*cnt = 0;
	if (!skel)
		return -errno;
	link = holding_maps_bpf__bprof_holding_map__attach(skel);
	sz = link < 0 ? link : iter_run__read(link, &text);
	holding_maps_bpf__destroy(skel); /* also closes the link */
	*maps = (struct bprof_holding_map *)text;
	*cnt = sz < 0 ? 0 : sz / sizeof(**maps);
	return sz < 0 ? sz : 0;
}
