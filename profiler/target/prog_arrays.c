// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for prog arrays among the maps. Must not know what the arrays are used for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "btf/prog.h"
#include "target/prog_arrays.h"

/*
 * Reads the program ids in a map, if it is a prog array. A lookup from user space returns a program
 * id (kernel/bpf/arraymap.c).
 */
static int read_prog_array(struct prog_arrays *a, int fd, __u32 *lookups)
{
	struct bpf_map_info map = {};
	__u32 len = sizeof(map);
	struct prog_array *array;

	if (bpf_obj_get_info_by_fd(fd, &map, &len) || map.type != BPF_MAP_TYPE_PROG_ARRAY)
		return 0;
	array = array__add(&a->v, &a->cnt, sizeof(*array));
	array->map_id = map.id;
	memcpy(array->name, map.name, sizeof(array->name));
	for (__u32 key = 0; key < map.max_entries; key++) {
		__u32 prog_id;

		if (++*lookups > PROG_ARRAYS_MAX_LOOKUPS)
			return -E2BIG;
		if (!bpf_map_lookup_elem(fd, &key, &prog_id))
			*(__u32 *)array__add(&array->prog_id, &array->cnt, sizeof(prog_id)) =
				prog_id;
	}
	return 0;
}

/* The maps of all programs: ascending ids, each once. */
struct used_maps {
	__u32 *id;
	int cnt;
};

static void insert_map_id(struct used_maps *used, __u32 id)
{
	__u32 *slot;
	int at = used->cnt;

	while (at && used->id[at - 1] > id)
		at--;
	if (at && used->id[at - 1] == id)
		return;
	array__add(&used->id, &used->cnt, sizeof(*slot));
	slot = used->id + at;
	memmove(slot + 1, slot, (used->cnt - 1 - at) * sizeof(*slot));
	*slot = id;
}

static int add_maps_of(__u32 prog_id, void *arg)
{
	__u32 *ids = NULL, cnt = 0;
	struct prog *p;
	int err = prog__open_id(prog_id, &p);

	if (err == -ENOENT)
		return 0; /* the program was unloaded after its id was read */
	if (err)
		return err;
	err = prog__map_ids(p, &ids, &cnt);
	for (__u32 i = 0; !err && i < cnt; i++)
		insert_map_id(arg, ids[i]);
	free(ids);
	prog__close(p);
	return err;
}

void prog_arrays__load(struct prog_arrays *a)
{
	struct used_maps used = {};
	__u32 lookups = 0;
	int err;

	prog_arrays__free(a);
	err = prog__for_each_id(add_maps_of, &used);
	for (int i = 0; !err && i < used.cnt; i++) {
		int fd = bpf_map_get_fd_by_id(used.id[i]);

		if (fd < 0)
			continue; /* the map was removed after its id was read */
		err = read_prog_array(a, fd, &lookups);
		close(fd);
	}
	free(used.id);
	a->known = !err;
	if (err == -EPERM)
		log_info("cannot find out which targets are entered by tail calls: listing "
			 "programs and maps needs CAP_SYS_ADMIN");
	else if (err == -E2BIG)
		log_info("may miss targets that are entered by tail calls: the prog arrays have "
			 "more than %d elements",
			 PROG_ARRAYS_MAX_LOOKUPS);
	else if (err)
		log_info("cannot find out which targets are entered by tail calls: %s",
			 strerror(-err));
}

void prog_arrays__free(struct prog_arrays *a)
{
	for (int i = 0; i < a->cnt; i++)
		free(a->v[i].prog_id);
	free(a->v);
	memset(a, 0, sizeof(*a));
}

bool prog_array__has(const struct prog_array *a, __u32 prog_id)
{
	for (int i = 0; i < a->cnt; i++)
		if (a->prog_id[i] == prog_id)
			return true;
	return false;
}

bool prog_arrays__has_prog(const struct prog_arrays *a, __u32 prog_id)
{
	for (int i = 0; i < a->cnt; i++)
		if (prog_array__has(&a->v[i], prog_id))
			return true;
	return false;
}

bool prog_arrays__has_map(const struct prog_arrays *a, __u32 map_id)
{
	for (int i = 0; i < a->cnt; i++)
		if (a->v[i].map_id == map_id)
			return true;
	return false;
}
