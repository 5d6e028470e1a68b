/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The report: the result model that every output renders, and that is read back from JSON. No kernel
 * and no root from here on.
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
	const char *text; /* for people, and in CSV between <>, as perf has it */
	const char *cell; /* the same where room is short */
};
extern const struct event_status_spec event_status_specs[EVENT_STATUS_CNT];

/*
 * The statistics of one event over its runs, a row each, in the order of JSON. NaN: not measured,
 * left out of every output. SELF: of the mean, what is not in the targets that it called.
 *
 * The last three columns are places, ascending from 1; 0: it is not there. A statistic that is new
 * stands at the end of CSV's lines: no column may move.
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

/* Where statistics are columns. */
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
	bool average;	    /* it is not the value of one run, which mostly is a whole number */
	int place[STAT_LIST_CNT];
};
extern const struct stat_spec stat_specs[STAT_CNT];

/* Is it known from a distribution only: neither an extreme nor a sum? */
bool stat__is_percentile(enum stat_id id);
/*
 * Goes through a list in the order of its columns: *place is 0 at first. STAT_CNT: there are no more.
 *
 *	for (int place = 0; (id = stats__next(STATS_CSV, &place)) < STAT_CNT;)
 */
enum stat_id stats__next(enum stat_list list, int *place);

struct lost_spec {
	const char *name; /* in JSON's lost: "entry" */
	const char *text; /* for people: "exit without an entry" */
};
extern const struct lost_spec lost_specs[LOST_CNT];

/* How large a program is. NaN: not known. */
enum size_id { SIZE_VERIFIED_INSNS, SIZE_XLATED, SIZE_JITED, SIZE_STACK, SIZE_CNT };
struct size_spec {
	const char *name;   /* in JSON's size: "xlated_bytes" */
	const char *header; /* in tables */
};
extern const struct size_spec size_specs[SIZE_CNT];

/* One bucket of a distribution: runs whose net cost was from low to high, both included. */
struct report_bucket {
	double low, high;
	__u64 count;
};

/*
 * One of several measurements of the same work, of which the whole is made: what is compared with
 * another report. A repeat, or an interval.
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
	/* Over the measured runs; of a scope over the time, with -r of one repeat. In unit; NaN: not
	 * known. */
	double total;
	__u64 measured; /* runs with both readings of this event */
	double stat[STAT_CNT];
	/*
	 * Of a statistic that is known to within a bucket of the distribution only: what it is at
	 * least and at most. NaN: it is exact.
	 */
	double low[STAT_CNT], high[STAT_CNT];
	double raw_per_run;	  /* NaN: same as mean, nothing was taken off */
	double bias, bias_stddev; /* NaN where not calibrated */
	double bias_uncertainty; /* by how much the bias may be wrong; 0: it is right, or not known */
	double repeat_stddev;	 /* of the mean, a scope's total, over -r repeats; NaN without */
	/*
	 * Of a scope: so long it would have counted, and so long it was on a counter, summed over
	 * the CPUs. Where that is less, total is scaled to the whole. NaN: not known.
	 */
	double enabled_ns, running_ns;
	/* How it was read: "pinned", "multiplexed", "clock"; NULL: not in a probe. Static. */
	const char *read;
	struct report_bucket *bucket; /* ascending, only those with runs; with --hist */
	int bucket_cnt;
	/* Of a program's row as a whole; a block without a measured run is left out. */
	struct report_block *block;
	int block_cnt;
	/* Of a version: how its mean differs from that of the one with this id; NaN: not compared. */
	double change, change_share;
	__u32 change_from;
	bool exact; /* counted, every one, by a machine that does the same each time: the VM */
	/*
	 * Estimated from so many samples; and the standard deviations that chance gives total and
	 * mean then, NaN: not known, as where there were none.
	 */
	bool sampled;
	__u64 samples;
	double total_stddev, mean_stddev;
};

/* Of an event that was sampled: what came of it since the start of the session, on all CPUs. */
struct report_sampling {
	char *event;
	struct record_samples sum;
};

