// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the commands list and doctor, and options that need no target.
 */
#include <stdio.h>
#include <string.h>

#include "tests/kernel/harness.h"

static void test_list(void **state)
{
	static const char full[] = "xdp_with_a_very_long_function_name";
	struct fixture *f = *state;
	struct run *r;

	load_target(f, "xdp", full);
	load_raw(f);
	assert_non_null(try_attach(f, load_target(f, "trace", "tp_getsid")));
	r = bprof(f, "list");
	assert_status(r, 0);
	assert_contains(r->out, full);
	assert_contains(r->out, "no_btf");
	assert_contains(r->out, "sys_enter_getsid");
	assert_null(strstr(r->out, "bprof_"));
}

/* --active measures which programs run. --sort and --top choose rows of the list. */
static void test_list_order(void **state)
{
	struct fixture *f = *state;
	struct target idle = load_target(f, "xdp", "xdp_with_a_very_long_function_name");
	struct target busy = load_target(f, "xdp", "xdp_pass");
	const char *first, *second;
	struct run *r;

	r = command(f, "sh -c 'drive testrun %u:1000000000 & bprof list --active; kill $!'",
		    busy.id);
	assert_status(r, 0);
	assert_contains(r->out, "xdp_pass");
	assert_contains(r->out, "RUNS/S");
	assert_null(strstr(r->out, "xdp_with_a_very_long"));
	r = bprof(f, "list --type xdp --sort name");
	first = strstr(r->out, "xdp_pass");
	second = strstr(r->out, "xdp_with_a_very_long");
	assert_true(first && second && first < second);
	r = bprof(f, "list --type xdp --sort id --top 1");
	first = idle.id < busy.id ? "xdp_pass" : "xdp_with_a_very_long";
	assert_null(strstr(r->out, first));
	assert_status(bprof(f, "list --sort nothing"), 2);
}

static void assert_width(const char *text, size_t max)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len > max)
			fail_test("wider than %zu columns: %.*s", max, (int)len, text);
		text += len + !!text[len];
	}
}

/* Tables fit the width of COLUMNS. */
static void test_width(void **state)
{
	static const int widths[] = {80, 100, 200};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_with_a_very_long_function_name");

	load_raw(f);
	assert_non_null(try_attach(f, load_target(f, "trace", "tp_getsid")));
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct run *r = command(f, "env LC_ALL=C COLUMNS=%d bprof list", widths[i]);

		assert_status(r, 0);
		assert_width(r->out, widths[i]);
		assert_contains(r->out, "sys_enter_getsid");
		r = command(f,
			    "env LC_ALL=C COLUMNS=%d bprof -b %u -e time -o - -- drive testrun "
			    "%u:100",
			    widths[i], t.id, t.id);
		assert_status(r, 0);
		assert_width(r->out, widths[i]);
		assert_contains(r->out, "CPU%");
	}
}

static json_t *listed(const struct run *r, __u32 id)
{
	json_t *list = json_object_get(r->json, "programs"), *p;

	for (size_t i = 0; (p = json_array_get(list, i)); i++)
		if (num(p, "id") == id)
			return p;
	fail_test("program %u is not listed: %s%s", id, r->out, r->err);
	return NULL;
}

static void test_list_json(void **state)
{
	static const char full[] = "xdp_with_a_very_long_function_name";
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", full);
	struct target raw = load_raw(f);
	struct run *r = command(f, "bprof list -j");

	assert_status(r, 0);
	assert_non_null(r->json);
	assert_string_equal(str(listed(r, t.id), "name"), full);
	assert_string_equal(str(listed(r, t.id), "type"), "xdp");
	assert_string_equal(str(listed(r, raw.id), "name"), "no_btf");
}

static void test_doctor(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct target raw = load_raw(f);
	struct run *r;

	assert_status(bprof(f, "doctor"), 0);
	assert_status(bprof(f, "doctor %u", t.id), 0);
	r = bprof(f, "doctor %u", raw.id);
	assert_contains(r->out, "BTF");
	r = bprof(f, "doctor 'xdp_p*'");
	assert_status(r, 0);
	assert_contains(r->out, "attached to xdp_pass and detached");
	load_target(f, "xdp", "xdp_pass");
	r = bprof(f, "doctor xdp_pass");
	assert_status(r, 2);
	assert_contains(r->err, "the name of 2 loaded programs");
	r = bprof(f, "doctor xdp_pas");
	assert_status(r, 8);
	assert_contains(r->err, "neither the id nor the name");
	r = command(f, "drive nobody none bprof doctor");
	assert_int_not_equal(r->status, 0);
	assert_contains(r->out, "CAP_");
}

/*
 * On a machine without exact counts, the self-test measures in every context, on a CPU on which the process
 * may run. It judges no number.
 */
static void test_self_test(void **state)
{
	struct fixture *f = *state;
	json_t *kind, *contexts, *context;
	struct run *r;
	size_t i;

	r = command(f, "taskset 4 bprof doctor --self-test -j");
	assert_status(r, 0);
	assert_contains(r->err, arch_is("aarch64") ? "instructions cannot be counted"
						   : "neither cycles nor instructions");
	kind = json_array_get(json_object_get(r->json, "cpu_kinds"), 0);
	assert_int_equal(num(kind, "cpu"), 2);
	assert_string_equal(str(r->json, "verdict"), "not_judged");
	contexts = json_object_get(kind, "contexts");
	json_array_foreach(contexts, i, context)
	{
		json_t *event = json_array_get(json_object_get(context, "events"), 0);

		assert_string_equal(str(context, "method"), "fentry");
		assert_string_equal(str(event, "name"), arch_is("aarch64") ? "cycles" : "time");
		/*
		 * The size of the numbers depends on the host; real() fails if a number is missing.
		 */
		real(event, "plus_100.p50");
		real(event, "plus_1000.p50");
	}
	assert_int_equal(i, 6);
	r = bprof(f, "doctor --self-test 1");
	assert_status(r, 2);
	assert_contains(r->err, "programs of its own");
	r = bprof(f, "doctor -e time");
	assert_status(r, 2);
	assert_contains(r->err, "needs --self-test");
	r = command(f, "drive nobody none bprof doctor --self-test");
	assert_status(r, 7);
	assert_contains(r->out, "no permission");
}

