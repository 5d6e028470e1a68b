// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which lines of /proc/PID/mountinfo name network namespaces and bpf filesystems.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/sysmacros.h>

#include "host/namespaces.h"

static void read_line(struct namespaces *n, const char *text)
{
	char line[256];

	snprintf(line, sizeof(line), "%s", text);
	namespaces__read_mount(n, "/proc/7/task/7/root", line);
}

static void test_mounts(void **state)
{
	struct namespaces n = {};

	(void)state;
	read_line(&n, "30 28 0:28 / /sys/fs/bpf rw,nosuid shared:8 - bpf bpf rw,mode=700");
	read_line(&n, "31 28 0:28 /tc /run/a\\040b rw - bpf none rw");
	read_line(&n, "90 25 0:4 net:[4026532281] /run/netns/blue rw shared:9 - nsfs nsfs rw");
	read_line(&n, "91 25 0:4 net:[4026532281] /run/netns/again rw - nsfs nsfs rw");
	read_line(&n, "92 25 0:4 mnt:[4026532282] /run/mnt rw - nsfs nsfs rw");
	read_line(&n, "93 25 8:1 / / rw - ext4 /dev/sda1 rw");
	read_line(&n, "94 25 - bpf bpf rw");
	read_line(&n, "");
	assert_int_equal(n.bpffs_cnt, 2);
	assert_int_equal(n.bpffs[0].id, makedev(0, 28));
	assert_string_equal(n.bpffs[0].path, "/proc/7/task/7/root/sys/fs/bpf");
	assert_true(n.bpffs[0].whole);
	assert_string_equal(n.bpffs[1].path, "/proc/7/task/7/root/run/a b");
	assert_false(n.bpffs[1].whole);
	assert_int_equal(n.net_cnt, 1);
	assert_int_equal(n.net[0].id, 4026532281);
	assert_string_equal(n.net[0].path, "/proc/7/task/7/root/run/netns/blue");
	namespaces__free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_mounts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
