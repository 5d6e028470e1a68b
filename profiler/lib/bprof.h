/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libbprof: lets your own program measure what one invocation of a BPF program costs.
 *
 * A session selects programs that are loaded in the running kernel, opens events, attaches probes
 * and counts between its start and its stop. A report is the result. The library makes a report
 * from a session, or reads it from the JSON that 'bprof stat -j' writes. Accessors return the
 * values of a report; other functions render it or compare it with another report. Reports and
 * comparisons need neither root nor the kernel.
 *
 * The interface is not stable before version 1.0: a new minor version may change functions, structs
 * and the soname.
 *
 * Errors. A function that can fail returns 0 or a negative errno. A struct bprof_error has the
 * reason. A session keeps the error of its last failure (bprof_session_error()). A function
 * without a session fills in the struct that the caller passes, which may be NULL. There is no
 * global error state, so that two libraries in one process, or two coroutines in one thread, cannot
 * mix up their errors.
 *
 * Threads. The library has no state outside of its objects. Different threads may use different
 * objects at the same time. Only one thread at a time may use a session, or add rules to a struct
 * bprof_rules. Several threads may read a report or a comparison at the same time.
 *
 * The process. The library does not change the affinity, signal mask, signal handlers, locale,
 * umask, working directory, resource limits or environment of the caller, and writes only to
 * descriptors that the caller passes. While a function with a session runs, the library replaces
 * libbpf's print callback; messages of other threads still go to the previous callback. Opening a
 * session creates threads, with all signals blocked, which have ended when the function returns. A
 * session needs one file descriptor for each event on each CPU, and some for each target: raise
 * RLIMIT_NOFILE to measure many targets. On Linux before 5.11 libbpf itself raises RLIMIT_MEMLOCK,
 * unless libbpf_set_memlock_rlim() forbids it.
 *
 * Pointers must not be NULL, unless a comment in this header allows it.
 *
 * Strings. The library copies the strings that it is given, which are UTF-8 or ASCII. A string that
 * the library returns belongs to an object and lives as long as that object. The caller's LC_CTYPE
 * decides how messages and rendered text show names that are not ASCII. Times are in nanoseconds.
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
 * header returns -E2BIG if a member that is unknown to the library is not zero. A newer library
 * treats the members that the caller's struct lacks as zero. Functions return -EINVAL if the size
 * is too small for the first version of the struct, or above 4096. NULL in place of the struct
 * means all defaults.
 */

/* Returns the version of the running library, such as "0.1.0". The string is static. */
BPROF_API const char *bprof_version(void);

/* Why a function failed. */
struct bprof_error {
	int err; /* the negative errno that the function returned; 0: nothing has failed yet */
	/*
	 * The position of a syntax error in an argument: offset and length in bytes. Both are 0 for
	 * other errors.
	 */
	unsigned int pos, len;
	/*
	 * The reason as a word that programs can test: "argument" (the caller's argument is wrong),
	 * "other", or, if no target can be measured, the reason for the first target, such as
	 * "no_btf" (see bprof_skip_reason()).
	 */
	char code[32];
	/* The reason as a sentence without a newline: what failed, why, and usually what to do. */
	char text[468];
};

/* ---- messages ---- */

enum bprof_log_level {
	BPROF_LOG_ERROR = -1, /* the reason why a function failed */
	BPROF_LOG_WARN = 0,   /* the library did something differently than the caller asked */
	BPROF_LOG_INFO = 1,
	BPROF_LOG_DEBUG = 2, /* includes libbpf's messages and verifier logs */
};

/*
 * A callback that takes a message: one printable line without a newline. text lives until the
 * callback returns. The library calls it in the thread that called the library, or in a thread that
 * this thread waits for. The callback must not use the session that sent the message.
 */
typedef void (*bprof_log_fn)(void *arg, enum bprof_log_level level, const char *text);

/* ---- sessions ---- */

struct bprof_session;

