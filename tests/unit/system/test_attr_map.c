// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the keys of the attr map, which are the same as perf's in every byte, and the search for
 * the process that holds the map's lock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <linux/perf_event.h>

#include "system/attr_key.h"
#include "system/attr_map.h"
#include "tests/unit/made_events.h"

static struct perf_event_attr attr_of(const char *sysfs, const char *spec, int i)
{
	struct event_list list = parse(sysfs, spec);
	struct perf_event_attr attr;

	assert_int_equal(attr_key__attr(&list, i, &attr), 0);
	event_list__free(&list);
	return attr;
}

/* ---- keys that are the same as perf's ---- */

/* Keys that perf stat --bpf-counters of Linux 6.12 wrote into its map, on a little-endian machine. */
static const struct {
	const char *spec;
	__u32 type;
	__u64 config, flags; /* flags: the bit fields of perf_event_attr, at offset 40 */
} of_perf[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x100000},
	{"cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x100060},
	{"instructions:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0x50},
	{"r11", PERF_TYPE_RAW, 0x11, 0x100000},
	{"cycles:uG", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x080060},
};

static void test_bytes(void **state)
{
	for (size_t i = 0; i < sizeof(of_perf) / sizeof(of_perf[0]); i++) {
		struct perf_event_attr attr = attr_of(SYSFS, of_perf[i].spec, 0);
		char key[136], want[136] = {};
		__u32 size = sizeof(want);

		memcpy(want, &of_perf[i].type, 4);
		memcpy(want + 4, &size, 4);
		memcpy(want + 8, &of_perf[i].config, 8);
		memcpy(want + 40, &of_perf[i].flags, 8);
		assert_int_equal(attr_key__make(&attr, key, sizeof(key)), 0);
		assert_memory_equal(key, want, sizeof(key));
	}
}

/* Modifiers that matter only for sampling, or that pin an event, do not change the key. */
static void test_what_makes_no_difference(void **state)
{
	struct perf_event_attr plain = attr_of(SYSFS, "cycles", 0),
			       pinned = attr_of(SYSFS, "cycles:D", 0),
			       precise = attr_of(SYSFS, "cycles:pp", 0);

	/* Like the default, the modifier p excludes guests. */
	assert_memory_equal(&plain, &pinned, sizeof(plain));
	assert_memory_equal(&plain, &precise, sizeof(plain));
}

static void test_time_is_cpu_clock(void **state)
{
	struct perf_event_attr attr = attr_of(SYSFS, "time", 0),
			       clock = attr_of(SYSFS, "cpu-clock", 0);

	assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_true(attr_key__matches(&clock, sizeof(clock), &attr));
}

/* ---- sizes of keys ---- */

static void test_sizes(void **state)
{
	static const size_t sizes[] = {ATTR_KEY_MIN, 112, 120, 128, 136, 144, ATTR_KEY_MAX};
	struct perf_event_attr attr = attr_of(SYSFS, "cycles:u", 0),
			       other = attr_of(SYSFS, "cycles", 0);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char key[ATTR_KEY_MAX + 1];
		__u32 size;

		memset(key, 0x5a, sizeof(key));
		assert_int_equal(attr_key__make(&attr, key, sizes[i]), 0);
		memcpy(&size, key + 4, 4);
		assert_int_equal(size, sizes[i]);
		assert_int_equal(key[sizes[i]], 0x5a);
		for (size_t j = 48; j < sizes[i]; j++)
			assert_int_equal(key[j], 0);
		assert_true(attr_key__matches(key, sizes[i], &attr));
		assert_false(attr_key__matches(key, sizes[i], &other));
	}
}

/* config1 and config2 are at offsets 56 and 64. The shortest keys end before them. */
static void test_cut_off(void **state)
{
	struct perf_event_attr attr = attr_of(SYSFS, "cpu/config2=7/", 0);
	char key[ATTR_KEY_MAX];

	assert_int_equal(attr_key__make(&attr, key, ATTR_KEY_MIN), -E2BIG);
	assert_int_equal(attr_key__make(&attr, key, 72), 0);
	assert_true(attr_key__matches(key, 72, &attr));
	assert_int_equal(attr_key__make(&attr, key, ATTR_KEY_MAX), 0);
	/*
	 * bprof does not know the fields at the end of the longest key. If one is not 0, the key is
	 * that of another event.
	 */
	key[ATTR_KEY_MAX - 1] = 1;
	assert_false(attr_key__matches(key, ATTR_KEY_MAX, &attr));
}

/* ---- keys with and without guests ---- */

/*
 * perf up to Linux 6.12 excludes guests by default, and later versions do not. If the user gives
 * neither :G nor :H, keys of both kinds match.
 */
