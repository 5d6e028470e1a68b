// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the values of pprof profiles at limits that the golden files do not have.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "render/render.h"
#include "report/report.h"
#include "tests/unit/pprof_text.h"
#include "tests/unit/report_models.h"

/* Returns the profile as text, and frees the report. */
static char *render(struct report *r)
{
	size_t sz;
	char *packed = render_report(r, report__render_pprof, &(struct render_opts){}, &sz);

	report__free(r);
	return pprof_text__make(packed, sz);
}

static void check(struct report *r, const char *want)
{
	char *text = render(r);

	if (!strstr(text, want))
		fail_msg("not '%s':\n%s", want, text);
	free(text);
}

/* Costs are rounded. A row that was not measured has the cost 0. */
static void test_values(void **state)
{
	static const struct {
		__u64 runs, measured;
		double total;
		bool sampled;
		const char *want;
	} cases[] = {
		{10, 10, 1, false, "\nsample 10 1 "},
		{10, 10, 0.75, false, "\nsample 10 1 "},
		{10, 10, 0.25, false, "\nsample 10 0 "},
		{10, 10, -0.5, false, "less than an empty program takes ("},
		{10, 10, 9007199254740993, false, "\nsample 10 9007199254740992 "},
		/* an estimate for all runs */
		{10, 5, 30, false, "\nsample 10 60 "},
		{10, 0, 0, false, "\nsample 10 0 "},
		/* samples are of all runs already */
		{10, 5, 30, true, "\nsample 10 30 "},
		/* samples without known runs */
		{0, 0, 1, true, "\nsample 0 1 "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report *r = make_base();
		struct report_row *row = &add_prog(r, 1, "p", "p", cases[i].runs)->all;
		struct report_event *ev = add_event(row, "cycles", 5);

		ev->measured = cases[i].measured;
		ev->total = cases[i].total;
		if (cases[i].sampled)
			report_event__add_estimate(ev);
		check(r, cases[i].want);
	}
}

/*
 * With --strict, only the runs in the probe's slices of time are counted. Without it, the kernel counts the
 * other runs, but not for each CPU (-A). The profile says so.
 */
static void test_at_least(void **state)
{
	for (int cpus = 0; cpus < 2; cpus++) {
		struct report *r = make_base();
		struct report_prog *p = add_prog(r, 1, "p", "p", 10);

		add_event(&p->all, "cycles", 5);
		p->all.at_least = !cpus;
		p->all.unprobed = cpus;
		if (cpus)
			report_prog__add_cpu(p, 0)->runs = 9;
		check(r, "1 p: its runs and their cost are those of the slices of time with a "
			 "probe: there were more");
	}
}

/* If the callers of a function were not measured, it has no callers. */
static void test_missing_callers(void **state)
{
	struct report *r = make_base();
	struct report_prog *p = add_prog(r, 1, "p", "inner", 10);

	p->depth = 2;
	p->subprog = true;
	check(r, "\n  0x100000001 inner\n  0x100000000 bpf_prog_d4f8542f2b42fac5_p\n");
}

/* The period is not known without samples. That of the kernel's clocks is in ns, like their values. */
static void test_period(void **state)
{
	struct report *r = make_samples(0);

	r->sampling->event[0].sum.taken = 0;
	check(r, "\nperiod 0 cycles/count\n");
	check(make_samples(0), "\nperiod 1000000 cycles/count\n");
	r = make_samples(0);
	free(r->sampling->event[0].event);
	r->sampling->event[0].event = strdup("cpu-clock:k");
	check(r, "\nperiod 1000000 cpu-clock:k/nanoseconds\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_at_least),
		cmocka_unit_test(test_missing_callers),
		cmocka_unit_test(test_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
