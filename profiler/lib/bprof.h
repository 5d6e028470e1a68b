/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libbprof: what one invocation of a BPF program costs, measured by your own program.
 *
 * A session selects programs that are loaded in the running kernel, opens events, attaches probes
 * and counts between its start and its stop. A report is the result: it can be made from a session
 * or read from the JSON that 'bprof stat -j' writes, asked by accessors, rendered and compared with
 * another. Reports and comparisons need neither root nor the kernel.
 *
 * Not stable before version 1.0: a new minor version may change functions, structs and the soname.
 *
 * Errors. A function that can fail returns 0 or a negative errno. The reason is a struct
 * bprof_error: a session keeps that of its last failure (bprof_session_error()); a function without
 * a session fills in the one that the caller passes, which may be NULL. There is no global error
 * state, so that two libraries in one process, or two coroutines in one thread, cannot mix up their
 * errors.
 *
 * Threads. The library has no state outside of its objects. Different objects may be used in
 * different threads at once. A session may be used by any thread, but by one at a time; so may a
 * struct bprof_rules while rules are added. A report or comparison may be read by several threads
 * at once.
 *
 * The process. The library changes none of the calling thread's or the process's affinity, signal
 * mask, signal handlers, locale, umask, working directory, resource limits and environment, and
 * writes to no descriptor that it was not given. It replaces libbpf's print callback while a
 * function with a session runs; messages of other threads still go to the callback that was set
 * before. Opening a session and starting the measurement create threads, which have ended when the
 * function returns. A session needs one file descriptor for each event on each CPU, and some for
 * each target: raise RLIMIT_NOFILE for many. On Linux before 5.11 libbpf itself raises
 * RLIMIT_MEMLOCK, unless libbpf_set_memlock_rlim() forbids it.
 *
 * Strings that are given to the library are UTF-8 or ASCII, and are copied. Strings that it returns
 * belong to the object they came from and live as long as it does. Times are in nanoseconds.
 */
#ifndef LIBBPROF_H
#define LIBBPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBBPROF_MAJOR 0
#define LIBBPROF_MINOR 1

#ifndef BPROF_API
#define BPROF_API __attribute__((visibility("default")))
#endif

/*
 * Structs of options begin with their size: struct bprof_session_opts o = {.size = sizeof(o)}. All
 * other members are optional; 0 or NULL is the default. A library that is older than the caller's
 * header returns -E2BIG if a member that it does not know is not zero. A newer library treats the
 * members that the caller does not have as zero. A size that is too small for the first version of
 * the struct is -EINVAL. NULL in place of the struct: all defaults.
 */

/* The version of the running library: "0.1.0". Static. */
BPROF_API const char *bprof_version(void);

/* Why a function failed. */
struct bprof_error {
	int err; /* the negative errno that the function returned; 0: nothing has failed yet */
	/* The part of an argument with a syntax that is wrong: offset and length in bytes; or 0. */
	unsigned int pos, len;
	/*
	 * For programs to compare: "argument" (the caller's argument is wrong), "other", or, if no
	 * target can be measured, the reason for the first target, such as "no_btf": see
	 * bprof_skip_reason().
	 */
	char code[32];
	/* For people: what failed, why, and usually what to do. One sentence, without a newline. */
	char text[468];
};

/* ---- messages ---- */

enum bprof_log_level {
	BPROF_LOG_ERROR = -1, /* why a function fails, or will fail */
	BPROF_LOG_WARN = 0,   /* something could not be done as asked */
	BPROF_LOG_INFO = 1,
	BPROF_LOG_DEBUG = 2, /* libbpf's messages and verifier logs too */
};

/*
 * Takes a message: one printable line without a newline. text lives until the function returns. It
 * is called in the thread that called the library, or in one that this thread waits for. It must
 * not call functions with the session whose message it is.
 */
typedef void (*bprof_log_fn)(void *arg, enum bprof_log_level level, const char *text);

/* ---- sessions ---- */

struct bprof_session;

