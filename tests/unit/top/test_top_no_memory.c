// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests the screen of bprof top short of memory: it fails, or is complete, and goes on either way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/output_no_memory.h"
#include "tests/unit/report_models.h"
#include "top/top.h"

static const struct top_stats stats = {.programs = 3, .interval_ns = 1000000000};

/* Makes a report whose own allocations do not fail. */
static struct report *make_report(double scale)
{
	struct paused_failures paused = pause_failures();
	struct report *r = make_base();

	for (int i = 0; i < 3; i++) {
		struct report_prog *p = add_prog(r, 42 + i, "xdp", "xdp", 1000 + i);

		add_event(&p->all, "cycles", scale * (i + 1));
	}
	resume_failures(paused);
	return r;
}

/* Two intervals, a filter, a baseline, another order, and a page, each of which needs memory. */
static int use(struct top *t)
{
	static const char keys[] = "b>R\\xdp\n/xdp\nm";
	int err = top__set_report(t, make_report(1), &stats);

	top__add_message(t, "a message");
	for (size_t i = 0; !err && i < sizeof(keys) - 1; i++)
		top__press(t, keys[i]);
	return err ?: top__set_report(t, make_report(2), &stats) ?:
			      top__set_report(t, make_report(3), &stats);
}

static int write_screen(const void *model, FILE *out)
{
	const struct screen screen = {.width = 100};
	struct top *t = top__new();
	int cursor, err = t ? use(t) : -ENOMEM;

	err = err ?: top__render(t, &screen, 24, out, &cursor);
	top__free(t);
	return err;
}

static int write_batch(const void *model, FILE *out)
{
	const struct screen screen = {.width = 100};
	struct top *t = top__new();
	int err = t ? use(t) : -ENOMEM;

	err = err ?: top__print(t, &screen, out);
	top__free(t);
	return err;
}

static void test_screens(void **state)
{
	check_without_memory(write_screen, NULL);
	check_without_memory(write_batch, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
