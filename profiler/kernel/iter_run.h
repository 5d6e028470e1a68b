/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs iterator programs, whose results are in their maps, or written to their reader. Says why an iterator
 * of bprof cannot be used.
 */
#ifndef BPROF_ITER_RUN_H
#define BPROF_ITER_RUN_H

#include <sys/types.h>

struct bpf_link;

/* Runs the iterator program once for each object of the kernel. Returns 0 or -errno. */
int iter_run__all(const struct bpf_link *iter);
/* Reads all that the iterator with this link writes. The caller frees *out, also on failure. Returns its size or -errno. */
ssize_t iter_run__read(int link_fd, char **out);
/*
 * Returns why an iterator program cannot be used. err is what loading, attaching or reading it has
 * returned. Under lockdown the kernel's answer does not say so, as it knows no such helper then.
 */
const char *iter_run__explain(int err);

#endif
