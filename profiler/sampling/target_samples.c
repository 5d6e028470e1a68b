// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples events in the code of programs. Owns which events are sampled, and which addresses belong
 * to a program. Must not know how often the programs ran, or what the samples are compared with.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "btf/prog_code.h"
#include "sampling/kernel_names.h"
#include "sampling/target_samples.h"

int target_samples__open(struct target_samples *ts, const struct event_list *events,
			 const struct event_fds *fds, __u64 freq, struct reason *reason)
{
	struct kernel_names *names = kernel_names__new();
	struct cpus online = {};
	const char *why = "";
	bool any = false;
	int err = event_list__parse(&ts->clock, "cpu-clock", EVENT_SYSFS, NULL)
			  ?: cpus__online(&online);

	ts->events = events;
	ts->calls.find = true;
	kernel_names__find_interrupts(names, &ts->calls);
	kernel_names__free(names);
	if (err)
		return reason__set(reason, REASON_SYSTEM, -err, "which CPUs are online: %s",
				   strerror(-err));
	for (int i = 0; i < events->cnt; i++) {
		const struct event *ev = &events->v[i];
		const struct sample_spec spec = {
			.event = ev->kind == EVENT_TIME ? ts->clock.v : ev,
			.freq = freq,
			.calls = ts->calls,
		};

		if (fds->state[i].status != EVENT_OK)
			continue; /* the report shows the reason */
		err = sampling__open(&spec, &online, &ts->sampling[i], &ts->why[i]);
		any |= !err;
		if (err)
			log_info("event %s: %s", ev->name, ts->why[i].detail);
		if (err && !*why)
			why = ts->why[i].detail;
	}
	cpus__free(&online);
	return any ? 0
		   : reason__set(reason, REASON_METHOD, EOPNOTSUPP, "no event can be sampled%s%s",
				 *why ? ": " : "", why);
}

int target_samples__add(struct target_samples *ts, const struct prog *p,
			struct sampled_code *sampled, struct reason *reason)
{
	struct prog_code code = {};
	int err = prog__read_code(p, &code, reason);

	sampled->first = ts->ranges.cnt;
	for (__u32 i = 0; !err && i < code.func_cnt; i++) {
		err = ip_ranges__add(&ts->ranges, code.addr[i], code.len[i]);
		if (err)
			reason__set(reason, REASON_METHOD, -err, "%s",
				    err == -E2BIG ? "the targets have more code than can be "
						    "sampled at once"
						  : strerror(-err));
	}
	sampled->cnt = ts->ranges.cnt - sampled->first;
	prog_code__free(&code);
	return err;
}

int target_samples__attach(struct target_samples *ts, struct reason *reason)
{
	int err = 0;

	for (int i = 0; ts->ranges.cnt && !err && i < ts->events->cnt; i++) {
		if (!ts->sampling[i])
			continue;
		err = sampling__attach(ts->sampling[i], &ts->ranges, reason);
		if (!err)
			sampling__measure_cost(ts->sampling[i]);
	}
	if (err)
		ip_ranges__free(&ts->ranges); /* so that target_samples__enable() enables nothing */
	return err;
}

void target_samples__enable(struct target_samples *ts, bool on)
{
	for (int i = 0; ts->ranges.cnt && i < ts->events->cnt; i++)
		if (ts->sampling[i] && sampling__enable(ts->sampling[i], on))
			break; /* the error is already reported */
}

/* Adds the samples of cnt cells; cell may be NULL. */
static void add_cells(const struct bprof_ip_cell *cell, __u32 cnt, struct sampled_sum *sum)
{
	for (__u32 i = 0; cell && i < cnt; i++) {
		sum->samples += cell[i].samples;
		sum->weight += cell[i].weight;
	}
}

struct sampled_sum target_samples__sum(const struct target_samples *ts, int event,
				       const struct sampled_code *code)
{
	const struct ip_sampler *sampler =
		ts->sampling[event] ? sampling__sampler(ts->sampling[event]) : NULL;
	const struct bprof_ip_range *range = &ts->ranges.v[code->first];
	struct sampled_sum sum = {};

	for (int i = 0; sampler && i < code->cnt; i++, range++) {
		__u32 cnt = (range->end - range->start) >> ip_sampler__shift();

		add_cells(ip_sampler__cell(sampler, range->first), cnt, &sum);
		add_cells(ip_sampler__call_cell(sampler, range->first), cnt, &sum);
	}
	return sum;
}

void target_samples__close(struct target_samples *ts)
{
	for (int i = 0; i < BPROF_MAX_EVENTS; i++)
		sampling__close(ts->sampling[i]);
	event_list__free(&ts->clock);
	ip_ranges__free(&ts->ranges);
}
