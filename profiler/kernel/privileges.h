/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The privileges of this process.
 */
#ifndef BPROF_PRIVILEGES_H
#define BPROF_PRIVILEGES_H

#include <stdbool.h>

#include "base/util.h"

/*
 * Gives up all capabilities except those with which bprof measures programs, also those that are
 * loaded later: CAP_SYS_ADMIN (ids of BPF programs), CAP_BPF, CAP_PERFMON and CAP_SYSLOG (addresses
 * of kernel symbols). keep_files: also keeps CAP_DAC_OVERRIDE, to write files in directories of
 * other users. Programs that this process executes get no more. Threads that exist already keep
 * what they have. Returns 0 or -errno.
 */
int __must_check privileges__drop(bool keep_files);

#endif
