// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The output of bprof trace in the Trace Event Format: each run is an event on the track of its
 * task. Owns the tracks and the events' arguments. Must not know how records are made.
 */
#include <limits.h>

#include "base/build_info.h"
#include "btf/retval.h"
#include "json/json_make.h"
#include "json/trace_event.h"
#include "session/session.h"
#include "trace/trace_json.h"

/*
 * The idle tasks of all CPUs have the pid and tid 0. Runs that interrupted an idle task are on a
 * track of its CPU. The numbers of these tracks are greater than the pid of any task
 * (PID_MAX_LIMIT).
 */
#define IDLE_PID (4 << 20)

/* Returns a number that is different for almost all names of tasks. */
static int hash_name(const char *s)
{
	__u32 hash = 5381;

	while (*s)
		hash = 33 * hash + (unsigned char)*s++;
	return hash & INT_MAX;
}

/* Names the track before its first event, and again when the task has got another name. */
static void name_track(struct trace_output *o, const struct trace_track *track, const char *name)
{
	bool main = track->pid == track->tid;
	int hash = hash_name(name);
	__u64 key = track->pid << 32 | track->tid;

	if (id_map__get(&o->named, key) == hash)
		return;
	if (track->pid == IDLE_PID)
		trace_event__name(track, "process_name", "idle CPUs", o->out);
	else if (main)
		trace_event__name(track, "process_name", name, o->out);
	id_map__set(&o->named, key, hash);
	trace_event__name(track, "thread_name", name, o->out);
}

static json_t *make_args(const struct trace_output *o, int cpu, const struct bprof_record *r)
{
	const struct session *s = o->s;
	const struct target *t = &s->targets.v[r->target];
	json_t *args = json_object(), *events = json_object();
	char retval[RETVAL_SZ];

	json_object_set_new(args, "id", json_integer(t->id));
	json__set_string(args, "program", prog__name(t->prog));
	json_object_set_new(args, "cpu", json_integer(cpu));
	if (trace_probe__has_retval(t))
		json__set_string(args, "returned",
				 retval__format(trace_output__type(t), r->retval, retval));
	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];
		const struct event_state *state = &s->env.fds->state[i];

		if (state->status == EVENT_OK && !(r->failed >> state->slot & 1))
			json__set_number(events, ev->name, r->net[state->slot] * ev->scale);
	}
	json_object_set_new(args, "events", events);
	trace_json__set_details(args, o, r);
	return args;
}

static void write_slice(struct trace_output *o, int cpu, const struct bprof_record *r)
{
	struct trace_track track = {.pid = r->pid_tgid >> 32, .tid = (__u32)r->pid_tgid};
	char name[sizeof(r->comm) + 1] = "";
	__s64 took = r->net[BPROF_CLOCK_SLOT] > 0 ? r->net[BPROF_CLOCK_SLOT] : 0;
	__s64 at = r->ns - took - o->start_ns;

	if (!r->pid_tgid)
		track = (struct trace_track){.pid = IDLE_PID, .tid = IDLE_PID + 1 + cpu};
	if (r->ns > o->last_ns)
		o->last_ns = r->ns;
	for (size_t i = 0; i < sizeof(r->comm); i++)
		name[i] = r->comm[i];
	name_track(o, &track, name);
	trace_event__complete(&track, o->s->targets.v[r->target].func, at > 0 ? at : 0, took,
			      make_args(o, cpu, r), o->out);
}

static void write_timeline_head(struct trace_output *o)
{
	json_t *args = json_object();
	json__set_string(args, "version", build_info__version());

	o->last_ns = o->start_ns;
	json_object_set_new(args, "monotonic_ns", json__make_u64(o->start_ns));
	json_object_set_new(args, "time_ns", json__make_u64(o->epoch_ns + o->start_ns));
	json_object_set_new(args, "calibrated", json_boolean(session__is_net(o->s)));
	trace_event__begin(args, o->out);
}

/* Writes that cnt records are missing. cpu is -1 for all CPUs. */
static void write_missing_slice(const struct trace_output *o, const char *what, int cpu, __u64 cnt)
{
	json_t *args = json_object();
	json_object_set_new(args, "records", json__make_u64(cnt));

	if (cpu >= 0)
		json_object_set_new(args, "cpu", json_integer(cpu));
	trace_event__instant(NULL, what, o->last_ns - o->start_ns, args, o->out);
}

static void write_held_slices(struct trace_output *o, __u64 cnt)
{
	write_missing_slice(o, "held back", -1, cnt);
}

static void write_lost_marks(struct trace_output *o, int cpu, __u64 cnt)
{
	write_missing_slice(o, "lost", cpu, cnt);
}

static void write_end(struct trace_output *o, const struct trace_summary *sum)
{
	trace_event__instant(NULL, "summary", o->last_ns - o->start_ns,
			     trace_json__make_summary(o, sum), o->out);
	trace_event__end(o->out);
}

const struct trace_format trace_timeline = {.begin = write_timeline_head,
					    .record = write_slice,
					    .held = write_held_slices,
					    .lost = write_lost_marks,
					    .end = write_end};
