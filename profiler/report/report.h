/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The report: the result model that every format renders and that bprof reads back from JSON. Works
 * without the kernel and without root.
 */
#ifndef BPROF_REPORT_H
#define BPROF_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <linux/types.h>

#include "base/event_status.h"
#include "base/lost_runs.h"
#include "base/table.h"
#include "base/util.h"
#include "btf/run_key.h"
#include "report/record_samples.h"

#define REPORT_SCHEMA 1
/* --sample auto adjusts the periods of probes at most this often. */
#define THINNING_ADJUST_MS 100

struct event_status_spec {
	const char *name; /* the name in JSON: "not_supported" */
	const char *text; /* the text for people, which CSV prints between <>, as perf does */
	const char *cell; /* the text for narrow table cells */
};
extern const struct event_status_spec event_status_specs[EVENT_STATUS_CNT];

/*
 * The statistics of one event over its runs, in the order of JSON. A statistic that was not
 * measured is NaN, and no format shows it. SELF is the part of the mean that the function did not
 * spend in other measured functions.
 *
 * .place has the statistic's place in each output of enum stat_list. An output shows the statistics
 * in ascending order of these numbers, and leaves out a statistic without one.
 */
/* clang-format off */
#define REPORT_STATS(STAT) \
	STAT(MEAN, .name = "mean", .header = "MEAN", .quantile = NAN, .average = true, \
	     .place = {[STATS_TABLE] = 2, [STATS_CSV] = 1}) \
	STAT(STDDEV, .name = "stddev", .header = "STDDEV", .quantile = NAN, .average = true,\
	     .place = {[STATS_TABLE] = 3, [STATS_CSV] = 9, [STATS_DROPPED] = 1}) \
	STAT(MIN, .name = "min", .header = "MIN", .quantile = 0, \
	     .place = {[STATS_TABLE] = 1, [STATS_CSV] = 2, [STATS_DROPPED] = 5}) \
	STAT(P50, .name = "p50", .header = "P50", .quantile = 0.5, \
	     .place = {[STATS_TABLE] = 50, [STATS_CSV] = 3, [STATS_DROPPED] = 6}) \
	STAT(P90, .name = "p90", .header = "P90", .quantile = 0.9, \
	     .place = {[STATS_TABLE] = 90, [STATS_CSV] = 4, [STATS_DROPPED] = 4}) \
	STAT(P95, .name = "p95", .header = "P95", .quantile = 0.95, \
	     .place = {[STATS_TABLE] = 95, [STATS_CSV] = 5, [STATS_DROPPED] = 2}) \
	STAT(P99, .name = "p99", .header = "P99", .quantile = 0.99, \
	     .place = {[STATS_TABLE] = 99, [STATS_CSV] = 6}) \
	STAT(P999, .name = "p99.9", .header = "P99.9", .quantile = 0.999, \
	     .place = {[STATS_TABLE] = 100, [STATS_CSV] = 7, [STATS_DROPPED] = 3}) \
	STAT(MAX, .name = "max", .header = "MAX", .quantile = 1, \
	     .place = {[STATS_TABLE] = 101, [STATS_CSV] = 8}) \
	STAT(SELF, .name = "self", .header = "SELF", .quantile = NAN, \
	     .place = {[STATS_CSV] = 10})
/* clang-format on */

enum stat_id {
#define STAT_ID(id, ...) STAT_##id,
	REPORT_STATS(STAT_ID) STAT_CNT
#undef STAT_ID
};

/* The outputs that have statistics as columns. */
enum stat_list {
	STATS_TABLE,   /* the table of distributions in the text report */
	STATS_CSV,     /* the columns of a program in CSV */
	STATS_DROPPED, /* the columns that a narrow table leaves out, in this order */
	STAT_LIST_CNT
};

struct stat_spec {
	const char *name;   /* the name in JSON, in CSV and on the command line: "p99.9" */
	const char *header; /* the name in tables: "P99.9" */
	double quantile;    /* 0 for the minimum, 1 for the maximum; NaN: not a quantile */
	/*
	 * True for a mean or deviation: usually a fraction, although each run's cost is a whole
	 * number
	 */
	bool average;
	int place[STAT_LIST_CNT];
};
#define STAT_SPEC(id, ...) [STAT_##id] = {__VA_ARGS__},
extern const struct stat_spec stat_specs[STAT_CNT];

/* Returns true for a percentile. The minimum and the maximum are not percentiles. */
bool stat__is_percentile(enum stat_id id);
/*
 * Returns the next statistic of a list in the order of the columns, or STAT_CNT after the last one.
 * *place is the state of the iteration, which starts at 0.
 *
 *	for (int place = 0; (id = stats__next(STATS_CSV, &place)) < STAT_CNT;)
 */
enum stat_id stats__next(enum stat_list list, int *place);

