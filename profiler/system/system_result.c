// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes the report from the snapshots of a `bprof system` session. Pure arithmetic; asks the kernel
 * only for the description of the host, and which cgroups have been removed.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/util.h"
#include "host/cpus.h"
#include "kernel/perf_event.h"
#include "report/report.h"
#include "result/result_common.h"
#include "system/system.h"

/*
 * One row of the report adds up the counts between two snapshots, of the scopes with indexes
 * "first" to "last", on the CPUs with indexes first_cpu to last_cpu.
 */
struct scope_range {
	const struct system *s;
	const struct system_snapshot *from, *to;
	int first, last;
	int first_cpu, last_cpu;
};

/* The sums of a row. */
struct range_sum {
	double count; /* extrapolated; without readings in which the event never had a counter */
	__u64 enabled_ns, running_ns;
	__u64 no_counter_ns; /* the enabled time of the readings that count leaves out */
};

/*
 * If the event had a hardware counter for only a part of the time, extrapolates the count to the
 * full time. Does this for each scope and CPU by itself: a busy CPU, which counts most, may have
 * had a counter for a small part of the time, and idle CPUs all the time.
 */
static void add_reading(struct range_sum *sum, const struct reading *r)
{
	double count = r->counter;

	sum->enabled_ns += r->enabled_ns;
	sum->running_ns += r->running_ns;
	if (r->running_ns && r->running_ns < r->enabled_ns)
		count = count * r->enabled_ns / r->running_ns;
	if (r->running_ns || !r->enabled_ns)
		sum->count += count;
	else
		sum->no_counter_ns += r->enabled_ns;
}

static struct range_sum sum_range(const struct scope_range *g, int event)
{
	struct range_sum sum = {};

	for (int sc = g->first; sc <= g->last; sc++)
		for (int i = g->first_cpu; g->s->added_once[sc] && i <= g->last_cpu; i++) {
			const struct reading *to = &g->to->v[system__at(g->s, sc, event, i)];
			const struct reading *from = &g->from->v[system__at(g->s, sc, event, i)];
			const struct reading diff = {
				.counter = to->counter - from->counter,
				.enabled_ns = to->enabled_ns - from->enabled_ns,
				.running_ns = to->running_ns - from->running_ns,
			};

			add_reading(&sum, &diff);
		}
	return sum;
}

/* Sets *state if the row is of one CPU, on which the event is not counted: its sum would be 0. */
static void check_cpu(const struct scope_range *g, int event, struct event_state *state)
{
	const struct system *s = g->s;
	const struct cpus *mask = &s->events->v[event].cpumask;
	int cpu, err;

	if (g->first_cpu != g->last_cpu || state->status != EVENT_OK)
		return;
	cpu = s->cpus.id[g->first_cpu];
	err = s->refused[event * s->cpu_limit + cpu];
	if (err)
		perf_event__explain(err, state);
	else if (mask->cnt && !cpus__has(mask, cpu))
		*state = (struct event_state){
			.status = EVENT_NOT_COUNTED,
			.detail = "its PMU counts on other CPUs only, see its cpumask"};
}

/*
 * Returns the state of an event in a row. If one of the row's counters could not be read, the count
 * would be too low, so the event is not counted.
 */
static struct event_state state_of(const struct scope_range *g, int event)
{
	struct event_state state = g->s->event[event];
	int err = 0;

	check_cpu(g, event, &state);
	for (int sc = g->first; !err && sc <= g->last; sc++)
		err = g->s->added_once[sc] ? g->s->unread[sc * g->s->events->cnt + event] : 0;
	if (!err || state.status != EVENT_OK)
		return state;
	state.status = EVENT_NOT_COUNTED;
	if (err == -EBUSY)
		snprintf(state.detail, sizeof(state.detail),
			 "no counter was free, and it is pinned (modifier D); leave D out to "
			 "share one");
	else
		snprintf(state.detail, sizeof(state.detail), "reading it: %s", strerror(-err));
	return state;
}

static void fill_row_events(struct report_row *row, const struct scope_range *g)
{
	for (int i = 0; i < g->s->events->cnt; i++) {
		struct event_state state = state_of(g, i);
		struct report_event *re = result__add_event(row, &g->s->events->v[i], &state);
		struct range_sum sum = sum_range(g, i);
		__u64 counted_ns = sum.enabled_ns - sum.no_counter_ns;

		if (!re)
			continue;
		/*
		 * For readings in which the event never had a counter, assume that it was as
		 * frequent as in the others. If it had none in any reading, the total is not known.
		 */
		if (sum.no_counter_ns)
			sum.count = counted_ns ? sum.count * sum.enabled_ns / counted_ns : NAN;
		re->enabled_ns = sum.enabled_ns;
		re->running_ns = sum.running_ns;
		re->total = sum.count * g->s->events->v[i].scale;
	}
}

