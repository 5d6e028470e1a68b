/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The input of fuzz_prog: the kernel's information about one program. "drive dump" writes such a
 * file for a real program.
 */
#ifndef BPROF_FUZZ_PROG_INPUT_H
#define BPROF_FUZZ_PROG_INPUT_H

#include <linux/types.h>

/* The arrays of the input, in the order in which they follow the header. */
enum prog_array_id { PROG_INSNS, PROG_FUNC_INFO, PROG_BTF, PROG_MAP_IDS, PROG_ARRAY_CNT };

#define PROG_INPUT_WITHHELD 1 /* the kernel withholds the instructions */
#define PROG_INPUT_NO_BTF 2

struct prog_input_header {
	__u16 sz[PROG_ARRAY_CNT]; /* in bytes; limited to the rest of the input */
	__u8 flags;
	__u8 rec_sz;	/* size of a func_info record */
	__u8 fails;	/* number of the call to the kernel that fails, from 1; 0: none */
	__u8 late_maps; /* number of map ids that only later calls show (BPF_PROG_BIND_MAP) */
	__u8 type;
	__u8 jited;
	__u8 tag[8];
	char name[16];
};

#endif
