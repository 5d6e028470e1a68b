// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The notes on a target. Owns their order; must not know how the numbers were computed.
 */
#include <math.h>
#include <string.h>
#include <linux/perf_event.h>

#include "result/result.h"
#include "result/result_clock.h"
#include "result/result_notes.h"
#include "result/result_retval.h"
#include "session/foreign_probes.h"
#include "target/relations.h"

/* Returns true if programs of this type may run in the interrupt of a PMU. */
static bool runs_in_any_interrupt(enum bpf_prog_type type)
{
	return type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_KPROBE ||
	       type == BPF_PROG_TYPE_TRACEPOINT || type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE || type == BPF_PROG_TYPE_TRACING;
}

/*
 * Adds notes on counters that stood still. No run can take much less than the run of an empty
 * program, so if a net number is far below 0, the counter was stopped during the run. The PMU of
 * arm64 stops while the kernel handles the PMU's own interrupt, and programs on perf events run in
 * that interrupt (armv8pmu_handle_irq()). Clocks do not stop: if a time is far below 0, the
 * calibration was disturbed.
 */
int result__note_stopped_counters(struct report_prog *p, enum bpf_prog_type type)
{
	int err = 0;

	for (int i = 0; !err && runs_in_any_interrupt(type) && i < p->all.event_cnt; i++) {
		struct report_event *re = &p->all.event[i];
		double min = isnan(re->stat[STAT_MIN]) ? re->stat[STAT_MEAN] : re->stat[STAT_MIN];

		if (!strcmp(re->unit, "ns") || !(re->bias > 0 && min < -re->bias / 2))
			continue;
		re->bias_uncertainty = re->bias;
		err = report_notes__add(
			&p->notes,
			"%s stood still in some runs, as a PMU's counters do in its "
			"own interrupt: the cost of these runs is not known",
			re->name);
	}
	return err;
}

/* Returns true if a PMU's counter is read that also counted nothing in an empty program. */
static bool is_zero(const struct event *ev, const struct report_event *re)
{
	return ev->kind == EVENT_PERF && ev->type != PERF_TYPE_SOFTWARE &&
	       ev->type != PERF_TYPE_TRACEPOINT && re->measured && re->bias == 0 &&
	       re->total == 0 && re->stat[STAT_MIN] == 0 && re->stat[STAT_MAX] == 0;
}

/*
 * Notes events of which even the probe took nothing, which lies around each run. Such an event may
 * be rare, or the counter may not count here.
 */
static int note_zero_events(struct report_prog *p, const struct event_list *events)
{
	int err = 0;

	for (int i = 0; !err && i < p->all.event_cnt && i < events->cnt; i++)
		if (is_zero(&events->v[i], &p->all.event[i]))
			err = report_notes__add(&p->notes,
						"%s is 0 in every run, as it is in an empty "
						"program with its probe: check that it counts in "
						"the kernel here ('bprof system -a -e %s')",
						p->all.event[i].name, p->all.event[i].name);
	return err;
}

int result__add_notes(struct report_prog *p, const struct session *s, int index,
		      const struct result_span *span)
{
	const struct target *t = &s->targets.v[index];
	bool estimated = backend__has(t->backend, BACKEND_ESTIMATES_EVENTS);

	return target__add_notes(t, &s->targets, estimated, p) ?:
	       note_zero_events(p, s->env.events) ?:
	       result__add_retval_note(s, t, p) ?:
	       result__add_clock_note(s, index, span, p) ?:
	       foreign_probes__add_notes(&s->foreign, t, span->from->ns, p) ?:
	       t->backend->ops->add_notes ? t->backend->ops->add_notes(t->backend->state, t, p)
					  : 0;
}
