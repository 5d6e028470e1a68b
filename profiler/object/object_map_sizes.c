// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets the sizes of maps that an object leaves to its loader: entries, bytes of keys and values,
 * and inner maps. Owns the defaults; without these sizes, the kernel does not create the map. Must
 * not know what maps contain.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/memory.h"
#include "object/object_load.h"

/* The default of sysctl kernel.perf_event_max_stack: frames in an element of a stack trace map */
#define STACK_FRAMES 127

/* Types that Linux 6.2 and 6.9 added. The build's headers may lack them. */
#define MAP_TYPE_CGRP_STORAGE 32
#define MAP_TYPE_ARENA 33

/*
 * The map types for which the kernel accepts only certain numbers of entries, or certain sizes of
 * keys or values.
 */
static const struct type_rule {
	bool no_entries;	/* libbpf sets the number of entries, or it must be 0 */
	bool pages;		/* the number of entries is a size in bytes: whole pages */
	__u32 key_sz, value_sz; /* 0: the size depends on the object */
} rules[] = {
	[BPF_MAP_TYPE_PERF_EVENT_ARRAY] = {.no_entries = true, .key_sz = 4, .value_sz = 4},
	[BPF_MAP_TYPE_PROG_ARRAY] = {.key_sz = 4, .value_sz = 4},
	[BPF_MAP_TYPE_CGROUP_ARRAY] = {.key_sz = 4, .value_sz = 4},
	[BPF_MAP_TYPE_ARRAY_OF_MAPS] = {.key_sz = 4, .value_sz = 4},
	[BPF_MAP_TYPE_HASH_OF_MAPS] = {.value_sz = 4},
	[BPF_MAP_TYPE_STACK_TRACE] = {.key_sz = 4, .value_sz = STACK_FRAMES * sizeof(__u64)},
	[BPF_MAP_TYPE_RINGBUF] = {.pages = true},
	[BPF_MAP_TYPE_USER_RINGBUF] = {.pages = true},
	[BPF_MAP_TYPE_CGROUP_STORAGE] = {.no_entries = true},
	[BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE] = {.no_entries = true},
	[BPF_MAP_TYPE_SK_STORAGE] = {.no_entries = true},
	[BPF_MAP_TYPE_INODE_STORAGE] = {.no_entries = true},
	[BPF_MAP_TYPE_TASK_STORAGE] = {.no_entries = true},
	[MAP_TYPE_CGRP_STORAGE] = {.no_entries = true},
	[BPF_MAP_TYPE_STRUCT_OPS] = {.no_entries = true},
	[MAP_TYPE_ARENA] = {.pages = true},
};

static const struct bench_map_size *find_size(const struct bench_setup *s, const char *name,
					      enum bench_map_part part)
{
	for (int i = s->size_cnt - 1; i >= 0; i--)
		if (s->size[i].part == part && !strcmp(s->size[i].name, name))
			return &s->size[i];
	return NULL;
}

static int apply_size_options(const struct bench_load *l, struct bpf_map *map)
{
	static int (*const set[])(struct bpf_map * map, __u32 n) = {
		[MAP_ENTRIES] = bpf_map__set_max_entries,
		[MAP_KEY] = bpf_map__set_key_size,
		[MAP_VALUE] = bpf_map__set_value_size,
	};
	int err = 0;

	for (enum bench_map_part part = 0; !err && part < ARRAY_SIZE(set); part++) {
		const struct bench_map_size *size = find_size(l->setup, bpf_map__name(map), part);

		if (size)
			err = set[part](map, size->n);
	}
	return err;
}

/* Sets the sizes that are still 0, unless the kernel wants 0. */
static int apply_defaults(const struct bench_load *l, struct bpf_map *map)
{
	static const struct type_rule usual;
	__u32 type = bpf_map__type(map);
	const struct type_rule *rule = type < ARRAY_SIZE(rules) ? &rules[type] : &usual;
	__u32 entries = rule->pages ? sysconf(_SC_PAGESIZE) : 1;
	int err = 0;

	if (rule->key_sz && !bpf_map__key_size(map))
		err = bpf_map__set_key_size(map, rule->key_sz);
	if (!err && rule->value_sz && !bpf_map__value_size(map))
		err = bpf_map__set_value_size(map, rule->value_sz);
	if (err || rule->no_entries || bpf_map__max_entries(map))
		return err;
	if (l->inspects)
		log_note("%s: map %s: the object leaves its size to its loader; it gets %u %s; "
			 "--map-size %s=N sets another size",
			 l->path, bpf_map__name(map), entries, rule->pages ? "bytes" : "entry",
			 bpf_map__name(map));
	return bpf_map__set_max_entries(map, entries);
}

