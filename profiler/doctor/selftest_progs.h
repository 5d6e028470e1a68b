/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The built-in programs of the self-test, and how each context makes them run. Only doctor/ uses
 * this header.
 */
#ifndef BPROF_SELFTEST_PROGS_H
#define BPROF_SELFTEST_PROGS_H

#include <stdbool.h>
#include <linux/types.h>

#include "base/util.h"
#include "btf/reason.h"
#include "doctor/selftest.h"

struct bpf_link;
struct selftest_bpf;

/* The programs of one context, and the links that keep them attached. */
struct selftest_progs {
	enum selftest_context_id context;
	struct selftest_bpf *skel; /* NULL: the programs cannot be loaded */
	struct reason reason;	   /* why they cannot be loaded */
	int fd[SELFTEST_PROG_CNT]; /* borrowed from skel */
	__u32 id[SELFTEST_PROG_CNT];
	/* set while the programs are attached */
	struct bpf_link *link[SELFTEST_PROG_CNT];
	int sock[SELFTEST_PROG_CNT][2];
};

/* Loads the programs of a context. A refusal by the kernel is no error: see p->reason. */
void selftest_progs__load(struct selftest_progs *p, enum selftest_context_id context);
void selftest_progs__free(struct selftest_progs *p); /* detaches first */

/*
 * Attaches the programs to a hook where only this thread makes them run. Does nothing for contexts
 * that are test runs. Returns 0 or -errno. The caller must call selftest_progs__detach(), also
 * after a failure.
 */
int __must_check selftest_progs__attach(struct selftest_progs *p);
void selftest_progs__detach(struct selftest_progs *p);
/*
 * Makes each program run "runs" times on the CPU to which this thread is bound. driver_fd is a
 * program of type SCHED_CLS, whose test runs reach the tracepoint bpf_test_finish. Returns 0 or
 * -errno.
 */
int __must_check selftest_progs__drive(const struct selftest_progs *p, int driver_fd, int runs);

/* The empty programs with which the cost of a probe is measured. */
struct selftest_pair {
	struct selftest_bpf *skel;
	struct reason reason; /* why they cannot be loaded */
	int probed_fd, bare_fd;
	__u32 probed_id;
};
void selftest_pair__load(struct selftest_pair *p);
void selftest_pair__free(struct selftest_pair *p);
/* Runs one of the two programs in a loop of the kernel. Returns 0 or -errno. */
int __must_check selftest_pair__drive(int prog_fd, int runs);

#endif
