// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns a loaded program's descriptor and the result of BPF_OBJ_GET_INFO_BY_FD. Must not know why
 * the program is measured.
 *
 * To read an array, the info is read twice: first without buffers, to get the sizes of all arrays,
 * and then with a buffer for that array only. The second call must pass the sizes of the other
 * arrays as zero, or the kernel would write these arrays to address 0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "btf/func_label.h"
#include "btf/func_table.h"
#include "btf/line_table.h"
#include "btf/prog.h"
#include "btf/reason.h"

/*
 * Reads the info of a program. On input *info has the buffers of the requested arrays. Replaces
 * bpf_prog_get_info_by_fd(), which libbpf 1.1 does not have.
 */
static int get_info(int fd, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	return bpf_obj_get_info_by_fd(fd, info, &len);
}

static int new_prog(int fd, struct prog **out)
{
	struct prog *p = xcalloc(1, sizeof(*p));
	int err;

	*out = NULL;
	p->refs = 1;
	p->fd = fd;
	err = prog__refresh(p);
	if (err) {
		prog__close(p);
		return err;
	}
	*out = p;
	return 0;
}

int prog__open_id(__u32 id, struct prog **out)
{
	int fd = bpf_prog_get_fd_by_id(id);

	*out = NULL;
	return fd < 0 ? fd : new_prog(fd, out);
}

/*
 * BPF_OBJ_GET_INFO_BY_FD accepts programs, maps and links, and does not return which of these fd
 * is. /proc shows which.
 */
bool bpf_fd__is(int fd, const char *kind)
{
	char path[64], name[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, name, sizeof(name) - 1);
	if (len < 0)
		return true;
	name[len] = '\0';
	return strstr(name, kind);
}

int prog__open_fd(int fd, struct prog **out)
{
	*out = NULL;
	if (fd < 0)
		return -EBADF;
	if (!bpf_fd__is(fd, "bpf-prog")) {
		close(fd);
		return -EINVAL;
	}
	return new_prog(fd, out);
}

void prog__close(struct prog *p)
{
	if (!p || --p->refs)
		return;
	func_table__free(p->funcs);
	free(p->calls);
	prog__release(p);
	free(p);
}

void prog__release(struct prog *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

int prog__reopen(struct prog *p)
{
	struct bpf_prog_info info = {};
	int fd = bpf_prog_get_fd_by_id(p->info.id), err;

	if (fd < 0)
		return fd;
	err = get_info(fd, &info);
	/* Another program may have got the id in the meantime. */
	if (!err && info.load_time != p->info.load_time)
		err = -ENOENT;
	if (err) {
		close(fd);
		return err;
	}
	p->fd = fd;
	p->info = info;
	return 0;
}

struct prog *prog__get(struct prog *p)
{
	p->refs++;
	return p;
}

int prog__refresh(struct prog *p)
{
	struct bpf_prog_info info = {};
	int err;

	if (p->fd < 0)
		return 0;
	err = get_info(p->fd, &info);
	if (!err)
		p->info = info;
	return err;
}

/* Reads the program's BTF from the kernel. The caller frees *data. */
static int read_btf(__u32 btf_id, void **data, __u32 *sz, struct reason *reason)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	int fd, err;

	*data = NULL;
	fd = bpf_btf_get_fd_by_id(btf_id);
	if (fd == -EPERM)
		return reason__set(reason, REASON_NO_PERM, EPERM,
				   "CAP_SYS_ADMIN is needed to open its BTF by id");
	if (fd < 0)
		return reason__set(reason, REASON_SYSTEM, -fd, "BPF_BTF_GET_FD_BY_ID %u: %s",
				   btf_id, strerror(-fd));
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (err)
		goto failed;
	*sz = info.btf_size;
	if (*sz > FUNC_TABLE_MAX_BTF_SZ) {
		err = reason__set(reason, REASON_BAD_BTF, EINVAL, "too large: %u bytes", *sz);
		goto out;
	}
	/* The size cannot have changed, because a BTF object never changes. */
	*data = xmalloc(*sz ? *sz : 1);
	memset(&info, 0, sizeof(info));
	info.btf = (__u64)(unsigned long)*data;
	info.btf_size = *sz;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
failed:
	if (err)
		reason__set(reason, REASON_SYSTEM, err, "reading BTF %u: %s", btf_id,
			    strerror(-err));
out:
	if (err) {
		free(*data);
		*data = NULL;
	}
	close(fd);
	return err;
}

/*
 * Reads the p->info.nr_func_info records of func_info; their number never changes. The caller frees
 * *recs.
 */
static int read_func_info(const struct prog *p, void **recs, struct reason *reason)
{
	struct bpf_prog_info info = {};
	int err;

	if (p->info.nr_func_info > FUNC_TABLE_MAX_FUNCS)
		return reason__set(reason, REASON_BAD_BTF, EINVAL, "too many functions: %u",
				   p->info.nr_func_info);
	*recs = xcalloc(p->info.nr_func_info, p->info.func_info_rec_size);
	info.nr_func_info = p->info.nr_func_info;
	info.func_info_rec_size = p->info.func_info_rec_size;
	info.func_info = (__u64)(unsigned long)*recs;
	err = get_info(p->fd, &info);
	if (err)
		return reason__set(reason, REASON_SYSTEM, -err, "reading its func_info: %s",
				   strerror(-err));
	return 0;
}

