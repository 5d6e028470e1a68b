// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how a suite is read: that an entry means the same as the options on a command line, its
 * variables and paths, what it lists, and each error with its place.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/util.h"
#include "bench/bench_suite_priv.h"
#include "run/command.h"

#define DIR "/tmp/bprof-suite"
#include "tests/unit/bench/loaded_suite.h"

/* ---- an entry means the same as a command line ---- */

/* Writes everything that a bench depends on. */
static char *describe(const struct bench_args *a)
{
	const struct bench_plan *p = &a->plan;
	const struct compare_limits *limits = &a->compare.limits;
	const struct compare_matches *m = &a->compare.matches;
	char *text;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	for (int i = 0; i < p->object_cnt; i++)
		fprintf(out, "object %s\n", p->object[i]);
	for (int i = 0; i < p->setup.map_cnt; i++)
		fprintf(out, "map %s %s\n", p->setup.map[i].name, p->setup.map[i].path);
	for (int i = 0; i < p->setup.global_cnt; i++)
		fprintf(out, "global %s %s\n", p->setup.global[i].name, p->setup.global[i].value);
	for (int i = 0; i < p->setup.prog_array_cnt; i++)
		fprintf(out, "prog array %s %u %s\n", p->setup.prog_array[i].map,
			p->setup.prog_array[i].index, p->setup.prog_array[i].prog);
	for (int i = 0; i < p->setup.prog_cnt; i++)
		fprintf(out, "prog %s\n", p->setup.prog[i]);
	for (int i = 0; i < p->setup.type_cnt; i++)
		fprintf(out, "type %s %u\n", p->setup.type[i].prog ?: "-", p->setup.type[i].type);
	for (int i = 0; i < p->setup.size_cnt; i++)
		fprintf(out, "size %s %d %u\n", p->setup.size[i].name, p->setup.size[i].part,
			p->setup.size[i].n);
	for (int i = 0; i < p->setup.inner_cnt; i++)
		fprintf(out, "inner map %s %s\n", p->setup.inner[i].name,
			p->setup.inner[i].map ?: "-");
	fprintf(out, "pins %s, func %s, kconfig %s\n", p->setup.pin_maps ?: "-", p->func ?: "-",
		p->setup.kconfig ?: "-");
	for (int i = 0; i < a->data_cnt; i++)
		fprintf(out, "data %s\n", a->data[i]);
	fprintf(out, "pcap %s, ctx %s, cycle %d\n", a->pcap ?: "-", a->ctx ?: "-", a->cycle);
	fprintf(out, "%llu runs, %llu to warm up, %llu blocks, fresh %d, live %d, exact %d\n",
		p->run.repeat, p->run.warm_up, p->run.blocks, p->run.fresh, p->run.live,
		p->run.exact);
	fprintf(out, "a block takes at most %llu ns\n", p->run.block_ns);
	fprintf(out, "a block takes at most %llu ns\n", p->run.block_ns);
	fprintf(out, "cpu %llu, no calibration %d, no hist %d\n", p->cpu, p->no_calibrate,
		p->no_hist);
	for (int i = 0; i < p->expects.cnt; i++)
		fprintf(out, "expect %s\n", p->expects.v[i].spec);
	for (int i = 0; i < a->measure.events.cnt; i++)
		fprintf(out, "event %s\n", a->measure.events.v[i].name);
	for (int i = 0; i < limits->cnt; i++)
		fprintf(out, "limit %s\n", limits->v[i].spec);
	for (int i = 0; i < m->cnt; i++)
		fprintf(out, "match %s %s\n", m->v[i].old, m->v[i].new);
	fprintf(out, "retval change %d\n", a->compare.allow_retval_change);
	fclose(out);
	return text;
}

static void assert_means(const char *entry, const char *options)
{
	static char json[2048], line[1024], *argv[64];
	struct bench_args a;
	char *want, *got;
	struct loaded l;
	int argc;

	snprintf(json, sizeof(json), "{\"entries\": [%s]}", entry);
	l = load_ok(json, "");
	assert_int_equal(l.s.cnt, 1);
	snprintf(line, sizeof(line), "bprof bench %s", options);
	argc = split(line, argv);
	assert_int_equal(bench_args__parse(&a, argc, argv), 0);
	want = describe(&a);
	got = describe(&l.s.v[0].a);
	assert_string_equal(got, want);
	free(want);
	free(got);
	bench_args__free(&a);
	unload(&l);
}

