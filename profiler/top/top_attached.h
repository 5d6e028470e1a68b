/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts that say where the programs of bprof top are attached. No text is older than a minute.
 */
#ifndef BPROF_TOP_ATTACHED_H
#define BPROF_TOP_ATTACHED_H

#include <linux/types.h>

#include "target/attachments.h"

struct target_list;

struct top_attached {
	const struct target_list *targets; /* NULL: find returns "" for every program */
	struct attachments all;
	__u64 loaded_ns;      /* when the attachments were read; 0: not yet */
	__u32 newest, loaded; /* the highest program id: now, and at loaded_ns */
	char text[256];
};

/*
 * Returns where the program is attached; "": nowhere, or not known. The text is valid until the
 * next call. arg: struct top_attached.
 */
const char *top_attached__find(void *arg, __u32 id);

#endif
