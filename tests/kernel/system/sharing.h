/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of bperf in the kernel: leaders, followers, the pinned attr map.
 */
#ifndef KTEST_SHARING_H
#define KTEST_SHARING_H

#include <stdbool.h>
#include <linux/types.h>

/* The path of the attr map that perf and bprof use by default. */
#define ATTR_MAP "/sys/fs/bpf/perf_attr_map"
#define PMU_COUNTERS 7	  /* the emulated arm64 CPU has six counters and one for cycles only */
#define PERF_KEY_SIZE 136 /* key size of perf 6.12 */

/*
 * The numbers of leaders and followers. They are counted by their links, because the kernel frees a
 * link at once, but a program some time later.
 */
struct sharing {
	int cnt;
	__u32 link; /* id of the last leader's link */
	bool ours;  /* true if bprof, not perf, started that leader */
	int bprof_followers, perf_followers;
};

struct sharing sharing__read(void);

/* Returns the key size of the attr map; 0 if there is no map. */
int attr_map_key_size(void);
int attr_map_entries(void);
/*
 * Returns a bit mask: bit 0 is set if an entry of the attr map has exclude_guest 0, bit 1 if an
 * entry has exclude_guest 1.
 */
unsigned int attr_map_guests(void);

/*
 * Waits until cnt PMU counters are free: the kernel frees an event some time after the last
 * reference is gone.
 */
void await_free_counters(int cnt);
/*
 * For tests that open events until one gets no counter. If rarely is true, makes the kernel rotate
 * competing events so rarely that no event loses its counter meanwhile. Otherwise, sets the
 * previous interval.
 */
void rotate_rarely(bool rarely);

#endif