/* Counts of one program or scope, whole or on one CPU. */
struct report_row {
	int cpu; /* -1: all */
	/* A scope's: an event's value is its total; what is of runs, and cpu_share, is not used. */
	bool of_scope;
	/* runs = measured + thinned_out + what was lost */
	__u64 runs, measured, thinned_out;
	__u64 lost[LOST_CNT];
	/* --sample auto: the lowest and the highest period of the CPUs at the end; 0: unknown. */
	__u64 period_min, period_max;
	double cpu_share;     /* of one CPU's time; 1.0 is one CPU wholly; NaN: not known */
	bool share_estimated; /* not all runs were measured: these cost as much as the others */
	struct report_event *event;
	int event_cnt;
};

/* What the reader must know of numbers ("makes tail calls: …"), each a sentence without a full stop. */
struct report_notes {
	char **text;
	int cnt;
};

/*
 * A program that was followed, which may be one of several versions of its name: id, load time and tag
 * say which. Times in ns; NaN: not known.
 */
struct report_version {
	bool followed;	    /* else nothing of it is known */
	__u64 load_time_ns; /* since boot, as the kernel has it */
	double loaded_ns;   /* since the start; NaN: it was there already */
	double attached_ns; /* so long after it was loaded it was measured; NaN: from the start */
	double missed;	    /* runs that were not seen: before that, or while it was let go of */
	double ended_ns;    /* since the start, when it was found gone; NaN: it is there */
	__u32 detach_cnt;   /* times it was detached so that it could be unloaded */
	bool baseline;	    /* others are compared with it */
};

struct report_prog {
	__u32 id;
	char *name;  /* the program's */
	char *func;  /* the function measured */
	char *input; /* the case, where one was measured with several inputs; NULL: none */
	char *type;
	char tag[17];
	const char *method; /* "fentry", "run_stats"; static */
	bool probed; /* by a probe, whose own cost is taken off if the report is calibrated */
	/* The call tree, where several functions of a program are measured. */
	int depth;	      /* below the outermost one */
	bool subprog;	      /* func is not the program's entry function */
	double calls_per_run; /* of the entry function; NaN: that is not measured, or did not run */
	struct report_notes notes;
	struct report_row all;
	/*
	 * Runs that the kernel left out because the program was running on that CPU already: they
	 * did not happen, and are in no number. NaN: not known (in the middle of -I), or a
	 * subprogram.
	 */
	double recursion_misses;
	/*
	 * What its runs returned, where they were watched: a __u32 (retval.h); NaN: not known, or not
	 * always the same.
	 */
	double retval;
	bool retval_varies;
	struct report_version version;
	/* Of a case of several packets that were answered differently: by packet. Owned; NULL: none. */
	__u32 *retvals;
	int retvals_cnt;
	double size[SIZE_CNT];	/* of the whole program; an entry function's rows have it */
	struct report_row *cpu; /* per CPU, with -A */
	int cpu_cnt;
};

/* Whose work `bprof system` counted. */
struct report_scope {
	/* "system", "process", "thread", "cgroup", "command"; "total": several together; static */
	const char *kind;
	__u64 id;	    /* pid, tid, the kernel's cgroup id; 0: none */
	char *name;	    /* comm, the cgroup's path, the command; may be "" */
	const char *method; /* "bperf", "perf_event"; static */
	bool shared;	    /* its counters are those of other users, too */
	struct report_notes notes;
	struct report_row all;
	struct report_row *cpu; /* per CPU, with -A */
	int cpu_cnt;
};

struct report_skip {
	__u32 id;	    /* 0: what was given is no program */
	char *name;	    /* "" where unknown; for id 0 what was given */
	const char *reason; /* "no_btf"; static */
	char *detail;	    /* sentence and remedy */
};

struct report {
	char *version;
	char **command; /* NULL-terminated argv */
	struct {
		char *kernel, *arch, *cpu_model;
		int cpus; /* measured */
		bool jit;
		bool jit_unknown; /* may it be read? */
	} host;
	struct timespec started; /* UTC, when measuring began: after the delay of -D */
	__u64 elapsed_ns;	 /* the gate was open for so long (all repeats together) */
	__u64 interval_ns;	 /* with -I: end of this interval since the start; else 0 */
	bool calibrated;
	bool followed; /* programs came and went */
	bool total;    /* of all intervals, after them */
	bool driven;   /* the runs were made by bprof bench: no rates, no shares of a CPU */
	int repeats;   /* 1 without -r */
	/* One run in thin_period was measured; 1: all; 0: thin_auto chose the periods. */
	__u64 thin_period;
	/* --sample auto, in shares of a CPU: of the CPU with the highest overhead. */
	struct {
		double share;	 /* the limit; 0: not auto */
		double added;	 /* by the probes, from their calibrated cost */
		double counting; /* part of added: counting the runs that were not measured */
	} thin_auto;
	/* Where a row's method is "samples". */
	__u64 sample_freq; /* so many a second on each CPU */
	struct report_sampling *sampling;
	int sampling_cnt;
	struct report_prog *prog;
	int prog_cnt;
	struct report_scope *scope;
	int scope_cnt;
	bool of_scopes; /* it is of scopes, though none may have been counted */
	struct report_skip *skip;
	int skip_cnt;
	char **kept; /* what report__keep_string() was given */
	int kept_cnt;
};

