/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What calibration needs of the fentry backend beyond struct counter_ops.
 */
#ifndef BPROF_BACKEND_FENTRY_H
#define BPROF_BACKEND_FENTRY_H

#include <stdbool.h>
#include <linux/types.h>

struct bprof_cpu_stat;
struct probe_template;
struct reason;
struct session;
struct target;

/* The counts of an open target on one CPU, shared with its probe. */
struct bprof_cpu_stat *fentry__stat(const struct target *t, int cpu);
/* Runs measured there since the last reset, in all contexts. */
__u64 fentry__count_measured(const struct bprof_cpu_stat *stat);
/*
 * From here on probes tell these contexts apart (BPROF_CONTEXT_..., bits), and others do not. No target
 * is open. 0 or -errno with *reason.
 */
int fentry__set_contexts(struct session *s, void *state, __u32 contexts, struct reason *reason);
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
