// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests series and the check of the newest commit: what belongs to one series, each verdict, and a
 * history of 500 commits that is checked after each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "btf/reason.h"
#include "history/history_check.h"
#include "history/history_show.h"
#include "render/render.h"
#include "tests/unit/history/made_history.h"
#include "tests/unit/history/made_series.h"

struct check_scene {
	struct history h;
	struct history_all all;
	struct comparison *c;
	struct compare_limits limits;
	struct compare_matches matches;
	struct history_opts o;
	struct reason reason;
};

static void make_all(struct check_scene *s)
{
	history_all__free(&s->all);
	history__sort(&s->h);
	s->o.limits = &s->limits;
	s->o.matches = &s->matches;
	history_all__make(&s->all, &s->h, &s->o);
}

static int try_check(struct check_scene *s)
{
	make_all(s);
	comparison__free(s->c);
	return history__check(&s->all, &s->c, &s->reason);
}

/* Checks the history, which has one series, and its verdict. Returns the row. */
static const struct compare_row *check(struct check_scene *s, enum verdict want)
{
	assert_int_equal(try_check(s), 0);
	assert_int_equal(s->c->row_cnt, 1);
	if (s->c->verdict != want)
		fail_msg("%s, not %s: %s", verdict_specs[s->c->verdict].name,
			 verdict_specs[want].name, s->c->row[0].why);
	return &s->c->row[0];
}

static void close_check(struct check_scene *s)
{
	comparison__free(s->c);
	history_all__free(&s->all);
	history__free(&s->h);
	compare_limits__free(&s->limits);
	compare_matches__free(&s->matches);
	*s = (struct check_scene){};
}

/* ---- verdicts ---- */

static void test_exact(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};

	add_count(&s.h, 1, 499);
	row = check(&s, VERDICT_NEW);
	assert_true(isnan(row->base_value) && row->new_value == 499);
	add_count(&s.h, 2, 499);
	check(&s, VERDICT_SAME);
	add_count(&s.h, 3, 500);
	row = check(&s, VERDICT_WORSE);
	assert_string_equal(row->commit, "c3");
	assert_string_equal(row->environment, "6.12.57 aarch64");
	assert_true(row->base_value == 499 && row->change.estimate == 1);
	assert_string_equal(row->limit->spec, "*:min>0");
	/* a step that an earlier check has reported is not reported again */
	add_count(&s.h, 4, 500);
	check(&s, VERDICT_SAME);
	add_count(&s.h, 5, 490);
	check(&s, VERDICT_BETTER);
	close_check(&s);
}

/* A step that is clear at once, and the commits that follow. */
static void test_noisy(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};

	srand48(1);
	add_cycles(&s.h, 1, 1000);
	check(&s, VERDICT_NEW);
	add_cycles(&s.h, 2, 1001);
	row = check(&s, VERDICT_INCONCLUSIVE);
	assert_string_equal(row->why, basis_specs[BASIS_COMMITS].few);
	for (int i = 3; i <= 20; i++)
		add_cycles(&s.h, i, 1000 + 3 * random_normal());
	row = check(&s, VERDICT_SAME);
	assert_int_equal(row->base_blocks, 19);
	assert_int_equal(row->new_blocks, 1);
	add_cycles(&s.h, 21, 1050);
	row = check(&s, VERDICT_WORSE);
	assert_string_equal(row->commit, "c21");
	assert_true(row->p < 0.001 && row->share.low > 0.02);
	for (int i = 22; i <= 40; i++) {
		add_cycles(&s.h, i, 1050 + 3 * random_normal());
		assert_int_equal(try_check(&s), 0);
		assert_true(s.c->verdict != VERDICT_BETTER);
	}
	row = check(&s, VERDICT_SAME);
	assert_int_equal(row->base_blocks, 19);
	add_cycles(&s.h, 41, 900);
	check(&s, VERDICT_BETTER);
	close_check(&s);
}

/* A step that drowns in noise at first fails the check once, with the commit where it was. */
static void test_revealed(void **state)
{
	struct check_scene s = {};
	int worse = 0, at = 0;

	srand48(3);
	for (int i = 1; i <= 60; i++) {
		add_cycles(&s.h, i, (i > 40 ? 1040 : 1000) * (1 + 0.02 * random_normal()));
		assert_int_equal(try_check(&s), 0);
		if (i < 10 || s.c->verdict != VERDICT_WORSE)
			continue;
		worse++;
		at = i;
		assert_string_equal(s.c->row[0].commit, "c41");
		assert_true(s.c->row[0].new_blocks > 1);
	}
	assert_int_equal(worse, 1);
	assert_in_range(at, 43, 60);
	close_check(&s);
}

