/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The BPF objects in the kernel: sets of their ids, and the number of files in bpffs.
 */
#ifndef KTEST_IDS_H
#define KTEST_IDS_H

#include <stdbool.h>
#include <linux/types.h>

enum id_kind { ID_PROG, ID_MAP, ID_LINK, ID_BTF, ID_KIND_CNT };

#define MAX_IDS 2048

struct id_set {
	__u32 id[ID_KIND_CNT][MAX_IDS]; /* in ascending order */
	int cnt[ID_KIND_CNT];
	int pins; /* number of files below /sys/fs/bpf */
};

void id_set__read(struct id_set *s);

/*
 * Waits until no objects are loaded or pinned except those in *s. RCU and work queues free
 * programs, maps, links and BTF some time after the last reference is gone. If the test hangs
 * before that, returns false and describes the first other object in the buffer "what".
 */
bool id_set__await(const struct id_set *s, char *what, int sz);

/* Waits until a program whose name has the prefix is loaded; returns false if the test hangs. */
bool prog_name__await(const char *prefix);
/*
 * Waits until a program whose name has the prefix has an fentry probe of any process; returns false
 * if the test hangs.
 */
bool prog_name__await_probe(const char *prefix);

bool prog_id__is_loaded(__u32 prog_id);
/* Returns true if an fentry program is attached to a function of the program. */
bool prog__is_probed(__u32 prog_id);

#endif
