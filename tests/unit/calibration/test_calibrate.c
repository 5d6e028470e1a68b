// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the fentry backend after a failed calibration: the targets are still measured, and one message says
 * that the numbers are raw. The template of the probe is made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_env.h"
#include "calibration/calibrate.h"
#include "event/event_fds.h"
#include "probe/probe_template.h"
#include "probe/probes.h"
#include "tests/unit/capture.h"

static struct probe_template *closed;
static struct probe_template *const first = (void *)1, *const second = (void *)2;
static int open_err;

int probe_template__open(const struct probe_template_opts *o, struct probe_template **out,
			 struct reason *reason)
{
	*out = open_err ? NULL : second;
	return open_err ? reason__set(reason, REASON_SYSTEM, -open_err, NULL) : 0;
}

void probe_template__close(struct probe_template *t)
{
	closed = t;
}

int probe_template__empty_fd(const struct probe_template *t, enum empty which)
{
	return -1;
}

int probe_template__create_stats(const struct probe_template *t, const struct target *target,
				 int pieces, struct mapped_array *stats)
{
	return -ENOMEM;
}

int probe_template__load(struct probe_template *t, enum probe_side side,
			 const struct target *target, int stats_fd, int pool_fd,
			 struct reason *reason)
{
	return -ENOMEM;
}

int probe_template__create_pool(const struct probe_template *t, const struct target *target,
				struct mapped_array *pool)
{
	return -ENOMEM;
}

size_t probe_template__first_stat(const struct probe_template *t)
{
	return 0;
}

bool probe_template__has_side(const struct probe_template *t, enum probe_side side)
{
	return true;
}

/*
 * Calibration chooses other contexts. If no template can be opened for them, the old template and
 * its contexts stay.
 */
static void test_set_contexts(void **state)
{
	struct event_fds fds = {};
	struct backend_env env = {.fds = &fds};
	struct probes f = {.env = &env, .template = first, .contexts = 1};
	struct reason reason = {};

	open_err = -ENOMEM;
	assert_int_equal(probes__set_contexts(&f, 3, &reason), -ENOMEM);
	assert_ptr_equal(f.template, first);
	assert_null(closed);
	assert_int_equal(f.contexts, 1);
	open_err = 0;
	assert_int_equal(probes__set_contexts(&f, 3, &reason), 0);
	assert_ptr_equal(f.template, second);
	assert_ptr_equal(closed, first);
	assert_int_equal(f.contexts, 3);
}

/* A failed calibration is reported when the first target is measured, and only then. */
static void test_warn(void **state)
{
	struct calibration c = {};
	struct capture log;
	char *text;

	reason__set(&c.failed, REASON_SYSTEM, ENOMEM, "out of memory");
	capture__begin(&log, stderr);
	calibration__warn(&c);
	calibration__warn(&c);
	text = capture__end(&log);
	assert_string_equal(text, "bprof: not calibrated, numbers are raw: cannot be probed, a "
				  "system call failed: out of memory\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_contexts),
		cmocka_unit_test(test_warn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
