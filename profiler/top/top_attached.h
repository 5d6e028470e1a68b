/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the programs of bprof top are attached, as a text. The texts are not older than a minute.
 */
#ifndef BPROF_TOP_ATTACHED_H
#define BPROF_TOP_ATTACHED_H

#include <linux/types.h>

#include "target/attachments.h"

struct target_list;

struct top_attached {
	const struct target_list *targets; /* NULL: nothing is looked up */
	struct attachments all;
	__u64 loaded_ns;      /* when they were looked up; 0: not yet */
	__u32 newest, loaded; /* the highest id of a program now, and at loaded_ns */
	char text[256];
};

/*
 * Returns where the program is attached, until the next call; "": nowhere, or it is not known. arg:
 * struct top_attached.
 */
const char *top_attached__find(void *arg, __u32 id);

#endif
