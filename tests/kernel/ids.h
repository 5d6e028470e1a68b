/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What BPF objects the kernel holds: sets of ids, and the files in bpffs.
 */
#ifndef KTEST_IDS_H
#define KTEST_IDS_H

#include <stdbool.h>
#include <linux/types.h>

enum id_kind { ID_PROG, ID_MAP, ID_LINK, ID_BTF, ID_KIND_CNT };

#define MAX_IDS 2048

struct id_set {
	__u32 id[ID_KIND_CNT][MAX_IDS]; /* ascending */
	int cnt[ID_KIND_CNT];
	int pins; /* files below /sys/fs/bpf */
};

void id_set__read(struct id_set *s);

/*
 * Waits until nothing is loaded or pinned that is not in s: programs, maps, links and BTF are freed
 * by RCU and work queues, some time after their last reference went. False after 20 s; then
 * what describes what is left.
 */
bool id_set__await(const struct id_set *s, char *what, int sz);

/* Is a program loaded whose name begins so? Waits for it, 60 s at most. */
bool prog_name__await(const char *prefix);
/* The same until an fentry probe is attached to such a program, anybody's. */
bool prog_name__await_probe(const char *prefix);

/* Is one attached to a function of that program? */
bool prog__is_probed(__u32 prog_id);

#endif
