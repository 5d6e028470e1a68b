// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pinned programs as targets. Owns the way from a path in bpffs to a program. Must not know how the
 * program is measured.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include <bpf/bpf.h>

#include "target/target_priv.h"

/*
 * Opens a pinned program or, if fd refers to a pinned link, the program that the link attaches.
 * Takes ownership of fd. Returns 0 with *prog, -ESRCH if the object is neither, or another -errno.
 */
static int open_pinned(int fd, struct prog **prog)
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
							     : prog__open_id(info.prog_id, prog);
	close(fd);
	return err;
}

static int skip_pin(struct target_list *targets, const char *path, const char *why)
{
	struct reason reason;

	reason__set(&reason, REASON_BAD_PIN, ENOENT, "%s", why);
	return target_list__skip_prog(targets, 0, path, &reason);
}

/* Adds the targets of one pinned object. */
static int select_pin(struct target_list *targets, const char *path)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned(fd, &prog);

	if (!err)
		return target_list__add_prog(targets, prog, NULL, true, false);
	return skip_pin(targets, path,
			err == -ESRCH ? "it is neither a program nor a link" : strerror(-err));
}

/*
 * Like select_pin(), but for an object in a directory: ignores maps, and links whose program is not
 * visible, such as maps.debug and progs.debug, which the kernel pins itself. Increments *found for
 * a program.
 */
static int select_pin_of_dir(struct target_list *targets, const char *path, int *found)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned(fd, &prog);

	if (err == -ESRCH || err == -ENOENT)
		return 0;
	++*found;
	return err ? skip_pin(targets, path, strerror(-err))
		   : target_list__add_prog(targets, prog, NULL, true, false);
}

/* Adds the targets of all objects that are pinned in a directory and the directories below it. */
static int select_pins(struct target_list *targets, const char *path, int *found)
{
	struct dirent **entry;
	int cnt = scandir(path, &entry, NULL, alphasort), err = 0;

	if (cnt < 0)
		return skip_pin(targets, path, strerror(errno));
	for (int i = 0; i < cnt; i++) {
		char file[PATH_MAX];
		struct stat st = {};

		snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
		/* bpffs refuses names with a dot at their start; these are "." and ".." */
		if (!err && entry[i]->d_name[0] != '.' && !lstat(file, &st))
			err = S_ISDIR(st.st_mode)   ? select_pins(targets, file, found)
			      : S_ISREG(st.st_mode) ? select_pin_of_dir(targets, file, found)
						    : 0;
		free(entry[i]);
	}
	free(entry);
	return err;
}

static int select_pin_dir(struct target_list *targets, const char *path)
{
	int found = 0, skipped = targets->skip_cnt;
	int err = select_pins(targets, path, &found);

	return err || found || targets->skip_cnt > skipped
		       ? err
		       : skip_pin(targets, path, "no program is pinned in this directory");
}

int target_list__select_pinned(struct target_list *targets, const char *path)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs))
		return skip_pin(targets, path, strerror(errno));
	if (fs.f_type != BPF_FS_MAGIC)
		return skip_pin(targets, path, "it is not on a bpf filesystem");
	return S_ISDIR(st.st_mode) ? select_pin_dir(targets, path) : select_pin(targets, path);
}
