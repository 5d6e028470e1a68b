/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs iterator programs, which store their results in their maps or write them to the reader. Also
 * explains why an iterator of bprof cannot be used.
 */
#ifndef BPROF_ITER_RUN_H
#define BPROF_ITER_RUN_H

#include <sys/types.h>

struct bpf_link;

/* Runs the iterator program once for each object of the kernel. Returns 0 or -errno. */
int iter_run__all(const struct bpf_link *iter);
/*
 * Reads all data that the iterator with this link writes. The caller frees *out, also on failure.
 * Returns the size of the data or -errno.
 */
ssize_t iter_run__read(int link_fd, char **out);
/*
 * Returns why an iterator program cannot be used. err is the error of loading, attaching or reading
 * it. Under lockdown, the kernel's error does not show the cause: the kernel answers as if it did
 * not have the helpers that read its memory.
 */
const char *iter_run__explain(int err);

#endif
