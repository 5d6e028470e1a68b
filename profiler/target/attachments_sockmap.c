// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches the sockmaps and sockhashes for the programs that run on their sockets, with and without
 * links. Linux before 5.18 does not report these programs, so they are not found.
 */
#include <stdlib.h>
#include <bpf/bpf.h>

#include "base/util.h"
#include "kernel/map_list.h"
#include "target/attachments_priv.h"

static void add_sockmap_progs(struct attach_search *s, int fd, __u32 map_id)
{
	static const __u32 types[] = {BPF_SK_SKB_STREAM_PARSER, BPF_SK_SKB_STREAM_VERDICT,
				      BPF_SK_MSG_VERDICT, ATTACH_TYPE_SK_SKB_VERDICT};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct attachment at = {.kind = "sockmap"};
		__u32 cnt = 1;

		if (bpf_prog_query(fd, types[i], 0, NULL, &at.prog_id, &cnt) || !cnt)
			continue;
		attach_type__name(types[i], at.attach_type, sizeof(at.attach_type));
		attach_search__add(s, &at, "map %u", map_id);
	}
}

void attach_search__sockmaps(struct attach_search *s)
{
	struct bprof_map_ref *maps;
	int cnt;

	if (map_list__load(&maps, &cnt))
		cnt = 0;
	for (int i = 0; i < cnt; i++) {
		int fd = -1;

		if (maps[i].type == BPF_MAP_TYPE_SOCKMAP || maps[i].type == BPF_MAP_TYPE_SOCKHASH)
			fd = bpf_map_get_fd_by_id(maps[i].id);
		if (fd >= 0)
			add_sockmap_progs(s, fd, maps[i].id);
		close_fd(&fd);
	}
	free(maps);
}
