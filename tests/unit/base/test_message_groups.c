// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests that a message that is the same for many programs is one line, and that -v has a line for each program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/log.h"
#include "base/message_groups.h"

static char said[4096];

static void keep(void *arg, enum log_level level, const char *message)
{
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%d %s\n", level, message);
}

static void add(struct message_groups *g, const char *text, int from, int to)
{
	for (int i = from; i < to; i++)
		message_groups__add(g, text, "%d", i);
}

static void assert_said(struct message_groups *g, const char *want)
{
	said[0] = '\0';
	message_groups__warn(g, "thing ", "things ");
	assert_string_equal(said, want);
}

#define WARN "1 "
#define INFO "3 "

static void test_groups(void **state)
{
	const struct log_sink sink = {.write = keep, .max = LOG_LEVEL_WARN};
	struct message_groups g = {};

	log__set_sink(&sink);
	add(&g, "is red", 1, 2);
	add(&g, "is blue", 2, 10);
	add(&g, "is red", 10, 12);
	assert_said(&g,
		    WARN "things 1, 10, 11: is red\n" WARN "things 2, 3, 4 and 5 more: is blue\n");
	assert_said(&g, "");
	add(&g, "is red", 12, 13);
	assert_said(&g, WARN "thing 12: is red\n");
	message_groups__free(&g);
	assert_said(&g, "");
}

/* A reason that was printed once is not printed again for later programs. */
static void test_once(void **state)
{
	const struct log_sink quiet = {.write = keep, .max = LOG_LEVEL_WARN};
	const struct log_sink verbose = {.write = keep, .max = LOG_LEVEL_INFO};
	struct message_groups g = {.once = true};

	log__set_sink(&quiet);
	add(&g, "is red", 1, 3);
	assert_said(&g, WARN "things 1, 2: is red\n");
	add(&g, "is red", 3, 4);
	add(&g, "is blue", 4, 5);
	assert_said(&g, WARN "thing 4: is blue\n");
	log__set_sink(&verbose);
	add(&g, "is red", 5, 6);
	assert_said(&g, INFO "thing 5: is red\n");
	message_groups__free(&g);
}

static void test_each(void **state)
{
	const struct log_sink verbose = {.write = keep, .max = LOG_LEVEL_INFO};
	struct message_groups g = {};

	log__set_sink(&verbose);
	add(&g, "is red", 1, 3);
	assert_said(&g, WARN "thing 1: is red\n" WARN "thing 2: is red\n");
	message_groups__free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
