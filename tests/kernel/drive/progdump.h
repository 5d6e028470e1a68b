/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel says of a program, as an input of a fuzzer (tests/fuzz/prog_input.h).
 */
#ifndef KTEST_PROGDUMP_H
#define KTEST_PROGDUMP_H

#include <linux/types.h>

/* Writes it into the file. 0 or -errno; -E2BIG: an array of it is over 64 KiB. */
int progdump__write(__u32 prog_id, const char *path);

#endif
