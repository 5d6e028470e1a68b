// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests lists of events, as -e accepts them (groups, duplicates, the maximum, the caret's position
 * in a refused argument), and the list of all available events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "bpf/probe.h"
#include "event/event_catalog.h"
#include "event/event_names.h"
#include "tests/unit/made_events.h"

static void groups(void **state)
{
	struct event_list list = parse(
		SYSFS, " cycles , { instructions:k , cpu/event=1,edge/ , cs }:u ,{branches},r2");

	assert_int_equal(list.cnt, 6);
	assert_int_equal(list.group_cnt, 2);
	assert_string_equal(list.v[0].name, "cycles");
	assert_int_equal(list.v[0].group, -1);
	assert_string_equal(list.v[1].name, "instructions:ku");
	assert_string_equal(list.v[2].name, "cpu/event=1,edge/u");
	assert_string_equal(list.v[3].name, "cs:u");
	for (int i = 1; i < 4; i++)
		assert_int_equal(list.v[i].group, 0);
	assert_int_equal(list.v[4].group, 1);
	assert_string_equal(list.v[4].name, "branches");
	assert_int_equal(list.v[5].group, -1);

	/* a second -e adds to the list */
	assert_int_equal(event_list__parse(&list, "{cycles:u}", SYSFS, NULL), 0);
	assert_int_equal(list.cnt, 7);
	assert_int_equal(list.v[6].group, 2);
	assert_int_equal(list.group_cnt, 3);
	event_list__free(&list);
	assert_int_equal(list.cnt, 0);
	assert_null(list.v);

	list = parse(SYSFS, "{cycles:u,cs:p}:up");
	assert_string_equal(list.v[0].name, "cycles:up");
	assert_string_equal(list.v[1].name, "cs:pup");
	assert_int_equal(list.v[1].precise_ip, 2);
	event_list__free(&list);

	list = parse(SYSFS, "cpu//,{msr//u,cpu/edge/u}:uk");
	assert_int_equal(list.cnt, 3);
	assert_string_equal(list.v[0].name, "cpu//");
	assert_string_equal(list.v[1].name, "msr//uk");
	assert_string_equal(list.v[2].name, "cpu/edge/uk");
	event_list__free(&list);
}

static void duplicates_are_merged(void **state)
{
	struct event_list list = parse(SYSFS,
				       "cycles,cpu-cycles,cycles:u,cycles:u,cycles:uk,cycles:ku,"
				       "cpu/config=0x3c/,cpu/cpu-cycles/,time,time,tsc,msr/tsc/");

	assert_int_equal(list.cnt, 6);
	assert_string_equal(list.v[0].name, "cycles");
	assert_string_equal(list.v[1].name, "cycles:u");
	assert_string_equal(list.v[2].name, "cycles:uk");
	assert_string_equal(list.v[3].name, "cpu/config=0x3c/");
	assert_string_equal(list.v[4].name, "time");
	assert_string_equal(list.v[5].name, "tsc");
	assert_int_equal(event_list__parse(&list, "branches,cycles,time", SYSFS, NULL), 0);
	assert_int_equal(list.cnt, 7);
	assert_string_equal(list.v[6].name, "branches");
	event_list__free(&list);

	list = parse(SYSFS, "cpu/third=1/,cpu/third=2/,cycles,cycles:P");
	assert_int_equal(list.cnt, 4);
	event_list__free(&list);

	/*
	 * an event may be in several groups; but the last event is a duplicate within its group,
	 * because the group's modifier makes it cycles:u, too
	 */
	list = parse(SYSFS, "cycles,{cycles,instructions},{cycles:u,cycles}:u");
	assert_int_equal(list.cnt, 4);
	assert_int_equal(list.v[1].group, 0);
	assert_int_equal(list.v[3].group, 1);
	assert_string_equal(list.v[3].name, "cycles:u");
	event_list__free(&list);
}