static void test_same_as_command_line(void **state)
{
	assert_means("{\"object\": \"lb.o\"}", DIR "/lb.o");
	assert_means("{\"new\": \"/abs/lb.o\"}", "/abs/lb.o");
	assert_means("{\"old\": \"../old/lb.o\", \"new\": \"lb.o\", \"prog\": [\"xdp_*\", \"tc\"],"
		     " \"map\": {\"vips\": \"v.json\", \"in\": [{\"key\": 1, \"value\": 0x10}]},"
		     " \"global\": {\"debug\": 0, \"name\": \"eth0\", \"a\": [1, 2]},"
		     " \"prog_array\": {\"jumps:0\": \"v4\", \"jumps:1\": \"v6\"},"
		     " \"type\": \"xdp\", \"func\": \"*\", \"pin_maps\": \"/sys/fs/bpf/x\","
		     " \"fail_on\": [\"*:min>0\", \"lb/cycles:p50>2%\"], \"match\": {\"a\": \"b\"},"
		     " \"allow_retval_change\": true}",
		     DIR
		     "/../old/lb.o " DIR "/lb.o --prog xdp_* --prog tc --map vips=" DIR
		     "/v.json --map in=[{\"key\":1,\"value\":\"0x10\"}] --global debug=0 "
		     "--global name=eth0 --global a=[1,2] --prog-array jumps:0=v4 --prog-array "
		     "jumps:1=v6 --type xdp --func * --pin-maps /sys/fs/bpf/x --fail-on *:min>0 "
		     "--fail-on lb/cycles:p50>2% --match a=b --allow-retval-change");
	assert_means(
		"{\"object\": \"lb.o\", \"data_in\": [\"a.bin\", \"b.bin\"], \"pcap\": \"f.pcap\","
		" \"cycle\": true, \"ctx_in\": \"ctx\", \"repeat\": 50, \"blocks\": 7,"
		" \"warm_up\": 0, \"block_time\": \"5s\", \"fresh\": true, \"cpu\": 0, "
		"\"no_calibrate\": true,"
		" \"no_hist\": true, \"event\": \"time\","
		" \"expect_retval\": {\"lb\": \"XDP_TX\", \"lb/a.bin\": 2}}",
		DIR "/lb.o --data-in " DIR "/a.bin --data-in " DIR "/b.bin --pcap " DIR
		    "/f.pcap --cycle --ctx-in " DIR
		    "/ctx --repeat 50 --blocks 7 --warm-up 0 --block-time 5s "
		    "--fresh --cpu 0 --no-calibrate --no-hist -e time --expect-retval lb=XDP_TX "
		    "--expect-retval lb/a.bin=2");
	assert_means(
		"{\"object\": \"lb.o\", \"live_frames\": true, \"fresh\": false, \"prog\": \"a\"}",
		DIR "/lb.o --live-frames --prog a");
	assert_means(
		"{\"object\": \"lb.o\", \"map\": [{\"vips\": \"v.json\"}], \"expect_retval\": 2}",
		DIR "/lb.o --map vips=" DIR "/v.json --expect-retval 2");
}

/*
 * The schema has each option that an entry may have, and no other one. So a new option of bench also needs a
 * description in the schema of suites.
 */
static void test_schema(void **state)
{
	json_t *schema = json_load_file("docs/bprof-suite.schema.json", 0, NULL), *known, *entry;
	struct suite_load l = {};
	char key[64];
	const char *name;
	json_t *value;

	assert_non_null(schema);
	option_rows__join(&l.rows, &bench_spec);
	known = json_object_get(json_object_get(json_object_get(schema, "$defs"), "options"),
				"properties");
	entry = json_object_get(json_object_get(json_object_get(schema, "$defs"), "entry"),
				"properties");
	for (int i = 0; i < l.rows.cnt; i++) {
		snprintf(key, sizeof(key), "%s", l.rows.v[i].name);
		for (char *c = key; *c; c++)
			*c = *c == '-' ? '_' : *c;
		if (!!json_object_get(known, key) != (suite_load__find_option(&l, key) >= 0))
			fail_msg("docs/bprof-suite.schema.json: options.%s", key);
	}
	json_object_foreach(known, name, value)
	{
		if (suite_load__find_option(&l, name) < 0)
			fail_msg("%s is no option", name);
		if (!json_equal(value, json_object_get(entry, name)))
			fail_msg("entry.%s differs from options.%s", name, name);
	}
	json_decref(schema);
}

