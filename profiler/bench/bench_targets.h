/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs of both versions that bench runs: loaded from objects, or already loaded.
 */
#ifndef BPROF_BENCH_TARGETS_H
#define BPROF_BENCH_TARGETS_H

#include <stdbool.h>

#include "bench/bench.h"
#include "target/target.h"

struct bench_object;
struct bench_object_prog;
struct bench_skip;
struct report;
struct bench_plan;

struct bench_targets {
	const struct bench_plan *plan; /* borrowed */
	bool by_site;		       /* calls are divided by the place of the call */
	struct bench_object *object[BENCH_SIDE_CNT];
	bool loaded; /* the objects were loaded at least once */
	__u32 *base; /* program ids of the base version */
	int base_cnt;
	/*
	 * With plan->setup.exact: ids of loaded programs whose code is not of full length
	 * (code_length.h), or whose length is not known.
	 */
	__u32 *shorter;
	int shorter_cnt;
	/*
	 * From the first load of each version: the programs that cannot be run, with the verifier's
	 * figures, and the programs that cannot be loaded.
	 */
	struct bench_figures {
		struct bench_object_prog *v;
		int cnt;
		struct bench_skip *skip;
		int skip_cnt;
	} figures[BENCH_SIDE_CNT];
	struct target_list list; /* valid until a session takes ownership of it */
	/* Objects of earlier loads; bench_targets__close() frees them. */
	struct bench_object **deferred;
	int deferred_cnt;
};

/*
 * Loads the plan's objects and selects their programs, or selects the loaded programs that the plan
 * names. *t must be zeroed before the first call. A later call closes the previous load. Returns 0
 * or -errno (reported). The caller closes *t in any case. by_site: see target_list__add_calls().
 */
int bench_targets__open(const struct bench_plan *plan, bool by_site, struct bench_targets *t);
void bench_targets__close(struct bench_targets *t);

/* Returns true if the verifier's figures are known for programs that cannot be run. */
bool bench_targets__has_figures(const struct bench_targets *t);
/* Returns true if the plan compares two versions, and no program of one version could be loaded. */
bool bench_targets__is_lost(const struct bench_targets *t);
/*
 * Reports why no program of a version could be loaded (bench_targets__is_lost()), and why programs
 * that the user named are missing. Leaves out reasons that the load has reported.
 */
void bench_targets__report_skipped(const struct bench_targets *t);
/*
 * Returns true if a program could not be loaded, and one of these is true: the user asked for its
 * cost, the user named it, or its base version could be loaded.
 */
bool bench_targets__has_failed(const struct bench_targets *t);
/* Adds rows for the programs that cannot be run, and skips for the programs that cannot be loaded. */
void bench_targets__add_figures(const struct bench_targets *t, enum bench_side side,
				struct report *r);

/* Returns true if the program belongs to the base version, with which the new one is compared. */
bool bench_targets__is_base(const struct bench_targets *t, __u32 id);
/* Sets p->full_length, p->fixed_short and the sizes (NaN if bench did not load the program). */
void bench_targets__set_sizes(const struct bench_targets *t, struct bench_prog *p);

#endif
