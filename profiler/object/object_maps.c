// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The maps of an object: pins them and fills them before the first run. Decides which maps can be
 * filled from a file. Must not know the format of the file.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "btf/prog.h"
#include "host/cpus.h"
#include "object/object_load.h"

/* Types that Linux 6.2 and 6.9 added. The build's headers may lack them. */
#define MAP_TYPE_CGRP_STORAGE 32
#define MAP_TYPE_ARENA 33

/* If a map of this type cannot be filled from a file, returns what it contains; else NULL. */
static const char *unwritable(enum bpf_map_type type)
{
	static const char *const holds[] = {
		[BPF_MAP_TYPE_PROG_ARRAY] = "programs; fill it with --prog-array MAP:IDX=PROG",
		[BPF_MAP_TYPE_PERF_EVENT_ARRAY] = "perf events",
		[BPF_MAP_TYPE_STACK_TRACE] = "stacks, which programs store",
		[BPF_MAP_TYPE_CGROUP_ARRAY] = "cgroups",
		[BPF_MAP_TYPE_ARRAY_OF_MAPS] = "maps",
		[BPF_MAP_TYPE_HASH_OF_MAPS] = "maps",
		[BPF_MAP_TYPE_SOCKMAP] = "sockets",
		[BPF_MAP_TYPE_SOCKHASH] = "sockets",
		[BPF_MAP_TYPE_XSKMAP] = "sockets",
		[BPF_MAP_TYPE_REUSEPORT_SOCKARRAY] = "sockets",
		[BPF_MAP_TYPE_CGROUP_STORAGE] = "data of cgroups",
		[BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE] = "data of cgroups",
		[MAP_TYPE_CGRP_STORAGE] = "data of cgroups",
		[BPF_MAP_TYPE_SK_STORAGE] = "data of sockets",
		[BPF_MAP_TYPE_INODE_STORAGE] = "data of inodes",
		[BPF_MAP_TYPE_TASK_STORAGE] = "data of tasks",
		[BPF_MAP_TYPE_STRUCT_OPS] = "operations of the kernel",
		[BPF_MAP_TYPE_RINGBUF] = "records, which programs write",
		[BPF_MAP_TYPE_USER_RINGBUF] = "records, which are read once",
		[MAP_TYPE_ARENA] = "memory that programs allocate",
	};

	return type < ARRAY_SIZE(holds) ? holds[type] : NULL;
}

static const char *type_name(__u32 type)
{
	return libbpf_bpf_map_type_str(type) ?: "unknown";
}

static bool is_per_cpu(enum bpf_map_type type)
{
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

/* ---- before the object is loaded ---- */

/*
 * Sets the seed of a hash map to 0, so that its elements are in the same buckets in every load. Otherwise the
 * kernel takes a random seed (htab_init_buckets()), and the counts of --exact would differ.
 */
static int fix_seed(struct bpf_map *map)
{
	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return bpf_map__set_map_flags(map, bpf_map__map_flags(map) | BPF_F_ZERO_SEED);
	default:
		return 0;
	}
}

/* Checks that the directory is in a bpffs. Creates it if only its last component is missing. */
static int check_pin_dir(const struct bench_load *l)
{
	const char *dir = l->setup->pin_maps;
	char parent[PATH_MAX], *slash;
	struct statfs fs;
	int err = statfs(dir, &fs) ? -errno : 0;

	if (err == -ENOENT && strlen(dir) < sizeof(parent)) {
		strcpy(parent, dir);
		for (size_t len = strlen(parent); len > 1 && parent[len - 1] == '/'; len--)
			parent[len - 1] = '\0';
		slash = strrchr(parent, '/');
		if (slash)
			slash[slash == parent] = '\0';
		err = statfs(slash ? parent : ".", &fs) ? -errno : 0;
		if (!err && fs.f_type == BPF_FS_MAGIC && mkdir(dir, 0700))
			err = -errno;
	}
	if (err)
		return bench_load__err(l, err, "--pin-maps %s: %s", dir, strerror(-err));
	if (fs.f_type != BPF_FS_MAGIC)
		return bench_load__err(l, -EINVAL,
				       "--pin-maps %s: not in a bpf filesystem; give a directory "
				       "below /sys/fs/bpf",
				       dir);
	return 0;
}

