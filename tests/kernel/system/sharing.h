/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bperf's objects in the kernel: leaders, followers, the pinned map.
 */
#ifndef KTEST_SHARING_H
#define KTEST_SHARING_H

#include <stdbool.h>
#include <linux/types.h>

#define ATTR_MAP "/sys/fs/bpf/perf_attr_map" /* the default of perf and bprof */
#define PMU_COUNTERS 7	  /* of the emulated arm64 CPU, with one for cycles only */
#define PERF_KEY_SIZE 136 /* of perf 6.12 */

/* Counts links, not programs: a link is gone at once. */
struct sharing {
	int cnt;
	__u32 link; /* id of the last one */
	bool ours;  /* bprof made it */
	int bprof_followers, perf_followers;
};

struct sharing sharing__read(void);

/* Return the map's key size and number of entries; 0 if there is no map. */
int attr_map_key_size(void);
int attr_map_entries(void);
/*
 * Returns the values of exclude_guest in the map's entries: bit 0: some have 0; bit 1: some have 1.
 */
unsigned int attr_map_guests(void);

/*
 * Waits until that many counters are free: the kernel frees events some time after their last
 * reference went.
 */
void await_free_counters(int cnt);

#endif
