/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stat --verify: while programs are counted, changes the rate in turns: one run in 1, 16 and 256 is
 * measured (report/report_verify.h). In a fourth turn, samples are taken.
 */
#ifndef BPROF_VERIFY_RATES_H
#define BPROF_VERIFY_RATES_H

#include <linux/types.h>

#include "report/report_verify.h"

struct result_opts;
struct session;
struct snapshot;
struct verify_by_samples;

/*
 * The thin_period of a session with --verify. Because it is not 1, the period of the probes can be
 * changed later.
 */
#define VERIFY_THIN_PERIOD 16

struct verify_rates {
	__u64 random; /* set by the caller: random bits that decide the order of turns */
	/* set by the caller, freed by verify_rates__free(); NULL: no turn takes samples */
	struct verify_by_samples *samples;

	struct verify *sums;
	/* the snapshot at the beginning of the turn; NULL: the turn has not begun */
	struct snapshot *from;
	int turn; /* number of the turn in the round */
	/*
	 * the rates of this round's turns; VERIFY_BY_SAMPLES: the turn with samples, at the last
	 * rate
	 */
	int order[VERIFY_RATES + 1];
};

/*
 * Returns the length of a turn, in ns, in a measurement that ends after timeout_ns (0: not known).
 */
__u64 verify_rates__turn_ns(__u64 timeout_ns);
/*
 * Call verify_rates__start() after session__start(), verify_rates__turn() after each turn, and
 * verify_rates__stop() before session__stop(). The first two return 0 or -errno (reported).
 */
int verify_rates__start(struct verify_rates *v, struct session *s);
int verify_rates__turn(struct verify_rates *v, struct session *s, const struct result_opts *o);
void verify_rates__stop(struct verify_rates *v);
/* Adds the results to a report on the entire time. */
void verify_rates__apply(const struct verify_rates *v, struct report *r);
void verify_rates__free(struct verify_rates *v);

#endif
