/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BPF_PROG_TEST_RUN: which types of programs the kernel runs on request, and with what input.
 */
#ifndef BPROF_TEST_RUN_H
#define BPROF_TEST_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* What a run is given. Not owned. */
struct test_input {
	const void *data; /* the packet; not for types that take none */
	__u32 data_sz;
	const void *ctx; /* as the type's context for user space (struct __sk_buff); NULL: zeroes */
	__u32 ctx_sz;
};

struct test_run_opts {
	__u32 repeat; /* runs, at least one */
	bool fresh;   /* each by a call of its own: with the packet as it was given */
	bool live;    /* XDP: as frames that were really received (Linux 5.18) */
};

struct test_run_result {
	__u32 retval;  /* of the last run; not known of live frames */
	bool varied;   /* calls returned different values */
	__u32 mean_ns; /* of one run, by the kernel's clock, rounded down; 0: not known */
};

/* Can programs of that type (BPF_PROG_TYPE_...) be run so? */
bool test_run__has_type(__u32 type);
/* Do runs of that type take a packet? */
bool test_run__takes_packet(__u32 type);

/*
 * Runs a program so often, on the CPU that this thread is bound to. Where the kernel does not repeat
 * runs of the type, by a call for each. Runs after the first of one call see the packet as the one
 * before them left it. 0 or -errno; -EINTR: a signal came.
 */
int test_run(int prog_fd, __u32 type, const struct test_input *in, const struct test_run_opts *o,
	     struct test_run_result *out);

/*
 * Runs a program, once or three times, and says what it returned the first time. *changed: it has
 * changed its packet, or what else the next run of the same call would see of it: repeated runs would
 * not be alike. 0 or -errno.
 */
int test_run__look(int prog_fd, __u32 type, const struct test_input *in, __u32 *retval,
		   bool *changed);

/*
 * Runs a program that runs otherwise with one live frame. 0; -EPROTOTYPE: its type has none;
 * -EPROTONOSUPPORT: the kernel has none, or not of that size; or another -errno.
 */
int test_run__look_live(int prog_fd, __u32 type, const struct test_input *in);

#endif
