// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the recognition of bprof's own programs: by their names, and by the names of their maps.
 * Must not know what the programs are used for.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "btf/own.h"
#include "btf/prog.h"

/*
 * The name of the leader programs of bprof and perf: programs that read an event for all users
 * (bperf). perf's followers look for this name (tools/perf/util/bpf_counter.c).
 */
#define LEADER_NAME "on_switch"

bool prog_name__is_own(const char *name)
{
	static const char prefix[] = "bprof_";

	return !strncmp(name, prefix, strlen(prefix));
}

static bool map_is_own(__u32 id)
{
	struct bpf_map_info info = {};
	__u32 sz = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);
	bool is = fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &sz) &&
		  prog_name__is_own(info.name);

	if (fd >= 0)
		close(fd);
	return is;
}

bool prog__is_own(struct prog *p)
{
	bool found = prog_name__is_own(p->info.name);
	__u32 *ids, cnt;

	if (found || strcmp(p->info.name, LEADER_NAME) || prog__map_ids(p, &ids, &cnt))
		return found;
	for (__u32 i = 0; i < cnt && !found; i++)
		found = map_is_own(ids[i]);
	free(ids);
	return found;
}
