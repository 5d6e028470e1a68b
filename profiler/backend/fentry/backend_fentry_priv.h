/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations for the files of the fentry backend only.
 */
#ifndef BPROF_BACKEND_FENTRY_PRIV_H
#define BPROF_BACKEND_FENTRY_PRIV_H

#include "calibration/calibrate.h"
#include "calibration/calibrated_probe.h"
#include "host/clock_source.h"
#include "probe/probes.h"

/* The state of the fentry backend. */
struct fentry {
	struct probes probes;
	struct calibration calibration;
	/* clock source at the calibration; used if the probe reads the clock */
	struct clock_source clock_source;
	/*
	 * The variant that measures sleepable targets with fsessions. It shares the maps of the
	 * probes. NULL: there are no sleepable targets, or fsessions are impossible.
	 */
	struct fentry *fsessions;
	/* with opts.by_site: why calls cannot be divided by the place of the call */
	struct reason no_site;
	/* Some target has run both with interrupts enabled and with interrupts disabled. */
	bool mixed_irqs;
	int stats_fd; /* keeps the run statistics on if they were on at the calibration; else -1 */
};

int fentry__open_target(struct fentry *f, struct target *t, struct reason *reason);
/*
 * Opens the targets that can be opened at the same time, in several threads if the process may use
 * several CPUs. fentry__open_target() has to open the other targets.
 */
void fentry__open_targets(void *state, struct target *v, int cnt);

#endif
