/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inventory of loaded programs: their memory, their maps, and where they are attached. Pure.
 */
#ifndef BPROF_INVENTORY_H
#define BPROF_INVENTORY_H

#include "base/util.h"
#include "target/jit_memory.h"

struct inventory_map {
	char *name, *type; /* as in bpftool: "stats", "percpu_array" */
	__u32 id;
	__u64 memory; /* bytes that the kernel accounts for the map */
	__u64 max_entries;
};

struct inventory_attachment {
	char *kind; /* "xdp", "tcx" */
	int cnt;
};

struct inventory_prog {
	__u32 id;
	__u64 memory; /* bytes that the kernel accounts for the program itself; 0: not known */
	struct inventory_map *map;
	int map_cnt;
	struct inventory_attachment *attached; /* one element for each kind */
	int attached_cnt;
};

/* Of all loaded programs, the programs that nothing holds (target/holds.h). */
struct inventory_unheld {
	bool known; /* true if these programs were searched for */
	int cnt;
	__u64 memory; /* bytes that the kernel accounts for them, without their maps */
	int unknown; /* number of programs for which it is not known whether something holds them */
};

struct inventory {
	struct inventory_prog *prog;
	int prog_cnt;
	struct inventory_unheld unheld;
	struct jit_memory jit;
};

/* Returns an empty inventory. */
struct inventory *inventory__new(void);
void inventory__free(struct inventory *inv); /* accepts NULL */

/*
 * Append an element and return it. Pointers to other elements of the same kind become invalid.
 */
struct inventory_prog *inventory__add_prog(struct inventory *inv, __u32 id);
struct inventory_map *inventory_prog__add_map(struct inventory_prog *p, const char *name,
					      const char *type);
/* Counts an attachment. */
void inventory_prog__attach(struct inventory_prog *p, const char *kind);

/* Returns the program with this id, or NULL. inv may be NULL. */
const struct inventory_prog *inventory__find(const struct inventory *inv, __u32 id);

/*
 * The maximum number of maps that inventory_prog__add() keeps apart. Further maps are counted
 * together, as a map called INVENTORY_OTHER.
 */
#define INVENTORY_MAX_MAPS 16
#define INVENTORY_OTHER "other"

/*
 * Adds the inventory of p to *sum: its maps by name and type, and its attachments by kind. In a sum,
 * the ids of maps have no meaning.
 */
void inventory_prog__add(struct inventory_prog *sum, const struct inventory_prog *p);

#endif
