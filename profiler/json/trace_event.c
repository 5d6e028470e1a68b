// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The Trace Event Format. Owns the fields of an event. Must not know what the events mean.
 */
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "json/trace_event.h"

#define NSEC_PER_USEC 1000.0

/* Makes an event of a phase, which is the kind of the event. */
static json_t *make(const char *phase, const struct trace_track *track, const char *name)
{
	json_t *event = json_object();

	json__set_string(event, "ph", phase);
	json__set_string(event, "name", name);
	json__set_string(event, "cat", "bpf");
	json_object_set_new(event, "pid", json__make_u64(track ? track->pid : 0));
	json_object_set_new(event, "tid", json__make_u64(track ? track->tid : 0));
	return event;
}

/* Writes an event on a line of its own. Each event except the first begins with the separator. */
static void write_event(json_t *event, json_t *args, const char *separator, FILE *out)
{
	json_object_set_new(event, "args", args);
	fputs(separator, out);
	json__print(event, JSON_LINE, out);
}

static void set_time(json_t *event, const char *key, double ns)
{
	json__set_number(event, key, ns / NSEC_PER_USEC);
}

void trace_event__begin(json_t *args, FILE *out)
{
	json_t *event = make("i", NULL, "bprof");

	set_time(event, "ts", 0);
	json__set_string(event, "s", "g");
	write_event(event, args, "[\n", out);
}

void trace_event__end(FILE *out)
{
	fputs("]\n", out);
}

void trace_event__name(const struct trace_track *track, const char *key, const char *name,
		       FILE *out)
{
	json_t *args = json_object();

	json__set_string(args, "name", name);
	write_event(make("M", track, key), args, ",", out);
}

void trace_event__complete(const struct trace_track *track, const char *name, __u64 ns,
			   double duration_ns, json_t *args, FILE *out)
{
	json_t *event = make("X", track, name);

	set_time(event, "ts", ns);
	set_time(event, "dur", duration_ns);
	write_event(event, args, ",", out);
}

void trace_event__instant(const struct trace_track *track, const char *name, __u64 ns, json_t *args,
			  FILE *out)
{
	json_t *event = make("i", track, name);

	set_time(event, "ts", ns);
	json__set_string(event, "s", track ? "t" : "g");
	write_event(event, args, ",", out);
}

void trace_event__counter(const struct trace_track *track, const char *name, const char *series,
			  __u64 ns, double value, FILE *out)
{
	json_t *event = make("C", track, name), *args = json_object();

	set_time(event, "ts", ns);
	json__set_number(args, series, value);
	write_event(event, args, ",", out);
}
