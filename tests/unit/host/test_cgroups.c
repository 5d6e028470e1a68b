// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the cgroups for perf events are found and chosen, with made-up mounts and a made-up
 * tree.
 */
#include <errno.h>
#include <ftw.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/parse_error.h"
#include "host/cgroups.h"

static const struct {
	const char *mounts, *path; /* path is NULL if there is no suitable hierarchy */
	bool v1;
} hosts[] = {
	{"proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n",
	 "/sys/fs/cgroup", false},
	/*
	 * the controller perf_event is mounted together with other controllers, or is not mounted
	 */
	{"tmpfs /sys/fs/cgroup tmpfs ro 0 0\n"
	 "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n"
	 "cgroup /sys/fs/cgroup/perf cgroup rw,net_cls,perf_event,pids 0 0\n",
	 "/sys/fs/cgroup/perf", true},
	{"cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n"
	 "cgroup /cg/named cgroup rw,name=perf_events 0 0\n",
	 NULL, false},
	/*
	 * hybrid mounts: v1's hierarchy is used if it has perf_event, wherever it is in the list;
	 * otherwise v2's is used
	 */
	{"cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
	 "cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0\n"
	 "cgroup2 /other cgroup2 rw 0 0\n",
	 "/sys/fs/cgroup/perf_event", true},
	{"cgroup /sys/fs/cgroup/perf_event cgroup rw,perf_event 0 0\n"
	 "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n",
	 "/sys/fs/cgroup/perf_event", true},
	{"cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n"
	 "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
	 "cgroup2 /later cgroup2 rw 0 0\n",
	 "/sys/fs/cgroup/unified", false},
	/* the kernel escapes a space as \040 */
	{"none /my\\040groups cgroup2 rw 0 0\n", "/my groups", false},
	{"perf_event /cgroup2 ext4 rw,perf_event 0 0\n", NULL, false},
	{"garbage\n\n# cgroup2 / cgroup2\n", NULL, false},
	{"", NULL, false},
};

static void test_root(void **state)
{
	char path[] = "/tmp/bprof-test-XXXXXX";
	struct cgroups_root root;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		size_t len = strlen(hosts[i].mounts);

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, hosts[i].mounts, len, 0), len);
		if (!hosts[i].path) {
			assert_int_equal(cgroups__root(path, &root), -ENOENT);
			assert_null(root.path);
			continue;
		}
		assert_int_equal(cgroups__root(path, &root), 0);
		assert_string_equal(root.path, hosts[i].path);
		assert_int_equal(root.v1, hosts[i].v1);
		cgroups__free_root(&root);
	}
	close(fd);
	unlink(path);
	assert_int_equal(cgroups__root("/nonexistent/mounts", &root), -ENOENT);
}

static const char *const dirs[] = {"web",   "web/a",	    "web/a/x", "web/b",	   "web.slice",
				   "web-1", "db@1.service", "deep",    "deep/web", "deep/\x9b\xff"};