static void test_noise_without_end(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};

	for (int i = 1; i <= 20; i++)
		add_cycles(&s.h, i, i % 2 ? 1000 : 1200);
	row = check(&s, VERDICT_INCONCLUSIVE);
	assert_string_equal(row->why, basis_specs[BASIS_COMMITS].noisy);
	close_check(&s);
}

static void test_limits(void **state)
{
	struct check_scene s = {};

	for (int i = 1; i <= 20; i++)
		add_count(&s.h, i, i < 20 ? 1000 : 1010);
	check(&s, VERDICT_WORSE);
	assert_int_equal(compare_limits__add(&s.limits, "instructions:min>2%", NULL), 0);
	check(&s, VERDICT_SAME);
	assert_int_equal(compare_limits__add(&s.limits, "xdp_*/instructions:min>5", NULL), 0);
	check(&s, VERDICT_WORSE);
	assert_int_equal(compare_limits__add(&s.limits, "instructoins:min>5", NULL), 0);
	assert_int_equal(try_check(&s), -EINVAL);
	assert_string_equal(s.reason.detail,
			    "--fail-on instructoins:min>5: there is no event 'instructoins'; did "
			    "you mean 'instructions'?");
	compare_limits__free(&s.limits);
	assert_int_equal(compare_limits__add(&s.limits, "instructions:min>5ns", NULL), 0);
	assert_int_equal(try_check(&s), -EINVAL);
	assert_string_equal(s.reason.detail,
			    "--fail-on instructions:min>5ns: instructions is not counted in ns");
	close_check(&s);
}

/* The median of an exact event waits for enough commits; its minimum is checked meanwhile. */
static void test_exact_blocks(void **state)
{
	struct check_scene s = {};
	char note[COMPARE_NOTE_SZ];

	for (int i = 1; i <= 3; i++) {
		struct report_event *ev = &add_count(&s.h, i, 499)->prog[0].all.event[0];

		for (int k = 0; k < 6; k++)
			add_block(ev, 100, 499, 499);
		assert_int_equal(try_check(&s), 0);
		assert_int_equal(s.c->verdict, i > 1 ? VERDICT_SAME : VERDICT_NEW);
		assert_int_equal(s.c->row_cnt, i < 3 ? 1 : 2);
		assert_int_equal(s.c->untested, i < 3);
		assert_true(comparison__note(s.c, 0, note, sizeof(note)) == (i < 3));
	}
	assert_int_equal(compare_limits__add(&s.limits, "instructions:p50>1", NULL), 0);
	s.h.cnt = 2;
	check(&s, VERDICT_INCONCLUSIVE);
	s.h.cnt = 3;
	close_check(&s);
}

/* ---- series ---- */

/* Another kernel, CPU or machine begins another series, and is no change of the program. */
static void test_environment(void **state)
{
	struct check_scene s = {};
	struct report *r;

	add_count(&s.h, 1, 499);
	add_count(&s.h, 2, 499);
	r = add_count(&s.h, 3, 510);
	free(r->host.kernel);
	r->host.kernel = strdup("6.12.90");
	check(&s, VERDICT_NEW);
	assert_int_equal(s.all.cnt, 2);
	assert_int_equal(s.all.v[0].changes.cnt + s.all.v[1].changes.cnt, 0);
	assert_string_equal(s.all.env[1]->text,
			    "kernel 6.12.90, architecture aarch64, CPU Cortex-A72, JIT on, events "
			    "instructions, calibration yes (net)");
	r = add_count(&s.h, 4, 600);
	r->host.jit = false;
	check(&s, VERDICT_NEW);
	r = add_count(&s.h, 5, 700);
	s.h.v[s.h.cnt - 1].machine = strdup("other");
	check(&s, VERDICT_NEW);
	/* back on the first kernel, the series goes on */
	add_count(&s.h, 6, 500);
	check(&s, VERDICT_WORSE);
	assert_int_equal(s.all.cnt, 4);
	close_check(&s);
}

