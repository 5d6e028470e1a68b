/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attr map: a BPF map pinned in bpffs that maps each event to its leader. bprof shares it with
 * perf stat --bpf-counters (tools/perf/util/bpf_counter.c). A key is a struct perf_event_attr; its
 * size depends on the tool that created the map. A value is a struct attr_entry.
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
	__u32 link_id;	   /* id of the leader's link; invalid if the leader has ended */
	__u32 diff_map_id; /* id of the leader's map diff_readings */
};

struct attr_map {
	int fd;
	__u32 key_sz;
	bool locked;
};

/*
 * Opens the map at path, or creates and pins it with keys of key_sz bytes (0: the size of the
 * running kernel's struct perf_event_attr). Mounts bpffs if path is ATTR_MAP_DEFAULT and bpffs is
 * not mounted. Returns 0, or -errno with *reason if the map is not accessible, is not an attr map,
 * or belongs to a user other than root and us. Does not change a map that it refuses.
 */
int attr_map__open(struct attr_map *m, const char *path, __u32 key_sz, struct reason *reason);
void attr_map__close(struct attr_map *m);

/*
 * Locks the map as perf does, with flock() on the map's descriptor. Every bperf user holds this
 * lock while it changes the map or a leader's tables. The kernel releases the lock when the process
 * ends. Waits at most timeout_ns for the lock. Returns 0, or -errno with *reason, which names the
 * process that holds the lock.
 */
int attr_map__lock(struct attr_map *m, __u64 timeout_ns, struct reason *reason);
void attr_map__unlock(struct attr_map *m);

/*
 * Parses a line of /proc/locks ("1: FLOCK ADVISORY WRITE 123 00:0e:1033 0 EOF"). If the line is a
 * flock() on the inode ino of the device dev, returns the process that holds it. Otherwise, or if
 * the process is not in our pid namespace, returns 0. Makes no system calls.
 */
pid_t attr_map__lock_holder(const char *line, dev_t dev, ino_t ino);

/*
 * Finds the leader of an event and opens its link. Returns 0 with the link in *link_fd, which the
 * caller closes; -ENOENT if there is no leader or it has ended; or another -errno. The caller holds
 * the lock.
 */
int attr_map__find(const struct attr_map *m, const struct perf_event_attr *attr,
		   struct attr_entry *e, int *link_fd);
/*
 * Adds the entry of a new leader, or replaces the entry of a leader that no longer exists. Returns
 * 0; -E2BIG if the map is full of live leaders, or if its keys are too short for this event; or
 * another -errno. The caller holds the lock.
 */
int attr_map__put(const struct attr_map *m, const struct perf_event_attr *attr,
		  const struct attr_entry *e);
/*
 * Removes the entries of leaders that no longer exist. perf itself never removes entries, and its
 * maps have room for only 16 entries. Once such a map is full, perf can count no further event. The
 * caller holds the lock.
 */
void attr_map__sweep(const struct attr_map *m);

#endif
