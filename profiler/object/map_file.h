/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the elements of a map from JSON: [{"key": …, "value": …}, …], with the values that
 * json_encode.h accepts. Also accepts the output of "bpftool -j map dump". Prints nothing, and
 * accesses no map.
 *
 * An element of a per-CPU map has one "value" for all CPUs, or "values": [{"cpu": 0, "value": …},
 * …]; CPUs that are not listed get zeros. A map without keys (a queue) has no "key". Numbers may be
 * hexadecimal, and larger than 2^63.
 */
#ifndef BPROF_MAP_FILE_H
#define BPROF_MAP_FILE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/util.h"

struct btf;
struct cpus;

/* The layout of the map whose elements are read. */
struct map_shape {
	const struct btf *btf;	    /* BTF of the object, or NULL */
	__u32 key_type, value_type; /* type ids in btf; 0: not known */
	size_t key_sz, value_sz;    /* sizes in bytes; key_sz is 0 if the map has no keys */
	const struct cpus *cpus;    /* for a per-CPU map: the possible CPUs; else NULL */
};

/* Elements in the format of BPF_MAP_UPDATE_ELEM. */
struct map_elems {
	size_t cnt;
	/*
	 * In a per-CPU map, value_sz is the size of the values of all CPUs, each padded to a
	 * multiple of 8 bytes.
	 */
	size_t key_sz, value_sz;
	__u8 *keys, *values; /* arrays of cnt elements, owned */
};

struct map_file_error {
	/*
	 * The line of a syntax error. 0 if the JSON is valid; then the text names the JSON path of
	 * the error.
	 */
	unsigned long line;
	/* The text quotes the input, so make it printable before showing it. */
	char text[400];
};

/*
 * Parses json. Returns 0, or -EINVAL with *err. The caller frees *out with map_elems__free(), also
 * on failure.
 */
int __must_check map_elems__parse(const char *json, const struct map_shape *shape,
				  struct map_elems *out, struct map_file_error *err);
void map_elems__free(struct map_elems *elems); /* frees the members, not elems */

#endif
