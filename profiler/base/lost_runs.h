/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The causes of lost runs: runs that the probe saw and did not measure. Their names are in report.c. */
#ifndef BPROF_LOST_RUNS_H
#define BPROF_LOST_RUNS_H

enum lost_id { LOST_ENTRY, LOST_READ, LOST_OVERFLOW, LOST_RECURSION, LOST_CNT };

#endif
