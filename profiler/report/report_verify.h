/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether measuring a run changes what the next run costs (stat --verify): what a probe takes in caches and
 * predictors is in no bias. The same programs are measured in turns at several rates, where one run in 1, 16 and 256
 * is measured, and the means are compared. One turn at each rate is a round; the rounds are the independent values
 * from which errors come. Pure.
 */
#ifndef BPROF_REPORT_VERIFY_H
#define BPROF_REPORT_VERIFY_H

#include "report/report.h"

#define VERIFY_RATES 3
/* One run in so many is measured; from the most to the fewest. */
extern const __u64 verify_samples[VERIFY_RATES];
/* A mean needs measured runs in at least this many rounds. */
#define VERIFY_MIN_ROUNDS 6
/* So many rounds are kept apart; two are merged into one when there are more. Even. */
#define VERIFY_MAX_ROUNDS 64

struct verify;

struct verify *verify__new(void);
void verify__free(struct verify *v); /* v may be NULL */
/* Adds the report of a turn at verify_samples[rate] to the present round. All turns have the same programs. */
void verify__add_turn(struct verify *v, int rate, const struct report *turn);
void verify__end_round(struct verify *v);
/* Adds what came out to the events of r, a report of the same programs, and says it in notes. */
void verify__apply(const struct verify *v, struct report *r);

#endif
