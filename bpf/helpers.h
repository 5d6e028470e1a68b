/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants that the programs of bprof doctor --helpers and user space share. */
#ifndef BPROF_HELPERS_H
#define BPROF_HELPERS_H

#define HELPER_ENTRIES 256 /* maximum number of entries in a map; a power of two */
#define HELPER_MORE 8	   /* the second program does an operation 1 + HELPER_MORE times */

#endif