/* Adds a note on each event that the kernel refused on some CPUs only: its counts lack these CPUs. */
static void note_refused(struct report_scope *rs, const struct system *s)
{
	for (int e = 0; e < s->events->cnt; e++) {
		struct event_state why = {};
		struct cpus cpus = {};
		char text[256];

		for (int cpu = 0; s->event[e].status == EVENT_OK && cpu < s->cpu_limit; cpu++) {
			int err = s->refused[e * s->cpu_limit + cpu];

			if (!err || !cpus__has(&s->cpus, cpu))
				continue;
			*(int *)array__add(&cpus.id, &cpus.cnt, sizeof(*cpus.id)) = cpu;
			perf_event__explain(err, &why);
		}
		if (cpus.cnt)
			report_notes__add(&rs->notes, "%s: not counted on CPU %s: %s",
					  s->events->v[e].name,
					  cpus__format(&cpus, text, sizeof(text)), why.detail);
		cpus__free(&cpus);
	}
}

/* Adds a note on the CPUs that were not counted, if there are any. */
static void note_cpus(struct report_scope *rs, const struct system *s)
{
	struct cpus cpus = {};
	char text[256];

	for (int cpu = 0; cpu < s->cpu_limit; cpu++)
		if (s->uncounted_cpu[cpu])
			*(int *)array__add(&cpus.id, &cpus.cnt, sizeof(*cpus.id)) = cpu;
	if (cpus.cnt)
		report_notes__add(&rs->notes,
				  "not counted on CPU %s, which came online after the "
				  "counters were opened; restart%s",
				  cpus__format(&cpus, text, sizeof(text)),
				  s->ops->shared
					  ? " when all other users of these events have ended"
					  : " bprof");
	cpus__free(&cpus);
	note_refused(rs, s);
}

static void add_row_of_scopes(struct report *r, const struct scope_range *g, const char *kind,
			      __u64 id, const char *name, bool per_cpu)
{
	enum scope_kind scope_kind = g->s->scopes.v[g->first].kind;
	struct report_scope *rs = report__add_scope(r);
	const struct system *s = g->s;

	rs->kind = kind;
	rs->id = id;
	rs->name = xstrdup(name);
	rs->method = s->ops->method;
	rs->shared = s->ops->shared;
	if (system__counts_by_cpu(s, scope_kind))
		note_cpus(rs, s);
	if (scope_kind__is_task(scope_kind) && s->opts.inherit && s->uncounted_children)
		report_notes__add(&rs->notes,
				  "up to %llu children were not counted: the limit on counted "
				  "tasks is reached",
				  (unsigned long long)s->uncounted_children);
	if (scope__is_removed(&s->scopes.v[g->first]))
		report_notes__add(&rs->notes, "the cgroup has been removed; a new cgroup with its "
					      "name is not counted: restart bprof to count it");
	fill_row_events(&rs->all, g);
	for (int i = 0; per_cpu && i < s->cpus.cnt; i++) {
		struct scope_range one = *g;

		one.first_cpu = one.last_cpu = i;
		fill_row_events(report_scope__add_cpu(rs, s->cpus.id[i]), &one);
	}
}

static void fill_scopes(struct report *r, const struct system *s, const struct scope_range *all,
			bool per_cpu)
{
	const struct scope *v = s->scopes.v;

	for (int i = 0; i < s->scopes.cnt; i++) {
		struct scope_range one = *all;

		if (!s->added_once[i])
			continue;
		one.first = one.last = i;
		add_row_of_scopes(r, &one, scope_kind__name(v[i].kind), v[i].id, v[i].name,
				  per_cpu);
	}
	/*
	 * If all scopes are processes, or all are threads, add a row with their sum. (perf shows
	 * only this row.) A sum of processes and threads would count threads twice.
	 */
	if (s->scopes.cnt < 2 || (v->kind != SCOPE_PROCESS && v->kind != SCOPE_THREAD))
		return;
	for (int i = 1; i < s->scopes.cnt; i++)
		if (v[i].kind != v->kind)
			return;
	add_row_of_scopes(r, all, "total", 0, "", per_cpu);
}

int system__report(void *arg, const void *from, const void *to, struct report **out)
{
	const struct system *s = arg;
	/* All scopes and CPUs. The last index, s->cpus.cnt, is for counts that belong to no CPU. */
	struct scope_range all = {s, from, to, 0, s->scopes.cnt - 1, 0, s->cpus.cnt};
	struct report *r = report__new();
	int err = result__fill_host(r, s->opts.command);

	*out = NULL;
	if (err) {
		report__free(r);
		return result__fail(err);
	}
	fill_scopes(r, s, &all, s->opts.per_cpu);
	for (int i = 0; i < s->scopes.skip_cnt; i++) {
		const struct scope_skip *skip = &s->scopes.skip[i];

		report__skip(r, 0, skip->name, skip->reason, skip->detail);
	}
	r->of_scopes = true;
	r->host.cpus = s->cpus.cnt;
	r->host.jit = s->jits;
	if (!s->jits)
		result__set_jit(r);
	r->elapsed_ns = all.to->ns - all.from->ns;
	*out = r;
	return 0;
}
