// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests comparisons of reports with a row for each return value (--by retval): runs are compared
 * with those that returned the same value.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

static void add_value(struct report *r, __u32 id, const char *name, double retval, double cost)
{
	struct report_prog *p = add_prog(r, id, name, name, 100);

	r->by_retval = p->by_retval = true;
	p->retval = retval;
	add_exact(&p->all, "instructions", cost);
}

static const struct compare_row *find_row(const struct comparison *c, const char *label)
{
	char buf[COMPARE_LABEL_SZ];

	for (int i = 0; i < c->row_cnt; i++)
		if (!strcmp(compare_row__label(&c->row[i], buf), label))
			return &c->row[i];
	fail_msg("no row %s", label);
	return NULL;
}

static void open_values(struct scene *s)
{
	*s = (struct scene){.base = make_base(), .new = make_base()};
	add_value(s->base, 1, "lb", 1, 10);
	add_value(s->base, 1, "lb", 2, 77);
	add_value(s->base, 1, "lb", 3, 510);
	add_value(s->base, 1, "lb", NAN, 5);
}

static void test_pairs(void **state)
{
	struct scene s;

	open_values(&s);
	add_value(s.new, 2, "lb", 1, 10);
	add_value(s.new, 2, "lb", 3, 511);
	add_value(s.new, 2, "lb", 4, 9);
	add_value(s.new, 2, "lb", NAN, 5);
	compare(&s);
	assert_int_equal(s.c->row_cnt, 5);
	assert_int_equal(s.c->ambiguous, 0);
	assert_int_equal(find_row(s.c, "lb (XDP_DROP)")->verdict, VERDICT_SAME);
	assert_int_equal(find_row(s.c, "lb (XDP_PASS)")->verdict, VERDICT_GONE);
	assert_int_equal(find_row(s.c, "lb (XDP_TX)")->verdict, VERDICT_WORSE);
	assert_int_equal(find_row(s.c, "lb (XDP_REDIRECT)")->verdict, VERDICT_NEW);
	/* "other" includes XDP_REDIRECT in the base, but XDP_PASS in the new report */
	assert_int_equal(find_row(s.c, "lb (other)")->verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(find_row(s.c, "lb (other)")->why, "rows for different values"));
	/* no row is refused, although the first rows of the reports returned different values */
	assert_null(find_row(s.c, "lb (XDP_TX)")->returned.base);
	close_scene(&s);
}

/* If both reports have rows for the same values, "other" is the same in both. */
static void test_same_values(void **state)
{
	struct scene s;

	for (int missing = 0; missing < 4; missing++) {
		const struct compare_row *other;

		open_values(&s);
		for (int value = 3; value > 0; value--)
			if (value != missing)
				add_value(s.new, 2, "lb", value, 10);
		add_value(s.new, 3, "lb_2", 9, 10); /* another program may have other values */
		add_value(s.new, 2, "lb", NAN, 6);
		compare(&s);
		other = find_row(s.c, "lb (other)");
		assert_int_equal(other->verdict, missing ? VERDICT_INCONCLUSIVE : VERDICT_WORSE);
		close_scene(&s);
	}
}

static void test_match(void **state)
{
	struct scene s;

	open_values(&s);
	add_value(s.new, 2, "lb_v2", 3, 500);
	assert_int_equal(compare_matches__add(&s.matches, "lb=lb_v2", NULL), 0);
	compare(&s);
	assert_int_equal(find_row(s.c, "lb -> lb_v2 (XDP_TX)")->verdict, VERDICT_BETTER);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 3);
	close_scene(&s);
}

/* A report with one row per program cannot be compared with one with a row per value. */
static void test_undivided(void **state)
{
	struct scene s;

	open_values(&s);
	add_exact(&add_prog(s.new, 2, "lb", "lb", 100)->all, "instructions", 10);
	assert_int_equal(try_compare(&s), -ENODATA);
	assert_non_null(strstr(s.err.detail, "the base report has a row for each return value "
					     "(--by retval), the new report has not"));
	close_scene(&s);
}

