// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the messages when memory is short: they say that memory is short, and do not blame the
 * user's input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/output.h"
#include "base/text.h"
#include "btf/reason.h"
#include "cmd/common/measure_opts.h"
#include "engine/engine.h"
#include "event/event_fds.h"
#include "kernel/feature.h"
#include "system/system.h"
#include "tests/unit/capture.h"
#include "tests/unit/no_memory.h"

static const struct command_spec spec = {
	.name = "test",
	.synopsis = "[OPTIONS]",
	.summary = "Does this and that.",
	.tables = {{"Time", span_rows}},
};

/* Tests that parsing -C, which allocates memory, fails. */
static void test_options(void **state)
{
	char *argv[] = {"test", "-C", "0", NULL};
	struct measure_opts o = {};
	struct capture c;
	int err, status;
	char *text;

	capture__begin(&c, stderr);
	max_memory = 0;
	err = options__parse(&spec, &o, 3, argv, &o.loop.command);
	max_memory = SIZE_MAX;
	text = capture__end(&c);
	assert_int_equal(err, -ENOMEM);
	assert_string_equal(text, "bprof: -C: Cannot allocate memory\n");
	assert_true(measure_opts__ends(&o, err, &status));
	assert_int_equal(status, EXIT_FAILED);
	assert_true(measure_opts__ends(&o, -EINVAL, &status));
	assert_int_equal(status, EXIT_USAGE);
	assert_true(measure_opts__ends(&o, 1, &status));
	assert_int_equal(status, EXIT_DONE);
	measure_opts__free(&o);
	free(text);
}

/*
 * Checks that event_fds__open() fails when allocations of more than max bytes fail, and what it
 * prints.
 */
static void assert_fds_refused(size_t max)
{
	struct event event = {.name = "cycles"};
	struct event_list events = {.v = &event, .cnt = 1};
	struct cpus cpus = {};
	struct event_fds *fds;
	struct capture c;
	char *text;
	int err;

	capture__begin(&c, stderr);
	max_memory = max;
	err = event_fds__open(&events, &cpus, sizeof(*fds), &fds);
	max_memory = SIZE_MAX;
	text = capture__end(&c);
	assert_int_equal(err, -ENOMEM);
	assert_non_null(strstr(text, "out of memory"));
	free(text);
}

static void test_events(void **state)
{
	assert_fds_refused(0);
	/* memory suffices for the struct, but not for the descriptors in it */
	assert_fds_refused(sizeof(struct event_fds));
}

static void test_cpus(void **state)
{
	struct cpus none = {}, online = {};
	struct capture c;
	char *text;
	int err;

	capture__begin(&c, stderr);
	max_memory = 0;
	err = engine__choose_cpus(&none, NULL, &online, NULL);
	max_memory = SIZE_MAX;
	text = capture__end(&c);
	assert_int_equal(err, -ENOMEM);
	assert_non_null(strstr(text, "cannot read which CPUs"));
	free(text);
}

static void test_bperf(void **state)
{
	struct reason reason = {};
	struct system s = {};
	void *method;
	int err;

	max_memory = 0;
	err = bperf_ops.open(&s, &method, &reason);
	max_memory = SIZE_MAX;
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(reason.err, ENOMEM);
	assert_string_equal(reason.detail, strerror(ENOMEM));
}

/* A capability is not missing only because bprof cannot ask for it. */
static void test_caps(void **state)
{
	unsigned int caps;

	max_memory = 0;
	caps = features__caps();
	max_memory = SIZE_MAX;
	assert_int_equal(caps, (1U << BPROF_CAP_CNT) - 1);
}

/* More than a stream keeps in its buffer, and than a text has room for. */
#define LONG (4 * BUFSIZ)

/* A text lacks nothing if there is memory again after an allocation failed, at its end or before. */
static void test_stream(void **state)
{
	for (int at_end = 0; at_end < 2; at_end++) {
		char *text = NULL;
		size_t sz;
		FILE *f = text__open(&text, &sz);
		int err;

		assert_non_null(f);
		fprintf(f, "%*s", at_end ? BUFSIZ / 2 : LONG, "");
		failing_allocation = allocation_cnt;
		fprintf(f, "%*s", at_end ? BUFSIZ / 4 : LONG, "");
		fputs(at_end ? "" : "end", f);
		err = text__finish(f, &text);
		failing_allocation = -1;
		assert_int_equal(err, -ENOMEM);
		assert_null(text);
	}
}

static void test_whole_stream(void **state)
{
	char *text;
	size_t sz;
	FILE *f = text__open(&text, &sz);

	for (int i = 0; i < LONG; i++)
		fputc('a' + i % 26, f);
	assert_int_equal(text__finish(f, &text), 0);
	assert_int_equal(sz, LONG);
	assert_int_equal(strlen(text), LONG);
	for (int i = 0; i < LONG; i++)
		assert_int_equal(text[i], 'a' + i % 26);
	free(text);
	assert_int_equal(text__finish(text__open(&text, &sz), &text), 0);
	assert_string_equal(text, "");
	free(text);
	text = NULL;
	assert_int_equal(text__finish(NULL, &text), 0);
}

/* Output that found no memory is a failure, not an empty output. */
static void test_draft(void **state)
{
	FILE *out = tmpfile();
	struct draft d;
	int err;

	assert_non_null(out);
	assert_int_equal(draft__begin(&d), 0);
	allocations_left = 0;
	fprintf(d.mem, "%*s", LONG, "");
	err = draft__end(&d, 0, out);
	allocations_left = LONG_MAX;
	assert_int_equal(err, -ENOMEM);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),	     cmocka_unit_test(test_events),
		cmocka_unit_test(test_cpus),	     cmocka_unit_test(test_bperf),
		cmocka_unit_test(test_caps),	     cmocka_unit_test(test_stream),
		cmocka_unit_test(test_whole_stream), cmocka_unit_test(test_draft),
	};

	return cmocka_run_group_tests_name("no memory", tests, NULL, NULL);
}
