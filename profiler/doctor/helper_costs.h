/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof doctor --helpers: the costs of helpers and of operations on maps, on this machine and
 * kernel. Only doctor/ uses this header.
 */
#ifndef BPROF_HELPER_COSTS_H
#define BPROF_HELPER_COSTS_H

#include "bpf/probe.h"

struct event_list;

/* An operation: a call of a helper, or calls of several helpers on a map. */
struct helper_op {
	const char *name; /* the name that users see */
	/* program in bpf/helpers.bpf.c, without "_1" or "_9"; "key_MAP" computes the keys */
	const char *prog;
	const char *map; /* the map's name; NULL: no map */
	int entries;	 /* number of entries in the map: a power of two, or 0 */
	enum helper_keys { KEYS_NONE, KEYS_HIT, KEYS_MISS, KEYS_NEW } keys;
};

struct helper_cost {
	const struct helper_op *op;
	const char *map_type; /* such as "lru_hash"; NULL: no map */
	int key_sz;	      /* size of the map's keys in bytes */
	/*
	 * The cost of one operation in the events' own units. It includes the instructions that pass the
	 * arguments and test the result. NaN: not counted.
	 */
	double cost[BPROF_MAX_EVENTS];
	char *why; /* NULL: measured; else the reason why not; owned */
};

struct helper_costs {
	int cpu; /* the CPU on which the operations were measured */
	struct helper_cost *v;
	int cnt;
};

/*
 * Measures all operations in test runs on one CPU. If the kernel refuses an operation, this is no
 * error: the row has the reason. Returns 0 or -errno (reported); -ENODATA: no event can be counted. The
 * caller calls helper_costs__free() in both cases.
 */
int helper_costs__measure(const struct event_list *events, struct helper_costs *out);
void helper_costs__free(struct helper_costs *c);

#endif