static void at_most_sixteen(void **state)
{
	const char *sixteen = "r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10";
	struct event_list list = parse(SYSFS, sixteen);
	struct parse_error err;
	char spec[128];

	assert_int_equal(list.cnt, BPROF_MAX_EVENTS);
	/* duplicates of events in the list take no room */
	assert_int_equal(event_list__parse(&list, sixteen, SYSFS, NULL), 0);
	assert_int_equal(list.cnt, BPROF_MAX_EVENTS);
	assert_int_equal(event_list__parse(&list, "r1,cycles", SYSFS, &err), -EINVAL);
	assert_int_equal(err.pos, 3);
	assert_int_equal(err.len, 6);
	assert_int_equal(list.cnt, BPROF_MAX_EVENTS);
	assert_int_equal(event_list__parse(&list, "{cycles}", SYSFS, &err), -EINVAL);
	event_list__free(&list);

	snprintf(spec, sizeof(spec), "%s,r1, r11:u", sixteen);
	assert_bad(SYSFS, spec, strlen(sixteen) + 5, 5, "at most 16");
}

/* Callers with room for more events pass their own maximum. */
static void at_most_the_list_s_max(void **state)
{
	struct event_list list = {.max = EVENT_LIST_MAX};
	struct parse_error err;
	char spec[16];

	for (int i = 0; i < EVENT_LIST_MAX; i++) {
		snprintf(spec, sizeof(spec), "r%x", i + 1);
		assert_int_equal(event_list__parse(&list, spec, SYSFS, NULL), 0);
	}
	assert_int_equal(list.cnt, EVENT_LIST_MAX);
	assert_int_equal(event_list__parse(&list, "cycles", SYSFS, &err), -EINVAL);
	assert_non_null(strstr(err.text, "at most 64"));
	event_list__free(&list);
}

static void failure_leaves_the_list(void **state)
{
	struct event_list list = parse(SYSFS, "{cycles}");
	const struct event *v = list.v;
	struct parse_error err;

	assert_int_equal(event_list__parse(&list, "{branches,cs},nonsense", SYSFS, &err), -EINVAL);
	assert_int_equal(err.pos, 14);
	assert_int_equal(err.len, 8);
	assert_ptr_equal(list.v, v);
	assert_int_equal(list.cnt, 1);
	assert_int_equal(list.group_cnt, 1);
	event_list__free(&list);
}

static void bad_lists(void **state)
{
	assert_bad(SYSFS, "", 0, 1, "missing");
	assert_bad(SYSFS, "  ", 2, 1, "missing");
	assert_bad(SYSFS, ",cycles", 0, 1, "missing");
	assert_bad(SYSFS, "cycles,", 6, 1, "missing");
	assert_bad(SYSFS, "cycles,,branches", 7, 1, "missing");
	assert_bad(SYSFS, "{}", 1, 1, "missing");
	assert_bad(SYSFS, "{cycles,}", 7, 1, "missing");
	assert_bad(SYSFS, "branches,{cycles", 9, 1, "not closed");
	assert_bad(SYSFS, "branches,{cycles,r1:u", 9, 1, "not closed");
	assert_bad(SYSFS, "{cycles,{branches}}", 8, 1, "nested");
	assert_bad(SYSFS, "{{cycles}}", 1, 1, "nested");
	assert_bad(SYSFS, "a{cycles}", 1, 1, "must follow a comma");
	assert_bad(SYSFS, "}", 0, 1, "does not close a group");
	assert_bad(SYSFS, "cycles}", 6, 1, "does not close a group");
	assert_bad(SYSFS, "{cycles}}", 8, 1, "does not close a group");
	assert_bad(SYSFS, "{cycles}u", 8, 1, "must follow a group");
	assert_bad(SYSFS, "{cycles}{branches}", 8, 1, "must follow a group");
	assert_bad(SYSFS, "cycles,cpu/event=1", 10, 1, "not closed");
	assert_bad(SYSFS, "cpu/event=1,cycles", 3, 1, "not closed");
	assert_bad(SYSFS, ":u", 0, 2, "no name before the :");
	assert_bad(SYSFS, "/event=1/", 0, 9, "no name before the /");
}

static int is_software(const struct event *ev, void *arg)
{
	(*(int *)arg)++;
	return ev->type == PERF_TYPE_SOFTWARE;
}