/* Two architectures, each with reports of every commit, are two series of their own. */
static void test_two_machines(void **state)
{
	struct check_scene s = {};
	struct report *r;

	for (int i = 1; i <= 3; i++) {
		add_count(&s.h, i, 499);
		r = add_count(&s.h, i, i < 3 ? 600 : 601);
		free(r->host.arch);
		r->host.arch = strdup("x86_64");
	}
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->cnt[VERDICT_SAME], 1);
	assert_int_equal(s.c->cnt[VERDICT_WORSE], 1);
	assert_string_equal(s.c->row[0].environment, "6.12.57 x86_64");
	close_check(&s);
}

static void test_programs(void **state)
{
	struct check_scene s = {};
	struct report *r;

	for (int i = 1; i <= 3; i++) {
		r = add_count(&s.h, i, 499);
		/* the second program with the same name is a series of its own */
		add_exact(&add_prog(r, 43, "xdp_lb", "xdp_lb", 8000)->all, "instructions", 7);
		if (i < 3)
			add_exact(&add_prog(r, 44, "old", "old", 8000)->all, "instructions", 5);
		else
			add_exact(&add_prog(r, 45, "new", "new", 8000)->all, "instructions", 6);
	}
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->row_cnt, 4);
	assert_int_equal(s.c->cnt[VERDICT_SAME], 2);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 1);
	assert_int_equal(s.c->cnt[VERDICT_NEW], 1);
	assert_int_equal(s.c->ambiguous, 2);
	/* a pair as of diff's --match */
	assert_int_equal(compare_matches__add(&s.matches, "old=new", NULL), 0);
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->row_cnt, 3);
	assert_int_equal(s.c->cnt[VERDICT_WORSE], 1);
	compare_matches__free(&s.matches);
	/* a program is reported as gone only after the first report without it */
	r = add_count(&s.h, 4, 499);
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 2);
	add_count(&s.h, 5, 499);
	check(&s, VERDICT_SAME);
	s.o.name = "new";
	make_all(&s);
	assert_int_equal(s.all.cnt, 1);
	assert_int_equal(try_check(&s), -ENODATA);
	s.o.name = NULL;
	s.o.event = "cyc*";
	make_all(&s);
	assert_int_equal(s.all.cnt, 0);
	close_check(&s);
}

/* If a program returns another value, it does something else, so its costs are not compared. */
static void test_retval(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};

	for (int i = 1; i <= 6; i++)
		add_count(&s.h, i, i < 4 ? 499 : 100)->prog[0].retval = i < 4 ? 2 : 1;
	check(&s, VERDICT_SAME);
	assert_true(s.all.v[0].v[3].other_retval);
	assert_int_equal(s.all.v[0].changes.cnt, 0);
	add_count(&s.h, 7, 100)->prog[0].retval = 2;
	row = check(&s, VERDICT_INCONCLUSIVE);
	assert_string_equal(row->why,
			    "returned XDP_PASS, in the base XDP_DROP: its cost is only compared "
			    "with --allow-retval-change");
	s.o.allow_retval_change = true;
	check(&s, VERDICT_SAME);
	assert_int_equal(s.all.v[0].changes.cnt, 1);
	close_check(&s);
}

/* The row "other" of --by is not compared if other values have rows of their own. */
static void test_other_values(void **state)
{
	const struct compare_row *row = NULL;
	struct check_scene s = {};

	for (int i = 1; i <= 7; i++) {
		bool common = i < 4 || i == 7;
		struct report *r = add_count(&s.h, i, common ? 499 : 100);
		struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 8000);

		add_exact(&p->all, "instructions", 10);
		p->retval = common ? 1 : 2;
		r->by_retval = p->by_retval = r->prog[0].by_retval = true;
	}
	assert_int_equal(try_check(&s), 0);
	for (int i = 0; i < s.c->row_cnt; i++)
		if (s.c->row[i].new &&report_prog__is_rest(s.c->row[i].new))
			row = &s.c->row[i];
	assert_non_null(row);
	assert_int_equal(row->verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(row->why, "rows for different values"));
	assert_true(s.all.v[0].v[3].other_retval);
	assert_int_equal(s.all.v[0].changes.cnt, 0);
	close_check(&s);
}

static void add_returning(struct check_scene *s, int commit, double count, int retval,
			  bool doubtful)
{
	struct report_prog *p = add_count(&s->h, commit, count)->prog;

	p->retval = retval;
	p->slowed_runs = doubtful;
}

