/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel holds of bperf: leaders, followers, the pinned map.
 */
#ifndef KTEST_SHARING_H
#define KTEST_SHARING_H

#include <stdbool.h>
#include <linux/types.h>

#define ATTR_MAP "/sys/fs/bpf/perf_attr_map" /* perf's default, and bprof's */
#define PMU_COUNTERS 7	  /* of the emulated arm64 CPU: cycles has one of its own */
#define PERF_KEY_SIZE 136 /* of perf 6.12 */

/* Links, not programs: those that are gone are so at once. */
struct sharing {
	int cnt;
	__u32 link; /* id of the last one */
	bool ours;  /* bprof made it */
	int bprof_followers, perf_followers;
};

struct sharing sharing__read(void);

/* Of the map: what it has been made for, and how many entries it has. 0 where there is none. */
int attr_map_key_size(void);
int attr_map_entries(void);
/* The value of exclude_guest in its entries: bit 0: some have 0; bit 1: some have 1. */
unsigned int attr_map_guests(void);

/* Waits until so many are free: the kernel frees them some time after their last reference went. */
void await_free_counters(int cnt);

#endif
