// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests as which user a command runs. Only root can change users: without root, the tests see the refusal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/identity.h"

static struct identity id;

static void test_find(void **state)
{
	assert_int_equal(identity__find("root", &id), 0);
	assert_true(id.known && id.uid == 0 && id.gid == 0 && id.group_cnt >= 1);
	assert_string_equal(id.name, "root");
	assert_int_equal(identity__find("0", &id), 0);
	assert_string_equal(id.name, "root");
	assert_int_equal(identity__find("no such user", &id), -ENOENT);
	assert_int_equal(identity__find("4294967294", &id), -ENOENT);
	assert_int_equal(identity__find("-1", &id), -ENOENT);
	assert_int_equal(identity__find("", &id), -ENOENT);
}

/* SUDO_UID counts only if it is the number of a user other than root, and if bprof runs as root. */
static void test_invoker(void **state)
{
	static const char *const not [] = {"", "0", "-1", "4294967295", "1x", "root"};

	unsetenv("SUDO_UID");
	setenv("SUDO_GID", "3000001", 1);
	assert_int_equal(identity__find_invoker(&id), 0);
	assert_false(id.known);
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++) {
		setenv("SUDO_UID", not [i], 1);
		assert_int_equal(identity__find_invoker(&id), 0);
		assert_false(id.known);
	}
	setenv("SUDO_UID", "3000000", 1);
	assert_int_equal(identity__find_invoker(&id), 0);
	assert_int_equal(id.known, getuid() == 0);
	if (!id.known)
		return;
	assert_true(id.uid == 3000000 && id.gid == 3000001 && id.group_cnt == 1);
	assert_true(id.groups[0] == 3000001 && !id.name[0]);
	setenv("SUDO_GID", "x", 1);
	assert_int_equal(identity__find_invoker(&id), 0);
	assert_true(id.gid == 3000000);
}

/* Returns 0 if this process has become the user, 1 if it could not, else another number. */
static int try_user(void)
{
	const struct identity user = {.known = true,
				      .uid = 3000000,
				      .gid = 3000001,
				      .home = "/h",
				      .name = "u",
				      .groups = {3000002},
				      .group_cnt = 1};
	uid_t ruid, euid, suid;
	gid_t group;
	int err = identity__take(&user);

	if (err)
		return err == -EPERM ? 1 : 2;
	if (getresuid(&ruid, &euid, &suid) || ruid != 3000000 || euid != 3000000 || suid != 3000000)
		return 3;
	if (getegid() != 3000001 || getgroups(1, &group) != 1 || group != 3000002)
		return 4;
	if (strcmp(getenv("HOME"), "/h") || strcmp(getenv("USER"), "u") ||
	    strcmp(getenv("LOGNAME"), "u"))
		return 5;
	return setuid(0) ? 0 : 6;
}

static void test_take(void **state)
{
	const struct identity own = {};
	int status;
	pid_t pid;

	assert_int_equal(identity__take(&own), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(try_user());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), getuid() ? 1 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_invoker),
		cmocka_unit_test(test_take),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
