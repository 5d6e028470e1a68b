// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the iterator over the kernel's maps. Prints nothing.
 */
#include <errno.h>

#include "bpf/map_iter.lskel.h"
#include "kernel/iter_run.h"
#include "kernel/map_list.h"

int map_list__load(struct bprof_map_ref **maps, int *cnt)
{
	struct map_iter_bpf *skel = map_iter_bpf__open_and_load();
	char *text = NULL;
	ssize_t sz;
	int link;

	*maps = NULL;
	*cnt = 0;
	if (!skel)
		return -errno;
	link = map_iter_bpf__bprof_map_ref__attach(skel);
	sz = link < 0 ? link : iter_run__read(link, &text);
	map_iter_bpf__destroy(skel); /* also closes the link */
	*maps = (struct bprof_map_ref *)text;
	*cnt = sz < 0 ? 0 : sz / sizeof(**maps);
	return sz < 0 ? sz : 0;
}
