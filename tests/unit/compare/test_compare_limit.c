// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --fail-on and --match: which arguments are accepted, where the caret below a refused one
 * points, and which programs and events they select.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/util.h"
#include "compare/compare.h"
#include "tests/unit/compare_models.h"

/* ---- limits (--fail-on) ---- */

static const struct {
	const char *spec, *prog, *event;
	enum stat_id stat;
	double value;
	bool relative;
	const char *unit, *bound;
} good[] = {
	{"instructions:p50>2%", NULL, "instructions", STAT_P50, 0.02, true, NULL, ">2%"},
	{"cycles:mean>0", NULL, "cycles", STAT_MEAN, 0, false, NULL, ">0"},
	{"cycles:k:max>1500", NULL, "cycles:k", STAT_MAX, 1500, false, NULL, ">1500"},
	{"time:p99>10us", NULL, "time", STAT_P99, 1e4, false, "ns", ">10us"},
	{"time:p99.9>0.5ms", NULL, "time", STAT_P999, 5e5, false, "ns", ">0.5ms"},
	{"time:p95>2%", NULL, "time", STAT_P95, 0.02, true, NULL, ">2%"},
	/* tables show the statistic under this name */
	{"time:P99.9>1ns", NULL, "time", STAT_P999, 1, false, "ns", ">1ns"},
	{"time:min>1s", NULL, "time", STAT_MIN, 1e9, false, "ns", ">1s"},
	{"time:self>5ns", NULL, "time", STAT_SELF, 5, false, "ns", ">5ns"},
	{"xdp_*/time:p90>12.5%", "xdp_*", "time", STAT_P90, 0.125, true, NULL, ">12.5%"},
	{"lb:parse_*/*:p50>1%", "lb:parse_*", "*", STAT_P50, 0.01, true, NULL, ">1%"},
	{"cpu/event=0x3c,umask=1/k:p50>1%", NULL, "cpu/event=0x3c,umask=1/k", STAT_P50, 0.01, true,
	 NULL, ">1%"},
	{"lb/cpu/config>1/:p50>1%", "lb", "cpu/config>1/", STAT_P50, 0.01, true, NULL, ">1%"},
	{"verified_insns>5%", NULL, "verified_insns", 0, 0.05, true, NULL, ">5%"},
	{"lb_*/stack_bytes > 8", "lb_*", "stack_bytes", 0, 8, false, NULL, "> 8"},
	{"verification_ns>1ms", NULL, "verification_ns", 0, 1e6, false, "ns", ">1ms"},
	{" lb / cycles : p50 > 1 % ", "lb", "cycles", STAT_P50, 0.01, true, NULL, "> 1 % "},
};

static void test_good(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct compare_limits limits = {};
		struct parse_error err = {};
		const struct compare_limit *l;

		if (compare_limits__add(&limits, good[i].spec, &err))
			fail_msg("%s: %s", good[i].spec, err.text);
		assert_int_equal(limits.cnt, 1);
		l = &limits.v[0];
		assert_string_equal(l->spec, good[i].spec);
		assert_string_equal(l->prog ?: "-", good[i].prog ?: "-");
		assert_string_equal(l->event, good[i].event);
		assert_int_equal(l->stat, good[i].stat);
		assert_true(fabs(l->value - good[i].value) <= 1e-12 * good[i].value);
		assert_int_equal(l->relative, good[i].relative);
		assert_string_equal(l->unit ?: "-", good[i].unit ?: "-");
		assert_string_equal(l->bound, good[i].bound);
		assert_false(l->exact || l->typical);
		compare_limits__free(&limits);
		assert_int_equal(limits.cnt, 0);
	}
}

#define SYNTAX                                                                        \
	"expected [PROGRAM/]EVENT:STATISTIC>CHANGE, such as instructions:p50>2%, or " \
	"[PROGRAM/]SIZE>CHANGE, such as verified_insns>5%"
#define NO_NUMBER "not a number; write it as 2%, 10us or 150"
#define NO_UNIT "unknown unit; use %, ns, us, ms or s, or none for the event's own unit"
#define NO_STAT \
	"unknown statistic; there are mean, stddev, min, p50, p90, p95, p99, p99.9, max and self"

