// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the choice and the order of a target's rows in a report that divides runs by their return
 * value. Must not know how runs are counted.
 */
#include <stdlib.h>

#include "result/result_retval.h"

static bool is_divided(const struct session *s, const struct target *t)
{
	return s->env.opts.by_retval && backend__has(t->backend, BACKEND_PROBES) &&
	       target__ret_sz(t);
}

static bool has_runs(const struct snapshot *to, int target, int part)
{
	for (int i = 0; i < to->cpu_cnt; i++)
		if (snapshot__at(to, target, snapshot__part_row(to, part, i))->measured)
			return true;
	return false;
}

/* Returns true if there are runs whose return value is not known, because they were not measured. */
static bool has_unknown(const struct snapshot *to, int target)
{
	for (int row = 0; row <= to->cpu_cnt; row++) {
		const struct counts *c = snapshot__at(to, target, row);

		if (counts__runs(c) != c->measured || c->blind_ns)
			return true;
	}
	return false;
}

static __s32 retval_of(const struct snapshot *to, int target, int part)
{
	return snapshot__at(to, target, snapshot__part_row(to, part, 0))->retval;
}

int result__list_parts(const struct session *s, int target, const struct snapshot *to, int *parts)
{
	int cnt = 0;

	for (int part = 1; is_divided(s, &s->targets.v[target]) && part < to->part_cnt; part++) {
		__s32 value = retval_of(to, target, part);
		int at = cnt;

		if (!has_runs(to, target, part))
			continue;
		for (; at && retval_of(to, target, parts[at - 1]) > value; at--)
			parts[at] = parts[at - 1];
		parts[at] = part;
		cnt++;
	}
	if (to->part_cnt && has_runs(to, target, 0))
		parts[cnt++] = 0;
	if (cnt && has_unknown(to, target))
		parts[cnt++] = UNMEASURED_PART;
	if (!cnt)
		parts[cnt++] = ALL_PARTS;
	return cnt;
}

void result__set_retval(struct report_prog *p, const struct snapshot *to, int target, int part)
{
	p->by_retval = part != ALL_PARTS;
	p->unmeasured = part == UNMEASURED_PART;
	if (part > 0)
		p->retval = (__u32)retval_of(to, target, part);
}

int result__add_retval_note(const struct session *s, const struct target *t, struct report_prog *p)
{
	const char *why = backend__has(t->backend, BACKEND_PROBES)
				  ? "it returns no integer"
				  : "without a probe, return values are not known";

	if (!s->env.opts.by_retval || is_divided(s, t))
		return 0;
	return report_notes__add(&p->notes, "its runs are not divided by return value: %s", why);
}
