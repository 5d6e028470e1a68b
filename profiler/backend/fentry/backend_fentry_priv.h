/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the fentry backend share. For them only.
 */
#ifndef BPROF_BACKEND_FENTRY_PRIV_H
#define BPROF_BACKEND_FENTRY_PRIV_H

#include "backend/fentry/calibrate.h"
#include "kernel/clock_source.h"
#include "backend/counter.h"
#include "kernel/kernel_offsets.h"
#include "kernel/mapped_array.h"
#include "backend/fentry/probe_template.h"

/* The state of the backend. */
struct fentry {
	const struct backend_env *env;
	struct calibration calibration;
	struct clock_source clock_source; /* at the calibration, where the probe reads the clock */
	int events_fd;			  /* the perf event array */
	struct mapped_array gate;
	struct mapped_array runs; /* struct bprof_cpu_runs by CPU id; where targets are nested */
	struct mapped_array rotation; /* struct bprof_rotation by CPU id; for multiplexed events */
	struct context_offsets at;
	__u32 contexts; /* that the probes tell apart: BPROF_CONTEXT_..., bits */
	int hist_cnt;	/* distributions that a probe keeps */
	size_t stat_sz;
	struct probe_template *template;
	struct tramp_images *images; /* where a trampoline's place matters; NULL: or not known */
};

/* That of a target. */
struct probe {
	int prog_fd[PROBE_SIDE_CNT], link_fd[PROBE_SIDE_CNT];
	struct mapped_array stats; /* struct bprof_cpu_stat by CPU id, every stat_sz bytes */
	size_t stat_sz;
	__u64 detached_misses; /* of the exit probes that were let go of */
	int cpu_limit;
	int hist_cnt, clock_hist; /* distributions; which of them is the clock's */
};

static inline struct bprof_cpu_stat *probe__stat(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + cpu * p->stat_sz);
}

/* The counts of an open target on one CPU, shared with its probe. */
struct bprof_cpu_stat *fentry__stat(const struct target *t, int cpu);
/* Resets them, but for the bias; while the gate is closed. */
void fentry__reset(const struct target *t, int cpu);
/*
 * Makes probes tell these contexts apart (BPROF_CONTEXT_..., bits), and no others. No target is open.
 * 0 or -errno with *reason.
 */
int fentry__set_contexts(struct fentry *f, __u32 contexts, struct reason *reason);
/*
 * With multiplexed events: whether the cost of reading them is taken off each run beside the bias
 * (struct bprof_rotation), which it is not at first. Forgets what the probe knew of that cost. Does
 * nothing for other events.
 */
void fentry__subtract_readings(struct fentry *f, bool on);
/* Reads the counts of one CPU, of which stat has them. 0 or -ENOMEM. */
int probe__read_cpu(const struct probe *p, const struct bprof_cpu_stat *stat, bool hists,
		    struct counts *c);

/* Loads both sides of the probe of a target whose counts are there. 0 or -errno with *reason. */
int fentry__load_target(const struct fentry *f, struct target *t, struct reason *reason);
/* Makes sure, where it can, that each attachment costs the target's callers the same. */
void fentry__open_images(struct fentry *f);
/* Operations of struct counter_ops. */
int fentry__open_target(void *state, struct target *t, struct reason *reason);
void fentry__start(void *state);
void fentry__stop(void *state);
void fentry__close_target(struct target *t);
int fentry__attach_target(void *state, struct target *t, struct reason *reason);
void fentry__detach(struct target *t);
bool fentry__owns_link(const struct target *t, __u32 link_id);
int fentry__reattach(void *state, struct target *t, struct reason *reason);

#endif
