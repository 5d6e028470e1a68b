// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests when bprof watch reports a program as unheld, with stand-ins for the programs and for what
 * holds them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "btf/prog.h"
#include "target/holds.h"
#include "watch/watch_unheld.h"

static struct hold found; /* the only program without a process; its id is 0 if it has one */

int holds__load_from(struct holds *h, struct holder_source *source)
{
	*h = (struct holds){found.prog_id ? &found : NULL, !!found.prog_id};
	return 0;
}

int holds__load(struct holds *h, const struct attachments *attached, const struct holders *holders)
{
	return holds__load_from(h, NULL);
}

void holds__free(struct holds *h)
{
}

int holds__count(const struct holds *h, enum hold_state state, __u64 *memory)
{
	*memory = 0;
	return h->cnt && h->v[0].state == state;
}

int prog__open_id(__u32 id, struct prog **out)
{
	*out = calloc(1, sizeof(**out));
	return 0;
}

int prog__load_funcs(struct prog *p, struct reason *reason)
{
	return 0;
}

const char *prog__name(const struct prog *p)
{
	return "xdp_lb";
}

const char *prog__tag(const struct prog *p, char *buf)
{
	return "";
}

void prog__close(struct prog *p)
{
	free(p);
}

static int count(const struct prog_change *change, void *arg)
{
	assert_int_equal(change->id, 42);
	++*(int *)arg;
	return 0;
}

/*
 * A program is reported in the second check that finds it unheld, and again only after something held it.
 * That bprof does not know what holds it does not mean that something does.
 */
static void test_again(void **state)
{
	static const struct {
		__u32 id; /* 0: a process holds the program */
		enum hold_state state;
		int reported; /* so far */
	} checks[] = {
		{42, HOLD_UNHELD, 0},  {42, HOLD_UNHELD, 1}, {42, HOLD_UNHELD, 1},
		{42, HOLD_UNKNOWN, 1}, {42, HOLD_UNHELD, 1}, {0, HOLD_UNHELD, 1},
		{42, HOLD_UNHELD, 1},  {42, HOLD_UNHELD, 2}, {42, HOLD_OTHER, 2},
		{42, HOLD_UNHELD, 2},  {42, HOLD_UNHELD, 3},
	};
	int reported = 0;
	struct watch_unheld *u = watch_unheld__new(count, &reported);

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		found = (struct hold){.prog_id = checks[i].id, .state = checks[i].state};
		assert_int_equal(watch_unheld__look(u), 0);
		if (reported != checks[i].reported)
			fail_msg("check %zu: %d", i, reported);
	}
	watch_unheld__free(u);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_again)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
