// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the translation of newer BTF into BTF that the linked libbpf reads. Must not know what the
 * types are used for. Prints nothing.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "btf/btf_compat.h"
#include "btf/btf_kinds.h"
#include "btf/btf_scan.h"

/* The sections of a BTF. */
struct blob {
	const char *types, *strings;
	__u32 types_sz, strings_sz;
	struct btf_kinds kinds;
};

/* Returns a section of the BTF, or NULL if the section is not inside of the BTF. */
static const void *section_at(const char *data, __u32 sz, __u32 hdr_len, __u32 off, __u32 len)
{
	__u64 start = (__u64)hdr_len + off;

	return start % 4 == 0 && start + len <= sz ? data + start : NULL;
}

static int find_sections(const char *data, __u32 sz, struct blob *b)
{
	struct btf_header_7_1 h = {};

	if (sz < sizeof(h.old))
		return -EINVAL;
	memcpy(&h.old, data, sizeof(h.old));
	if (h.old.magic != BTF_MAGIC || h.old.hdr_len < sizeof(h.old))
		return -EINVAL;
	if (h.old.hdr_len >= sizeof(h) && sz >= sizeof(h))
		memcpy(&h, data, sizeof(h));
	b->types = section_at(data, sz, h.old.hdr_len, h.old.type_off, h.old.type_len);
	b->types_sz = h.old.type_len;
	b->strings_sz = h.old.str_len;
	/* The section of strings need not begin at a multiple of 4. */
	if (!b->types || (__u64)h.old.hdr_len + h.old.str_off + h.old.str_len > sz)
		return -EINVAL;
	b->strings = data + h.old.hdr_len + h.old.str_off;
	b->kinds.v = section_at(data, sz, h.old.hdr_len, h.layout_off, h.layout_len);
	if (b->kinds.v)
		b->kinds.cnt = h.layout_len / sizeof(*b->kinds.v);
	return 0;
}

/* Returns true if libbpf 1.1 can read the type. bprof is built with this version or a newer one. */
static bool is_old(const struct btf_type *t)
{
	return btf_kinds__knows(btf_kinds__kind(t)) && btf_kinds__vlen(t) <= 0xffff;
}

/*
 * Writes type t to out: its struct btf_type, and the "tail" bytes that follow it. Returns the end of
 * the written type.
 */
static char *put_type(char *out, const struct btf_type *t, __s64 tail)
{
	struct btf_type type = *t;

	if (!is_old(t)) {
		type.info = BTF_KIND_FWD << 24;
		type.type = 0;
		tail = 0;
	}
	memcpy(out, &type, sizeof(type));
	memcpy(out + sizeof(type), t + 1, tail);
	return out + sizeof(type) + tail;
}

/*
 * Copies the types to out, or only counts if out is NULL. Sets *newer to the number of types that
 * are newer than libbpf 1.1. Returns the size of the copy in bytes, or -errno.
 */
static __s64 copy_types(const struct blob *b, char *out, __u32 *newer)
{
	char *end = out;
	__u32 at = 0;

	*newer = 0;
	while (at < b->types_sz) {
		const struct btf_type *t = (const void *)(b->types + at);
		__s64 tail;

		if (b->types_sz - at < sizeof(*t))
			return -EINVAL;
		tail = btf_kinds__tail_size(&b->kinds, t);
		if (tail < 0)
			return tail;
		if (tail % 4 || (__u64)tail > b->types_sz - at - sizeof(*t))
			return -EINVAL;
		*newer += !is_old(t);
		if (out)
			end = put_type(end, t, tail);
		at += sizeof(*t) + tail;
	}
	return end - out;
}

/* Returns the BTF with all newer types replaced, or NULL with errno. */
static struct btf *translate(const struct blob *b)
{
	struct btf_header h = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h)};
	char *copy = xmalloc(sizeof(h) + b->types_sz + b->strings_sz);
	struct btf *btf;
	__u32 newer;
	int err;

	h.type_len = copy_types(b, copy + sizeof(h), &newer);
	h.str_off = h.type_len;
	h.str_len = b->strings_sz;
	memcpy(copy, &h, sizeof(h));
	memcpy(copy + sizeof(h) + h.str_off, b->strings, h.str_len);
	btf = btf__new(copy, sizeof(h) + h.type_len + h.str_len);
	err = errno;
	free(copy);
	errno = err;
	return btf;
}

struct btf *btf_compat__new(const void *data, __u32 sz)
{
	struct blob b = {};
	__u32 newer = 0;
	__s64 err = find_sections(data, sz, &b) ?: copy_types(&b, NULL, &newer);

	/* Leave malformed BTF to libbpf, which also reads BTF of the other byte order. */
	if (err == -EOPNOTSUPP) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return err < 0 || !newer ? btf__new(data, sz) : translate(&b);
}

/* Reads the file with the kernel's BTF into memory. Returns NULL with errno. */
static char *read_vmlinux(__u32 *sz)
{
	FILE *f = fopen(VMLINUX_BTF, "re");
	struct stat st;
	char *data = NULL;
	int err = 0;

	if (!f)
		return NULL;
	if (fstat(fileno(f), &st))
		err = errno;
	else if (st.st_size <= 0 || st.st_size > UINT32_MAX)
		err = EINVAL;
	else
		data = xmalloc(st.st_size);
	if (data && fread(data, st.st_size, 1, f) != 1) {
		err = ferror(f) ? EIO : EINVAL;
		free(data);
		data = NULL;
	}
	fclose(f);
	*sz = data ? st.st_size : 0;
	errno = err;
	return data;
}

struct btf *btf_compat__load_vmlinux(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int err = errno;
	char *data;
	__u32 sz;

	if (btf)
		return btf;
	data = read_vmlinux(&sz);
	if (!data) {
		/* libbpf's error says more: libbpf also searches files on disk for the BTF */
		errno = err;
		return NULL;
	}
	btf = btf_compat__new(data, sz);
	err = errno;
	free(data);
	errno = err;
	return btf;
}

bool btf_compat__libbpf_reads_vmlinux(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	btf__free(btf);
	return btf;
}
