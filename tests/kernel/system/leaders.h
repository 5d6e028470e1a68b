/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bperf as the kernel shows it: the leaders that exist, their entries in the attr map, and the
 * contents of their tables. An outside view: links no code of bprof.
 */
#ifndef KTEST_LEADERS_H
#define KTEST_LEADERS_H

#include <linux/types.h>

/* Pinned where teardown() removes it. */
#define ATTR_MAP "/sys/fs/bpf/ktest/attr_map"

#define MAX_LEADERS 64

/* Links of programs named on_switch that all exist at one moment. */
struct leaders {
	int fd[MAX_LEADERS];
	__u32 link_id[MAX_LEADERS];
	int cnt;
};

void leaders__open(struct leaders *l);
void leaders__close(struct leaders *l);
/* Waits until there are cnt leaders; fails the test if that does not happen. */
void leaders__await(int cnt);

/* Returns the attr map's descriptor, which the caller closes. */
int attr_map_open(const char *path);
/*
 * Fails the test if a leader that exists has no entry in the map, or more than one. Takes the map's
 * lock.
 */
void leaders__assert_entered(int map_fd);
int count_elements(int map_fd);

/* The number of elements in the tables of a leader (or follower), which is given by its link. */
struct tables {
	int keys, owners;
	int dead; /* owners that are gone */
};

struct tables read_tables(int link_fd);
/* Waits until the counts of every task that was moved into another cgroup are in its old one. */
void leaders__await_moves(void);
/* Opens one of the tables by its name; the caller closes it. */
int open_table(int link_fd, const char *name);
/* Like read_tables(), for the only leader that exists. */
struct tables read_only_tables(void);

#endif
