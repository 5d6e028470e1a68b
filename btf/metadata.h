/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metadata: what the author of a program says about it, such as its version. It is in constant
 * global variables called bpf_metadata_NAME, which bpftool shows too. Works only on bytes in
 * memory: prints nothing, and does not access the kernel.
 */
#ifndef BPROF_METADATA_H
#define BPROF_METADATA_H

#include <stdbool.h>
#include <linux/types.h>

struct btf;

struct metadata {
	char *name;  /* without bpf_metadata_ */
	char *value; /* a string, or a decimal number */
	bool is_number;
};

struct metadata_list {
	struct metadata *v;
	int cnt;
};

/*
 * Appends the metadata in a section of variables. datasec_id is the section's type, and data its sz
 * bytes, which may be hostile, like the BTF. Takes strings (arrays of char), whole numbers and
 * enums; leaves out variables of other types.
 */
void metadata__parse(struct metadata_list *list, const struct btf *btf, __u32 datasec_id,
		     const void *data, __u32 sz);
void metadata__free(struct metadata_list *list);

#endif
