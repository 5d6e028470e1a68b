/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rate of runs of programs that no probe of a session measures. The kernel's run statistics count
 * these runs, too, so the session adds time to them.
 */
#ifndef BPROF_OTHER_RUNS_H
#define BPROF_OTHER_RUNS_H

#include <linux/types.h>

struct backend_env;

struct other_runs {
	struct other_prog {
		__u32 id;
		__u64 cnt;
	} * prog; /* in the order of their ids */
	int cnt;
	__u64 at_ns, next_ns; /* times of the last and of the next update */
	double per_ns;	      /* rate of all these runs, on all CPUs; 0: not known yet */
};

/*
 * Counts the runs since the last update, if the next update is due. If the programs cannot be
 * listed, leaves the rate as it was.
 */
void other_runs__update(struct other_runs *o, const struct backend_env *env, __u64 now_ns);
void other_runs__free(struct other_runs *o);

#endif
