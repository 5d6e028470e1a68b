/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of bprof doctor --helpers and user space both know. */
#ifndef BPROF_HELPERS_H
#define BPROF_HELPERS_H

#define HELPER_ENTRIES 256 /* that a map can have; a power of two */
#define HELPER_MORE 8	   /* how many times more than once the second program does an operation */

#endif