struct lost_spec {
	const char *name; /* the name in JSON's "lost": "entry" */
	const char *text; /* the text for people: "exit without an entry" */
};
extern const struct lost_spec lost_specs[LOST_CNT];

/* The sizes of a program. NaN: not known. */
enum size_id {
	SIZE_VERIFIED_INSNS,
	SIZE_PEAK_STATES,
	SIZE_VERIFICATION,
	SIZE_XLATED,
	SIZE_JITED,
	SIZE_STACK,
	SIZE_CNT
};
struct size_spec {
	const char *name;   /* the name in JSON's "size": "xlated_bytes" */
	const char *header; /* the header in tables */
	const char *unit;   /* "", "ns" */
	/* narrow tables leave out the column with the lowest drop_order first; 0: never leave it out */
	int drop_order;
};
extern const struct size_spec size_specs[SIZE_CNT];

/* One bucket of a distribution: the runs whose net cost was between low and high, inclusive. */
struct report_bucket {
	double low, high;
	__u64 count;
	/*
	 * If known is true: the least and the greatest cost of these runs, and the cost of one of
	 * them. If a report was read from JSON, they are not known.
	 */
	bool known;
	double least, greatest, value;
};

/*
 * One of several measurements of the same work: a repeat, an interval, or a block of bprof bench.
 * Comparisons of two reports test whether their blocks differ.
 */
struct report_block {
	__u64 measured; /* number of measured runs, at least one */
	double stat[STAT_CNT];
};

/* The difference between the mean of an event and its mean in another version of the program (--follow). */
struct report_change {
	double absolute; /* NaN: not known */
	double share;	 /* as a share of the other mean; NaN: not known */
	__u32 from;	 /* id of the other version */
	/*
	 * A static string: the verdict on the change (compare/compare.h). NULL: there is no verdict
	 */
	const char *verdict;
};

/* The samples from which the total of an event was estimated. */
struct report_estimate {
	__u64 samples;
	double total_stddev; /* the sampling error; NaN: not known, for example without samples */
};

/*
 * What is known of all runs of a program if only some of them were measured (--max-overhead). Set
 * even if the values are too inexact to be shown, because --sum adds them up.
 */
struct report_sampled {
	double mean, stddev; /* NaN: not known */
	double t;	     /* Student's t for the 95 % confidence interval */
	double runs;	     /* number of independent runs whose mean would have the same error */
	double skew;	     /* by how much a percentile's rank may be wrong, as a share */
};

/* stat --verify: the cost of a measured run while one run in "sample" is measured. */
struct report_verify_rate {
	__u64 sample;
	__u64 measured;	     /* number of measured runs */
	double mean, stddev; /* stddev: the standard error of the mean; NaN: not known */
};

/* The cost of a run as estimated from samples, which need no probe. */
struct report_verify_samples {
	__u64 samples;
	double mean, stddev; /* of a run, interrupts included; NaN: not known */
	const char *verdict; /* a static string: "agree", "disagree", "unknown" */
};

/* stat --verify: whether measuring a run changes the cost of the next run (report_verify.h). */
struct report_verify {
	struct report_verify_rate *rate;
	int rate_cnt;
	/*
	 * The additional cost of a run if the run before it was measured, and half the width of its
	 * 95 % confidence interval. NaN: not known
	 */
	double added, added_error;
	const char *verdict; /* a static string: "none", "more", "less", "unknown" */
	/* the smallest N of --sample N at which measuring a run does not change the mean; 0: not known */
	__u64 use;
	struct report_verify_samples *samples; /* NULL: the event was not sampled */
};

struct report_event {
	char *name;
	/* The canonical name without modifiers, by which metrics find the event */
	char *base;
	char *unit; /* "", "ns" */
	enum event_status status;
	char *detail; /* why the event is not supported or not counted; may be NULL */
	/*
	 * The total, in unit. A program's total is over its measured runs. A scope's total is over
	 * the measured time or, with -r, the mean of the repeats' totals. NaN: not known.
	 */
	double total;
	__u64 measured; /* number of runs that have both readings of this event */
	double stat[STAT_CNT];
	/*
	 * The bounds of statistics that are known only to within a bucket. NaN: the statistic is
	 * exact.
	 */
	double low[STAT_CNT], high[STAT_CNT];
	/* The mean before subtracting the bias; NaN: no bias was subtracted */
	double raw_per_run;
	double bias, bias_stddev; /* NaN: not calibrated */
	double bias_uncertainty;  /* the possible error of the bias; 0: none or not known */
	/*
	 * The standard deviation over the repeats: that of the mean for a program, and that of the
	 * total for a scope. NaN without -r.
	 */
	double repeat_stddev;
	/*
	 * For a scope: how long the event was enabled, and how long a counter counted it, each
	 * summed over the CPUs. If running_ns is less than enabled_ns, total is scaled up. NaN: not
	 * known.
	 */
	double enabled_ns, running_ns;
	/*
	 * How the probe read the event: "pinned", "multiplexed" or "clock". NULL if no probe read
	 * the event. It is a static string: see report__add_prog().
	 */
	const char *read;
	/* the buckets that have runs, in ascending order; only with --hist */
	struct report_bucket *bucket;
	int bucket_cnt;
	/* The blocks that have measured runs. Only the row of a program for all CPUs has blocks. */
	struct report_block *block;
	int block_cnt;
	struct report_change *change; /* since another version of the program; NULL: not compared */
	bool exact;		      /* the counts have no error: measured in a deterministic VM */
	/* NULL: neither total nor mean is estimated from samples */
	struct report_estimate *estimate;
	struct report_verify *verify; /* NULL: not stat --verify */
	/* NULL: all runs were measured, or the program is not in a sum */
	struct report_sampled *sampled;
	/*
	 * The error of the mean, if not all runs were measured or if the mean is an estimate. NaN:
	 * not known
	 */
	double mean_stddev;
};