/*
 * Gives functions of the same name labels with their places. Few programs have such functions, so
 * bprof reads source lines only for these programs.
 */
static void label_funcs(struct prog *p)
{
	struct bpf_prog_info info = {};
	struct bpf_line *lines = NULL;
	void *recs;
	int err;

	if (!p->funcs->has_namesakes || !p->info.nr_line_info)
		return;
	info.nr_line_info = p->info.nr_line_info;
	info.line_info_rec_size = p->info.line_info_rec_size;
	recs = xcalloc(info.nr_line_info, info.line_info_rec_size ?: 1);
	info.line_info = (__u64)(unsigned long)recs;
	err = get_info(p->fd, &info);
	if (!err)
		err = bpf_lines__new(p->funcs->btf, recs, info.line_info_rec_size,
				     info.nr_line_info, NULL, &lines);
	/* Without lines, the labels stay NAME#K instead of NAME@FILE:LINE. */
	if (!err)
		func_label__set(p->funcs->fn, p->funcs->cnt, lines, info.nr_line_info);
	free(lines);
	free(recs);
}

int prog__load_funcs(struct prog *p, struct reason *reason)
{
	void *btf = NULL, *recs = NULL;
	__u32 btf_sz = 0;
	int err;

	reason__set(reason, REASON_NONE, 0, NULL);
	if (p->funcs)
		return 0;
	if (!p->info.btf_id)
		return reason__set(reason, REASON_NO_BTF, ENODATA, NULL);
	/* Without CAP_BPF, bpf_prog_get_info_by_fd() withholds instructions and func_info. */
	if (!p->info.nr_func_info && !p->info.xlated_prog_len)
		return reason__set(reason, REASON_NO_PERM, EPERM,
				   "CAP_BPF is needed to read its func_info");
	if (!p->info.nr_func_info)
		return reason__set(reason, REASON_NO_FUNC_INFO, ENODATA, "%s",
				   p->info.ifindex ? "it runs on the network device" : "");
	err = read_func_info(p, &recs, reason);
	if (err)
		goto out;
	err = read_btf(p->info.btf_id, &btf, &btf_sz, reason);
	if (err)
		goto out;
	err = func_table__new(btf, btf_sz, recs, p->info.func_info_rec_size, p->info.nr_func_info,
			      &p->funcs, reason);
	if (!err)
		label_funcs(p);
out:
	free(recs);
	free(btf);
	return err;
}

void prog__load_funcs_like(struct prog *p, const struct prog *like)
{
	struct reason reason;
	void *recs = NULL;

	if (p->funcs || !like->funcs || p->info.btf_id != like->info.btf_id ||
	    !p->info.nr_func_info)
		return;
	if (!read_func_info(p, &recs, &reason) &&
	    !func_table__new_like(like->funcs, recs, p->info.func_info_rec_size,
				  p->info.nr_func_info, &p->funcs, &reason))
		label_funcs(p);
	free(recs);
}

int prog__map_ids(struct prog *p, __u32 **ids, __u32 *cnt)
{
	struct bpf_prog_info info = {};
	__u32 room;
	int err;

	*ids = NULL;
	*cnt = 0;
	/* BPF_PROG_BIND_MAP may have added maps since p->info was read. */
	err = prog__refresh(p);
	if (err || !p->info.nr_map_ids)
		return err;
	room = p->info.nr_map_ids;
	*ids = xcalloc(room, sizeof(**ids));
	info.nr_map_ids = room;
	info.map_ids = (__u64)(unsigned long)*ids;
	err = get_info(p->fd, &info);
	if (err) {
		free(*ids);
		*ids = NULL;
		return err;
	}
	/* A map that was added after the refresh is left out. */
	*cnt = info.nr_map_ids < room ? info.nr_map_ids : room;
	return 0;
}

const char *prog__name(const struct prog *p)
{
	size_t len = strnlen(p->info.name, sizeof(p->info.name));

	if (p->funcs && len == sizeof(p->info.name) - 1 &&
	    !strncmp(p->funcs->fn[0].name, p->info.name, len))
		return p->funcs->fn[0].name;
	return p->info.name;
}

const char *prog__tag(const struct prog *p, char *buf)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(p->info.tag); i++) {
		buf[2 * i] = digits[p->info.tag[i] >> 4];
		buf[2 * i + 1] = digits[p->info.tag[i] & 15];
	}
	buf[2 * sizeof(p->info.tag)] = '\0';
	return buf;
}

bool prog__is_jited(const struct prog *p)
{
	return p->info.jited_prog_len > 0;
}

int prog__for_each_id(int (*fn)(__u32 id, void *arg), void *arg)
{
	__u32 id = 0;
	int err;

	for (;;) {
		err = bpf_prog_get_next_id(id, &id);
		if (err)
			return err == -ENOENT ? 0 : err;
		err = fn(id, arg);
		if (err)
			return err;
	}
}
