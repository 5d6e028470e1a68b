// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the files and the options in a suite's entry: which paths the list of files keeps, where
 * paths lead, that only the first wrong value is reported, and that a suite is loaded completely.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

#define DIR "/tmp/bprof-suite-options"
#include "tests/unit/bench/loaded_suite.h"

/* ---- files ---- */

/* A path that leads out of the suite's directory, or into files/N, is listed with the name files/N/FILE. */
static void test_listed_names(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{"a.o", "a.o"},
		{"x/a.o", "x/a.o"},
		{"..a.o", "..a.o"},
		{"x..y/a.o", "x..y/a.o"},
		{"../a.o", "files/0/a.o"},
		{"x/../../a.o", "files/0/a.o"},
		{"files/0/a.o", "files/0/a.o"},
		{"files/7/a.o", "files/0/a.o"},
		{"./files/7/a.o", "files/0/a.o"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char json[256], want[256];
		struct loaded l;

		snprintf(json, sizeof(json), "{\"entries\": [{\"object\": \"%s\"}]}",
			 cases[i].path);
		snprintf(want, sizeof(want), "file\t%s\t" DIR "/%s\n", cases[i].name,
			 cases[i].path);
		l = load(json, "", true);
		assert_int_equal(l.err, 0);
		if (strncmp(l.list, want, strlen(want)))
			fail_msg("%s: %s", cases[i].path, l.list);
		unload(&l);
	}
}

/* No two files have the same name in the list. */
static void test_distinct_names(void **state)
{
	struct loaded l =
		load("{\"entries\": [{\"old\": \"../a.o\", \"new\": \"files/0/a.o\"}]}", "", true);

	assert_int_equal(l.err, 0);
	assert_non_null(strstr(l.list, "file\tfiles/0/a.o\t" DIR "/../a.o\n"));
	assert_non_null(strstr(l.list, "file\tfiles/1/a.o\t" DIR "/files/0/a.o\n"));
	unload(&l);
}

/*
 * Tests all keys whose values are files, also in defaults and cases. Other strings stay as they
 * are.
 */
static void test_all_files(void **state)
{
	struct loaded l = load("{\"defaults\": {\"kconfig\": \"/k\", \"data_in\": [\"../1\", \"\"],"
			       " \"map\": [{\"m\": \"../2\"}, {\"n\": [\"../x\"]}]},"
			       " \"entries\": [{\"object\": \"a.o\", \"cases\": [{\"name\": \"a\","
			       " \"ctx\": \"../3\", \"packet\": \"hex:00\"}]}]}",
			       "", true);

	assert_int_equal(l.err, 0);
	assert_non_null(strstr(l.list, "\"kconfig\":\"files/0/k\""));
	assert_non_null(strstr(l.list, "\"data_in\":[\"files/1/1\",\"\"]"));
	assert_non_null(strstr(l.list, "[{\"m\":\"files/2/2\"},{\"n\":[\"../x\"]}]"));
	assert_non_null(strstr(l.list, "\"ctx\":\"files/3/3\",\"packet\":\"hex:00\""));
	unload(&l);
}

/* Loads a suite of one entry from a file; returns the path of its object, or NULL. */
static const char *object_of(struct loaded *l, char *file)
{
	static char *argv[] = {"bprof", "bench", "--suite", NULL, NULL};
	struct capture c;

	*l = (struct loaded){};
	argv[3] = file;
	capture__begin(&c, stderr);
	l->err = bench_args__parse(&l->cli, 4, argv);
	if (!l->err)
		l->err = bench_suite__load(&l->s, &l->cli, 4, argv, NULL);
	l->log = capture__end(&c);
	return l->err ? NULL : l->s.v[0].a.plan.object[0];
}

