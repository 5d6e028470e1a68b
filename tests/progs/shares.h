/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Definitions shared by shares.bpf.c and its tests.
 */
#ifndef PROGS_SHARES_H
#define PROGS_SHARES_H

/* One run in DEAR_PERIOD is "dear": it calls the expensive function dear(). */
#define DEAR_PERIOD 100
#define DEAR_AT 50
#define USUAL_CALLS 3	 /* calls of usual() in each run */
#define DEAR_CALLS 2	 /* calls of dear() in a dear run */
#define DEAR_INSNS 30000 /* dear() executes at least this many, more than the rest of a run */
#define DEAR_UPDATES 20	 /* updates of the map "rare" in a call of dear() */

#endif