static const struct {
	const char *spec;
	size_t pos, len;
	const char *text;
} bad[] = {
	{"", 0, 1, "no '>': " SYNTAX},
	{"cycles:p50", 10, 1, "no '>': " SYNTAX},
	{"cycles:p50<2%", 13, 1, "no '>': " SYNTAX},
	{">2%", 0, 1, "no event: " SYNTAX},
	{"  >2%", 2, 1, "no event: " SYNTAX},
	{":p50>2%", 0, 1, "no event: " SYNTAX},
	{"lb/:p50>2%", 3, 1, "no event: " SYNTAX},
	{"/cycles:p50>2%", 0, 1, "no program before '/': " SYNTAX},
	{"cycles>2%", 0, 6, "no statistic: " SYNTAX},
	{"cycles:>2%", 7, 1, "no statistic: " SYNTAX},
	{"cycles: >2%", 7, 1, "no statistic: " SYNTAX},
	{"lb/ :p50>2%", 3, 1, "no event: " SYNTAX},
	{"cycles:p51>2%", 7, 3, NO_STAT "; did you mean 'p50'?"},
	{"cycles:bogus>2%", 7, 5, NO_STAT},
	{"cycles:means>2%", 7, 5, NO_STAT "; did you mean 'mean'?"},
	{"cycles:p50>", 11, 1, "no change after '>': " SYNTAX},
	{"cycles:p50> ", 12, 1, "no change after '>': " SYNTAX},
	{"cycles:p50>%", 11, 1, NO_NUMBER},
	{"cycles:p50>-2%", 11, 1, NO_NUMBER},
	{"cycles:p50>1.2.3", 11, 5, NO_NUMBER},
	{"cycles:p50>.", 11, 1, NO_NUMBER},
	{"cycles:p50>0x10", 11, 1, NO_NUMBER},
	{"cycles:p50>1e3", 11, 1, NO_NUMBER},
	{"cycles:p50>inf", 11, 1, NO_NUMBER},
	{"cycles:p50>nan%", 11, 1, NO_NUMBER},
	{"cycles:p50>99999999999999999999", 11, 20, NO_NUMBER},
	{"time:p50>2 min", 11, 3, NO_UNIT},
	{"time:p50>2%%", 10, 2, NO_UNIT},
	{"energy:p50>2Joules", 12, 6, NO_UNIT},
};

static void test_bad(void **state)
{
	struct compare_limits limits = {};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct parse_error err = {};

		assert_int_equal(compare_limits__add(&limits, bad[i].spec, &err), -EINVAL);
		assert_int_equal(limits.cnt, 0);
		if (err.pos != bad[i].pos || err.len != bad[i].len || strcmp(err.text, bad[i].text))
			fail_msg("%s\ngot:  %zu+%zu: %s\nwant: %zu+%zu: %s", bad[i].spec, err.pos,
				 err.len, err.text, bad[i].pos, bad[i].len, bad[i].text);
	}
	compare_limits__free(&limits);
}

static bool selects(const char *spec, const struct report_prog *p, const char *event)
{
	struct compare_limits limits = {};
	bool yes;

	assert_int_equal(compare_limits__add(&limits, spec, NULL), 0);
	yes = compare_limit__selects(&limits.v[0], p, event);
	compare_limits__free(&limits);
	return yes;
}