/* Paths lead from the suite's directory, whatever its name is. */
static void test_directories(void **state)
{
	char old[PATH_MAX];
	struct loaded l;

	write_suite("{\"entries\": [{\"new\": \"x/a.o\"}]}");
	assert_non_null(getcwd(old, sizeof(old)));
	assert_int_equal(chdir(DIR), 0);
	assert_string_equal(object_of(&l, "suite.json"), "x/a.o");
	unload(&l);
	assert_string_equal(object_of(&l, "./suite.json"), "./x/a.o");
	unload(&l);
	/* not UTF-8 */
	if (mkdir("\xff", 0700) || rename("suite.json", "\xff/suite.json"))
		fail();
	assert_string_equal(object_of(&l, "\xff/suite.json"), "\xff/x/a.o");
	unload(&l);
	assert_int_equal(chdir(old), 0);
}

/* ---- values ---- */

#define ENTRY(keys) "{\"entries\": [{\"object\": \"a.o\", " keys "}]}"

/* The first wrong value is reported, and nothing else. */
static void test_first_wrong(void **state)
{
	static const struct {
		const char *json, *why;
	} cases[] = {
		{ENTRY("\"repeat\": 0, \"blocks\": 0"), "repeat: --repeat 0: give a whole number"},
		{ENTRY("\"repeat\": 1.5"), "repeat: --repeat 1.5: give a whole number"},
		{ENTRY("\"prog\": [true, 7, {}]"),
		 "prog[0]: expected a string or a number, found true"},
		{ENTRY("\"global\": true"), "global: expected an object or a string, found true"},
		{ENTRY("\"global\": [true]"),
		 "global[0]: expected an object or a string, found true"},
		{ENTRY("\"prog_array\": {\"a\": \"x\", \"b\": \"y\"}"),
		 "prog_array.a: --prog-array: expected MAP:IDX=PROG"},
		{ENTRY("\"map\": [\"m=x.json\"]"), "map[0]: expected an object, found a string"},
		{ENTRY("\"cycle\": \"yes\""), "cycle: expected true or false, found a string"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct loaded l = load(cases[i].json, "", false);
		char want[256];

		snprintf(want, sizeof(want), "bprof: " FILE_ ": entries[0].%s", cases[i].why);
		assert_int_equal(l.err, -EINVAL);
		if (strncmp(l.log, want, strlen(want)))
			fail_msg("%s: %s", cases[i].json, l.log);
		assert_null(strstr(l.log, "\nbprof: "));
		unload(&l);
	}
}

/* ---- all of it ---- */

static void test_whole(void **state)
{
	static const char json[] =
		"{\"defaults\": {\"kconfig\": \"../k\"}, \"entries\": ["
		"{\"old\": \"../a.o\", \"new\": \"a.o\", \"data_in\": [\"../1\", \"2\"],"
		" \"map\": [{\"m\": \"../m\", \"n\": [{\"key\": 1}]}],"
		" \"global\": {\"x\": 1, \"y\": [2]}},"
		"{\"new\": \"b.o\", \"cases\": [{\"name\": \"c\", \"packet\": \"p\","
		" \"before\": [{\"pcap\": \"q\"}]}, {\"name\": \"after\", \"packet\": \"p\","
		" \"ctx\": \"../r\"}]}]}";
	struct loaded l = load_ok(json, "--blocks 7");

	assert_int_equal(l.s.cnt, 2);
	assert_int_equal(l.s.v[0].a.plan.setup.map_cnt, 2);
	assert_int_equal(l.s.v[0].a.plan.setup.global_cnt, 2);
	assert_int_equal(l.s.v[0].a.data_cnt, 2);
	assert_int_equal(l.s.v[1].a.plan.run.blocks, 7);
	unload(&l);
	l = load(json, "--blocks 7", true);
	assert_int_equal(l.err, 0);
	assert_non_null(strstr(l.list, "\"after\""));
	unload(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listed_names), cmocka_unit_test(test_distinct_names),
		cmocka_unit_test(test_all_files),    cmocka_unit_test(test_directories),
		cmocka_unit_test(test_first_wrong),  cmocka_unit_test(test_whole),
	};
	int failed;

	if (system("mkdir -p " DIR))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	return system("rm -r " DIR) ? 1 : failed;
}
