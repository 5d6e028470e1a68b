// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the lists of programs, maps and attachments, and the number of a program's maps that get
 * series of their own. Must not know where the lists come from or how they are shown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/inventory.h"

struct inventory *inventory__new(void)
{
	return xcalloc(1, sizeof(struct inventory));
}

void inventory__free(struct inventory *inv)
{
	if (!inv)
		return;
	for (int i = 0; i < inv->prog_cnt; i++) {
		struct inventory_prog *p = &inv->prog[i];

		for (int k = 0; k < p->map_cnt; k++) {
			free(p->map[k].name);
			free(p->map[k].type);
		}
		for (int k = 0; k < p->attached_cnt; k++)
			free(p->attached[k].kind);
		free(p->map);
		free(p->attached);
	}
	free(inv->prog);
	free(inv);
}

struct inventory_prog *inventory__add_prog(struct inventory *inv, __u32 id)
{
	struct inventory_prog *p = array__add(&inv->prog, &inv->prog_cnt, sizeof(*p));

	p->id = id;
	return p;
}

struct inventory_map *inventory_prog__add_map(struct inventory_prog *p, const char *name,
					      const char *type)
{
	struct inventory_map *map = array__add(&p->map, &p->map_cnt, sizeof(*map));

	map->name = xstrdup(name);
	map->type = xstrdup(type);
	return map;
}

static void count_attached(struct inventory_prog *p, const char *kind, int cnt)
{
	struct inventory_attachment *at;

	for (int i = 0; i < p->attached_cnt; i++)
		if (!strcmp(p->attached[i].kind, kind)) {
			p->attached[i].cnt += cnt;
			return;
		}
	at = array__add(&p->attached, &p->attached_cnt, sizeof(*at));
	at->kind = xstrdup(kind);
	at->cnt = cnt;
}

void inventory_prog__attach(struct inventory_prog *p, const char *kind)
{
	count_attached(p, kind, 1);
}

const struct inventory_prog *inventory__find(const struct inventory *inv, __u32 id)
{
	for (int i = 0; inv && i < inv->prog_cnt; i++)
		if (inv->prog[i].id == id)
			return &inv->prog[i];
	return NULL;
}

static struct inventory_map *find_map(struct inventory_prog *sum, const char *name,
				      const char *type)
{
	for (int i = 0; i < sum->map_cnt; i++)
		if (!strcmp(sum->map[i].name, name) && !strcmp(sum->map[i].type, type))
			return &sum->map[i];
	if (sum->map_cnt >= INVENTORY_MAX_MAPS && *type)
		return find_map(sum, INVENTORY_OTHER, "");
	return inventory_prog__add_map(sum, name, type);
}

void inventory_prog__add(struct inventory_prog *sum, const struct inventory_prog *p)
{
	sum->memory += p->memory;
	for (int i = 0; i < p->map_cnt; i++) {
		struct inventory_map *to = find_map(sum, p->map[i].name, p->map[i].type);

		to->memory += p->map[i].memory;
		to->max_entries += p->map[i].max_entries;
	}
	for (int i = 0; i < p->attached_cnt; i++)
		count_attached(sum, p->attached[i].kind, p->attached[i].cnt);
}
