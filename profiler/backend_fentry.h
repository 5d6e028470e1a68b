/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What calibration needs of the fentry backend beyond struct counter_ops.
 */
#ifndef BPROF_BACKEND_FENTRY_H
#define BPROF_BACKEND_FENTRY_H

#include <stdbool.h>

struct bprof_cpu_stat;
struct probe_template;
struct session;
struct target;

/* The counts of an open target on one CPU, shared with its probe. */
struct bprof_cpu_stat *fentry__stat(const struct target *t, int cpu);
/* The template of the backend's state. */
const struct probe_template *fentry__template(const void *state);
/*
 * Multiplexed events: shall what reading them costs be taken off each run beside the bias (struct
 * bprof_turns)? It is not at first. What the probe knew of it is forgotten. For other events nothing
 * is done.
 */
void fentry__take_off_readings(struct session *s, void *state, bool on);
/* Begins them anew, but for the bias; while the gate is closed. */
void fentry__reset(const struct target *t, int cpu);

#endif