/* For bprof_session_opts.flags */
enum {
	/* do not calibrate: the numbers include the probes' own overhead */
	BPROF_SESSION_RAW = 1,
	/* keep no distributions: the probe has less overhead, but there are no percentiles */
	BPROF_SESSION_NO_HIST = 2,
	/*
	 * reports contain the distributions, for rendering; cannot be combined with
	 * BPROF_SESSION_NO_HIST
	 */
	BPROF_SESSION_BUCKETS = 4,
	BPROF_SESSION_PER_CPU = 8, /* reports also contain the numbers of each CPU, for rendering */
};

struct bprof_session_opts {
	size_t size;
	uint64_t flags; /* BPROF_SESSION_... */
	/* The events, in the syntax of bprof_session_add_events(), which can add more; or NULL. */
	const char *events;
	const char *cpus; /* the CPUs to measure, such as "0-3,5"; NULL: all */
	/*
	 * The methods, as in 'bprof stat --method': "fentry,run_stats" (the default), "samples".
	 * BPROF_SESSION_BUCKETS, thin_period and thin_share need "fentry".
	 */
	const char *methods;
	/*
	 * All runs are counted, but only one run in thin_period is measured. 0 or 1: every run is
	 * measured.
	 */
	uint64_t thin_period;
	/*
	 * The greatest share of a CPU's time that the probes may take (0.01: 1 %); 0: no limit.
	 * With a limit, the caller must call bprof_session_adjust() about every 100 ms between
	 * start and stop, which adjusts the share of measured runs on each CPU. Cannot be combined
	 * with thin_period or BPROF_SESSION_RAW.
	 */
	double thin_share;
	/* Samples per second on each CPU, only with the method "samples"; 0: 3989. */
	uint64_t sample_hz;
	/* The callback that gets the messages, or NULL. */
	bprof_log_fn log;
	void *log_arg;
	int64_t log_level; /* the highest enum bprof_log_level that the callback gets */
	/*
	 * "retval": reports have a row for each value that a function returns, at most eight, and a
	 * row for all other runs (bprof_program_retval_name()); needs the method "fentry" and Linux
	 * 5.12. NULL: one row for each function.
	 */
	const char *by;
};

/*
 * Makes a session, without opening anything in the kernel. The caller frees *out with
 * bprof_session_free(). opts may be NULL. Returns 0; -EINVAL: an argument is wrong, or options
 * cannot be combined; -E2BIG: see the structs of options above; -ENOMEM; or another -errno, such as
 * that of a file in /sys. On failure *out is NULL, and *error has the reason unless error is NULL.
 */
BPROF_API int bprof_session_new(const struct bprof_session_opts *opts, struct bprof_session **out,
				struct bprof_error *error);

/*
 * Frees a session, even while the session measures: detaches all probes and closes everything, so
 * that nothing stays in the kernel. Its snapshots and reports stay valid. s may be NULL.
 */
BPROF_API void bprof_session_free(struct bprof_session *s);

/*
 * Returns the reason for the last failure of a function that was called with this session, never
 * NULL. The struct lives as long as the session, and the next failure changes it.
 */
BPROF_API const struct bprof_error *bprof_session_error(const struct bprof_session *s);

/*
 * These functions select targets; call them before bprof_session_open(). They may be mixed and
 * repeated; a target that is selected twice is measured once. func is a glob that selects the
 * functions to measure in each program ("parse_*"; "*" measures all, as a tree); NULL selects the
 * entry function. The programs are looked up when the session is opened. Each function returns 0;
 * -EINVAL: an argument is wrong; -EBUSY: the session is open; or -ENOMEM.
 */
/* Selects the program with this id. */
BPROF_API int bprof_session_add_id(struct bprof_session *s, uint32_t prog_id, const char *func);
/*
 * Selects a program by its file descriptor, such as the result of bpf_program__fd(). Finding the
 * program this way does not need CAP_SYS_ADMIN. The caller keeps fd, and may close it when the
 * function has returned: the session has a reference to the program. In addition to the errors
 * above, returns -EBADF or -EINVAL if fd is not a descriptor of a program.
 */
BPROF_API int bprof_session_add_fd(struct bprof_session *s, int fd, const char *func);
/*
 * Selects the programs whose name matches a glob, and the extensions (freplace) of these programs.
 * If the kernel truncated a program's name, the full name from its BTF must match.
 */