/* The samples of one event on all CPUs since the start of the session. */
struct report_sampled_event {
	char *event;
	struct record_samples sum;
};

/* How a session with the method "samples" took its samples. */
struct report_sampling {
	__u64 freq; /* the number of samples per second on each CPU */
	struct report_sampled_event *event;
	int event_cnt;
};

/* The counts of one program or scope, on all CPUs or on one CPU. */
struct report_row {
	int cpu; /* -1: all CPUs */
	/*
	 * True if the row belongs to a scope. Then the value of an event is its total, and the
	 * members on runs and cpu_share are not used.
	 */
	bool of_scope;
	/* runs = measured + thinned_out + unprobed + the sum of lost[] */
	__u64 runs, measured, thinned_out;
	/*
	 * With --max-overhead: the runs that the kernel counted while the probe was not attached.
	 */
	__u64 unprobed;
	/*
	 * True if runs happened while the probe was not attached and nothing counted them: "runs"
	 * is only a lower limit.
	 */
	bool at_least;
	__u64 lost[LOST_CNT];
	/*
	 * With --sample auto: the smallest and the largest period of any CPU at the end. 0: not
	 * known.
	 */
	__u64 period_min, period_max;
	/* CPU time divided by elapsed time; 1.0 is one full CPU; NaN: not known */
	double cpu_share;
	/* True if cpu_share is extrapolated because not all runs were measured */
	bool share_estimated;
	/*
	 * If share_estimated, half the width of the 95 % confidence interval of cpu_share; NaN: not
	 * known, for example without distributions
	 */
	double share_error;
	/*
	 * With --by, in a row of some of the target's runs: about how many runs belong to the row,
	 * although not all were measured; NaN: not known
	 */
	double likely_runs;
	struct report_event *event;
	int event_cnt;
};

/*
 * Caveats about the numbers ("makes tail calls: …"). Each text is a sentence without a full stop.
 */
struct report_notes {
	char **text;
	int cnt;
};

/*
 * A followed program, which may be one of several versions with the same name. The versions differ
 * in id, load time and tag. Times are in ns. NaN: not known.
 */
struct report_version {
	bool followed; /* if false, the other members are not known */
	/* When the kernel loaded the program, in ns since boot */
	__u64 load_time_ns;
	/* When the program was loaded, in ns since the start; NaN: before the start */
	double loaded_ns;
	/* The time from the load to the first measurement; NaN: no gap */
	double attached_ns;
	/* The number of runs missed before the first measurement or while detached */
	double missed;
	/* When bprof noticed the unload, in ns since the start; NaN: the program is still loaded */
	double ended_ns;
	/* How often bprof detached from the program so that it could be unloaded */
	__u32 detach_cnt;
	bool baseline; /* the other versions are compared with this version */
};