/* Sets the time at which measuring began to now, unless it is set. */
void report__note_start(struct timespec *started);
/* Empty, no repeats (1); NULL: out of memory. */
struct report *report__new(void);
void report__free(struct report *r); /* with all its strings; NULL is fine */
/*
 * Append an element, initialised to "nothing known" (NaN, cpu -1); NULL: out of memory. Pointers
 * given earlier to elements of the same kind become stale. Strings put into an element are
 * malloc'ed and belong to the report then, but for those marked static, which it only points to.
 */
struct report_prog *report__add_prog(struct report *r);
struct report_scope *report__add_scope(struct report *r);
struct report_sampling *report__add_sampling(struct report *r);
struct report_skip *report__add_skip(struct report *r);
/* The same, filled in: name and detail are copied, reason is static. 0 or -ENOMEM. */
int report__skip(struct report *r, __u32 id, const char *name, const char *reason,
		 const char *detail);
struct report_row *report_prog__add_cpu(struct report_prog *p, int cpu);
struct report_row *report_scope__add_cpu(struct report_scope *s, int cpu);
struct report_event *report_row__add_event(struct report_row *row);
/* Gives a new event copies of these names. 0 or -ENOMEM. */
int report_event__set_names(struct report_event *ev, const char *name, const char *base,
			    const char *unit);
