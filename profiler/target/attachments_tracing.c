// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the attachments whose targets are named by BTF: functions to which tracing programs are
 * attached, and members of struct_ops maps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/memory.h"
#include "btf/fsession.h"
#include "btf/prog.h"
#include "target/attachments_priv.h"
#include "target/extension.h"
#include "target/struct_ops.h"

/*
 * The attach types, with the names that libbpf uses for them in section names. prefix: in the
 * kernel's BTF, this comes before the name of the target ("bpf_lsm_file_open").
 */
static const struct tracing_type {
	__u32 type;
	const char *kind;
	const char *prefix;
} tracing_types[] = {
	{BPF_TRACE_RAW_TP, "tp_btf", "btf_trace_"},
	{BPF_TRACE_FENTRY, "fentry", ""},
	{BPF_TRACE_FEXIT, "fexit", ""},
	{BPF_MODIFY_RETURN, "fmod_ret", ""},
	{BPF_LSM_MAC, "lsm", "bpf_lsm_"},
	{ATTACH_TYPE_FSESSION, "fsession", ""},
	{0, "freplace", ""}, /* extensions have no attach type */
};

/*
 * Reads the id of the BTF that describes the target of a tracing program: the kernel's BTF or that
 * of a module. Sets *btf_id to 0 if the target is in a BPF program. Returns 0, -ENODATA on kernels
 * before Linux 6.0, which do not report the id, or another -errno.
 */
static int read_target_btf(__u32 prog_id, __u32 *btf_id)
{
	struct prog *p;
	int err = prog__open_id(prog_id, &p);

	if (err)
		return err;
	err = p->info.attach_btf_id ? 0 : -ENODATA;
	/* 0: the target is in a BPF program (bpf_prog_get_info_by_fd() in the kernel) */
	*btf_id = p->info.attach_btf_obj_id;
	prog__close(p);
	return err;
}

/* Returns the name of a type in the kernel's or a module's BTF, or NULL. The caller frees it. */
static char *read_type_name(struct attach_search *s, __u32 btf_id, __u32 type_id)
{
	struct btf *vmlinux = attach_search__vmlinux(s);
	const struct btf_type *t = vmlinux ? btf__type_by_id(vmlinux, type_id) : NULL;
	struct btf *btf = NULL;
	char *name = NULL;

	/*
	 * The type ids of a module's BTF continue those of the kernel's BTF. A type id that the
	 * kernel's BTF does not have therefore belongs to the module.
	 */
	if (!t) {
		btf = btf__load_from_kernel_by_id_split(btf_id, vmlinux);
		t = btf ? btf__type_by_id(btf, type_id) : NULL;
	}
	if (t)
		name = xstrdup(btf__name_by_offset(btf ?: vmlinux, t->name_off) ?: "");
	btf__free(btf);
	return name;
}

/*
 * Adds an attachment to a function of another BPF program. If the attached program is an extension,
 * it replaces that function. The target is shown as "dispatcher:prog0".
 */
static void add_to_prog(struct attach_search *s, const struct attachment *at, bool is_ext,
			__u32 target_id, __u32 type_id)
{
	char *prog = NULL, *func = NULL;
	int err = read_func_name(target_id, type_id, &prog, &func);

	if (err)
		attach_search__add(s, at, "%s", "");
	else if (is_ext)
		attach_search__add(s, at, "%s:%s", prog, func);
	else
		attach_search__add(s, at, "program %u %s", target_id, func);
	free(prog);
	free(func);
}

void attach_search__add_tracing(struct attach_search *s, struct attachment *at, __u32 attach_type,
				__u32 target_obj_id, __u32 target_btf_id)
{
	const struct tracing_type *t = NULL;
	char *func = NULL;
	__u32 btf_id;
	size_t skip = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tracing_types) && !t; i++)
		if (tracing_types[i].type == attach_type)
			t = &tracing_types[i];
	if (t)
		snprintf(at->kind, sizeof(at->kind), "%s", t->kind);
	if (s->ids_only || read_target_btf(at->prog_id, &btf_id)) {
		attach_search__add(s, at, "%s", "");
	} else if (!btf_id) {
		add_to_prog(s, at, !attach_type, target_obj_id, target_btf_id);
	} else {
		func = read_type_name(s, btf_id, target_btf_id);
		if (func && t && !strncmp(func, t->prefix, strlen(t->prefix)))
			skip = strlen(t->prefix);
		attach_search__add(s, at, "%s", func ? func + skip : "");
		free(func);
	}
}

static int add_struct_ops(const struct struct_ops_func *f, void *arg)
{
	struct attachment at = {.kind = "struct_ops", .prog_id = f->prog_id};

	attach_search__add(arg, &at, "%s.%s", f->map, f->member);
	return 0;
}

void attach_search__struct_ops(struct attach_search *s)
{
	struct_ops__walk(s->vmlinux, add_struct_ops, s);
}
