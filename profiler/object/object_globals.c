// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets an object's global variables before it is loaded. Knows where variables are stored. Must not
 * know how a value becomes bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "json/json_encode.h"
#include "json/json_lenient.h"
#include "json/json_make.h"
#include "object/object_load.h"

/* A global variable. It is stored in the map that libbpf creates for the variable's section. */
struct variable {
	struct bpf_map *map;
	__u32 type;
	size_t off, sz;
};

/*
 * If libbpf created this map for a section of global variables, returns the BTF of the section;
 * otherwise NULL. libbpf names such a map after its section. For most sections, it puts a part of
 * the object's name in front. That part has no dot, so the section's name begins at the first dot.
 */
static const struct btf_type *find_section(const struct btf *btf, const struct bpf_map *map)
{
	const char *name = strchr(bpf_map__name(map), '.');
	int id = name ? btf__find_by_name_kind(btf, name, BTF_KIND_DATASEC) : -1;

	/* .kconfig holds the kernel's configuration, which libbpf fills in. */
	if (!bpf_map__is_internal(map) || id < 0 || !strcmp(name, ".kconfig"))
		return NULL;
	return btf__type_by_id(btf, id);
}

/*
 * Returns the number of variables with this name, which may be several because variables may be
 * static. *out is the last of them.
 */
static int find_variable(const struct btf *btf, struct bpf_object *obj, const char *name,
			 struct variable *out, struct suggest *near)
{
	struct bpf_map *map;
	int cnt = 0;

	bpf_object__for_each_map (map, obj) {
		const struct btf_type *sec = find_section(btf, map);

		for (int i = 0; sec && i < btf_vlen(sec); i++) {
			const struct btf_var_secinfo *var = &btf_var_secinfos(sec)[i];
			const struct btf_type *t = btf__type_by_id(btf, var->type);
			const char *var_name = t ? btf__name_by_offset(btf, t->name_off) ?: "" : "";

			suggest__offer(near, var_name);
			if (strcmp(var_name, name))
				continue;
			cnt++;
			*out = (struct variable){
				.map = map,
				.type = var->type,
				.off = var->offset,
				.sz = var->size,
			};
		}
	}
	return cnt;
}

static int write_variable(const struct bench_load *l, const struct btf *btf,
			  const struct variable *var, const struct bench_global *global)
{
	struct json_encoder e = {.btf = btf};
	size_t map_sz;
	const void *initial = bpf_map__initial_value(var->map, &map_sz);
	__u8 *data = NULL;
	json_error_t jerr;
	json_t *v = NULL;
	int err;

	if (!initial || var->off > map_sz || var->sz > map_sz - var->off)
		return bench_load__err(l, -EINVAL,
				       "--global %s: its BTF places it outside of its section",
				       global->name);
	/* A bare word that is not JSON, such as the name of an enum's value, becomes a string. */
	err = json_lenient__load(global->value, JSON_DECODE_ANY, &v, &jerr)
		      ? json__make_utf8(global->value, &v)
		      : 0;
	if (err) {
		bench_load__err(l, err, "--global %s: not UTF-8", global->name);
		goto out;
	}
	data = xmalloc(map_sz);
	memcpy(data, initial, map_sz);
	err = json_encoder__write(&e, var->type, v, data + var->off, var->sz);
	if (err) {
		bench_load__err(l, err, "--global %s: %s", global->name, e.text);
		goto out;
	}
	err = bpf_map__set_initial_value(var->map, data, map_sz);
	if (err)
		bench_load__err(l, err, "--global %s: %s", global->name, strerror(-err));
out:
	json_decref(v);
	free(data);
	return err;
}

int bench_load__set_globals(const struct bench_load *l, struct bpf_object *obj)
{
	const struct btf *btf = bpf_object__btf(obj);

	for (int i = 0; i < l->setup->global_cnt; i++) {
		const struct bench_global *global = &l->setup->global[i];
		struct variable var = {};
		struct suggest near;
		char hint[128];
		int cnt, err;

		if (!btf)
			return bench_load__err(l, -ENODATA,
					       "--global %s: the object has no BTF to find the "
					       "variable by; compile it with clang -g",
					       global->name);
		suggest__init(&near, global->name, strlen(global->name));
		cnt = find_variable(btf, obj, global->name, &var, &near);
		if (cnt > 1)
			return bench_load__err(l, -EINVAL,
					       "--global %s: %d variables have that name",
					       global->name, cnt);
		if (!cnt)
			return bench_load__err(l, -ENOENT, "--global %s: no such variable%s",
					       global->name,
					       suggest__text(&near, hint, sizeof(hint)));
		err = write_variable(l, btf, &var, global);
		if (err)
			return err;
	}
	return 0;
}
