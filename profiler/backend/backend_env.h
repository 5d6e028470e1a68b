/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of a session that its backends know.
 */
#ifndef BPROF_BACKEND_ENV_H
#define BPROF_BACKEND_ENV_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/method_list.h"
#include "backend/snapshot.h"
#include "btf/run_key.h"
#include "event/event.h"
#include "event/event_fds.h"
#include "host/cpus.h"

struct target_list;
struct trace_probe;

/* The memory of the counts of all probes of a session, in bytes. Several threads may use it. */
struct memory_budget {
	__u64 limit, used;
};

struct backend_opts {
	struct method_list methods;
	__u64 sample_freq; /* frequency in Hz per CPU, for a backend that takes samples */
	bool calibrate;	   /* subtract the bias of the probe */
	bool hist;	   /* count the distributions (histograms) of the events */
	int hist_shift;	   /* how coarse the distributions are: see hist__words_sz() */
	__u64 thin_period; /* measure one run in thin_period; 1: every run */
	__u32 thin_share;  /* if not 0, limits the CPU time that the probes add (thinning.h) */
	/*
	 * with thin_share: a probe takes turns if it would exceed the limit even without measuring
	 * a run
	 */
	bool turns;
	bool must_hold; /* with turns: refuse targets that cannot take turns */
	bool strict;	/* with turns: do not make the kernel count runs */
	/*
	 * with turns: detach a probe for good instead of taking turns, if the kernel counts its
	 * target's runs
	 */
	bool attach_once;
	struct trace_probe *trace; /* NULL: do not record single runs; not NULL: hist is false */
	/*
	 * the share of a CPU (thinning.h) that probes of kernel functions may cost callers that are
	 * not measured; 0: 1 %
	 */
	__u32 others_share;
	/* limit for the probes' counts, in bytes; 0: a share of the free memory, at most usual_memory */
	__u64 max_memory;
#define USUAL_MEMORY (512ULL << 20)
#define USUAL_MEMORY_OF_LIVE (256ULL << 20) /* usual_memory for commands that run all the time */
	__u64 usual_memory;		    /* 0: USUAL_MEMORY */
#define SMALL_MEMORY (4ULL << 20)	    /* the limit is never below this */
	enum run_key by; /* count the runs of each value of this key separately */
	bool by_site;	 /* divide the calls of functions of the kernel by the place of the call */
	/*
	 * count what each target costs by itself, without other targets, even if targets are not
	 * known to call one another
	 */
	bool own_costs;
	bool follow;	  /* programs may be loaded and unloaded during the measurement */
	bool others_only; /* where possible, leave out the runs that this process starts */
};

struct backend_env {
	struct backend_opts opts;
	const struct event_list *events; /* events to count, owned by the caller */
	struct event_fds *fds;
	bool fds_read;	    /* at least one open backend reads fds */
	struct cpus cpus;   /* CPUs to measure, in ascending order */
	struct cpus online; /* the CPUs of "cpus" that were online at the start */
	int cpu_limit;	    /* highest possible CPU id + 1: size of arrays indexed by CPU id */
	bool some_cpus;	    /* -C was given: not all online CPUs are measured */
	bool nested;	    /* targets may call one another */
	bool calls;	    /* some targets are functions of the kernel that other targets call */
	bool runs_counted; /* the kernel counts the runs of all programs (BACKEND_COUNTS_ALL_RUNS) */
	struct run_stats_cost stats_cost; /* with opts.turns */
	struct memory_budget *memory;	  /* owned by the session */
	/* all targets of the session, of all backends */
	const struct target_list *targets;
};

/* Returns true if the probes do not measure every run (thinning). */
static inline bool backend_env__thins(const struct backend_env *env)
{
	return env->opts.thin_period > 1 || env->opts.thin_share;
}

/*
 * Returns the number of parts into which probes divide a target's runs; 0: they do not divide them.
 * (Each CPU has its own counts in any case.)
 */
static inline int backend_env__part_cnt(const struct backend_env *env)
{
	return env->opts.by == BY_RETVAL	? BPROF_PARTS
	       : run_key__is_read(env->opts.by) ? BPROF_KEY_PARTS
						: 0;
}

/* Returns the number of rows of a target's counts (struct snapshot). */
static inline int backend_env__rows(const struct backend_env *env)
{
	return counts__rows(env->cpus.cnt, backend_env__part_cnt(env));
}

#endif
