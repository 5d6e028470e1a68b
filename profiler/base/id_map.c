// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search tree behind a map of ids. Must not know what the ids identify.
 */
#include <search.h>
#include <stdlib.h>

#include "base/id_map.h"
#include "base/memory.h"

struct id_map_entry {
	__u64 id;
	int value;
};

static int compare_id_entries(const void *a, const void *b)
{
	__u64 x = ((const struct id_map_entry *)a)->id, y = ((const struct id_map_entry *)b)->id;

	return (x > y) - (x < y);
}

static struct id_map_entry *find_id_entry(const struct id_map *m, __u64 id)
{
	const struct id_map_entry wanted = {.id = id};
	struct id_map_entry **node = tfind(&wanted, &m->tree, compare_id_entries);

	return node ? *node : NULL;
}

bool id_map__is_empty(const struct id_map *m)
{
	return !m->tree;
}

void id_map__set(struct id_map *m, __u64 id, int value)
{
	struct id_map_entry *entry = find_id_entry(m, id);

	if (entry) {
		entry->value = value;
		return;
	}
	entry = xmalloc(sizeof(*entry));
	*entry = (struct id_map_entry){.id = id, .value = value};
	if (!tsearch(entry, &m->tree, compare_id_entries))
		out_of_memory();
}

int id_map__get(const struct id_map *m, __u64 id)
{
	const struct id_map_entry *entry = find_id_entry(m, id);

	return entry ? entry->value : -1;
}

void id_map__remove(struct id_map *m, __u64 id)
{
	struct id_map_entry *entry = find_id_entry(m, id);

	if (entry)
		tdelete(entry, &m->tree, compare_id_entries);
	free(entry);
}

void id_map__free(struct id_map *m)
{
	tdestroy(m->tree, free);
	m->tree = NULL;
}
