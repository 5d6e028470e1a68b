// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The numbers of the self-test: judges and frees them. Owns the right numbers of the programs and
 * the allowed errors. Pure. Must not know how numbers were measured or are shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/selftest.h"

const double selftest_added[SELFTEST_PROG_CNT] = {0, 100, 1000};

const char *const selftest_verdict_names[SELFTEST_VERDICT_CNT] = {
	[SELFTEST_NOT_JUDGED] = "not_judged",
	[SELFTEST_EXACT] = "exact",
	[SELFTEST_CLOSE] = "close",
	[SELFTEST_WRONG] = "wrong",
};

const struct selftest_context_spec selftest_contexts[SELFTEST_CONTEXT_CNT] = {
	[SELFTEST_XDP] = {"xdp", "XDP, test run",
			  "BPF_PROG_TEST_RUN of XDP programs, with migration disabled", false},
	[SELFTEST_RUN_TP] = {"raw_tp_run", "raw_tp, test run",
			     "BPF_PROG_TEST_RUN of raw tracepoint programs, with migration enabled",
			     false},
	[SELFTEST_SYSCALL] = {"syscall", "syscall, test run",
			      "BPF_PROG_TEST_RUN of syscall programs, which may sleep", false},
	[SELFTEST_RAW_TP] =
		{"raw_tp", "raw_tp, attached",
		 "attached to the tracepoint bpf_test_finish, which only test runs pass", true},
	[SELFTEST_SOCKET] = {"socket", "socket, attached",
			     "attached to a socket of bprof, to which bprof sends packets", true},
	[SELFTEST_UPROBE] = {"uprobe", "uprobe, attached",
			     "attached to a function of bprof, which bprof calls", true},
};

double selftest_event__value(const struct selftest_event *ev, enum selftest_prog prog)
{
	const double *stat = ev->stat[prog];

	return isnan(stat[STAT_P50]) ? stat[STAT_MEAN] : stat[STAT_P50];
}

double selftest_event__added(const struct selftest_event *ev, enum selftest_prog prog)
{
	return selftest_event__value(ev, prog) - selftest_event__value(ev, SELFTEST_EMPTY);
}

double selftest_event__spread(const struct selftest_event *ev, enum selftest_prog prog)
{
	return hypot(ev->stat[prog][STAT_STDDEV], ev->stat[SELFTEST_EMPTY][STAT_STDDEV]);
}

/* Both a program's number and its difference from the empty program's number must be right. */
static void judge_event(struct selftest_event *ev)
{
	ev->verdict = SELFTEST_NOT_JUDGED;
	ev->off = NAN;
	if (!ev->is_known || ev->detail)
		return;
	ev->off = 0;
	for (int i = 0; i < SELFTEST_PROG_CNT; i++) {
		double errors[] = {ev->stat[i][STAT_P50] - selftest_added[i],
				   selftest_event__added(ev, i) - selftest_added[i]};

		for (size_t k = 0; k < ARRAY_SIZE(errors) && !isnan(ev->off); k++)
			if (isnan(errors[k]) || fabs(errors[k]) > fabs(ev->off))
				ev->off = errors[k];
	}
	if (!ev->off)
		ev->verdict = SELFTEST_EXACT;
	else if (fabs(ev->off) <= fmax(SELFTEST_TOLERANCE, ev->uncertainty))
		ev->verdict = SELFTEST_CLOSE;
	else
		ev->verdict = SELFTEST_WRONG; /* NaN: one of the programs has no number */
}

void selftest__judge(struct selftest *t)
{
	for (int k = 0; k < t->kind_cnt; k++)
		for (int c = 0; c < SELFTEST_CONTEXT_CNT; c++)
			for (int i = 0; i < t->kind[k].context[c].event_cnt; i++)
				judge_event(&t->kind[k].context[c].event[i]);
}

/* Some readings are enough, unless the clock moves on only once in many: "jiffies" does every 10 ms. */
#define CLOCK_READINGS 10000
#define MAX_CLOCK_READINGS 10000000

double selftest__clock_step(__u64 (*clock)(void))
{
	__u64 before = clock();
	double min = NAN;

	for (int i = 0; i < CLOCK_READINGS || (isnan(min) && i < MAX_CLOCK_READINGS); i++) {
		__u64 now = clock();

		if (now != before)
			min = fmin(min, now - before);
		before = now;
	}
	return min;
}

struct selftest_summary selftest__summarize(const struct selftest *t)
{
	struct selftest_summary s = {};

	for (int k = 0; k < t->kind_cnt; k++)
		for (int c = 0; c < SELFTEST_CONTEXT_CNT; c++) {
			const struct selftest_context *context = &t->kind[k].context[c];

			s.measured |= context->runs > 0;
			s.probed |= context->runs && !t->kind[k].no_probe;
			for (int i = 0; i < context->event_cnt; i++)
				if (context->event[i].verdict > s.worst)
					s.worst = context->event[i].verdict;
		}
	return s;
}

static void free_kind(struct selftest_kind *k)
{
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		struct selftest_context *c = &k->context[i];

		for (int e = 0; e < c->event_cnt; e++) {
			free(c->event[e].name);
			free(c->event[e].base);
			free(c->event[e].unit);
			free(c->event[e].detail);
		}
		free(c->event);
		free(c->why);
	}
	for (int i = 0; i < k->cost_cnt; i++) {
		free(k->cost[i].name);
		free(k->cost[i].unit);
	}
	free(k->cost);
	free(k->name);
	free(k->cpus);
	free(k->no_probe);
}

void selftest__free(struct selftest *t)
{
	for (int i = 0; i < t->kind_cnt; i++)
		free_kind(&t->kind[i]);
	free(t->kind);
	free(t->version);
	free(t->kernel);
	free(t->arch);
	free(t->cpu_model);
	free(t->libbpf);
	free(t->clock_source);
	memset(t, 0, sizeof(*t));
}
