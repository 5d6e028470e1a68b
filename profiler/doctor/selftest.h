/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The self-test: measures built-in programs of known cost on this machine, with sessions like those
 * for users' programs. The result tells how exact the numbers are and what a probe costs.
 */
#ifndef BPROF_SELFTEST_H
#define BPROF_SELFTEST_H

#include <stdbool.h>
#include <stdio.h>
#include <jansson.h>
#include <linux/types.h>

#include "base/table.h"
#include "base/util.h"
#include "report/report.h"

struct event_list;

/* The programs of each context: an empty one, and two with 100 and 1000 more instructions. */
enum selftest_prog { SELFTEST_EMPTY, SELFTEST_100, SELFTEST_1000, SELFTEST_PROG_CNT };
extern const double selftest_added[SELFTEST_PROG_CNT]; /* 0, 100, 1000 */

enum selftest_context_id {
	SELFTEST_XDP,
	SELFTEST_RUN_TP,
	SELFTEST_SYSCALL,
	SELFTEST_RAW_TP,
	SELFTEST_SOCKET,
	SELFTEST_UPROBE,
	SELFTEST_CONTEXT_CNT
};

struct selftest_context_spec {
	const char *name;  /* name in JSON: "raw_tp" */
	const char *title; /* name in tables: "raw tracepoint" */
	const char *how;   /* how the programs run, as a sentence without a full stop */
	bool attached;	   /* attached to a hook, like users' programs; otherwise test runs */
};
extern const struct selftest_context_spec selftest_contexts[SELFTEST_CONTEXT_CNT];

enum selftest_verdict {
	SELFTEST_NOT_JUDGED, /* it is not known what the event should show */
	SELFTEST_EXACT,
	/* the error is at most SELFTEST_TOLERANCE, or at most the uncertainty in the report */
	SELFTEST_CLOSE,
	SELFTEST_WRONG,
	SELFTEST_VERDICT_CNT
};
extern const char *const selftest_verdict_names[SELFTEST_VERDICT_CNT]; /* names in JSON: "exact" */

/* Biases are rounded, so the median of instructions may be wrong by this number. */
#define SELFTEST_TOLERANCE 1

/* The numbers of one event for the programs of a context. NaN: not known. */
struct selftest_event {
	char *name, *base, *unit; /* as in struct report_event */
	char *detail;		  /* why the event has no values, or NULL */
	double stat[SELFTEST_PROG_CNT][STAT_CNT];
	/* The event counts the kernel's instructions, so it should show 0, 100 and 1000. */
	bool is_known;
	double uncertainty; /* by how much the bias may be wrong, from the report */
	/* set by selftest__judge() */
	enum selftest_verdict verdict;
	double off; /* the largest error of the medians, with its sign; NaN if not judged */
};

struct selftest_context {
	char *why;	    /* why the programs were not measured, or NULL */
	const char *method; /* as in struct report_prog; NULL: not measured */
	/* for all programs together: runs made, runs counted, and runs lost */
	__u64 driven, runs, lost;
	struct selftest_event *event;
	int event_cnt;
};

/* What a probe adds to a run, measured from outside: the same loop with and without the probe. */
struct selftest_cost {
	char *name, *unit; /* the event; the first row is the time in ns */
	double without;	   /* cost of a run of the empty program, with the loop around it */
	double added;	   /* cost that the probe adds */
};

struct selftest_kind {
	char *name; /* struct cpu_group.name */
	char *cpus; /* the CPUs of this kind: "0-3" */
	int cpu;    /* the CPU that was measured; -1: this process may run on no CPU of this kind */
	int counters;	/* perf_event__count_counters(); negative: not known */
	char *no_probe; /* why no program can be probed, or NULL */
	struct selftest_context context[SELFTEST_CONTEXT_CNT];
	struct selftest_cost *cost; /* empty without probes */
	int cost_cnt;
};

struct selftest {
	char *version, *kernel, *arch, *cpu_model, *libbpf;
	char *clock_source;   /* "" if not known */
	double clock_step_ns; /* the smallest difference of two readings of the clock */
	int events;	      /* number of events that the probe reads */
	struct selftest_kind *kind;
	int kind_cnt;
};

/*
 * Measures on a CPU of each kind, in a thread of its own. events: as in session__open(). Returns 0
 * or -errno (reported); it is no error if nothing can be measured. The caller frees *t in any case.
 */
int __must_check selftest__run(const struct event_list *events, struct selftest *t);
void selftest__free(struct selftest *t);

/* Returns the smallest step between two readings of the clock. NaN: it does not move on. */
double selftest__clock_step(__u64 (*clock)(void));

/* Sets the verdicts. */
void selftest__judge(struct selftest *t);
/* The result for all kinds of CPUs: the worst verdict, and whether anything was measured. */
struct selftest_summary {
	enum selftest_verdict worst;
	bool measured;
	bool probed; /* at least one context was measured with probes */
};
struct selftest_summary selftest__summarize(const struct selftest *t);

/*
 * Returns the representative number of a program's event: the median or, if only a mean is known,
 * the mean. NaN: no number.
 */
double selftest_event__value(const struct selftest_event *ev, enum selftest_prog prog);
/* Returns the program's number minus the empty program's number. NaN: not known. */
double selftest_event__added(const struct selftest_event *ev, enum selftest_prog prog);
/*
 * Returns the standard deviation of the difference between a run of the program and a run of the
 * empty program. NaN: not known.
 */
double selftest_event__spread(const struct selftest_event *ev, enum selftest_prog prog);

/* Returns one line, without a newline, with all facts that a bug report needs. */
char *selftest__quote(const struct selftest *t);
/* Writes the tables and the line of selftest__quote(). */
void selftest__print(const struct selftest *t, FILE *out, const struct screen *screen);
/* Returns the JSON document (docs/bprof-report.schema.json). */
json_t *selftest__to_json(const struct selftest *t);

#endif
