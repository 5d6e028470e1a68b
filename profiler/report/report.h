/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The report: the result model that every output renders, and that is read back from JSON. Needs
 * neither the kernel nor root.
 */
#ifndef BPROF_REPORT_H
#define BPROF_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <linux/types.h>

#include "base/event_status.h"
#include "base/lost_runs.h"
#include "report/record_samples.h"

#define REPORT_SCHEMA 1

struct event_status_spec {
	const char *name; /* in JSON: "not_supported" */
	const char *text; /* for people; CSV prints it between <>, as perf does */
	const char *cell; /* for narrow table cells */
};
extern const struct event_status_spec event_status_specs[EVENT_STATUS_CNT];

/*
 * The statistics of one event over its runs, one row each, in the order of JSON. NaN: not measured,
 * left out of every output. SELF: the part of the mean that was not spent in measured functions
 * that it called.
 *
 * The last three columns are positions, ascending from 1; 0: not shown there. A new statistic goes
 * to the end of CSV's lines: existing columns must not move.
 */
/* clang-format off */
#define REPORT_STATS(STAT)                                                               \
	/*   id      name      header   quantile  average  table  csv  end of csv */     \
	STAT(MEAN,   "mean",   "MEAN",  NAN,      true,        2,   1,   0)              \
	STAT(STDDEV, "stddev", "STDDEV", NAN,     true,        3,   8,   0)              \
	STAT(MIN,    "min",    "MIN",   0,        false,       1,   2,   0)              \
	STAT(P50,    "p50",    "P50",   0.5,      false,      50,   3,   0)              \
	STAT(P90,    "p90",    "P90",   0.9,      false,      90,   4,   0)              \
	STAT(P95,    "p95",    "P95",   0.95,     false,      95,   0,   1)              \
	STAT(P99,    "p99",    "P99",   0.99,     false,      99,   5,   0)              \
	STAT(P999,   "p999",   "P99.9", 0.999,    false,     100,   6,   0)              \
	STAT(MAX,    "max",    "MAX",   1,        false,     101,   7,   0)              \
	STAT(SELF,   "self",   "SELF",  NAN,      false,       0,   9,   0)
/* clang-format on */

enum stat_id {
#define STAT_ID(id, ...) STAT_##id,
	REPORT_STATS(STAT_ID) STAT_CNT
#undef STAT_ID
};

/* The outputs that have statistics as columns. */
enum stat_list {
	STATS_TABLE,   /* the text report's table of distributions */
	STATS_CSV,     /* CSV, among a program's columns */
	STATS_CSV_END, /* CSV, at the end of a line */
	STAT_LIST_CNT
};

struct stat_spec {
	const char *name;   /* in JSON and on the command line: "p999" */
	const char *header; /* in tables, and on the command line in any case: "P99.9" */
	double quantile;    /* 0 and 1 are the extremes; NaN: none */
	bool average;	    /* not the value of one run, and so rarely a whole number */
	int place[STAT_LIST_CNT];
};
extern const struct stat_spec stat_specs[STAT_CNT];

/* True for a percentile: neither an extreme nor computed from sums. */
bool stat__is_percentile(enum stat_id id);
/*
 * Iterates over a list in the order of its columns. *place starts at 0. Returns STAT_CNT at the
 * end.
 *
 *	for (int place = 0; (id = stats__next(STATS_CSV, &place)) < STAT_CNT;)
 */
enum stat_id stats__next(enum stat_list list, int *place);

struct lost_spec {
	const char *name; /* in JSON's lost: "entry" */
	const char *text; /* for people: "exit without an entry" */
};
extern const struct lost_spec lost_specs[LOST_CNT];

/* The sizes of a program. NaN: not known. */
enum size_id { SIZE_VERIFIED_INSNS, SIZE_XLATED, SIZE_JITED, SIZE_STACK, SIZE_CNT };
struct size_spec {
	const char *name;   /* in JSON's size: "xlated_bytes" */
	const char *header; /* in tables */
};
extern const struct size_spec size_specs[SIZE_CNT];

