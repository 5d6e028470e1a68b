// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that an error in reading the attr map is not taken for the end of a leader: a second leader
 * would count beside the first, and its entry would be lost. The kernel's answers are made up; each
 * of them fails in turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "system/attr_key.h"
#include "system/attr_map.h"

enum { ENTRIES = 2, LIVE_LINK = 7, DEAD_LINK, LIVE_PROG };

/* The map: an entry of a leader that has ended, then one of a live leader. */
static char keys[ENTRIES][ATTR_KEY_MIN];
static const __u32 links[ENTRIES] = {DEAD_LINK, LIVE_LINK};
static bool deleted[ENTRIES];

/* The number of the call that fails with EMFILE, from 1; 0: none. The number of calls so far. */
static int failing, calls;

static bool fails(void)
{
	errno = EMFILE;
	return ++calls == failing;
}

static int find(const void *key)
{
	for (int i = 0; i < ENTRIES; i++)
		if (!deleted[i] && !memcmp(keys[i], key, ATTR_KEY_MIN))
			return i;
	errno = ENOENT;
	return -1;
}

/* These functions replace those of libbpf. */

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	int i = fails() ? -1 : find(key);
	struct attr_entry *e = value;

	if (i < 0)
		return -errno;
	*e = (struct attr_entry){links[i], 0};
	return 0;
}

int bpf_map_get_next_key(int fd, const void *key, void *next)
{
	int i = key ? find(key) + 1 : 0;

	if (fails())
		return -errno;
	while (i < ENTRIES && deleted[i])
		i++;
	errno = ENOENT;
	if (i == ENTRIES)
		return -errno;
	memcpy(next, keys[i], ATTR_KEY_MIN);
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	int i = fails() ? -1 : find(key);

	if (i < 0)
		return -errno;
	return !(deleted[i] = true);
}

static int open_or_fail(bool exists)
{
	if (fails())
		return -errno;
	errno = ENOENT;
	return exists ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -errno;
}

int bpf_link_get_fd_by_id(__u32 id)
{
	return open_or_fail(id == LIVE_LINK);
}

int bpf_prog_get_fd_by_id(__u32 id)
{
	return open_or_fail(id == LIVE_PROG);
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *sz)
{
	struct bpf_link_info *link = info;
	struct bpf_prog_info *prog = info;

	if (fails())
		return -errno;
	if (*sz == sizeof(*prog)) {
		strcpy(prog->name, "on_switch");
		return 0;
	}
	link->type = BPF_LINK_TYPE_RAW_TRACEPOINT;
	link->prog_id = LIVE_PROG;
	strcpy((char *)(unsigned long)link->raw_tracepoint.tp_name, "sched_switch");
	return 0;
}

/* Returns the number of calls that failed in turn. */
static int find_each(const struct attr_map *m, const struct perf_event_attr *attr)
{
	for (failing = 0;; failing++) {
		struct attr_entry e;
		int fd, err;

		calls = 0;
		err = attr_map__find(m, attr, &e, &fd);
		assert_true(!err == (fd >= 0));
		close_fd(&fd);
		if (failing > calls)
			return calls;
		assert_int_equal(err, failing ? -EMFILE : 0);
		if (!err)
			assert_int_equal(e.link_id, LIVE_LINK);
	}
}

static void test_errors(void **state)
{
	struct attr_map m = {.fd = 1, .key_sz = ATTR_KEY_MIN};
	const struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .exclude_guest = 1},
				     without_guests = {.type = PERF_TYPE_HARDWARE};

	/* The key that another version of perf has for the same event is found only by a search. */
	assert_int_equal(attr_key__make(&attr, keys[0], ATTR_KEY_MIN), 0);
	assert_int_equal(attr_key__make(&without_guests, keys[1], ATTR_KEY_MIN), 0);
	assert_true(find_each(&m, &attr) > 8);
	assert_true(find_each(&m, &without_guests) >= 5);
	for (failing = 0;; failing++) {
		memset(deleted, 0, sizeof(deleted));
		calls = 0;
		attr_map__sweep(&m);
		assert_false(deleted[1]);
		if (failing > calls)
			break;
	}
	assert_true(deleted[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
