/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs iterator programs that write nothing to their reader: their results are in their maps. Says why
 * an iterator of bprof cannot be used.
 */
#ifndef BPROF_ITER_RUN_H
#define BPROF_ITER_RUN_H

struct bpf_link;

/* Runs the iterator program once for each object of the kernel. Returns 0 or -errno. */
int iter_run__all(const struct bpf_link *iter);
/*
 * Returns why an iterator program cannot be used. err is what loading, attaching or reading it has
 * returned. Under lockdown the kernel's answer does not say so, as it knows no such helper then.
 */
const char *iter_run__explain(int err);

#endif
