/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes BTF as Linux 7.1 and newer may have it, from BTF that libbpf made. */
#ifndef BPROF_TESTS_NEWER_BTF_H
#define BPROF_TESTS_NEWER_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include <linux/btf.h>

#include "btf/btf_kinds.h"

#define NEW_KIND 20
#define NEW_VLEN 70000 /* more than 16 bits */
#define NEW_INFO_SZ 8
#define NEW_ELEM_SZ 4

static inline char *newer_btf__put(char *end, const void *data, size_t sz)
{
	memcpy(end, data, sz);
	return end + sz;
}

/*
 * Returns the BTF with these types appended: one of the kind NEW_KIND, an enum of NEW_VLEN values,
 * and a struct "after" with the member "late" at byte 24. layout: with a layout section. The caller
 * frees the result, of *sz bytes.
 */
static inline char *newer_btf__make(const struct btf *old, bool layout, __u32 *sz)
{
	static const char names[] = "after\0late";
	const struct btf_header *h = btf__raw_data(old, sz);
	const char *body = (const char *)h + h->hdr_len;
	__u32 after = h->str_len, late = after + sizeof("after");
	struct btf_type kind = {.name_off = after, .info = NEW_KIND << 24 | NEW_VLEN};
	struct btf_type values = {.info = BTF_KIND_ENUM << 24 | NEW_VLEN, .size = 4};
	struct btf_type type = {.name_off = after, .info = BTF_KIND_STRUCT << 24 | 1, .size = 64};
	struct btf_member member = {.name_off = late, .type = 1, .offset = 24 * 8};
	struct btf_kind_size sizes[NEW_KIND + 1] = {
		[NEW_KIND] = {.info_sz = NEW_INFO_SZ, .elem_sz = NEW_ELEM_SZ}};
	struct btf_header_7_1 new = {.old = *h};
	char *data = calloc(1, *sz + (16 << 20)), *end = data + sizeof(new);

	assert_non_null(data);
	end = newer_btf__put(end, body + h->type_off, h->type_len);
	end = newer_btf__put(end, &kind, sizeof(kind)) + NEW_INFO_SZ + NEW_ELEM_SZ * NEW_VLEN;
	end = newer_btf__put(end, &values, sizeof(values)) + 8 * NEW_VLEN;
	end = newer_btf__put(end, &type, sizeof(type));
	end = newer_btf__put(end, &member, sizeof(member));
	new.old.hdr_len = sizeof(new);
	new.old.type_off = 0;
	new.old.type_len = end - data - sizeof(new);
	new.old.str_off = new.old.type_len;
	new.old.str_len = h->str_len + sizeof(names);
	end = newer_btf__put(end, body + h->str_off, h->str_len);
	end = newer_btf__put(end, names, sizeof(names));
	while ((end - data) % 4)
		end++;
	if (layout) {
		new.layout_off = end - data - sizeof(new);
		new.layout_len = sizeof(sizes);
		end = newer_btf__put(end, sizes, sizeof(sizes));
	}
	newer_btf__put(data, &new, sizeof(new));
	*sz = end - data;
	return data;
}

#endif
