// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --sort: names of columns in any case, and the message about an unknown column.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "render/render.h"
#include "report/report.h"
#include "run/order_opts.h"
#include "tests/unit/capture.h"

static void test_known(void **state)
{
	static const char *const names[] = {"cpu%", "CPU%", "Runs/s", "total", NULL};

	for (int i = 0; i < 5; i++) {
		const struct order_opts o = {.sort = names[i]};

		assert_int_equal(order_opts__check(&o, report_order__column), 0);
	}
}

static void test_unknown(void **state)
{
	const struct order_opts o = {.sort = "runz"};
	struct capture c;
	char *text;

	capture__begin(&c, stderr);
	assert_int_equal(order_opts__check(&o, report_order__column), -EINVAL);
	text = capture__end(&c);
	assert_string_equal(text, "bprof: --sort runz: no such column; choose id, name, type, "
				  "method, runs, runs/s, cpu%, lost, mean, p99, max, total; did "
				  "you mean 'runs'?\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
