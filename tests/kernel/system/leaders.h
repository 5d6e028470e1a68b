/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of bperf as the kernel shows it: which leaders exist, their entries in the attr map,
 * and the contents of their BPF maps. Links no code of bprof, so that these checks are independent
 * of bprof.
 */
#ifndef KTEST_LEADERS_H
#define KTEST_LEADERS_H

#include <linux/types.h>

/* below PIN_DIR, so that teardown() removes the pin */
#define ATTR_MAP "/sys/fs/bpf/ktest/attr_map"

#define MAX_LEADERS 64

/* The links of all leaders' programs on sched_switch (named on_switch) at one moment. */
struct leaders {
	int fd[MAX_LEADERS];
	__u32 link_id[MAX_LEADERS];
	int cnt;
};

void leaders__open(struct leaders *l);
void leaders__close(struct leaders *l);
/* Waits until there are cnt leaders. Fails the test if it hangs. */
void leaders__await(int cnt);

/* Opens the pinned attr map and returns its descriptor, which the caller closes. */
int attr_map_open(const char *path);
/*
 * Fails the test unless each existing leader has exactly one entry in the attr map. Takes the map's
 * lock.
 */
void leaders__assert_entered(int map_fd);
int count_elements(int map_fd);

/*
 * The numbers of elements in a leader's maps bprof_keys and bprof_owners. The leader is given by
 * its link, or by the link of one of its followers. bprof_owners has an element for each bperf user
 * and each set that this bperf user reads.
 */
struct tables {
	int keys, owners;
	int dead; /* number of elements of bprof_owners whose bperf user no longer exists */
};

struct tables read_tables(int link_fd);
/* Waits until the leaders have added the counts of each moved task to the task's old cgroup. */
void leaders__await_moves(void);
/* Opens one of the leader's BPF maps by the map's name; the caller closes the descriptor. */
int open_table(int link_fd, const char *name);
/* Like read_tables(), for the only leader that exists. */
struct tables read_only_tables(void);

#endif
