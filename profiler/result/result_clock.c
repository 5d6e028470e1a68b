// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the CPUs on which the probe's bias cannot be subtracted from the measured time, and adds a
 * note on them. Must not know how a report is put together.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "backend/snapshot.h"
#include "report/report.h"
#include "result/result.h"
#include "result/result_clock.h"
#include "session/session.h"

/*
 * Returns true if calibration on this CPU already took into account that the event cannot be read
 * there. This is so if the CPU was online at the start, but the event could not be opened on it:
 * with big.LITTLE, an event exists only on some CPUs.
 */
static bool is_expected(const struct session *s, int event, int cpu)
{
	return cpus__has(&s->env.online, cpu) && !event_fds__is_open(s->env.fds, event, cpu);
}

bool result__has_wrong_clock(const struct session *s, int i, const struct counts *from,
			     const struct counts *to)
{
	if (!s->env.fds->clock || !session__is_net(s) || i >= s->env.cpus.cnt)
		return false;
	for (int e = 0; e < s->env.events->cnt; e++) {
		__u32 slot = s->env.fds->state[e].slot;

		if (s->env.fds->state[e].status == EVENT_OK && slot != BPROF_CLOCK_SLOT &&
		    to->event[slot].errors != from->event[slot].errors &&
		    !is_expected(s, e, s->env.cpus.id[i]))
			return true;
	}
	return false;
}

void counts__drop_clock(struct counts *c)
{
	c->event[BPROF_CLOCK_SLOT] =
		(struct event_counts){.min = INT64_MAX, .max = INT64_MIN, .errors = c->measured};
}

int result__add_clock_note(const struct session *s, int target, const struct result_span *span,
			   struct report_prog *p)
{
	struct cpus cpus = {calloc(s->env.cpus.cnt + 1, sizeof(int)), 0};
	unsigned long long runs = 0;
	char list[128];
	int err = 0;

	if (!cpus.id)
		return -ENOMEM;
	for (int i = 0; i < s->env.cpus.cnt; i++) {
		const struct counts *from = snapshot__before(span->from, target, i);
		const struct counts *to = snapshot__at(span->to, target, i);

		if (!result__has_wrong_clock(s, i, from, to))
			continue;
		cpus.id[cpus.cnt++] = s->env.cpus.id[i];
		runs += to->measured - from->measured;
	}
	if (cpus.cnt)
		err = report_notes__add(
			&p->notes,
			"time leaves out %llu runs on CPU%s %s: events could not always be read "
			"there (a CPU that was offline), so their time is not net",
			runs, cpus.cnt > 1 ? "s" : "", cpus__format(&cpus, list, sizeof(list)));
	cpus__free(&cpus);
	return err;
}
