// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Samples one event on all CPUs. Counts the samples that were taken and lost. Must not know to
 * which programs the ranges of addresses belong.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "sampling/sampling.h"

/* If a larger share of all samples was lost, no program's number of samples is used. */
#define MAX_LOST .01
/* So few lost samples move no program's number by more than counting them at random does. */
#define FEW_LOST 3
/* If the lost samples are at most this fraction of a program's own samples, no note is needed. */
#define LOSS_OF_NOTE .01
/*
 * An event counts as always enabled on a CPU if it was enabled there for at least this share of the time
 * on other CPUs. The share is below 1 because the CPUs are enabled one after the other.
 */
#define WHOLE_TIME .9
/* In shorter times, the CPUs differ too much: then only a CPU without any enabled time has a gap. */
#define MIN_INTERVAL_NS (100 * NSEC_PER_MSEC)

struct sampling {
	struct sample_events *events;
	/* the BPF program that counts the samples; NULL: not loaded yet */
	struct ip_sampler *sampler;
	__u64 freq, period;
	struct ip_calls calls;
	double cost_ns;
};

int sampling__open(const struct sample_spec *spec, const struct cpus *cpus, struct sampling **out,
		   struct reason *reason)
{
	struct sampling *s = xcalloc(1, sizeof(*s));
	int err;

	*out = NULL;
	s->freq = spec->freq;
	s->period = spec->period;
	s->calls = spec->calls;
	s->cost_ns = NAN;
	err = sample_events__open(spec, cpus, &s->events, reason);
	if (err)
		free(s);
	else
		*out = s;
	return err;
}

void sampling__close(struct sampling *s)
{
	if (!s)
		return;
	sample_events__close(s->events);
	ip_sampler__close(s->sampler);
	free(s);
}

const char *sampling__event(const struct sampling *s)
{
	return sample_events__name(s->events);
}

const struct cpus *sampling__cpus(const struct sampling *s)
{
	return sample_events__cpus(s->events);
}

bool sampling__counts_calls(const struct sampling *s)
{
	return s->calls.find;
}

static int attach_sampler(struct sampling *s, const struct ip_ranges *ranges, int cpu_limit,
			  struct reason *reason)
{
	int err = ip_sampler__open(ranges, cpu_limit, &s->calls, &s->sampler, reason);

	if (err)
		return err;
	err = sample_events__attach(s->events, ip_sampler__prog_fd(s->sampler));
	if (err)
		reason__set(reason, REASON_SYSTEM, -err, "attaching it to event %s: %s",
			    sampling__event(s), strerror(-err));
	return err;
}

int sampling__attach(struct sampling *s, const struct ip_ranges *ranges, struct reason *reason)
{
	struct cpus possible = {};
	int err = cpus__possible(&possible), limit = cpus__limit(&possible);
	char text[400];

	cpus__free(&possible);
	if (err)
		return reason__set(reason, REASON_SYSTEM, -err, "reading the possible CPUs: %s",
				   strerror(-err));
	err = attach_sampler(s, ranges, limit, reason);
	if (!err || !s->calls.find || err == -ENOMEM)
		return err;
	/* With EPROTO, the kernel refuses stacks for this event (perf_event_set_bpf_handler()). */
	(reason->code == REASON_SYSTEM && err != -EPROTO ? log_warn : log_info)(
		"samples are not counted in callers: the sampling program %s",
		reason__describe(reason, text, sizeof(text)));
	ip_sampler__close(s->sampler);
	s->calls.find = false;
	return attach_sampler(s, ranges, limit, reason);
}

static __u64 count_taken(void *arg, int cpu)
{
	const struct sampling *s = arg;

	return ip_sampler__cpu(s->sampler, cpu)->samples;
}

void sampling__measure_cost(struct sampling *s)
{
	s->cost_ns =
		sample_events__cost(s->events, ip_sampler__prog_fd(s->sampler), count_taken, s);
	ip_sampler__clear(s->sampler);
}

int sampling__enable(struct sampling *s, bool on)
{
	return sample_events__enable(s->events, on);
}

const struct ip_sampler *sampling__sampler(const struct sampling *s)
{
	return s->sampler;
}

