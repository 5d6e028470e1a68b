// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the hash table behind a map of ids. Must not know what the ids identify.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* By default uthash exits when out of memory; report the error to the caller instead. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) (added = false)
#include <uthash.h>

#include "base/id_map.h"

struct id_map_entry {
	__u64 id;
	int value;
	UT_hash_handle hh;
};

static struct id_map_entry *find(const struct id_map *m, __u64 id)
{
	struct id_map_entry *entry;

	HASH_FIND(hh, m->entries, &id, sizeof(id), entry);
	return entry;
}

int id_map__set(struct id_map *m, __u64 id, int value)
{
	struct id_map_entry *entry = find(m, id);
	bool added = true;

	if (!entry) {
		entry = malloc(sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->id = id;
		HASH_ADD(hh, m->entries, id, sizeof(entry->id), entry);
	}
	if (!added) {
		free(entry);
		return -ENOMEM;
	}
	entry->value = value;
	return 0;
}

int id_map__get(const struct id_map *m, __u64 id)
{
	const struct id_map_entry *entry = find(m, id);

	return entry ? entry->value : -1;
}

void id_map__free(struct id_map *m)
{
	struct id_map_entry *entry, *next;

	HASH_ITER (hh, m->entries, entry, next) {
		HASH_DEL(m->entries, entry);
		free(entry);
	}
}