/* The return value is compared with that of the previous point of the series, even if other reports follow it. */
static void test_retval_of_point(void **state)
{
	struct check_scene s = {};

	/* measured again: the commit returns the same as the commit before */
	add_returning(&s, 1, 100, 2, false);
	add_returning(&s, 2, 50, 1, false);
	check(&s, VERDICT_INCONCLUSIVE);
	add_returning(&s, 2, 100, 2, false);
	assert_true(check(&s, VERDICT_SAME)->change.estimate == 0);
	close_check(&s);
	/* a doubtful report is not a point of the series */
	add_returning(&s, 1, 100, 2, false);
	add_returning(&s, 2, 50, 1, true);
	add_returning(&s, 3, 100, 2, false);
	check(&s, VERDICT_SAME);
	close_check(&s);
	add_returning(&s, 1, 100, 2, false);
	add_returning(&s, 2, 50, 1, true);
	add_returning(&s, 3, 50, 1, false);
	assert_true(check(&s, VERDICT_INCONCLUSIVE)->refused);
	close_check(&s);
}

static void test_missing(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};
	struct report *r;

	add_count(&s.h, 1, 499);
	/* no value: not counted, or no run */
	r = add_count(&s.h, 2, 499);
	set_status(&r->prog[0].all.event[0], EVENT_NOT_COUNTED, NULL);
	add_entry(&s.h, 3, make_base());
	add_count(&s.h, 4, 500);
	check(&s, VERDICT_WORSE);
	assert_int_equal(s.all.v[0].cnt, 2);
	/* measured again: the later report counts */
	add_count(&s.h, 4, 499);
	check(&s, VERDICT_SAME);
	assert_int_equal(s.all.v[0].cnt, 2);
	assert_int_equal(s.all.repeated, 1);
	/* a doubtful load: on arm64, its code is shorter than that of other loads */
	add_count(&s.h, 5, 400)->prog[0].short_code = true;
	row = check(&s, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(row->why, "a map's address takes fewer instructions"));
	add_count(&s.h, 6, 499);
	check(&s, VERDICT_SAME);
	assert_int_equal(s.all.v[0].cnt, 3);
	/* runs that the kernel has slowed down */
	add_count(&s.h, 7, 600)->prog[0].slowed_runs = 1;
	row = check(&s, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(row->why, "run statistics were turned on"));
	assert_int_equal(s.all.doubtful[DOUBT_SHORT_CODE], 1);
	assert_int_equal(s.all.doubtful[DOUBT_SLOWED], 1);
	add_count(&s.h, 8, 499);
	check(&s, VERDICT_SAME);
	assert_int_equal(s.all.v[0].cnt, 4);
	/* a load whose constants are random */
	add_count(&s.h, 9, 497)->prog[0].random_code = true;
	row = check(&s, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(row->why, "blinds constants with random numbers"));
	assert_int_equal(s.all.doubtful[DOUBT_BLINDED], 1);
	close_check(&s);
}

/* Adds a report of the program of add_count(), and of a second program. */
static void add_second(struct check_scene *s, int commit, bool doubtful)
{
	struct report *r = add_count(&s->h, commit, 499);
	struct report_prog *p = add_prog(r, 43, "fresh", "fresh", 8000);

	add_exact(&p->all, "instructions", 70);
	p->slowed_runs = doubtful;
}

/* A program whose only values are doubtful was not checked: it does not pass in silence. */
static void test_only_doubtful(void **state)
{
	struct check_scene s = {};

	add_count(&s.h, 1, 499);
	add_second(&s, 2, true);
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->verdict, VERDICT_NEW);
	assert_string_equal(s.c->row[0].new->name, "fresh");
	assert_true(isnan(s.c->row[0].base_value) && s.c->row[0].new_value == 70);
	assert_int_equal(s.all.cnt, 1);
	/* measured again, without a doubt */
	add_second(&s, 2, true);
	add_second(&s, 2, false);
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->verdict, VERDICT_NEW);
	assert_int_equal(s.all.cnt, 2);
	/* a program that is not in the newest report */
	close_check(&s);
	add_second(&s, 1, true);
	add_count(&s.h, 2, 499);
	check(&s, VERDICT_SAME);
	close_check(&s);
	/* no other program */
	add_count(&s.h, 1, 499)->prog[0].slowed_runs = 1;
	check(&s, VERDICT_NEW);
	close_check(&s);
}

