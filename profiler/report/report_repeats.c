// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the reports on the repeats of a measurement into one report. Owns the rules for how
 * numbers are merged; must not know how they were measured, or what any output looks like.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spread.h"
#include "base/text.h"
#include "report/report.h"

void report_event__copy_block(struct report_event *to, const struct report_event *from)
{
	struct report_block *b;

	if (!report_event__has_value(from))
		return;
	b = report_event__add_block(to);
	b->measured = from->measured;
	memcpy(b->stat, from->stat, sizeof(b->stat));
}

/* Returns the index of the next target's first row; i: the index of a row. */
static int next_target(const struct report *r, int i)
{
	for (i++; i < r->prog_cnt && !report__is_first_row(r, i);)
		i++;
	return i;
}

/*
 * Finds a target of the merged report in r, the report on a repeat. "like" is the target's first
 * row in the merged report. Returns the index of its first row in r, or -1 if r has no row of the
 * target. "next" is the row of r after those of the target before it. bprof bench loads programs
 * again, so that their ids differ in each repeat: there, the targets are known to be in the same
 * order.
 */
static int find_target(const struct report *r, int next, const struct report_prog *like)
{
	for (int seen = 0; seen < r->prog_cnt; seen++) {
		int i = (next + seen) % r->prog_cnt;
		const struct report_prog *p = &r->prog[i];

		if (r->driven && (seen || next == r->prog_cnt))
			break;
		if (report__is_first_row(r, i) && (r->driven || p->id == like->id) &&
		    text__is_same(p->name, like->name) && text__is_same(p->func, like->func) &&
		    text__is_same(p->input, like->input))
			return i;
	}
	return -1;
}

/*
 * Returns the row in the report on a repeat that corresponds to "like", a row of the merged report.
 * first: the index of the first row of its target in r; -1: the target has no row there. Returns
 * NULL if no run in this repeat returned the value of "like".
 */
static const struct report_row *find_row_of_part(const struct report *r, int first,
						 const struct report_prog *like)
{
	for (int i = first, end = next_target(r, first); i >= 0 && i < end; i++)
		if (report_prog__is_same_part(&r->prog[i], like) &&
		    report_row__has_same_events(&r->prog[i].all, &like->all))
			return &r->prog[i].all;
	return NULL;
}

static void merge_prog(struct report *merged, int prog, const int *first,
		       struct report *const *each, int cnt)
{
	struct report_row *row = &merged->prog[prog].all;
	struct spread *means = xcalloc(row->event_cnt + 1, sizeof(*means));

	for (int i = 0; i < cnt; i++) {
		const struct report_row *part =
			find_row_of_part(each[i], first[i], &merged->prog[prog]);

		for (int e = 0; e < row->event_cnt; e++) {
			const struct report_event *ev = part ? &part->event[e] : NULL;

			if (merged->by_retval && !(ev && report_event__has_value(ev)))
				continue;
			if (!ev) {
				spread__add(&means[e], NAN);
				continue;
			}
			spread__add(&means[e], ev->stat[STAT_MEAN]);
			report_event__copy_block(&row->event[e], ev);
		}
	}
	for (int e = 0; e < row->event_cnt; e++)
		row->event[e].repeat_stddev = spread__stddev(&means[e]);
	free(means);
}

static void merge_scope_row(struct report_row *merged, int scope, struct report *const *each,
			    int cnt)
{
	for (int e = 0; e < merged->event_cnt; e++) {
		struct spread total = {}, enabled = {}, running = {};
		struct report_event *ev = &merged->event[e];

		for (int i = 0; i < cnt; i++) {
			const struct report_scope *from = &each[i]->scope[scope];
			const struct report_row *row = report_row__of_cpu(
				&from->all, from->cpu, from->cpu_cnt, merged->cpu);

			if (!row)
				continue; /* CPUs may go online or offline between the repeats */
			spread__add_known(&total, report_row__value(row, &row->event[e]));
			spread__add_known(&enabled, row->event[e].enabled_ns);
			spread__add_known(&running, row->event[e].running_ns);
		}
		ev->total = spread__mean(&total);
		ev->enabled_ns = spread__mean(&enabled);
		ev->running_ns = spread__mean(&running);
		ev->repeat_stddev = spread__stddev(&total);
	}
}

void report__set_repeats(struct report *merged, struct report *const *each, int cnt)
{
	int *first, *next;

	merged->repeats = cnt;
	if (cnt < 2)
		return;
	/*
	 * A target need not have a row in each repeat: kernel functions that were not called (--calls)
	 * have none. first[k]: the first row of row i's target in each[k], or -1
	 */
	first = xcalloc(cnt, sizeof(*first));
	next = xcalloc(cnt, sizeof(*next));
	for (int i = 0; i < merged->prog_cnt; i++) {
		for (int k = 0; report__is_first_row(merged, i) && k < cnt; k++) {
			first[k] = find_target(each[k], next[k], &merged->prog[i]);
			if (first[k] >= 0)
				next[k] = next_target(each[k], first[k]);
		}
		merge_prog(merged, i, first, each, cnt);
	}
	free(first);
	free(next);
	for (int i = 0; i < merged->scope_cnt; i++) {
		struct report_scope *s = &merged->scope[i];

		merge_scope_row(&s->all, i, each, cnt);
		for (int j = 0; j < s->cpu_cnt; j++)
			merge_scope_row(&s->cpu[j], i, each, cnt);
	}
}
