/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the probe that adds up what the functions of single runs cost (struct bprof_shares). Runs
 * in the exit probes after their readings and sums. Its overhead is subtracted from the callers' readings,
 * so add_share() must do the same work in every call.
 */
#ifndef BPROF_PROBE_SHARES_BPF_H
#define BPROF_PROBE_SHARES_BPF_H

#include <stddef.h>

#define HAS_SHARES
#include "probe_pair.bpf.h"

/* Gives a new run a number that no earlier run in this element of bprof_runs had. */
static __always_inline void begin_shares(struct bprof_run *run)
{
	run->number += BPROF_RUNS;
}

/*
 * Returns the first row of a run. Computes its address from the address of the run: otherwise the probe
 * would have to look up the CPU's element of the map again. The distance from a run to its rows grows with
 * the run's index.
 */
static __always_inline struct bprof_share *first_row(struct bprof_run *run)
{
	const __u64 farther = sizeof(((struct bprof_shares *)NULL)->row[0]) - sizeof(*run);
	__u64 place = run->number & (BPROF_RUNS - 1);

	barrier_var(place);
	return (void *)run + offsetof(struct bprof_shares, row) + place * farther;
}

/* Returns a mask: all bits if the row has values of the present run, else 0. Has no branch. */
static __always_inline __u64 is_of_run(const struct bprof_share *row, const struct bprof_run *run)
{
	__u64 keep = -is_equal(row->number, run->number);

	barrier_var(keep); /* keeps clang from making branches of it */
	return keep;
}

/*
 * Adds a call to the row of its function in this run. The call has already been added to the sums
 * in stat.
 */
static __always_inline void add_share(struct bprof_run *run, struct bprof_cpu_stat *stat,
				      __u64 config, const __u32 max)
{
	struct bprof_trace_cpu *t;
	struct bprof_share *row;
	__u64 keep;

	barrier_var(stat); /* here and below: else clang keeps more on the stack (reload()) */
	t = (void *)stat->hist;
	barrier_var(t);
	row = first_row(run) + (t->row & (BPROF_SHARES - 1));
	keep = is_of_run(row, run);
	row->number = run->number;
	row->calls = (row->calls & keep) + 1;
#pragma unroll
	for (__u32 i = 0; i < BPROF_SLOTS; i++) {
		if (!is_read(config, max, i))
			continue;
		row->self[i] = (row->self[i] & keep) + stat->event[i].self - t->self[i];
		t->self[i] = stat->event[i].self;
	}
}

/* Adds all functions of a run that met a condition to the sums of matching runs. */
static __always_inline void add_matching(struct bprof_trace_cpu *t, struct bprof_run *run,
					 __u64 config, const __u32 max)
{
	struct bprof_share *row = first_row(run);

#pragma unroll
	for (__u32 i = 0; i < BPROF_SLOTS; i++)
		if (is_read(config, max, i) && !(t->record.failed >> i & 1))
			t->net[i] += t->record.net[i];
#pragma clang loop unroll(disable)
	for (__u32 n = 0; n < BPROF_SHARES && n < bprof_trace.rows; n++, row++) {
		__u64 keep = is_of_run(row, run);

		row->matching.calls += row->calls & keep;
#pragma unroll
		for (__u32 i = 0; i < BPROF_SLOTS; i++)
			if (is_read(config, max, i))
				row->matching.self[i] += row->self[i] & keep;
	}
}

/* Sets the costs of a run in its record. */
static __always_inline void set_nets(struct bprof_record *r, const struct bprof_cpu_stat *stat,
				     const struct bprof_frame *frame, const struct bprof_run *run,
				     __u64 config, const __u32 max)
{
	r->failed = 0;
#pragma unroll
	for (__u32 i = 0; i < BPROF_SLOTS; i++) {
		if (!is_read(config, max, i))
			continue;
		r->failed |= has_failed(stat, frame, i) << i;
		r->net[i] = net_of(stat, frame, run, 0, i);
	}
}

/*
 * Returns whether the run met a condition. If it did, sets the members of its record that need the
 * frame.
 */
static __always_inline bool match_outermost(void *ctx, struct bprof_trace_cpu *t,
					    struct bprof_cpu_stat *stat,
					    const struct bprof_frame *frame,
					    const struct bprof_run *run, const __u32 max,
					    const bool slowest)
{
	__u32 why;

	t->outermost++;
	/* kept in the record, so that clang needs no more stack */
	if (slowest)
		t->record.why = find_slowest(t, stat, frame, run, 0);
	why = find_why(ctx, t, stat, frame, run, load_config(), 0, max);
	if (slowest)
		why |= *(volatile __u32 *)&t->record.why;
	t->record.why = why;
	if (!may_match(t))
		return false;
	set_nets(&t->record, stat, frame, run, load_config(), max);
	if (!matches(ctx, t))
		return false;
	t->matched++;
	return true;
}

/* Ends the outermost invocation of a run. The invocation has already been added to the sums. */
static __always_inline int end_outermost(void *ctx, struct bprof_cpu_stat *stat,
					 struct bprof_frame *frame, struct bprof_run *run,
					 const __u32 max, const enum exit_kind kind)
{
	struct bprof_trace_cpu *t;
	bool is_match;

	barrier_var(stat);
	t = (void *)stat->hist;
	barrier_var(t);
	is_match = match_outermost(ctx, t, stat, frame, run, max, kind == EXIT_TRACED_SLOWEST);
	barrier_var(t);
	if (load_config() & BPROF_CONFIG_CALLS)
		run->caller = frame->caller;
	if (is_match)
		add_matching(t, run, load_config(), max);
	run->stack = 0;
	if (is_match)
		record_run(ctx, t);
	barrier(); /* free the frame last, after its run has been added to the sums */
	frame->ctx = 0;
	return 0;
}

#endif
