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

static void skip_pin(struct target_list *targets, const char *path, const char *why)
{
	struct reason reason;

	reason__set(&reason, REASON_BAD_PIN, ENOENT, "%s", why);
	target_list__skip_prog(targets, 0, path, &reason);
}

/* Adds the targets of one pinned object. */
static void select_pin(struct target_list *targets, const char *path)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned(fd, &prog);

	if (!err)
		target_list__add_prog(targets, prog, NULL, true, false);
	else
		skip_pin(targets, path,
			 err == -ESRCH ? "it is neither a program nor a link" : strerror(-err));
}

/*
 * Like select_pin(), but for an object in a directory: ignores maps, and links whose program is not
 * visible, such as maps.debug and progs.debug, which the kernel pins itself. Increments *found for
 * a program.
 */
static void select_pin_of_dir(struct target_list *targets, const char *path, int *found)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned(fd, &prog);

	if (err == -ESRCH || err == -ENOENT)
		return;
	++*found;
	if (err)
		skip_pin(targets, path, strerror(-err));
	else
		target_list__add_prog(targets, prog, NULL, true, false);
}

/* Adds the targets of all objects that are pinned in a directory and the directories below it. */
static void select_pins(struct target_list *targets, const char *path, int *found)
{
	struct dirent **entry;
	int cnt = scandir(path, &entry, NULL, alphasort);

	if (cnt < 0)
		skip_pin(targets, path, strerror(errno));
	for (int i = 0; i < cnt; i++) {
		char file[PATH_MAX];
		struct stat st = {};

		snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
		/* bpffs refuses names with a dot at their start; these are "." and ".." */
		if (entry[i]->d_name[0] != '.' && !lstat(file, &st)) {
			if (S_ISDIR(st.st_mode))
				select_pins(targets, file, found);
			else if (S_ISREG(st.st_mode))
				select_pin_of_dir(targets, file, found);
		}
		free(entry[i]);
	}
	if (cnt >= 0)
		free(entry);
}

static void select_pin_dir(struct target_list *targets, const char *path)
{
	int found = 0, skipped = targets->skip_cnt;

	select_pins(targets, path, &found);
	if (!found && targets->skip_cnt == skipped)
		skip_pin(targets, path, "no program is pinned in this directory");
}

void target_list__select_pinned(struct target_list *targets, const char *path)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs))
		skip_pin(targets, path, strerror(errno));
	else if (fs.f_type != BPF_FS_MAGIC)
		skip_pin(targets, path, "it is not on a bpf filesystem");
	else if (S_ISDIR(st.st_mode))
		select_pin_dir(targets, path);
	else
		select_pin(targets, path);
}
