// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes -G and the search for the place where cgroups are mounted. "make fuzz" runs it.
 *
 * Input: the argument of -G up to a NUL, then the content of /proc/self/mounts. The cgroups are
 * real directories in /dev/shm.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse_error.h"
#include "host/cgroups.h"
#include "tests/fuzz/world.h"

static char tree[] = "/dev/shm/bprof-fuzz-cgroup-XXXXXX";
static const char *const dirs[] = {"a", "a/b", "a/b.service", "c", "c/{x}"};

static char *path_of(int dir)
{
	static char path[sizeof(tree) + 16];

	snprintf(path, sizeof(path), "%s/%s", tree, dirs[dir]);
	return path;
}

static void remove_tree(void)
{
	for (int i = sizeof(dirs) / sizeof(dirs[0]) - 1; i >= 0; i--)
		rmdir(path_of(i));
	rmdir(tree);
}

static void make_tree(void)
{
	if (!strstr(tree, "XXXXXX"))
		return;
	require(mkdtemp(tree));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		require(!mkdir(path_of(i), 0777));
	atexit(remove_tree);
}

static void check_select(const struct cgroups_root *root, const char *arg)
{
	struct parse_error err = {};
	struct cgroup_list list = {};
	int ret = cgroups__select(root, arg, &list, &err);

	require(!ret || ret == -EINVAL);
	require(!ret || (err.pos <= strlen(arg) && *err.text));
	for (int i = 0; !ret && i < list.cnt; i++)
		require(list.v[i].name && !list.v[i].path == !!list.v[i].err);
	cgroup_list__free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	char *arg = bytes__text(&in);
	struct cgroups_root root = {.path = tree}, found;

	make_tree();
	world__clear();
	world__set_file("/proc/self/mounts", in.at, in.sz);
	/* Leave out repetitions in regular expressions. For some, such as {9}{9}{9}{9}, glibc takes very long. */
	if (!strpbrk(arg, "{*+"))
		check_select(&root, arg);
	if (!cgroups__root("/proc/self/mounts", &found))
		require(found.path);
	cgroups__free_root(&found);
	free(arg);
	return 0;
}
