// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the programs of a struct_ops map. Must not know what the programs are used for.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/log.h"
#include "base/memory.h"
#include "btf/btf_compat.h"
#include "btf/prog.h"
#include "target/struct_ops.h"

/* The state of a map_walk over all maps. */
struct map_walk {
	struct btf *vmlinux, *own; /* own: the kernel's BTF, if this map_walk has read it */
	struct_ops_fn fn;
	void *arg;
};

/*
 * Finds the variable of a .struct_ops section whose name begins with the map's name, which the
 * kernel has truncated to 15 characters. Returns NULL if there is no such variable, or more than
 * one.
 */
static const char *find_struct_ops_var(const struct btf *btf, const char *name)
{
	const char *found = NULL;

	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *sec = btf__type_by_id(btf, id);
		const struct btf_var_secinfo *v = btf_var_secinfos(sec);

		if (!btf_is_datasec(sec) ||
		    strncmp(btf__name_by_offset(btf, sec->name_off), ".struct_ops", 11))
			continue;
		for (int i = 0; i < btf_vlen(sec); i++, v++) {
			const struct btf_type *var = btf__type_by_id(btf, v->type);
			const char *full = btf__name_by_offset(btf, var->name_off);

			if (strncmp(full, name, strlen(name)))
				continue;
			if (found)
				return NULL;
			found = full;
		}
	}
	return found;
}

/*
 * Visits the operations of a map. Its value's type is struct bpf_struct_ops_NAME { common part;
 * struct NAME data; }. The value holds a program id in place of each function pointer
 * (kernel/bpf/bpf_struct_ops.c: bpf_struct_ops_map_update_elem()).
 */
static int visit_value(struct map_walk *w, const struct bpf_map_info *map, const char *value)
{
	const struct btf *btf = w->vmlinux;
	const struct btf_type *outer = btf__type_by_id(btf, map->btf_vmlinux_value_type_id);
	struct struct_ops_func f = {};
	const struct btf_type *ops, *ptr;
	const struct btf_member *data, *m;
	struct btf *names = NULL; /* the BTF of the map's object file; owns the map's full name */
	int err = 0;

	if (!outer || !btf_is_struct(outer) || btf_vlen(outer) < 2)
		return 0;
	data = btf_members(outer) + btf_vlen(outer) - 1;
	ops = btf__type_by_id(btf, data->type);
	if (!ops || !btf_is_struct(ops))
		return 0;
	if (strlen(map->name) == BPF_OBJ_NAME_LEN - 1 && map->btf_id)
		names = btf__load_from_kernel_by_id(map->btf_id);
	f.map = (names ? find_struct_ops_var(names, map->name) : NULL) ?: map->name;
	m = btf_members(ops);
	for (int i = 0; i < btf_vlen(ops) && !err; i++, m++) {
		__u32 off = (data->offset + m->offset) / 8;

		ptr = btf__type_by_id(btf, m->type);
		if (!ptr || !btf_is_ptr(ptr) ||
		    !btf_is_func_proto(btf__type_by_id(btf, ptr->type)) ||
		    off + sizeof(f.prog_id) > map->value_size)
			continue;
		memcpy(&f.prog_id, value + off, sizeof(f.prog_id));
		f.member = btf__name_by_offset(btf, m->name_off);
		if (f.prog_id)
			err = w->fn(&f, w->arg);
	}
	btf__free(names);
	return err;
}

static int visit_map(struct map_walk *w, int fd)
{
	struct bpf_map_info map = {0};
	__u32 len = sizeof(map), key = 0;
	char *value;
	int err = 0;

	if (bpf_obj_get_info_by_fd(fd, &map, &len) || map.type != BPF_MAP_TYPE_STRUCT_OPS ||
	    !map.btf_vmlinux_value_type_id)
		return 0;
	if (!w->vmlinux)
		w->vmlinux = w->own = btf_compat__load_vmlinux();
	if (!w->vmlinux)
		return -errno;
	value = xcalloc(1, map.value_size);
	/* If a map is not registered, its value is zero. */
	if (!bpf_map_lookup_elem(fd, &key, value))
		err = visit_value(w, &map, value);
	free(value);
	return err;
}

static int is_struct_ops(__u32 id, void *arg)
{
	struct prog *p;
	int is;

	(void)arg;
	if (prog__open_id(id, &p))
		return 0;
	is = p->info.type == BPF_PROG_TYPE_STRUCT_OPS;
	prog__close(p);
	return is;
}

int struct_ops__walk(struct btf *vmlinux, struct_ops_fn fn, void *arg)
{
	struct map_walk w = {.vmlinux = vmlinux, .fn = fn, .arg = arg};
	__u32 id = 0;
	int err = prog__for_each_id(is_struct_ops, NULL);

	/*
	 * Opens maps only if a struct_ops program is loaded: opening a map may make the kernel leak
	 * it (prog_arrays__load()).
	 */
	if (err <= 0)
		return err;
	err = 0;
	while (!err && !(err = bpf_map_get_next_id(id, &id))) {
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue; /* the map was removed after its id was read */
		err = visit_map(&w, fd);
		close(fd);
	}
	btf__free(w.own);
	return err == -ENOENT ? 0 : err;
}

/* ---- by name ---- */

struct search {
	const char *glob;
	__u32 **ids;
	int *cnt;
};

static int add_func_id(const struct struct_ops_func *f, void *arg)
{
	struct search *s = arg;

	if (!fnmatch(s->glob, f->map, 0))
		*(__u32 *)array__add(s->ids, s->cnt, sizeof(f->prog_id)) = f->prog_id;
	return 0;
}

int struct_ops__find(const char *glob, __u32 **ids, int *cnt)
{
	struct search s = {glob, ids, cnt};
	int err;

	*ids = NULL;
	*cnt = 0;
	err = struct_ops__walk(NULL, add_func_id, &s);
	if (err == -EPERM)
		return log_err(err, "--struct-ops: listing the maps needs CAP_SYS_ADMIN; run as "
				    "root");
	if (err)
		return log_err(err, "--struct-ops: the maps cannot be read: %s", strerror(-err));
	if (!*cnt)
		log_warn("--struct-ops %s: no registered struct_ops map has this name; "
			 "'bprof list --type struct_ops' shows the maps under ATTACHED",
			 glob);
	return 0;
}