BPROF_API int bprof_session_add_name(struct bprof_session *s, const char *glob, const char *func);
/* Selects the programs whose tag begins with these hexadecimal digits. */
BPROF_API int bprof_session_add_tag(struct bprof_session *s, const char *tag, const char *func);
/* Selects a pinned program or link, or all of them in a directory of a BPF filesystem. */
BPROF_API int bprof_session_add_pinned(struct bprof_session *s, const char *path, const char *func);
/* Selects the programs of these types, such as "xdp,sched_cls". */
BPROF_API int bprof_session_add_type(struct bprof_session *s, const char *types, const char *func);
/* Selects every program that is loaded. */
BPROF_API int bprof_session_add_all(struct bprof_session *s, const char *func);

/*
 * Adds events in the syntax of 'bprof stat -e', which is perf's:
 * "cycles,{instructions,cache-misses}", "time". A session without events counts cycles and
 * instructions if this machine can count them, else time. Returns 0; -EINVAL: the session's error
 * has the position of the wrong part of events; -EBUSY: the session is open; or -ENOMEM.
 */
BPROF_API int bprof_session_add_events(struct bprof_session *s, const char *events);

/*
 * Looks the targets up, opens the events, calibrates and attaches a probe to each target, without
 * counting yet. A target that cannot be measured is left out; the log and each report say why.
 * Returns 0; -ENODATA: none of the events, or none of the targets, can be measured; -EPERM;
 * -EINVAL: nothing was selected; -EBUSY: the session is already open; or another -errno. After a
 * failure the caller may try again.
 *
 * Programs that are measured stay loaded until the session is freed.
 */
BPROF_API int bprof_session_open(struct bprof_session *s);

/*
 * Starts counting, for all targets and events at the same moment. A session may be started and
 * stopped several times; no report includes the runs between a stop and the next start. Returns 0;
 * -EINVAL: the session is not open, is already running, or its last stop failed; or another -errno,
 * after which the caller may try again.
 */
BPROF_API int bprof_session_start(struct bprof_session *s);
/*
 * Ends counting. Returns 0; -EINVAL: the session is not running; or another -errno: the session has
 * stopped counting, but the counts of the stop are missing. Reports up to an earlier snapshot can
 * still be made; to measure again, make another session.
 */
BPROF_API int bprof_session_stop(struct bprof_session *s);

/*
 * Adjusts the share of the runs that is measured on each CPU, so that the probes take at most the
 * time that bprof_session_opts.thin_share allows. Does nothing if thin_share is 0. Returns 0; or
 * -EINVAL: the session is not running.
 */
BPROF_API int bprof_session_adjust(struct bprof_session *s);

/* All counts of a session at one moment. */
struct bprof_snapshot;

/*
 * Reads the current counts or, if the session is stopped, the counts at the last stop. The caller
 * frees *out with bprof_snapshot_free(). Returns 0; -EINVAL: the session was never started, or its
 * last stop failed; -ENOMEM or another -errno.
 */
BPROF_API int bprof_session_read(struct bprof_session *s, struct bprof_snapshot **out);
BPROF_API void bprof_snapshot_free(struct bprof_snapshot *snapshot); /* NULL is fine */

struct bprof_report;

/*
 * Makes the report of what was counted between two snapshots of this session. If "from" is NULL,
 * the report begins with the last start. If "to" is NULL, it ends with the last stop or, while the
 * session runs, now. The caller frees *out with bprof_report_free(). Returns 0; -EINVAL: the
 * session was never started, or its last stop failed and "to" is NULL, or a snapshot belongs to
 * another session, or "to" was taken before "from"; -ENOMEM or another -errno.
 */
BPROF_API int bprof_session_report(struct bprof_session *s, const struct bprof_snapshot *from,
				   const struct bprof_snapshot *to, struct bprof_report **out);

/* ---- reports ---- */

