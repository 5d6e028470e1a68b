/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bprof doctor --helpers: what helpers and operations on maps take on this machine and kernel. Private to
 * the room.
 */
#ifndef BPROF_HELPER_COSTS_H
#define BPROF_HELPER_COSTS_H

#include "bpf/probe.h"

struct event_list;

/* An operation: of a helper, or of several on a map. */
struct helper_op {
	const char *name; /* as a user writes it */
	const char *prog; /* of bpf/helpers.bpf.c, without its end; with keys, also "key_MAP" */
	const char *map;  /* NULL: none */
	int entries;	  /* that the map has: a power of two, or 0 */
	enum helper_keys { KEYS_NONE, KEYS_HIT, KEYS_MISS, KEYS_NEW } keys;
};

struct helper_cost {
	const struct helper_op *op;
	const char *map_type; /* such as "lru_hash"; NULL: no map */
	int key_sz;	      /* of the map's keys, in bytes */
	/*
	 * One operation, in the events' own units, with the instructions that pass its arguments and test
	 * its result. NaN: not counted.
	 */
	double cost[BPROF_MAX_EVENTS];
	char *why; /* NULL: measured; else why not. Owned. */
};

struct helper_costs {
	int cpu; /* on which they were measured */
	struct helper_cost *v;
	int cnt;
};

/*
 * Measures all operations in test runs on one CPU. What the kernel refuses is no error: its row has the
 * reason. Returns 0 or -errno (reported); -ENODATA: no event can be counted. The caller calls
 * helper_costs__free() in both cases.
 */
int helper_costs__measure(const struct event_list *events, struct helper_costs *out);
void helper_costs__free(struct helper_costs *c);

#endif
