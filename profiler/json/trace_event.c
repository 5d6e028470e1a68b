// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The Trace Event Format. Owns the fields of its events; must not know what happened.
 */
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "json/trace_event.h"

#define NSEC_PER_USEC 1000.0

/* Makes an event of a phase, which is the kind of the event. */
static json_t *make(const char *phase, const struct trace_track *track, const char *name)
{
	json_t *event = json_object();
	int err = 0;

	err |= json__set_string(event, "ph", phase);
	err |= json__set_string(event, "name", name);
	err |= json__set_string(event, "cat", "bpf");
	err |= json_object_set_new(event, "pid", json__make_u64(track ? track->pid : 0));
	err |= json_object_set_new(event, "tid", json__make_u64(track ? track->tid : 0));
	return json__finish(event, err);
}

/* Writes an event on a line of its own. All but the first one begin with the separator. */
static int write_event(json_t *event, int err, json_t *args, FILE *out)
{
	err |= json_object_set_new(event, "args", args);
	if (!err)
		fputc(',', out);
	return json__print(event, err, JSON_LINE, out);
}

static int set_time(json_t *event, const char *key, double ns)
{
	return json__set_number(event, key, ns / NSEC_PER_USEC);
}

int trace_event__begin(json_t *args, FILE *out)
{
	json_t *event = make("i", NULL, "bprof");
	int err = set_time(event, "ts", 0);

	err |= json__set_string(event, "s", "g");
	err |= json_object_set_new(event, "args", args);
	if (!err)
		fputs("[\n", out);
	return json__print(event, err, JSON_LINE, out);
}

int trace_event__end(FILE *out)
{
	fputs("]\n", out);
	return 0;
}

int trace_event__name(const struct trace_track *track, const char *key, const char *name, FILE *out)
{
	json_t *args = json_object();
	int err = json__set_string(args, "name", name);

	return write_event(make("M", track, key), err, args, out);
}

int trace_event__complete(const struct trace_track *track, const char *name, __u64 ns,
			  double duration_ns, json_t *args, FILE *out)
{
	json_t *event = make("X", track, name);
	int err = set_time(event, "ts", ns) | set_time(event, "dur", duration_ns);

	return write_event(event, err, args, out);
}

int trace_event__instant(const struct trace_track *track, const char *name, __u64 ns, json_t *args,
			 FILE *out)
{
	json_t *event = make("i", track, name);
	int err = set_time(event, "ts", ns) | json__set_string(event, "s", track ? "t" : "g");

	return write_event(event, err, args, out);
}

int trace_event__counter(const struct trace_track *track, const char *name, const char *series,
			 __u64 ns, double value, FILE *out)
{
	json_t *event = make("C", track, name), *args = json_object();
	int err = set_time(event, "ts", ns) | json__set_number(args, series, value);

	return write_event(event, err, args, out);
}