/*
 * Reads a report from the JSON that bprof writes: one document, or the intervals of -I, which
 * become one report with one block for each interval, or the reports that --append wrote to one
 * file, which become one report with their blocks (a report without blocks is a block). A report of 'bprof system' has no programs:
 * it can only be rendered. The caller frees *out with bprof_report_free(). Returns 0; -ENODATA: the
 * file is empty; -EINVAL: it is not a report, and *error has the line and what is wrong there;
 * -ENOMEM; or another -errno: the file cannot be read (-ENOENT, -EISDIR, ...).
 */
BPROF_API int bprof_report_read(FILE *in, struct bprof_report **out, struct bprof_error *error);
BPROF_API int bprof_report_read_path(const char *path, struct bprof_report **out,
				     struct bprof_error *error);
BPROF_API void bprof_report_free(struct bprof_report *r); /* NULL is fine */

/* Returns the version of the bprof that made the report. */
BPROF_API const char *bprof_report_version(const struct bprof_report *r);
/* Return the kernel version ("6.12.38"), the architecture ("aarch64") or the CPU; "": unknown. */
BPROF_API const char *bprof_report_kernel(const struct bprof_report *r);
BPROF_API const char *bprof_report_arch(const struct bprof_report *r);
BPROF_API const char *bprof_report_cpu_model(const struct bprof_report *r);
/* Returns the number of CPUs that were measured. */
BPROF_API int bprof_report_cpus(const struct bprof_report *r);
/* Returns when measuring began, in ns since 1970 (UTC); 0: unknown. */
BPROF_API uint64_t bprof_report_started_ns(const struct bprof_report *r);
/* Returns how long the session counted, in ns. */
BPROF_API uint64_t bprof_report_elapsed_ns(const struct bprof_report *r);
/* True if the numbers are net: without the probes' overhead. Else they are raw. */
BPROF_API bool bprof_report_is_calibrated(const struct bprof_report *r);

/*
 * A row of the report: one function of a program. If the program was measured with several inputs
 * (bprof bench), each function has one row per input; with bprof_session_opts.by, one per return
 * value. Rows live as long as the report.
 */
struct bprof_program;

BPROF_API int bprof_report_program_count(const struct bprof_report *r);
/* Returns row i, counted from 0; NULL: there are fewer rows. */
BPROF_API const struct bprof_program *bprof_report_program(const struct bprof_report *r, int i);

BPROF_API uint32_t bprof_program_id(const struct bprof_program *p);
BPROF_API const char *bprof_program_name(const struct bprof_program *p);
/*
 * The function's name or, if several functions of the program have that name, NAME@FILE:LINE, with #K
 * if they are at the same place, or NAME#K. No name contains @ or #.
 */
BPROF_API const char *bprof_program_func(const struct bprof_program *p);
/* Returns the type of the program, such as "xdp". */
BPROF_API const char *bprof_program_type(const struct bprof_program *p);
/* Returns the 16 hexadecimal digits of the program's tag; "": unknown. */
BPROF_API const char *bprof_program_tag(const struct bprof_program *p);
/* Returns the name of the input, or NULL if the program was not measured with several inputs. */
BPROF_API const char *bprof_program_input(const struct bprof_program *p);
/*
 * Returns the 32 bits that all runs of the row returned; NaN: unknown, or several values. See
 * bprof_program_retval_name().
 */
BPROF_API double bprof_program_retval(const struct bprof_program *p);
/*
 * If the report has a row for each return value: writes the name of this row's value to buf, such
 * as "XDP_DROP" or "-1", "other" for the row with all other values, or "not measured" for the runs
 * whose value is not known, cut to sz bytes. Returns buf, or NULL if the row has all runs of the
 * function.
 */
BPROF_API const char *bprof_program_retval_name(const struct bprof_program *p, char *buf,
						size_t sz);
/* Returns the method by which the row was measured: "fentry", "run_stats" or "samples". */
BPROF_API const char *bprof_program_method(const struct bprof_program *p);
/* Returns the number of all runs: measured, left out by thinning, or lost. */
BPROF_API uint64_t bprof_program_runs(const struct bprof_program *p);
BPROF_API uint64_t bprof_program_measured(const struct bprof_program *p);
/*
 * Returns the number of runs that the probe saw but could not measure. cause: "entry", "read",
 * "overflow", "recursion" (bprof_lost_name()), or NULL for the sum. Returns 0 for an unknown cause.
 */
