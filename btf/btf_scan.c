// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the layout of a BTF file (Documentation/bpf/btf.rst). Must not know what the offsets are
 * used for. Prints nothing.
 *
 * The sections with types and strings are read from their beginning, and only as far as needed. In
 * most kernels' BTF, widely used types and their names come early.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/btf.h>

#include "base/memory.h"
#include "btf/btf_kinds.h"
#include "btf/btf_scan.h"

#define CHUNK (64 << 10)
/* Limits hostile input: the kernel's BTF has only some MiB. */
#define MAX_SECTION (256 << 20)

/* A section of the file. Its first "have" bytes have been read into memory. */
struct section {
	int fd;
	off_t start;
	__u32 sz, have;
	char *data;
};

/* An open BTF file. */
struct btf_file {
	int fd;
	struct section types, strings, layouts;
};

/*
 * Reads until the section's first "bytes" bytes are in memory. Returns 0; -EINVAL: the section is
 * shorter; or -errno.
 */
static int need(struct section *s, __u64 bytes)
{
	if (bytes > s->sz)
		return -EINVAL;
	while (s->have < bytes) {
		__u32 want = s->sz - s->have < CHUNK ? s->sz - s->have : CHUNK;
		ssize_t n = pread(s->fd, s->data + s->have, want, s->start + s->have);

		if (n <= 0)
			return n ? -errno : -EINVAL;
		s->have += n;
	}
	return 0;
}

/* Finds the offset of a name in the section of strings. Returns 0, -ENOENT or -errno. */
static int find_string(struct section *strings, const char *name, __u32 *offset)
{
	size_t len = strlen(name) + 1;
	__u32 at = 0;
	int err;

	for (;;) {
		const char *found;

		err = need(strings,
			   at + len + CHUNK < strings->sz ? at + len + CHUNK : strings->sz);
		if (err)
			return err;
		/*
		 * The bytes may be the end of a longer string: the match must follow the '\0' of
		 * the string before.
		 */
		for (found = strings->data + at;
		     (found = memmem(found, strings->data + strings->have - found, name, len));
		     found++)
			if (found > strings->data && !found[-1]) {
				*offset = found - strings->data;
				return 0;
			}
		if (strings->have == strings->sz)
			return -ENOENT;
		at = strings->have > len ? strings->have - len : 0;
	}
}

/*
 * Finds the type of that kind whose name has the offset "name" in the section of strings, and reads
 * it into memory. Returns its id, -ENOENT or -errno.
 */
static int find_type(struct btf_file *f, unsigned int kind, __u32 name, const struct btf_type **out)
{
	const struct btf_kinds kinds = {.v = (const void *)f->layouts.data,
					.cnt = f->layouts.sz / sizeof(struct btf_kind_size)};
	struct section *types = &f->types;
	__u32 at = 0;
	__s64 tail;
	int err;

	for (int id = 1; at < types->sz; id++) {
		const struct btf_type *t;

		err = need(types, at + sizeof(*t));
		if (err)
			return err;
		t = (const void *)(types->data + at);
		tail = btf_kinds__tail_size(&kinds, t);
		if (tail < 0)
			return tail;
		err = need(types, at + sizeof(*t) + (__u64)tail);
		if (err)
			return err;
		if (btf_kinds__kind(t) == kind && t->name_off == name) {
			*out = t;
			return id;
		}
		at += sizeof(*t) + tail;
	}
	return -ENOENT;
}

/* Returns true if the string at that offset equals name. */
static int is_name(struct section *strings, __u32 offset, const char *name)
{
	size_t len = strlen(name) + 1;

	return !need(strings, (__u64)offset + len) && !memcmp(strings->data + offset, name, len);
}

static void find_members(struct section *strings, const struct btf_type *t,
			 const char *const *member, __u32 *offset, int cnt)
{
	const struct btf_member *m = (const void *)(t + 1);

	for (int n = 0; n < cnt; n++) {
		offset[n] = 0;
		for (__u32 i = 0; i < btf_kinds__vlen(t); i++)
			if (is_name(strings, m[i].name_off, member[n]))
				offset[n] = (BTF_INFO_KFLAG(t->info)
						     ? BTF_MEMBER_BIT_OFFSET(m[i].offset)
						     : m[i].offset) /
					    8;
	}
}

/* Sets up a section without reading its data. Returns 0, or -EINVAL if it is too large. */
static int open_section(struct section *s, int fd, const struct btf_header *h, __u32 off, __u32 sz)
{
	*s = (struct section){.fd = fd, .start = (off_t)h->hdr_len + off, .sz = sz};
	/*
	 * The buffer takes little memory, because pages that are never written are not allocated.
	 */
	if (sz > MAX_SECTION)
		return -EINVAL;
	s->data = xmalloc(sz + 1UL);
	return 0;
}

static int open_file(const char *path, struct btf_file *f)
{
	struct btf_header_7_1 h = {};
	ssize_t n;

	*f = (struct btf_file){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (f->fd < 0)
		return -errno;
	n = pread(f->fd, &h, sizeof(h), 0);
	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(h.old) || h.old.magic != BTF_MAGIC || h.old.hdr_len < sizeof(h.old))
		return -EINVAL;
	if (h.old.hdr_len < sizeof(h))
		h.layout_off = h.layout_len = 0;
	return open_section(&f->types, f->fd, &h.old, h.old.type_off, h.old.type_len) ?:
	       open_section(&f->strings, f->fd, &h.old, h.old.str_off, h.old.str_len) ?:
	       open_section(&f->layouts, f->fd, &h.old, h.layout_off, h.layout_len) ?:
	       need(&f->layouts, f->layouts.sz);
}

static void close_file(struct btf_file *f)
{
	free(f->types.data);
	free(f->strings.data);
	free(f->layouts.data);
	if (f->fd >= 0)
		close(f->fd);
}

int btf_scan__find(const char *path, const char *type, const char *const *member, __u32 *offset,
		   int cnt)
{
	const struct btf_type *t;
	struct btf_file f;
	__u32 name;
	int err = open_file(path, &f) ?: find_string(&f.strings, type, &name);

	if (!err)
		err = find_type(&f, BTF_KIND_STRUCT, name, &t);
	if (err > 0)
		find_members(&f.strings, t, member, offset, cnt);
	close_file(&f);
	return err < 0 ? err : 0;
}

int btf_scan__find_funcs(const char *path, const char *const *name, __u32 *id, int cnt)
{
	const struct btf_type *t;
	struct btf_file f;
	int err = open_file(path, &f);
	__u32 at;

	for (int i = 0; err >= 0 && i < cnt; i++) {
		err = find_string(&f.strings, name[i], &at);
		if (!err)
			err = find_type(&f, BTF_KIND_FUNC, at, &t);
		id[i] = err < 0 ? 0 : err;
	}
	close_file(&f);
	return err < 0 ? err : 0;
}