/*
 * Returns the flags that a pinned map may have in addition to those in the object's definition:
 * bprof sets BPF_F_ZERO_SEED, and the kernel sets BPF_F_RDONLY_PROG (dev_map_alloc_check()).
 */
static __u32 ignored_flags(__u32 type)
{
	bool devmap = type == BPF_MAP_TYPE_DEVMAP || type == BPF_MAP_TYPE_DEVMAP_HASH;

	return BPF_F_ZERO_SEED | (devmap ? BPF_F_RDONLY_PROG : 0);
}

/* Makes the object use the map fd, pinned at path, if it fits the object's definition. */
static int reuse_pinned(const struct bench_load *l, struct bpf_map *map, const char *path, int fd)
{
	__u32 type = bpf_map__type(map), entries = bpf_map__max_entries(map);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), flags = bpf_map__map_flags(map);
	int err;

	if (!bpf_fd__is(fd, "bpf-map"))
		return bench_load__err(l, -EINVAL, "--pin-maps: %s: exists, but is not a map",
				       path);
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (err)
		return bench_load__err(l, err, "--pin-maps: %s: %s", path, strerror(-err));
	if (info.type != type || info.key_size != bpf_map__key_size(map) ||
	    info.value_size != bpf_map__value_size(map) ||
	    (entries && info.max_entries != entries) ||
	    ((info.map_flags ^ flags) & ~ignored_flags(type)))
		return bench_load__err(
			l, -EINVAL,
			"--pin-maps: %s: the pinned map differs from the object's: %s, key %u, "
			"value %u bytes, max_entries %u, flags %#x; the object's: %s, %u, %u, %u, "
			"%#x",
			path, type_name(info.type), info.key_size, info.value_size,
			info.max_entries, info.map_flags, type_name(type), bpf_map__key_size(map),
			bpf_map__value_size(map), entries, flags);
	err = bpf_map__reuse_fd(map, fd);
	return err ? bench_load__err(l, err, "--pin-maps: %s: %s", path, strerror(-err)) : 0;
}

static int set_pin(const struct bench_load *l, struct bpf_map *map)
{
	const char *name = bpf_map__name(map);
	char path[PATH_MAX];
	int fd, err;

	/* The name comes from the object, and must not lead out of the directory. */
	if (strchr(name, '/'))
		return bench_load__err(l, -EINVAL,
				       "--pin-maps: map '%s': a name with '/' cannot be pinned; "
				       "rename the map in the object",
				       name);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", l->setup->pin_maps, name) >= sizeof(path))
		return bench_load__err(l, -ENAMETOOLONG, "--pin-maps: the path is too long");
	fd = bpf_obj_get(path);
	if (fd >= 0) {
		err = reuse_pinned(l, map, path, fd);
		close(fd);
		return err;
	}
	/* ENOENT: no map is pinned there yet. libbpf pins the new map at this path. */
	err = fd == -ENOENT ? bpf_map__set_pin_path(map, path) : fd;
	return err ? bench_load__err(l, err, "--pin-maps: %s: %s", path, strerror(-err)) : 0;
}

int bench_load__choose_struct_ops(const struct bench_load *l, struct bpf_object *obj)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	bool any = false;
	int err = 0;

	bpf_object__for_each_program (prog, obj)
		any |= bpf_program__autoload(prog) &&
		       bpf_program__type(prog) == BPF_PROG_TYPE_STRUCT_OPS;
	if (any && l->for_figures)
		return 0;
	bpf_object__for_each_map (map, obj) {
		if (err || bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		/*
		 * If no program of struct_ops is loaded, libbpf 1.1 does not read the kernel's BTF,
		 * and crashes on a map of struct_ops. So pretend that the map is an array.
		 */
		err = bpf_map__set_autocreate(map, false)
			      ?: bpf_map__set_type(map, BPF_MAP_TYPE_ARRAY);
	}
	return err;
}