BPROF_API uint64_t bprof_program_lost(const struct bprof_program *p, const char *cause);
/* Returns the name of cause i, counted from 0, a static string; NULL: there are fewer causes. */
BPROF_API const char *bprof_lost_name(int i);
/*
 * Returns note i on the numbers of this row, counted from 0: a sentence without a full stop; NULL:
 * there are fewer notes.
 */
BPROF_API const char *bprof_program_note(const struct bprof_program *p, int i);

/* One event of a row. Lives as long as the report. */
struct bprof_event;

BPROF_API int bprof_program_event_count(const struct bprof_program *p);
BPROF_API const struct bprof_event *bprof_program_event(const struct bprof_program *p, int i);
/* Returns the first event with that name, or NULL. */
BPROF_API const struct bprof_event *bprof_program_find_event(const struct bprof_program *p,
							     const char *name);

/* Returns the name as the user wrote it. */
BPROF_API const char *bprof_event_name(const struct bprof_event *ev);
/* Returns the unit of the values, such as "ns"; "" if the values are counts. */
BPROF_API const char *bprof_event_unit(const struct bprof_event *ev);
/* Returns "ok", "not_supported" or "not_counted". */
BPROF_API const char *bprof_event_status(const struct bprof_event *ev);
/* Returns a sentence that says why the status is not "ok", or NULL. */
BPROF_API const char *bprof_event_detail(const struct bprof_event *ev);
/* Returns the number of runs in which the event was read at both entry and exit. */
BPROF_API uint64_t bprof_event_measured(const struct bprof_event *ev);
/* Returns the sum over these runs, in the event's unit; NaN: unknown. */
BPROF_API double bprof_event_total(const struct bprof_event *ev);
/*
 * Returns a statistic of the cost of a run, in the event's unit: "mean", "stddev", "min", "p50",
 * "p90", "p99", "p999", "max", or any other that bprof_stat_name() returns. The value is net if the
 * report is calibrated. NaN: not measured, or no such statistic.
 */
BPROF_API double bprof_event_stat(const struct bprof_event *ev, const char *stat);
/*
 * Returns the name of statistic i, counted from 0, a static string; NULL: there are fewer
 * statistics.
 */
BPROF_API const char *bprof_stat_name(int i);
/*
 * Return the bias (the probe's overhead, which was subtracted from each run), its standard
 * deviation, and its uncertainty; NaN: nothing was subtracted.
 */
BPROF_API double bprof_event_bias(const struct bprof_event *ev);
BPROF_API double bprof_event_bias_stddev(const struct bprof_event *ev);
BPROF_API double bprof_event_bias_uncertainty(const struct bprof_event *ev);

/* A program that was selected but could not be measured. Lives as long as the report. */
struct bprof_skip;

BPROF_API int bprof_report_skip_count(const struct bprof_report *r);
BPROF_API const struct bprof_skip *bprof_report_skip(const struct bprof_report *r, int i);
/* Returns the program's id, or 0 if no program was found. */
BPROF_API uint32_t bprof_skip_id(const struct bprof_skip *skip);
BPROF_API const char *bprof_skip_name(const struct bprof_skip *skip);
/* Returns the reason as a word that programs can test, such as "no_btf". */
BPROF_API const char *bprof_skip_reason(const struct bprof_skip *skip);
/* Returns the reason as a sentence. */
BPROF_API const char *bprof_skip_detail(const struct bprof_skip *skip);

/* For bprof_render_opts.flags */
enum {
	BPROF_RENDER_COLOR = 1,	  /* colour the text for a terminal */
	BPROF_RENDER_VERBOSE = 2, /* show what 'bprof stat -v' or 'bprof diff -v' shows */
	BPROF_RENDER_PER_CPU = 4, /* also show the numbers of each CPU, if the report has them */
	BPROF_RENDER_LINE = 8,	  /* write JSON as one line */
};