/* For bprof_session_opts.flags */
enum {
	BPROF_SESSION_RAW = 1,	   /* do not calibrate: numbers include the probes' own cost */
	BPROF_SESSION_NO_HIST = 2, /* keep no distributions: no percentiles, the cheapest probe */
	BPROF_SESSION_BUCKETS = 4, /* reports have the distributions themselves, for rendering */
	BPROF_SESSION_PER_CPU = 8, /* reports have numbers of each CPU too, for rendering */
};

struct bprof_session_opts {
	size_t size;
	uint64_t flags; /* BPROF_SESSION_... */
	/* Events, as for bprof_session_add_events(), which can add more; NULL: none. */
	const char *events;
	const char *cpus; /* a list such as "0-3,5": measure these only; NULL: all */
	/* As 'bprof stat --method': "fentry,run_stats" (the default), "samples". */
	const char *methods;
	/* Count all runs, but measure only one run in thin_period; 0 and 1: measure all. */
	uint64_t thin_period;
	/*
	 * Instead of thin_period: choose the ratio for each CPU so that the probes add no more
	 * than this share of its time (0.01: 1 %); 0: do not. The caller then calls
	 * bprof_session_adjust() about every 100 ms between start and stop. Not with
	 * BPROF_SESSION_RAW.
	 */
	double thin_share;
	uint64_t sample_hz; /* samples per second on each CPU, for the method "samples"; 0: 4000 */
	/* Where messages go; NULL: nowhere. */
	bprof_log_fn log;
	void *log_arg;
	int64_t log_level; /* the highest enum bprof_log_level to pass on */
};

/*
 * Makes a session, without opening anything in the kernel. The caller frees *out with
 * bprof_session_free(). opts may be NULL. 0; -EINVAL: an argument is wrong; -E2BIG: see the
 * structs of options above; -ENOMEM. On failure *out is NULL and *error, unless error is NULL,
 * says why.
 */
BPROF_API int bprof_session_new(const struct bprof_session_opts *opts, struct bprof_session **out,
				struct bprof_error *error);

/*
 * Frees a session: detaches all probes and closes everything, even while it measures. Nothing of
 * it stays in the kernel. Its snapshots and reports stay valid. NULL is fine.
 */
BPROF_API void bprof_session_free(struct bprof_session *s);

/*
 * Returns the reason for the last failure of a function that was called with this session. Never
 * NULL; lives as long as the session, and changes with the next failure.
 */
BPROF_API const struct bprof_error *bprof_session_error(const struct bprof_session *s);

/*
 * These functions select targets, before bprof_session_open(). They may be mixed and repeated; a
 * target that is selected twice is measured once. func is a glob of functions to measure in each
 * of the programs ("parse_*", "*": all, as a tree); NULL: the entry function. They return -EINVAL
 * if an argument is wrong; the programs are looked up when the session is opened. -EBUSY: the
 * session is open. -ENOMEM.
 */
BPROF_API int bprof_session_add_id(struct bprof_session *s, uint32_t prog_id, const char *func);
/*
 * A program by its descriptor, as bpf_program__fd() returns it: needs no CAP_SYS_ADMIN to look it
 * up. fd stays the caller's and may be closed at once; the session holds the program. -EBADF,
 * -EINVAL: fd is not a descriptor of a program.
 */
BPROF_API int bprof_session_add_fd(struct bprof_session *s, int fd, const char *func);
/* Programs by a glob of their (full) name, with their extensions (freplace). */
BPROF_API int bprof_session_add_name(struct bprof_session *s, const char *glob, const char *func);
/* Programs by their tag, or its first hexadecimal digits. */
BPROF_API int bprof_session_add_tag(struct bprof_session *s, const char *tag, const char *func);
/* A pinned program or link, or all in a directory of a BPF filesystem. */
BPROF_API int bprof_session_add_pinned(struct bprof_session *s, const char *path, const char *func);
/* Programs by types: "xdp,sched_cls". */
BPROF_API int bprof_session_add_type(struct bprof_session *s, const char *types, const char *func);
/* Every program that is loaded. */
BPROF_API int bprof_session_add_all(struct bprof_session *s, const char *func);

