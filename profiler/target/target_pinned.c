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

/*
 * Adds the targets of one pinned object. in_dir: silently ignore objects that are neither programs
 * nor links, since a directory of pins may hold maps too.
 */
static int select_pin(struct target_list *targets, const char *path, const char *func, bool in_dir)
{
	struct prog *prog;
	int fd = bpf_obj_get(path);
	int err = fd < 0 ? -errno : open_pinned(fd, &prog);

	if (!err)
		return target_list__add_prog(targets, prog, func, true, false);
	if (err == -ESRCH && in_dir)
		return 0;
	return skip_pin(targets, path,
			err == -ESRCH ? "it is neither a program nor a link" : strerror(-err));
}

static int select_pin_dir(struct target_list *targets, const char *path, const char *func)
{
	int before = targets->cnt + targets->skip_cnt, cnt, err = 0;
	struct dirent **entry;

	cnt = scandir(path, &entry, NULL, alphasort);
	if (cnt < 0)
		return skip_pin(targets, path, strerror(errno));
	for (int i = 0; i < cnt; i++) {
		char file[PATH_MAX];
		struct stat st;

		snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
		if (!err && !stat(file, &st) && S_ISREG(st.st_mode))
			err = select_pin(targets, file, func, true);
		free(entry[i]);
	}
	free(entry);
	if (!err && targets->cnt + targets->skip_cnt == before)
		err = skip_pin(targets, path, "nothing new is pinned in this directory");
	return err;
}

int target_list__select_pinned(struct target_list *targets, const char *path, const char *func)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs))
		return skip_pin(targets, path, strerror(errno));
	if (fs.f_type != BPF_FS_MAGIC)
		return skip_pin(targets, path, "it is not on a bpf filesystem");
	return S_ISDIR(st.st_mode) ? select_pin_dir(targets, path, func)
				   : select_pin(targets, path, func, false);
}