int bench_load__set_maps(const struct bench_load *l, struct bpf_object *obj, bool pin)
{
	struct bpf_map *map;
	int err = 0;

	pin = pin && l->setup->pin_maps;
	if (pin)
		err = check_pin_dir(l);
	bpf_object__for_each_map (map, obj) {
		/*
		 * Ignore the path at which the object asks to pin the map (LIBBPF_PIN_BY_NAME):
		 * programs on this machine may use a map that is pinned there.
		 */
		err = err ?: bpf_map__set_pin_path(map, NULL);
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			continue;
		if (!err && l->setup->exact)
			err = fix_seed(map);
		/* Inner maps must have the same flags as their template (bpf_map_meta_equal()). */
		if (!err && l->setup->exact && bpf_map__inner_map(map))
			err = fix_seed(bpf_map__inner_map(map));
		if (!err && pin && !bpf_map__is_internal(map))
			err = set_pin(l, map);
		if (err)
			break;
	}
	return err;
}

/* ---- elements ---- */

/*
 * Returns the map with this name in the object, or NULL. Later lookups must use its index and not
 * the name: when a pinned map is reused, libbpf replaces the name in the object by the name of the
 * pinned map.
 */
static struct bpf_map *find_object_map(struct bpf_object *obj, const char *name, int *index)
{
	struct bpf_map *map;

	*index = 0;
	bpf_object__for_each_map (map, obj) {
		if (!strcmp(bpf_map__name(map), name))
			return map;
		++*index;
	}
	return NULL;
}

static struct bpf_map *get_map(struct bpf_object *obj, int index)
{
	struct bpf_map *map;
	int i = 0;

	bpf_object__for_each_map (map, obj)
		if (i++ == index)
			return map;
	return NULL;
}

int bench_load__refuse_map(const struct bench_load *l, struct bpf_object *obj, const char *option,
			   const char *name)
{
	char hint[128], names[1024] = "";
	struct suggest near;
	struct bpf_map *map;
	size_t len = 0;

	suggest__init(&near, name, strlen(name));
	bpf_object__for_each_map (map, obj) {
		if (bpf_map__is_internal(map))
			continue;
		suggest__offer(&near, bpf_map__name(map));
		if (len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					bpf_map__name(map));
	}
	return bench_load__err(l, -ENOENT, "%s: no map '%s'%s (the object's maps: %s)", option,
			       name, suggest__text(&near, hint, sizeof(hint)),
			       *names ? names : "none");
}

/* Returns true if the argument of --map has the elements themselves, and not the name of a file. */
static bool is_json(const struct bench_map *arg)
{
	return *arg->path == '[';
}

/* Returns the name of the file that has the elements, or a description, for messages. */
static const char *source_of(const struct bench_map *arg)
{
	return is_json(arg) ? "[...]" : arg->path;
}

static int parse_map(const struct bench_load *l, struct bpf_object *obj, struct bpf_map *map,
		     const struct bench_map *arg, struct map_elems *elems)
{
	struct cpus cpus = {};
	struct map_shape shape = {
		.btf = bpf_object__btf(obj),
		.key_type = bpf_map__btf_key_type_id(map),
		.value_type = bpf_map__btf_value_type_id(map),
		.key_sz = bpf_map__key_size(map),
		.value_sz = bpf_map__value_size(map),
		.cpus = is_per_cpu(bpf_map__type(map)) ? &cpus : NULL,
	};
	struct map_file_error ferr;
	char *text = NULL;
	int err = 0;

	if (is_json(arg))
		text = xstrdup(arg->path);
	else
		err = read_file(arg->path, &text);
	if (err) {
		bench_load__err(l, err, "--map %s: %s: %s", arg->name, source_of(arg),
				strerror(-err));
		goto out;
	}
	if (shape.cpus)
		err = cpus__possible(&cpus);
	if (err) {
		bench_load__err(l, err, "--map %s: reading the possible CPUs: %s", arg->name,
				strerror(-err));
		goto out;
	}
	err = map_elems__parse(text, &shape, elems, &ferr);
	if (err == -EINVAL && ferr.line)
		bench_load__err(l, err, "--map %s: %s:%lu: %s", arg->name, source_of(arg),
				ferr.line, ferr.text);
	else if (err)
		bench_load__err(l, err, "--map %s: %s: %s", arg->name, source_of(arg),
				err == -EINVAL ? ferr.text : strerror(-err));
out:
	cpus__free(&cpus);
	free(text);
	return err;
}

