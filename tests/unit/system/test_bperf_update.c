// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which CPUs count as not counted when bperf's leader has run on them. The kernel's runs of the
 * leader, and its readings, are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>

#include "bpf/bperf.h"
#include "system/bperf_leader.h"

enum { CPU_CNT = 4 };

static __u64 enabled_ns[CPU_CNT];
static bool counts[CPU_CNT]; /* the CPU has an event that counts */

/* ---- functions that replace those of libbpf ---- */

int bpf_prog_test_run_opts(int prog_fd, struct bpf_test_run_opts *opts)
{
	enabled_ns[opts->cpu] += counts[opts->cpu];
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	struct bperf_readings *r = value;

	for (int i = 0; i < CPU_CNT; i++)
		r[i].total.enabled = enabled_ns[i];
	return 0;
}

/* ---- tests ---- */

/*
 * On CPU 1 the kernel refused the event when the leader was made: there is a note with the reason, and
 * the CPU has not come online later. CPU 2 has.
 */
static void test_refused(void **state)
{
	static int id[] = {0, 1, 2, 3};
	static struct bperf_readings readings[CPU_CNT];
	static struct bperf_count total[CPU_CNT];
	const struct cpus cpus = {id, CPU_CNT}, mask = {id, 3}, none = {};
	const int refused[CPU_CNT] = {0, -EBUSY, 0, 0};
	struct bperf_leader l = BPERF_LEADER_NONE;
	bool uncounted[CPU_CNT] = {};

	l.tables.possible = cpus;
	l.tables.readings = readings;
	l.tables.total = total;
	counts[0] = true;
	assert_int_equal(bperf_leader__update(&l, &cpus, &mask, refused, uncounted), 0);
	assert_false(uncounted[0]);
	assert_false(uncounted[1]);
	assert_true(uncounted[2]);
	assert_false(uncounted[3]); /* the PMU counts nothing there */
	assert_int_equal(bperf_leader__update(&l, &cpus, &none, refused, uncounted), 0);
	assert_false(uncounted[1]);
	assert_true(uncounted[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