static bool is_outer(const struct bpf_map *map)
{
	return bpf_map__type(map) == BPF_MAP_TYPE_ARRAY_OF_MAPS ||
	       bpf_map__type(map) == BPF_MAP_TYPE_HASH_OF_MAPS;
}

int bench_load__set_sizes(const struct bench_load *l, struct bpf_object *obj)
{
	struct bpf_map *map;
	int i = 0, err = 0;

	bpf_object__for_each_map (map, obj) {
		err = apply_size_options(l, map);
		/* libbpf itself sets the sizes of maps of variables and of struct_ops. */
		if (!err && !bpf_map__is_internal(map))
			err = apply_defaults(l, map);
		if (!err && l->inner_fd && l->inner_fd[i] >= 0)
			err = bpf_map__set_inner_map_fd(map, l->inner_fd[i]);
		if (err)
			return bench_load__err(l, err, "map %s: its size cannot be set: %s",
					       bpf_map__name(map), strerror(-err));
		i++;
	}
	return 0;
}

/* ---- inner maps ---- */

static const struct bench_inner_map *find_inner(const struct bench_setup *s, const char *name)
{
	for (int i = s->inner_cnt - 1; i >= 0; i--)
		if (!strcmp(s->inner[i].name, name))
			return &s->inner[i];
	return NULL;
}

/* Creates a map that serves as the template for the inner maps of the outer map. */
static int make_inner(const struct bench_load *l, struct bpf_object *obj,
		      const struct bpf_map *outer, int *fd)
{
	static const struct bench_inner_map usual = {
		.type = BPF_MAP_TYPE_ARRAY, .key_sz = 4, .value_sz = 4, .entries = 1};
	const struct bench_inner_map *arg = find_inner(l->setup, bpf_map__name(outer));
	struct bench_inner_map like = arg ? *arg : usual;
	LIBBPF_OPTS(bpf_map_create_opts, opts);

	if (like.map) {
		struct bpf_map *map = bpf_object__find_map_by_name(obj, like.map);

		if (!map)
			return bench_load__refuse_map(l, obj, "--inner-map", like.map);
		like.type = bpf_map__type(map);
		like.key_sz = bpf_map__key_size(map);
		like.value_sz = bpf_map__value_size(map);
		like.entries = bpf_map__max_entries(map);
		opts.map_flags = bpf_map__map_flags(map);
	}
	if (!arg)
		log_note("%s: map %s: the object leaves its inner maps to its loader; they are "
			 "arrays of one value of 4 bytes; --inner-map %s=MAP or "
			 "%s=TYPE,KEY,VALUE,N sets others",
			 l->path, bpf_map__name(outer), bpf_map__name(outer), bpf_map__name(outer));
	*fd = bpf_map_create(like.type, "inner", like.key_sz, like.value_sz, like.entries, &opts);
	return *fd >= 0 ? 0
			: bench_load__err(l, *fd,
					  "map %s: its inner map (%s, key %u, value %u bytes, %u "
					  "entries) cannot be created: %s; use --inner-map",
					  bpf_map__name(outer),
					  libbpf_bpf_map_type_str(like.type) ?: "unknown",
					  like.key_sz, like.value_sz, like.entries, strerror(-*fd));
}

int bench_load__make_inner_maps(struct bench_load *l, struct bpf_object *obj)
{
	const struct bench_setup *s = l->setup;
	struct bpf_map *map;
	int cnt = 0, i = 0, err = 0;

	for (int k = 0; k < s->inner_cnt; k++) {
		map = bpf_object__find_map_by_name(obj, s->inner[k].name);
		if (!map)
			return bench_load__refuse_map(l, obj, "--inner-map", s->inner[k].name);
		if (!is_outer(map) || bpf_map__inner_map(map))
			return bench_load__err(l, -EINVAL, "--inner-map: map %s %s",
					       s->inner[k].name,
					       is_outer(map) ? "has inner maps of its own"
							     : "is not a map of maps");
	}
	for (int k = 0; k < s->size_cnt; k++)
		if (!bpf_object__find_map_by_name(obj, s->size[k].name))
			return bench_load__refuse_map(l, obj, "--map-size", s->size[k].name);
	bpf_object__for_each_map (map, obj)
		cnt++;
	l->inner_fd = xcalloc(cnt + 1, sizeof(*l->inner_fd));
	l->inner_cnt = cnt;
	memset(l->inner_fd, -1, cnt * sizeof(*l->inner_fd));
	bpf_object__for_each_map (map, obj) {
		if (!err && is_outer(map) && !bpf_map__inner_map(map))
			err = make_inner(l, obj, map, &l->inner_fd[i]);
		i++;
	}
	return err;
}

void bench_load__close_inner_maps(struct bench_load *l)
{
	for (int i = 0; i < l->inner_cnt; i++)
		if (l->inner_fd[i] >= 0)
			close(l->inner_fd[i]);
	free(l->inner_fd);
}