static void test_guests(void **state)
{
	struct perf_event_attr attr = attr_of(SYSFS, "cycles", 0), with = attr, both, guest, host;

	with.exclude_guest = 0;
	assert_true(attr_key__matches(&with, sizeof(with), &attr));
	/* An event that must count guests does not use a leader that leaves them out. */
	both = attr_of(SYSFS, "cycles:HG", 0);
	assert_memory_equal(&both, &with, sizeof(both));
	assert_false(attr_key__matches(&attr, sizeof(attr), &both));
	/* Both tools count the guests' kernel by default. */
	with = attr_of(SYSFS, "cycles:k", 0);
	host = attr_of(SYSFS, "cycles:kH", 0);
	assert_true(attr_key__matches(&host, sizeof(host), &with));
	guest = attr_of(SYSFS, "cycles:G", 0); /* counts guests only */
	host = attr_of(SYSFS, "cycles:H", 0);
	assert_true(attr_key__matches(&host, sizeof(host), &attr));
	assert_false(attr_key__matches(&guest, sizeof(guest), &attr));
	assert_false(attr_key__matches(&attr, sizeof(attr), &guest));
	assert_true(attr_key__matches(&guest, sizeof(guest), &guest));
	/* A key that excludes both guests and the host is no tool's default, and does not match. */
	with = guest;
	with.exclude_guest = 1;
	assert_false(attr_key__matches(&with, sizeof(with), &guest));
}

/* ---- keys of groups ---- */

static void assert_other(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	assert_false(attr_key__matches(a, sizeof(*a), b));
	assert_false(attr_key__matches(b, sizeof(*b), a));
}

static void test_groups(void **state)
{
	struct perf_event_attr alone = attr_of(SYSFS, "cycles", 0),
			       first = attr_of(SYSFS, "{cycles,instructions}", 0),
			       second = attr_of(SYSFS, "{cycles,instructions}", 1), again, other;

	assert_other(&alone, &first);
	assert_other(&first, &second);
	assert_int_equal(first.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(second.config, PERF_COUNT_HW_INSTRUCTIONS);
	/* The key does not depend on the group's place in the list, or on other groups. */
	again = attr_of(SYSFS, "r11,{r12,r13},{cycles,instructions}", 3);
	assert_true(attr_key__matches(&again, sizeof(again), &first));
	/* A group with other members, another order, or another modifier is a different group. */
	other = attr_of(SYSFS, "{cycles,instructions,r11}", 0);
	assert_other(&other, &first);
	other = attr_of(SYSFS, "{instructions,cycles}", 1);
	assert_other(&other, &first);
	other = attr_of(SYSFS, "{cycles,instructions:u}", 0);
	assert_other(&other, &first);
	/* Members of a group have different keys even if they count the same event. */
	first = attr_of(SYSFS, "{cpu-clock,time}", 0);
	second = attr_of(SYSFS, "{cpu-clock,time}", 1);
	assert_other(&first, &second);
	/* A group of one member is still a group. */
	other = attr_of(SYSFS, "{cycles}", 0);
	assert_other(&other, &alone);
}

/* ---- the lock of the map ---- */

static void test_lock_holder(void **state)
{
	static const struct {
		const char *line;
		pid_t pid;
	} cases[] = {
		{"1: FLOCK  ADVISORY  WRITE 123 00:0e:1033 0 EOF\n", 123},
		{"44: FLOCK  ADVISORY  READ  9 00:0e:1033 0 EOF\n", 9},
		{"1: -> FLOCK  ADVISORY  WRITE 124 00:0e:1033 0 EOF\n", 0}, /* waiting */
		{"1: POSIX  ADVISORY  WRITE 123 00:0e:1033 0 EOF\n", 0},
		{"1: OFDLCK ADVISORY  WRITE -1 00:0e:1033 0 EOF\n", 0},
		{"1: FLOCK  ADVISORY  WRITE 123 00:0e:10331 0 EOF\n", 0},
		{"1: FLOCK  ADVISORY  WRITE 123 00:0f:1033 0 EOF\n", 0},
		{"1: FLOCK  ADVISORY  WRITE 123 0e:00:1033 0 EOF\n", 0},
		/* its process is in another pid namespace */
		{"1: FLOCK  ADVISORY  WRITE 0 00:0e:1033 0 EOF\n", 0},
		{"1: FLOCK  ADVISORY  WRITE -1 00:0e:1033 0 EOF\n", 0},
		{"1: FLOCK  ADVISORY  WRITE 123 <none>:0 0 EOF\n", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (attr_map__lock_holder(cases[i].line, makedev(0, 0xe), 1033) != cases[i].pid)
			fail_msg("%s", cases[i].line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_what_makes_no_difference),
		cmocka_unit_test(test_time_is_cpu_clock),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_guests),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_lock_holder),
	};

	return cmocka_run_group_tests_name("attr_map", tests, make_tree, remove_tree);
}
