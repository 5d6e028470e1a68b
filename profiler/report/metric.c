// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Metrics: ratios of two events. Owns the table of metrics; must not know how a metric is shown.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "report/metric.h"
#include "report/report.h"

/*
 * The units are those of perf stat's shadow metrics. CSV shows a metric in the line of the event
 * that is its numerator, so no two metrics may have the same numerator.
 */
const struct metric metrics[] = {
	{"ipc", "IPC", "insn per cycle", "instructions", "cycles", 1, 2},
	{"ghz", "GHZ", "GHz", "cycles", "time", 1, 3},
	{"frontend_idle", "FE-IDLE", "frontend cycles idle", "stalled-cycles-frontend", "cycles",
	 100, 2},
	{"backend_idle", "BE-IDLE", "backend cycles idle", "stalled-cycles-backend", "cycles", 100,
	 2},
	{"branch_miss", "BR-MISS", "of all branches", "branch-misses", "branches", 100, 2},
	{"cache_miss", "CACHE-MISS", "of all cache refs", "cache-misses", "cache-references", 100,
	 2},
	{"l1d_miss", "L1D-MISS", "of all L1-dcache accesses", "L1-dcache-load-misses",
	 "L1-dcache-loads", 100, 2},
	{"l1i_miss", "L1I-MISS", "of all L1-icache accesses", "L1-icache-load-misses",
	 "L1-icache-loads", 100, 2},
	{"llc_miss", "LLC-MISS", "of all LL-cache accesses", "LLC-load-misses", "LLC-loads", 100,
	 2},
	{"dtlb_miss", "DTLB-MISS", "of all dTLB cache accesses", "dTLB-load-misses", "dTLB-loads",
	 100, 2},
	{"itlb_miss", "ITLB-MISS", "of all iTLB cache accesses", "iTLB-load-misses", "iTLB-loads",
	 100, 2},
};
const int metric_cnt = ARRAY_SIZE(metrics);

static bool is_based_on(const struct report_event *ev, const char *base)
{
	return ev->base && !strcmp(ev->base, base);
}

/*
 * Returns the modifiers at the end of an event's name: "instructions:u", "cpu/instructions/u". The
 * event time has none: what looks like modifiers is a part of the name that the user gave it.
 */
static const char *find_modifiers(const struct report_event *ev)
{
	const char *name = text__or_empty(ev->name), *mods = strrchr(name, ':');

	if (is_based_on(ev, "time"))
		return "";
	if (!mods)
		mods = strrchr(name, '/');
	return mods ? mods + 1 : "";
}

static bool count_same_levels(const struct report_event *a, const struct report_event *b)
{
	const char *mods_a = find_modifiers(a), *mods_b = find_modifiers(b);

	/*
	 * Compare the presence of each letter, because the order of the letters does not matter.
	 * These letters select which levels are counted, such as u (user) and k (kernel). Other
	 * modifiers are ignored.
	 */
	for (const char *level = "ukhGHI"; *level; level++)
		if (!strchr(mods_a, *level) != !strchr(mods_b, *level))
			return false;
	return true;
}

/*
 * Returns the event of row that is the denominator for num. Returns NULL if there is no such event,
 * or if num is not the numerator of m.
 */
static const struct report_event *find_den(const struct metric *m, const struct report_row *row,
					   const struct report_event *num)
{
	if (!is_based_on(num, m->num) || num->status != EVENT_OK)
		return NULL;
	for (int i = 0; i < row->event_cnt; i++) {
		const struct report_event *den = &row->event[i];

		if (is_based_on(den, m->den) && den->status == EVENT_OK &&
		    count_same_levels(num, den))
			return den;
	}
	return NULL;
}

double metric__value_of(const struct metric *m, const struct report_row *row,
			const struct report_event *num)
{
	const struct report_event *den = find_den(m, row, num);
	double n, d;

	if (!den)
		return NAN;
	/*
	 * Round the values like JSON does. Otherwise, a report that is read back from JSON might
	 * show different ratios.
	 */
	n = number__round(report_row__value(row, num));
	d = number__round(report_row__value(row, den));
	/* The condition is also false if n or d is NaN. */
	return n >= 0 && d > 0 ? m->scale * n / d : NAN;
}

double metric__value(const struct metric *m, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		double v = metric__value_of(m, row, &row->event[i]);

		if (!isnan(v))
			return v;
	}
	return NAN;
}