struct report_prog {
	/*
	 * 0: the row is that of one program. Otherwise the row is a sum (report_sum.h) of this
	 * number of programs. Its name is what these programs have in common. Its id only
	 * distinguishes it from other sums, and is not shown.
	 */
	__u32 programs;
	__u32 id;
	char *name;  /* the name of the program */
	char *func;  /* the measured function */
	char *input; /* the input case if the program ran with several inputs, or NULL */
	char *type;
	char tag[17];
	char *version_name; /* the version that the program's metadata gives, or NULL */
	char *device,
		/*
		 * where the program is attached ("eth0"), and its owner (a process); NULL: none, or
		 * not wanted
		 */
		*owner;
	/*
	 * The kinds of hooks that the program is attached to, such as "tcx ingress"; NULL: none, or
	 * not wanted
	 */
	char *hook;
	const char *method; /* a static string: "fentry", "run_stats", … */
	/*
	 * True if a probe measured the program. If the report is calibrated, the bias is
	 * subtracted.
	 */
	bool probed;
	/* The place in the call tree, if several functions of a program are measured. */
	int depth;    /* levels below the outermost function */
	bool subprog; /* func is not the program's entry function */
	/*
	 * func is a kernel function that the program calls: "NAME", or "FUNCTION:NAME" if a
	 * subprogram calls it. " (MAP)" follows if the row is only for the calls with one map, and
	 * " SITE" follows with --by site. subprog is set, too.
	 */
	bool called;
	/* if func has " (MAP)": that map's name and type ("hash"); else NULL; owned */
	char *map, *map_type;
	/*
	 * if func has " SITE": that place: "FILE:LINE", "FILE:LINE#2" or "insn N"; else NULL; owned
	 */
	char *site;
	/*
	 * For a called function: about how often other callers called it, and how much CPU time the
	 * probe added to these calls.
	 */
	__u64 others, others_ns;
	/*
	 * Number of calls per run of the root of this row's tree. The root is the last row with
	 * depth 0 before this row: the entry function, or a function that is not called in a run,
	 * such as the callback of a timer. NaN: not known.
	 */
	double calls_per_run;
	/* Like root_index of struct target. Set only while the report is made. */
	__u32 root_index;
	bool is_root, runs_elsewhere;
	/*
	 * bench --exact on arm64, for a program that bench did not load itself: its code loads an
	 * address with fewer instructions than usual, or the kernel hides its code. When such a
	 * program is loaded again, its counts may differ, so comparing them is inconclusive.
	 */
	bool short_code;
	/* The kernel blinds the program's constants with random numbers (net.core.bpf_jit_harden). */
	bool blinded;
	/* Because of blinding, the program's counts differ from load to load. Never true on x86-64. */
	bool random_code;
	/*
	 * Number of the function's runs in which the kernel measured the probe's run time
	 * (kernel.bpf_stats_enabled), although it did not do so during the calibration. The number is an
	 * upper limit. The net numbers of these runs are too high, so a comparison is inconclusive.
	 */
	__u64 slowed_runs;
	__u64 own_runs; /* runs in system calls of bprof itself, which no other number includes */
	bool with_own_runs; /* the numbers may include runs in system calls of bprof */
	/* Its numbers are raw although the user wanted net numbers: the calibration failed. */
	bool uncalibrated;
	struct report_notes notes;
	struct report_row all;
	/*
	 * The number of runs that the kernel skipped because the program was already running on
	 * that CPU. No other number includes these runs. NaN: not known, as for subprograms and
	 * intervals of -I.
	 */
	double recursion_misses;
	/*
	 * The return value that all runs have, a __u32 (see retval.h). NaN: not known, or the runs
	 * returned different values.
	 */
	double retval;
	bool retval_varies;
	/*
	 * True if the function has one row for each return value, or for each value of another key
	 * of --by (by_key). If retval is NaN and key_name is NULL, the row has the runs that have
	 * no row of their own: the runs with any other value or, if unmeasured is true, the runs
	 * whose value is not known because they were thinned out or lost.
	 */
	bool by_retval, by_key, unmeasured;
	/*
	 * With by_key, the key's value in all runs of the row: as a number (NaN: none, or not
	 * known), and as a text, such as "eth0" for an interface.
	 */
	double key_value;
	char *key_name;
	struct report_version version;
	/*
	 * The return value for each packet of the input case, if these values differ; otherwise
	 * NULL.
	 */
	__u32 *retvals;
	int retvals_cnt;
	/* The sizes of the entire program; only the row of the entry function has them */
	double size[SIZE_CNT];
	/* How long the verifier took in each load; size[SIZE_VERIFICATION] is the median of these times. */
	double *verification;
	int verification_cnt;
	struct report_row *cpu; /* one row per CPU, with -A */
	int cpu_cnt;
};

/* A scope that `bprof system` counted: the system, a task, a cgroup. */
struct report_scope {
	/* A static string: "system", "process", "thread", "cgroup", "command", "total" (the sum) */
	const char *kind;
	__u64 id;   /* a pid, a tid or the kernel's cgroup id; 0: none */
	char *name; /* the comm, the cgroup's path or the command; may be "" */
	/* A static string: "bperf", "perf_event" */
	const char *method;
	bool shared; /* the counters are shared with other bperf users */
	struct report_notes notes;
	struct report_row all;
	struct report_row *cpu; /* one row per CPU, with -A */
	int cpu_cnt;
};

struct report_skip {
	/* 0: the user's argument did not match any program */
	__u32 id;
	/* The program's name, "" if not known. If id is 0: the user's argument. */
	char *name;
	/* The reason as a word, a static string: "no_btf" */
	const char *reason;
	char *detail; /* a sentence with the reason and the remedy */
	/*
	 * How many further programs were skipped for this reason and are not listed. 0 unless the
	 * measurement follows programs.
	 */
	__u64 more;
};

