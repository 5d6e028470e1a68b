/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF objects in the kernel. */
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
 * If there is an object that was not in *before, describes it in what and returns true. Waits some seconds
 * first, because the kernel frees objects some time after their last user is gone.
 */
bool objects__have_new(const struct objects *before, char *what, int sz);

#endif