/*
 * Adds events in the syntax of 'bprof stat -e', which is perf's:
 * "cycles,{instructions,cache-misses}", "time". A session without events counts cycles and
 * instructions where this machine has them, else time. -EINVAL: the error has the position of the
 * wrong part of events. -EBUSY: the session is open. -ENOMEM.
 */
BPROF_API int bprof_session_add_events(struct bprof_session *s, const char *events);

/*
 * Looks the targets up, opens the events, calibrates and attaches a probe to each target; nothing
 * is counted yet. A target that cannot be measured is left out; the log and each report say why.
 * -ENODATA: none of the events, or none of the targets, can be measured; -EPERM; -EINVAL: nothing
 * was selected; -EBUSY: it is open; or another errno. After a failure the caller may try again.
 *
 * Programs that are measured stay loaded until the session is freed.
 */
BPROF_API int bprof_session_open(struct bprof_session *s);

/*
 * Begins to count: all targets and events at one moment. A session may be started and stopped
 * several times; runs between a stop and the next start are in no report. -EINVAL: it is not open,
 * or is running already; or another errno.
 */
BPROF_API int bprof_session_start(struct bprof_session *s);
/*
 * Ends counting. -EINVAL: it is not running; or another errno, after which it does not count
 * either.
 */
BPROF_API int bprof_session_stop(struct bprof_session *s);

/*
 * With bprof_session_opts.thin_share, while the session runs: adapts the ratio of measured runs to
 * how often the targets ran. Does nothing without thin_share. 0 or -EINVAL: the session is not
 * running.
 */
BPROF_API int bprof_session_adjust(struct bprof_session *s);

/* All counts of a session at one moment. */
struct bprof_snapshot;

/*
 * Reads the counts, whether the session runs or not. The caller frees *out with
 * bprof_snapshot_free(). -EINVAL: the session was never started; -ENOMEM or another errno.
 */
BPROF_API int bprof_session_read(struct bprof_session *s, struct bprof_snapshot **out);
BPROF_API void bprof_snapshot_free(struct bprof_snapshot *snapshot); /* NULL is fine */

struct bprof_report;

/*
 * Makes the report of what was counted between two snapshots of this session. from: NULL is the
 * last start. to: NULL is the last stop, or this moment while the session runs. The caller frees
 * *out with bprof_report_free(). -EINVAL: the session was never started, or a snapshot is of
 * another session, or to was taken before from; -ENOMEM or another errno.
 */
BPROF_API int bprof_session_report(struct bprof_session *s, const struct bprof_snapshot *from,
				   const struct bprof_snapshot *to, struct bprof_report **out);

/* ---- reports ---- */

/*
 * Reads a report from the JSON that bprof writes: one document, or the intervals of -I, which
 * become one report with a block for each. The caller frees *out with bprof_report_free(). 0;
 * -ENODATA: the file is empty; -EINVAL: it is not a report, and *error has the line and what is
 * wrong there; -ENOMEM; or why the file cannot be read (-ENOENT, -EISDIR, ...).
 */
BPROF_API int bprof_report_read(FILE *in, struct bprof_report **out, struct bprof_error *error);
BPROF_API int bprof_report_read_path(const char *path, struct bprof_report **out,
				     struct bprof_error *error);
BPROF_API void bprof_report_free(struct bprof_report *r); /* NULL is fine */

/* The version of the bprof that made the report. */
BPROF_API const char *bprof_report_version(const struct bprof_report *r);
BPROF_API const char *bprof_report_kernel(const struct bprof_report *r);    /* "6.12.38", or "" */
BPROF_API const char *bprof_report_arch(const struct bprof_report *r);	    /* "aarch64", or "" */
BPROF_API const char *bprof_report_cpu_model(const struct bprof_report *r); /* or "" */
BPROF_API int bprof_report_cpus(const struct bprof_report *r);		    /* that were measured */
/* When measuring began, in ns since 1970 (UTC); 0: not known. */
BPROF_API uint64_t bprof_report_started_ns(const struct bprof_report *r);
/* How long the session counted, in ns. */
BPROF_API uint64_t bprof_report_elapsed_ns(const struct bprof_report *r);
/* True if the numbers are net of the probes' cost; else they are raw. */
BPROF_API bool bprof_report_is_calibrated(const struct bprof_report *r);

