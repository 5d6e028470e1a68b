// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pinned programs. Finds the program for a path in bpffs, and walks over bpf filesystems. Must not
 * know what the programs are used for. Prints nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include <bpf/bpf.h>

#include "base/text.h"
#include "btf/prog.h"
#include "host/namespaces.h"
#include "target/pins.h"

/*
 * Opens a pinned program or, if fd refers to a pinned link, the program that the link attaches.
 * Takes ownership of fd. Returns 0 with *prog, -ESRCH if the object is neither, -ENODATA if the link attaches a
 * struct_ops map, or another -errno.
 */
static int open_pinned_prog(int fd, struct prog **prog)
{
	char proc[64], what[64] = "";
	struct bpf_link_info info = {};
	__u32 sz = sizeof(info);
	int err;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	if (readlink(proc, what, sizeof(what) - 1) < 0)
		what[0] = '\0';
	if (strstr(what, "bpf-prog"))
		return prog__open_fd(fd, prog);
	err = -ESRCH;
	if (strstr(what, "bpf_link") || strstr(what, "bpf-link"))
		err = bpf_obj_get_info_by_fd(fd, &info, &sz) ? -errno
		      : !info.prog_id			     ? -ENODATA
							     : prog__open_id(info.prog_id, prog);
	close(fd);
	return err;
}

/* Visits one pinned object. */
static void visit_pin(const struct pin_visitor *v, const char *path)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned_prog(fd, &prog);

	if (!err)
		v->found(v->arg, path, prog);
	else
		v->failed(v->arg, path, err,
			  err == -ESRCH ? "it is neither a program nor a link"
			  : err == -ENODATA
				  ? "it is the link of a struct_ops map, which --struct-ops "
				    "selects by its name"
				  : strerror(-err));
}

/*
 * Like visit_pin(), but for an object in a directory. Ignores maps. Also ignores links whose
 * program is not visible, such as maps.debug and progs.debug, which the kernel itself pins.
 * Increments *cnt if the object is a program, or may be one.
 */
static void visit_pin_of_dir(const struct pin_visitor *v, const char *path, int *cnt)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned_prog(fd, &prog);

	if (err == -ESRCH || err == -ENODATA || err == -ENOENT)
		return;
	++*cnt;
	if (err)
		v->failed(v->arg, path, err, strerror(-err));
	else
		v->found(v->arg, path, prog);
}

/* Visits all objects that are pinned in a directory or in a directory below it. */
static void visit_pins(const struct pin_visitor *v, const char *path, int *cnt)
{
	struct dirent **entry;
	int entries = scandir(path, &entry, NULL, alphasort);

	if (entries < 0 && errno != ENOENT) {
		++*cnt;
		v->failed(v->arg, path, errno, strerror(errno));
	}
	for (int i = 0; i < entries; i++) {
		char *file = text__format("%s/%s", path, entry[i]->d_name);
		/* bpffs refuses names with a dot at their start; these are "." and ".." */
		bool is_dot = entry[i]->d_name[0] == '.';
		struct stat st = {};

		if (!is_dot && lstat(file, &st) && errno == ENAMETOOLONG) {
			++*cnt;
			v->failed(v->arg, file, errno, strerror(errno));
		} else if (S_ISDIR(st.st_mode)) {
			visit_pins(v, file, cnt);
		} else if (S_ISREG(st.st_mode)) {
			visit_pin_of_dir(v, file, cnt);
		}
		free(file);
		free(entry[i]);
	}
	if (entries >= 0)
		free(entry);
}

void pins__visit(const struct pin_visitor *v, const char *path)
{
	struct statfs fs;
	struct stat st;
	int cnt = 0;

	if (stat(path, &st) || statfs(path, &fs)) {
		v->failed(v->arg, path, errno, strerror(errno));
	} else if (fs.f_type != BPF_FS_MAGIC) {
		v->failed(v->arg, path, ENOENT, "it is not on a bpf filesystem");
	} else if (S_ISDIR(st.st_mode)) {
		visit_pins(v, path, &cnt);
		if (!cnt)
			v->failed(v->arg, path, ENOENT, "no program is pinned in this directory");
	} else {
		visit_pin(v, path);
	}
}

/* ---- all bpf filesystems ---- */

/* Returns a mount through which the entire filesystem with this number can be read, or NULL. */
static const struct ns_place *find_mount(const struct namespaces *n, __u64 dev)
{
	for (int i = 0; i < n->bpffs_cnt; i++) {
		struct stat st;

		/* If another mount hides this mount, stat() returns another number. */
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

void pins__visit_mounts(const struct pin_visitor *v, const struct namespaces *n)
{
	for (int i = 0; i < n->bpffs_cnt; i++) {
		const struct ns_place *mount;
		int cnt = 0;

		if (!is_first_mount(n, i))
			continue;
		mount = find_mount(n, n->bpffs[i].id);
		if (mount)
			visit_pins(v, mount->path, &cnt);
		else
			v->failed(v->arg, n->bpffs[i].path, ENOENT,
				  "this bpf filesystem is hidden by another mount");
	}
}
