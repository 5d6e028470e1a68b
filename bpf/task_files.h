/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records that the iterator over open files (task_files.bpf.c) writes. Also compiled for BPF.
 */
#ifndef BPROF_TASK_FILES_H
#define BPROF_TASK_FILES_H

#include <linux/types.h>

/* An open file of a process that keeps a program loaded. */
struct bprof_open_file {
	__u32 prog_id;
	__u32 pid; /* the process's id in the initial pid namespace */
	char comm[16];
};

#endif
