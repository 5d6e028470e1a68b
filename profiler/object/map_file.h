/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the elements of a map from JSON: [{"key": …, "value": …}, …], with the keys and values that
 * json_encode.h accepts. Also accepts the output of "bpftool -j map dump". Prints nothing, and
 * accesses no map in the kernel.
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
	/* sizes in bytes; key_sz is 0 if elements of the map have no keys */
	size_t key_sz, value_sz;
	const struct cpus *cpus; /* the possible CPUs if the map is per-CPU; else NULL */
};

/* Elements in the format of BPF_MAP_UPDATE_ELEM. */
struct map_elems {
	size_t cnt;
	/*
	 * In a per-CPU map, an element has a value for each CPU, each padded to a multiple of 8
	 * bytes. value_sz is the size of all these values together.
	 */
	size_t key_sz, value_sz;
	__u8 *keys, *values; /* arrays of cnt elements, owned */
};

struct map_file_error {
	/*
	 * The line of a syntax error. If it is 0, the JSON is valid but does not fit the map; then
	 * the text says where the error is, as a JSON path.
	 */
	unsigned long line;
	/* The text quotes the input: escape unprintable characters before showing it. */
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