/*
 * A row of the report: one function of a program, or, of a program that was measured with several
 * inputs (bprof bench), one function with one input. Rows live as long as the report.
 */
struct bprof_program;

BPROF_API int bprof_report_program_count(const struct bprof_report *r);
/* Row i, from 0; NULL: there are fewer. */
BPROF_API const struct bprof_program *bprof_report_program(const struct bprof_report *r, int i);

BPROF_API uint32_t bprof_program_id(const struct bprof_program *p);
BPROF_API const char *bprof_program_name(const struct bprof_program *p);
BPROF_API const char *bprof_program_func(const struct bprof_program *p);
BPROF_API const char *bprof_program_type(const struct bprof_program *p);  /* "xdp" */
BPROF_API const char *bprof_program_tag(const struct bprof_program *p);	  /* 16 digits, or "" */
BPROF_API const char *bprof_program_input(const struct bprof_program *p); /* or NULL */
/* How it was measured: "fentry", "run_stats", "samples". */
BPROF_API const char *bprof_program_method(const struct bprof_program *p);
/* All runs that were seen: those measured, those left out by thinning, and those lost. */
BPROF_API uint64_t bprof_program_runs(const struct bprof_program *p);
BPROF_API uint64_t bprof_program_measured(const struct bprof_program *p);
/*
 * Runs that were seen but could not be measured. cause: "entry", "read", "overflow", "recursion"
 * (bprof_lost_name()); NULL: the sum. An unknown cause has 0.
 */
BPROF_API uint64_t bprof_program_lost(const struct bprof_program *p, const char *cause);
/* The name of cause i, from 0; NULL: there are fewer. Static. */
BPROF_API const char *bprof_lost_name(int i);
/*
 * Note i on the numbers of this row, from 0: a sentence without a full stop; NULL: there are
 * fewer.
 */
BPROF_API const char *bprof_program_note(const struct bprof_program *p, int i);

/* One event of a row. Lives as long as the report. */
struct bprof_event;

BPROF_API int bprof_program_event_count(const struct bprof_program *p);
BPROF_API const struct bprof_event *bprof_program_event(const struct bprof_program *p, int i);
/* The first event of that name, or NULL. */
BPROF_API const struct bprof_event *bprof_program_find_event(const struct bprof_program *p,
							     const char *name);

BPROF_API const char *bprof_event_name(const struct bprof_event *ev); /* as it was given */
BPROF_API const char *bprof_event_unit(const struct bprof_event *ev); /* "ns", or "": a count */
/* "ok", "not_supported", "not_counted". */
BPROF_API const char *bprof_event_status(const struct bprof_event *ev);
/* Why it is not "ok": a sentence; or NULL. */
BPROF_API const char *bprof_event_detail(const struct bprof_event *ev);
/* Runs in which the event was read at both entry and exit. */
BPROF_API uint64_t bprof_event_measured(const struct bprof_event *ev);
/* The sum over these runs, in the event's unit; NaN: not known. */
BPROF_API double bprof_event_total(const struct bprof_event *ev);
/*
 * A statistic of the cost of a run, in the event's unit: "mean", "stddev", "min", "p50", "p90",
 * "p99", "p999", "max", and any other that bprof_stat_name() has. NaN: not measured, or no such
 * statistic. Net of the probe's own cost if the report is calibrated. Statistics have names
 * instead of numbers, so that new ones do not renumber them.
 */
BPROF_API double bprof_event_stat(const struct bprof_event *ev, const char *stat);
/* The name of statistic i, from 0; NULL: there are fewer. Static. */
BPROF_API const char *bprof_stat_name(int i);
/*
 * The cost of the probe that was subtracted from each run, its standard deviation, and its
 * uncertainty; NaN: nothing was subtracted.
 */
BPROF_API double bprof_event_bias(const struct bprof_event *ev);
BPROF_API double bprof_event_bias_stddev(const struct bprof_event *ev);
BPROF_API double bprof_event_bias_uncertainty(const struct bprof_event *ev);

