// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads a program's maps. Must not know how they are shown. Prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/text.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "host/open_files.h"
#include "target/prog_maps.h"

/* The kernel reports the memory of maps and programs only in their fdinfo. */
static __u64 read_memlock(int fd)
{
	return open_file__number(0, fd, "memlock:");
}

/*
 * Reads the metadata in a map of constant global variables (.rodata), which has one element. A map
 * that cannot be read adds no metadata.
 */
static void read_metadata(struct prog_maps *m, const struct prog *p, int fd,
			  const struct bpf_map_info *info)
{
	bool is_prog_btf = p->funcs && p->info.btf_id == info->btf_id;
	struct btf *btf;
	__u32 key = 0;
	void *value;

	if (info->type != BPF_MAP_TYPE_ARRAY || info->max_entries != 1 ||
	    !info->btf_value_type_id || !(info->map_flags & BPF_F_RDONLY_PROG))
		return;
	btf = is_prog_btf ? p->funcs->btf : btf__load_from_kernel_by_id(info->btf_id);
	if (!btf)
		return;
	value = xmalloc(info->value_size);
	if (!bpf_map_lookup_elem(fd, &key, value))
		metadata__parse(&m->metadata, btf, info->btf_value_type_id, value,
				info->value_size);
	free(value);
	if (!is_prog_btf)
		btf__free(btf);
}

static int add_prog_map(struct prog_maps *m, const struct prog *p, int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct prog_map *map;
	const char *type;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	map = array__add(&m->v, &m->cnt, sizeof(*map));
	map->id = info.id;
	memcpy(map->name, info.name, sizeof(map->name));
	type = libbpf_bpf_map_type_str(info.type);
	if (type)
		snprintf(map->type, sizeof(map->type), "%s", type);
	else
		snprintf(map->type, sizeof(map->type), "type_%u", info.type);
	map->memory = read_memlock(fd);
	map->max_entries = info.max_entries;
	read_metadata(m, p, fd, &info);
	return 0;
}

int prog_maps__load(struct prog_maps *m, struct prog *p)
{
	__u32 *ids, cnt;
	int err;

	memset(m, 0, sizeof(*m));
	m->prog_memory = read_memlock(p->fd);
	err = prog__map_ids(p, &ids, &cnt);
	for (__u32 i = 0; !err && i < cnt; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		err = fd < 0 ? fd : add_prog_map(m, p, fd);
		close_fd(&fd);
	}
	free(ids);
	return err;
}

void prog_maps__free(struct prog_maps *m)
{
	free(m->v);
	metadata__free(&m->metadata);
	memset(m, 0, sizeof(*m));
}

char *prog__load_version(struct prog *p)
{
	static const char *const names[] = {"version", "revision", "commit"};
	struct prog_maps maps;
	int err = prog_maps__load(&maps, p);
	char *found = NULL;

	for (size_t i = 0; !err && !found && i < ARRAY_SIZE(names); i++)
		for (int k = 0; k < maps.metadata.cnt; k++)
			if (!strcmp(maps.metadata.v[k].name, names[i]))
				found = maps.metadata.v[k].value;
	found = text__dup(found);
	prog_maps__free(&maps);
	return found;
}

__u64 prog_maps__memory(const struct prog_maps *m)
{
	__u64 sum = 0;

	for (int i = 0; i < m->cnt; i++)
		sum += m->v[i].memory;
	return sum;
}
