/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A made-up sysfs tree for the tests of -e, and functions that check whether an event list is
 * accepted or refused.
 */
#ifndef BPROF_TEST_MADE_EVENTS_H
#define BPROF_TEST_MADE_EVENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "tests/unit/fake_sysfs.h"

/* The root of the made-up tree, which is cmocka's group state. */
#define SYSFS ((const char *)*state)

static inline int make_tree(void **state)
{
	char *root = strdup("/tmp/bprof-test-event-XXXXXX");

	fake_sysfs__make(root, "");
	*state = root;
	return 0;
}

static inline int remove_tree(void **state)
{
	int err = fake_sysfs__remove(SYSFS);

	free(*state);
	return err;
}

static inline struct event_list parse(const char *sysfs, const char *spec)
{
	struct event_list list = {.any_level = true};
	struct parse_error err = {0};

	if (event_list__parse(&list, spec, sysfs, &err))
		fail_msg("'%s' at %zu: %s", spec, err.pos, err.text);
	return list;
}

/* Checks that spec is refused: len characters at pos are marked, and the message contains text. */
static inline void assert_bad(const char *sysfs, const char *spec, size_t pos, size_t len,
			      const char *text)
{
	struct event_list list = {.any_level = true};
	struct parse_error err = {0};
	int ret = event_list__parse(&list, spec, sysfs, &err);

	if (ret != -EINVAL)
		fail_msg("'%s' gave %d", spec, ret);
	if (err.pos != pos || err.len != len)
		fail_msg("'%s': caret at %zu, %zu: %s", spec, err.pos, err.len, err.text);
	if (!strstr(err.text, text))
		fail_msg("'%s': '%s' has no '%s'", spec, err.text, text);
	assert_null(list.v);
	assert_int_equal(list.cnt, 0);
	assert_int_equal(list.group_cnt, 0);
	assert_int_equal(event_list__parse(&list, spec, sysfs, NULL), -EINVAL);
}

#endif
