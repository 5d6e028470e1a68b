// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how bprof finds out whether there is a counter for each event, and which events are the default. The
 * kernel's answers are made up: event A has a counter; B has none, so reading it returns the end of the file; C
 * cannot be read.
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

/* The value of kernel.perf_event_paranoid for a user without privileges; 0: all is allowed. */
static int paranoid;
static int offline_cpu = -1; /* this CPU is offline; -1: none */

/* The event's config is its letter. */
int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	const char *path = attr->config == 'A'	 ? "/dev/zero"
			   : attr->config == 'B' ? "/dev/null"
						 : "/";

	if ((paranoid > 0 && pid < 0) || (paranoid > 1 && !attr->exclude_kernel))
		return -EACCES;
	if (pid < 0 && cpu == offline_cpu)
		return -ENODEV;
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
	return err == -EACCES;
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

/* bprof's own clock, which is no perf event, does not lead the other events of its group. */
static void test_time_in_group(void **state)
{
	static int cpu_id[] = {3};
	const struct cpus cpus = {cpu_id, ARRAY_SIZE(cpu_id)};
	struct event v[] = {{.name = "time", .kind = EVENT_TIME},
			    {.name = "A", .kind = EVENT_PERF, .config = 'A'},
			    {.name = "A", .kind = EVENT_PERF, .config = 'A'},
			    {.name = "B", .kind = EVENT_PERF, .config = 'B', .group = 1},
			    {.name = "time", .kind = EVENT_TIME, .group = 1}};
	struct event_list events = {.v = v, .cnt = 3};
	struct event_fds *fds;

	pinned_cnt = unpinned_cnt = 0;
	assert_int_equal(event_fds__open(&events, &cpus, 4, &fds), 0);
	/* only the leader of a group may be pinned */
	assert_int_equal(pinned_cnt, 1);
	assert_int_equal(unpinned_cnt, 1);
	event_fds__close(fds);
	v[1].config = 'B';
	events.cnt = 2;
	assert_int_equal(event_fds__open(&events, &cpus, 4, &fds), 0);
	assert_true(fds->multiplexed);
	event_fds__close(fds);
	events = (struct event_list){.v = v + 3, .cnt = 2};
	assert_int_equal(event_fds__open(&events, &cpus, 4, &fds), 0);
	assert_true(fds->multiplexed);
	event_fds__close(fds);
}

static void assert_default(int level, bool tasks, const char *names, const char *log_part)
{
	struct event_list list = {.any_level = true, .tasks = tasks};
	char text[64] = "", *log;
	struct capture c;

	paranoid = level;
	capture__begin(&c, stderr);
	assert_int_equal(event_list__set_default(&list), 0);
	log = capture__end(&c);
	for (int i = 0; i < list.cnt; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "," : "",
			 list.v[i].name);
	assert_string_equal(text, names);
	if (!strstr(log, log_part) || !*log_part != !*log)
		fail_msg("%d: %s", level, log);
	assert_true(list.is_default && list.tasks == tasks);
	event_list__free(&list);
	free(log);
	paranoid = 0;
}

/*
 * Without privileges, a user may count more of tasks than of whole CPUs, so the default events
 * differ.
 */
static void test_default(void **state)
{
	assert_default(0, false, "cycles,instructions", "");
	assert_default(0, true, "cycles,instructions", "");
	assert_default(1, false, "time", "no permission to count cycles and instructions");
	assert_default(1, true, "cycles,instructions", "");
	assert_default(2, true, "cycles:u,instructions:u", "no permission to count in the kernel");
	assert_default(2, false, "time", "run as root");
}

/* An event is supported if a CPU of its PMU can count it, even if the PMU's first CPU cannot. */
static void test_supported(void **state)
{
	struct cpus online;
	int cpu_id[2];
	struct event ev = {.kind = EVENT_PERF, .config = 'A', .group = -1};

	assert_int_equal(cpus__online(&online), 0);
	cpu_id[0] = 60000;
	cpu_id[1] = online.id[0];
	ev.cpumask = (struct cpus){cpu_id, 1};
	assert_int_equal(event__is_supported(&ev, NULL), 0);
	cpu_id[0] = online.id[0];
	cpu_id[1] = 60000;
	ev.cpumask.cnt = 2;
	assert_int_equal(event__is_supported(&ev, NULL), 1);
	if (online.cnt > 1) {
		cpu_id[1] = offline_cpu = online.id[1];
		assert_int_equal(event__is_supported(&ev, NULL), 1);
		offline_cpu = online.id[0];
		assert_int_equal(event__is_supported(&ev, NULL), 1);
		offline_cpu = -1;
	}
	cpus__free(&online);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_time_in_group),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_supported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
