/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metadata: facts about a program that its author states, such as its version. The author stores
 * them in constant global variables called bpf_metadata_NAME. bpftool shows these variables, too.
 * Works only on bytes in memory: prints nothing, and does not access the kernel.
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
 * Appends the metadata in a section of variables. datasec_id is the section's type; data has the
 * section's sz bytes. Data and BTF may be hostile. Takes strings (arrays of char), whole numbers
 * and enums. Leaves out variables of other types.
 */
void metadata__parse(struct metadata_list *list, const struct btf *btf, __u32 datasec_id,
		     const void *data, __u32 sz);
void metadata__free(struct metadata_list *list);

#endif
