// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests owners of programs (--owner): which names a user may give, and which processes belong to a name.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse_error.h"
#include "base/util.h"
#include "host/task.h"
#include "target/owner.h"
#include "target/target.h"

static void test_kinds(void **state)
{
	static const struct {
		const char *who;
		enum owner_kind kind;
	} good[] = {
		{"1", OWNER_PID},
		{"2147483647", OWNER_PID},
		{"cilium-agent", OWNER_COMM},
		{"4agent", OWNER_COMM},
		{".service", OWNER_COMM},
		{"agent.service", OWNER_UNIT},
		{"cri-containerd-12.scope", OWNER_UNIT},
		{"user-1000.slice", OWNER_UNIT},
		{"/", OWNER_CGROUP},
		{"/kubepods.slice/pod12.slice", OWNER_CGROUP},
	};
	static const char *const bad[] = {"", "0", "2147483648", "99999999999999999999",
					  "kubepods/pod"};
	struct parse_error err;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(owner__kind(good[i].who), good[i].kind);
		assert_int_equal(owner__check(good[i].who, &err), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(owner__check(bad[i], &err), -EINVAL);
}

static void test_cgroups(void **state)
{
	static const char *const path = "/system.slice/docker.service/a/b";
	static const struct {
		enum owner_kind kind;
		const char *who;
		bool has;
	} cases[] = {
		{OWNER_CGROUP, "/", true},
		{OWNER_CGROUP, "/sys/fs/cgroup", true},
		{OWNER_CGROUP, "/system.slice", true},
		{OWNER_CGROUP, "/system.slice/", true},
		{OWNER_CGROUP, "/system.slice/docker.service/a/b", true},
		{OWNER_CGROUP, "/sys/fs/cgroup/system.slice/docker.service/a", true},
		{OWNER_CGROUP, "/sys/fs/cgroup/unified/system.slice", true},
		{OWNER_CGROUP, "/sys/fs/cgroups", false},
		{OWNER_CGROUP, "/system", false},
		{OWNER_CGROUP, "/docker.service", false},
		{OWNER_CGROUP, "/system.slice/docker.service/a/b/c", false},
		{OWNER_UNIT, "docker.service", true},
		{OWNER_UNIT, "system.slice", true},
		{OWNER_UNIT, "ocker.service", false},
		{OWNER_UNIT, "docker.servic", false},
		{OWNER_UNIT, "m.slice", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (owner__has_cgroup(cases[i].kind, cases[i].who, path) != cases[i].has)
			fail_msg("%s", cases[i].who);
}

/* The lines of /proc/PID/cgroup: cgroup2, several hierarchies, and both. */
static void test_files(void **state)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{"0::/init.scope", "/init.scope"},
		{"12:cpu,cpuacct:/a\n1:name=systemd:/system.slice/a:b.service\n0::/",
		 "/system.slice/a:b.service"},
		{"3:freezer:/0::/x\n0::/y", "/y"},
		{"3:freezer:/x", NULL},
		{"", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = strdup(cases[i].text), *path = task__find_cgroup(text);

		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
		free(text);
	}
}

static const char *format(char *buf, size_t sz, int pid)
{
	snprintf(buf, sz, "%d", pid);
	return buf;
}

static void test_processes(void **state)
{
	char who[16], name[OWNER_SZ];

	assert_int_equal(task__parent(getpid()), getppid());
	assert_true(owner__has_process(format(who, sizeof(who), getpid()), getpid(), "x"));
	assert_true(owner__has_process(format(who, sizeof(who), getppid()), getpid(), "x"));
	assert_false(owner__has_process(format(who, sizeof(who), getpid()), getppid(), "x"));
	assert_true(owner__has_process("agent", getpid(), "agent"));
	assert_false(owner__has_process("agent", getpid(), "agents"));
	/* the kernel keeps 15 characters */
	assert_true(owner__has_process("a-very-long-agent", getpid(), "a-very-long-age"));
	assert_false(owner__has_process("a-very-long-age", getpid(), "a-very-long-agX"));
	assert_false(owner__has_process("/no/such/cgroup", getpid(), "x"));
	assert_false(owner__has_process("/", 0, "x"));
	/* There is no process 0, so it is in no service. */
	assert_string_equal(owner__name(0, "comm", name), "comm");
}

static void test_selectors(void **state)
{
	__u32 ids[] = {3, 42};
	struct selector_list list = {};
	const __u32 *owned;

	assert_true(selector_list__has_id(&list, 42));
	assert_int_equal(selector_list__owned_ids(&list, &owned), 0);
	assert_int_equal(selector_list__add(&list, SELECT_OWNER, "agent", NULL), 0);
	/* bprof does not know yet which programs the owner holds */
	assert_false(selector_list__has_id(&list, 42));
	list.owned->id = calloc(2, sizeof(*ids));
	memcpy(list.owned->id, ids, sizeof(ids));
	list.owned->cnt = 2;
	assert_true(selector_list__has_id(&list, 42));
	assert_true(selector_list__has_id(&list, 3));
	assert_false(selector_list__has_id(&list, 4));
	assert_int_equal(selector_list__owned_ids(&list, &owned), 2);
	assert_int_equal(owned[1], 42);
	assert_true(selector_list__matches(&list, "a", "00", -1));
	assert_int_equal(selector_list__add(&list, SELECT_NAME, "b*", NULL), 0);
	assert_false(selector_list__matches(&list, "a", "00", -1));
	assert_false(selector_list__is_owner(&list, getpid()));
	selector_list__free(&list);
}

/* A bprof that runs for longer than the program's owner is not the owner of what it measures. */
static void test_choice(void **state)
{
	const struct holder h[] = {
		{1, 10, "bprof"}, {1, 20, "bprof"}, {1, 30, "agent"}, {1, 40, "helper"}};

	assert_ptr_equal(owner__choose(h, 4), &h[2]);
	assert_null(owner__choose(h, 2));
	assert_ptr_equal(owner__choose(h + 3, 1), &h[3]);
	assert_null(owner__choose(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	  cmocka_unit_test(test_cgroups),
		cmocka_unit_test(test_files),	  cmocka_unit_test(test_processes),
		cmocka_unit_test(test_selectors), cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