/*
 * Runs with any other value of one key are not those with any other value of another key, although
 * both rows are called "other".
 */
static void test_other_keys(void **state)
{
	struct scene s = {.base = make_base(), .new = make_base()};

	for (int i = 0; i < 2; i++) {
		struct report *r = i ? s.new : s.base;

		add_exact(&add_key(r, i ? "nginx" : "eth0", 2, 100, 10)->all, "instructions", 10);
		add_exact(&add_key(r, NULL, NAN, 100, 10)->all, "instructions", 10);
		r->by = i ? BY_COMM : BY_IFINDEX;
		r->by_retval = true;
	}
	assert_int_equal(try_compare(&s), -ENODATA);
	assert_non_null(strstr(s.err.detail, "the base report was measured with --by ifindex, the "
					     "new one with --by comm"));
	close_scene(&s);
}

/* A return value that only one report has says nothing about the program's size. */
static void test_sizes(void **state)
{
	struct scene s = {.base = make_base(), .new = make_base()};

	add_value(s.base, 1, "lb", 2, 77);
	add_value(s.base, 1, "lb", 1, 10);
	add_value(s.new, 2, "lb", 1, 10);
	add_value(s.new, 2, "lb", 3, 99);
	for (int i = 0; i < 2; i++)
		s.base->prog[i].size[SIZE_JITED] = s.new->prog[i].size[SIZE_JITED] = 100;
	compare(&s);
	assert_int_equal(s.c->cnt[VERDICT_GONE], 1);
	assert_int_equal(s.c->cnt[VERDICT_NEW], 1);
	assert_int_equal(s.c->size_cnt, 1);
	assert_ptr_equal(s.c->size[0].base, &s.base->prog[1]);
	assert_ptr_equal(s.c->size[0].new, &s.new->prog[0]);
	close_scene(&s);
}

/* ---- which row has a program's return value ---- */

static struct report_prog *add_returning(struct report *r, __u32 id, const char *name,
					 const char *input, double retval)
{
	struct report_prog *p = add_prog(r, id, name, name, 100);

	p->input = strdup(input);
	p->retval = retval;
	add_exact(&p->all, "instructions", 10);
	return p;
}

static void add_functions(struct report *r, double fw, double v6)
{
	add_returning(r, 8, "nat", "v6", 1);
	add_returning(r, 8, "fw", "v6", fw);
	add_returning(r, 7, "lb", "v4", 1);
	add_returning(r, 7, "lb", "v6", NAN)->subprog = true;
	add_returning(r, 7, "lb", "v6", v6);
	add_returning(r, 7, "lb", "v6", NAN)->subprog = true;
	r->prog[3].func[0] = r->prog[5].func[0] = 'f';
	r->prog[5].func[1] = 'g';
	add_returning(r, 9, "lone", "v6", NAN)->subprog = true;
}

/* A function has the return value of its own program with the same input. */
static void test_functions(void **state)
{
	struct scene s = {.base = make_base(), .new = make_base()};
	int refused = 0;

	add_functions(s.base, 2, 2);
	add_functions(s.new, 3, 1);
	compare(&s);
	for (int i = 0; i < s.c->row_cnt; i++) {
		const struct compare_row *row = &s.c->row[i];
		const struct report_prog *p = row->base;

		refused += row->refused;
		assert_int_equal(row->refused,
				 p->id == 7 ? !strcmp(p->input, "v6") : !strcmp(p->name, "fw"));
		if (row->refused) {
			assert_ptr_equal(row->returned.base, &s.base->prog[p->id == 7 ? 4 : 1]);
			assert_ptr_equal(row->returned.new, &s.new->prog[p->id == 7 ? 4 : 1]);
		}
	}
	assert_int_equal(refused, 4);
	close_scene(&s);
}

/*
 * If one report has a row for each return value of a program, the program's functions have no
 * return value to compare.
 */