/* One bucket of a distribution: runs whose net cost was between low and high, both included. */
struct report_bucket {
	double low, high;
	__u64 count;
};

/*
 * One of several measurements of the same work (a repeat or an interval). Comparisons with another
 * report use blocks.
 */
struct report_block {
	__u64 measured; /* runs, at least one */
	double stat[STAT_CNT];
};

struct report_event {
	char *name;
	char *base; /* canonical name, for metrics */
	char *unit; /* "", "ns" */
	enum event_status status;
	char *detail; /* why not supported or not counted; may be NULL */
	/*
	 * Over the measured runs. A scope's is over the measured time, with -r over one repeat. In
	 * unit; NaN: not known.
	 */
	double total;
	__u64 measured; /* runs with both readings of this event */
	double stat[STAT_CNT];
	/*
	 * The bounds of a statistic that is known only to within a bucket of the distribution. NaN:
	 * the statistic is exact.
	 */
	double low[STAT_CNT], high[STAT_CNT];
	double raw_per_run;	  /* before the bias was subtracted; NaN: no bias */
	double bias, bias_stddev; /* NaN where not calibrated */
	double bias_uncertainty;  /* how far the bias may be off; 0: exact, or not known */
	double repeat_stddev; /* of the mean (scope: of the total) over -r repeats; NaN without */
	/*
	 * For a scope: how long the event was enabled, and how long it was on a counter, summed
	 * over the CPUs. If running_ns is less than enabled_ns, total is scaled up. NaN: not known.
	 */
	double enabled_ns, running_ns;
	/*
	 * How the probe read it: "pinned", "multiplexed", "clock"; NULL: not read by a probe.
	 * Static.
	 */
	const char *read;
	struct report_bucket *bucket; /* ascending, only those with runs; with --hist */
	int bucket_cnt;
	/* Only in a program's row for all CPUs. Blocks without measured runs are left out. */
	struct report_block *block;
	int block_cnt;
	/*
	 * For a version: the difference of its mean from that of program change_from; NaN: not
	 * compared.
	 */
	double change, change_share;
	__u32 change_from;
	bool exact; /* each occurrence was counted, on a deterministic machine (the VM) */
	/*
	 * Estimated from this many samples. The standard deviations are the sampling error of total
	 * and mean; NaN: not known, as without any sample.
	 */
	bool sampled;
	__u64 samples;
	double total_stddev, mean_stddev;
};

/* The samples of one event since the start of the session, on all CPUs. */
struct report_sampling {
	char *event;
	struct record_samples sum;
};

/* Counts of one program or scope, in total or on one CPU. */
struct report_row {
	int cpu; /* -1: all */
	/*
	 * The row of a scope: an event's value is its total. The fields about runs and cpu_share
	 * are not used.
	 */
	bool of_scope;
	/* runs = measured + thinned_out + what was lost */
	__u64 runs, measured, thinned_out;
	__u64 lost[LOST_CNT];
	/* --sample auto: the lowest and the highest period of the CPUs at the end; 0: unknown. */
	__u64 period_min, period_max;
	double cpu_share;     /* of one CPU's time; 1.0 is one full CPU; NaN: not known */
	bool share_estimated; /* extrapolated, because only some runs were measured */
	struct report_event *event;
	int event_cnt;
};

/* Caveats about the numbers ("makes tail calls: …"), each a sentence without a full stop. */
struct report_notes {
	char **text;
	int cnt;
};

/*
 * A followed program. It may be one of several versions with the same name: id, load time and tag
 * tell them apart. Times in ns; NaN: not known.
 */
struct report_version {
	bool followed;	    /* else the other fields are not known */
	__u64 load_time_ns; /* since boot, from the kernel */
	double loaded_ns;   /* since the start; NaN: it was loaded before the start */
	double attached_ns; /* from load to first measurement; NaN: no gap */
	double missed;	    /* runs missed before that or while detached */
	double ended_ns;    /* since the start, when its unload was noticed; NaN: still loaded */
	__u32 detach_cnt;   /* times it was detached so that it could be unloaded */
	bool baseline;	    /* the version that others are compared with */
};

