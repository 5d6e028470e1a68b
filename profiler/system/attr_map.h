/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attr map: pinned in bpffs, maps each event to its leader. Shared with perf stat
 * --bpf-counters (tools/perf/util/bpf_counter.c). Key: struct perf_event_attr of some size; value:
 * struct attr_entry.
 */
#ifndef BPROF_ATTR_MAP_H
#define BPROF_ATTR_MAP_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#define ATTR_MAP_DEFAULT "/sys/fs/bpf/perf_attr_map"

struct perf_event_attr;
struct reason;

struct attr_entry {
	__u32 link_id;	   /* of the leader's link, which may have closed */
	__u32 diff_map_id; /* of the leader's diff_readings */
};

struct attr_map {
	int fd;
	__u32 key_sz;
	bool locked;
};

/*
 * Opens the map at path, or creates and pins it with keys of key_sz bytes (0: the size of the
 * running kernel's struct perf_event_attr). Mounts bpffs if ATTR_MAP_DEFAULT needs it. Returns 0,
 * or -errno with *reason: the map is not accessible, is not an attr map, or belongs to a user other
 * than root and this one; it is left unchanged then.
 */
int attr_map__open(struct attr_map *m, const char *path, __u32 key_sz, struct reason *reason);
void attr_map__close(struct attr_map *m);

/*
 * Takes perf's lock: flock() on the map's descriptor. All users hold it while they change the map
 * or a leader's tables. It belongs to the process and ends with it. Waits at most timeout_ms. 0;
 * -errno with *reason, which names the holder.
 */
int attr_map__lock(struct attr_map *m, __u64 timeout_ms, struct reason *reason);
void attr_map__unlock(struct attr_map *m);

/*
 * Returns the holder of a flock() on that inode, by a line of /proc/locks ("1: FLOCK ADVISORY WRITE
 * 123 00:0e:1033 0 EOF"). 0: the line shows another lock, or a process that is not visible here.
 * Pure.
 */
pid_t attr_map__lock_holder(const char *line, dev_t dev, ino_t ino);

/*
 * Finds the leader of an event. 0; -ENOENT: none, or its link is gone; -errno. *link_fd then holds
 * the link; the caller closes it. The caller holds the lock.
 */
int attr_map__find(const struct attr_map *m, const struct perf_event_attr *attr,
		   struct attr_entry *e, int *link_fd);
/*
 * Enters a new leader, replacing one that is gone. 0; -E2BIG: the map is full of live leaders, or
 * its keys are too short for this event; -errno. The caller holds the lock.
 */
int attr_map__put(const struct attr_map *m, const struct perf_event_attr *attr,
		  const struct attr_entry *e);
/*
 * Removes the entries of leaders that are gone. perf makes maps of 16 entries and removes none:
 * once they are full, perf can count no other event. The caller holds the lock.
 */
void attr_map__sweep(const struct attr_map *m);

#endif
