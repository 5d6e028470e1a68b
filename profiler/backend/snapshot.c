// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Snapshots: arithmetic on what several backends counted. Knows which counts can be added and which
 * cannot. Must not know how a backend counts. Prints nothing.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/snapshot.h"
#include "base/memory.h"

int counts__rows(int cpu_cnt, int part_cnt)
{
	return cpu_cnt + 1 + part_cnt * cpu_cnt;
}

int slice_sums__rows(int cpu_cnt, int part_cnt)
{
	return 1 + cpu_cnt + part_cnt;
}

void slice_sums__free_parts(struct slice_sums *sums, int cpu_cnt, int part_cnt, const bool *part)
{
	struct slice_sums *parts = &sums[1 + cpu_cnt];

	for (int i = 1; i < part_cnt; i++) {
		if (!part[i])
			continue;
		parts[i] = (struct slice_sums){};
		for (int slot = 0; slot < BPROF_SLOTS; slot++)
			parts[0].event[slot].n = NAN;
	}
}

/* The memory that counts__new() allocates: the number of owners, followed by the rows. */
struct owned_rows {
	long owners;
	struct counts row[];
};

static struct owned_rows *owned(struct counts *rows)
{
	return (void *)((char *)rows - offsetof(struct owned_rows, row));
}

struct counts *counts__new(int cnt)
{
	struct owned_rows *o = xcalloc(1, sizeof(*o) + cnt * sizeof(o->row[0]));

	o->owners = 1;
	for (int i = 0; i < cnt; i++)
		for (int slot = 0; slot < BPROF_SLOTS; slot++) {
			o->row[i].event[slot].min = INT64_MAX;
			o->row[i].event[slot].max = INT64_MIN;
		}
	return o->row;
}

struct counts *counts__share(struct counts *c)
{
	owned(c)->owners++;
	return c;
}

void counts__free(struct counts *c, int cnt)
{
	if (!c || --owned(c)->owners)
		return;
	for (int i = 0; i < cnt; i++)
		for (int slot = 0; slot < BPROF_SLOTS; slot++)
			hist__free(&c[i].event[slot].hist);
	free(owned(c));
}

void counts__copy(struct counts *to, const struct counts *from, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		to[i] = from[i];
		for (int slot = 0; slot < BPROF_SLOTS; slot++)
			hist__dup(&from[i].event[slot].hist, &to[i].event[slot].hist);
	}
}

__u64 counts__runs(const struct counts *c)
{
	__u64 runs = c->measured + c->thinned_out + c->unprobed;

	for (int i = 0; i < LOST_CNT; i++)
		runs += c->lost[i];
	return runs;
}

struct snapshot *snapshot__alloc(int target_cnt, int cpu_cnt, int part_cnt)
{
	struct snapshot *snap = xcalloc(1, sizeof(*snap));

	snap->cpu_cnt = cpu_cnt;
	snap->part_cnt = part_cnt;
	snap->rows_per_target = counts__rows(cpu_cnt, part_cnt);
	snap->target_cnt = target_cnt;
	snap->target = xcalloc(target_cnt, sizeof(*snap->target));
	return snap;
}

struct snapshot *snapshot__new(int target_cnt, int cpu_cnt, int part_cnt)
{
	struct snapshot *snap = snapshot__alloc(target_cnt, cpu_cnt, part_cnt);

	for (int i = 0; i < target_cnt; i++)
		snap->target[i] = counts__new(snap->rows_per_target);
	return snap;
}

void snapshot__free(struct snapshot *snap)
{
	if (!snap)
		return;
	for (int i = 0; i < snap->target_cnt; i++)
		counts__free(snap->target[i], snap->rows_per_target);
	for (int i = 0; snap->slices && i < snap->target_cnt; i++)
		free(snap->slices[i]);
	free(snap->target);
	free(snap->slices);
	free(snap->cycles);
	free(snap);
}

void snapshot__keep(struct snapshot *snap, const bool *keep)
{
	int cnt = 0;

	for (int i = 0; i < snap->target_cnt; i++) {
		if (!keep[i]) {
			counts__free(snap->target[i], snap->rows_per_target);
			if (snap->slices)
				free(snap->slices[i]);
			continue;
		}
		if (snap->slices)
			snap->slices[cnt] = snap->slices[i];
		snap->target[cnt++] = snap->target[i];
	}
	snap->target_cnt = cnt;
}

struct counts *snapshot__at(const struct snapshot *snap, int target, int row)
{
	return &snap->target[target][row];
}

int snapshot__part_row(const struct snapshot *snap, int part, int cpu)
{
	return snap->cpu_cnt + 1 + part * snap->cpu_cnt + cpu;
}

bool snapshot__has(const struct snapshot *snap, int target)
{
	return target < snap->target_cnt;
}

bool snapshot__shares(const struct snapshot *a, const struct snapshot *b, int target)
{
	return snapshot__has(a, target) && snapshot__has(b, target) &&
	       a->target[target] == b->target[target];
}

const struct counts *snapshot__before(const struct snapshot *snap, int target, int row)
{
	static const struct counts nothing;

	return snapshot__has(snap, target) ? snapshot__at(snap, target, row) : &nothing;
}

