// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Takes the numbers of the self-test from a report (selftest_results.h). Must not know how they were
 * measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "doctor/selftest_results.h"
#include "session/session.h"

/* Returns true if it is known what the event must show for a given number of instructions. */
static bool has_known_number(const struct event_list *events, const struct report_event *from)
{
	for (int i = 0; i < events->cnt; i++)
		if (!strcmp(events->v[i].name, from->name))
			return !strcmp(from->base, "instructions") && !events->v[i].exclude_kernel;
	return false;
}

static void take_row(const struct event_list *events, struct selftest_context *c,
		     enum selftest_prog prog, const struct report_prog *row)
{
	while (c->event_cnt < row->all.event_cnt) {
		struct selftest_event *ev = array__add(&c->event, &c->event_cnt, sizeof(*ev));

		ev->off = NAN;
		for (int i = 0; i < SELFTEST_PROG_CNT; i++)
			for (int k = 0; k < STAT_CNT; k++)
				ev->stat[i][k] = NAN;
	}
	for (int i = 0; i < row->all.event_cnt; i++) {
		const struct report_event *from = &row->all.event[i];
		struct selftest_event *ev = &c->event[i];

		if (!ev->name) {
			ev->name = xstrdup(from->name);
			ev->base = xstrdup(from->base);
			ev->unit = xstrdup(from->unit);
		}
		if (from->detail && !ev->detail)
			ev->detail = xstrdup(from->detail);
		if (from->bias_uncertainty > ev->uncertainty)
			ev->uncertainty = from->bias_uncertainty;
		if (report_event__has_value(from))
			memcpy(ev->stat[prog], from->stat, sizeof(ev->stat[prog]));
		/* Without a probe, numbers also contain the kernel's work around the program. */
		ev->is_known = row->probed && has_known_number(events, from);
	}
	c->method = row->method;
	c->runs += row->all.runs;
	c->lost += report_row__lost(&row->all);
}

/*
 * For an event that has only means, takes the median of the blocks' means: an interrupt or another
 * process makes the mean of its block much larger. "mean" has room for all rows.
 */
static void take_median(const struct report *report, __u32 id, int index, double *mean,
			double stat[STAT_CNT])
{
	int cnt = 0;

	for (int i = 0; i < report->prog_cnt; i++) {
		const struct report_row *row = &report->prog[i].all;

		if (report->prog[i].id == id && index < row->event_cnt &&
		    report_event__has_value(&row->event[index]))
			mean[cnt++] = row->event[index].stat[STAT_MEAN];
	}
	if (cnt && isnan(stat[STAT_P50]))
		stat[STAT_MEAN] = stats__median(mean, cnt);
}

void selftest_results__take(struct selftest_context *c, const struct selftest_progs *p,
			    const struct event_list *events, const struct report *report)
{
	double *mean;

	if (c->why || !p->skel)
		return;
	mean = xcalloc(report->prog_cnt + 1, sizeof(*mean));
	for (int prog = 0; prog < SELFTEST_PROG_CNT; prog++) {
		for (int i = 0; i < report->prog_cnt; i++)
			if (report->prog[i].id == p->id[prog])
				take_row(events, c, prog, &report->prog[i]);
		for (int i = 0; i < c->event_cnt; i++)
			take_median(report, p->id[prog], i, mean, c->event[i].stat[prog]);
	}
	free(mean);
	if (!c->method)
		c->why = xstrdup("the session does not measure its programs");
}
