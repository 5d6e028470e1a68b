// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof doctor --self-test. In a VM with -icount, its numbers are exact in every context. On other
 * machines, it reports what it can find out.
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

/*
 * Returns false if the context cannot be measured on this kernel. In that case, checks that the
 * report says so.
 */
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
		/* nobody else makes test runs, which also run the programs of raw_tp */
		assert_int_equal(num(context, "runs"), num(context, "driven"));
		assert_numbers(context, "empty", 0);
		assert_numbers(context, "plus_100", 100);
		assert_numbers(context, "plus_1000", 1000);
	}
}

/*
 * Another bprof measures all programs, including programs that are loaded later. But it leaves out
 * the programs of the self-test, because their numbers would contain its probes.
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

/*
 * In a VM with -icount, each instruction takes 1 ns, so the clock and the counter show the same cost.
 */
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

/* The tables are at most 80 columns wide. The text to quote is one line, and the last line. */
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

/* Returns the cost of an operation on such a map. map_type NULL: takes the operation's first row, whatever its map. */
static double helper_cost(json_t *list, const char *operation, const char *map_type, int key_sz,
			  int entries, const char *keys)
{
	json_t *row;

	for (size_t i = 0; (row = json_array_get(list, i)); i++)
		if (!strcmp(str(row, "operation"), operation) &&
		    (!map_type ||
		     (!strcmp(str(row, "map_type"), map_type) && num(row, "key_size") == key_sz &&
		      num(row, "entries") == entries && !strcmp(str(row, "keys"), keys))))
			return real(json_object_get(row, "cost"), exact_event());
	fail_test("no row of %s", operation);
	return 0;
}

/* Returns the cost of a call of a kernel function by a program, as its probe measures it. */
static double call_cost(const struct run *r, const char *func)
{
	json_t *progs = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(progs, i)); i++)
		if (!strcmp(str(row, "func"), func))
			return num(event_of(row, exact_event()), "per_run.min");
	fail_test("no row of %s: %s", func, r->out);
	return 0;
}

/*
 * The cost of a helper is the cost that the probes of --calls measure, plus the few instructions
 * that add up the results. Operations on maps cost more if they have more to do.
 */
static void test_helpers(void **state)
{
	static const struct {
		const char *operation, *func;
	} calls[] = {{"ktime_get_ns", "bpf_ktime_get_ns"}, {"get_prandom_u32", "bpf_user_rnd_u32"}};
	struct fixture *f = *state;
	struct target t = load_target(f, "helpers", "xdp_helpers");
	struct run *r = bprof(f, "doctor --helpers -j -e %s", exact_event());
	json_t *list = json_object_get(r->json, "helpers"), *row;

	assert_status(r, 0);
	assert_true(json_array_size(list) > 30);
	for (size_t i = 0; (row = json_array_get(list, i)); i++) {
		if (json_object_get(row, "why"))
			fail_test("%s: %s", str(row, "operation"), str(row, "why"));
		assert_true(real(json_object_get(row, "cost"), exact_event()) > 0);
	}
	assert_true(helper_cost(list, "lookup", "array", 4, 256, "hit") <
		    helper_cost(list, "lookup", "hash", 4, 256, "miss"));
	assert_true(helper_cost(list, "lookup", "hash", 4, 256, "miss") <
		    helper_cost(list, "lookup", "hash", 4, 256, "hit"));
	assert_true(helper_cost(list, "lookup", "hash", 4, 256, "hit") <
		    helper_cost(list, "lookup", "hash", 16, 256, "hit"));
	assert_true(helper_cost(list, "lookup", "hash", 16, 256, "hit") <
		    helper_cost(list, "lookup", "hash", 64, 256, "hit"));
	assert_true(helper_cost(list, "lookup", "lpm_trie", 8, 16, "hit") <
		    helper_cost(list, "lookup", "lpm_trie", 8, 256, "hit"));
	r = bprof(f, "doctor --helpers -e %s", exact_event());
	assert_contains(r->out, "what one operation adds to a program");
	assert_contains(r->out, "new, evicts");
	/* Without privileges, each row has the reason. */
	r = command(f, "drive nobody none bprof doctor --helpers -e time");
	assert_status(r, 7);
	assert_contains(r->err, "not measured: ");
	if (arch_is("aarch64") && kernel_is("6.1"))
		return; /* kernel functions cannot be probed on this kernel */
	r = bprof(f, "-j -b %u --calls '*' -e %s -- drive testrun %u:100", t.id, exact_event(),
		  t.id);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		double more = helper_cost(list, calls[i].operation, NULL, 0, 0, NULL) -
			      call_cost(r, calls[i].func);

		printf("# %s: %.2f more than its call\n", calls[i].operation, more);
		assert_true(more >= 0 && more <= 4);
	}
}

KTEST_GROUP(self_test, "bprof doctor --self-test and --helpers", NULL, ON(EXACT), KTEST(test_exact),
	    KTEST(test_beside_another), KTEST(test_cost), KTEST(test_text),
	    KTEST(test_helpers, FROM(6.1)));
