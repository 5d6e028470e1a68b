// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how it is found out whether there is a counter for each event. The kernel's answer is made up:
 * event A has a counter; B has none, and its descriptor is at the end of the file; C cannot be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "base/util.h"
#include "event/event_fds.h"
#include "kernel/perf_event.h"
#include "tests/unit/capture.h"

static int pinned_cnt, unpinned_cnt;

/* The event's config is its letter. */
int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	const char *path = attr->config == 'A'	 ? "/dev/zero"
			   : attr->config == 'B' ? "/dev/null"
						 : "/";

	*(attr->pinned ? &pinned_cnt : &unpinned_cnt) += 1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

int perf_event__open_host(struct perf_event_attr attr, pid_t pid, int cpu, int group_fd,
			  unsigned long flags)
{
	return perf_event__open(&attr, pid, cpu, group_fd, flags);
}

void perf_event__leave_guests_out(struct perf_event_attr *attr)
{
}

bool perf_event__is_denied(int err)
{
	return false;
}

void perf_event__explain(int err, struct event_state *state)
{
	state->status = EVENT_NOT_SUPPORTED;
}

static void test_counters(void **state)
{
	static const struct {
		const char *events;
		int err;
		bool multiplexed;
		const char *log;
	} cases[] = {
		{"AAA", 0, false, ""},
		{"AB", 0, true, ""},
		{"BA", 0, true, ""},
		{"AC", -EISDIR, false, "bprof: event C cannot be read on CPU 3: Is a directory\n"},
		/* One event without a counter does not hide the error of another. */
		{"BC", -EISDIR, false, "bprof: event C cannot be read on CPU 3: Is a directory\n"},
	};
	static int cpu_id[] = {3, 5};
	static char *names[] = {"A", "B", "C"};
	const struct cpus cpus = {cpu_id, ARRAY_SIZE(cpu_id)};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event v[4] = {};
		struct event_list events = {.v = v, .cnt = strlen(cases[i].events)};
		struct event_fds *fds;
		struct capture log;
		char *text;
		int err;

		for (int e = 0; e < events.cnt; e++)
			v[e] = (struct event){.name = names[cases[i].events[e] - 'A'],
					      .kind = EVENT_PERF,
					      .config = cases[i].events[e],
					      .group = -1};
		pinned_cnt = unpinned_cnt = 0;
		capture__begin(&log, stderr);
		err = event_fds__open(&events, &cpus, 6, &fds);
		text = capture__end(&log);
		if (err != cases[i].err || strcmp(text, cases[i].log))
			fail_msg("%s: %d, %s", cases[i].events, err, text);
		free(text);
		assert_int_equal(pinned_cnt, 2 * events.cnt);
		assert_int_equal(unpinned_cnt, cases[i].multiplexed ? 2 * events.cnt : 0);
		if (!err)
			assert_int_equal(fds->multiplexed, cases[i].multiplexed);
		event_fds__close(fds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
