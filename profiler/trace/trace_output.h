/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of bprof trace, in one of several formats: a line for each record, lines for missing
 * records, and a summary at the end.
 */
#ifndef BPROF_TRACE_OUTPUT_H
#define BPROF_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/id_map.h"
#include "base/table.h"
#include "probe/trace_probe.h"
#include "trace/trace_join.h"
#include "trace/trace_keys.h"
#include "trace/trace_shares.h"

struct session;
struct trace_symbols;

extern const struct trace_format trace_text, trace_csv, trace_json, trace_timeline;

struct trace_output {
	FILE *out;
	const char *name; /* name of the output, for messages */
	const struct trace_format *format;
	bool bytes;		       /* also show the bytes of the recorded packets */
	const struct trace_keys *keys; /* NULL: records have no key (--by) */
	bool joined;		       /* records have the number of their packet (--join) */
	/* number of the next record's packet; 0: the record is not joined */
	__u64 packet;
	const struct session *s; /* the session whose targets and events the records refer to */
	const struct trace_probe *probe;
	/* the names of functions in stacks; NULL: show addresses */
	struct trace_symbols *symbols;
	/* CLOCK_REALTIME minus CLOCK_MONOTONIC, in ns: trace_output__follow_clock() sets it */
	__u64 epoch_ns;
	struct screen screen; /* only for text */
	struct csv_style csv; /* only for trace_csv */
	/* Set by trace_output__prepare(): the names of the targets, indexed by target. */
	char **label;
	struct table *table; /* the line of a record */
	/*
	 * Only for trace_timeline: its time 0 and the time of the last record, both on
	 * CLOCK_MONOTONIC, and the tasks whose names have been written.
	 */
	__u64 start_ns, last_ns;
	struct id_map named;
};

/* Totals of the whole trace. */
struct trace_summary {
	__u64 elapsed_ns;
	/* Number of all runs, and number of measured runs. Only a measured run can be recorded. */
	__u64 invocations, measured;
	__u64 own; /* runs by bprof itself, which the other numbers do not include */
	struct trace_counts counts;
	struct trace_shares shares;	 /* empty without shares */
	struct trace_join_counts joined; /* empty without --join */
};

/*
 * A format. Each of its functions writes a part of the output. The caller of these functions checks
 * the stream for write errors.
 */
struct trace_format {
	/* NULL: the format writes nothing at the beginning */
	void (*begin)(struct trace_output *o);
	/* Called before the records of a packet's runs. NULL: the format writes nothing there. */
	void (*packet)(struct trace_output *o, const struct trace_packet *p);
	void (*record)(struct trace_output *o, int cpu, const struct bprof_record *r);
	/* cnt records were not written because of the limit; cnt records of a CPU were lost */
	void (*held)(struct trace_output *o, __u64 cnt);
	void (*lost)(struct trace_output *o, int cpu, __u64 cnt);
	void (*end)(struct trace_output *o, const struct trace_summary *sum);
};

/*
 * Sets o->epoch_ns. Call it again from time to time: the clocks differ by another time when the wall
 * clock has been set, or after a suspend, during which CLOCK_MONOTONIC stands still.
 */
void trace_output__follow_clock(struct trace_output *o);
/* Formats the targets' names. o->s must be set. */
void trace_output__prepare(struct trace_output *o);
/* Frees the targets' names. Call it before the session is closed. */
void trace_output__free(struct trace_output *o);

/* Each of these writes a part of the output. Returns 0, or -errno (reported). */
int trace_output__begin(struct trace_output *o);
/* Writes a record. r must point into the ring buffer, where its stack and packet follow it. */
int trace_output__record(struct trace_output *o, int cpu, const struct bprof_record *r);
/* Writes the lines on a packet, or on a run that is not joined, before its records. */
int trace_output__begin_packet(struct trace_output *o, const struct trace_packet *p);
/*
 * trace_output__held() writes that cnt records were not written because of the limit of records per
 * second. trace_output__lost() writes that cnt records were lost on that CPU.
 */
int trace_output__held(struct trace_output *o, __u64 cnt);
int trace_output__lost(struct trace_output *o, int cpu, __u64 cnt);
int trace_output__flush(const struct trace_output *o);
int trace_output__end(struct trace_output *o, const struct trace_summary *sum);

/* ---- for the formats ---- */

/*
 * If the condition is a percentile, sets *value to the target's present limit, in units of the
 * limit's event. Returns false if no condition is a percentile, or if the target had too few runs.
 */
bool trace_output__bound(const struct trace_output *o, int target, double *value);

/*
 * Returns the target's program type, which decides the names of its return values (such as
 * XDP_DROP). Returns "" for a subprogram, whose return values have no names.
 */
const char *trace_output__type(const struct target *t);
/*
 * Returns true if the run of this record satisfies the condition b, which is then one of the
 * reasons for which the run was recorded.
 */
bool trace_output__is_true(const struct trace_output *o, const struct bprof_record *r,
			   const struct trace_bound *b);
/* Returns the type of an argument of the record's target, or NULL if it has no such argument. */
const struct arg_path *trace_output__arg(const struct trace_output *o, const struct bprof_record *r,
					 int index);
/* Returns true if the condition on that argument is one of the reasons for the record. */
bool trace_output__met_arg(const struct trace_output *o, const struct bprof_record *r, int index);
/* Returns true if records have a key (--by). */
bool trace_output__has_key(const struct trace_output *o);
/*
 * The next three functions concern the record's stack. They return the number of its frames, the
 * symbol of frame i, and the index of the first frame that does not belong to the probe.
 */
int trace_output__stack_cnt(const struct bprof_record *r);
const char *trace_output__frame(const struct trace_output *o, const struct bprof_record *r, int i,
				char *buf, size_t sz);
int trace_output__first_frame(const struct trace_output *o, const struct bprof_record *r);

#endif
