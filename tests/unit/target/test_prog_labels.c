// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests which labels are kept: those of the targets, also of programs that were unloaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/memory.h"
#include "report/report.h"
#include "target/prog_labels.h"
#include "target/target.h"
#include "target/target_priv.h"

/* The programs are not attached, so no label is found; the test sets the labels itself. */
static void test_forgotten(void **state)
{
	struct prog prog = {.info.type = BPF_PROG_TYPE_KPROBE};
	struct target targets[] = {{.id = 1, .prog = &prog}, {.id = 2, .prog = &prog}};
	struct target_list list = {.v = targets, .cnt = 2};
	struct prog_labels labels = {.devices = true};
	struct report_prog row = {.id = 2};

	prog_labels__look(&labels, &list);
	labels.v[0].device = xstrdup("eth0");
	labels.v[1].device = xstrdup("eth1");
	targets[1].frozen = (void *)1;
	list.v++;
	list.cnt--;
	labels.looked_ns = 0;
	prog_labels__look(&labels, &list);
	assert_int_equal(labels.cnt, 1);
	prog_labels__set(&labels, &row);
	assert_string_equal(row.device, "eth1");
	free(row.device);
	prog_labels__free(&labels);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_forgotten)};

	return cmocka_run_group_tests_name("prog_labels", tests, NULL, NULL);
}
