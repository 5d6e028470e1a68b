/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records that the iterators over programs and links (ref_iters.bpf.c) write. Also compiled for
 * BPF.
 */
#ifndef BPROF_REF_ITERS_H
#define BPROF_REF_ITERS_H

#include <linux/types.h>

/* A loaded program. */
struct bprof_prog_ref {
	__u32 id;
	__u32 refs;	 /* number of references that keep it loaded */
	__u32 sleepable; /* 1 if it may sleep; 0 before Linux 6.8 */
};

/* A tracing program that is attached to a BPF program, and keeps it loaded. */
struct bprof_probe_ref {
	__u32 target_id;
	__u32 target_btf_id; /* the BTF id of the function that it is attached to */
	char name[16];	     /* of the tracing program */
};

#endif
