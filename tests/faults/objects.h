/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is loaded in the kernel. */
#ifndef BPROF_FAULTS_OBJECTS_H
#define BPROF_FAULTS_OBJECTS_H

#include <stdbool.h>
#include <linux/types.h>

/* The ids of programs, maps and links, and the number of pinned objects. */
struct objects {
	__u32 id[3][256];
	int cnt[3];
	int pins;
};

void objects__list(struct objects *o);

/*
 * Returns true, and describes it, if there is something that was not there before. First waits for
 * the kernel, which frees objects some time after their last user is gone.
 */
bool objects__have_new(const struct objects *before, char *what, int sz);

#endif
