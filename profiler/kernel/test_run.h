/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BPF_PROG_TEST_RUN: which types of programs the kernel runs on request, and with what input.
 */
#ifndef BPROF_TEST_RUN_H
#define BPROF_TEST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Input of a run. Not owned. */
struct test_input {
	const void *data; /* the packet; only for types that take one */
	__u32 data_sz;
	const void *ctx; /* the type's user space context (struct __sk_buff); NULL: zeroes */
	__u32 ctx_sz;
};

struct test_run_opts {
	__u32 repeat; /* number of runs, at least 1 */
	bool fresh;   /* a system call for each run, so that each gets the original packet */
	bool live;    /* XDP: with live frames (Linux 5.18) */
};

struct test_run_result {
	__u32 retval;  /* of the last run; unknown for live frames */
	bool varied;   /* system calls returned different values */
	__u32 mean_ns; /* per run, by the kernel's clock, rounded down; 0: unknown */
};

/* Returns true if programs of that type (BPF_PROG_TYPE_...) can be run. */
bool test_run__has_type(__u32 type);
/* Returns true if runs of that type take a packet. */
bool test_run__takes_packet(__u32 type);

/*
 * Runs a program o->repeat times, on the CPU that this thread is bound to. Types that the kernel
 * does not repeat take one system call for each run. Runs after the first of a call see the packet
 * as the previous one left it. Returns 0 or -errno; -EINTR: a signal arrived.
 */
int test_run(int prog_fd, __u32 type, const struct test_input *in, const struct test_run_opts *o,
	     struct test_run_result *out);

/*
 * Runs a program once or three times. *retval: the first return value. *changed: the program has
 * changed its packet, or other state that the next run of the same call would see, so repeated runs
 * would differ. Returns 0 or -errno.
 */
int test_run__check_repeat(int prog_fd, __u32 type, const struct test_input *in, __u32 *retval,
			   bool *changed);

/*
 * Runs a program, which runs without live frames, with one live frame. Returns 0; -EPROTOTYPE: its
 * type has no live frames; -EPROTONOSUPPORT: the kernel has none, or none of that size; or another
 * -errno.
 */
int test_run__check_live(int prog_fd, __u32 type, const struct test_input *in);

#endif
