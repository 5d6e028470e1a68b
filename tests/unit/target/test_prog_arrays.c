// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests which maps are opened in the search for prog arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "target/prog_arrays.h"

/*
 * The made-up kernel of this test has two programs, 10 and 11. Their maps are prog arrays, except map 4. Map 3
 * is another prog array, which no program uses.
 */
static const __u32 maps_of[2][2] = {{7, 4}, {4, 2}};
static char opened[16]; /* the ids of the maps that were opened, as digits */

/* a descriptor's object: programs 10 and 11, else a map */
static __u32 object[64];

static int open_object(__u32 id)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_in_range(fd, 0, 63);
	object[fd] = id;
	return fd;
}

int bpf_prog_get_next_id(__u32 start, __u32 *next)
{
	*next = start < 10 ? 10 : start + 1;
	return *next > 11 ? -ENOENT : 0;
}

int bpf_prog_get_fd_by_id(__u32 id)
{
	return open_object(id);
}

int bpf_map_get_fd_by_id(__u32 id)
{
	size_t n = strlen(opened);

	assert_true(n + 1 < sizeof(opened));
	opened[n] = '0' + id;
	return open_object(id);
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *sz)
{
	__u32 id = object[fd];
	struct bpf_prog_info *prog = info;
	struct bpf_map_info *map = info;

	if (id < 10) {
		map->id = id;
		map->type = id == 4 ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_PROG_ARRAY;
		map->max_entries = 2;
		return 0;
	}
	prog->id = id;
	if (prog->nr_map_ids)
		memcpy((void *)(unsigned long)prog->map_ids, maps_of[id - 10], sizeof(maps_of[0]));
	prog->nr_map_ids = 2;
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	if (*(const __u32 *)key)
		return -ENOENT;
	*(__u32 *)value = 10;
	return 0;
}

/* Each map of a program is opened once. Opening others can leak them (prog_arrays.h). */
static void test_opened(void **state)
{
	struct prog_arrays a = {};

	prog_arrays__load(&a);
	assert_string_equal(opened, "247");
	assert_true(a.known);
	assert_int_equal(a.cnt, 2);
	assert_int_equal(a.v[0].map_id, 2);
	assert_int_equal(a.v[1].map_id, 7);
	assert_int_equal(a.v[1].cnt, 1);
	assert_true(prog_array__has(&a.v[1], 10));
	prog_arrays__free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
