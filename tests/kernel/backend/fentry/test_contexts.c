// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that results are exact in the contexts where programs really run. drive attaches programs
 * to each hook of contexts.h and runs them there. An empty program must cost 0, and a program with
 * 100 more instructions must cost 100, whatever the type of its context argument. The group needs
 * the deterministic VM (one vCPU, -icount). It prints each number; scripts/bench reads these lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/backend/fentry/contexts_case.h"
#include "tests/kernel/drive/contexts.h"
#include "tests/kernel/harness.h"

#define STEP 100

static struct run *measure(struct fixture *f, const struct context *c, const struct target *t,
			   const char *options)
{
	struct run *r = bprof(f, "-j -b %u,%u,%u,%u -e %s %s -- drive context %s %d %u %u %u %u",
			      t[0].id, t[1].id, t[2].id, t[3].id, exact_event(), options, c->name,
			      CONTEXT_RUNS, t[0].id, t[1].id, t[2].id, t[3].id);

	check_driven(r, row_of(r, t[0].id), c->name);
	return r;
}

/*
 * Returns true if a percentile differs from "want" by no more than 3 % (buckets are narrower) plus
 * the uncertainty. The report states an uncertainty if the context of some runs cannot be known.
 */
static bool near(json_t *ev, const char *percentile, int want)
{
	return fabs(real(ev, percentile) - want) <= want * .03 + uncertainty(ev);
}

/*
 * Returns true if programs on the hook run both with interrupts enabled and with interrupts
 * disabled. Only for such a hook may numbers be uncertain.
 */
static bool may_be_uncertain(const struct context *c)
{
	return !strcmp(c->name, "raw_tp_mixed");
}

/*
 * Checks the numbers of programs that run in the PMU's own interrupt. These numbers have no
 * meaning, because no counter counts in that interrupt. For each of them, the report must state an
 * uncertainty.
 */
static void check_stopped(struct fixture *f, const struct context *c, const struct target *t)
{
	struct run *r = measure(f, c, t, "");
	json_int_t min[TARGETS];

	for (int i = 0; i < TARGETS; i++) {
		json_t *ev = event_of(row_of(r, t[i].id), exact_event());

		min[i] = num(ev, "per_run.min");
		assert_true(min[i] < 0);
		assert_true(uncertainty(ev) >= -min[i]);
	}
	assert_contains(r->out, "stood still in some runs");
	for (int i = 0; i < TARGETS; i += 2)
		printf("# %s %s: empty %lld +100 %lld\n", c->name, i ? "void" : "typed",
		       (long long)min[i], (long long)min[i + 1]);
}

static void test_context(void **state)
{
	struct fixture *f = *state;
	const struct context *c = f->param;
	struct target t[TARGETS];
	json_int_t min[TARGETS];
	double p50[TARGETS], p90[TARGETS];
	bool exact = true;
	struct run *r;

	printf("# %s is driven by: %s\n", c->name, c->how);
	if (!strcmp(c->name, "perf_event_pmu") && arch_is("x86_64"))
		skip_test(c->name, "no PMU");
	load_targets(f, c, target_suffixes, t, TARGETS);
	if (!strcmp(c->name, "perf_event_pmu")) {
		check_stopped(f, c, t);
		return;
	}
	r = measure(f, c, t, "");
	for (int i = 0; i < TARGETS; i++) {
		json_t *row = row_of(r, t[i].id), *ev = event_of(row, exact_event());
		int want = i % 2 ? STEP : 0;

		assert_string_equal(str(row, "method"), "fentry");
		if (num(row, "measured") < CONTEXT_RUNS || num(row, "runs") != num(row, "measured"))
			fail_test("%s%s was measured %lld times: %s", c->name, target_suffixes[i],
				  (long long)num(row, "measured"), r->out);
		min[i] = num(ev, "per_run.min");
		p50[i] = real(ev, "per_run.p50");
		p90[i] = real(ev, "per_run.p90");
		exact = exact && llabs(min[i] - want) <= uncertainty(ev) &&
			near(ev, "per_run.p50", want) && near(ev, "per_run.p90", want) &&
			(!uncertainty(ev) || may_be_uncertain(c));
		if (uncertainty(ev))
			assert_contains(r->out, "interrupts enabled and disabled");
	}
	for (int i = 0; i < TARGETS; i += 2)
		printf("# %s %s: empty %lld +100 %lld (p50 %g %g, p90 %g %g)\n", c->name,
		       i ? "void" : "typed", (long long)min[i], (long long)min[i + 1], p50[i],
		       p50[i + 1], p90[i], p90[i + 1]);
	if (!exact)
		fail_test("%s is not exact", c->name);
}

/*
 * Each combination of events and options uses a different probe, which has its own code for each
 * context.
 */
