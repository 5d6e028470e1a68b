/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The keys of the map that tryfentry.bpf.c and user space share.
 */
#ifndef BPROF_TRYFENTRY_H
#define BPROF_TRYFENTRY_H

enum tryfentry_key { TRYFENTRY_ENTRY, TRYFENTRY_EXIT, TRYFENTRY_CNT };

#endif
