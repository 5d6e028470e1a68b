/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saves the kernel's information about a program as fuzzer input (tests/fuzz/prog_input.h).
 */
#ifndef KTEST_PROGDUMP_H
#define KTEST_PROGDUMP_H

#include <linux/types.h>

/*
 * Writes the program's information to the file. Returns 0 or -errno; -E2BIG if one of the arrays is
 * larger than 64 KiB.
 */
int progdump__write(__u32 prog_id, const char *path);

#endif
