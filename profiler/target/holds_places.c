// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Searches pins, other network namespaces, and programs that are made for other programs. Prints nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"
#include "host/namespaces.h"
#include "host/open_files.h"
#include "target/holds_priv.h"

/* ---- programs for other programs ---- */

/*
 * A tracing program or an extension that is not attached holds the program that it was loaded for. The
 * kernel names only that program's BTF, which other programs of the object may have, too.
 */
static void search_unattached(struct hold_search *s)
{
	for (int i = 0; i < s->cnt; i++)
		for (int k = 0; s->v[i].attach_btf_obj_id && !s->v[i].own && k < s->cnt; k++)
			if (s->v[k].btf_id == s->v[i].attach_btf_obj_id)
				hold_search__found(s, s->v[k].id, "program %u (%s)", s->v[i].id,
						   s->v[i].name);
}

/* A tracing link holds its target. The kernel names a target of its own by an id of BTF instead. */
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

	search_unattached(s);
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

static void search_pin(struct hold_search *s, const char *path)
{
	/* To read is enough for programs and maps. The kernel refuses links, which have been found by id. */
	LIBBPF_OPTS(bpf_obj_get_opts, opts, .file_flags = BPF_F_RDONLY);
	int fd = bpf_obj_get_opts(path, &opts);
	__u32 id = fd < 0 ? 0 : open_file__number(0, fd, "prog_id:");

	if (fd < 0 && errno != ENOENT && errno != EINVAL)
		hold_search__doubt(s, 0, "the pin %s cannot be opened: %s", path, strerror(errno));
	else if (id)
		hold_search__found(s, id, "pin %s", path);
	close_fd(&fd);
}

static void search_pins(struct hold_search *s, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	if (!dir) {
		if (errno != ENOENT)
			hold_search__doubt(s, 0, "%s cannot be read: %s", path, strerror(errno));
		return;
	}
	while (hold_search__wants(s, 0) && (e = readdir(dir))) {
		char *file = text__format("%s/%s", path, e->d_name);
		struct stat st;

		/* bpffs refuses names with a dot at their start; these are "." and ".." */
		if (e->d_name[0] != '.' && !lstat(file, &st)) {
			if (S_ISDIR(st.st_mode))
				search_pins(s, file);
			else if (S_ISREG(st.st_mode))
				search_pin(s, file);
		}
		free(file);
	}
	closedir(dir);
}

/* Returns the mount by which all of the filesystem with this number can be read, or NULL. */
static const struct ns_place *find_mount(const struct namespaces *n, __u64 dev)
{
	for (int i = 0; i < n->bpffs_cnt; i++) {
		struct stat st;

		/* The number differs where another mount hides this one. */
		if (n->bpffs[i].id == dev && n->bpffs[i].whole && !stat(n->bpffs[i].path, &st) &&
		    st.st_dev == dev)
			return &n->bpffs[i];
	}
	return NULL;
}

static bool is_first_mount(const struct namespaces *n, int i)
{
	for (int k = 0; k < i; k++)
		if (n->bpffs[k].id == n->bpffs[i].id)
			return false;
	return true;
}

static void search_filesystems(struct hold_search *s, const struct namespaces *n)
{
	for (int i = 0; i < n->bpffs_cnt && hold_search__wants(s, 0); i++) {
		const struct ns_place *mount = find_mount(n, n->bpffs[i].id);

		if (!is_first_mount(n, i))
			continue;
		if (mount)
			search_pins(s, mount->path);
		else
			hold_search__doubt(s, 0, "the bpf filesystem %s is hidden by another mount",
					   n->bpffs[i].path);
	}
}

/* ---- network namespaces ---- */

/* Types that are attached in a network namespace without a link. */
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
	struct namespaces n;

	namespaces__load(&n);
	search_filesystems(s, &n);
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
