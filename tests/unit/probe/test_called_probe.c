// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which piece of the counts each call of a kernel function gets, by its caller and map. A piece has the
 * counts of one target. There are as many callers and maps as a probe allows.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/util.h"
#include "probe/called_probe.h"
#include "probe/probes.h"

/* REST: the piece of calls for which there is no target */
enum {
	CPUS = 2,
	MAPS = 6,
	CALLERS = CALL_MAPS_MAX / MAPS,
	FUNC_ID = 7,
	REST = CALLERS_MAX + CALL_MAPS_MAX + 1
};

#define STAT_SZ (sizeof(struct bprof_cpu_stat) + sizeof(struct bprof_pieces))

static struct target targets[CALL_MAPS_MAX + CALLERS + 1];
static struct target_list list = {.v = targets};
static struct backend_env env = {.targets = &list};
static struct probes set = {.env = &env};
static struct probe probe = {.cpu_limit = CPUS, .stat_sz = STAT_SZ, .pieces = REST};

/* The maps have the same size and follow one another in memory. */
static __u64 address_of(int map)
{
	return 0xffff888004c00000ULL + 0x400 * map;
}

/* Adds a target. map: the number of a map, or -1 for the caller's calls with other maps. */
static void add(__u32 func, int caller, int map)
{
	targets[list.cnt] = (struct target){
		.called = {.btf_id = func,
			   .caller = caller,
			   .address = map < 0 ? 0 : address_of(map),
			   .piece = list.cnt + 1},
		.priv = &probe,
	};
	list.cnt++;
}

static int set_up(void **state)
{
	list.cnt = 0;
	probe.stats.mem = calloc(CPUS, STAT_SZ);
	return !probe.stats.mem;
}

static int tear_down(void **state)
{
	free(probe.stats.mem);
	return 0;
}

/* Returns the piece that the probe finds (bpf/probe_called.bpf.h, number_piece()). */
static __u64 piece_of(int cpu, int caller, __u64 map)
{
	const struct bprof_pieces *p = probe__pieces(&probe, cpu);
	__u64 key = BPROF_CALL_KEY(map, caller);
	const struct bprof_call_slot *slot = &p->slot[BPROF_CALL_SLOT(key, p->multiplier)];

	return slot->key == key ? slot->piece : p->of[caller];
}

/* Calls with a known map get their own piece. Calls with other maps get the piece of their caller. */
static void test_pieces(void **state)
{
	for (int caller = 1; caller <= CALLERS; caller++) {
		for (int map = 0; map < MAPS; map++)
			add(FUNC_ID, caller, map);
		if (caller > 1)
			add(FUNC_ID, caller, -1);
	}
	add(FUNC_ID + 1, 1, -1);
	assert_int_equal(called_probe__init(&set, &targets[0]), 0);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		for (int i = 0; i < list.cnt - 1; i++)
			assert_int_equal(
				piece_of(cpu, targets[i].called.caller, targets[i].called.address),
				targets[i].called.piece);
		for (int caller = 0; caller <= CALLERS; caller++)
			for (int map = MAPS; map < 1000; map++)
				assert_int_equal(piece_of(cpu, caller, address_of(map)),
						 caller > 1 ? piece_of(cpu, caller, 0) : REST);
	}
}

/*
 * Callers that are not measured have number 0, and calls without a map have address 0. The key of such a call
 * is also the key of a free slot, and must give REST.
 */
static void test_key_of_free_slot(void **state)
{
	add(FUNC_ID, 1, 0);
	assert_int_equal(called_probe__init(&set, &targets[0]), 0);
	assert_int_equal(piece_of(0, 0, 0), REST);
}

/* There are more pieces than a byte can number. */
static void test_many_pieces(void **state)
{
	add(FUNC_ID, 1, 0);
	add(FUNC_ID, CALLERS_MAX, 0);
	targets[1].called.piece = CALLERS_MAX + CALL_MAPS_MAX;
	add(FUNC_ID, CALLERS_MAX, -1);
	targets[2].called.piece = CALLERS_MAX + CALL_MAPS_MAX - 1;
	assert_int_equal(called_probe__init(&set, &targets[2]), 0);
	assert_int_equal(piece_of(0, 1, address_of(0)), 1);
	assert_int_equal(piece_of(0, CALLERS_MAX, address_of(0)), CALLERS_MAX + CALL_MAPS_MAX);
	assert_int_equal(piece_of(1, CALLERS_MAX, address_of(1)), CALLERS_MAX + CALL_MAPS_MAX - 1);
	assert_int_equal(called_probe__pieces(&set, &targets[0]), 1 + CALLERS_MAX + CALL_MAPS_MAX);
}

/* If two targets have the same key, no multiplier gives them different slots. The probe is refused. */
static void test_no_multiplier(void **state)
{
	add(FUNC_ID, 1, 0);
	add(FUNC_ID, 1, 0);
	assert_int_equal(called_probe__init(&set, &targets[0]), -E2BIG);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pieces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_key_of_free_slot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_pieces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_multiplier, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("called_probe", tests, NULL, NULL);
}
