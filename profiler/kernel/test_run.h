/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BPF_PROG_TEST_RUN: which program types the kernel runs on request, and with which input.
 */
#ifndef BPROF_TEST_RUN_H
#define BPROF_TEST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* The input of a run. Pointers are not owned. */
struct test_input {
	const void *data; /* the packet, for types that take a packet */
	__u32 data_sz;
	/* the type's context, such as struct __sk_buff; NULL: the default context */
	const void *ctx;
	__u32 ctx_sz;
};

struct test_run_opts {
	__u32 repeat; /* number of runs, at least 1 */
	bool fresh;   /* one system call per run, so that each run gets the original packet */
	bool live;    /* XDP: run with live frames (Linux 5.18) */
};

struct test_run_result {
	__u32 retval;  /* return value of the last run; unknown for live frames */
	bool varied;   /* true if different system calls gave different return values */
	__u32 mean_ns; /* mean time of a run by the kernel's clock, rounded down; 0: unknown */
};

/* Returns true if programs of that type (BPF_PROG_TYPE_...) can be run. */
bool test_run__has_type(__u32 type);
/* Returns true if runs of that type take a packet. */
bool test_run__takes_packet(__u32 type);
/* Returns true if programs of that type have a context struct __sk_buff. */
bool test_run__takes_skb(__u32 type);

/*
 * Runs a program o->repeat times on the CPU to which this thread is bound. If the kernel cannot
 * repeat runs of this type, makes one system call for each run. Within a system call, each run
 * after the first gets the packet as the previous run left it. Returns 0; -EINTR: a signal arrived,
 * such as SIGSTOP; or another -errno.
 */
int test_run(int prog_fd, __u32 type, const struct test_input *in, const struct test_run_opts *o,
	     struct test_run_result *out);

/*
 * Checks whether repeated runs in one system call would differ, by running the program once or
 * three times. Sets *retval to the first return value. Sets *changed to true if the program has
 * changed its packet, or other state that the next run in the same system call would see. Returns 0
 * or -errno.
 */
int test_run__check_repeat(int prog_fd, __u32 type, const struct test_input *in, __u32 *retval,
			   bool *changed);

/*
 * Checks whether a program that runs without live frames also runs with live frames, by running it
 * with one live frame. Returns 0; -EPROTOTYPE: programs of this type have no live frames;
 * -EPROTONOSUPPORT: the kernel has no live frames, or no frames of this size; or another -errno.
 */
int test_run__check_live(int prog_fd, __u32 type, const struct test_input *in);

#endif
