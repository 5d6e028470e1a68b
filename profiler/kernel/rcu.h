/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for BPF programs that are running. */
#ifndef BPROF_RCU_H
#define BPROF_RCU_H

/* The maps with which bprof waits: see rcu.c. */
struct rcu {
	int outer, inner; /* file descriptors */
};

/* Prepares rcu__synchronize(), which then hardly ever fails. Returns 0 or -errno. */
int rcu__open(struct rcu *r);
void rcu__close(struct rcu *r);
/*
 * Returns when all BPF programs that cannot sleep and that are running now, on any CPU, have ended.
 * Takes some tens of milliseconds. Returns 0 or -errno.
 */
int rcu__synchronize(const struct rcu *r);

#endif