/* A program that was selected but could not be measured. Lives as long as the report. */
struct bprof_skip;

BPROF_API int bprof_report_skip_count(const struct bprof_report *r);
BPROF_API const struct bprof_skip *bprof_report_skip(const struct bprof_report *r, int i);
BPROF_API uint32_t bprof_skip_id(const struct bprof_skip *skip); /* 0: there is no such program */
BPROF_API const char *bprof_skip_name(const struct bprof_skip *skip);
BPROF_API const char *bprof_skip_reason(const struct bprof_skip *skip); /* a word: "no_btf" */
BPROF_API const char *bprof_skip_detail(const struct bprof_skip *skip); /* a sentence */

/* For bprof_render_opts.flags */
enum {
	BPROF_RENDER_COLOR = 1,	  /* text: with terminal colours */
	BPROF_RENDER_VERBOSE = 2, /* as 'bprof stat -v', 'bprof diff -v' */
	BPROF_RENDER_PER_CPU = 4, /* reports: also each CPU, if the report has them */
};

struct bprof_render_opts {
	size_t size;
	uint64_t flags;	       /* BPROF_RENDER_... */
	const char *separator; /* "csv": between fields; NULL: a comma */
	/* Comparisons: the names of the two reports; NULL: "base" and "new". */
	const char *base_name, *new_name;
};

/*
 * Writes a report in the format of that name ('bprof stat --format': "text", "json", "csv", ...)
 * and flushes out. 0; -EINVAL: reports have no such format, or an option is wrong; -E2BIG;
 * -ENOMEM: nothing was written; or why out failed (-ENOSPC, ...).
 */
BPROF_API int bprof_report_render(const struct bprof_report *r, const char *format,
				  const struct bprof_render_opts *opts, FILE *out,
				  struct bprof_error *error);

/* ---- comparisons ---- */

/* Limits above which a change counts as worse, and pairs of programs to compare. */
struct bprof_rules;

/* The caller frees *out with bprof_rules_free(). 0 or -ENOMEM. */
BPROF_API int bprof_rules_new(struct bprof_rules **out);
/*
 * Adds a limit in the syntax of 'bprof diff --fail-on': "instructions:p50>2%",
 * "xdp_lb/time:p99>10us". Without limits, a program that has become more than 2 % more expensive is
 * worse. -EINVAL: *error has the position; -E2BIG: there are 64 limits already; -ENOMEM.
 */
BPROF_API int bprof_rules_add_limit(struct bprof_rules *rules, const char *limit,
				    struct bprof_error *error);
/* Compares the program OLD of the base with NEW: "lb_v1=lb_v2". -EINVAL with *error, -ENOMEM. */
BPROF_API int bprof_rules_add_match(struct bprof_rules *rules, const char *match,
				    struct bprof_error *error);
BPROF_API void bprof_rules_free(struct bprof_rules *rules); /* NULL is fine */

/* Lower values matter more. The verdict of a comparison is that of its first row. */
enum bprof_verdict {
	BPROF_VERDICT_WORSE = 0,
	BPROF_VERDICT_INCONCLUSIVE = 1, /* cannot be decided; usually more blocks are needed */
	BPROF_VERDICT_GONE = 2,		/* only the base has it */
	BPROF_VERDICT_NEW = 3,		/* only the new report has it */
	BPROF_VERDICT_BETTER = 4,
	BPROF_VERDICT_SAME = 5, /* the change is certainly within the limit */
};
/* "worse", "inconclusive", ...; NULL: no such verdict. Static. */
BPROF_API const char *bprof_verdict_name(enum bprof_verdict verdict);

/* For bprof_compare_opts.flags */
enum {
	BPROF_COMPARE_INCONCLUSIVE_OK = 1,
	BPROF_COMPARE_ONE_SIDED_OK = 2,	    /* rows in one report only are not a failure */
	BPROF_COMPARE_RETVAL_CHANGE_OK = 4, /* also compare programs that return another value */
};

struct bprof_compare_opts {
	size_t size;
	uint64_t flags; /* BPROF_COMPARE_... */
	/* NULL: the default rules. Must live as long as the comparison. */
	const struct bprof_rules *rules;
};