__u64 sampling__estimate_lost(const struct sample_count *event, const struct bprof_ip_cpu *cpu,
			      __u64 period, __u64 freq)
{
	__u64 due, typical = cpu->samples ? cpu->weight / cpu->samples : period;

	if (!typical) {
		due = event->running_ns / 1e9 * freq;
		return due < event->value ? due : event->value;
	}
	if (typical < cpu->period)
		typical = cpu->period;
	return event->value > cpu->weight ? (event->value - cpu->weight) / typical : 0;
}

/* Returns how long the event must have been enabled on a CPU if it was enabled for "most" on another. */
static __u64 enough_of(__u64 most)
{
	return most < MIN_INTERVAL_NS ? !!most : most * WHOLE_TIME;
}

void sampling__find_gaps(const struct cpus *sampled, const __u64 *enabled_ns,
			 const __u64 *before_ns, const struct cpus *online, struct cpus *gaps)
{
	struct cpus whole = {}, now = {};
	__u64 most = 0, most_grown = 0;
	int cnt = 0;

	for (int i = 0; i < sampled->cnt; i++) {
		__u64 grown = before_ns ? enabled_ns[i] - before_ns[i] : 0;

		most = enabled_ns[i] > most ? enabled_ns[i] : most;
		most_grown = grown > most_grown ? grown : most_grown;
	}
	cpus__dup(sampled, &whole);
	for (int i = 0; i < sampled->cnt; i++)
		if (enabled_ns[i] >= enough_of(most) &&
		    (!before_ns || enabled_ns[i] - before_ns[i] >= enough_of(most_grown)))
			whole.id[cnt++] = sampled->id[i];
	whole.cnt = cnt;
	cpus__minus(online, &whole, &now);
	cpus__add(gaps, &now);
	cpus__free(&whole);
	cpus__free(&now);
}

int sampling__sum(const struct sampling *s, struct record_samples *out, __u64 *enabled_ns)
{
	const struct cpus *cpus = sampling__cpus(s);
	__u64 walk_ns = 0;

	*out = (struct record_samples){.cost_ns = s->cost_ns};
	for (int i = 0; i < cpus->cnt; i++) {
		const struct bprof_ip_cpu *cpu = ip_sampler__cpu(s->sampler, cpus->id[i]);
		struct sample_count event;
		int err = sample_events__read(s->events, i, &event);

		if (err)
			return err;
		out->taken += cpu->samples;
		out->weight += cpu->weight;
		out->in_targets += cpu->in_targets;
		out->weight_in_targets += cpu->weight_in_targets;
		out->in_calls += cpu->in_calls;
		out->weight_in_calls += cpu->weight_in_calls;
		out->interrupting += cpu->interrupting;
		out->weight_interrupting += cpu->weight_interrupting;
		out->no_room += cpu->no_room;
		walk_ns += cpu->walk_ns;
		/* If the count contains code that is not sampled, the lost ones are not known. */
		if (!sample_events__counts_excluded(s->events))
			out->lost += sampling__estimate_lost(&event, cpu, s->period, s->freq);
		out->throttled += event.throttled;
		out->enabled_ns += event.enabled_ns;
		if (enabled_ns)
			enabled_ns[i] = event.enabled_ns;
		out->running_ns += event.running_ns;
	}
	if (out->taken)
		out->cost_ns += (double)walk_ns / out->taken;
	return 0;
}

/*
 * While programs of some types run, the kernel does not pass samples to BPF programs
 * (bpf_prog_active in trace_call_bpf() and bpf_overflow_handler()). Since Linux 7.2, programs on
 * the tracepoints of system calls are an exception. While they run, only a few samples are lost, as
 * in any code that disables interrupts for longer than a period. Returns true if that may have
 * happened to more than a hundredth of a program's samples.
 */
static bool may_have_dropped(const char *prog_type, __u64 own, __u64 lost)
{
	const int type = prog_type__parse(prog_type);

	return lost > own * LOSS_OF_NOTE &&
	       (type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
		type == BPF_PROG_TYPE_PERF_EVENT);
}

bool sampling__lost_too_many(const char *prog_type, __u64 own, const struct record_samples *all)
{
	return (all->lost > FEW_LOST && all->lost > all->taken * MAX_LOST) ||
	       may_have_dropped(prog_type, own, all->lost);
}

void sampling__note_losses(const char *prog_type, __u64 own, __u64 lost, struct report_notes *notes)
{
	if (!may_have_dropped(prog_type, own, lost))
		return;
	report_notes__add(notes,
			  "while a %s program runs, this kernel may drop samples: some or "
			  "all of the lost ones may belong to it",
			  prog_type);
}
