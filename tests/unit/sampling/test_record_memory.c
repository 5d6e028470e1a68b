// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the JSON of a recording takes no more memory the more source lines it has: programs may
 * have hundreds of thousands of lines, and bprof record runs on production machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sampling/record.h"
#include "tests/unit/json_memory.h"

static void add_lines(struct record *r, __u32 cnt)
{
	struct record_prog *p = record__add_prog(r);
	struct record_func *f = record_prog__add_func(p);

	p->name = strdup("prog");
	p->type = strdup("xdp");
	f->name = strdup("func");
	r->event = strdup("cpu-clock");
	r->frequency = 4000;
	for (__u32 i = 0; i < cnt; i++) {
		struct record_line *l = record_prog__add_line(p);

		*l = (struct record_line){i, i, i, 1, strdup("prog.bpf.c"), strdup("\treturn 0;")};
	}
}

static void test_many_lines(void **state)
{
	struct record *r = record__new();
	FILE *out = fopen("/dev/null", "w");

	assert_true(r && out);
	add_lines(r, 2000); /* a line takes more than 100 bytes as JSON */
	count_json_memory();
	assert_int_equal(record__write(r, out), 0);
	end_json_memory(20000);
	fclose(out);
	record__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
