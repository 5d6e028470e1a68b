// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof doctor --self-test: on the exact machine its numbers are exact in every context, and
 * elsewhere it says what it can tell.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "tests/kernel/harness.h"

#define CONTEXTS 6

static json_t *first_kind(const struct run *r)
{
	return json_array_get(json_object_get(r->json, "cpu_kinds"), 0);
}

static json_t *contexts_of(const struct run *r)
{
	json_t *list = json_object_get(first_kind(r), "contexts");

	assert_int_equal(json_array_size(list), CONTEXTS);
	return list;
}

static void assert_numbers(json_t *context, const char *program, int want)
{
	json_t *stats =
		json_object_get(json_array_get(json_object_get(context, "events"), 0), program);

	if (num(stats, "p50") != want || num(stats, "min") != want)
		fail_test("%s, %s: %s", str(context, "name"), program,
			  json_dumps(context, JSON_COMPACT));
}

/* Returns false if the context cannot be measured on this kernel, which has to be said. */
static bool check_context(json_t *context)
{
	json_t *event = json_array_get(json_object_get(context, "events"), 0);

	if (!strcmp(str(context, "name"), "syscall") && kernel_is("5.10")) {
		assert_non_null(json_object_get(context, "reason"));
		return false;
	}
	assert_string_equal(str(context, "method"), "fentry");
	assert_true(num(context, "driven") > 0);
	assert_true(num(context, "runs") >= num(context, "driven"));
	assert_int_equal(num(context, "lost"), 0);
	assert_string_equal(str(event, "verdict"), arch_is("aarch64") ? "exact" : "not_judged");
	return true;
}

static void test_exact(void **state)
{
	struct run *r = bprof(*state, "doctor --self-test -j -e %s", exact_event());
	json_t *contexts;

	assert_status(r, 0);
	contexts = contexts_of(r);
	for (size_t i = 0; i < CONTEXTS; i++) {
		json_t *context = json_array_get(contexts, i);

		if (!check_context(context))
			continue;
		assert_numbers(context, "empty", 0);
		assert_numbers(context, "plus_100", 100);
		assert_numbers(context, "plus_1000", 1000);
	}
}

/*
 * Another bprof that measures all programs, also those that are loaded later, leaves out those of the
 * self-test, whose numbers would contain its probes.
 */
static void test_beside_another(void **state)
{
	struct fixture *f = *state;
	struct run *r = command(f,
				"bprof --all --follow -e %s -j -o /tmp/followed -- "
				"bprof doctor --self-test -j -e %s",
				exact_event(), exact_event());
	json_t *context, *contexts;
	size_t i;

	assert_status(r, 0);
	contexts = contexts_of(r);
	json_array_foreach(contexts, i, context)
	{
		if (check_context(context))
			assert_numbers(context, "plus_100", 100);
	}
	r = command(f, "cat /tmp/followed");
	assert_contains(r->out, "\"programs\"");
	assert_null(strstr(r->out, "bprof_test"));
}

/* On the exact machine each instruction takes 1 ns: the clock and the counter show the same cost. */
static void test_cost(void **state)
{
	struct run *r = bprof(*state, "doctor --self-test -j -e %s", exact_event());
	json_t *costs = json_object_get(first_kind(r), "probe_cost");
	double ns, counted;

	assert_status(r, 0);
	assert_int_equal(json_array_size(costs), 2);
	ns = real(json_array_get(costs, 0), "added");
	counted = real(json_array_get(costs, 1), "added");
	assert_string_equal(str(json_array_get(costs, 1), "name"), exact_event());
	assert_true(counted > 100);
	assert_true(fabs(ns - counted) < counted / 100);
}

/* The tables fit 80 columns. The line to quote is one line, and the last one. */
static void test_text(void **state)
{
	struct run *r =
		command(*state, "env COLUMNS=80 bprof doctor --self-test -e %s", exact_event());
	char *line, *save = NULL, *last = NULL;
	struct utsname uts;

	assert_status(r, 0);
	for (line = strtok_r(r->out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (last)
			assert_true(strlen(last) <= 80);
		last = line;
	}
	uname(&uts);
	assert_non_null(last);
	assert_int_equal(strncmp(last, "bprof ", 6), 0);
	assert_contains(last, uts.release);
	assert_contains(last, "; probe ");
	if (arch_is("aarch64"))
		assert_contains(last, "instructions exact in 6 of 6 contexts");
}

KTEST_GROUP(self_test, "bprof doctor --self-test", NULL, ON(EXACT), KTEST(test_exact),
	    KTEST(test_beside_another), KTEST(test_cost), KTEST(test_text));
