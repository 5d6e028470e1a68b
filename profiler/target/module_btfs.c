// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the BTFs of modules. Must not know who calls the functions of modules.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "target/module_btfs.h"

/* Returns true if the BTF is that of a module. Programs also have BTFs. */
static bool is_of_module(__u32 id)
{
	char name[64] = "";
	struct bpf_btf_info info = {.name = (uintptr_t)name, .name_len = sizeof(name)};
	__u32 len = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(id);
	bool is_kernel;

	if (fd < 0)
		return false;
	is_kernel = !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf;
	close(fd);
	return is_kernel && strcmp(name, "vmlinux");
}

void module_btfs__read(struct module_btfs *m, struct btf *vmlinux)
{
	__u32 id = 0;

	if (m->read)
		return;
	m->read = true;
	while (!bpf_btf_get_next_id(id, &id)) {
		struct btf *btf = is_of_module(id) ? btf__load_from_kernel_by_id_split(id, vmlinux)
						   : NULL;

		if (btf)
			*(struct module_btf *)array__add(&m->v, &m->cnt, sizeof(*m->v)) =
				(struct module_btf){id, btf};
	}
}

void module_btfs__free(struct module_btfs *m)
{
	for (int i = 0; i < m->cnt; i++)
		btf__free(m->v[i].btf);
	free(m->v);
	*m = (struct module_btfs){};
}

const char *module_btf__func(const struct module_btf *m, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(m->btf, id);

	if (!t || id < btf__type_cnt(btf__base_btf(m->btf)) || !btf_is_func(t))
		return NULL;
	return btf__name_by_offset(m->btf, t->name_off);
}

__u32 module_btf__find(const struct module_btf *m, const char *func)
{
	__u32 end = btf__type_cnt(m->btf);

	for (__u32 id = btf__type_cnt(btf__base_btf(m->btf)); id < end; id++) {
		const char *name = module_btf__func(m, id);

		if (name && !strcmp(name, func))
			return id;
	}
	return 0;
}