static void test_selects(void **state)
{
	struct report_prog entry = {.name = "xdp_firewall_in", .func = "xdp_firewall_ingress"};
	struct report_prog sub = {.name = "xdp_lb", .func = "parse", .subprog = true};
	struct report_prog path = {.name = "net/lb", .func = "net/parse", .subprog = true};

	assert_true(selects("cycles:p50>2%", &entry, "cycles"));
	assert_false(selects("cycles:p50>2%", &entry, "cycles:k"));
	assert_true(selects("cycles*:p50>2%", &entry, "cycles:k"));
	assert_true(selects("*:p50>2%", &entry, "cpu/event=1/"));
	assert_true(selects("cpu/event=1/:p50>2%", &entry, "cpu/event=1/"));
	/* a name is compared literally before it is tried as a pattern */
	assert_true(selects("cpu/name=[0]/:p50>2%", &entry, "cpu/name=[0]/"));
	/* the name that the kernel truncated selects the program, and so does the complete name */
	assert_true(selects("xdp_firewall_in/cycles:p50>2%", &entry, "cycles"));
	assert_true(selects("xdp_firewall_ingress/cycles:p50>2%", &entry, "cycles"));
	assert_false(selects("xdp_lb/cycles:p50>2%", &entry, "cycles"));
	/*
	 * a program's name selects all its functions; PROGRAM:FUNCTION selects only this function
	 */
	assert_true(selects("xdp_lb/cycles:p50>2%", &sub, "cycles"));
	assert_true(selects("xdp_lb:parse/cycles:p50>2%", &sub, "cycles"));
	assert_true(selects("*:parse/cycles:p50>2%", &sub, "cycles"));
	assert_false(selects("parse/cycles:p50>2%", &sub, "cycles"));
	assert_false(selects("xdp_lb:rewrite/cycles:p50>2%", &sub, "cycles"));
	/* names are no paths: * also stands for a slash, which other tools may put into a report */
	assert_true(selects("*lb/cycles:p50>2%", &path, "cycles"));
	assert_true(selects("*:*parse/cycles:p50>2%", &path, "cycles"));
}

/* A limit is used if a program that it selects has an event that it selects. */
static void test_search(void **state)
{
	struct report_prog lb = {.name = "lb", .func = "lb"}, fw = {.name = "fw", .func = "fw"};
	struct compare_limits limits = {};
	struct limit_search s;

	assert_int_equal(compare_limits__add(&limits, "lb/cycles:p50>2%", NULL), 0);
	limit_search__init(&s, &limits.v[0]);
	limit_search__look(&s, &fw, "time");
	assert_false(s.found || s.has_prog || s.has_event);
	limit_search__look(&s, &lb, "time");
	assert_true(s.has_prog && !s.has_event);
	limit_search__look(&s, &fw, "cycles");
	assert_true(s.has_event && !s.found);
	limit_search__look(&s, &lb, "cycles");
	assert_true(s.found);
	compare_limits__free(&limits);
}

/* ---- matches (--match) ---- */

static void test_bad_matches(void **state)
{
	static const struct {
		const char *spec;
		size_t pos;
	} specs[] = {{"", 0}, {"old", 3}, {"=new", 0}, {"old=", 3}, {"=", 0}};
	struct compare_matches matches = {};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct parse_error err = {};

		assert_int_equal(compare_matches__add(&matches, specs[i].spec, &err), -EINVAL);
		assert_int_equal(err.pos, specs[i].pos);
		assert_int_equal(err.len, 1);
		assert_string_equal(err.text, "expected OLD=NEW, the names of two programs");
	}
	assert_int_equal(compare_matches__add(&matches, "a=b=c", NULL), 0);
	assert_string_equal(matches.v[0].old, "a");
	assert_string_equal(matches.v[0].new, "b=c");
	compare_matches__free(&matches);
}

struct want_pair {
	int base, new; /* indices into prog[] of the two reports; -1: no partner */
};

static void check_pairs(const struct report *base, const struct report *new, const char *match,
			const struct want_pair *want)
{
	struct compare_matches matches = {};
	struct compare_pairs pairs;
	int cnt = 0;

	if (match)
		assert_int_equal(compare_matches__add(&matches, match, NULL), 0);
	compare_pairs__find(&pairs, base, new, &matches);
	while (want[cnt].base >= 0 || want[cnt].new >= 0)
		cnt++;
	assert_int_equal(pairs.cnt, cnt);
	for (int i = 0; i < cnt; i++) {
		assert_ptr_equal(pairs.v[i].base,
				 want[i].base < 0 ? NULL : &base->prog[want[i].base]);
		assert_ptr_equal(pairs.v[i].new, want[i].new < 0 ? NULL : &new->prog[want[i].new]);
	}
	free(pairs.v);
	compare_matches__free(&matches);
}

#define CHECK_PAIRS(base, new, match, ...) \
	check_pairs(base, new, match, (const struct want_pair[]){__VA_ARGS__, {-1, -1}})

static struct report_prog *add_sub(struct report *r, const char *name, const char *func)
{
	struct report_prog *p = add_prog(r, 1, name, func, 1);