/* ---- several entries ---- */

static void test_names(void **state)
{
	struct loaded l = load_ok("{\"entries\": [{\"object\": \"a/xdp_lb.bpf.o\"},"
				  "{\"object\": \"fw.o\"}, {\"object\": \"x\"},"
				  "{\"name\": \"other\", \"object\": \"fw.o\"}]}",
				  "");

	assert_int_equal(l.s.cnt, 4);
	assert_string_equal(l.s.v[0].name, "xdp_lb");
	assert_string_equal(l.s.v[1].name, "fw");
	assert_string_equal(l.s.v[2].name, "x");
	assert_string_equal(l.s.v[3].name, "other");
	unload(&l);
	l = load_ok("{\"entries\": [{\"object\": \"xdp_lb.o\"}, {\"object\": \"fw.o\"}]}",
		    "--entry xdp_*");
	assert_int_equal(l.s.cnt, 1);
	assert_string_equal(l.s.v[0].name, "xdp_lb");
	unload(&l);
}

/* A key of the entry replaces the default, and the command line wins over both. */
static void test_defaults(void **state)
{
	static const char json[] =
		"{\"defaults\": {\"blocks\": 9, \"repeat\": 40, \"fail_on\": \"*:min>1\","
		"                \"event\": \"time\", \"pcap\": \"all.pcap\"},"
		" \"entries\": [{\"old\": \"a.o\", \"new\": \"a.o\", \"repeat\": 50,"
		"               \"fail_on\": \"*:p50>2%\"},"
		"              {\"object\": \"b.o\", \"event\": \"cycles\"}]}";
	struct loaded l = load_ok(json, "--blocks 12");

	for (int i = 0; i < 2; i++) {
		assert_int_equal(l.s.v[i].a.plan.run.blocks, 12);
		assert_string_equal(l.s.v[i].a.pcap, DIR "/all.pcap");
	}
	assert_int_equal(l.s.v[0].a.plan.run.repeat, 50);
	assert_int_equal(l.s.v[1].a.plan.run.repeat, 40);
	assert_int_equal(l.s.v[0].a.compare.limits.cnt, 1);
	assert_string_equal(l.s.v[0].a.compare.limits.v[0].spec, "*:p50>2%");
	/* An entry without an old version needs no limits. */
	assert_int_equal(l.s.v[1].a.compare.limits.cnt, 0);
	assert_int_equal(l.s.v[0].a.measure.events.cnt, 1);
	assert_string_equal(l.s.v[1].a.measure.events.v[0].name, "cycles");
	assert_true(bench_suite__compares(&l.s));
	unload(&l);
	/* -e replaces the events of the file. */
	l = load_ok(json, "-e time");
	assert_int_equal(l.s.v[1].a.measure.events.cnt, 1);
	unload(&l);
}