struct report_prog {
	__u32 id;
	char *name;  /* the program's */
	char *func;  /* the function measured */
	char *input; /* the case, if the program ran with several inputs; else NULL */
	char *type;
	char tag[17];
	const char *method; /* "fentry", "run_stats"; static */
	bool probed;	    /* by a probe; in a calibrated report its own cost is subtracted */
	/* The call tree, where several functions of a program are measured. */
	int depth;	      /* below the outermost one */
	bool subprog;	      /* func is not the program's entry function */
	double calls_per_run; /* per run of the entry function; NaN: not known */
	struct report_notes notes;
	struct report_row all;
	/*
	 * Runs that the kernel skipped because the program was already running on that CPU. They
	 * did not happen and no number includes them. NaN: not known (inside -I), or a subprogram.
	 */
	double recursion_misses;
	/*
	 * The return value of its runs, if it was watched: a __u32 (retval.h). NaN: not known, or
	 * not always the same.
	 */
	double retval;
	bool retval_varies;
	struct report_version version;
	/*
	 * One return value per packet, for a case whose packets got different ones. Owned; NULL:
	 * none.
	 */
	__u32 *retvals;
	int retvals_cnt;
	double size[SIZE_CNT];	/* of the entire program; set in an entry function's rows */
	struct report_row *cpu; /* per CPU, with -A */
	int cpu_cnt;
};

/* A scope that `bprof system` counted: the system, a task, a cgroup. */
struct report_scope {
	/*
	 * "system", "process", "thread", "cgroup", "command"; "total": the sum of several; static
	 */
	const char *kind;
	__u64 id;	    /* pid, tid, the kernel's cgroup id; 0: none */
	char *name;	    /* comm, the cgroup's path, the command; may be "" */
	const char *method; /* "bperf", "perf_event"; static */
	bool shared;	    /* it shares its counters with other users */
	struct report_notes notes;
	struct report_row all;
	struct report_row *cpu; /* per CPU, with -A */
	int cpu_cnt;
};

struct report_skip {
	__u32 id;	    /* 0: the argument is not a program */
	char *name;	    /* "" if not known; for id 0 the argument */
	const char *reason; /* "no_btf"; static */
	char *detail;	    /* the reason in a sentence, and the remedy */
};

struct report {
	char *version;
	char **command; /* NULL-terminated argv */
	struct {
		char *kernel, *arch, *cpu_model;
		int cpus; /* measured */
		bool jit;
		bool jit_unknown; /* the JIT setting was not readable */
	} host;
	struct timespec started; /* UTC, the start of measuring: after the delay of -D */
	__u64 elapsed_ns;	 /* how long the gate was open, in all repeats */
	__u64 interval_ns;	 /* with -I: end of this interval since the start; else 0 */
	bool calibrated;
	bool followed; /* of a session that follows programs as they are loaded and unloaded */
	bool total;    /* the report on all intervals, at the end of -I --follow */
	bool driven;   /* bprof bench made the runs: rates and CPU shares mean nothing */
	int repeats;   /* 1 without -r */
	/* One run in thin_period was measured. 1: all. 0: thin_auto chose the periods. */
	__u64 thin_period;
	/* --sample auto, in shares of a CPU, for the CPU with the highest overhead. */
	struct {
		double share;	 /* the limit; 0: not auto */
		double added;	 /* by the probes, computed from their calibrated cost */
		double counting; /* part of added: the cost of counting unmeasured runs */
	} thin_auto;
	/* If some row's method is "samples". */
	__u64 sample_freq; /* samples per second on each CPU */
	struct report_sampling *sampling;
	int sampling_cnt;
	struct report_prog *prog;
	int prog_cnt;
	struct report_scope *scope;
	int scope_cnt;
	bool of_scopes; /* a report of scopes, even if none was counted */
	struct report_skip *skip;
	int skip_cnt;
	char **kept; /* the copies made by report__keep_string() */
	int kept_cnt;
};

