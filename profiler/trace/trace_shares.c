// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The shares of functions in the runs for which a condition was true. Decides which functions
 * belong together, and when their numbers are in doubt. Owns the tables of the text. Must not know
 * how the probes add up costs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "session/session.h"
#include "trace/trace_shares.h"

/* A group's numbers are in doubt if more than this share of its runs or cost is wrong. */
#define DOUBT_MAX 0.01
/* A difference that is smaller than this share of a matching run's cost does not matter. */
#define MORE_MIN 0.01

/* ---- making them ---- */

/*
 * Returns true if the target is a function of the group's program, of an extension of this program,
 * or of the program to which the group's last row belongs.
 */
static bool belongs(const struct share_group *g, const struct target *t)
{
	return t->id == g->target->id || t->id == g->row[g->row_cnt - 1].target->id ||
	       (t->extends && t->extends->target_id == g->target->id);
}

static struct share_sum sum_all(const struct snapshot *start, const struct snapshot *stop,
				int target, __u64 *lost)
{
	struct share_sum sum = {};

	for (int row = 0; row < stop->rows_per_target; row++) {
		const struct counts *c = snapshot__at(stop, target, row);
		const struct counts *before = snapshot__before(start, target, row);

		sum.calls += c->measured - before->measured;
		for (int slot = 0; slot < BPROF_SLOTS; slot++)
			sum.self[slot] += c->event[slot].self - before->event[slot].self;
		/* Leave out runs whose entry was missed: they began before the measured runs. */
		for (int i = 0; i < LOST_CNT; i++)
			*lost += i == LOST_ENTRY ? 0 : c->lost[i] - before->lost[i];
	}
	return sum;
}

void trace_shares__make(const struct session *s, const struct trace_probe *probe,
			const struct snapshot *start, const struct snapshot *stop,
			struct trace_shares *out)
{
	struct share_group *g = NULL;

	*out = (struct trace_shares){};
	for (int i = 0; i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];
		const struct trace_counts counts = trace_probe__count(probe, t);
		const struct bprof_matching matching = trace_probe__matching(probe, i);
		struct share_row *row;

		if (!g || !belongs(g, t)) {
			g = array__add(&out->v, &out->cnt, sizeof(*g));
			g->target = t;
		}
		row = array__add(&g->row, &g->row_cnt, sizeof(*row));
		row->target = t;
		row->all = sum_all(start, stop, i, &g->lost);
		row->matching.calls = matching.calls;
		for (int slot = 0; slot < BPROF_SLOTS; slot++) {
			row->matching.self[slot] = matching.self[slot];
			g->mixed[slot] += trace_probe__net(probe, i, slot) - matching.self[slot];
		}
		g->all_runs += counts.outermost;
		g->matching_runs += counts.matched;
	}
}

void trace_shares__free(struct trace_shares *shares)
{
	for (int i = 0; i < shares->cnt; i++)
		free(shares->v[i].row);
	free(shares->v);
	*shares = (struct trace_shares){};
}

/* ---- conclusions ---- */

__s64 share_group__total(const struct share_group *g, __u32 slot, bool matching)
{
	__s64 total = 0;

	for (int i = 0; i < g->row_cnt; i++)
		total += matching ? g->row[i].matching.self[slot] : g->row[i].all.self[slot];
	return total;
}

const char *share_group__doubt(const struct share_group *g, char *buf, size_t sz)
{
	char number[NUMBER_SZ];

	if (g->lost > DOUBT_MAX * g->matching_runs) {
		snprintf(buf, sz,
			 "%s runs and calls were not measured, and what they took is in the cost "
			 "of other functions",
			 number__group_u64(number, g->lost));
		return buf;
	}
	for (int slot = 0; slot < BPROF_SLOTS; slot++)
		if (llabs(g->mixed[slot]) > DOUBT_MAX * llabs(share_group__total(g, slot, true))) {
			snprintf(buf, sz,
				 "runs on one CPU have interrupted one another while "
				 "their functions were added up");
			return buf;
		}
	return NULL;
}

bool share_row__is_shown(const struct share_row *row)
{
	return !row->target->called.unforeseen || row->all.calls;
}

const char *share_row__name(const struct share_row *row)
{
	const char *func = row->target->func, *colon = strrchr(func, ':');

	return target__is_called(row->target) && colon ? colon + 1 : func;
}

/* ---- text ---- */

static double per_run(double sum, __u64 runs)
{
	return runs ? sum / runs : NAN;
}

/*
 * Returns how much higher the own cost of a function is in a matching run (one that met a
 * condition) than in the mean of all runs, in units of the counter. Returns 0 if that is only a
 * small part of a matching run's cost: with few runs, such a difference is chance.
 */
