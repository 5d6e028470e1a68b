/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calibration: what the probe shows for an empty program, so that it can be taken off.
 */
#ifndef BPROF_CALIBRATE_H
#define BPROF_CALIBRATE_H

#include <stdbool.h>
#include <linux/types.h>

#include "cpus.h"
#include "probe.h"

struct bprof_cpu_stat;
struct session;

/* The biases of the CPUs of one kind, by slot of the probe. */
struct bias {
	struct cpus cpus;
	__u64 value[BPROF_SLOTS];
	double stddev[BPROF_SLOTS];
};

struct calibration {
	bool done;
	struct bias *kind;
	int kind_cnt;
};

/*
 * Attaches the probe, as the session will use it, to the built-in empty program, drives that by
 * BPF_PROG_TEST_RUN on a CPU of each kind, and fills session->calibration. state: the open fentry
 * backend's. Where it fails, that is said in one line and the numbers stay raw.
 */
void calibrate(struct session *s, void *state);
void calibration__free(struct calibration *c);

/* The biases of that CPU, or NULL. */
const struct bias *calibration__find(const struct calibration *c, int cpu);
/* Puts them into the probe's counts. */
void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu);

#endif