static char *render(event_catalog_render_fn *render, const char *sysfs, const char *pattern,
		    event_supported_fn supported, void *arg)
{
	struct event_catalog c;
	char *text = NULL;
	size_t sz;
	FILE *f = open_memstream(&text, &sz);

	assert_non_null(f);
	assert_int_equal(event_catalog__make(&c, sysfs, pattern, supported, arg), 0);
	render(&c, false, f);
	event_catalog__free(&c);
	fclose(f);
	return text;
}

static char *print_all(const char *sysfs, event_supported_fn supported, void *arg)
{
	return render(event_catalog__render_text, sysfs, NULL, supported, arg);
}

static void lists_and_marks(void **state)
{
	int asked = 0;
	char *text = print_all(SYSFS, is_software, &asked);

	assert_true(asked > 60);
	assert_non_null(strstr(text, "\n  * time "));
	assert_non_null(strstr(text, "\n  * page-faults "));
	assert_non_null(strstr(text, "or faults\n"));
	assert_non_null(strstr(text, "\n    cycles "));
	assert_non_null(strstr(text, "\n    L1-dcache-load-misses\n"));
	assert_null(strstr(text, "L1-icache-stores"));
	assert_non_null(strstr(text, "\n    msr/tsc/\n"));
	assert_non_null(strstr(text, "PMU armv8_a72 (on CPUs 4-5):"));
	assert_non_null(strstr(text, "\n    uncore_imc_0/event=N/ sets config:0-7,32-35\n"));
	/* events with an invalid description are listed with the error */
	assert_non_null(strstr(text, "\n  - power/occupancy/ ("));
	assert_non_null(strstr(text, "PMU type_word: sysfs: the type"));
	free(text);

	text = print_all(SYSFS, NULL, NULL);
	assert_null(strstr(text, "\n  * "));
	free(text);
	text = print_all("/nonexistent", is_software, &asked);
	assert_non_null(strstr(text, "  * cpu-clock\n"));
	assert_null(strstr(text, "\nPMU "));
	free(text);
}

/* A PMU counts on one CPU of each of many groups. */
static void lists_many_cpus(void **state)
{
	static const char cpus[] = "0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128,136,144,"
				   "152,160,168,176,184,192,200,208,216,224,232,240,248";
	char root[] = "/tmp/bprof-test-cpumask-XXXXXX", heading[300], *text;

	fake_sysfs__make(root, "no file");
	fake_sysfs__write(root, "many/type", "40\n", 3);
	fake_sysfs__write(root, "many/cpumask", cpus, strlen(cpus));
	fake_sysfs__write(root, "many/events/hits", "config=1\n", 9);
	text = print_all(root, NULL, NULL);
	snprintf(heading, sizeof(heading), "PMU many (on CPUs %s):\n    many/hits/\n", cpus);
	assert_non_null(strstr(text, heading));
	free(text);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

/* Each name is in the list once. Completion offers each name once, too (visits_once()). */
static void lists_once(void **state)
{
	struct event_catalog c;

	assert_int_equal(event_catalog__make(&c, SYSFS, NULL, NULL, NULL), 0);
	assert_true(c.cnt > 60);
	for (int i = 0; i < c.cnt; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(c.v[i].name, c.v[k].name))
				fail_msg("%s", c.v[i].name);
	event_catalog__free(&c);
}

struct visited {
	char name[256][64];
	int cnt;
};

static void visit(void *arg, const char *pmu, const char *name)
{
	struct visited *v = arg;
	char *full = v->name[v->cnt++];

	assert_in_range(v->cnt, 1, ARRAY_SIZE(v->name));
	snprintf(full, sizeof(v->name[0]), "%s%s%s", pmu ?: "", pmu ? "/" : "", name);
	for (int i = 0; i < v->cnt - 1; i++)
		if (!strcmp(v->name[i], full))
			fail_msg("%s", full);
}

static bool has_visited(const struct visited *v, const char *name)
{
	for (int i = 0; i < v->cnt; i++)
		if (!strcmp(v->name[i], name))
			return true;
	return false;
}

static void visits_once(void **state)
{
	static const char *const names[] = {
		"cycles",
		"cpu-cycles",
		"time",
		"L1-dcache-loads",
		"L1-dcache-load-misses",
		"node-prefetch-misses",
		"cpu/cpu-cycles",
		"armv8_a53/bus_little",
		"uncore_imc_0/nest",
	};
	static struct visited v;

	v.cnt = 0;
	event_names__for_each(SYSFS, visit, &v);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!has_visited(&v, names[i]))
			fail_msg("%s", names[i]);
	assert_false(has_visited(&v, "L1-icache-stores"));
}