void counts__add(struct counts *c, const struct counts *d, int sign)
{
	c->measured += sign * d->measured;
	c->thinned_out += sign * d->thinned_out;
	c->own += sign * d->own;
	c->others += sign * d->others;
	c->others_ns += sign * d->others_ns;
	c->unprobed += sign * d->unprobed;
	c->rested.runs += sign * d->rested.runs;
	c->rested.ns += sign * d->rested.ns;
	c->blind_ns += sign * d->blind_ns;
	c->recursion_misses += sign * d->recursion_misses;
	c->merged += sign * d->merged;
	c->slowed += sign * d->slowed;
	for (int i = 0; i < LOST_CNT; i++)
		c->lost[i] += sign * d->lost[i];
	for (int i = 0; i < BPROF_SLOTS; i++) {
		struct event_counts *e = &c->event[i];

		e->total += sign * d->event[i].total;
		e->self += sign * d->event[i].self;
		e->samples += sign * d->event[i].samples;
		e->errors += sign * d->event[i].errors;
		e->uncovered += sign * d->event[i].uncovered;
		e->bias += sign * d->event[i].bias;
		e->squares += sign * d->event[i].squares;
	}
}

void snapshot__add(struct snapshot *snap, const struct snapshot *d, int sign)
{
	for (int i = 0; i < snap->target_cnt && i < d->target_cnt; i++)
		for (int row = 0; row < snap->rows_per_target; row++)
			counts__add(snapshot__at(snap, i, row), snapshot__at(d, i, row), sign);
	for (int i = 0; snap->cycles && d->cycles && i < snap->cpu_cnt; i++)
		snap->cycles[i] += sign * d->cycles[i];
}

void snapshot__set(struct snapshot *snap, int target, struct counts *rows)
{
	if (target >= snap->target_cnt) {
		snap->target = xreallocarray(snap->target, target + 1, sizeof(*snap->target));
		if (snap->slices)
			snap->slices =
				xreallocarray(snap->slices, target + 1, sizeof(*snap->slices));
	}
	for (; snap->target_cnt <= target; snap->target_cnt++) {
		snap->target[snap->target_cnt] = counts__new(snap->rows_per_target);
		if (snap->slices)
			snap->slices[snap->target_cnt] = NULL;
	}
	counts__free(snap->target[target], snap->rows_per_target);
	snap->target[target] = rows;
}

void counts__widen(struct counts *c, const struct counts *d)
{
	for (int i = 0; i < BPROF_SLOTS; i++) {
		struct event_counts *to = &c->event[i];
		const struct event_counts *from = &d->event[i];

		to->min = from->min < to->min ? from->min : to->min;
		to->max = from->max > to->max ? from->max : to->max;
	}
}

void counts__merge(struct counts *to, const struct counts *from)
{
	counts__add(to, from, 1);
	counts__widen(to, from);
	for (int slot = 0; slot < BPROF_SLOTS; slot++)
		hist__add(&to->event[slot].hist, &from->event[slot].hist, &(struct hist){});
}

void counts__move(struct counts *to, struct counts *from)
{
	struct counts *moved = counts__new(1), none = *moved;

	*moved = *from;
	*from = none;
	counts__merge(to, moved);
	counts__free(moved, 1);
}

static void free_parts(struct snapshot *snap, int target, const bool *part)
{
	for (int i = 1; i < snap->part_cnt; i++)
		for (int cpu = 0; part[i] && cpu < snap->cpu_cnt; cpu++) {
			struct counts *row =
				snapshot__at(snap, target, snapshot__part_row(snap, i, cpu));

			counts__move(snapshot__at(snap, target, snapshot__part_row(snap, 0, cpu)),
				     row);
			row->reused = true;
		}
}

void snapshots__free_parts(struct snapshot *const *snaps, int cnt, int target, const bool *part)
{
	for (int i = 0; i < cnt; i++) {
		bool done = !snaps[i] || !snapshot__has(snaps[i], target);

		for (int k = 0; !done && k < i; k++)
			done = snaps[k] && (snaps[k] == snaps[i] ||
					    snapshot__shares(snaps[k], snaps[i], target));
		if (!done)
			free_parts(snaps[i], target, part);
		if (snaps[i] && snaps[i]->slices && snapshot__has(snaps[i], target) &&
		    snaps[i]->slices[target])
			slice_sums__free_parts(snaps[i]->slices[target], snaps[i]->cpu_cnt,
					       snaps[i]->part_cnt, part);
	}
}

/*
 * Returns the part of a target that has this key. If no part has it, returns a free part, or 0, the
 * part for all other keys.
 */
static int find_part(const struct snapshot *snap, int target, __u64 retval)
{
	for (int part = 1; retval && part < snap->part_cnt; part++) {
		const struct counts *c =
			snapshot__at(snap, target, snapshot__part_row(snap, part, 0));

		if (!c->retval || c->retval == retval)
			return part;
	}
	return 0;
}

/* Merges a part of a target into the part with the same key. */
static void merge_part(struct snapshot *to, const struct snapshot *from, int target, int part)
{
	const struct counts *c = snapshot__at(from, target, snapshot__part_row(from, part, 0));
	int into = find_part(to, target, c->retval);

	if (part && !c->retval)
		return; /* no run has used the part */
	for (int cpu = 0; cpu < to->cpu_cnt; cpu++) {
		struct counts *sum = snapshot__at(to, target, snapshot__part_row(to, into, cpu));

		if (into) {
			sum->retval = c->retval;
			memcpy(sum->comm, c->comm, sizeof(sum->comm));
		}
		counts__merge(sum, c + cpu);
	}
}

void snapshot__merge(struct snapshot *to, const struct snapshot *from)
{
	to->ns += from->ns;
	to->edge = from->edge;
	for (int i = 0; to->cycles && from->cycles && i < to->cpu_cnt; i++)
		to->cycles[i] += from->cycles[i];
	for (int i = 0; i < to->target_cnt; i++) {
		for (int row = 0; row <= to->cpu_cnt; row++)
			counts__merge(snapshot__at(to, i, row), snapshot__at(from, i, row));
		for (int part = 0; part < to->part_cnt; part++)
			merge_part(to, from, i, part);
	}
}
