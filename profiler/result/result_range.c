// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sums of the counts of one row (result_range.h). Must not know what a row shows of them. */
#include <stdint.h>
#include <string.h>

#include "result/result.h"
#include "result/result_clock.h"
#include "result/result_range.h"
#include "result/result_retval.h"

/*
 * Sets *diff to *to minus *from. The minimum and maximum of the difference are known only if *from
 * counted no runs. Otherwise they are set to the widest range, which remains when counts are added
 * up.
 */
static void subtract_counts(const struct counts *to, const struct counts *from, struct counts *diff)
{
	*diff = *to;
	counts__add(diff, from, -1);
	for (int i = 0; from->measured && i < BPROF_SLOTS; i++) {
		diff->event[i].min = diff->measured ? INT64_MIN : INT64_MAX;
		diff->event[i].max = diff->measured ? INT64_MAX : INT64_MIN;
	}
}

/*
 * Returns the number of runs in which no event could be read. c must be the counts of one CPU,
 * because CPUs may differ in which events cannot be read (big.LITTLE).
 */
static __u64 count_unread(const struct session *s, const struct counts *c)
{
	__u64 unread = c->measured;

	for (int i = 0; i < s->env.events->cnt; i++)
		if (s->env.fds->state[i].status == EVENT_OK &&
		    c->event[s->env.fds->state[i].slot].errors < unread)
			unread = c->event[s->env.fds->state[i].slot].errors;
	return unread;
}

/*
 * Corrects the number of measured runs on the session's i-th CPU: runs in which no event could be
 * read are lost runs. If the runs are divided, adds up those of the parts, so that the parts and
 * the whole agree.
 */
static void count_unread_as_lost(const struct range *g, int i, struct counts *c)
{
	__u64 unread = 0, divided = 0;
	struct counts diff;

	for (int part = 0; g->part == ALL_PARTS && part < g->to->part_cnt && i < g->to->cpu_cnt;
	     part++) {
		int row = snapshot__part_row(g->to, part, i);

		subtract_counts(snapshot__at(g->to, g->target, row),
				snapshot__before(g->from, g->target, row), &diff);
		divided += diff.measured;
		unread += count_unread(g->s, &diff);
	}
	if (!divided)
		unread = count_unread(g->s, c);
	c->measured -= unread;
	c->lost[LOST_READ] += unread;
	for (int i = 0; i < BPROF_SLOTS; i++)
		c->event[i].errors -= c->event[i].errors < unread ? 0 : unread;
}

/* Returns true if sums for the slot must leave out the counts of the session's i-th CPU. */
static bool is_left_out(const struct range *g, int i, __u32 slot)
{
	return slot == BPROF_CLOCK_SLOT && backend__has(g->t->backend, BACKEND_COUNTS_EVENTS) &&
	       result__has_wrong_clock(g->s, i, snapshot__before(g->from, g->target, i),
				       snapshot__at(g->to, g->target, i));
}

/*
 * Returns false for the counts that belong to no CPU, if the range is a part, and for unmeasured
 * runs, which are not counted by part.
 */
static bool has_row(const struct range *g, int i)
{
	return g->part == ALL_PARTS || (g->part >= 0 && i < g->to->cpu_cnt);
}

static int row_of(const struct range *g, int i)
{
	return g->part == ALL_PARTS ? i : snapshot__part_row(g->to, g->part, i);
}

/* Adds the runs that were thinned out, lost or not probed: their return values are not known. */
static void add_unmeasured(const struct range *g, int i, struct counts *sum)
{
	const struct counts *to = snapshot__at(g->to, g->target, i);
	const struct counts *from = snapshot__before(g->from, g->target, i);

	sum->thinned_out += to->thinned_out - from->thinned_out;
	sum->unprobed += to->unprobed - from->unprobed;
	sum->blind_ns += to->blind_ns - from->blind_ns;
	for (int l = 0; l < LOST_CNT; l++)
		sum->lost[l] += to->lost[l] - from->lost[l];
}

void range__sum(const struct range *g, struct counts *sum)
{
	struct counts diff;

	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < BPROF_SLOTS; i++) {
		sum->event[i].min = INT64_MAX;
		sum->event[i].max = INT64_MIN;
	}
	for (int i = g->first; i <= g->last; i++) {
		if (g->part == UNMEASURED_PART)
			add_unmeasured(g, i, sum);
		if (!has_row(g, i))
			continue;
		subtract_counts(snapshot__at(g->to, g->target, row_of(g, i)),
				snapshot__before(g->from, g->target, row_of(g, i)), &diff);
		if (is_left_out(g, i, BPROF_CLOCK_SLOT))
			counts__drop_clock(&diff);
		if (backend__has(g->t->backend, BACKEND_COUNTS_EVENTS))
			count_unread_as_lost(g, i, &diff);
		counts__add(sum, &diff, 1);
		counts__widen(sum, &diff);
	}
}

void range__of_events(const struct range *g, const struct counts *c, struct range *of_events)
{
	*of_events = *g;
	if (g->slices_from && (c->unprobed || c->blind_ns))
		of_events->from = g->slices_from;
}

int range__add_hists(const struct range *g, __u32 slot, struct hist *h)
{
	int err = 0;

	for (int i = g->first; !err && i <= g->last; i++) {
		if (is_left_out(g, i, slot) || !has_row(g, i))
			continue;
		err = hist__add(
			h, &snapshot__at(g->to, g->target, row_of(g, i))->event[slot].hist,
			&snapshot__before(g->from, g->target, row_of(g, i))->event[slot].hist);
	}
	return err;
}
