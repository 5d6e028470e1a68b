/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's information about a program, as an input of a fuzzer (tests/fuzz/prog_input.h).
 */
#ifndef KTEST_PROGDUMP_H
#define KTEST_PROGDUMP_H

#include <linux/types.h>

/*
 * Writes the program's information to the file. Returns 0 or -errno; -E2BIG: an array of it is over
 * 64 KiB.
 */
int progdump__write(__u32 prog_id, const char *path);

#endif
