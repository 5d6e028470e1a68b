// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the choice of the places that are searched for attachments. Must not know how an inventory
 * is shown (export/metrics.c).
 */
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "export/export_inventory.h"
#include "export/inventory.h"
#include "target/attachments.h"
#include "target/holds.h"
#include "target/prog_maps.h"
#include "target/target.h"

static void add_maps(struct inventory_prog *p, struct prog *prog)
{
	struct prog_maps maps;
	int err = prog_maps__load(&maps, prog); /* leaves out what cannot be read */

	if (is_shortage(err))
		log_warn("program %u: not all of its maps are known: %s", p->id, strerror(-err));
	if (!maps.prog_memory)
		log_warn("program %u: its memory is not known", p->id);
	p->memory = maps.prog_memory;
	for (int i = 0; i < maps.cnt; i++) {
		struct inventory_map *map =
			inventory_prog__add_map(p, maps.v[i].name, maps.v[i].type);

		map->id = maps.v[i].id;
		map->memory = maps.v[i].memory;
		map->max_entries = maps.v[i].max_entries;
	}
	prog_maps__free(&maps);
}

/* Returns true for the first target of a program that is loaded. */
static bool is_first(const struct target_list *targets, int i)
{
	const struct target *t = &targets->v[i];

	return !t->frozen && target_list__next(targets, t->id, NULL) == t;
}

static void load_programs(const struct target_list *targets, const struct attachments *attached,
			  struct inventory *inv)
{
	for (int i = 0; i < targets->cnt; i++) {
		const struct attachment *at = NULL;
		struct inventory_prog *p;

		if (!is_first(targets, i))
			continue;
		p = inventory__add_prog(inv, targets->v[i].id);
		/*
		 * If only probes of another tool keep the program loaded, bprof has closed its
		 * descriptor.
		 */
		if (targets->v[i].prog->fd >= 0)
			add_maps(p, targets->v[i].prog);
		while ((at = attachments__next(attached, p->id, at)))
			inventory_prog__attach(p, at->kind);
	}
}

struct inventory *export_inventory__load(const struct target_list *targets,
					 struct holder_source *unheld)
{
	struct inventory *inv = inventory__new();
	struct attachments attached = {};
	unsigned int sources = 0;
	struct holds holds;
	__u64 ignored;

	for (int i = 0; i < targets->cnt; i++)
		if (is_first(targets, i))
			sources |= attachments__sources(targets->v[i].prog->info.type);
	/* Do not search for perf events: searching the open files of all processes takes long. */
	attachments__load(&attached, sources & ~ATTACH_PERF);
	load_programs(targets, &attached, inv);
	attachments__free(&attached);
	if (unheld) {
		inv->unheld.known = !holds__load_from(&holds, unheld);
		inv->unheld.cnt = holds__count(&holds, HOLD_UNHELD, &inv->unheld.memory);
		inv->unheld.unknown = holds__count(&holds, HOLD_UNKNOWN, &ignored);
		holds__free(&holds);
	}
	jit_memory__read(&inv->jit);
	return inv;
}
