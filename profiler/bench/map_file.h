/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the elements of a map from JSON: [{"key": …, "value": …}, …], with the values that
 * json_encode.h accepts. Also accepts the output of "bpftool -j map dump". Pure: prints nothing,
 * knows no map.
 *
 * A per-CPU map's element has one "value" for all CPUs, or "values": [{"cpu": 0, "value": …}, …];
 * CPUs that are not listed get zeros. A map without keys (a queue) has no "key". Numbers may be
 * hexadecimal, and larger than 2^63.
 */
#ifndef BPROF_MAP_FILE_H
#define BPROF_MAP_FILE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/util.h"

struct btf;
struct cpus;

/* The layout of the map to fill. */
struct map_shape {
	const struct btf *btf;	    /* or NULL */
	__u32 key_type, value_type; /* in btf; 0: not known */
	size_t key_sz, value_sz;    /* bytes; key_sz 0: the map has no keys */
	const struct cpus *cpus;    /* the possible CPUs for a per-CPU map, else NULL */
};

/* Elements as BPF_MAP_UPDATE_ELEM takes them. */
struct map_elems {
	size_t cnt;
	size_t key_sz, value_sz; /* per-CPU maps: value_sz covers all CPUs, each padded to 8 */
	__u8 *keys, *values;	 /* arrays of cnt; owned */
};

struct map_file_error {
	unsigned long line; /* of a syntax error; 0: the JSON is valid, text has a path in it */
	char text[400];	    /* quotes the input: make it printable before showing it */
};

/*
 * Returns 0, -ENOMEM, or -EINVAL with *err. The caller frees *out with map_elems__free(), also on
 * failure.
 */
int __must_check map_elems__parse(const char *json, const struct map_shape *shape,
				  struct map_elems *out, struct map_file_error *err);
void map_elems__free(struct map_elems *elems); /* frees the members, not elems */

#endif
