// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how much memory bprof takes for free, with files of a made-up /proc and /sys/fs/cgroup.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "host/free_memory.h"
#include "tests/unit/fake_sysfs.h"

#define MEMINFO "MemTotal:  2000 kB\nMemAvailable:    1000 kB\nSwapFree: 0 kB\n"

static char root[] = "/tmp/free_memory.XXXXXX";

static int setup(void **state)
{
	strcpy(root + strlen("/tmp/free_memory."), "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	return fake_sysfs__remove(root);
}

static void write_text(const char *path, const char *text)
{
	fake_sysfs__write(root, path, text, strlen(text));
}

static __u64 find_free(void)
{
	char proc[64], cgroup[64];

	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(cgroup, sizeof(cgroup), "%s/cgroup", root);
	return free_memory(proc, cgroup);
}

static void test_machine(void **state)
{
	assert_int_equal(find_free(), ~0ULL);
	write_text("proc/meminfo", MEMINFO);
	assert_int_equal(find_free(), 1000 * 1024 / 8);
	write_text("proc/self/cgroup", "0::/\n");
	assert_int_equal(find_free(), 1000 * 1024 / 8);
}

/* The free memory is the least that the limits of the cgroup and of the cgroups above it leave. */
static void test_cgroups(void **state)
{
	write_text("proc/meminfo", MEMINFO);
	write_text("proc/self/cgroup", "4:perf_event:/x\n0::/a.slice/b.service\n");
	write_text("cgroup/a.slice/b.service/memory.max", "max\n");
	write_text("cgroup/a.slice/b.service/memory.current", "500000\n");
	write_text("cgroup/a.slice/memory.max", "600000\n");
	write_text("cgroup/a.slice/memory.current", "550000\n");
	assert_int_equal(find_free(), 12500);
	write_text("cgroup/a.slice/b.service/memory.max", "520000\n");
	assert_int_equal(find_free(), 5000);
	write_text("cgroup/a.slice/memory.current", "700000\n");
	assert_int_equal(find_free(), 0);
	/* the kernel takes back the pages of files that were not used for long */
	write_text("cgroup/a.slice/memory.stat",
		   "anon 1\nworkingset_inactive_file 5\ninactive_anon 7\ninactive_file 180000\n");
	assert_int_equal(find_free(), 5000);
	write_text("cgroup/a.slice/b.service/memory.stat", "inactive_file 501000\n");
	assert_int_equal(find_free(), 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cgroups, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