/* Sets *started to the current time unless it is already set. */
void report__note_start(struct timespec *started);
/* Returns an empty report (repeats 1, thin_period 1), or NULL if out of memory. */
struct report *report__new(void);
void report__free(struct report *r); /* frees its strings too; accepts NULL */
/*
 * Append an element, initialised to "nothing known" (NaN, cpu -1); return NULL if out of memory.
 * Pointers to other elements of the same kind become stale. Strings put into an element must be
 * malloc'ed and belong to the report then, except those marked static, which the report only points
 * to.
 */
struct report_prog *report__add_prog(struct report *r);
struct report_scope *report__add_scope(struct report *r);
struct report_sampling *report__add_sampling(struct report *r);
struct report_skip *report__add_skip(struct report *r);
/* Adds a filled-in skip. Copies name and detail; reason must be static. 0 or -ENOMEM. */
int report__skip(struct report *r, __u32 id, const char *name, const char *reason,
		 const char *detail);
struct report_row *report_prog__add_cpu(struct report_prog *p, int cpu);
struct report_row *report_scope__add_cpu(struct report_scope *s, int cpu);
struct report_event *report_row__add_event(struct report_row *row);
/* Sets the names of a new event to copies of these. 0 or -ENOMEM. */
int report_event__set_names(struct report_event *ev, const char *name, const char *base,
			    const char *unit);
