// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches maps for the programs in them. Owns which maps can hold programs of which types. Prints
 * nothing.
 *
 * Opens maps only if some program still has no known holder, and only maps that can hold programs,
 * because opening a map may make the kernel leak it (prog_arrays__load()).
 */
#include <errno.h>
#include <stdlib.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "btf/prog.h"
#include "host/open_files.h"
#include "kernel/map_list.h"
#include "target/attachments_priv.h"
#include "target/holds_priv.h"
#include "target/prog_arrays.h"

struct map_search {
	struct hold_search *s;
	__u32 lookups; /* number of lookups in all arrays together */
};

static void found_in_map(struct map_search *m, __u32 prog_id, const struct bpf_map_info *map)
{
	hold_search__found(m->s, prog_id, "map %u (%s)", map->id, map->name);
}

/* After too many lookups, returns false, and notes why holders may have been missed. */
static bool may_look_up(struct map_search *m)
{
	if (m->lookups++ < PROG_ARRAYS_MAX_LOOKUPS)
		return true;
	hold_search__doubt(m->s, 0, "the maps of programs have more than %d elements",
			   PROG_ARRAYS_MAX_LOOKUPS);
	return false;
}

/*
 * All programs in a prog array have the same type. Skips the array if no program of this type lacks
 * a holder.
 */
static void search_prog_array(struct map_search *m, int fd, const struct bpf_map_info *map)
{
	__u32 type = open_file__number(0, fd, "owner_prog_type:");

	if (!hold_search__wants(m->s, type))
		return;
	for (__u32 key = 0; key < map->max_entries && may_look_up(m); key++) {
		__u32 prog_id;

		if (!bpf_map_lookup_elem(fd, &key, &prog_id))
			found_in_map(m, prog_id, map);
	}
}

/* From Linux 5.8 (devmap) and 5.9 (cpumap), an element's second number is the id of a program. */
static void search_xdp_map(struct map_search *m, int fd, const struct bpf_map_info *map)
{
	__u32 value[2], key, next, *prev = NULL;

	if (map->value_size != sizeof(value) || map->key_size != sizeof(key) ||
	    !hold_search__wants(m->s, BPF_PROG_TYPE_XDP))
		return;
	while (!bpf_map_get_next_key(fd, prev, &next) && may_look_up(m)) {
		key = next;
		prev = &key;
		if (!bpf_map_lookup_elem(fd, &key, value))
			found_in_map(m, value[1], map);
	}
}

static void search_sockmap(struct map_search *m, int fd, const struct bpf_map_info *map)
{
	static const __u32 types[] = {BPF_SK_SKB_STREAM_PARSER, BPF_SK_SKB_STREAM_VERDICT,
				      BPF_SK_MSG_VERDICT, ATTACH_TYPE_SK_SKB_VERDICT};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		__u32 prog_id = 0, cnt = 1;

		if (!bpf_prog_query(fd, types[i], 0, NULL, &prog_id, &cnt)) {
			if (cnt)
				found_in_map(m, prog_id, map);
			continue;
		}
		/* -EINVAL: this kernel is older than Linux 5.18, which added this query. */
		for (int k = 0; errno == EINVAL && k < 2; k++)
			hold_search__doubt(m->s, k ? BPF_PROG_TYPE_SK_SKB : BPF_PROG_TYPE_SK_MSG,
					   "map %u (%s) may hold it; this kernel does not report "
					   "that",
					   map->id, map->name);
	}
}

static const struct {
	enum bpf_map_type type;
	void (*search)(struct map_search *m, int fd, const struct bpf_map_info *map);
} map_types[] = {
	{BPF_MAP_TYPE_PROG_ARRAY, search_prog_array}, {BPF_MAP_TYPE_CPUMAP, search_xdp_map},
	{BPF_MAP_TYPE_DEVMAP, search_xdp_map},	      {BPF_MAP_TYPE_DEVMAP_HASH, search_xdp_map},
	{BPF_MAP_TYPE_SOCKMAP, search_sockmap},	      {BPF_MAP_TYPE_SOCKHASH, search_sockmap},
};

static void search_map(struct map_search *m, __u32 id)
{
	int fd = bpf_map_get_fd_by_id(id);
	struct bpf_map_info map = {};
	__u32 len = sizeof(map);

	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map, &len))
		for (size_t i = 0; i < ARRAY_SIZE(map_types); i++)
			if (map_types[i].type == map.type)
				map_types[i].search(m, fd, &map);
	close_fd(&fd);
}

/* ---- timers ---- */

/*
 * Returns true if the BTF of a map has a type whose values hold a program. For example, a timer
 * holds the program of its callback.
 */
static bool has_callback(const struct bpf_map_info *map)
{
	static const char *const types[] = {"bpf_timer", "bpf_wq", "bpf_task_work"};
	struct btf *btf = map->btf_id ? btf__load_from_kernel_by_id(map->btf_id) : NULL;
	bool found = false;

	for (size_t i = 0; btf && i < ARRAY_SIZE(types); i++)
		found |= btf__find_by_name_kind(btf, types[i], BTF_KIND_STRUCT) > 0;
	btf__free(btf);
	return found;
}

/*
 * If a map of the program may have timers, which would hold the program, notes that the program may
 * have a holder that bprof cannot find.
 */
static void search_timers(struct hold_prog *p)
{
	__u32 *ids = NULL, cnt = 0;
	struct prog *prog;

	if (prog__open_id(p->id, &prog))
		return;
	if (prog__map_ids(prog, &ids, &cnt))
		cnt = 0;
	for (__u32 i = 0; i < cnt && !p->why; i++) {
		struct bpf_map_info map = {};
		__u32 len = sizeof(map);
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map, &len) && has_callback(&map))
			hold_prog__doubt(p, "a timer or work in map %u (%s) may hold it", map.id,
					 map.name);
		close_fd(&fd);
	}
	free(ids);
	prog__close(prog);
}

void hold_search__maps(struct hold_search *s)
{
	struct map_search m = {.s = s};
	struct bprof_map_ref *maps;
	__u32 id = 0;
	int cnt;

	/* If the maps to search cannot be listed, open all maps. */
	if (map_list__load(&maps, &cnt))
		while (hold_search__wants(s, 0) && !bpf_map_get_next_id(id, &id))
			search_map(&m, id);
	for (int i = 0; i < cnt && hold_search__wants(s, 0); i++)
		for (size_t k = 0; k < ARRAY_SIZE(map_types); k++)
			if (map_types[k].type == maps[i].type)
				search_map(&m, maps[i].id);
	free(maps);
	for (int i = 0; i < s->cnt; i++)
		if (s->v[i].open)
			search_timers(&s->v[i]);
}
