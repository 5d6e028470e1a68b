/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out whether measuring a run changes what the next run costs (stat --verify): the probe's
 * use of caches and branch predictors may make the next run slower, and the bias (the probe's own
 * cost) does not include that. The same programs are measured in turns at several rates: one run in
 * 1, 16 and 256. Then the means are compared. One turn at each rate is a round. Rounds are
 * independent, so their differences give the errors.
 */
#ifndef BPROF_REPORT_VERIFY_H
#define BPROF_REPORT_VERIFY_H

#include "report/report.h"

#define VERIFY_RATES 3
/*
 * Used in place of a rate's index, for turns in which bprof takes samples while the probes measure
 * at the last rate.
 */
#define VERIFY_BY_SAMPLES VERIFY_RATES
/* The rates: one run in this many is measured. In ascending order. */
extern const __u64 verify_samples[VERIFY_RATES];
/* A mean needs measured runs in at least this many rounds. */
#define VERIFY_MIN_ROUNDS 6
/*
 * At most this many rounds are kept separately; if there are more, two are merged into one. Even.
 */
#define VERIFY_MAX_ROUNDS 64

struct verify;

struct verify *verify__new(void);
void verify__free(struct verify *v); /* v may be NULL */
/*
 * Adds the report of a turn at verify_samples[rate] to the present round. All turns have the same
 * programs.
 */
void verify__add_turn(struct verify *v, int rate, const struct report *turn);
void verify__end_round(struct verify *v);
/* The samples of an event in all turns of VERIFY_BY_SAMPLES. */
struct verify_sampled {
	__u64 samples;
	/*
	 * The sum of the samples' periods, in units of the event, per ns of sampled CPU time.
	 * Includes the program's share of the samples that hit interrupts in runs.
	 */
	double rate;
	int cpu_cnt;  /* number of sampled CPUs */
	bool dropped; /* the kernel may have dropped samples in the program */
	bool gaps;    /* a CPU was not sampled all the time, such as one that went offline */
	/*
	 * The share of the CPUs' time that sampling took. While samples are taken, each run takes
	 * longer by this share.
	 */
	double cost;
};
/* Sets the samples of an event. event: its index among the events of all programs, in their order. */
void verify__set_sampled(struct verify *v, int event, const struct verify_sampled *sampled);

/* Adds the results to the events of r, a report of the same programs, and adds notes on them. */
void verify__apply(const struct verify *v, struct report *r);

#endif
