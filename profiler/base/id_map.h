/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A map from ids to small numbers, such as indices of an array. A zeroed map is empty.
 */
#ifndef BPROF_ID_MAP_H
#define BPROF_ID_MAP_H

#include <stdbool.h>
#include <linux/types.h>

struct id_map {
	void *tree; /* of tsearch(3) */
};

bool id_map__is_empty(const struct id_map *m);
/* Maps id to value, which is at least 0. */
void id_map__set(struct id_map *m, __u64 id, int value);
/* Returns the value of id, or -1 if the map does not contain id. */
int id_map__get(const struct id_map *m, __u64 id);
void id_map__remove(struct id_map *m, __u64 id); /* id need not be there */
void id_map__free(struct id_map *m);		 /* m is empty afterwards */

#endif