static int check_prog_array(const struct bench_load *l, struct bpf_object *obj,
			    const struct bench_prog_array *arg, int *index)
{
	struct bpf_map *map = find_object_map(obj, arg->map, index);

	if (!map)
		return bench_load__refuse_map(l, obj, "--prog-array", arg->map);
	if (bpf_map__type(map) != BPF_MAP_TYPE_PROG_ARRAY)
		return bench_load__err(l, -EINVAL,
				       "--prog-array: map %s has type %s, not prog_array", arg->map,
				       type_name(bpf_map__type(map)));
	if (arg->index >= bpf_map__max_entries(map))
		return bench_load__err(l, -E2BIG,
				       "--prog-array: map %s has no index %u: it has %u entries",
				       arg->map, arg->index, bpf_map__max_entries(map));
	return 0;
}

static int read_map(const struct bench_load *l, struct bpf_object *obj, const struct bench_map *arg,
		    struct map_elems *elems, int *index)
{
	struct bpf_map *map = find_object_map(obj, arg->name, index);
	const char *holds;

	if (!map)
		return bench_load__refuse_map(l, obj, "--map", arg->name);
	if (bpf_map__is_internal(map))
		return bench_load__err(
			l, -EINVAL, "--map %s: holds variables; set them with --global NAME=VALUE",
			arg->name);
	holds = unwritable(bpf_map__type(map));
	if (holds)
		return bench_load__err(
			l, -EINVAL,
			"--map %s: a map of type %s cannot be filled from a file: it "
			"holds %s",
			arg->name, type_name(bpf_map__type(map)), holds);
	return parse_map(l, obj, map, arg, elems);
}

/*
 * Reads the files. Call it before the load: libbpf drops the BTF types of keys and values if the
 * kernel does not accept these types.
 */
int bench_load__read_maps(struct bench_load *l, struct bpf_object *obj)
{
	const struct bench_setup *s = l->setup;
	int err = 0;

	l->elems = xcalloc(s->map_cnt, sizeof(*l->elems));
	l->map_index = xcalloc(s->map_cnt, sizeof(*l->map_index));
	l->prog_array_index = xcalloc(s->prog_array_cnt, sizeof(*l->prog_array_index));
	for (int i = 0; !err && i < s->map_cnt; i++)
		err = read_map(l, obj, &s->map[i], &l->elems[i], &l->map_index[i]);
	for (int i = 0; !err && i < s->prog_array_cnt; i++)
		err = check_prog_array(l, obj, &s->prog_array[i], &l->prog_array_index[i]);
	return err;
}

/* Returns why the kernel rejected an element. */
static const char *update_text(int err)
{
	switch (err) {
	case -E2BIG:
	case -ENOSPC:
		return "the map is full, or the key is out of range";
	case -EPERM:
		return "the map is read-only, or a capability is missing";
	default:
		return strerror(-err);
	}
}

int bench_load__fill_maps(const struct bench_load *l, struct bpf_object *obj)
{
	for (int i = 0; i < l->setup->map_cnt; i++) {
		const struct bench_map *arg = &l->setup->map[i];
		struct bpf_map *map = get_map(obj, l->map_index[i]);
		const struct map_elems *elems = &l->elems[i];

		for (size_t n = 0; n < elems->cnt; n++) {
			const void *key = elems->key_sz ? elems->keys + n * elems->key_sz : NULL;
			int err = bpf_map_update_elem(bpf_map__fd(map), key,
						      elems->values + n * elems->value_sz, BPF_ANY);

			if (err)
				return bench_load__err(
					l, err,
					"--map %s: %s: [%zu]: %s (%s, max_entries "
					"%u)",
					arg->name, source_of(arg), n, update_text(err),
					type_name(bpf_map__type(map)), bpf_map__max_entries(map));
		}
	}
	return 0;
}

int bench_load__fill_prog_arrays(const struct bench_load *l, struct bpf_object *obj)
{
	for (int i = 0; i < l->setup->prog_array_cnt; i++) {
		const struct bench_prog_array *arg = &l->setup->prog_array[i];
		int map_fd = bpf_map__fd(get_map(obj, l->prog_array_index[i]));
		int fd = bpf_program__fd(bpf_object__find_program_by_name(obj, arg->prog));
		int err = bpf_map_update_elem(map_fd, &arg->index, &fd, BPF_ANY);

		if (err)
			return bench_load__err(
				l, err, "--prog-array: program %s cannot be put into map %s: %s",
				arg->prog, arg->map,
				err == -EINVAL ? "its type differs from that of the map's users"
					       : strerror(-err));
	}
	return 0;
}
