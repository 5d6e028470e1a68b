// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches for holders of programs: pins, other network namespaces, and the tracing programs and
 * extensions that were made for other programs. Prints nothing.
 */
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "btf/prog.h"
#include "host/namespaces.h"
#include "target/holds_priv.h"
#include "target/pins.h"

/* ---- programs for other programs ---- */

/*
 * A tracing link holds its target. If the target is in the kernel, the kernel reports the id of its
 * BTF instead of a program's id.
 */
static void search_link(struct hold_search *s, const struct bpf_link_info *info)
{
	const struct hold_prog *tracer = hold_search__find(s, info->prog_id);
	__u32 type = info->tracing.attach_type, target = info->tracing.target_obj_id;

	if (info->type != BPF_LINK_TYPE_TRACING || !tracer || tracer->own ||
	    tracer->attach_btf_obj_id || type == BPF_LSM_MAC || type == BPF_TRACE_ITER)
		return;
	if (target)
		hold_search__found(s, target, "program %u (%s)", tracer->id, tracer->name);
	else
		hold_search__doubt(s, 0,
				   "program %u (%s) may trace it; this kernel does not "
				   "report what is traced",
				   tracer->id, tracer->name);
}

void hold_search__links(struct hold_search *s)
{
	__u32 id = 0;

	/*
	 * A tracing program or an extension that is not attached holds the program for which it was
	 * loaded. The kernel reports only the BTF of that program. Other programs of the object may
	 * have the same BTF, so all of these count as held.
	 */
	for (int i = 0; i < s->cnt; i++)
		for (int k = 0; s->v[i].attach_btf_obj_id && !s->v[i].own && k < s->cnt; k++)
			if (s->v[k].btf_id == s->v[i].attach_btf_obj_id)
				hold_search__found(s, s->v[k].id, "program %u (%s)", s->v[i].id,
						   s->v[i].name);
	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = {};
		__u32 len = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			search_link(s, &info);
		close_fd(&fd);
	}
}

/* ---- pins ---- */

static void found_pin(void *search, const char *path, struct prog *prog)
{
	hold_search__found(search, prog->info.id, "pin %s", path);
	prog__close(prog);
}

static void doubt_pin(void *search, const char *path, int err, const char *why)
{
	hold_search__doubt(search, 0, "%s cannot be searched for pins: %s", path, why);
}

/* ---- network namespaces ---- */

/* Program types that are attached in a network namespace without a link. */
static const enum bpf_prog_type net_types[] = {BPF_PROG_TYPE_XDP, BPF_PROG_TYPE_SCHED_CLS,
					       BPF_PROG_TYPE_SCHED_ACT,
					       BPF_PROG_TYPE_FLOW_DISSECTOR};

static bool wants_net(const struct hold_search *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(net_types); i++)
		if (hold_search__wants(s, net_types[i]))
			return true;
	return false;
}

static void search_netns(struct hold_search *s, const struct ns_place *ns)
{
	struct attachments a;
	int err = attachments__load_netns(&a, ns->path);

	for (int i = 0; i < a.cnt; i++)
		hold_search__found(s, a.v[i].prog_id, "%s in the network namespace %llu",
				   a.v[i].kind, ns->id);
	attachments__free(&a);
	for (size_t i = 0; err && i < ARRAY_SIZE(net_types); i++)
		hold_search__doubt(s, net_types[i],
				   "the network namespace %llu cannot be searched: %s", ns->id,
				   strerror(-err));
}

void hold_search__namespaces(struct hold_search *s)
{
	const struct pin_visitor pins = {found_pin, doubt_pin, s};
	struct namespaces n;

	namespaces__load(&n);
	if (hold_search__wants(s, 0))
		pins__visit_mounts(&pins, &n);
	for (int i = 0; i < n.net_cnt && wants_net(s); i++)
		search_netns(s, &n.net[i]);
	if (n.refused)
		hold_search__doubt(s, 0, "the namespaces of %d processes cannot be seen",
				   n.refused);
	if (!is_in_initial_pid_ns())
		hold_search__doubt(s, 0,
				   "bprof is in a pid namespace: it does not see all namespaces");
	namespaces__free(&n);
}