struct bprof_comparison;

/*
 * Compares two reports, which must live as long as the comparison. opts may be NULL. The caller
 * frees *out with bprof_comparison_free(). 0; -ENODATA: the reports have nothing in common;
 * -EINVAL: a rule matches nothing in the reports, or an option is wrong; -E2BIG; -ENOMEM.
 */
BPROF_API int bprof_compare(const struct bprof_report *base, const struct bprof_report *new_report,
			    const struct bprof_compare_opts *opts, struct bprof_comparison **out,
			    struct bprof_error *error);
BPROF_API void bprof_comparison_free(struct bprof_comparison *c); /* NULL is fine */

/* The verdict of the comparison: that of its worst row. */
BPROF_API enum bprof_verdict bprof_comparison_verdict(const struct bprof_comparison *c);
/*
 * The exit status that 'bprof diff' would have, with the flags given to bprof_compare(): 0 nothing
 * is worse, 3 something is worse, 5 inconclusive.
 */
BPROF_API int bprof_comparison_exit_status(const struct bprof_comparison *c);
/*
 * The number of conditions (kernel, CPU, method, ...) in which the reports differ. Each has a
 * note; these notes are the first.
 */
BPROF_API int bprof_comparison_difference_count(const struct bprof_comparison *c);
/* Note i on the comparison, from 0: a sentence without a full stop; NULL: there are fewer. */
BPROF_API const char *bprof_comparison_note(const struct bprof_comparison *c, int i);
/* "worse: 1 worse, 2 inconclusive, 5 same" */
BPROF_API const char *bprof_comparison_headline(const struct bprof_comparison *c);

/*
 * A row of the comparison: one statistic of one event of one function. The worst come first. Lives
 * as long as c.
 */
struct bprof_change;

BPROF_API int bprof_comparison_change_count(const struct bprof_comparison *c);
BPROF_API const struct bprof_change *bprof_comparison_change(const struct bprof_comparison *c,
							     int i);
/* The row of the report; NULL: the report does not have it. */
BPROF_API const struct bprof_program *bprof_change_base(const struct bprof_change *change);
BPROF_API const struct bprof_program *bprof_change_new(const struct bprof_change *change);
BPROF_API const char *bprof_change_event(const struct bprof_change *change);
BPROF_API const char *bprof_change_unit(const struct bprof_change *change); /* may be "" */
BPROF_API const char *bprof_change_stat(const struct bprof_change *change); /* "p50" */
BPROF_API enum bprof_verdict bprof_change_verdict(const struct bprof_change *change);
/* Why it is inconclusive: a sentence; else "". */
BPROF_API const char *bprof_change_why(const struct bprof_change *change);
/* The limit that decided the verdict, as it was given; NULL: no limit did. */
BPROF_API const char *bprof_change_limit(const struct bprof_change *change);
/* The two values, in the event's unit; NaN: missing. */
BPROF_API double bprof_change_base_value(const struct bprof_change *change);
BPROF_API double bprof_change_new_value(const struct bprof_change *change);
/*
 * The difference, new minus base, and the interval that contains the true difference with 95 %
 * confidence; as a share of the base if relative (0.02: 2 % more; infinite if the base is 0), else
 * in the event's unit. NaN: only one report has the row; for low and high also: too few blocks.
 */
BPROF_API double bprof_change_value(const struct bprof_change *change, bool relative);
BPROF_API double bprof_change_low(const struct bprof_change *change, bool relative);
BPROF_API double bprof_change_high(const struct bprof_change *change, bool relative);
/*
 * The probability of such a difference by chance, corrected for the number of comparisons; NaN:
 * not tested.
 */
BPROF_API double bprof_change_p(const struct bprof_change *change);

/*
 * Writes a comparison ('bprof diff --format': "text", "json", "markdown", "junit"). As
 * bprof_report_render().
 */
BPROF_API int bprof_comparison_render(const struct bprof_comparison *c, const char *format,
				      const struct bprof_render_opts *opts, FILE *out,
				      struct bprof_error *error);

#ifdef __cplusplus
}
#endif

#endif
