// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kills a bperf user at each point of its start and end (crash.h). Other bperf users lose no
 * counts. The next bperf user works, removes the objects that the killed bperf user left behind,
 * and counts correctly. At the end of the test, no objects are left.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/system/crash.h"
#include "tests/kernel/system/interval_user.h"
#include "tests/kernel/system/leaders.h"
#include "tests/kernel/system/toucher.h"

static struct toucher worker; /* the counted process of the current test */

static int setup_map(void **state)
{
	worker = (struct toucher){};
	if (mkdir(PIN_DIR, 0700)) {
		perror(PIN_DIR);
		return -1;
	}
	return setup(state);
}

static int teardown_worker(void **state)
{
	toucher__end(&worker);
	return teardown(state);
}

#define WORK "-e " WORK_EVENT

static void assert_counted_work(const struct run *r, __u64 done)
{
	double total = scope_total(r, "process", worker.pid, WORK_EVENT);

	if (total != done)
		fail_test("counted %.0f of %llu: %s", total, (unsigned long long)done, r->out);
}

/*
 * Orders work and returns the count that all bperf users of the worker must report. bperf users
 * that started before the worker's child also count worker.in_child.
 */
static __u64 do_work(void)
{
	__u64 done = worker.child ? toucher__touch_in_child(&worker, 10) : 0;

	done += toucher__touch(&worker, 20);
	return done + toucher__fork(&worker, 1, 10);
}

/*
 * Starts another bperf user and orders work. Checks that this bperf user reports the right count,
 * and returns this count.
 */
static __u64 assert_next_works(struct fixture *f, int users)
{
	struct child *c = user_start(f, WORK " -p %d", worker.pid);
	struct tables t = read_only_tables();
	__u64 done;

	if (t.dead || t.owners != users)
		fail_test("%d owners, %d of them dead; there are %d users", t.owners, t.dead,
			  users);
	done = do_work();
	assert_counted_work(user_end(f, c), done);
	return done;
}

struct crash_case {
	const char *name;
	enum crash_phase phase;
	bool beside; /* another bperf user counts before, during and after the kill */
	bool split;  /* only the other bperf user counts a child of the process */
};

static const struct crash_case cases[] = {
	{"first_in_start", CRASH_IN_START, false, false},
	{"second_in_start", CRASH_IN_START, true, false},
	{"split_in_start", CRASH_IN_START, true, true},
	{"first_in_end", CRASH_IN_END, false, false},
	{"split_in_end", CRASH_IN_END, true, true},
};

static void test_crash(void **state)
{
	struct fixture *f = *state;
	const struct crash_case *t = f->param;
	int stride = tries_all_moments() ? 1 : 4;
	struct child *beside = NULL;
	__u64 done = 0;
	char args[256];
	bool goes_on = true;
	int point = 0, killed = 0;

	toucher__start(&worker);
	snprintf(args, sizeof(args), "system --attr-map " ATTR_MAP " -j -I 20 " WORK " -p %d",
		 worker.pid);
	if (t->beside)
		beside = user_start(f, WORK " -p %d", worker.pid);
	if (t->split)
		done += toucher__keep_child(&worker);
	while (goes_on) {
		goes_on = crash_at(args, t->phase, point);
		done += do_work();
		done += assert_next_works(f, 1 + t->beside);
		if (!t->beside)
			leaders__await(0);
		killed += goes_on;
		point += stride;
	}
	printf("# %s: killed at %d points, one in %d\n", t->name, killed, stride);
	assert_true(killed > 2);
	if (beside)
		assert_counted_work(user_end(f, beside), done + worker.in_child);
	leaders__await(0);
}

#define CRASH_TEST(i, ...) \
	KTEST_FULL(cases[i].name, test_crash, setup_map, teardown_worker, &cases[i], ##__VA_ARGS__)

KTEST_GROUP(system_crash, "users of bperf that die at any step", NULL, ON(SMP4),
	    CRASH_TEST(0, LONG), CRASH_TEST(1), CRASH_TEST(2, LONG), CRASH_TEST(3), CRASH_TEST(4));