struct report_bucket *report_event__add_bucket(struct report_event *ev);
struct report_block *report_event__add_block(struct report_event *ev);
/* Adds the statistics of from as a block, if it has measured runs. 0 or -ENOMEM. */
int report_event__copy_block(struct report_event *to, const struct report_event *from);
/* Copies s for a field marked static; the copy lives as long as r. NULL: out of memory. */
const char *report__keep_string(struct report *r, const char *s);
/* Appends a note. Text output prints the program's id and name before it. 0 or -ENOMEM. */
int report_notes__add(struct report_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void report_notes__free(struct report_notes *notes); /* frees the texts, not notes itself */

#define LABEL_SZ 1100 /* two names of KSYM_NAME_LEN, the kernel's maximum */

/*
 * Formats "program", or "program:function" for a subprogram. Prints the function alone if the
 * program's name is empty or the kernel's truncation of the function's. Not made printable. Returns
 * buf, which has LABEL_SZ bytes.
 */
const char *report_prog__label(const struct report_prog *p, char *buf);

#define TITLE_SZ (LABEL_SZ + 1100)
/* Like the label, followed by the case: "program:function [case]". buf has TITLE_SZ bytes. */
const char *report_prog__title(const struct report_prog *p, char *buf);
/* True if the return value of its runs is known, or known to vary. */
bool report_prog__has_retval(const struct report_prog *p);
/* True if any of its sizes is known. */
bool report_prog__has_size(const struct report_prog *p);

__u64 report_row__lost(const struct report_row *row); /* sum over all causes */
/* Runs per second while the gate was open; NaN if it never was, or if a bench drove the runs. */
double report_row__runs_per_s(const struct report *r, const struct report_row *row);
/* True if a program's event has status ok and at least one measured run. */
bool report_event__has_value(const struct report_event *ev);
/* True if the statistic is known only to within a bucket. */
bool report_event__is_rough(const struct report_event *ev, enum stat_id id);
/* The number that represents an event: a scope's total, a program's mean; NaN: nothing to show. */
double report_row__value(const struct report_row *row, const struct report_event *ev);
/* The (n+1)-th event called name, or NULL. Names may repeat (name=, or in and out of a group). */
const struct report_event *report_row__find_event(const struct report_row *row, const char *name,
						  int n);
/*
 * The event of row that corresponds to ev, an event of other: the same name, and the same number of
 * events of that name before it. NULL: none.
 */
const struct report_event *report_row__find_like(const struct report_row *row,
						 const struct report_row *other,
						 const struct report_event *ev);
/*
 * True if the event shared a counter: a program's event was counted in fewer runs than the row
 * measured, a scope's in only part of the time.
 */
bool report_event__is_partial(const struct report_row *row, const struct report_event *ev);
/* True if a scope's event was enabled but never got a counter. */
bool report_row__never_on(const struct report_row *row, const struct report_event *ev);
/* The first program that was measured by a probe, or NULL. */
const struct report_prog *report__probed(const struct report *r);
/*
 * The standard deviation over the repeats in percent of the value, like perf's "+-". Without
 * repeats: the sampling error of an estimate. NaN without both.
 */
double report_row__variation(const struct report_row *row, const struct report_event *ev);

/*
 * Merges each[0..cnt), the reports of a session's repeats, into merged, the report on all of them.
 * Sets each event's repeat_stddev to the standard deviation of its mean, like perf stat -r: for a
 * program over the means per run, for a scope over the totals of the repeats that have one. A
 * scope's total, enabled_ns and running_ns become their means over the repeats, as perf shows them.
 * Each repeat of a program's event becomes a block. 0 or -ENOMEM.
 */
int report__set_repeats(struct report *merged, struct report *const *each, int cnt);

/*
 * Groups the versions of each name, ordered by load time, and sets how the mean cost of each
 * differs from a base: the first version, or the first one whose tag begins with vs if that is not
 * NULL. Looks up the base in session, the report on the entire session, which may be r itself. 0 or
 * -ENOMEM.
 */
int report__compare_versions(struct report *r, struct report *session, const char *vs);

struct render_opts {
	const char *sep;     /* CSV separator */
	const char *version; /* benchfmt: the version, "old" or "new"; NULL: only one */
	bool color;
	bool interval; /* -I: one line (JSON), block (text) or column (CSV) per interval */
	bool per_cpu;  /* -A */
	int verbose;   /* text: also show how each event was read, the raw mean and the bias */
	/*
	 * With -I: the first block. Only it has the table's header, the line of names, and what
	 * never changes (skipped targets, ...).
	 */
	bool header;
};

/* The renderers, one file each. out is in memory. 0 or -ENOMEM. */
typedef int report_render_fn(const struct report *r, const struct render_opts *o, FILE *out);
report_render_fn report__render_text;
report_render_fn report__render_json;
report_render_fn report__render_csv;
report_render_fn report__render_tsv;
report_render_fn report__render_benchfmt;

/* Renders r to out and flushes it. 0, -ENOMEM, or the error of out (-ENOSPC, ...). */
int report__render(const struct report *r, report_render_fn *render, const struct render_opts *o,
		   FILE *out);

/* A stream of reports: one JSON document, or several in a row as -I writes them. */
struct report_source {
	FILE *in;	    /* the caller's */
	unsigned long line; /* current line of in; 0: at its beginning */
	const char *kind;   /* expected kind of document, for errors; NULL: "report" */
};

/* The error in a document. */
struct report_error {
	unsigned long line; /* of the source, from 1; of a document's first line, for its content */
	/* One printable sentence without a full stop: "programs[2].events[0].id: is missing" */
	char text[240];
};

/*
 * Logs the error err of a function that reads a document from the source called name; 0 logs
 * nothing. hint says how to make such a document, for an empty source. Returns err.
 */
int report_error__report(int err, const char *name, const char *hint,
			 const struct report_error *rerr);

/*
 * Reads the next document; the caller frees *out. Returns 0; -ENODATA at the end; -EINVAL with *err
 * if the document is not JSON, not a report, of a newer schema, too large, lacks a required field
 * or has an invalid value in a known one: src cannot be read any further then; -ENOMEM; or the
 * error of in (-EISDIR, …).
 *
 * Unknown fields are ignored. Missing optional fields become NaN or the value of a session without
 * the option; missing strings NULL (base: same as name).
 */
int report__read(struct report_source *src, struct report **out, struct report_error *err);

/*
 * Reads a file that holds one report or the intervals of one session. Intervals become one report
 * whose blocks they are: sums, means and extremes are over all of them, percentiles are the median
 * of the blocks', everything else is the first one's. Errors as report__read(); also -EINVAL if
 * unrelated reports follow.
 */
int report__read_all(FILE *in, struct report **out, struct report_error *err);

#endif
