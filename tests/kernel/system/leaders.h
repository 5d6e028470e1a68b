/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bperf as the kernel has it: the leaders that live, what the attr map says of them, and what is in
 * their tables. Looked at from outside: links none of bprof.
 */
#ifndef KTEST_LEADERS_H
#define KTEST_LEADERS_H

#include <linux/types.h>

/* Pinned where teardown() removes it. */
#define ATTR_MAP "/sys/fs/bpf/ktest/attr_map"

#define MAX_LEADERS 64

/* Links of programs named on_switch, all held at one moment. */
struct leaders {
	int fd[MAX_LEADERS];
	__u32 link_id[MAX_LEADERS];
	int cnt;
};

void leaders__open(struct leaders *l);
void leaders__close(struct leaders *l);
/* Waits until there are as many; fails the test where that does not come. */
void leaders__await(int cnt);

/* The attr map's descriptor, which the caller closes. */
int attr_map_open(const char *path);
/* Fails where a leader that lives has no entry in the map, or more than one. Takes its lock. */
void leaders__assert_entered(int map_fd);
int count_elements(int map_fd);

/* How many elements there are in the tables of a leader (or follower), by its link. */
struct tables {
	int keys, owners;
	int dead; /* owners that are gone */
};

struct tables read_tables(int link_fd);
/* Waits until every task that was moved into another cgroup has been counted in its old one. */
void leaders__await_moves(void);
/* One of them by its name; the caller closes it. */
int open_table(int link_fd, const char *name);
/* The same of the one leader that lives. */
struct tables read_only_tables(void);

#endif
