/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attr map: pinned in bpffs, it says which leader counts which event. Shared with perf stat
 * --bpf-counters (tools/perf/util/bpf_counter.c): key struct perf_event_attr of whatever size,
 * value struct attr_entry.
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
	__u32 link_id;	   /* of the leader's link; it may be gone */
	__u32 diff_map_id; /* of the leader's diff_readings */
};

struct attr_map {
	int fd;
	__u32 key_sz;
	bool locked;
};

/*
 * Opens the map at path, or makes and pins it, with keys of key_sz bytes (0: what the running
 * kernel's struct perf_event_attr has). Mounts bpffs where ATTR_MAP_DEFAULT needs it. 0; -errno
 * with *reason: it cannot be had, is no attr map, or belongs to a user who is neither root nor this
 * one; it is then left as it is.
 */
int attr_map__open(struct attr_map *m, const char *path, __u32 key_sz, struct reason *reason);
void attr_map__close(struct attr_map *m);

/*
 * perf's lock, which everyone who changes the map or a leader's tables holds: flock() on the map's
 * descriptor. It is the process's and goes with it. Waits for it no longer than timeout_ms. 0;
 * -errno with *reason, which names the holder.
 */
int attr_map__lock(struct attr_map *m, __u64 timeout_ms, struct reason *reason);
void attr_map__unlock(struct attr_map *m);

/*
 * Who holds a lock of flock() on that inode, by a line of /proc/locks
 * ("1: FLOCK  ADVISORY  WRITE 123 00:0e:1033 0 EOF"). 0: that line says of no such lock, or of a
 * process that is not to be seen from here. Pure.
 */
pid_t attr_map__lock_holder(const char *line, dev_t dev, ino_t ino);

/*
 * The leader of an event: 0; -ENOENT: there is none, or its link is gone; -errno. The link is held
 * by *link_fd then, which the caller closes. With the lock.
 */
int attr_map__find(const struct attr_map *m, const struct perf_event_attr *attr,
		   struct attr_entry *e, int *link_fd);
/*
 * Notes a new leader, in place of one that is gone. 0; -E2BIG: the map is full of leaders that
 * live, or its keys are too short for this event; -errno. With the lock.
 */
int attr_map__put(const struct attr_map *m, const struct perf_event_attr *attr,
		  const struct attr_entry *e);
/*
 * Removes the entries of leaders that are gone. perf makes maps of 16 entries and removes none: when
 * they are full, it can count no other event. With the lock.
 */
void attr_map__sweep(const struct attr_map *m);

#endif
