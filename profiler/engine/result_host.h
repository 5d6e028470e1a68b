/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every report says of where it was made.
 */
#ifndef BPROF_RESULT_HOST_H
#define BPROF_RESULT_HOST_H

struct report;

/*
 * Fills in the version, the command (a NULL-terminated argv, which is copied) and the host, but for
 * the number of CPUs and whether programs are JITed. 0 or -ENOMEM.
 */
int result__fill_host(struct report *r, char **command);
/* Where no program was measured that tells: does the kernel compile programs? */
void result__set_jit(struct report *r);

#endif