	p->subprog = true;
	return p;
}

static void test_pairs(void **state)
{
	struct report *base = make_base(), *new = make_base();

	/*
	 * the reports list the programs in different orders and with different ids; a pair must
	 * have the same type, function and input case
	 */
	add_prog(base, 1, "a", "a", 1);
	add_prog(base, 2, "b", "b", 1);
	add_sub(base, "a", "parse");
	add_prog(base, 3, "a", "a", 1)->input = strdup("ipv6");
	add_prog(base, 4, "t", "t", 1);
	add_prog(new, 9, "b", "b", 1);
	add_sub(new, "b", "parse");
	add_prog(new, 8, "a", "a", 1)->input = strdup("ipv6");
	add_prog(new, 7, "a", "a", 1);
	add_prog(new, 6, "t", "t", 1)->type[0] = 'y';
	CHECK_PAIRS(base, new, NULL, {0, 3}, {1, 0}, {2, -1}, {3, 2}, {4, -1}, {-1, 1}, {-1, 4});
	/* a single function is given by the name that tables show */
	CHECK_PAIRS(base, new, "a:parse=b:parse", {0, 3}, {1, 0}, {2, 1}, {3, 2}, {4, -1}, {-1, 4});
	/*
	 * A program is matched with its functions, for each input case that both reports have. Each
	 * row is matched only once.
	 */
	CHECK_PAIRS(base, new, "a=b", {0, 0}, {1, -1}, {2, 1}, {3, 2}, {4, -1}, {-1, 3}, {-1, 4});
	/* another function and another type are never matched */
	free(new->prog[1].func);
	new->prog[1].func = strdup("rewrite");
	CHECK_PAIRS(base, new, "a=b", {0, 0}, {1, -1}, {2, -1}, {3, 2}, {4, -1}, {-1, 1}, {-1, 3},
		    {-1, 4});
	CHECK_PAIRS(base, new, "t=t", {0, 3}, {1, 0}, {2, -1}, {3, 2}, {4, -1}, {-1, 1}, {-1, 4});
	report__free(base);
	report__free(new);
}

/* The kernel keeps 15 characters of a program's name. */
static void test_long_names(void **state)
{
	struct report *base = make_base(), *new = make_base();

	add_prog(base, 1, "xdp_firewall_in", "xdp_firewall_ingress", 1);
	add_sub(base, "xdp_firewall_in", "parse");
	add_prog(new, 2, "xdp_firewall_in", "xdp_firewall_in_v2", 1);
	add_sub(new, "xdp_firewall_in", "parse");
	CHECK_PAIRS(base, new, NULL, {0, -1}, {1, 1}, {-1, 0});
	CHECK_PAIRS(base, new, "xdp_firewall_ingress=xdp_firewall_in_v2", {0, 0}, {1, 1});
	strcpy(new->prog[1].name, "xdp_firewall_of");
	CHECK_PAIRS(base, new, "xdp_firewall_ingress=xdp_firewall_offline", {0, -1}, {1, 1},
		    {-1, 0});
	CHECK_PAIRS(base, new, "xdp_firewall_ingress=xdp_firewall_outside", {0, -1}, {1, -1},
		    {-1, 0}, {-1, 1});
	report__free(base);
	report__free(new);
}

/* Of several functions of one name, each is paired by its file; its line may have changed. */
static void test_namesakes(void **state)
{
	struct report *base = make_base(), *new = make_base();
	struct compare_pairs pairs;

	add_sub(base, "a", "f@x.c:5");
	add_sub(base, "a", "f@y.c:5");
	add_sub(base, "a", "g@h.h:9#1");
	add_sub(base, "a", "g@h.h:9#2");
	add_sub(base, "a", "i#1");
	add_sub(new, "a", "f@y.c:7");
	add_sub(new, "a", "f@x.c:9");
	add_sub(new, "a", "g@h.h:8#2");
	add_sub(new, "a", "g@h.h:8#1");
	add_sub(new, "a", "i#2");
	CHECK_PAIRS(base, new, NULL, {0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, -1}, {-1, 4});
	compare_pairs__find(&pairs, base, new, NULL);
	assert_int_equal(pairs.ambiguous, 0);
	free(pairs.v);
	/*
	 * A function at the same line is preferred. A function at another line is a guess if there
	 * are several.
	 */
	add_sub(base, "a", "f@x.c:9");
	CHECK_PAIRS(base, new, NULL, {0, -1}, {1, 0}, {2, 3}, {3, 2}, {4, -1}, {5, 1}, {-1, 4});
	add_sub(new, "a", "f@x.c:4");
	add_sub(new, "a", "f@x.c:3");
	CHECK_PAIRS(base, new, NULL, {0, 5}, {1, 0}, {2, 3}, {3, 2}, {4, -1}, {5, 1}, {-1, 4},
		    {-1, 6});
	compare_pairs__find(&pairs, base, new, NULL);
	assert_int_equal(pairs.ambiguous, 1);
	free(pairs.v);
	report__free(base);
	report__free(new);
}

