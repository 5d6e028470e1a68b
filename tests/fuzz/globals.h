/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of the variables of globals.bpf.c.
 */
#ifndef BPROF_FUZZ_GLOBALS_H
#define BPROF_FUZZ_GLOBALS_H

#include <linux/types.h>

enum mode { OFF, ON = 5, BELOW = -1 };

struct rule {
	__u32 id;
	enum mode mode;
	union {
		__u32 word;
		__u8 byte;
	};
	struct {
		__u16 x, y;
	};
	char name[8];
	int low : 3, high : 7;
	_Bool on;
	__u16 ports[2][3];
};

#endif