/* Makes a tree of these directories. Each has a file, as in the kernel's tree. */
static int make_tree(void **state)
{
	static char root[] = "/tmp/bprof-test-XXXXXX";
	char path[128];

	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		if (mkdir(path, 0777))
			return -1;
		strcat(path, "/cgroup.procs");
		f = fopen(path, "w");
		if (!f || fclose(f))
			return -1;
	}
	*state = root;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static int remove_tree(void **state)
{
	return nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* An argument, and the cgroups that it selects, in order. '!' marks a name that does not exist. */
static const struct {
	const char *arg, *want;
} choices[] = {
	{"web", "web"},
	{"/web/a/", "web/a"},
	{"//web///a//x", "web/a/x"},
	{"/", "/"},
	{"", "/"},
	{"web/b,,web", "web/b / web"},
	{"web,", "web /"},
	{"web/b,web,web/a", "web/b web web/a"},
	/* each cgroup is selected only once, even if it is written in several ways */
	{"web,/web,web/,web/a,^web$", "web web/a"},
	{"nosuch,web", "!nosuch web"},
	{"/web/nosuch/", "!/web/nosuch/"},
	{"web/cgroup.procs", "!web/cgroup.procs"},
	{"web/cgroup.procs/x", "!web/cgroup.procs/x"},
	/* paths that other tools might take for regular expressions */
	{"web.slice,web-1,db@1.service", "web.slice web-1 db@1.service"},
	/*
	 * the order is: parents before children, and then by name; an expression may match any part
	 * of a name
	 */
	{"w.*b", "deep/web web web/a web/a/x web/b web-1 web.slice"},
	{"^web/", "web/a web/a/x web/b"},
	{"^web$", "web"},
	{"^$", "/"},
	{"^[^/]*$", "/ db@1.service deep web web-1 web.slice"},
	/* a name that is not UTF-8 */
	{"^deep/.*$", "deep/web deep/\x9b\xff"},
	{"(a|b)$", "deep/web web web/a web/b"},
	{"^web(-1|.slice)$,x$,deep", "web-1 web.slice web/a/x deep"},
	{"^none$,web,procs$", "!^none$ web !procs$"},
};

static void test_select(void **state)
{
	struct cgroups_root root = {.path = *state, .level = 2};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct cgroup_list list = {};
		char got[512] = "";

		assert_int_equal(cgroups__select(&root, choices[i].arg, &list, NULL), 0);
		for (int j = 0; j < list.cnt; j++) {
			strcat(got, j ? " " : "");
			strcat(got, list.v[j].path ? "" : "!");
			strcat(got, list.v[j].name);
		}
		if (strcmp(got, choices[i].want))
			fail_msg("\"%s\": got \"%s\", want \"%s\"", choices[i].arg, got,
				 choices[i].want);
		cgroup_list__free(&list);
	}
}

static void test_fields(void **state)
{
	struct cgroups_root root = {.path = *state, .level = 2};
	struct cgroup_list list = {};
	char want[128];
	struct stat st;

	assert_int_equal(cgroups__select(&root, "web/a/x,a$,nosuch,no$,/", &list, NULL), 0);
	assert_int_equal(list.cnt, 5);
	snprintf(want, sizeof(want), "%s/web/a/x", root.path);
	assert_string_equal(list.v[0].path, want);
	assert_int_equal(stat(want, &st), 0);
	assert_int_equal(list.v[0].id, st.st_ino);
	/* the root itself is at level 2 of its hierarchy */
	assert_int_equal(list.v[0].level, 5);
	assert_int_equal(list.v[1].level, 4);
	snprintf(want, sizeof(want), "%s/web/a", root.path);
	assert_string_equal(list.v[1].path, want);
	assert_int_equal(list.v[2].err, -ENOENT);
	assert_false(list.v[2].regex);
	assert_int_equal(list.v[3].err, -ENOENT);
	assert_true(list.v[3].regex);
	assert_int_equal(list.v[4].level, 2);
	assert_string_equal(list.v[4].path, root.path);
	cgroup_list__free(&list);
	assert_int_equal(list.cnt, 0);

	root.level = -1; /* the root's level is unknown, and therefore those of all other cgroups */
	assert_int_equal(cgroups__select(&root, "web/a/x,a$", &list, NULL), 0);
	assert_int_equal(list.v[0].level, -1);
	assert_int_equal(list.v[1].level, -1);
	cgroup_list__free(&list);
}

static const struct {
	const char *arg;
	size_t pos, len;
	const char *text;
} errors[] = {
	{"(", 0, 1, "bad regular expression: "},
	{"web,a[b,c", 4, 3, "bad regular expression: "},
	{"web,..", 4, 2, "cannot contain . or .."},
	{"web/../../etc", 4, 2, "cannot contain . or .."},
	{"web//./a", 5, 1, "cannot contain . or .."},
	{"web,/.", 5, 1, "cannot contain . or .."},
};

static void test_errors(void **state)
{
	struct cgroups_root root = {.path = *state};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct parse_error err = {};
		struct cgroup_list list = {};

		assert_int_equal(cgroups__select(&root, errors[i].arg, &list, &err), -EINVAL);
		if (err.pos != errors[i].pos || err.len != errors[i].len ||
		    !strstr(err.text, errors[i].text))
			fail_msg("\"%s\": got %zu+%zu \"%s\"", errors[i].arg, err.pos, err.len,
				 err.text);
		cgroup_list__free(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_errors),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
