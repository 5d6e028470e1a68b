// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how a program that was just loaded and cannot be opened is reported. The kernel's answers are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <bpf/bpf.h>

#include "target/target.h"

static int open_err;

/* Replaces libbpf's function: no program can be opened. */
int bpf_prog_get_fd_by_id(__u32 id)
{
	errno = -open_err;
	return open_err;
}

static void test_refused(void **state)
{
	struct target_list targets = {}, new;

	open_err = -EMFILE;
	assert_int_equal(target_list__select_new(NULL, 42, &targets, &new), 0);
	assert_int_equal(new.skip_cnt, 1);
	assert_int_equal(new.skip[0].reason.code, REASON_SYSTEM);
	target_list__free(&new);
}

static void test_gone(void **state)
{
	struct target_list targets = {}, new;

	open_err = -ENOENT;
	assert_int_equal(target_list__select_new(NULL, 42, &targets, &new), -ENOENT);
	assert_null(new.skip);
}

static int why_with(struct target_list *targets, __u32 id, enum reason_code code, int err)
{
	struct reason reason;

	reason__set(&reason, code, err, NULL);
	target_list__skip_prog(targets, id, "", &reason);
	return target_list__why_none(targets);
}

/* If nothing is left to measure, the cause of the failure decides the exit status. */
static void test_why_none(void **state)
{
	struct target_list targets = {};

	assert_int_equal(target_list__why_none(&targets), -ESRCH);
	assert_int_equal(why_with(&targets, 1, REASON_NO_SUCH_PROG, ENOENT), -ESRCH);
	assert_int_equal(why_with(&targets, 2, REASON_NO_SUCH_FUNC, ENOENT), -ESRCH);
	assert_int_equal(why_with(&targets, 3, REASON_BAD_PIN, ENOENT), -ESRCH);
	assert_int_equal(why_with(&targets, 4, REASON_NO_BTF, EINVAL), -ENODATA);
	assert_int_equal(why_with(&targets, 5, REASON_NO_PERM, EPERM), -EPERM);
	target_list__free(&targets);
	assert_int_equal(why_with(&targets, 6, REASON_BAD_PIN, EACCES), -EPERM);
	target_list__free(&targets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_why_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
