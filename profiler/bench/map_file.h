/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a map is to hold, from a JSON text: [{"key": …, "value": …}, …], in the ways that
 * json_encode.h knows; also what "bpftool -j map dump" writes. Pure: prints nothing, knows no map.
 *
 * A per-CPU map's element has one "value" for all CPUs, or "values": [{"cpu": 0, "value": …}, …],
 * where the CPUs that are left out have zeros. A map without keys (a queue) has no "key".
 * Numbers may be in hexadecimal, and as large as they are.
 */
#ifndef BPROF_MAP_FILE_H
#define BPROF_MAP_FILE_H

#include <stddef.h>
#include <linux/types.h>

#include "base/util.h"

struct btf;
struct cpus;

/* The map that it is for. */
struct map_shape {
	const struct btf *btf;	    /* or NULL */
	__u32 key_type, value_type; /* in btf; 0: not known */
	size_t key_sz, value_sz;    /* bytes; key_sz 0: it has no keys */
	const struct cpus *cpus;    /* per CPU: the possible ones; else NULL */
};

/* Elements as BPF_MAP_UPDATE_ELEM takes them. */
struct map_elems {
	size_t cnt;
	size_t key_sz, value_sz; /* a value has those of all CPUs, each padded to 8 bytes */
	__u8 *keys, *values;	 /* cnt of each, one after the other; owned */
};

struct map_file_error {
	unsigned long line; /* 0: the text is JSON; what is wrong has a path */
	char text[400];	    /* quotes the text: to be made printable */
};

/*
 * 0, -ENOMEM, or -EINVAL with *err. The caller frees what is in *out with map_elems__free(), on
 * failure too.
 */
int __must_check map_elems__parse(const char *json, const struct map_shape *shape,
				  struct map_elems *out, struct map_file_error *err);
void map_elems__free(struct map_elems *elems); /* what is in it */

#endif
