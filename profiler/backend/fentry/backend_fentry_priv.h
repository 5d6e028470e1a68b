/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations shared by the files of the fentry backend, and only by these.
 */
#ifndef BPROF_BACKEND_FENTRY_PRIV_H
#define BPROF_BACKEND_FENTRY_PRIV_H

#include "backend/counter.h"
#include "backend/fentry/calibrate.h"
#include "backend/fentry/probe_template.h"
#include "kernel/clock_source.h"
#include "kernel/kernel_offsets.h"
#include "kernel/mapped_array.h"

/* The state of the backend. */
struct fentry {
	const struct backend_env *env;
	struct calibration calibration;
	struct clock_source clock_source; /* at the calibration, if the probe reads the clock */
	int events_fd;			  /* the perf event array */
	struct mapped_array gate;
	struct mapped_array runs;     /* struct bprof_cpu_runs by CPU id; for nested targets */
	struct mapped_array rotation; /* struct bprof_rotation by CPU id; for multiplexed events */
	struct context_offsets at;
	__u32 contexts; /* contexts that the probes distinguish: BPROF_CONTEXT_..., bits */
	int hist_cnt;	/* number of distributions of a probe */
	size_t stat_sz;
	struct probe_template *template;
	struct tramp_images *images; /* if a trampoline's address matters; NULL: or if unknown */
};

/* The state of a target. */
struct probe {
	int prog_fd[PROBE_SIDE_CNT], link_fd[PROBE_SIDE_CNT];
	struct mapped_array stats; /* struct bprof_cpu_stat by CPU id, each stat_sz bytes */
	size_t stat_sz;
	__u64 detached_misses; /* recursion misses of the exit probes that were detached */
	int cpu_limit;
	int hist_cnt, clock_hist; /* number of distributions; index of the clock's one */
};

static inline struct bprof_cpu_stat *probe__stat(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + cpu * p->stat_sz);
}

/* Returns the counts of an open target on one CPU, shared with its probe. */
struct bprof_cpu_stat *fentry__stat(const struct target *t, int cpu);
/* Resets these counts except the bias. Only while the gate is closed. */
void fentry__reset(const struct target *t, int cpu);
/*
 * Makes probes distinguish exactly these contexts (BPROF_CONTEXT_..., bits). No target may be open.
 * Returns 0, or -errno with *reason.
 */
int fentry__set_contexts(struct fentry *f, __u32 contexts, struct reason *reason);
/*
 * With multiplexed events: sets whether the cost of reading them is subtracted from each run beside
 * the bias (struct bprof_rotation); initially it is not. Discards the known costs. Does nothing for
 * other events.
 */
void fentry__subtract_readings(struct fentry *f, bool on);
/* Reads the counts of one CPU from stat. Returns 0 or -ENOMEM. */
int probe__read_cpu(const struct probe *p, const struct bprof_cpu_stat *stat, bool hists,
		    struct counts *c);

/* Prepares to make each attachment cost the target's callers the same, if possible. */
void fentry__open_images(struct fentry *f);
/* Operations of struct counter_ops. */
int fentry__open_target(void *state, struct target *t, struct reason *reason);
void fentry__start(void *state);
void fentry__stop(void *state);
void fentry__close_target(struct target *t);
/* Loads and attaches the probe of an open target, again and again until it has the common cost. */
int fentry__attach(void *state, struct target *t, struct reason *reason);
void fentry__detach(struct target *t);
bool fentry__owns_link(const struct target *t, __u32 link_id);

#endif