/* A pattern selects rows of all kinds by a part of their names; headings without rows are left out. */
static void lists_what_matches(void **state)
{
	char *text = render(event_catalog__render_text, SYSFS, "PU-*cyc", NULL, NULL);
	struct event_catalog c;

	assert_string_equal(text, "Events for -e; * can be counted on this machine, - cannot be "
				  "used as listed\n\nPMU cpu:\n    cpu/cpu-cycles/\n");
	free(text);
	assert_int_equal(event_catalog__make(&c, SYSFS, "nowhere", NULL, NULL), -ENOENT);
	event_catalog__free(&c);
}

/* Checks that the JSON has an event with this name and exactly these other fields. */
static void check_entry(const json_t *doc, const char *name, const char *want)
{
	json_t *event, *wanted = json_loads(want, 0, NULL);
	size_t i;

	assert_non_null(wanted);
	json_object_set_new(wanted, "name", json_string(name));
	json_array_foreach(json_object_get(doc, "events"), i, event)
	{
		if (strcmp(json_string_value(json_object_get(event, "name")), name))
			continue;
		if (!json_equal(event, wanted))
			fail_msg("%s", json_dumps(event, 0));
		json_decref(wanted);
		return;
	}
	fail_msg("%s is missing", name);
}

static void writes_json(void **state)
{
	int asked = 0;
	char *text = render(event_catalog__render_json, SYSFS, NULL, is_software, &asked);
	json_t *doc = json_loads(text, 0, NULL);

	assert_int_equal(json_integer_value(json_object_get(doc, "schema")), 1);
	check_entry(doc, "time",
		    "{\"kind\": \"time\", \"unit\": \"ns\", \"supported\": true, "
		    "\"description\": \"nanoseconds, by the probe's own clock\"}");
	check_entry(doc, "page-faults",
		    "{\"kind\": \"software\", \"alias\": \"faults\", \"unit\": \"\", "
		    "\"description\": \"\", \"supported\": true}");
	check_entry(doc, "L1-dcache-load-misses",
		    "{\"kind\": \"cache\", \"unit\": \"\", \"description\": \"\", "
		    "\"supported\": false}");
	check_entry(doc, "msr/tsc/",
		    "{\"kind\": \"pmu_event\", \"pmu\": \"msr\", \"unit\": \"\", "
		    "\"description\": \"\", \"supported\": false}");
	check_entry(doc, "uncore_imc_0/event=N/",
		    "{\"kind\": \"pmu_term\", \"pmu\": \"uncore_imc_0\", \"cpus\": \"0\", "
		    "\"unit\": \"\", \"description\": \"config:0-7,32-35\"}");
	/* events with an invalid description have the error */
	check_entry(doc, "power/occupancy/",
		    "{\"kind\": \"pmu_event\", \"pmu\": \"power\", \"cpus\": \"0,4\", "
		    "\"unit\": \"\", \"description\": \"\", \"supported\": false, "
		    "\"error\": \"'occupancy' is a momentary value, not a count: two readings have "
		    "no meaningful difference\"}");
	json_decref(doc);
	free(text);
}