struct bprof_render_opts {
	size_t size;
	uint64_t flags; /* BPROF_RENDER_... */
	/*
	 * The separator of the fields in "csv"; must not be empty or contain a quote or newline.
	 * NULL: a comma.
	 */
	const char *separator;
	/* The names of the two reports in a rendered comparison; NULL: "base" and "new". */
	const char *base_name, *new_name;
	uint64_t width; /* "text": the greatest width of a table's line; 0: no limit */
};

/*
 * Writes a report to out and flushes out. format is a name that 'bprof stat --format' takes:
 * "text", "json", "csv", ... Returns 0; -EINVAL: reports have no such format, or an option is
 * wrong; -E2BIG: see the structs of options above; -ENOMEM: nothing was written; or another -errno:
 * writing to out failed (-ENOSPC, ...).
 */
BPROF_API int bprof_report_render(const struct bprof_report *r, const char *format,
				  const struct bprof_render_opts *opts, FILE *out,
				  struct bprof_error *error);

/* ---- comparisons ---- */

/* Limits above which a change counts as worse, and pairs of programs to compare. */
struct bprof_rules;

/*
 * Makes an empty set of rules. The caller frees *out with bprof_rules_free(). Returns 0 or -ENOMEM.
 */
BPROF_API int bprof_rules_new(struct bprof_rules **out);
/*
 * Adds a limit in the syntax of 'bprof diff --fail-on': "instructions:p50>2%",
 * "xdp_lb/time:p99>10us". Without limits, a change is worse if the median of an event grows by more
 * than 2 %, or if the minimum of an exact event grows at all. Returns 0; -EINVAL: the syntax is
 * wrong, and *error has the position; -E2BIG: there are 64 limits already; or -ENOMEM.
 */
BPROF_API int bprof_rules_add_limit(struct bprof_rules *rules, const char *limit,
				    struct bprof_error *error);
/*
 * Adds a pair of programs in the syntax of 'bprof diff --match', such as "lb_v1=lb_v2": compares
 * lb_v1 of the base with lb_v2 of the new report. Returns 0, -EINVAL with *error, or -ENOMEM.
 */
BPROF_API int bprof_rules_add_match(struct bprof_rules *rules, const char *match,
				    struct bprof_error *error);
BPROF_API void bprof_rules_free(struct bprof_rules *rules); /* NULL is fine */

/* Lower values are more important: a comparison has the lowest verdict of its rows. */
enum bprof_verdict {
	BPROF_VERDICT_WORSE = 0,
	BPROF_VERDICT_INCONCLUSIVE = 1, /* undecided; usually more blocks are needed */
	BPROF_VERDICT_GONE = 2,		/* only the base has the row */
	BPROF_VERDICT_NEW = 3,		/* only the new report has the row */
	BPROF_VERDICT_BETTER = 4,
	BPROF_VERDICT_SAME = 5, /* there is no change, or it is within the limit */
};
/* Returns "worse", "inconclusive", ..., a static string; NULL: no such verdict. */
BPROF_API const char *bprof_verdict_name(enum bprof_verdict verdict);

/* For bprof_compare_opts.flags */
enum {
	BPROF_COMPARE_INCONCLUSIVE_OK = 1,
	BPROF_COMPARE_ONE_SIDED_OK = 2,	    /* a row that only one report has is not a failure */
	BPROF_COMPARE_RETVAL_CHANGE_OK = 4, /* also compare programs whose return value changed */
};

struct bprof_compare_opts {
	size_t size;
	uint64_t flags; /* BPROF_COMPARE_... */
	/* The rules, which must live as long as the comparison; NULL: the default rules. */
	const struct bprof_rules *rules;
};

struct bprof_comparison;

/*
 * Compares two reports, which must live as long as the comparison. opts may be NULL. The caller
 * frees *out with bprof_comparison_free(). Returns 0; -ENODATA: the reports have no row in common;
 * -EINVAL: a rule matches nothing in the reports, or an option is wrong; -E2BIG: see the structs of
 * options above; or -ENOMEM.
 */
