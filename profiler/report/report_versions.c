// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Versions: programs with the same name in a report. Owns the order of versions, and the choice of
 * the version with which all other versions are compared; must not know where versions come from,
 * or how a change is shown. Prints nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/report.h"

/* ---- order of versions ---- */

struct order {
	struct report_prog *sorted;
	int cnt;
	bool *placed; /* placed[i]: r->prog[i] is in sorted */
};

/* Appends the rows of a program to o->sorted, in their order in the report. */
static void place_program(const struct report *r, struct order *o, __u32 id)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].id == id && !o->placed[i]) {
			o->placed[i] = true;
			o->sorted[o->cnt++] = r->prog[i];
		}
}

/*
 * Returns the index of a row called name that is not in o->sorted yet: the row of the program that
 * was loaded first. Returns -1 if there is no such row.
 */
static int find_oldest(const struct report *r, const struct order *o, const char *name)
{
	int oldest = -1;

	for (int i = 0; i < r->prog_cnt; i++)
		if (!o->placed[i] && text__is_same(r->prog[i].name, name) &&
		    (oldest < 0 ||
		     r->prog[i].version.load_time_ns < r->prog[oldest].version.load_time_ns))
			oldest = i;
	return oldest;
}

static void sort_versions(struct report *r)
{
	struct order o = {.sorted = xcalloc(r->prog_cnt + 1, sizeof(*o.sorted)),
			  .placed = xcalloc(r->prog_cnt + 1, sizeof(*o.placed))};
	int oldest;

	for (int i = 0; i < r->prog_cnt; i++)
		while ((oldest = find_oldest(r, &o, r->prog[i].name)) >= 0)
			place_program(r, &o, r->prog[oldest].id);
	free(o.placed);
	free(r->prog);
	r->prog = o.sorted;
}

/* ---- comparison with the base version ---- */

/* Returns a row of the same function as p in the base version, or NULL. */
static struct report_prog *find_base(struct report *session, const struct report_prog *p,
				     const char *vs)
{
	struct report_prog *base = NULL;

	for (int i = 0; i < session->prog_cnt; i++) {
		struct report_prog *b = &session->prog[i];

		if (text__is_same(b->name, p->name) && text__is_same(b->func, p->func) &&
		    (!vs || tag__begins(b->tag, vs)) &&
		    (!base || b->version.load_time_ns < base->version.load_time_ns))
			base = b;
	}
	return base;
}

/* Returns the row of the base version that has the same return value as p, or NULL. */
static const struct report_prog *find_base_part(const struct report *session,
						const struct report_prog *base,
						const struct report_prog *p)
{
	for (int i = base - session->prog; i < session->prog_cnt; i++) {
		const struct report_prog *part = &session->prog[i];

		if (part != base && !report_prog__is_same_target(part, base))
			break;
		if (report_prog__is_same_part(part, p))
			return part;
	}
	return NULL;
}

static void compare(struct report_prog *p, const struct report_prog *base)
{
	for (int i = 0; i < p->all.event_cnt; i++) {
		struct report_event *ev = &p->all.event[i];
		const struct report_event *from = report_row__find_like(&base->all, &p->all, ev);
		struct report_change *change = report_event__add_change(ev);
		double mean = from ? report_row__value(&base->all, from) : NAN;

		change->absolute = report_row__value(&p->all, ev) - mean;
		change->share = mean ? change->absolute / fabs(mean) : NAN;
		change->from = base->id;
	}
}

void report__compare_versions(struct report *r, struct report *session, const char *vs)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_prog *p = &r->prog[i], *base = find_base(session, p, vs);
		const struct report_prog *part = base ? find_base_part(session, base, p) : NULL;

		p->version.baseline = base && base->id == p->id;
		if (part && base->id != p->id)
			compare(p, part);
	}
	sort_versions(r);
}
