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
#include "sampler.h"
#include "target.h"

struct bprof_cpu_stat;
struct session;

/* What a probe costs on one kind of CPU and one shape of trampoline, by slot of the probe. */
struct bias {
	__u64 value[BPROF_SLOTS]; /* shown for an empty function */
	double stddev[BPROF_SLOTS];
	__u64 cost[BPROF_SLOTS]; /* nested: added to what the caller's probe shows */
};

struct cpu_kind {
	struct cpus cpus;
	struct bias shape[SHAPE_CNT];
	struct probe_cost cost; /* in time, of a whole run; with session->opts.share */
};

struct calibration {
	bool done;
	struct cpu_kind *kind;
	int kind_cnt;
};

/*
 * Attaches the probe, as the session will use it, to built-in empty functions of the targets'
 * shapes, drives them by BPF_PROG_TEST_RUN on a CPU of each kind, and fills session->calibration.
 * state: the open fentry backend's. Where it fails, that is said in one line and the numbers stay
 * raw.
 */
void calibrate(struct session *s, void *state);
/* Fills in the shape of a target's trampoline; of one that came later, before it is opened. */
void calibrate__find_shape(struct target *t);
/*
 * Runs a program so often by BPF_PROG_TEST_RUN, on the CPU that this thread is bound to. *mean_ns
 * (or NULL): what one run took, by the kernel's clock, rounded down. 0 or -errno.
 */
int calibrate__drive(int prog_fd, int runs, __u32 *mean_ns);
void calibration__free(struct calibration *c);

/* The kind of that CPU, or NULL. */
const struct cpu_kind *calibration__kind(const struct calibration *c, int cpu);
/* What the probe of a target of that shape costs on that CPU, or NULL. */
const struct bias *calibration__find(const struct calibration *c, int cpu, int shape);
/* Puts it into the probe's counts. */
void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu,
			int shape);

#endif
