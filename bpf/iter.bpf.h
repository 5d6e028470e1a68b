/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What all iterator programs get from the kernel. */
#ifndef BPROF_ITER_BPF_H
#define BPROF_ITER_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* The kernel itself finds the offsets of the members of these structs. */
#define OF_THE_KERNEL __attribute__((preserve_access_index))

typedef struct {
	long long counter;
} atomic64_t;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} OF_THE_KERNEL;

#endif