/*
 * The candidates of shells for --prog-id, --name and --tag are the loaded programs, with full
 * names.
 */
static void test_completion(void **state)
{
	static const char full[] = "xdp_with_a_very_long_function_name";
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", full);
	struct target raw = load_raw(f);
	char row[128];
	struct run *r;

	r = bprof(f, "__complete --prog-id ''");
	assert_status(r, 0);
	snprintf(row, sizeof(row), "%u\t%s, xdp\n", t.id, full);
	assert_contains(r->out, row);
	snprintf(row, sizeof(row), "%u\tno_btf, xdp\n", raw.id);
	assert_contains(r->out, row);
	r = bprof(f, "__complete bench -b %u,%u", raw.id, t.id);
	snprintf(row, sizeof(row), "%u,%u\t%s, xdp\n", raw.id, t.id, full);
	assert_contains(r->out, row);
	assert_contains(bprof(f, "__complete list --name xdp_with_")->out, full);
	assert_contains(bprof(f, "__complete watch --tag ''")->out, full);
	load_struct_ops(f);
	assert_string_equal(bprof(f, "__complete --struct-ops ''")->out, "bprof_test\n");
	r = command(f, "drive nobody none bprof __complete --prog-id ''");
	assert_string_equal(r->out, "");
	assert_string_equal(r->err, "");
}

/*
 * Messages name the capabilities that a user lacks. They do not advise the user to count another
 * event.
 */
static void test_nobody(void **state)
{
	struct fixture *f = *state;
	const char *remedy;
	struct run *r;

	r = command(f, "drive nobody none bprof system -a -e time --timeout 1");
	assert_status(r, 7);
	assert_contains(r->err, "none of the events can be counted here; run as root\n");
	r = command(f, "drive nobody none bprof --all --timeout 1");
	assert_status(r, 7);
	assert_contains(r->err, "no permission to count cycles and instructions");
	assert_null(strstr(r->err, "neither"));
	r = command(f, "drive nobody none bprof record --all --timeout 1");
	assert_status(r, 7);
	assert_contains(r->err, "run as root");
	assert_null(strstr(r->err, "bprof.record.json"));
	/* The remedy is the same for most checks, and is given once. */
	r = command(f, "drive nobody none bprof doctor");
	remedy = strstr(r->out, "-> run as root");
	assert_non_null(remedy);
	assert_null(strstr(remedy + 1, "-> run as root"));
	assert_contains(r->out, "event cpu-clock: it cannot be sampled: no permission");
}

static void test_without_targets(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	r = bprof(f, "--version");
	assert_status(r, 0);
	assert_contains(r->out, "bprof ");
	r = bprof(f, "--help");
	assert_status(r, 0);
	assert_contains(r->out, "doctor");
	r = bprof(f, "stat --help");
	assert_status(r, 0);
	assert_contains(r->out, "--prog-id");
	r = bprof(f, "--list-events");
	assert_status(r, 0);
	assert_contains(r->out, "time");
	assert_contains(r->out, machine_event());
	assert_null(strstr(r->out, "sched:sched_process_exec"));
	r = bprof(f, "--list-events -j sched:sched_process_exec");
	assert_status(r, 0);
	assert_contains(r->out, "\"name\": \"sched:sched_process_exec\"");
	assert_contains(r->out, "\"kind\": \"tracepoint\"");
	assert_contains(r->out, "\"supported\": true");
	assert_contains(bprof(f, "bench --list-events --format json switches")->out,
			"\"name\": \"context-switches\"");
	r = bprof(f, "system --list-events -x,");
	assert_status(r, 2);
	assert_contains(r->err, "-x: csv is not available for a list of events; choose text or "
				"json");
	r = bprof(f, "--list-events sched:");
	assert_status(r, 0);
	assert_contains(r->out, "\n  * sched:sched_process_exec\n");
	assert_null(strstr(r->out, "context-switches"));
	assert_contains(bprof(f, "record --list-events cache")->out, "LLC-loads");
	assert_contains(bprof(f, "annotate --list-events -C 0 cache")->out, "LLC-loads");
	assert_contains(bprof(f, "bench --list-events switches")->out, "context-switches");
	assert_contains(bprof(f, "system --list-events switches")->out, "context-switches");
	r = bprof(f, "top --list-events switches");
	assert_contains(r->out, "context-switches");
	assert_null(strstr(r->out, "page-faults"));
	r = bprof(f, "trace --list-events nothing");
	assert_status(r, 1);
	assert_contains(r->err, "--list-events nothing: no event has such a name");
}

KTEST_GROUP(commands, "list and doctor", NULL, ON(SMP4), KTEST(test_list), KTEST(test_list_order),
	    KTEST(test_width), KTEST(test_list_json), KTEST(test_doctor), KTEST(test_completion),
	    KTEST(test_nobody), KTEST(test_without_targets), KTEST(test_self_test));
