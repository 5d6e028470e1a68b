/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a backend knows of the measurement that it is part of.
 */
#ifndef BPROF_BACKEND_ENV_H
#define BPROF_BACKEND_ENV_H

#include <stdbool.h>
#include <linux/types.h>

#include "kernel/cpus.h"
#include "event/event.h"
#include "event/event_fds.h"
#include "backend/method_list.h"

struct target_list;
struct trace_probe;

struct backend_opts {
	struct method_list methods;
	__u64 sample_freq; /* in Hz, on each CPU; for a backend that takes samples */
	bool calibrate;	   /* numbers are net of the probe's own cost */
	bool hist;	   /* keep distributions */
	__u64 thin_period; /* measure one run in thin_period; 1: all */
	__u32 thin_share; /* not 0: choose the period so that no more of a CPU is added (thinning.h) */
	struct trace_probe *trace; /* records single runs (trace_probe.h); without hist; or NULL */
	bool follow;		   /* targets may come and go while they are measured */
};

struct backend_env {
	struct backend_opts opts;
	const struct event_list *events; /* the caller's */
	struct event_fds *fds;
	bool fds_read;	    /* a backend that reads fds is open */
	struct cpus cpus;   /* measured, ascending */
	struct cpus online; /* those of them that were online at the start */
	int cpu_limit;	    /* highest possible CPU id + 1: the size of what is keyed by CPU id */
	bool nested;	    /* targets may call one another */
	const struct target_list *targets; /* all of the session, of every backend */
};

#endif