static void test_options(void **state)
{
	static const char *const options[] = {"--no-hist", "-e page-faults,time", "--sample 4"};
	struct fixture *f = *state;
	const struct context *c = f->param;
	struct target t[TARGETS];
	bool exact = true;

	load_targets(f, c, target_suffixes, t, TARGETS);
	for (size_t o = 0; o < sizeof(options) / sizeof(options[0]); o++) {
		struct run *r = measure(f, c, t, options[o]);
		json_int_t min[TARGETS];

		for (int i = 0; i < TARGETS; i++) {
			min[i] = num(event_of(row_of(r, t[i].id), exact_event()), "per_run.min");
			exact = exact && min[i] == (i % 2 ? STEP : 0);
		}
		printf("# %s, %s: typed %lld, %lld, void %lld, %lld\n", c->name, options[o],
		       (long long)min[0], (long long)min[1], (long long)min[2], (long long)min[3]);
	}
	if (!exact)
		fail_test("%s is not exact", c->name);
}

static double slope_of(struct fixture *f, struct target t)
{
	return atof(command(f, "drive slope %u", t.id)->out);
}

/* Returns the cost of a call, measured without bprof. It is the same in each context. */
static double measure_call(struct fixture *f)
{
	static double call;
	struct target one, more;

	if (!call) {
		one = load_target(f, "helpers", "xdp_random_1");
		more = load_target(f, "helpers", "xdp_random_11");
		call = (slope_of(f, more) - slope_of(f, one)) / 10;
	}
	return call;
}

static struct run *measure_calls(struct fixture *f, const struct context *c, struct target t,
				 const char *options)
{
	/* For struct_ops, drive takes an id for each congestion control, and the program is in the fifth one. */
	int cnt = strcmp(c->name, "struct_ops") ? 1 : TARGETS + 1, len = 0;
	char ids[16 * (TARGETS + 1)];
	struct run *r;

	for (int i = 0; i < cnt; i++)
		len += snprintf(ids + len, sizeof(ids) - len, " %u", t.id);
	r = bprof(f, "-j -b %u -e %s %s -- drive context %s %d%s", t.id, exact_event(), options,
		  c->name, CONTEXT_RUNS, ids);

	check_driven(r, json_array_get(json_object_get(r->json, "programs"), 0), c->name);
	return r;
}

/*
 * A kernel function is called three times in a run. The program costs the same with and without the
 * function's probe, and a call costs the same as in other contexts.
 */
static void test_calls(void **state)
{
	static const char *const suffix[] = {"_calls"};
	struct fixture *f = *state;
	const struct context *c = f->param;
	json_t *rows, *called, *ev;
	json_int_t alone, whole, each;
	double call, error;
	struct target t;
	struct run *r;

	if (arch_is("aarch64") && kernel_is("6.1"))
		skip_test("called", "no trampoline on functions of the kernel");
	call = measure_call(f);
	load_targets(f, c, suffix, &t, 1);
	r = measure_calls(f, c, t, "");
	alone = num(event_of(row_of(r, t.id), exact_event()), "per_run.min");
	r = measure_calls(f, c, t, "--calls '*rnd*'");
	rows = json_object_get(r->json, "programs");
	assert_int_equal(json_array_size(rows), 2);
	called = json_array_get(rows, 1);
	assert_string_equal(str(called, "func"), "bpf_user_rnd_u32");
	assert_int_equal(num(called, "measured"), 3 * num(json_array_get(rows, 0), "measured"));
	ev = event_of(json_array_get(rows, 0), exact_event());
	error = uncertainty(ev);
	whole = num(ev, "per_run.min");
	each = num(event_of(called, exact_event()), "per_run.min");
	printf("# %s calls: alone %lld, with probes %lld, a call %lld (%g without bprof)\n",
	       c->name, (long long)alone, (long long)whole, (long long)each, call);
	if (llabs(whole - alone) > error || fabs(each - call) > 0.5 + error)
		fail_test("%s: calls are not exact: %s", c->name, r->out);
}

/* In the PMU's own interrupt nothing can be measured, see test_context(). */
static bool has_calls(const struct context *c)
{
	return strcmp(c->name, "perf_event_pmu");
}

static int make_tests(struct ktest *tests)
{
	/*
	 * These hooks run programs in all kinds of context: soft interrupt, process, hard
	 * interrupt, preemptible code.
	 */
	static const char *const some[] = {"xdp_native", "tc_egress",  "kprobe",
					   "raw_tp",	 "raw_tp_irq", "lsm_sleepable"};
	static char names[sizeof(some) / sizeof(some[0])][48], calls[MAX_KTESTS][48];
	int cnt = 0;

	for (int i = 0; i < context_cnt; i++)
		tests[cnt++] =
			(struct ktest)KTEST_PARAM(contexts[i].name, test_context, &contexts[i]);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		snprintf(names[i], sizeof(names[i]), "options_%s", some[i]);
		tests[cnt++] = (struct ktest)KTEST_PARAM(names[i], test_options,
							 context__find(some[i]), LONG);
	}
	for (int i = 0; i < context_cnt; i++) {
		if (!has_calls(&contexts[i]))
			continue;
		snprintf(calls[i], sizeof(calls[i]), "calls_%s", contexts[i].name);
		tests[cnt++] = (struct ktest)KTEST_PARAM(calls[i], test_calls, &contexts[i], LONG);
	}
	return cnt;
}

KTEST_GROUP_OF(contexts, "exact counts on every hook", setup_contexts,
	       ON(EXACT, EXACT_PREEMPT, ALSO_X86), make_tests);
