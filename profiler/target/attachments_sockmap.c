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

void attach_search__sockmaps(struct attach_search *s)
{
	static const __u32 types[] = {BPF_SK_SKB_STREAM_PARSER, BPF_SK_SKB_STREAM_VERDICT,
				      BPF_SK_MSG_VERDICT, ATTACH_TYPE_SK_SKB_VERDICT};
	struct bprof_map_ref *maps;
	int cnt;

	if (map_list__load(&maps, &cnt))
		cnt = 0;
	for (int i = 0; i < cnt; i++) {
		int fd = -1;

		if (maps[i].type == BPF_MAP_TYPE_SOCKMAP || maps[i].type == BPF_MAP_TYPE_SOCKHASH)
			fd = bpf_map_get_fd_by_id(maps[i].id);
		for (size_t k = 0; fd >= 0 && k < ARRAY_SIZE(types); k++) {
			struct attachment at = {.kind = "sockmap"};
			__u32 prog_cnt = 1;

			if (bpf_prog_query(fd, types[k], 0, NULL, &at.prog_id, &prog_cnt) ||
			    !prog_cnt)
				continue;
			attach_type__name(types[k], at.attach_type, sizeof(at.attach_type));
			attach_search__add(s, &at, "map %u", maps[i].id);
		}
		close_fd(&fd);
	}
	free(maps);
}