static double find_more(const struct share_group *g, const struct share_row *r, __u32 slot)
{
	double more = per_run(r->matching.self[slot], g->matching_runs) -
		      per_run(r->all.self[slot], g->all_runs);

	return fabs(more) < MORE_MIN * per_run(share_group__total(g, slot, true), g->matching_runs)
		       ? 0
		       : more;
}

/* Returns the row whose own cost grows most in the matching runs, or NULL if none grows. */
static const struct share_row *find_cause(const struct share_group *g, __u32 slot)
{
	const struct share_row *most = NULL;
	double max = 0;

	for (int i = 0; i < g->row_cnt; i++) {
		double more = find_more(g, &g->row[i], slot);

		if (more > max) {
			max = more;
			most = &g->row[i];
		}
	}
	return most;
}

static void add_share_cell(struct table *t, double self, double total)
{
	table__add_number(t, total > 0 ? 100 * self / total : NAN, 1, "%");
}

static void add_share_row(struct table *t, const struct share_group *g, const struct share_row *r,
			  const struct event *ev, __u32 slot, bool cause)
{
	double all = per_run(r->all.self[slot], g->all_runs) * ev->scale,
	       matching = per_run(r->matching.self[slot], g->matching_runs) * ev->scale,
	       more = find_more(g, r, slot) * ev->scale;
	char change[CHANGE_SZ];

	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", ev->name);
	table__add_cell(t, TABLE_PLAIN, "%*s%s", 2 * r->target->depth, "", share_row__name(r));
	table__add_rate(t, "", per_run(r->all.calls, g->all_runs));
	table__add_rate(t, "", per_run(r->matching.calls, g->matching_runs));
	add_share_cell(t, r->all.self[slot], share_group__total(g, slot, false));
	add_share_cell(t, r->matching.self[slot], share_group__total(g, slot, true));
	table__add_amount(t, "", all, ev->unit, false);
	table__add_amount(t, "", matching, ev->unit, false);
	table__add_cell(t, cause ? TABLE_RED : TABLE_PLAIN, "%s%s",
			more ? number__change(change, more, ev->unit, false, INFINITY) : "",
			cause ? " <-" : "");
}

static void print_share_table(const struct share_group *g, const struct session *s, FILE *out,
			      const struct screen *screen)
{
	static const struct table_col cols[] = {
		LEFT_COL("EVENT", .min_width = 12),
		LEFT_COL("FUNCTION", .min_width = 15),
		RIGHT_COL("ALL", .group = "CALLS/RUN"),
		RIGHT_COL("MATCHED", .group = "CALLS/RUN"),
		RIGHT_COL("ALL", .group = "SELF%"),
		RIGHT_COL("MATCHED", .group = "SELF%"),
		RIGHT_COL("ALL", .group = "SELF/RUN", .drop_order = 1),
		RIGHT_COL("MATCHED", .group = "SELF/RUN", .drop_order = 2),
		LEFT_COL("MORE"),
	};
	struct table *t = table__new();

	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int e = 0; e < s->env.events->cnt; e++) {
		const struct event_state *state = &s->env.fds->state[e];
		const struct share_row *cause;

		if (state->status != EVENT_OK)
			continue;
		cause = find_cause(g, state->slot);
		for (int i = 0; i < g->row_cnt; i++)
			if (share_row__is_shown(&g->row[i]))
				add_share_row(t, g, &g->row[i], &s->env.events->v[e], state->slot,
					      &g->row[i] == cause);
	}
	table__print(t, out, true, screen);
	table__free(t);
}

static void print_share_group(const struct share_group *g, const struct session *s, FILE *out,
			      const struct screen *screen)
{
	char *name = text__printable(prog__name(g->target->prog));
	char all[NUMBER_SZ], matching[NUMBER_SZ], why[DOUBT_SZ];
	const char *doubt = share_group__doubt(g, why, sizeof(why));

	number__group_u64(all, g->all_runs);
	number__group_u64(matching, g->matching_runs);
	if (!g->matching_runs)
		fprintf(out, "# %u %s: none of %s runs met a condition: nothing to compare\n",
			g->target->id, name, all);
	else if (doubt)
		fprintf(out, "# %u %s: no shares of its functions: %s\n", g->target->id, name,
			doubt);
	else
		fprintf(out,
			"\n%u %s: own cost of its functions in all %s runs, and in the %s that met "
			"a condition\n",
			g->target->id, name, all, matching);
	if (g->matching_runs && !doubt)
		print_share_table(g, s, out, screen);
	free(name);
}

void trace_shares__print(const struct trace_shares *shares, const struct session *s, FILE *out,
			 const struct screen *screen)
{
	for (int i = 0; i < shares->cnt; i++)
		print_share_group(&shares->v[i], s, out, screen);
}
