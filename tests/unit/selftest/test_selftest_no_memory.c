// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests the self-test's output when memory is short: it is complete, or an error. */

#include "tests/unit/made_selftest.h"

#include "json/json_ascii.h"
#include "tests/unit/output_no_memory.h"

static int write_text(const void *model, FILE *out)
{
	return selftest__print(model, out, &(struct screen){.width = 80});
}

static int write_json(const void *model, FILE *out)
{
	return json__print(selftest__to_json(model), 0, JSON_INDENTED, out);
}

static void test_output(void **state)
{
	struct selftest t;

	make_counted(&t);
	selftest__judge(&t);
	check_without_memory(write_text, &t);
	check_without_memory(write_json, &t);
	selftest__free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
