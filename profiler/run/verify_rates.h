/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stat --verify: while programs are counted, measures one run in 1, 16 and 256 in turns
 * (report/report_verify.h).
 */
#ifndef BPROF_VERIFY_RATES_H
#define BPROF_VERIFY_RATES_H

#include <linux/types.h>

#include "report/report_verify.h"

struct result_opts;
struct session;
struct snapshot;

/* A session is opened with this thin_period, so that its probes can have another one later. */
#define VERIFY_THIN_PERIOD 16

struct verify_rates {
	__u64 random; /* set by the caller: the order of turns follows from it */

	struct verify *sums;
	struct snapshot *from;	 /* at the beginning of the turn; NULL: it has not begun */
	int turn;		 /* in the round */
	int order[VERIFY_RATES]; /* the rates of the turns of this round */
};

/* Returns how long a turn is in a measurement that ends after timeout_ns (0: it is not known), in ns. */
__u64 verify_rates__turn_ns(__u64 timeout_ns);
/*
 * Call verify_rates__start() when the gate has been opened, then __turn() after each turn, and __stop() before the gate
 * is closed. The first two return 0 or -errno (reported).
 */
int verify_rates__start(struct verify_rates *v, struct session *s);
int verify_rates__turn(struct verify_rates *v, struct session *s, const struct result_opts *o);
void verify_rates__stop(struct verify_rates *v);
/* Adds to a report of all of the time what came out. */
void verify_rates__apply(const struct verify_rates *v, struct report *r);
void verify_rates__free(struct verify_rates *v);

#endif
