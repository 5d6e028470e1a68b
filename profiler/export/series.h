/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Series: the counts of programs since bprof export began, by name, tag, function and version name
 * instead of by id. Series add up reports on successive intervals, so their counts do not decrease
 * when a program is loaded again, restarted or unloaded. Pure.
 */
#ifndef BPROF_SERIES_H
#define BPROF_SERIES_H

#include <time.h>

#include "base/lost_runs.h"
#include "base/util.h"
#include "report/report_sum.h"

struct parse_error;
struct report;

/* The upper bounds of the buckets of distributions, ascending, without infinity. */
struct series_bounds {
	double *v;
	int cnt;
	bool given; /* series_bounds__parse() set them */
};

struct series_opts {
	struct series_bounds time;   /* in ns */
	struct series_bounds events; /* of all other events, in their own unit */
	int max_progs;		     /* at most this many programs get series of their own */
	/* programs that have this property in common share one series, which has no other labels */
	enum sum_key sum;
	bool with_owner, with_device; /* labels of series that are no sums */
	__u64 grace_ns; /* the series of a program end this long after its last version was unloaded */
};

/* A number that never decreases, although the added numbers may be negative. */
struct monotonic {
	double exact; /* the sum */
	double shown; /* the largest sum so far, at least 0 */
};

/* The counts of one event of a part of a program. The unit of "time" is ns. */
struct series_event {
	char *name;
	bool time;		 /* the event is "time" */
	struct timespec created; /* the time from which it is counted */
	/* Over all runs. For runs that were not measured, the mean of the measured runs is added. */
	struct monotonic total;
	/*
	 * The variance of total. With --max-overhead, total is uncertain: for runs that were not
	 * measured, it contains the mean of a sample.
	 */
	double variance;
	/*
	 * The error of the runs that were added since the last measured run: all with the same mean, so
	 * their errors add up
	 */
	double same_error;
	double unmeasured; /* the runs that total does not include yet, because no mean is known */
	/* Over the measured runs. bucket[i] counts the runs above bound i - 1 and up to bound i. */
	bool has_buckets;
	__u64 measured;
	struct monotonic sum;
	const struct series_bounds *bounds;
	__u64 *bucket; /* bounds->cnt + 1 numbers */
};

/* With --by retval: the runs that returned one value, or all other runs. Otherwise, all runs. */
struct series_part {
	char *returns;		 /* as report_prog__returns() names it; "": all runs */
	__u64 report;		 /* the number of the last report that had it */
	struct timespec created; /* the time from which its runs are counted */
	bool probed;		 /* a probe measured it; only then can runs be lost */
	bool raw, net; /* while adding a report: it has uncalibrated (raw), calibrated (net) rows */
	bool blind;    /* the number of its runs is not known (report_row.at_least) */
	__u64 runs;    /* also those that the probe missed */
	__u64 lost[LOST_CNT];
	struct series_event *event;
	int event_cnt;
};

/* The maximum number of a program's return values, or other keys, that have parts of their own. */
#define SERIES_MAX_VALUES 8
#define SERIES_MAX_KEYS 32
/* The part of the runs that returned other values, and of the runs whose value is not known. */
#define SERIES_OTHER_VALUES "other"

struct series_prog {
	/* The labels; "" for labels that the series does not have. Only sums have a type. */
	char *name, *func, *version, *type, *owner, *device;
	char tag[17];
	__u64 seen_ns;		  /* the time of the last report in which the program was loaded */
	struct series_part *part; /* at least one after series__add() */
	int part_cnt;
};

/* A program of the last report. Its counts are in the series of prog[prog]. */
struct series_instance {
	int prog; /* the index in struct series; -1: the counts are in the series of "other" */
	__u32 id;
	bool ended; /* the program has been unloaded */
	bool subprog;
	/* the runs since the program was loaded that the probe missed because it was attached too late */
	__u64 missed;
	char *type;
	const char *method; /* a literal */
};

struct series {
	struct series_opts opts;
	/* the name of the label that --by adds, such as "returns"; from the last report */
	const char *label;
	bool has_keys;	      /* the key is not the return value */
	__u64 reports;	      /* the number of reports that were added */
	struct timespec from; /* the beginning of the last report's interval */
	struct series_prog *prog;
	int prog_cnt;
	/* The sum of the programs that were beyond opts.max_progs. Has no distributions. */
	struct series_prog other;
	bool has_other;
	/* The instances of the last report. */
	struct series_instance *instance;
	int instance_cnt;
	int other_cnt; /* the number of instances that count for "other" */
	int uncalibrated_cnt;
	bool limit_reported;
	__u64 short_lived; /* programs that were unloaded before they could be measured, so far */
};

/* The reason (struct report_skip) for which these programs were skipped. */
#define SERIES_SHORT_LIVED "short_lived"

/* Returns series without programs. Takes ownership of the bounds. */
struct series *series__new(const struct series_opts *opts);
void series__free(struct series *s); /* accepts NULL */

/*
 * Adds the report on the interval from "from" (wall clock) until now_ns (any monotonic clock). Ends
 * the series of programs that have been unloaded for opts.grace_ns.
 */
void series__add(struct series *s, const struct report *r, const struct timespec *from,
		 __u64 now_ns);

/*
 * Parses the argument of --buckets: "none", or a list of upper bounds, in which times have a unit
 * ("1us,10us,1ms") and bounds of other events have no unit. If the list has no times, the bounds of
 * time keep their default; if it has only times, the bounds of other events keep theirs. Returns 0,
 * or -EINVAL with *err. The caller frees the bounds with series_opts__free(), also on failure,
 * unless series__new() has taken them.
 */
int series_bounds__parse(const char *arg, struct series_opts *opts, struct parse_error *err);
/* Sets the bounds that were not given to powers of two. */
void series_bounds__set_default(struct series_opts *opts);
void series_opts__free(struct series_opts *opts);

#endif