BPROF_API int bprof_compare(const struct bprof_report *base, const struct bprof_report *new_report,
			    const struct bprof_compare_opts *opts, struct bprof_comparison **out,
			    struct bprof_error *error);
BPROF_API void bprof_comparison_free(struct bprof_comparison *c); /* NULL is fine */

/* Returns the verdict of the comparison, which is the verdict of its worst row. */
BPROF_API enum bprof_verdict bprof_comparison_verdict(const struct bprof_comparison *c);
/*
 * Returns the exit status that 'bprof diff' would have, with the flags that bprof_compare() got: 0
 * if nothing is worse, 3 if something is worse, 5 if the result is inconclusive.
 */
BPROF_API int bprof_comparison_exit_status(const struct bprof_comparison *c);
/*
 * Returns the number of conditions (kernel, CPU, method, ...) in which the reports differ. Each has
 * a note; these notes come before all others.
 */
BPROF_API int bprof_comparison_difference_count(const struct bprof_comparison *c);
/*
 * Returns note i on the comparison, counted from 0: a sentence without a full stop; NULL: there are
 * fewer notes.
 */
BPROF_API const char *bprof_comparison_note(const struct bprof_comparison *c, int i);
/* Returns a summary such as "worse: 1 worse, 2 inconclusive, 5 same". */
BPROF_API const char *bprof_comparison_headline(const struct bprof_comparison *c);

/*
 * A row of the comparison: one statistic of one event of one function. The worst rows come first.
 * Rows live as long as the comparison.
 */
struct bprof_change;

BPROF_API int bprof_comparison_change_count(const struct bprof_comparison *c);
BPROF_API const struct bprof_change *bprof_comparison_change(const struct bprof_comparison *c,
							     int i);
/* Return the row of the base or the new report that is compared; NULL: this report lacks it. */
BPROF_API const struct bprof_program *bprof_change_base(const struct bprof_change *change);
BPROF_API const struct bprof_program *bprof_change_new(const struct bprof_change *change);
BPROF_API const char *bprof_change_event(const struct bprof_change *change);
/* Returns the unit of the values, such as "ns"; "" if the values are counts. */
BPROF_API const char *bprof_change_unit(const struct bprof_change *change);
/* Returns the name of the statistic, such as "p50". */
BPROF_API const char *bprof_change_stat(const struct bprof_change *change);
BPROF_API enum bprof_verdict bprof_change_verdict(const struct bprof_change *change);
/* Returns a sentence that says why the row is inconclusive; "" if it is not. */
BPROF_API const char *bprof_change_why(const struct bprof_change *change);
/* Returns the text of the limit that decided the verdict; NULL: no limit did. */
BPROF_API const char *bprof_change_limit(const struct bprof_change *change);
/* Return the values of the two reports, in the event's unit; NaN: the report lacks the value. */
BPROF_API double bprof_change_base_value(const struct bprof_change *change);
BPROF_API double bprof_change_new_value(const struct bprof_change *change);
/*
 * Return the difference, new minus base, and the two ends of its 95 % confidence interval. If
 * relative, the values are shares of the base (0.02: 2 % more; infinite if the base is 0), else
 * they are in the event's unit. NaN: only one report has the row. The ends of the interval are also
 * NaN if there are too few blocks.
 */
BPROF_API double bprof_change_value(const struct bprof_change *change, bool relative);
BPROF_API double bprof_change_low(const struct bprof_change *change, bool relative);
BPROF_API double bprof_change_high(const struct bprof_change *change, bool relative);
/*
 * Returns the p-value of the difference, corrected for multiple comparisons; NaN: no test was made.
 */
BPROF_API double bprof_change_p(const struct bprof_change *change);

/*
 * Writes a comparison to out and flushes out. format is a name that 'bprof diff --format' takes:
 * "text", "json", "markdown", "junit". Returns the same values as bprof_report_render().
 */
BPROF_API int bprof_comparison_render(const struct bprof_comparison *c, const char *format,
				      const struct bprof_render_opts *opts, FILE *out,
				      struct bprof_error *error);

#ifdef __cplusplus
}
#endif

#endif
