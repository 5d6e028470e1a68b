/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations for the files of the fentry backend only.
 */
#ifndef BPROF_BACKEND_FENTRY_PRIV_H
#define BPROF_BACKEND_FENTRY_PRIV_H

#include "backend/counter.h"
#include "backend/fentry/calibrate.h"
#include "backend/fentry/own_runs.h"
#include "backend/fentry/probe_template.h"
#include "host/clock_source.h"
#include "kernel/kernel_offsets.h"
#include "kernel/mapped_array.h"

/* What the kernel has counted of the exit programs of a target's probes. */
struct exit_counts {
	__u64 misses; /* recursion misses */
	__u64 timed;  /* runs that it has timed: only while the run statistics are on */
};

/* The state of the fentry backend. */
struct fentry {
	const struct backend_env *env;
	struct calibration calibration;
	/* clock source at the calibration; used if the probe reads the clock */
	struct clock_source clock_source;
	int events_fd; /* the perf event array that all probes read */
	struct mapped_array gate;
	struct mapped_array runs; /* struct bprof_cpu_runs, indexed by CPU id; for nested targets */
	/* struct bprof_rotation, indexed by CPU id; for multiplexed events */
	struct mapped_array rotation;
	struct context_offsets at;
	__u32 contexts; /* contexts that the probes distinguish: BPROF_CONTEXT_..., bits */
	int hist_cnt;	/* number of distributions that each probe keeps */
	size_t stat_sz;
	struct probe_template *template;
	/* If its ids are not 0, the probes are fsessions (bpf/probe_fsession.bpf.h). */
	struct fsession_kfuncs kfuncs;
	/*
	 * The variant that measures sleepable targets with fsessions. It shares events_fd, gate and
	 * refs. NULL: there are no such targets, or fsessions are impossible.
	 */
	struct fentry *fsessions;
	struct own_runs own;	/* its tgid is 0: the runs of bprof itself are not left out */
	struct prog_refs *refs; /* tells which programs are sleepable; NULL without fsessions */
	/* addresses of trampolines; NULL: they do not matter or are unknown */
	struct load_addrs_bpf *images;
	int stats_fd; /* keeps the run statistics on, if they were on at the calibration; or -1 */
	/* riscv64: the slots that load_insns.c corrects, as bits, and what it needs for it */
	__u32 load_slots;
	struct load_addrs_bpf *addrs;
};

/* The probe of one target. */
struct probe {
	struct fentry *f; /* the variant that the probe belongs to */
	int prog_fd[PROBE_SIDE_CNT], link_fd[PROBE_SIDE_CNT];
	/*
	 * struct bprof_cpu_stat, each takes stat_sz bytes: indexed by CPU id, then those of the
	 * parts (struct bprof_retvals)
	 */
	struct mapped_array stats;
	size_t first_stat;	  /* offset of the first one */
	struct mapped_array pool; /* fsessions: frames, each takes BPROF_POOL_FRAME_SZ bytes */
	int part_cnt;		  /* 0: the target's runs are not divided by their return value */
	size_t stat_sz;
	/* of the exit programs that were attached to this target before */
	struct exit_counts detached;
	int cpu_limit;
	/* number of distributions, and index of the distribution of the clock */
	int hist_cnt, clock_hist;
	/* instructions that load addresses (load_insns.c), and those that the caller's counts contain */
	int load_insns, call_insns;
	bool insns_unknown;
};

static inline struct bprof_cpu_stat *probe__stat(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + p->first_stat + cpu * p->stat_sz);
}

/* Returns a frame of an fsession: of index i, below BPROF_POOL_FRAMES. */
static inline struct bprof_frame *probe__pool_frame(const struct probe *p, int i)
{
	return (void *)((char *)p->pool.mem + i * BPROF_POOL_FRAME_SZ);
}

/* Returns the sums of a part of the runs on one CPU; of part -1: of all runs. */
static inline struct bprof_cpu_stat *probe__part(const struct probe *p, int part, int cpu)
{
	return probe__stat(p, (1 + part) * p->cpu_limit + cpu);
}

/* Returns the return values of the parts. */
static inline struct bprof_retvals *probe__retvals(const struct probe *p)
{
	return (void *)probe__stat(p, 0)->hist;
}

/* Returns the counts of an open target on one CPU, shared with its probe. */
struct bprof_cpu_stat *fentry__stat(const struct target *t, int cpu);
/* Returns the sums of the runs that return 0, for a target that returns nothing else. */
struct bprof_cpu_stat *fentry__sums_of_empty(const struct target *t, int cpu);
/*
 * Adds what the kernel has counted of the exit program that is loaded now, if there is one. Returns
 * 0 or -errno.
 */
int probe__count_exits(const struct probe *p, struct exit_counts *c);
/* Resets the target's counts on one CPU, except for the bias. The gate must be closed. */
void fentry__reset(const struct target *t, int cpu);
/*
 * Makes the probes of targets that are opened later distinguish exactly these contexts
 * (BPROF_CONTEXT_..., bits). No target may be open. Returns 0, or -errno with *reason.
 */
int fentry__set_contexts(struct fentry *f, __u32 contexts, struct reason *reason);
/*
 * Opens another variant of the backend, which has fsessions for probes. It shares the maps of f.
 * Returns 0, or -errno with *reason.
 */
int fentry__open_variant(struct fentry *f, struct fsession_kfuncs kfuncs, struct fentry **out,
			 struct reason *reason);
/* Opens f->fsessions if the kernel has fsessions, and targets may need them. */
void fentry__open_fsessions(struct fentry *f);
/* Returns true if this target should be measured with an fsession, in f->fsessions. */
bool fentry__needs_fsession(const struct fentry *f, const struct target *t);
/*
 * For multiplexed events, sets whether the probe subtracts the cost of reading the events (struct
 * bprof_rotation) from each run, in addition to the bias. Initially it does not. Discards the costs
 * measured so far. Does nothing for other events.
 */
void fentry__subtract_readings(struct fentry *f, bool on);
/*
 * Prepares to attach each probe so that all probes add the same amount to the measurements of their
 * targets' callers. Does nothing if that is impossible.
 */
void fentry__open_images(struct fentry *f);
/* The following functions are operations of struct counter_ops. */
int fentry__open_target(void *state, struct target *t, struct reason *reason);
/*
 * Opens those of the targets that can be opened at once, in several threads if the process may use
 * several CPUs. The others remain to be opened by fentry__open_target().
 */
void fentry__open_targets(void *state, struct target *v, int cnt);
void fentry__start(void *state);
void fentry__stop(void *state);
int fentry__read_target(const void *state, struct target *t, bool hists, struct counts *per_cpu,
			struct counts *no_cpu);
int fentry__mark(const struct target *t, __u64 *mark);
void fentry__close_target(struct target *t);
/*
 * Loads and attaches the probe of an open target. Repeats this, up to a limit, until the probe
 * adds the usual amount to the measurements of the target's callers.
 */
int fentry__attach(void *state, struct target *t, struct reason *reason);
int fentry__preload(void *state, struct target *t, struct reason *reason);
void fentry__detach(struct target *t);
int fentry__link_ids(const struct target *t, __u32 *ids);

#endif