/*
 * The overhead with --sample auto or --max-overhead. Shares are shares of the time of one CPU: the
 * CPU with the most overhead.
 */
struct report_budget {
	double share;	  /* the limit */
	double added;	  /* overhead of the probes, computed from their calibrated cost */
	double counting;  /* the part of "added" for counting the unmeasured runs */
	bool turns;	  /* --max-overhead: probes took turns */
	double attaching; /* the part of "added" for attaching and detaching probes */
	/*
	 * If bprof turned on the kernel's run statistics: how much they add to a run, in ns, and
	 * the part of "added" that they cause.
	 */
	double stats_run_ns, stats;
};

struct report {
	char *version;
	char **command; /* NULL-terminated argv */
	struct {
		char *kernel, *arch, *cpu_model;
		/*
		 * The newest kernel that bprof was tested with, if the kernel of this report is
		 * newer; else NULL.
		 */
		char *newest_tested;
		int cpus; /* the number of measured CPUs */
		bool jit;
		bool jit_unknown; /* the JIT setting could not be read */
	} host;
	struct timespec started; /* when measuring started, in UTC, after the delay of -D */
	__u64 elapsed_ns;	 /* how long runs were counted, summed over all repeats */
	/* With -I: when this interval ended, in ns since the start. 0 without -I. */
	__u64 interval_ns;
	bool calibrated;
	bool followed;	 /* the session followed programs as they were loaded and unloaded */
	bool by_retval;	 /* the session had --by, which divided the runs of programs */
	enum run_key by; /* the key of --by, if it is not retval */
	/*
	 * What the programs of each row have in common (--sum), a static string such as "name";
	 * NULL: rows are no sums
	 */
	const char *sum;
	/* The costs are shown per run of this program: its id or name (report_per.h), or NULL */
	char *per;
	/*
	 * If this report is a copy that has only some of the programs, for rendering: the report
	 * with all programs; else NULL
	 */
	const struct report *whole;
	/*
	 * True if this is the report on all intervals together, at the end of a session with -I and
	 * --follow
	 */
	bool total;
	/* True if bprof bench ran the programs. Rates and CPU shares mean nothing then. */
	bool driven;
	int repeats; /* number of repeats; 1 without -r */
	/*
	 * In a report that was read with report__read_all(): the number of sessions that it was
	 * made of (--append); else 0
	 */
	int sessions;
	/*
	 * One run in thin_period was measured. 1: all runs. 0: the periods varied to stay within
	 * the budget.
	 */
	__u64 thin_period;
	struct report_budget *budget; /* NULL: no limit was set */
	/* The memory that the counts of the probes take, in bytes. */
	struct report_memory {
		__u64 counts; /* 0: not known */
		__u64 limit;
		/*
		 * relative width of the buckets of distributions: hist__bucket_width(); NaN: no
		 * distributions
		 */
		double bucket_width;
	} memory;
	struct report_sampling *sampling; /* NULL: the method "samples" was not used */
	struct report_prog *prog;
	int prog_cnt;
	struct report_scope *scope;
	int scope_cnt;
	/* True if this is a report on scopes, even if no scope was counted */
	bool of_scopes;
	struct report_skip *skip;
	int skip_cnt;
	char **kept; /* the strings that report__keep_string() copied */
	int kept_cnt;
};

/* Sets *started to the current time unless it is already set. */
void report__note_start(struct timespec *started);
/* Returns an empty report (repeats 1, thin_period 1). */
struct report *report__new(void);
void report__free(struct report *r); /* also frees the strings; r may be NULL */
/*
 * Append an element, all of whose values are "not known" (NaN, cpu -1), and return it. Pointers to
 * other elements of the same kind become invalid. Strings that the caller stores in an element must
 * be malloc'ed, and the report frees them. The report does not free the members whose comment says
 * "static string": they point to literals or to strings of report__keep_string().
 */
struct report_prog *report__add_prog(struct report *r);
struct report_scope *report__add_scope(struct report *r);
/* These two functions return the report's budget or sampling, which they add if there is none. */
struct report_budget *report__add_budget(struct report *r);
struct report_sampling *report__add_sampling(struct report *r);
struct report_sampled_event *report_sampling__add_event(struct report_sampling *s);
struct report_skip *report__add_skip(struct report *r);
/* Adds and returns a skip. Copies name and detail, but not reason, which must be a literal. */
struct report_skip *report__skip(struct report *r, __u32 id, const char *name, const char *reason,
				 const char *detail);
/*
 * Returns the names of skip i and of all later skips with the same reason, such as "42 a, 43 b and
 * 7 more"; with "each", only the name of skip i. The caller frees the string. Returns NULL if the
 * names of an earlier skip include skip i.
 */
