/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A document in the Trace Event Format, which Chrome's trace viewer and Perfetto show: an array of
 * events, one on each line. A document that was cut off after a line can be read, too, because the
 * format does not require the end of the array. Each event belongs to a track, which is a thread of
 * a process.
 *
 * The caller checks "out" for write errors.
 */
#ifndef BPROF_TRACE_EVENT_H
#define BPROF_TRACE_EVENT_H

#include <stdio.h>
#include <jansson.h>
#include <linux/types.h>

/* The track of an event. */
struct trace_track {
	__u64 pid, tid;
};

/*
 * Begins a document. Writes its first event, at the time 0, with args, which describe the document.
 * Takes ownership of args.
 */
void trace_event__begin(json_t *args, FILE *out);
void trace_event__end(FILE *out);

/*
 * The functions below write an event and take ownership of its args. Times are in nanoseconds since
 * the time 0 of the document.
 */
/* Names the process of a track or, if the key is "thread_name", its thread. */
void trace_event__name(const struct trace_track *track, const char *key, const char *name,
		       FILE *out);
/* Writes an event that lasted from ns until ns + duration_ns. */
void trace_event__complete(const struct trace_track *track, const char *name, __u64 ns,
			   double duration_ns, json_t *args, FILE *out);
/* Writes an event that happened at one moment; track NULL: on no track. */
void trace_event__instant(const struct trace_track *track, const char *name, __u64 ns, json_t *args,
			  FILE *out);
/* Writes the value of a counter from ns on; series: the name of the counter's series. */
void trace_event__counter(const struct trace_track *track, const char *name, const char *series,
			  __u64 ns, double value, FILE *out);

#endif
