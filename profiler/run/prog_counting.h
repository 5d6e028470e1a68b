/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting programs: the targets that the options select, a session that measures them, and the
 * following of programs that are loaded later.
 */
#ifndef BPROF_PROG_COUNTING_H
#define BPROF_PROG_COUNTING_H

#include "base/util.h"
#include "run/counting.h"
#include "run/loop.h"
#include "run/target_opts.h"

struct backend_opts;
struct cpus;
struct event_list;
struct follow;
struct prog_labels;
struct result_opts;
struct session;
struct snapshot;
struct verify_rates;

/* The argument of prog_counting_ops. prog_counting__open() sets s and follow. */
struct prog_counting {
	struct session *s;
	const struct result_opts *result;
	struct follow *follow; /* NULL: programs are not followed */
	/*
	 * If programs are followed: the tag of the program version with which the other versions
	 * are compared. NULL: the first version.
	 */
	const char *vs;
	/*
	 * result_span.slices_from of the reports: a snapshot from before their intervals, or NULL
	 */
	const struct snapshot *slices_from;
	/* The labels that reports show for programs, looked up when needed; NULL: no labels */
	struct prog_labels *labels;
	/*
	 * If programs are followed: do not compare versions. A comparison takes as long as the
	 * report.
	 */
	bool no_versions;
	/*
	 * Set with --verify: each tick begins a turn at another rate; NULL: the rate is always the
	 * same
	 */
	struct verify_rates *rates;
	/*
	 * With --by: keys that cost little give their parts to keys that come later. Only for a
	 * measurement with one start and one stop.
	 */
	bool replaces_keys;
	struct snapshot *started; /* the snapshot of the start, which the caller owns */
	__u64 next_replacing_ns;  /* keys are replaced at the first tick after this time */
};

extern const struct counting_ops prog_counting_ops; /* arg: struct prog_counting */

struct prog_counting_opts {
	struct target_opts *targets;
	struct event_list *events; /* if it is empty, the default events are added to it */
	const struct cpus *cpus;
	const struct backend_opts *session;
	/*
	 * prog_counting__open() sets the times of the loop's ticks, which depend on the length of
	 * its intervals. It stores RLIMIT_NOFILE in fd_limit before it raises the limit.
	 */
	struct loop_opts *loop;
	/* the measurement has no end: keep unused programs loaded longer */
	bool endless;
	__u64 max_versions; /* with session->follow: see follow__set_limit() */
};

/*
 * Sets the defaults of a measurement without an end. It selects all programs if there is no
 * selector. It follows programs that are loaded later if a selector can match them. It chooses how
 * many runs the probes measure.
 */
void prog_counting__set_endless(struct target_opts *targets, struct backend_opts *session);

/*
 * Makes reports show owners, devices and hooks if labels asks for them. The labels must outlive the
 * reports. The caller frees the labels.
 */
void prog_counting__set_labels(struct prog_counting *c, struct result_opts *result,
			       struct prog_labels *labels);

/*
 * Sets c->s and the loop's ticks and, if session->follow is set, also c->follow. The options must
 * outlive them. Returns 0 or -errno (reported). The caller calls prog_counting__close() also after
 * a failure.
 */
int __must_check prog_counting__open(const struct prog_counting_opts *o, struct prog_counting *c);
void prog_counting__close(struct prog_counting *c);

#endif