char *report__name_skips(const struct report *r, int i, bool each);
struct report_row *report_prog__add_cpu(struct report_prog *p, int cpu);
void report_prog__drop_cpus(struct report_prog *p); /* removes the rows of single CPUs */
struct report_row *report_scope__add_cpu(struct report_scope *s, int cpu);
/*
 * Returns the row of a CPU among the cnt rows at cpus, or "all" for CPU -1. Returns NULL if the CPU has no
 * row, because it is offline. Like strchr(), casts away const: treat the row as const if "cpus" is const.
 */
struct report_row *report_row__of_cpu(const struct report_row *all, const struct report_row *cpus,
				      int cnt, int cpu);
struct report_event *report_row__add_event(struct report_row *row);
/* Copies name, base and unit into a new event. */
void report_event__set_names(struct report_event *ev, const char *name, const char *base,
			     const char *unit);
struct report_bucket *report_event__add_bucket(struct report_event *ev);
/* Adds ev->change if there is none. The values of a new change are not known yet. */
struct report_change *report_event__add_change(struct report_event *ev);
/* Returns true if it is known by how much the event has changed. */
bool report_event__has_change(const struct report_event *ev);
/* Adds ev->sampled, and returns it. */
struct report_sampled *report_event__add_sampled(struct report_event *ev);
/* Returns ev->estimate, which it adds if there is none. */
struct report_estimate *report_event__add_estimate(struct report_event *ev);
/*
 * Adds a rate without known values to ev->verify. Adds ev->verify if there is none, and returns it.
 */
