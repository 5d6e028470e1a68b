/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On arm64, the code that loads an address has one instruction less if a 16-bit part of the address
 * is zero (arm64_addrs.c). About one small map in 64, and about every second array of 32 KiB, have
 * such an address. A program is of full length if its code loads no such address. Only then can its
 * counts be compared exactly with those of another load.
 *
 * On riscv64, the number of instructions that load an address differs from address to address
 * (riscv64_addrs.c). So on riscv64, a program is of full length if it loads no address.
 */
#ifndef BPROF_CODE_LENGTH_H
#define BPROF_CODE_LENGTH_H

#include <stdbool.h>

#include "base/util.h"

struct code_length {
	bool shorter; /* the program is not of full length */
	/*
	 * bprof cannot find out whether the program is of full length: the kernel does not show the
	 * code, or the program loads an address on riscv64
	 */
	bool hidden;
};

/*
 * Finds out whether a loaded program is of full length. On other architectures than arm64 and riscv64, every
 * program is. Returns 0 or -errno.
 */
int __must_check code_length__read(int prog_fd, struct code_length *out);
/* Returns why a program is not of full length, or may not be, as a sentence without a full stop. */
const char *code_length__explain(const struct code_length *l);

#endif
