// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows of sizes, for the sizes that limits name: the verifier's work for a program, and the program's bytes.
 * Decides which sizes are exact. Must not know how verdicts are found. Prints nothing.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

const struct stat_spec compare_stats[STAT_CNT + 1] = {
	REPORT_STATS(STAT_SPEC)[COMPARE_SIZE] = {.name = "size"},
};

static double size_value(const struct report_prog *p, enum size_id id)
{
	return p ? p->size[id] : NAN;
}

static void add_size_row(struct comparison *c, const struct compare_pair *pair, enum size_id id,
			 __u64 limits, const struct compare_limits *list)
{
	static const struct stats_interval unknown = {NAN, NAN, NAN};
	struct compare_row *row = array__add(&c->row, &c->row_cnt, sizeof(*row));

	row->base = pair->base;
	row->new = pair->new;
	row->event = size_specs[id].name;
	row->unit = size_specs[id].unit;
	row->stat = COMPARE_SIZE;
	row->limits = limits;
	row->list = list;
	row->exact = id != SIZE_VERIFICATION;
	if (id == SIZE_JITED)
		row->doubt = compare__jited_doubt(pair->base) ?: compare__jited_doubt(pair->new);
	row->change = row->share = row->shift = unknown;
	row->p = row->adjusted_p = NAN;
	row->base_value = size_value(pair->base, id);
	row->new_value = size_value(pair->new, id);
	row->point = pair->point;
	if (isnan(row->base_value) || isnan(row->new_value))
		return;
	/* The verifier's time varies from load to load, so compare the times of all loads. */
	if (id == SIZE_VERIFICATION) {
		row->base_blocks = row->base->verification_cnt;
		row->new_blocks = row->new->verification_cnt;
	}
	if (row->base_blocks >= COMPARE_MIN_BLOCKS && row->new_blocks >= COMPARE_MIN_BLOCKS)
		compare_row__set_blocks(row, row->base->verification, row->new->verification);
	else
		compare_row__set_total(row);
}

int comparison__add_size_rows(struct comparison *c, const struct compare_pair *pair,
			      const struct compare_limits *list, bool *used, struct reason *reason)
{
	int err = 0;

	for (int id = 0; !err && id < SIZE_CNT; id++) {
		__u64 limits = 0;

		if (isnan(size_value(pair->base, id)) && isnan(size_value(pair->new, id)))
			continue;
		for (int i = 0; !err && i < list->cnt; i++) {
			const struct compare_limit *l = &list->v[i];

			if (!compare_limit__selects_size(l, pair->base, id) &&
			    !compare_limit__selects_size(l, pair->new, id))
				continue;
			used[i] = true;
			limits |= 1ULL << i;
			if (l->unit && strcmp(l->unit, size_specs[id].unit))
				err = compare__refuse(reason, -EINVAL,
						      "--fail-on %s: %s is not counted in %s",
						      l->spec, size_specs[id].name, l->unit);
		}
		if (!err && limits)
			add_size_row(c, pair, id, limits, list);
	}
	return err;
}