struct report_bucket *report_event__add_bucket(struct report_event *ev);
struct report_block *report_event__add_block(struct report_event *ev);
/* Adds what from has of its runs, if there are any, as a block. 0 or -ENOMEM. */
int report_event__copy_block(struct report_event *to, const struct report_event *from);
/* A copy of s for a field marked static, where it is not: lives as long as r. NULL: out of memory. */
const char *report__keep_string(struct report *r, const char *s);
/* A text output puts what it is a note on (the program's id and name) before it. 0 or -ENOMEM. */
int report_notes__add(struct report_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void report_notes__free(struct report_notes *notes); /* what is in them */

#define LABEL_SZ 1100 /* two names of the kernel's maximum, KSYM_NAME_LEN */

/*
 * "program", or "program:function" for a subprogram; the function alone where the program's name
 * is the beginning of it that the kernel had room for. Not made printable. Returns buf, of
 * LABEL_SZ bytes.
 */
const char *report_prog__label(const struct report_prog *p, char *buf);

#define TITLE_SZ (LABEL_SZ + 1100)
/* The same with the case behind it: "program:function [case]". Returns buf, of TITLE_SZ bytes. */
const char *report_prog__title(const struct report_prog *p, char *buf);
/* Is what its runs returned known, if only that it was not always the same? */
bool report_prog__has_retval(const struct report_prog *p);
/* Is any of its sizes known? */
bool report_prog__has_size(const struct report_prog *p);

__u64 report_row__lost(const struct report_row *row); /* under all causes */
/* Runs a second while the gate was open; NaN where it never was, or a bench drove the runs. */
double report_row__runs_per_s(const struct report *r, const struct report_row *row);
/* Is there anything to show of a program's event: status ok and at least one run measured? */
bool report_event__has_value(const struct report_event *ev);
/* Is the statistic known to within a bucket only? */
bool report_event__is_rough(const struct report_event *ev, enum stat_id id);
/* The number that stands for an event: a scope's total, or a program's mean; NaN: none to show. */
double report_row__value(const struct report_row *row, const struct report_event *ev);
/* The event of that name which n others of it come before: two may have one (name=, or in and out of a group). NULL. */
const struct report_event *report_row__find_event(const struct report_row *row, const char *name,
						  int n);
/* The one that stands for an event of another row: of that name, and with as many of it before it. NULL. */
const struct report_event *report_row__find_like(const struct report_row *row,
						 const struct report_row *other,
						 const struct report_event *ev);
/*
 * Did the event share a counter: was it counted in fewer runs than the row measured, or, a scope's,
 * not all the time?
 */
bool report_event__is_partial(const struct report_row *row, const struct report_event *ev);
/* Of a scope: was it ready to count the event, and had no counter for it all the time? */
bool report_row__never_on(const struct report_row *row, const struct report_event *ev);
/* The first program that was measured by a probe, or NULL. */
const struct report_prog *report__probed(const struct report *r);
/*
 * The deviation over the repeats in percent of the value, as perf's "+-"; without repeats, that of an
 * estimate by chance; NaN without both.
 */
double report_row__variation(const struct report_row *row, const struct report_event *ev);

/*
 * Puts what each[0..cnt) say of the repeats of one session into whole, the report of all of them. Each
 * event's repeat_stddev becomes the standard deviation of its mean, as perf stat -r has it: of a
 * program, over the means of a run; of a scope, over the totals of those repeats in which it has one,
 * and its total, enabled_ns and running_ns become the mean of a repeat, as perf shows them. What a
 * program's events have of each repeat become blocks. 0 or -ENOMEM.
 */
int report__set_repeats(struct report *whole, struct report *const *each, int cnt);

/*
 * Puts the versions of each name one under another, in the order of their load times, and sets how
 * the mean cost of each differs from that of the first one, or of the first one whose tag begins
 * with vs, unless that is NULL. whole: where the base is looked up, over all of the session; may be r
 * itself. 0 or -ENOMEM.
 */
int report__compare_versions(struct report *r, struct report *whole, const char *vs);

struct render_opts {
	const char *sep;     /* CSV separator */
	const char *version; /* benchfmt: which of two this is ("old"); NULL: there is one */
	bool color;
	bool interval; /* a line (JSON), a block (text) or a column (CSV) per interval */
	bool per_cpu;  /* -A */
	int verbose;   /* text: how each event was read, raw mean and bias beside net */
	bool header;   /* with -I: the first block, which alone has the table's header, a line of
			* names, and what never changes (skipped targets, ...) */
};

/* The renderers, one file each, into memory: 0 or -ENOMEM. */
typedef int report_render_fn(const struct report *r, const struct render_opts *o, FILE *out);
report_render_fn report__render_text;
report_render_fn report__render_json;
report_render_fn report__render_csv;
report_render_fn report__render_tsv;
report_render_fn report__render_benchfmt;

/* Renders r to out and flushes it: 0, -ENOMEM, or why out failed (-ENOSPC, ...). */
int report__render(const struct report *r, report_render_fn *render, const struct render_opts *o,
		   FILE *out);

/* Where reports are read from: one JSON document after the other, as -I writes them, or one. */
struct report_source {
	FILE *in;	    /* the caller's */
	unsigned long line; /* at which in stands; 0: at its beginning */
	const char *kind;   /* what they are to be, in errors; NULL: "report" */
};

/* What is wrong with a document. */
struct report_error {
	unsigned long line; /* of the source, from 1; where the document begins, if it is JSON */
	/* One sentence without a full stop; printable. "programs[2].events[0].measured: is missing" */
	char text[240];
};

/*
 * Reports what a function returned that reads a document: nothing for 0, else why the source called
 * name could not be read. hint: how such a document is written, where it is empty. Returns err.
 */
int report_error__report(int err, const char *name, const char *hint,
			 const struct report_error *rerr);

/*
 * Reads the next document; the caller frees *out. 0; -ENODATA: there is none any more; -EINVAL with
 * *err: it is no JSON, no report, of a newer schema, larger than any report, a field that must be
 * there is missing or one that is known holds what it cannot: no more can be read from src;
 * -ENOMEM; or with what in failed (-EISDIR, …).
 *
 * Fields that are not known are passed over; of those that may be missing, numbers are NaN then, or
 * what a session without the option has, strings NULL (base: as name).
 */
int report__read(struct report_source *src, struct report **out, struct report_error *err);

/*
 * Reads all of a file that is one report, or the intervals of one session, which become one report
 * of blocks: sums, means and extremes are of all of them, percentiles the median of the blocks';
 * the rest is the first one's. As report__read(); also -EINVAL where other reports follow.
 */
int report__read_whole(FILE *in, struct report **out, struct report_error *err);

#endif