/* Tracepoints are listed only if a pattern matches them. JSON in one line has its only line break at the end. */
static void lists_few_tracepoints(void **state)
{
	char root[] = "/tmp/bprof-test-XXXXXX", sysfs[PATH_MAX], *text = NULL;
	struct event_catalog c;
	size_t sz;
	FILE *f;

	fake_sysfs__make(root, "no file");
	snprintf(sysfs, sizeof(sysfs), "%s/bus/event_source/devices", root);
	fake_sysfs__write(root, "bus/event_source/devices/software/type", "1\n", 2);
	fake_sysfs__write(root, "kernel/tracing/events/xdp/go_there/id", "316\n", 4);
	text = print_all(sysfs, NULL, NULL);
	assert_null(strstr(text, "go_there"));
	free(text);
	text = render(event_catalog__render_text, sysfs, "go_th", NULL, NULL);
	assert_non_null(strstr(text, "xdp:go_there"));
	free(text);

	f = open_memstream(&text, &sz);
	assert_non_null(f);
	assert_int_equal(event_catalog__make(&c, sysfs, "go_th", NULL, NULL), 0);
	event_catalog__render_json(&c, true, f);
	fclose(f);
	assert_ptr_equal(strchr(text, '\n'), text + sz - 1);
	event_catalog__free(&c);
	free(text);
	assert_int_equal(fake_sysfs__remove(root), 0);
}

static int is_unknown(const struct event *ev, void *arg)
{
	return -EMFILE;
}

/* If bprof cannot find out which events the kernel supports, there is no list. */
static void needs_an_answer(void **state)
{
	struct event_catalog c;

	assert_int_equal(event_catalog__make(&c, SYSFS, NULL, is_unknown, NULL), -EMFILE);
	event_catalog__free(&c);
}

/* A term that sysfs describes with control characters is shown, and no terminal acts on it. */
static void shows_bad_terms(void **state)
{
	char root[] = "/tmp/bprof-test-catalog-XXXXXX", *text = NULL;
	struct event_catalog c = {};
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	assert_non_null(out);
	assert_non_null(mkdtemp(root));
	fake_sysfs__write(root, "pmu/type", "9\n", 2);
	fake_sysfs__write(root, "pmu/format/fmt", "config:0\033[2J\n", 13);
	assert_int_equal(event_catalog__make(&c, root, "pmu", NULL, NULL), 0);
	event_catalog__render_text(&c, false, out);
	fclose(out);
	if (!strstr(text, "pmu/fmt=N/ sets config:0\\x1b[2J\n") || strchr(text, '\033'))
		fail_msg("%s", text);
	event_catalog__free(&c);
	free(text);
	fake_sysfs__remove(root);
}

/* Only lists for bprof system may have events that count nothing in the kernel of the host. */
static void test_levels(void **state)
{
	static const char *const bad[] = {
		"cycles:u", "cycles:uh",     "cycles:G",   "cycles:h",	   "cpu-clock:u",
		"r1:ppu",   "cpu/event=1/u", "msr/tsc/:h", "{cpu//,r1}:u", "{cycles:u,branches}"};
	static const char *const good[] = {"cycles:k",	"cycles:uk",	"cycles:H",
					   "cycles:GH", "{cycles:u}:k", "cpu-clock"};
	struct event_list list = {};
	struct parse_error err = {};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(event_list__parse(&list, bad[i], SYSFS, &err), -EINVAL);
		assert_non_null(strstr(err.text, " counts nothing in BPF programs"));
		assert_int_equal(err.len, strlen(bad[i]));
		assert_int_equal(list.cnt, 0);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(event_list__parse(&list, good[i], SYSFS, &err), 0);
	event_list__free(&list);
	list.any_level = true;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(event_list__parse(&list, bad[i], SYSFS, &err), 0);
	event_list__free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(groups),
		cmocka_unit_test(duplicates_are_merged),
		cmocka_unit_test(at_most_sixteen),
		cmocka_unit_test(at_most_the_list_s_max),
		cmocka_unit_test(failure_leaves_the_list),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(lists_and_marks),
		cmocka_unit_test(lists_what_matches),
		cmocka_unit_test(lists_many_cpus),
		cmocka_unit_test(lists_once),
		cmocka_unit_test(visits_once),
		cmocka_unit_test(writes_json),
		cmocka_unit_test(lists_few_tracepoints),
		cmocka_unit_test(needs_an_answer),
		cmocka_unit_test(shows_bad_terms),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