static void test_divided_program(void **state)
{
	for (int side = 0; side < 2; side++) {
		struct scene s = {.base = make_base(), .new = make_base()};

		for (int i = 0; i < 2; i++) {
			struct report *r = i ? s.new : s.base;

			add_returning(r, 7, "lb", "v4", 1 + i)->by_retval = i == side;
			add_returning(r, 7, "lb", "v4", NAN)->subprog = true;
			r->prog[1].func[0] = 'f';
		}
		compare(&s);
		assert_int_equal(s.c->row_cnt, 3);
		assert_int_equal(find_row(s.c, "lb:fb")->verdict, VERDICT_SAME);
		assert_false(find_row(s.c, "lb:fb")->refused);
		close_scene(&s);
	}
}

/* ---- input cases whose packets get different return values ---- */

static void set_packets(struct report_prog *p, const char *retvals)
{
	p->retval_varies = *retvals == '*';
	retvals += p->retval_varies;
	if (!*retvals)
		return;
	p->retvals_cnt = strlen(retvals);
	p->retvals = calloc(p->retvals_cnt, sizeof(*p->retvals));
	assert_non_null(p->retvals);
	for (int i = 0; i < p->retvals_cnt; i++)
		p->retvals[i] = retvals[i] - '0';
}

/* A comparison that was saved has the same return values when it is written again. */
static void check_saved(const struct comparison *c)
{
	const struct compare_render_opts o = {.base_name = "a", .new_name = "b", .version = "1"};
	const struct report_source src = {.kind = "comparison", .line = 1};
	struct report_error err = {.line = 1};
	char *first = render_comparison(c, comparison__render_json, &o), *again;
	json_t *doc = json_loads(first, 0, NULL);
	struct compare_saved saved;

	assert_non_null(doc);
	if (compare_saved__parse(&src, doc, &saved, &err))
		fail_msg("%s", err.text);
	again = render_comparison(saved.c, comparison__render_json, &o);
	assert_string_equal(again, first);
	compare_saved__free(&saved);
	json_decref(doc);
	free(first);
	free(again);
}

/*
 * Compares the return values of each packet. NULL: all packets got XDP_PASS; "*": they got several
 * values. bprof does not write a report with "*" and values of packets.
 */
static void test_packets(void **state)
{
	static const struct {
		const char *base, *new, *why;
	} cases[] = {
		{"123", "123", ""},
		{"123", "323", "returned XDP_TX to packet 1, in the base XDP_DROP: its"},
		{"123", "122", "returned XDP_PASS to packet 3, in the base XDP_TX"},
		{"123", "12", "returned values that depend on the packet, in the base values that"},
		{"22", NULL, "returned XDP_PASS, in the base values that depend on the packet"},
		{NULL, "22", "returned values that depend on the packet, in the base XDP_PASS"},
		{"12", "123", "returned values that depend on the packet, in the base values that"},
		{"*", "*", ""},
		{"*", NULL, "returned XDP_PASS, in the base various values"},
		{NULL, "*", "returned various values, in the base XDP_PASS"},
		{"*12", "12", "returned values that depend on the packet, in the base various"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct compare_row *row;
		struct scene s;

		open_scene(&s, "lb", "lb");
		add_exact(s.base_row, "instructions", 10);
		add_exact(s.new_row, "instructions", 10);
		s.base->prog[0].retval = s.new->prog[0].retval = 2;
		if (cases[i].base)
			set_packets(&s.base->prog[0], cases[i].base);
		if (cases[i].new)
			set_packets(&s.new->prog[0], cases[i].new);
		row = compare(&s);
		assert_int_equal(row->refused, !!*cases[i].why);
		if (strncmp(row->why, cases[i].why, strlen(cases[i].why)))
			fail_msg("%s", row->why);
		check_saved(s.c);
		close_scene(&s);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),	   cmocka_unit_test(test_same_values),
		cmocka_unit_test(test_match),	   cmocka_unit_test(test_undivided),
		cmocka_unit_test(test_sizes),	   cmocka_unit_test(test_functions),
		cmocka_unit_test(test_packets),	   cmocka_unit_test(test_divided_program),
		cmocka_unit_test(test_other_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