struct report_verify *report_event__add_verify(struct report_event *ev);
struct report_verify_rate *report_verify__add_rate(struct report_verify *v);
/* Returns v->samples, which it adds if there is none. */
struct report_verify_samples *report_verify__add_samples(struct report_verify *v);
struct report_block *report_event__add_block(struct report_event *ev);
/* Adds the statistics of *from as a block to *to, if *from has measured runs. */
void report_event__copy_block(struct report_event *to, const struct report_event *from);
/* Copies s for a member whose comment says "static string". The report frees the copy. */
const char *report__keep_string(struct report *r, const char *s);
/* Appends a note. The text report prints the program's id and name before the note. */
void report_notes__add(struct report_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void report_notes__free(struct report_notes *notes); /* frees the texts, but not *notes */

#define LABEL_SZ 1100 /* two names of KSYM_NAME_LEN, the kernel's maximum */

/*
 * Writes the label of p to buf, which has LABEL_SZ bytes: "program", or "program:function" for a
 * subprogram. The label is only the function's name if the program has no name, or if the program's
 * name is the (possibly truncated) name of the function. The label may contain unprintable
 * characters. Returns buf.
 */
const char *report_prog__label(const struct report_prog *p, char *buf);
/* Returns the name of the called kernel function, without the function that calls it. */
const char *report_prog__called_name(const struct report_prog *p);
/*
 * Returns true if a and b have the same name, function, type and input case, and
 * report_prog__is_same_part() is true.
 */
bool report_prog__is_same(const struct report_prog *a, const struct report_prog *b);

#define ID_SZ 16
/* Writes the id of the program, or "sum", to buf of ID_SZ bytes. Returns buf. */
const char *report_prog__id(const struct report_prog *p, char *buf);

#define TITLE_SZ (LABEL_SZ + 1100)
/*
 * Writes the label, followed by the input case: "program:function [case]". buf has TITLE_SZ bytes.
 * Returns buf.
 */
const char *report_prog__title(const struct report_prog *p, char *buf);
/*
 * Writes the title. For the row of one return value, the value follows: "program (XDP_DROP)".
 * Returns buf.
 */
const char *report_prog__part_title(const struct report_prog *p, char *buf);
/* Returns true if it is known that all runs returned one value, or that they returned different values. */
bool report_prog__has_retval(const struct report_prog *p);
/*
 * Returns true if the return values of a and b are equal. If the packets of the input case got
 * different return values, compares the values of each packet.
 */
bool report_prog__returns_alike(const struct report_prog *a, const struct report_prog *b);
#define RETURNS_SZ 32
/*
 * Returns key_name, if the row has one. Otherwise writes the return value of the row's runs to buf,
 * which has RETURNS_SZ bytes: its name or number, "other" or "not measured" (by_retval), "various"
 * or "by packet". Returns buf, or NULL if the return value is not known.
 */
const char *report_prog__returns(const struct report_prog *p, char *buf);
/*
 * Returns true if the row has the runs without a row of their own: "other" or "not measured" (see by_retval).
 */
bool report_prog__is_rest(const struct report_prog *p);
/* Returns the key by which --by divided the runs. Call it only for a report with by_retval. */
const struct run_key_spec *report__key(const struct report *r);
/* Makes p the row of a return value. name: text from report_prog__returns(). */
void report_prog__set_part(struct report_prog *p, const char *name);
/*
 * Returns true if both rows have all runs of a function, or if both have the runs with the same
 * return value.
 */
bool report_prog__is_same_part(const struct report_prog *a, const struct report_prog *b);
/*
 * Returns true if both rows belong to the same function of the same loaded program with the same
 * input case, and differ only in the return value. Such rows are adjacent.
 */
bool report_prog__is_same_target(const struct report_prog *a, const struct report_prog *b);
/*
 * Returns true if r->prog[i] is the first row of its function. Without --by, each function has only
 * one row.
 */
bool report__is_first_row(const struct report *r, int i);
/*
 * Call it when the numbers of p are added to "to". Adds the members of p that say how far the numbers can be
 * trusted, such as uncalibrated, and the numbers of runs that are not in them, such as recursion_misses.
 */
void report_prog__add_properties(struct report_prog *to, const struct report_prog *p);
/* Copies the verifier's times to p->verification, and sets p->size[SIZE_VERIFICATION]. */
void report_prog__set_verification(struct report_prog *p, const double *ns, int cnt);
/* Returns true if a row of the report has events: at least one program was run. */
bool report__has_events(const struct report *r);
/* Returns true if at least one size of the program is known. */
bool report_prog__has_size(const struct report_prog *p);

/* Returns the number of lost runs, summed over all causes. */
__u64 report_row__lost(const struct report_row *row);
/*
 * Returns the number of runs per second of measured time. NaN if it is not known, for example if
 * bprof bench ran the programs.
 */
double report_row__runs_per_s(const struct report *r, const struct report_row *row);
/*
 * Returns true if a program's event has status ok and has statistics, because enough runs were
 * measured.
 */
bool report_event__has_value(const struct report_event *ev);
/*
 * Returns true if a value is too inexact to be shown: its error is larger than a quarter of the
 * value, and larger than 1.
 */
bool stat__is_too_inexact(double value, double half_width);
/* The bounds of the statistic. Both are its value if it is known exactly. */
double report_event__low(const struct report_event *ev, enum stat_id id);
double report_event__high(const struct report_event *ev, enum stat_id id);
/* Returns true if the statistic is known only to within a bucket. */
bool report_event__is_rough(const struct report_event *ev, enum stat_id id);
/*
 * Returns the number that represents an event: a scope's total or a program's mean. NaN: there is
 * none.
 */
double report_row__value(const struct report_row *row, const struct report_event *ev);
/*
 * Returns the (n+1)-th event called name, or NULL. Several events may have the same name: the user
 * can set the name (name=), and the same event may be in a group and also outside of groups.
 */
const struct report_event *report_row__find_event(const struct report_row *row, const char *name,
						  int n);
/*
 * Returns the event of row that corresponds to ev, which is an event of the row "other". Two events
 * correspond if they have the same name and if the same number of events with that name precede
 * them in their rows. Returns NULL if there is no such event.
 */
const struct report_event *report_row__find_like(const struct report_row *row,
						 const struct report_row *other,
						 const struct report_event *ev);
/*
 * Returns true if the event shared a counter with other events: a program's event was counted in
 * only some of the measured runs, or a scope's event in only part of the time.
 */
bool report_event__is_partial(const struct report_row *row, const struct report_event *ev);
/* Returns true if a scope's event was enabled but never got a counter. */
bool report_row__never_on(const struct report_row *row, const struct report_event *ev);
/* Returns true if both rows have the same events in the same order. */
bool report_row__has_same_events(const struct report_row *a, const struct report_row *b);
/* Returns the first program that was measured by a probe, or NULL. */
const struct report_prog *report__probed(const struct report *r);
/*
 * Returns the largest error of the programs' extrapolated CPU shares, as a part of the share. NaN
 * if no share is extrapolated.
 */
double report__share_error(const struct report *r);
/* Returns true if the user wanted net numbers of a program, but the calibration failed. */
bool report__uncalibrated(const struct report *r);
/*
 * Returns the standard deviation over the repeats in percent of the value, like perf's "+-".
 * Without repeats, returns the sampling error of an estimate. NaN if there are no repeats and no
 * estimate.
 */
double report_row__variation(const struct report_row *row, const struct report_event *ev);

/*
 * Merges each[0..cnt), the reports on the repeats of a session, into merged, the report on the
 * entire session. Sets the repeat_stddev of each event to the standard deviation of the mean, like
 * perf stat -r. For a program, it is computed from the mean cost in each repeat. For a scope, it is
 * computed from the total of each repeat. The total, enabled_ns and running_ns of a scope become
 * their means over the repeats, as in perf. Each repeat of a program's event becomes a block.
 */
void report__set_repeats(struct report *merged, struct report *const *each, int cnt);

/*
 * Groups the versions of each program name and orders them by load time. Computes how much the mean
 * cost of each version differs from that of the base version. The base version is the first version
 * or, if vs is not NULL, the first version whose tag begins with vs. It is taken from "session",
 * the report on the entire session, which may be r itself.
 */
void report__compare_versions(struct report *r, struct report *session, const char *vs);
/* Computes the known changes anew, because the means of r have changed. */
void report__update_changes(struct report *r);

/*
 * Puts the name of a suite's entry in front of the names of the input cases and skips in the
 * entry's report. In the report of the suite, the names are then unique: "entry" or "entry/case".
 */
void report__set_entry(struct report *r, const char *entry);
/*
 * Moves the programs and skips of the report "from" to the end of r, and frees "from". The same
 * command must have made both reports on the same machine.
 */
void report__take(struct report *r, struct report *from);

struct render_opts {
	const char *sep;      /* the separator of CSV */
	const char *version;  /* benchfmt: "old" or "new" for reports on two versions, else NULL */
	struct screen screen; /* text only */
	/*
	 * True with -I: JSON prints each interval on one line, text prints it under a line with its
	 * time, and CSV has a time column.
	 */
	bool interval;
	/*
	 * Text only: the column by which programs are sorted (NULL: by cost); how many programs are
	 * shown (0: all); whether only programs that ran are shown; whether the order is reversed
	 * (unknown numbers are last in both orders)
	 */
	const char *sort;
	__u64 top;
	bool active;
	bool reverse;
	/* NULL, or for each program the number to sort by, instead of the number in a column */
	const double *keys;
	bool one_line;	/* print a JSON document on one line */
	bool series;	/* HTML only: the page has several reports, also without -I */
	bool names;	/* CSV: begin with a line of column names */
	bool continues; /* the file already has reports: do not write its beginning again */
	bool per_cpu;	/* with -A: show each CPU */
	bool dist;	/* text only: also show the table of distributions */
	int verbose; /* like dist; also show how each event was read, the raw mean and the bias */
	/*
	 * With -I: true for the first interval. Only the first interval prints the table's header,
	 * the names of the columns, and notes that never change (skipped targets, ...).
	 */
	bool header;
	/*
	 * With -I: this is the last interval. The report on all intervals (report.total) may
	 * follow.
	 */
	bool last;
};

/* Renders a report (render/render.h) to out, a stream in memory. */
typedef void report_render_fn(const struct report *r, const struct render_opts *o, FILE *out);
report_render_fn report__render_json;

/* Renders r to out and flushes out. Returns 0 or the error of out (-ENOSPC, ...). */
int report__render(const struct report *r, report_render_fn *render, const struct render_opts *o,
		   FILE *out);

/* A stream of reports: one JSON document, or several documents in sequence, as -I writes them. */
struct report_source {
	FILE *in;	    /* owned by the caller */
	unsigned long line; /* the current line of in; 0 at the beginning */
	/* The expected kind of document, for error messages; NULL means "report" */
	const char *kind;
};

/* An error in a document. */
struct report_error {
	/*
	 * The line of the error, counted from 1. If the JSON is valid but its content is wrong,
	 * this is the first line of the document.
	 */
	unsigned long line;
	/* One printable sentence without a full stop: "programs[2].events[0].id: is missing" */
	char text[240];
};

/*
 * If err is not 0, logs it as the error of reading a document from the source called name. If the
 * source was empty, the message includes "hint", which says how to make such a document. Returns
 * err.
 */
int report_error__report(int err, const char *name, const char *hint,
			 const struct report_error *rerr);

/*
 * Reads the next document. The caller frees *out. Returns 0; -ENODATA at the end; -EINVAL with *err
 * if the document is not JSON, is not a report, has a newer schema, is too large, lacks a required
 * field, or has an invalid value in a known field; or the error of in (-EISDIR, …). After -EINVAL,
 * src cannot be read any further.
 *
 * Ignores unknown fields. If an optional field is missing, its member has the value from
 * report__new() or from the function that appended the element, usually NaN. A missing string
 * becomes NULL, except that base becomes the same as name.
 */
int report__read(struct report_source *src, struct report **out, struct report_error *err);

/*
 * Reads a file of reports: one report, the intervals of a session (-I), or the reports of several
 * sessions (--append), one after the other. Merges them into one report. Each interval, and each
 * report without blocks, becomes a block. Sums, means and extremes are those of all blocks
 * together. A percentile is the median of the blocks' percentiles. Everything else is as in the
 * first report. Returns the same errors as report__read(), and -EINVAL if reports of different
 * measurements follow.
 */
int report__read_all(FILE *in, struct report **out, struct report_error *err);

#endif
