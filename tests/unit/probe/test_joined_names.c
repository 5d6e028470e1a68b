// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the rows of --by comm: keys that stand for the same name have one row, and it stays the same, also
 * while parts are given to other keys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "backend/backend_env.h"
#include "probe/probe_parts.h"
#include "probe/probes.h"
#include "target/target.h"

enum {
	CPUS = 2,
	STAT_SZ = BPROF_FRONT_SZ + sizeof(struct bprof_cpu_stat) + sizeof(struct bprof_keys)
};

static int cpu_id[CPUS] = {0, 1};
static struct backend_env env = {
	.cpu_limit = CPUS, .cpus = {.id = cpu_id, .cnt = CPUS}, .opts.by = BY_COMM};
static struct probes set = {.env = &env};
static struct probe probe;
static struct target target = {.priv = &probe};
static struct snapshot *snap;

static int set_up(void **state)
{
	probe = (struct probe){.set = &set,
			       .prog_fd = {-1, -1},
			       .part_cnt = BPROF_KEY_PARTS,
			       .stat_sz = STAT_SZ,
			       .front_sz = BPROF_FRONT_SZ,
			       .cpu_limit = CPUS,
			       .lost_overflow = calloc(CPUS, sizeof(__u64))};
	probe.stats.mem = calloc((1 + BPROF_KEY_PARTS) * CPUS, STAT_SZ);
	if (!probe.stats.mem || !probe.lost_overflow)
		return -1;
	for (int part = -1; part < BPROF_KEY_PARTS; part++)
		for (int cpu = 0; cpu < CPUS; cpu++)
			probe__part(&probe, part, cpu)->clock_slot = BPROF_CLOCK_SLOT;
	return 0;
}

static int tear_down(void **state)
{
	snapshot__free(snap);
	snap = NULL;
	probe_parts__close(&probe);
	free(probe.stats.mem);
	free(probe.lost_overflow);
	return 0;
}

static void add_runs(int part, const char *comm, int cpu, __u64 runs)
{
	struct bprof_keys *keys = probe__keys(&probe);

	keys->value[part - 1] = 1000 + part;
	strcpy(keys->comm[part], comm);
	probe__part(&probe, part, cpu)->measured[0] += runs;
	probe__stat(&probe, cpu)->measured[0] += runs;
}

static void read_all(void)
{
	struct counts *rows;

	snapshot__free(snap);
	snap = snapshot__new(1, CPUS, BPROF_KEY_PARTS);
	rows = snapshot__at(snap, 0, 0);
	assert_int_equal(probe__read(&target, false, rows, rows + CPUS), 0);
}

static void assert_runs(int part, __u64 first_cpu, __u64 second_cpu)
{
	const struct counts *c = snapshot__at(snap, 0, snapshot__part_row(snap, part, 0));

	assert_int_equal(c[0].measured, first_cpu);
	assert_int_equal(c[1].measured, second_cpu);
}

/* The second key of the name has a part before that of the first key. */
static void test_later_key(void **state)
{
	add_runs(20, "ls", 0, 100);
	add_runs(7, "bash", 1, 3);
	read_all();
	assert_runs(20, 100, 0);
	add_runs(5, "ls", 0, 10);
	add_runs(30, "ls", 1, 20);
	read_all();
	assert_runs(20, 110, 20);
	assert_runs(5, 0, 0);
	assert_runs(30, 0, 0);
	assert_runs(7, 0, 3);
	assert_int_equal(snapshot__at(snap, 0, 0)->measured, 110);
	assert_int_equal(snapshot__at(snap, 0, 1)->measured, 23);
}

/* A key gets its part and its name before its first run has ended. */
static void test_name_in_progress(void **state)
{
	add_runs(5, "ls", 0, 0);
	read_all();
	add_runs(20, "ls", 1, 2);
	read_all();
	assert_runs(20, 0, 2);
	add_runs(5, "ls", 0, 1);
	read_all();
	assert_runs(20, 1, 2);
	assert_runs(5, 0, 0);
}

/* Another key of the name gets a part while the first one loses its own. */
static void test_key_while_freed(void **state)
{
	const bool chosen[BPROF_KEY_PARTS] = {[20] = true};

	add_runs(20, "ls", 0, 100);
	read_all();
	probe__close_parts(&target, chosen);
	add_runs(5, "ls", 0, 10);
	assert_int_equal(probe__free_parts(&target, chosen), 0);
	add_runs(20, "cat", 0, 7);
	add_runs(5, "ls", 0, 1);
	read_all();
	assert_runs(0, 100, 0);
	assert_runs(5, 11, 0);
	assert_runs(20, 7, 0);
	assert_int_equal(snapshot__at(snap, 0, 0)->measured, 118);
}

/* A key that loses its part had its first run after the last reading. */
static void test_freed_key_with_runs(void **state)
{
	const bool chosen[BPROF_KEY_PARTS] = {[5] = true};

	add_runs(20, "ls", 0, 100);
	read_all();
	add_runs(5, "ls", 0, 10);
	probe__close_parts(&target, chosen);
	assert_int_equal(probe__free_parts(&target, chosen), 0);
	read_all();
	assert_runs(0, 10, 0);
	assert_runs(20, 100, 0);
	assert_int_equal(snapshot__at(snap, 0, 0)->measured, 110);
}

/* A key that loses its part takes a part that no key had before. */
static void test_other_part(void **state)
{
	const bool chosen[BPROF_KEY_PARTS] = {[20] = true};

	add_runs(20, "ls", 0, 100);
	add_runs(7, "bash", 0, 3);
	read_all();
	probe__close_parts(&target, chosen);
	assert_int_equal(probe__free_parts(&target, chosen), 0);
	add_runs(5, "ls", 0, 1);
	read_all();
	assert_true(snapshot__at(snap, 0, snapshot__part_row(snap, 5, 0))->reused);
	assert_false(snapshot__at(snap, 0, snapshot__part_row(snap, 7, 0))->reused);
}

/* Keys get their parts after the first CPU was read: a part that had no key before, and one that had. */
static void test_key_while_reading(void **state)
{
	struct counts *rows = counts__new((1 + BPROF_KEY_PARTS) * CPUS + 1),
		      *parts = rows + CPUS + 1;

	for (int part = 5; part <= 6; part++) {
		struct counts *c = &parts[part * CPUS];

		c[0].reused = c[1].reused = part == 6;
		c[1].measured = 3;
		c[1].retval = 1000 + part;
		strcpy(c[1].comm, "ls");
	}
	probe_parts__complete_keys(&probe, parts);
	assert_int_equal(parts[5 * CPUS].retval, 1005);
	assert_string_equal(parts[5 * CPUS].comm, "ls");
	assert_int_equal(parts[6 * CPUS].retval, 0);
	assert_int_equal(parts[6 * CPUS + 1].retval, 1006);
	counts__free(rows, (1 + BPROF_KEY_PARTS) * CPUS + 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_later_key, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_name_in_progress, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_key_while_freed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_freed_key_with_runs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_part, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_key_while_reading, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("joined_names", tests, NULL, NULL);
}
