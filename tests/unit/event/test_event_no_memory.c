// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests lists of events and the list of all available events when memory is short: they are complete,
 * or the error is -ENOMEM. The user's argument is not blamed.
 */
#include <stdio.h>

#include "base/util.h"
#include "event/event_catalog.h"
#include "tests/unit/made_events.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/scratch_file.h"

struct parsing {
	const char *sysfs, *spec;
	int cnt;
};

static void parse_or_fail(void *arg)
{
	const struct parsing *p = arg;
	struct event_list list = {.any_level = true};
	struct parse_error err = {};
	int ret = event_list__parse(&list, p->spec, p->sysfs, &err);

	if (ret && (ret != -ENOMEM || failing_allocation < 0))
		fail_msg("allocation %ld of '%s': %d, %s", failing_allocation, p->spec, ret,
			 err.text);
	if (list.cnt != (ret ? 0 : p->cnt))
		fail_msg("allocation %ld of '%s': %d events", failing_allocation, p->spec,
			 list.cnt);
	for (int i = 0; i < list.cnt; i++)
		assert_true(list.v[i].name && list.v[i].base && list.v[i].unit);
	event_list__free(&list);
}

static void test_parsing(void **state)
{
	static const struct {
		const char *spec;
		int cnt;
	} cases[] = {
		{"cycles", 1},
		{"{cycles:u,instructions},time,task-clock", 4},
		{"L1-dcache-load-misses,r1a2", 2},
		{"cpu/cpu-cycles/,cpu/event=0x3c,umask=1,name=x/u", 2},
		{"power/energy-pkg/,msr/tsc/,tsc", 2},
		{"mem-loads", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsing p = {SYSFS, cases[i].spec, cases[i].cnt};

		assert_true(fail_each_allocation(parse_or_fail, &p) > 0);
	}
}

/* An argument that is wrong is refused for what is wrong, or for the memory. */
static void refuse(void *arg)
{
	const struct parsing *p = arg;
	struct event_list list = {.any_level = true};
	struct parse_error err = {};
	int ret = event_list__parse(&list, p->spec, p->sysfs, &err);

	assert_true(ret == -EINVAL || (ret == -ENOMEM && failing_allocation >= 0));
	assert_int_equal(list.cnt, 0);
	event_list__free(&list);
}

static void test_refused(void **state)
{
	static const char *const specs[] = {"cycls",	       "cpu/nosuch/",  "nosuch/event=1/",
					    "cycles:zz",       "inst_retired", "sched:nosuch",
					    "cpu/event=0x100/"};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct parsing p = {SYSFS, specs[i]};

		fail_each_allocation(refuse, &p);
	}
}

struct listing {
	const char *sysfs, *pattern;
	event_catalog_render_fn *render;
	struct scratch_file file;
	char *whole;
};

static int is_supported(const struct event *ev, void *arg)
{
	return true;
}

static void list_or_fail(void *arg)
{
	struct listing *l = arg;
	struct event_catalog c;
	const char *text;
	int ret;

	scratch_file__empty(&l->file);
	ret = event_catalog__make(&c, l->sysfs, l->pattern, is_supported, NULL)
		      ?: l->render(&c, false, l->file.out);
	event_catalog__free(&c);
	text = scratch_file__text(&l->file);
	if (ret && (ret != -ENOMEM || failing_allocation < 0))
		fail_msg("allocation %ld: %d", failing_allocation, ret);
	if (!ret && l->whole && strcmp(text, l->whole))
		fail_msg("allocation %ld: %s", failing_allocation, text);
	if (!l->whole)
		l->whole = strdup(text);
}

static void test_listing(void **state)
{
	static event_catalog_render_fn *const renderers[] = {event_catalog__render_text,
							     event_catalog__render_json};
	static const char *const patterns[] = {NULL, "cpu"};
	static struct listing l;

	for (size_t i = 0; i < 4; i++) {
		l = (struct listing){SYSFS, patterns[i / 2], renderers[i % 2]};
		scratch_file__open(&l.file);
		assert_true(fail_each_allocation(list_or_fail, &l) > 100);
		fclose(l.file.out);
		free(l.whole);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parsing),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_listing),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