static void test_places(void **state)
{
	char json[1024], version[65];
	struct utsname here;
	struct loaded l;

	uname(&here);
	snprintf(version, sizeof(version), "%.*s", (int)strcspn(here.release, "-"), here.release);
	snprintf(json, sizeof(json),
		 "{\"arch\": [\"arm64\"], \"entries\": ["
		 "{\"object\": \"a.o\", \"arch\": [\"arm64\"]},"
		 "{\"object\": \"b.o\", \"arch\": [\"x86_64\"]},"
		 "{\"object\": \"c.o\", \"kernel\": [\"1.0\", \"%s\"]},"
		 "{\"object\": \"d.o\", \"kernel\": [\"1.0\"]},"
		 "{\"object\": \"e.o\", \"kernel\": [\"%.1s\"]}, {\"object\": \"f.o\"},"
		 "{\"object\": \"g.o\", \"kernel\": [\"%s\"]}]}",
		 version, version, here.release);
	l = load_ok(json, "");
	/*
	 * Of the first two entries, one is for arm64, one for x86-64, and none for other machines.
	 */
	assert_in_range(l.s.cnt, 4, 5);
	if (l.s.cnt == 5)
		assert_string_equal(l.s.v[0].name, strcmp(here.machine, "x86_64") ? "a" : "b");
	else
		assert_true(strcmp(here.machine, "x86_64") && strcmp(here.machine, "aarch64"));
	assert_string_equal(l.s.v[l.s.cnt - 4].name, "c");
	assert_string_equal(l.s.v[l.s.cnt - 3].name, "e");
	assert_string_equal(l.s.v[l.s.cnt - 2].name, "f");
	assert_string_equal(l.s.v[l.s.cnt - 1].name, "g");
	unload(&l);
	l = load("{\"entries\": [{\"object\": \"a.o\", \"kernel\": [\"1.0\"]}]}", "", false);
	assert_int_equal(l.err, -ENODATA);
	assert_non_null(strstr(l.log, "suite.json: no entry is for this architecture and kernel"));
	unload(&l);
}

/* ---- variables, lists ---- */

static void test_variables(void **state)
{
	static const char json[] =
		"{\"variables\": {\"NEW\": \"build\", \"OLD\": null},"
		" \"entries\": [{\"name\": \"${OLD}\", \"old\": \"${OLD}/a.o\", \"new\":"
		" \"${NEW}/${NEW}.o\", \"func\": \"$$x$y$\"}]}";
	struct loaded l = load_ok(json, "--set OLD=main --set NEW=wrong --set NEW=out=2");
	const struct bench_plan *p = &l.s.v[0].a.plan;

	assert_string_equal(l.s.v[0].name, "main");
	assert_string_equal(p->object[BENCH_BASE], DIR "/main/a.o");
	assert_string_equal(p->object[BENCH_NEW], DIR "/out=2/out=2.o");
	assert_string_equal(p->func, "$x$y$");
	unload(&l);
}

static void test_list(void **state)
{
	static const char want[] =
		"file\tfiles/0/a.o\t" DIR "/../old/a.o\n"
		"file\tbuild/a.o\t" DIR "/build/a.o\n"
		"file\tv.json\t" DIR "/v.json\n"
		"file\tfiles/1/f.pcap\t/abs/f.pcap\n"
		"file\tsyn.bin\t" DIR "/syn.bin\n"
		"entry\ta\n"
		"arch\tarm64\nkernel\t6.1\nkernel\t6.12\n"
		"suite\t{\"arch\":[\"arm64\"],\"kernel\":[\"6.1\",\"6.12\"],\"entries\":[{"
		"\"old\":\"files/0/a.o\",\"new\":\"build/a.o\",\"kernel\":[\"1.0\"],"
		"\"map\":{\"v\":\"v.json\",\"w\":[]},\"pin_maps\":\"/sys/fs/bpf/x\","
		"\"cases\":[{\"pcap\":\"files/1/f.pcap\"},{\"name\":\"b\",\"packet\":\"hex:00\","
		"\"before\":[{\"packet\":\"syn.bin\"}]}]}]}\n";
	struct loaded l = load(
		"{\"variables\": {\"OLD\": \"../old\"}, \"arch\": [\"arm64\"], \"kernel\": "
		"[\"6.1\", \"6.12\"], \"entries\": [{\"old\": \"${OLD}/a.o\", \"new\": "
		"\"build/a.o\", \"kernel\": [\"1.0\"], \"map\": {\"v\": \"v.json\", \"w\": []}, "
		"\"pin_maps\": \"/sys/fs/bpf/x\", \"cases\": [{\"pcap\": \"/abs/f.pcap\"}, "
		"{\"name\": \"b\", \"packet\": \"hex:00\", \"before\": [{\"packet\": "
		"\"syn.bin\"}]}]}]}",
		"", true);

	if (l.err)
		fail_msg("%s", l.log);
	assert_string_equal(l.list, want);
	unload(&l);
}

/* ---- errors ---- */

#define ENTRY(keys) "{\"entries\": [{\"object\": \"a.o\", " keys "}]}"

