// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the names of maps in rows of calls, and the search for the addresses of maps in the kernel.
 * Must not know which calls there are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "btf/prog.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"
#include "target/call_maps.h"
#include "target/prog_maps.h"
#include "target/target.h"

void call_maps__add_prog(struct call_maps *maps, struct prog *p)
{
	struct prog_maps of;
	int err;

	if (maps->cnt && maps->v[maps->cnt - 1].prog_id == p->info.id)
		return;
	err = prog_maps__load(&of, p);
	if (err)
		log_warn("--calls: not all maps of program %u have rows of their own: reading "
			 "them: %s",
			 p->info.id, strerror(-err));
	for (int i = 0; i < of.cnt; i++) {
		struct call_map *map = array__add(&maps->v, &maps->cnt, sizeof(*map));
		int number = 1; /* this map's number among the maps with the same name */

		for (int k = 0; k < i; k++)
			number += !strcmp(of.v[k].name, of.v[i].name);
		*map = (struct call_map){
			.prog_id = p->info.id,
			.id = of.v[i].id,
			.name = number > 1 ? text__format("%s#%d", of.v[i].name, number)
					   : xstrdup(of.v[i].name),
		};
		memcpy(map->type, of.v[i].type, sizeof(map->type));
	}
	prog_maps__free(&of);
}

int call_maps__find(const struct call_maps *maps, __u32 prog_id, __u32 id)
{
	for (int i = 0; id && i < maps->cnt; i++)
		if (maps->v[i].prog_id == prog_id && maps->v[i].id == id)
			return i;
	return -1;
}

void call_maps__locate(struct call_maps *maps)
{
	struct load_addrs_bpf *addrs = NULL;
	int err = 0;

	for (int i = 0; !err && i < maps->cnt; i++) {
		if (!maps->v[i].wanted)
			continue;
		if (!addrs)
			err = load_addrs__open(ADDRS_OF_MAPS, &addrs);
		if (!err)
			err = load_addrs__find_map(addrs, maps->v[i].id, &maps->v[i].address);
	}
	load_addrs__close(addrs);
	if (err)
		log_warn("--calls: not all maps have rows of their own: finding their addresses: "
			 "%s",
			 iter_run__explain(err));
}

void call_maps__free(struct call_maps *maps)
{
	for (int i = 0; i < maps->cnt; i++)
		free(maps->v[i].name);
	free(maps->v);
	*maps = (struct call_maps){};
}

void call_map__copy(const struct call_map *map, struct called *called)
{
	called->address = map->address;
	called->map = xstrdup(map->name);
	memcpy(called->map_type, map->type, sizeof(called->map_type));
}