/* Of programs with the same name, those with the same code are paired, whatever their order. */
static void test_same_code(void **state)
{
	/* the ids and the tags of the programs, and the partner of each program of the base */
	static const struct {
		const char *base, *new, *partner;
	} cases[] = {
		{"1a2b", "3b4a", "10"}, /* loaded again in another order */
		{"1a2b", "3b4c", "10"}, /* one has new code */
		{"1a2b", "3c4d", "01"}, /* both have */
		{"1a2a", "3a4a", "01"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *r[2] = {make_base(), make_base()};
		struct compare_pairs pairs;

		for (int side = 0; side < 2; side++)
			for (const char *c = side ? cases[i].new : cases[i].base; *c; c += 2)
				add_prog(r[side], *c, "handler", "handler", 8000)->tag[0] = c[1];
		compare_pairs__find(&pairs, r[0], r[1], NULL);
		for (int k = 0; k < r[0]->prog_cnt; k++)
			assert_int_equal(cases[i].partner[k],
					 pairs.v[k].new ? '0' + (pairs.v[k].new - r[1]->prog)
							: '-');
		free(pairs.v);
		report__free(r[0]);
		report__free(r[1]);
	}
}

static void test_ambiguous(void **state)
{
	struct report *base = make_base(), *new = make_base();
	struct compare_matches matches = {};
	struct compare_pairs pairs;

	/* systemd loads several programs of the same name */
	add_prog(base, 1, "sd_devices", "sd_devices", 1);
	add_prog(base, 2, "sd_devices", "sd_devices", 1);
	add_prog(new, 1, "sd_devices", "sd_devices", 1);
	add_prog(new, 2, "other", "other", 1);
	add_prog(new, 3, "sd_devices", "sd_devices", 1);
	CHECK_PAIRS(base, new, NULL, {0, 0}, {1, 2}, {-1, 1});
	CHECK_PAIRS(base, new, "sd_devices=other", {0, 1}, {1, 0}, {-1, 2});
	CHECK_PAIRS(base, new, "sd_devices=sd_devices", {0, 0}, {1, 2}, {-1, 1});
	assert_int_equal(compare_matches__add(&matches, "other=sd_devices", NULL), 0);
	assert_int_equal(compare_matches__add(&matches, "sd_devices=other", NULL), 0);
	compare_pairs__find(&pairs, base, new, &matches);
	assert_int_equal(pairs.ambiguous, 2);
	assert_int_equal(pairs.both, 2);
	assert_ptr_equal(pairs.unused, &matches.v[0]);
	free(pairs.v);
	/* if several matches are unused, the first one is reported */
	assert_int_equal(compare_matches__add(&matches, "none=other", NULL), 0);
	compare_pairs__find(&pairs, base, new, &matches);
	assert_ptr_equal(pairs.unused, &matches.v[0]);
	free(pairs.v);
	compare_matches__free(&matches);
	/* each program that shares its name with another counts as ambiguous, also the first one */
	compare_pairs__find(&pairs, base, base, &matches);
	assert_int_equal(pairs.ambiguous, 2);
	free(pairs.v);
	report__free(base);
	report__free(new);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	   cmocka_unit_test(test_bad),
		cmocka_unit_test(test_selects),	   cmocka_unit_test(test_bad_matches),
		cmocka_unit_test(test_search),	   cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_ambiguous),
		cmocka_unit_test(test_same_code),  cmocka_unit_test(test_namesakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
