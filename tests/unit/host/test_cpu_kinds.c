// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the kinds of CPUs are recognized, with files of a made-up /sys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "host/cpu_kinds.h"

static char root[] = "/tmp/cpu_kinds.XXXXXX";

static int setup(void **state)
{
	strcpy(root + strlen("/tmp/cpu_kinds."), "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Writes text to the file PATH of the format below the root. */
static void write_sys(const char *path, const char *text)
{
	char command[512];

	snprintf(command, sizeof(command), "f=%s/%s; mkdir -p ${f%%/*} && printf '%s' >$f", root,
		 path, text);
	assert_int_equal(system(command), 0);
}

static void write_midr(int cpu, const char *midr)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 cpu);
	write_sys(path, midr);
}

/* Checks that the CPUs have these kinds, each as "NAME: CPUS\n". */
static void assert_kinds(const char *cpus, const char *want)
{
	struct cpu_groups groups;
	char got[512] = "", list[64];
	struct cpus all;

	assert_int_equal(cpus__parse(cpus, &all, NULL), 0);
	cpu_groups__find(root, &all, &groups);
	for (int i = 0; i < groups.cnt; i++) {
		size_t len = strlen(got);

		snprintf(got + len, sizeof(got) - len, "%s: %s\n", groups.v[i].name,
			 cpus__format(&groups.v[i].cpus, list, sizeof(list)));
	}
	assert_string_equal(got, want);
	cpu_groups__free(&groups);
	assert_int_equal(groups.cnt, 0);
	cpus__free(&all);
}

static void test_one_kind(void **state)
{
	assert_kinds("0-3", ": 0-3\n");
	assert_kinds("", "");
}

static void test_arm64(void **state)
{
	for (int cpu = 0; cpu < 6; cpu++)
		write_midr(cpu, cpu == 0 || cpu == 5 ? "0x00000000410fd0b1\\n"
						     : "0x00000000410fd050\\n");
	assert_kinds("0-5", "0x00000000410fd0b1: 0,5\n0x00000000410fd050: 1-4\n");
	assert_kinds("2,4", "0x00000000410fd050: 2,4\n");
}

static void test_hybrid(void **state)
{
	write_sys("sys/devices/cpu_core/cpus", "0-3\\n");
	write_sys("sys/devices/cpu_atom/cpus", "4-11\\n");
	assert_kinds("0-11", "cpu_core: 0-3\ncpu_atom: 4-11\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(test_arm64, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hybrid, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