/* A report whose calibration failed belongs to the series of net numbers, but is not a point of the series. */
static void test_uncalibrated(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};
	char note[COMPARE_NOTE_SZ];
	struct report *r;

	add_count(&s.h, 1, 499);
	add_count(&s.h, 2, 499);
	/* the calibration fails for two commits */
	for (int i = 3; i <= 4; i++) {
		r = add_count(&s.h, i, 994);
		r->calibrated = false;
		r->prog[0].uncalibrated = true;
		row = check(&s, VERDICT_INCONCLUSIVE);
		assert_non_null(strstr(row->why, "the calibration of a measurement failed"));
		assert_true(row->base_value == 499 && row->new_value == 994);
		assert_int_equal(s.all.doubtful[DOUBT_RAW], i - 2);
	}
	assert_true(history_all__note(&s.all, 0, note, sizeof(note)));
	assert_string_equal(note, "measurements left out, because their calibration failed: 2");
	assert_int_equal(s.all.env_cnt, 1);
	add_count(&s.h, 5, 499);
	check(&s, VERDICT_SAME);
	assert_int_equal(s.all.v[0].cnt, 3);
	/* raw numbers that were wanted are a series of their own */
	for (int i = 6; i <= 7; i++) {
		add_count(&s.h, i, 994)->calibrated = false;
		check(&s, i == 6 ? VERDICT_NEW : VERDICT_SAME);
	}
	assert_int_equal(s.all.env_cnt, 2);
	/* a program that is missing in the report after a doubtful one counts as gone */
	r = add_count(&s.h, 8, 994);
	r->calibrated = false;
	r->prog[0].uncalibrated = true;
	check(&s, VERDICT_INCONCLUSIVE);
	r = make_base();
	add_exact(&add_prog(r, 43, "new", "new", 8000)->all, "instructions", 6);
	add_entry(&s.h, 9, r);
	assert_int_equal(try_check(&s), 0);
	assert_int_equal(s.c->row_cnt, 2);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 1);
	close_check(&s);
}

/* The verifier's figures, such as verified instructions, have series of their own. They are judged only by a limit. */
static void test_verifier_series(void **state)
{
	struct history_opts o = {.verifier = true};
	struct check_scene s = {};

	(void)state;
	for (int i = 1; i <= 3; i++) {
		struct report_prog *p = &add_count(&s.h, i, 499)->prog[0];

		p->size[SIZE_VERIFIED_INSNS] = i < 3 ? 1000 : 1030;
		p->size[SIZE_PEAK_STATES] = 20;
		p->size[SIZE_VERIFICATION] = 5000 + i;
		p->size[SIZE_XLATED] = 480;
	}
	history__sort(&s.h);
	history_all__make(&s.all, &s.h, &o);
	assert_int_equal(s.all.cnt, 4);
	assert_string_equal(s.all.v[1].ev->name, "verified_insns");
	assert_int_equal(s.all.v[1].cnt, 3);
	assert_int_equal(s.all.v[1].changes.cnt, 1);
	assert_int_equal(s.all.v[1].limits, 0);
	assert_string_equal(s.all.v[2].ev->name, "peak_states");
	assert_string_equal(s.all.v[3].ev->name, "verification_ns");
	assert_false(s.all.v[3].exact);
	history_all__free(&s.all);
	o.event = "verified_*";
	history_all__make(&s.all, &s.h, &o);
	assert_int_equal(s.all.cnt, 1);
	history_all__free(&s.all);
	o = (struct history_opts){};
	history_all__make(&s.all, &s.h, &o);
	assert_int_equal(s.all.cnt, 1);
	assert_string_equal(s.all.v[0].ev->name, "instructions");
	history_all__free(&s.all);
	memset(&s.all, 0, sizeof(s.all));
	history__free(&s.h);
}

/* The verifier's figures are exact, and are compared whatever the program returns. */
static void test_sizes(void **state)
{
	const struct compare_row *row;
	struct check_scene s = {};

	for (int i = 1; i <= 3; i++) {
		struct report_prog *p = &add_count(&s.h, i, 499)->prog[0];

		p->size[SIZE_VERIFIED_INSNS] = i < 3 ? 1000 : 1030;
		p->retval = i;
		p->short_code = true;
	}
	assert_int_equal(compare_limits__add(&s.limits, "verified_insns>5%", NULL), 0);
	row = check(&s, VERDICT_SAME);
	assert_string_equal(row->event, "verified_insns");
	assert_string_equal(compare_stats[row->stat].name, "size");
	assert_true(row->exact && row->change.estimate == 30);
	assert_int_equal(s.all.v[0].changes.cnt, 1);
	assert_int_equal(compare_limits__add(&s.limits, "verified_insns>20", NULL), 0);
	check(&s, VERDICT_WORSE);
	close_check(&s);
	/* without events, only sizes are compared */
	for (int i = 1; i <= 2; i++) {
		struct report *r = make_base();

		add_prog(r, 42, "xdp_lb", "xdp_lb", 0)->size[SIZE_VERIFIED_INSNS] = 10 + i;
		add_entry(&s.h, i, r);
	}
	check(&s, VERDICT_WORSE);
	close_check(&s);
}

