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

/* A row of the report, and the values that decide its place. */
struct placed {
	struct report_prog p;
	int index;
	int program; /* the index of the first row of the same program */
	int name;    /* the index of the first row with the same name */
};

static int compare_program_names(const void *a_ptr, const void *b_ptr)
{
	const struct placed *a = a_ptr, *b = b_ptr;

	return strcmp(text__or_empty(a->p.name), text__or_empty(b->p.name)) ?: a->index - b->index;
}

/* Orders rows by name, in the report's order of names; then by the time when the program was loaded. */
static int compare_order(const void *a_ptr, const void *b_ptr)
{
	const struct placed *a = a_ptr, *b = b_ptr;
	__u64 a_ns = a->p.version.load_time_ns, b_ns = b->p.version.load_time_ns;

	return a->name - b->name
		       ?: (a_ns > b_ns) - (a_ns < b_ns)
				  ?: a->program - b->program ?: a->index - b->index;
}

static void sort_versions(struct report *r)
{
	struct placed *v = xcalloc(r->prog_cnt + 1, sizeof(*v));

	for (int i = 0; i < r->prog_cnt; i++) {
		bool first = !i || r->prog[i].id != r->prog[i - 1].id;

		v[i] = (struct placed){r->prog[i], i, first ? i : v[i - 1].program};
	}
	qsort(v, r->prog_cnt, sizeof(*v), compare_program_names);
	for (int i = 0; i < r->prog_cnt; i++)
		v[i].name = i && text__is_same(v[i].p.name, v[i - 1].p.name) ? v[i - 1].name
									     : v[i].index;
	qsort(v, r->prog_cnt, sizeof(*v), compare_order);
	for (int i = 0; i < r->prog_cnt; i++)
		r->prog[i] = v[i].p;
	free(v);
}

/* ---- comparison with the base version ---- */

/* Compares two functions, given as pointers to their rows, by name. */
static int compare_versioned(const void *a_ptr, const void *b_ptr)
{
	const struct report_prog *a = *(struct report_prog *const *)a_ptr,
				 *b = *(struct report_prog *const *)b_ptr;

	return strcmp(text__or_empty(a->name), text__or_empty(b->name))
		       ?: strcmp(text__or_empty(a->func), text__or_empty(b->func));
}

/*
 * Like compare_versioned(). For the same function, orders by load time, and then by the order of the report.
 */
static int compare_ages(const void *a_ptr, const void *b_ptr)
{
	const struct report_prog *a = *(struct report_prog *const *)a_ptr,
				 *b = *(struct report_prog *const *)b_ptr;
	__u64 a_ns = a->version.load_time_ns, b_ns = b->version.load_time_ns;

	return compare_versioned(a_ptr, b_ptr)
		       ?: (a_ns > b_ns) - (a_ns < b_ns) ?: (a > b) - (a < b);
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

static void set_changes_from(struct report_prog *p, const struct report_prog *base)
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

/*
 * Returns the row of the version with which p was compared, or NULL. bprof top also compares a program
 * with its own past.
 */
static const struct report_prog *find_compared(const struct report *r, const struct report_prog *p)
{
	const struct report_change *change = NULL;

	for (int i = 0; i < p->all.event_cnt; i++)
		change = p->all.event[i].change ?: change;
	for (int i = 0; change && i < r->prog_cnt; i++)
		if (&r->prog[i] != p && r->prog[i].id == change->from &&
		    text__is_same(r->prog[i].func, p->func) &&
		    report_prog__is_same_part(&r->prog[i], p))
			return &r->prog[i];
	return NULL;
}

void report__update_changes(struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_prog *p = &r->prog[i];
		const struct report_prog *base = find_compared(r, p);

		for (int e = 0; !base && e < p->all.event_cnt; e++) {
			free(p->all.event[e].change);
			p->all.event[e].change = NULL;
		}
		if (base)
			set_changes_from(p, base);
	}
}

void report__compare_versions(struct report *r, struct report *session, const char *vs)
{
	/* the rows of the base versions, one for each function, sorted for bsearch() */
	struct report_prog **bases = xcalloc(session->prog_cnt + 1, sizeof(*bases));
	int cnt = 0, base_cnt = 0;

	for (int i = 0; i < session->prog_cnt; i++)
		if (!vs || tag__begins(session->prog[i].tag, vs))
			bases[cnt++] = &session->prog[i];
	qsort(bases, cnt, sizeof(*bases), compare_ages);
	for (int i = 0; i < cnt; i++)
		if (!base_cnt || compare_versioned(&bases[base_cnt - 1], &bases[i]))
			bases[base_cnt++] = bases[i];
	for (int i = 0; i < r->prog_cnt; i++) {
		struct report_prog *p = &r->prog[i], **found;
		const struct report_prog *base, *part;

		found = bsearch(&p, bases, base_cnt, sizeof(*bases), compare_versioned);
		base = found ? *found : NULL;
		part = base ? find_base_part(session, base, p) : NULL;
		p->version.baseline = base && base->id == p->id;
		if (part && base->id != p->id)
			set_changes_from(p, part);
	}
	free(bases);
	sort_versions(r);
}