static const struct {
	const char *json, *options, *why; /* why: after "bprof: /tmp/bprof-suite/suite.json" */
} wrong[] = {
	{"", "", ":1: not JSON"},
	{"{\n\"entries\": [}", "", ":2: not JSON"},
	{"{\"entries\": [], \"entries\": []}", "", ":1: an object has two fields with the same"},
	{"[]", "", ": expected an object, found an array"},
	{"{}", "", ": entries: expected an array of at least one entry"},
	{"{\"entries\": []}", "", ": entries: expected an array of at least one entry"},
	{"{\"entrys\": []}", "", ": \"entrys\": no such key; did you mean 'entries'?"},
	{"{\"entries\": [7]}", "", ": entries[0]: expected an object, found a number"},
	{"{\"entries\": [{}]}", "", ": entries[0]: give \"object\", or \"old\" and \"new\""},
	{"{\"entries\": [{\"old\": \"a.o\"}]}", "", ": entries[0]: give \"object\", or"},
	{ENTRY("\"new\": \"b.o\""), "", ": entries[0]: give \"object\", or"},
	{ENTRY("\"name\": 1"), "", ": entries[0].name: expected a string, found a number"},
	{ENTRY("\"name\": \"\""), "", ": entries[0].name: is empty"},
	{ENTRY("\"name\": \"a/b\""), "", ": entries[0]: \"name\": must not contain '/'"},
	{"{\"entries\": [{\"object\": \"a.o\"}, {\"object\": \"a.o\"}]}", "",
	 ": entries[1]: another entry is called 'a'; give each a \"name\""},
	{ENTRY("\"progs\": \"x\""), "",
	 ": entries[0]: \"progs\": no such key; did you mean 'prog'?"},
	{ENTRY("\"fail-on\": \"x\""), "",
	 ": entries[0]: \"fail-on\": no such key; did you mean 'fail_on'?"},
	{ENTRY("\"output\": \"x\""), "", ": entries[0]: \"output\": no such key"},
	{ENTRY("\"strict\": true"), "", ": entries[0]: \"strict\": no such key"},
	{ENTRY("\"set\": \"x\""), "", ": entries[0]: \"set\": no such key"},
	{ENTRY("\"bpf_prog\": \"1\""), "", ": entries[0]: \"bpf_prog\": no such key"},
	{ENTRY("\"repeat\": 0"), "", ": entries[0].repeat: --repeat 0: give a whole number from 1"},
	{ENTRY("\"repeat\": [5]"), "", ": entries[0].repeat: expected a string or a number, found"},
	{ENTRY("\"repeat\": null"), "",
	 ": entries[0].repeat: expected a string or a number, found"},
	{ENTRY("\"fresh\": 1"), "", ": entries[0].fresh: expected true or false, found a number"},
	{ENTRY("\"prog\": {\"a\": 1}"), "",
	 ": entries[0].prog: expected a string or a number, found"},
	{ENTRY("\"prog\": [\"a\", true]"), "",
	 ": entries[0].prog[1]: expected a string or a number, found true"},
	{ENTRY("\"map\": 7"), "", ": entries[0].map: expected an object, found a number"},
	{ENTRY("\"prog_array\": {\"jumps\": \"a\"}"), "",
	 ": entries[0].prog_array.jumps: --prog-array: expected MAP:IDX=PROG"},
	{ENTRY("\"type\": \"xpd\""), "", ": entries[0].type: --type: "},
	{ENTRY("\"expect_retval\": {\"lb\": \"XDP_TXX\"}"), "",
	 ": entries[0].expect_retval.lb: --expect-retval lb=XDP_TXX: give"},
	{ENTRY("\"fail_on\": \"*:min>0\""), "",
	 ": entries[0].fail_on: it needs \"old\" and \"new\" to compare"},
	{"{\"entries\": [{\"old\": \"a\", \"new\": \"a\", \"fail_on\": [\"*:min>0\", \"x\"]}]}", "",
	 ": entries[0].fail_on[1]: --fail-on: "},
	{ENTRY("\"cycle\": true"), "", ": entries[0]: --cycle: it needs --pcap"},
	{ENTRY("\"live_frames\": true, \"fresh\": true"), "", ": entries[0]: --live-frames and"},
	{ENTRY("\"event\": \"cyclse\""), "", ": entries[0].event: -e: "},
	{ENTRY("\"arch\": \"arm64\""), "", ": entries[0].arch: expected an array, found a string"},
	{ENTRY("\"arch\": [\"arm\"]"), "", ": entries[0].arch[0]: expected arm64 or x86_64"},
	{ENTRY("\"kernel\": [6.1]"), "",
	 ": entries[0].kernel[0]: expected a string, found a number"},
	{ENTRY("\"cases\": {}"), "", ": entries[0].cases: expected an array, found an object"},
	{ENTRY("\"cases\": [{\"packet\": \"x\"}]"), "",
	 ": entries[0].cases[0]: \"name\" is missing"},
	{ENTRY("\"cases\": [{\"name\": \"x\", \"before\": [{\"repeat\": 0}]}]"), "",
	 ": entries[0].cases[0].before[0].repeat: expected a number from 1"},
	{"{\"kernel\": [\"6.1\", 7], \"entries\": []}", "",
	 ": kernel[1]: expected a string, found"},
	{"{\"defaults\": [], \"entries\": []}", "",
	 ": defaults: expected an object, found an array"},
	{"{\"defaults\": {\"object\": \"a\"}, \"entries\": []}", "",
	 ": defaults: \"object\": no such key"},
	{"{\"defaults\": {\"blocks\": 0}, \"entries\": [{\"object\": \"a\"}]}", "",
	 ": defaults.blocks: --blocks 0: give"},
	{ENTRY("\"func\": \"${F}\""), "",
	 ": entries[0].func: ${F} has no value; give --set F=VALUE"},
	{ENTRY("\"func\": \"${F\""), "", ": entries[0].func: '${F': expected ${NAME}; write $$"},
	{ENTRY("\"func\": [\"a\", \"${}\"]"), "", ": entries[0].func[1]: '${}': expected ${NAME}"},
	{"{\"variables\": []}", "", ": variables: expected an object, found an array"},
	{"{\"variables\": {\"A\": 1}}", "", ": variables.A: expected a string, or null if --set"},
};

