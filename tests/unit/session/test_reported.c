// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what log.h promises: a function whose comment says "(reported)" logs an error whenever it
 * fails. The tests pass wrong arguments.
 */
#include "tests/unit/made_session.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/log.h"
#include "options/options.h"
#include "report/report.h"
#include "system/scope.h"
#include "target/target.h"

static int messages;

static void keep(void *arg, enum log_level level, const char *message)
{
	if (level != LOG_LEVEL_ERROR)
		return;
	assert_true(*message);
	messages++;
}

static const struct log_sink sink = {.write = keep, .max = LOG_LEVEL_DEBUG};

/* Calls call(arg), which reports an error if it fails and nothing otherwise. Returns its result. */
static int try(int (*call)(void *arg), void *arg)
{
	int err;

	log__set_sink(&sink);
	messages = 0;
	err = call(arg);
	assert_int_equal(messages > 0, err != 0);
	log__set_sink(NULL);
	return err;
}

static int add_selector(void *arg)
{
	static const struct option_row row = {.name = "name"};
	const struct selector *s = arg;
	struct selector_list list = {};
	int err = selector_list__report_add(&list, s->kind, &row, s->arg);

	selector_list__free(&list);
	return err;
}

static void test_selectors(void **state)
{
	static const struct {
		enum selector_kind kind;
		char *arg;
		int err;
	} cases[] = {
		{SELECT_ID, "42,57:parse", 0},
		{SELECT_ID, "42,x", -EINVAL},
		{SELECT_NAME, "xdp_*", 0},
		{SELECT_NAME, "", -EINVAL},
		{SELECT_TAG, "d4f8", 0},
		{SELECT_TAG, "none", -EINVAL},
		{SELECT_TYPE, "xdp,sched_cls", 0},
		{SELECT_TYPE, "xdp,none", -EINVAL},
		{SELECT_PINNED, "/sys", 0},
		{SELECT_PINNED, "", -EINVAL},
		{SELECT_ALL, NULL, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct selector s = {.kind = cases[i].kind, .arg = cases[i].arg};

		assert_int_equal(try(add_selector, &s), cases[i].err);
	}
}

static int select_targets(void *arg)
{
	struct target_list targets;
	int err = target_list__select(arg, NULL, &targets);

	if (!err)
		target_list__free(&targets);
	return err;
}

/*
 * Selects programs by an id that no program has and by a path that is not a pin, then all programs.
 * Only root may list all programs, so the last call may fail.
 */
static void test_targets(void **state)
{
	struct selector_list none = {}, all = {};

	assert_int_equal(selector_list__add(&none, SELECT_ID, "4294967295", NULL), 0);
	assert_int_equal(selector_list__add(&none, SELECT_PINNED, "/proc/self/none", NULL), 0);
	assert_int_equal(try(select_targets, &none), 0);
	assert_int_equal(selector_list__add(&all, SELECT_ALL, NULL, NULL), 0);
	try(select_targets, &all);
	selector_list__free(&none);
	selector_list__free(&all);
}

static int add_processes(void *arg)
{
	struct scope_list scopes = {};
	int err = scope_list__add_processes(&scopes, arg);

	scope_list__free(&scopes);
	return err;
}

static void test_scopes(void **state)
{
	assert_int_equal(try(add_processes, "1,4194305"), 0);
	assert_int_equal(try(add_processes, "1,init"), -EINVAL);
}

static int open_session(void *arg)
{
	const struct backend_opts opts = {};
	struct target_list targets = {};
	struct session *s;

	return session__open(&targets, arg, &(struct cpus){}, &opts, &s);
}

static void test_open(void **state)
{
	struct event_list none = {};

	assert_int_equal(try(open_session, &none), -ENODATA);
}

static int read_report(void *arg)
{
	struct report_error rerr = {};
	struct report *r;
	FILE *in;
	int err;

	in = *(char *)arg ? fmemopen(arg, strlen(arg), "r") : fopen("/dev/null", "r");
	assert_non_null(in);
	setvbuf(in, NULL, _IONBF, 0);
	err = report__read_all(in, &r, &rerr);
	fclose(in);
	if (!err)
		report__free(r);
	return report_error__report(err, "a report", "'bprof stat -j' writes one", &rerr);
}

static void test_report(void **state)
{
	assert_int_equal(try(read_report, ""), -ENODATA);
	assert_int_equal(try(read_report, "{"), -EINVAL);
	assert_int_equal(try(read_report, "{}"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selectors), cmocka_unit_test(test_targets),
		cmocka_unit_test(test_scopes),	  cmocka_unit_test(test_open),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests_name("reported", tests, NULL, NULL);
}
