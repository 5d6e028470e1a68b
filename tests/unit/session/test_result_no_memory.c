// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests reports of a session that is short of memory: there is no report, or a complete one. */

#include "tests/unit/made_session.h"
#include "tests/unit/output_no_memory.h"

static int write_report(const void *model, FILE *out)
{
	const struct fixture *f = model;
	const struct result_span span = {.from = &f->from, .to = &f->to};
	struct report *r = NULL;
	int err = result__report(&f->s, &span, 1, &f->o, &r);

	if (!err)
		err = report__render_json(r, &(struct render_opts){}, out);
	report__free(r);
	return err;
}

/* A distribution with one bucket. */
static void set_hist(struct event_counts *sum, __u64 cnt)
{
	sum->hist.bucket = calloc(1, sizeof(*sum->hist.bucket));
	assert_non_null(sum->hist.bucket);
	sum->hist.bucket[0] = (struct hist_bucket){276, cnt, 672, 672, 672};
	sum->hist.cnt = 1;
}

/* Distributions, rows of CPUs, a program that is left out, and one that was loaded later. */
static void test_report(void **state)
{
	struct fixture *f = *state;
	struct skipped skip[] = {{9, "gone", {.code = REASON_NO_SUCH_PROG}}};

	add_event(f, "cycles", EVENT_OK);
	add_event(f, "missing", EVENT_NOT_SUPPORTED);
	f->s.targets.cnt = 2;
	f->s.targets.skip = skip;
	f->s.targets.skip_cnt = 1;
	f->o.buckets = true;
	for (int i = 0; i < CPU_CNT; i++) {
		set_measured(f, &f->to, 0, i, 10 * i);
		sum_at(f, &f->to, 0, i, 0)->total = 1000 * i;
		set_hist(sum_at(f, &f->to, 0, i, 0), 10 * i);
	}
	check_without_memory(write_report, f);
	for (int i = 0; i < CPU_CNT; i++)
		hist__free(&sum_at(f, &f->to, 0, i, 0)->hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_report, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
