// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for extensions among the links. Must not know what extensions are used for.
 * Prints nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "target/extension.h"

/* Returns the label of the function with that BTF type, or "". */
static const char *func_label(struct prog *p, __u32 type_id)
{
	const struct bpf_fn *fn = NULL;
	struct reason reason;

	if (!prog__load_funcs(p, &reason))
		fn = func_table__find_type(p->funcs, type_id);
	return fn ? fn->label : "";
}

int read_func_name(__u32 prog_id, __u32 type_id, char **prog_name, char **func)
{
	struct prog *p;
	int err = prog__open_id(prog_id, &p);

	*prog_name = *func = NULL;
	if (err)
		return err;
	*prog_name = xstrdup(prog__name(p));
	*func = xstrdup(func_label(p, type_id));
	prog__close(p);
	return 0;
}

static void add_extension_link(struct extensions *e, int fd)
{
	struct bpf_link_info info = {};
	struct extension *ext;
	struct prog *target;
	__u32 len = sizeof(info);

	/* The kernel shows an extension's link as a tracing link whose attach type is 0. */
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_LINK_TYPE_TRACING ||
	    info.tracing.attach_type || !info.tracing.target_obj_id ||
	    prog__open_id(info.tracing.target_obj_id, &target))
		return;
	ext = array__add(&e->v, &e->cnt, sizeof(*ext));
	ext->prog_id = info.prog_id;
	ext->target_id = info.tracing.target_obj_id;
	ext->target_type = target->info.type;
	ext->target_name = xstrdup(prog__name(target));
	ext->func = xstrdup(func_label(target, info.tracing.target_btf_id));
	prog__close(target);
}

/* Sorts by the id of the extended program, then by function name: prog2 comes before prog10. */
static int compare_extensions(const void *a_ptr, const void *b_ptr)
{
	const struct extension *a = a_ptr, *b = b_ptr;

	if (a->target_id != b->target_id)
		return a->target_id < b->target_id ? -1 : 1;
	return strverscmp(a->func, b->func);
}

int extensions__load(struct extensions *e)
{
	__u32 id = 0;
	int err;

	memset(e, 0, sizeof(*e));
	while (!(err = bpf_link_get_next_id(id, &id))) {
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue; /* the link was removed after its id was read */
		add_extension_link(e, fd);
		close(fd);
	}
	if (err != -ENOENT) {
		extensions__free(e);
		return err;
	}
	if (e->cnt)
		qsort(e->v, e->cnt, sizeof(*e->v), compare_extensions);
	return 0;
}

void extensions__free(struct extensions *e)
{
	for (int i = 0; i < e->cnt; i++) {
		free(e->v[i].target_name);
		free(e->v[i].func);
	}
	free(e->v);
	memset(e, 0, sizeof(*e));
}

const struct extension *extensions__find(const struct extensions *e, __u32 prog_id, __u32 target_id)
{
	for (int i = 0; i < e->cnt; i++)
		if (e->v[i].prog_id == prog_id && (!target_id || e->v[i].target_id == target_id))
			return &e->v[i];
	return NULL;
}