static void test_wrong(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct loaded l = load(wrong[i].json, wrong[i].options, false);
		char want[512];

		snprintf(want, sizeof(want), "bprof: " FILE_ "%s", wrong[i].why);
		if (l.err != -EINVAL || strncmp(l.log, want, strlen(want)))
			fail_msg("%s: %d: %s", wrong[i].json, l.err, l.log);
		unload(&l);
	}
}

static void assert_log(const char *json, const char *options, int err, const char *log)
{
	struct loaded l = load(json, options, false);

	if (l.err != err || !strstr(l.log, log))
		fail_msg("%s: %d: %s", options, l.err, l.log);
	unload(&l);
}

static void test_wrong_options(void **state)
{
	static const char json[] =
		"{\"variables\": {\"NEW\": \"x\"}, \"entries\": [{\"object\": \"a.o\"}]}";

	assert_log(json, "a.o", -EINVAL, "--suite: the suite names the objects");
	assert_log(json, "-b 42", -EINVAL, "--suite: the suite names the objects");
	assert_log(json, "--set NEW", -EINVAL, "--set NEW: give NAME=VALUE");
	assert_log(json, "--set =x", -EINVAL, "--set =x: give NAME=VALUE");
	assert_log(json, "--set NWE=x", -EINVAL,
		   "--set NWE=x: \"variables\" in " FILE_ " has no NWE; did you mean 'NEW'?");
	assert_log(json, "--set NEWER=x", -EINVAL, "has no NEWER");
	unlink(FILE_);
	assert_log(json, "--suite " DIR "/none.json", -ENOENT,
		   "--suite " DIR "/none.json: No such file or directory");
}

/*
 * If a file is missing, only its entry fails, when it is run. So loading the suite does not notice
 * it.
 */
static void test_missing_files(void **state)
{
	struct loaded l = load_ok(ENTRY("\"pcap\": \"none.pcap\", \"map\": {\"m\": \"none\"}"), "");

	assert_int_equal(l.s.cnt, 1);
	unload(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_command_line),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_wrong_options),
		cmocka_unit_test(test_missing_files),
	};
	int failed;

	if (system("mkdir -p " DIR))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	return system("rm -r " DIR) ? 1 : failed;
}
