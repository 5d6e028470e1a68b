// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests when calls by others end a measurement: they may take a share of the time since the last
 * check.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "base/log.h"
#include "base/util.h"
#include "session/others_limit.h"
#include "target/target.h"

#define SEC (1000 * NSEC_PER_MSEC)

static __u64 others;
static char message[512];

/* Each call takes 1 us from its caller. */
static __u64 count_others(const void *state, const struct target *t, double *ns)
{
	*ns = others * 1000.0;
	return others;
}

static const struct counter_ops ops = {.method = "fake", .others = count_others};
static struct backend backend = {.ops = &ops};
static struct target target;
static struct target_list list = {.v = &target, .cnt = 1};
static struct backend_env env = {.targets = &list};

static void keep(void *arg, enum log_level level, const char *text)
{
	snprintf(message, sizeof(message), "%s", text);
}

static const struct log_sink sink = {.write = keep, .max = LOG_LEVEL_ERROR};

static int set_up(void **state)
{
	target = (struct target){
		.id = 7, .func = "a_helper", .backend = &backend, .called = {.btf_id = 1}};
	others = 0;
	*message = '\0';
	log__set_sink(&sink);
	return 0;
}

/* Checks after one second in which others have made "calls" calls. */
static int check_after_second(__u64 calls, __u64 min_ns)
{
	__u64 at_ns = now_ns() - SEC;

	others += calls;
	return others_limit__check(&list, &env, min_ns, &at_ns);
}

/* The default limit is 1 %. On a busy machine, more than a second may have passed. */
static void test_limit(void **state)
{
	assert_int_equal(check_after_second(9000, 0), 0);
	assert_string_equal(message, "");
	assert_int_equal(check_after_second(9000, SEC), 0);
	assert_int_equal(check_after_second(100000000, SEC), 1);
	assert_non_null(strstr(message, "measuring ends here: 7 a_helper: others call it "));
}

/* A check that comes too early does nothing. The next check covers its time, too. */
static void test_too_early(void **state)
{
	__u64 at_ns = now_ns(), before = at_ns;

	others = 100000000;
	assert_int_equal(others_limit__check(&list, &env, 3600 * SEC, &at_ns), 0);
	assert_int_equal(at_ns, before);
	assert_int_equal(target.called.others, 0);
	assert_int_equal(check_after_second(0, SEC), 1);
}

/* Functions of programs, and targets that have ended, are not checked. */
static void test_not_counted(void **state)
{
	target.frozen = (void *)&others;
	assert_int_equal(check_after_second(100000000, 0), 0);
	target.frozen = NULL;
	target.called.btf_id = 0;
	assert_int_equal(check_after_second(100000000, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_limit, set_up),
		cmocka_unit_test_setup(test_too_early, set_up),
		cmocka_unit_test_setup(test_not_counted, set_up),
	};

	return cmocka_run_group_tests_name("others_limit", tests, NULL, NULL);
}
