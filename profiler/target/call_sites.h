/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The places in programs where kernel functions are called (--by site).
 */
#ifndef BPROF_CALL_SITES_H
#define BPROF_CALL_SITES_H

#include <stdbool.h>
#include <linux/types.h>

#include "btf/prog_code.h"

/* The code of one program. */
struct call_sites {
	__u32 prog_id; /* 0: no program was read */
	struct prog_code code;
};

/*
 * Reads the code of a program whose functions are loaded, unless this program was the last one
 * read. Prints a warning if the kernel does not show the code; then no place is known. The caller
 * frees *s with call_sites__free().
 */
void call_sites__read(struct call_sites *s, const struct prog *p);
/*
 * Returns true if the code of the program calls that address. Reads the code first, unless this
 * program was the last one read.
 */
bool call_sites__calls(struct call_sites *s, const struct prog *p, __u64 address);
/*
 * Sets returns[i] to the address after the call of target[i], or 0: see jited__find_returns(). func: the
 * function's index in the program.
 */
void call_sites__find(const struct call_sites *s, __u32 func, const __u64 *target, __u64 *returns,
		      int cnt);
/*
 * Returns the name of the place of instruction i, in a function that begins at instruction first:
 * "FILE:LINE" or, without line_info, "insn I". The caller frees the name.
 */
char *call_sites__name(const struct call_sites *s, __u32 first, __u32 i);
void call_sites__free(struct call_sites *s);

#endif