/* A program that runs with several input cases has one series of each size, whatever their order. */
static void test_sizes_of_cases(void **state)
{
	static const char *const cases[][3] = {
		{"syn", "ack", "fin"}, {"ack", "syn", "fin"}, {"new", "fin", "syn"}};
	struct check_scene s = {};

	for (int i = 0; i < 3; i++) {
		struct report *r = make_base();

		for (int k = 0; k < 3; k++) {
			struct report_prog *p = add_prog(r, 42, "xdp_lb", "xdp_lb", 8000);

			p->input = strdup(cases[i][k]);
			p->size[SIZE_VERIFIED_INSNS] = 1000 + i;
			add_exact(&p->all, "instructions", 499);
		}
		add_entry(&s.h, i + 1, r);
	}
	assert_int_equal(compare_limits__add(&s.limits, "verified_insns>0", NULL), 0);
	check(&s, VERDICT_WORSE);
	assert_int_equal(s.all.cnt, 1);
	assert_int_equal(s.all.v[0].cnt, 3);
	close_check(&s);
}

/* ---- many commits, checked after each ---- */

#ifdef __SANITIZE_ADDRESS__
/* All of them take 40 s with ASan. tests/packages.sh --long runs this test without it. */
#define CHECKED (3 * STEP_EVERY)
#else
#define CHECKED COMMITS
#endif
#define STEPS_CHECKED (CHECKED / STEP_EVERY - 1)

static void test_every_commit(void **state)
{
	int worse = 0, better = 0, other = 0;
	struct history all = {};
	struct check_scene s = {};

	srand48(1);
	for (int i = 0; i < CHECKED; i++) {
		struct report *r = add_count(&all, i, 499 + (i + STEP_EVERY / 2) / STEP_EVERY);
		double block[BLOCKS];

		for (int k = 0; k < BLOCKS; k++)
			block[k] = noisy_cost(i, true);
		add_blocks(&add_prog(r, 43, "noisy", "noisy", 8000)->all, "cycles", block, BLOCKS);
	}
	for (int cnt = 10; cnt <= CHECKED; cnt++) {
		s.h = (struct history){.v = all.v, .cnt = cnt};
		assert_int_equal(try_check(&s), 0);
		for (int i = 0; i < s.c->row_cnt; i++) {
			const struct compare_row *row = &s.c->row[i];
			int step = row->exact ? STEP_EVERY / 2 : 0;

			if (row->verdict != VERDICT_WORSE && row->verdict != VERDICT_BETTER)
				continue;
			/* the newest commit is the one with the step */
			other += strcmp(row->commit, all.v[cnt - 1].commit) ||
				 (cnt - 1) % STEP_EVERY != step;
			worse += row->verdict == VERDICT_WORSE;
			better += row->verdict == VERDICT_BETTER;
		}
	}
	assert_int_equal(other, 0);
	assert_int_equal(worse, STEPS_CHECKED + 1 + (STEPS_CHECKED + 1) / 2);
	assert_int_equal(better, STEPS_CHECKED / 2);
	s.h = all;
	close_check(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),		cmocka_unit_test(test_noisy),
		cmocka_unit_test(test_revealed),	cmocka_unit_test(test_noise_without_end),
		cmocka_unit_test(test_limits),		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_two_machines),	cmocka_unit_test(test_programs),
		cmocka_unit_test(test_exact_blocks),	cmocka_unit_test(test_retval),
		cmocka_unit_test(test_other_values),	cmocka_unit_test(test_retval_of_point),
		cmocka_unit_test(test_missing),		cmocka_unit_test(test_uncalibrated),
		cmocka_unit_test(test_verifier_series), cmocka_unit_test(test_only_doubtful),
		cmocka_unit_test(test_sizes),		cmocka_unit_test(test_sizes_of_cases),
		cmocka_unit_test(test_every_commit),
	};

	return cmocka_run_group_tests_name("history/check", tests, NULL, NULL);
}
