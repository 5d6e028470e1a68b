/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the fentry backend share. For them only.
 */
#ifndef BPROF_BACKEND_FENTRY_PRIV_H
#define BPROF_BACKEND_FENTRY_PRIV_H

#include "counter.h"
#include "mapped_array.h"
#include "probe_template.h"

/* That of a target. */
struct probe {
	int prog_fd[PROBE_SIDE_CNT], link_fd[PROBE_SIDE_CNT];
	struct mapped_array stats; /* struct bprof_cpu_stat by CPU id, every stat_sz bytes */
	size_t stat_sz;
	__u64 let_go_misses; /* of the exit probes that were let go of */
	int cpu_limit;
	int hist_cnt, clock_hist; /* distributions; which of them is the clock's */
};

static inline struct bprof_cpu_stat *probe__stat(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + cpu * p->stat_sz);
}

/* Reads the counts of one CPU, of which stat has them. 0 or -ENOMEM. */
int probe__read_cpu(const struct probe *p, const struct bprof_cpu_stat *stat, bool hists,
		    struct counts *c);

#endif
