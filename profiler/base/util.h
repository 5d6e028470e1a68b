/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small helper functions for all code. They keep no state.
 */
#ifndef BPROF_UTIL_H
#define BPROF_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

#ifndef __must_check
#define __must_check __attribute__((warn_unused_result))
#endif
#define NSEC_PER_MSEC 1000000ULL
/* ENOTSUPP of the kernel's include/linux/errno.h. It leaks to user space, and no libc knows it. */
#define KERNEL_ENOTSUPP 524
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
/* Returns the struct that contains the member ptr points to, as in the kernel. */
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
/* Evaluates to how many of the cnt elements of v have a member below the key. v is sorted by this member. */
#define COUNT_BELOW(v, cnt, member, key)                         \
	({                                                       \
		size_t low_ = 0, high_ = (cnt);                  \
                                                                 \
		while (low_ < high_) {                           \
			size_t mid_ = low_ + (high_ - low_) / 2; \
                                                                 \
			if ((v)[mid_].member < (key))            \
				low_ = mid_ + 1;                 \
			else                                     \
				high_ = mid_;                    \
		}                                                \
		low_;                                            \
	})

/*
 * Appends a zeroed element to the array *v, which has *cnt elements of sz bytes, and returns the
 * new element.
 */
void *array__add(void *v_ptr, int *cnt, size_t sz);
/*
 * Reads a whole file as a NUL-terminated string without its trailing newlines; the caller frees it.
 * Returns 0 or -errno.
 */
int __must_check read_file(const char *path, char **out);
/* Parses all of s as a decimal number without sign, at most max. Returns 0, -EINVAL or -ERANGE. */
int __must_check parse_u64(const char *s, __u64 max, __u64 *out);
/* For qsort() and bsearch() of an array of __u32. */
int compare_u32(const void *a, const void *b);
/* Returns a * b / c, rounded up, or ~0 if the result does not fit. c must not be 0. */
__u64 scale_up(__u64 a, __u64 b, __u64 c);
struct rlimit;
/*
 * Raises the limit of file descriptors to its maximum (with CAP_SYS_RESOURCE: to the kernel's
 * maximum), because bprof may measure some thousand programs and needs several descriptors for
 * each. Sets *before to the former limit (zeros if unknown). bprof restores this limit for commands
 * that it runs.
 */
void raise_fd_limit(struct rlimit *before);
/*
 * Returns true if an error (errno or -errno) means that bprof lacks memory or file descriptors. Such
 * an error says nothing about the program or file that bprof wanted to open.
 */
bool is_shortage(int err);
/* Closes *fd unless it is negative, and sets it to -1. */
void close_fd(int *fd);
/* Returns the time of CLOCK_MONOTONIC in ns. */
__u64 now_ns(void);
/* Returns the CPU time that this thread has used, in ns. */
__u64 thread_cpu_ns(void);

#endif
