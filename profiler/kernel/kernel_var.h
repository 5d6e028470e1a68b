/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads variables of the kernel by their names.
 */
#ifndef BPROF_KERNEL_VAR_H
#define BPROF_KERNEL_VAR_H

#include <stdbool.h>
#include <linux/types.h>

/*
 * Loads a program that finds a variable and reads 8 bytes at a distance from it. Returns a
 * descriptor that the caller closes, or -errno (before Linux 5.16: -EINVAL). name: at most 23
 * characters
 */
int kernel_var__open(const char *name);
/*
 * Reads the 8 bytes that are "distance" bytes behind the variable. Returns false if the kernel has
 * no such variable, or does not allow that. fd: of kernel_var__open(); may be negative
 */
bool kernel_var__read(int fd, __u64 distance, __u64 *value);

#endif
