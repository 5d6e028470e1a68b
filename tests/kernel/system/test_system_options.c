// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the options of `bprof system`. They say when bprof counts, and which events. Also tests how
 * bprof reports events and scopes that cannot be counted. Needs the deterministic VM (one vCPU,
 * -icount).
 */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/kernel/ids.h"
#include "tests/kernel/system/counting.h"

/* No counts are lost between two intervals, even with short intervals. */
static void test_intervals(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	struct child *c = bprof_start(f, "system -j -I 10 -e %s -p %d", scope_event(), pid);
	struct run *r;

	child_line(c);
	workload__do(w, 0, WORKER_WORK, 2 * WORK);
	for (int i = 0; i < 5; i++)
		child_line(c);
	workload__do(w, 0, WORKER_FAMILY, WORK);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	check_count(r, "sum of intervals", sum_of_scope(r->out, "process", pid, scope_event()),
		    plain__read(&plain), __LINE__);
}

/* Each repeat runs the command again; the reported total is the mean of all repeats. */
static void test_repeats(void **state)
{
	struct fixture *f = *state;
	char command[WORKER_PIPES_SZ + 32];
	struct workload *w = prepare_workload(f, command, sizeof(command));
	struct child *c;
	struct run *r;
	double sum = 0;

	c = bprof_start(f, "system -j -r 3 -e %s -- %s", scope_event(), command);
	for (int i = 1; i <= 3; i++) {
		struct plain plain;

		workload__await(w, 0);
		plain = plain__task(f, scope_event(), workload__tid(w, 0), PLAIN_INHERIT);
		workload__do(w, 0, WORKER_FAMILY, i * WORK / 2);
		workload__order(w, 0, WORKER_END, 0);
		sum += plain__read(&plain);
	}
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(num(r->json, "repeats"), 3);
	assert_count(r, scope_by_name(r, "command", "drive"), sum / 3);
	/* the mean of n, 2n and 3n has the standard error n / sqrt(3) */
	check_count(r, "stddev",
		    real(event_of(scope_by_name(r, "command", "drive"), scope_event()),
			 "repeat_stddev"),
		    WORK / sqrt(3), __LINE__);
}

/* Work during the delay is not counted. */
static void test_delay(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct child *c;
	struct plain plain;
	struct run *r;

	c = bprof_start(f, "system -j -D 500 -I 50 -e %s -p %d", scope_event(), pid);
	assert_true(!has_bperf() || prog_name__await("on_switch"));
	/* This work takes 100 ms of the guest's time. */
	workload__do(w, 0, WORKER_WORK, 5 * WORK);
	child_line(c);
	plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	workload__do(w, 0, WORKER_WORK, WORK / 2);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	check_count(r, "after the delay", sum_of_scope(r->out, "process", pid, scope_event()),
		    plain__read(&plain), __LINE__);
}

static void test_timeout(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	struct child *c = count_start(f, "-e %s -p %d --timeout 300", scope_event(), pid);
	struct run *r;

	workload__do(w, 0, WORKER_WORK, WORK);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_true(num(r->json, "elapsed_ns") >= 300000000);
	assert_count(r, scope_by_id(r, "process", pid), plain__read(&plain));
}

/* All events of a group are counted by PMU counters at the same times. */
static void test_groups(void **state)
{
	static const char *const members[] = {"instructions:u", "cycles:u", "r8:u"};
	/* Eleven events compete for six general counters and the counter for cycles. */
	static const char events[] = "{instructions:u,cycles:u,r8:u},r8:k,r8,r11:u,r11:k,r11,"
				     "instructions,instructions:k,cycles:k";
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	json_t *ev[3];
	struct run *r;
	struct child *c;

	if (!arch_is("aarch64"))
		skip_test("multiplex", "no PMU");
	for (int shared = 0; shared < 2; shared++) {
		c = count_start(f, "-e '%s' -p %d",
				shared ? events : "{instructions:u,cycles:u,r8:u}", pid);
		workload__do(w, 0, WORKER_WORK, 5 * WORK);
		r = count_end(f, c);
		for (int i = 0; i < 3; i++) {
			ev[i] = event_of(scope_by_id(r, "process", pid), members[i]);
			assert_string_equal(str(ev[i], "status"), "ok");
			/*
			 * The times differ slightly because the events are read one after the
			 * other.
			 */
			check_near(r, "enabled", num(ev[i], "enabled_ns"), num(ev[0], "enabled_ns"),
				   10000, __LINE__);
			check_near(r, "running", num(ev[i], "running_ns"), num(ev[0], "running_ns"),
				   10000, __LINE__);
			check_near(r, members[i], real(ev[i], "total"), real(ev[0], "total"),
				   .001 * WORK, __LINE__);
		}
		check_near(r, "scaled", real(ev[0], "total"), 5 * WORK,
			   shared ? WORK / 2 : WORK / 1000, __LINE__);
		assert_true((num(ev[0], "running_ns") < num(ev[0], "enabled_ns")) == shared);
	}
}

/* Counts more events at once than the attr map has entries (16). */
static void test_many_events(void **state)
{
	static const char *const events[] = {
		"page-faults,page-faults:u,page-faults:k,minor-faults,minor-faults:u,"
		"minor-faults:k,major-faults,major-faults:u,major-faults:k,alignment-faults",
		"context-switches,context-switches:u,context-switches:k,cpu-migrations,"
		"cpu-migrations:u,cpu-migrations:k,task-clock,task-clock:k,emulation-faults,"
		"emulation-faults:u",
	};
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	json_t *row[4], *ev;
	struct child *c[4];

	for (int i = 0; i < 4; i++)
		c[i] = count_start(f, "-e %s -p %d", events[i % 2], pid);
	workload__do(w, 0, WORKER_FAMILY, WORK);
	for (int i = 0; i < 4; i++) {
		json_t *list;

		row[i] = scope_by_id(count_end(f, c[i]), "process", pid);
		list = json_object_get(row[i], "events");
		assert_int_equal(json_array_size(list), 10);
		for (size_t k = 0; (ev = json_array_get(list, k)); k++) {
			assert_string_equal(str(ev, "status"), "ok");
			assert_int_equal(num(ev, "enabled_ns"), num(ev, "running_ns"));
		}
		assert_string_equal(str(row[i], "method"), has_bperf() ? "bperf" : "perf_event");
	}
	for (int i = 0; i < 4; i += 2) {
		assert_true(total_of(row[i], "page-faults") > 0);
		assert_true(total_of(row[i], "page-faults") == total_of(row[i], "minor-faults"));
		assert_true(total_of(row[i], "major-faults") == 0);
		assert_true(total_of(row[i + 1], "context-switches:k") > 0);
		assert_true(total_of(row[i + 1], "context-switches") ==
			    total_of(row[i + 1], "context-switches:k"));
		assert_true(total_of(row[i + 1], "task-clock") > 2 * WORK);
		assert_true(total_of(row[i + 1], "emulation-faults") == 0);
	}
}

/*
 * Counts tracepoints. The tracepoint of a switch fires once for each context switch, and the
 * tracepoint of a fork once for each fork of a command. Both methods count the same.
 */
static void test_tracepoints(void **state)
{
	static const char *const options[] = {"", "--method perf_event"};
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		struct run *r = bprof(f,
				      "system -j -a %s -e sched:sched_switch,cs,sched:sched_"
				      "process_fork --timeout 100",
				      options[i]);
		json_t *row = scope_by_id(r, "system", 0);

		assert_status(r, 0);
		assert_true(total_of(row, "cs") > 0);
		assert_true(total_of(row, "sched:sched_switch") == total_of(row, "cs"));
		assert_true(total_of(row, "sched:sched_process_fork") == 0);
		r = bprof(f,
			  "system -j %s -e sched:sched_process_fork,cs -- sh -c 'ls / >&2; ls / "
			  ">&2; exit 0'",
			  options[i]);
		assert_status(r, 0);
		row = scope_by_name(r, "command", "sh");
		assert_true(total_of(row, "sched:sched_process_fork") == 2);
	}
	assert_contains(bprof(f, "system -a -e sched:sched_swich --timeout 1")->err,
			"did you mean 'sched:sched_switch'?");
	assert_contains(bprof(f, "record --all -e sched:sched_switch --timeout 1")->err,
			"not sampled");
}

/*
 * For a task, the event "time" counts the task's time on a CPU. For the system, it counts the full
 * time of each CPU.
 */
static void test_time(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f), *idle = start_workload(f);
	pid_t pid = workload__tid(w, 0), idle_pid = workload__tid(idle, 0);
	struct plain plain = plain__task(f, "task-clock", pid, PLAIN_INHERIT);
	struct child *c_all = count_start(f, "-a -e time");
	struct child *c = count_start(f, "-e time -p %d,%d", pid, idle_pid);
	struct run *r;

	workload__do(w, 0, WORKER_WORK, 5 * WORK);
	r = count_end(f, c);
	check_near(r, "time", total_of(scope_by_id(r, "process", pid), "time"), plain__read(&plain),
		   .01 * plain__read(&plain) + 1e6, __LINE__);
	assert_true(plain__read(&plain) > 5 * WORK);
	assert_true(total_of(scope_by_id(r, "process", idle_pid), "time") == 0);
	r = count_end(f, c_all);
	check_near(r, "time", total_of(scope_by_id(r, "system", 0), "time"),
		   num(r->json, "elapsed_ns"), .01 * num(r->json, "elapsed_ns"), __LINE__);
}

/*
 * An event that does not exist is reported as unsupported, with a message of one line. The other
 * events are counted.
 */
static void test_unsupported(void **state)
{
	const char *none = arch_is("aarch64") ? "branch-misses" : "cycles";
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	struct child *c = count_start(f, "-e %s,%s -p %d", none, scope_event(), pid);
	struct run *r;
	json_t *row;

	workload__do(w, 0, WORKER_WORK, WORK);
	r = count_end(f, c);
	row = scope_by_id(r, "process", pid);
	assert_count(r, row, plain__read(&plain));
	assert_string_equal(str(event_of(row, none), "status"), "not_supported");
	r = bprof(f, "system -a -e %s,%s -- true", none, scope_event());
	assert_status(r, 0);
	assert_contains(r->out, "not supp");
	r = bprof(f, "system -a -e %s -- true", none);
	assert_status(r, 4);
	assert_contains(r->err, none);
}

/* Missing scopes are reported as skipped. If all scopes are missing, bprof ends. */
static void test_missing(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	struct child *c = count_start(f, "-e %s -p 999999,%d -t 999998", scope_event(), pid);
	json_t *skips;
	struct run *r;

	workload__do(w, 0, WORKER_WORK, WORK);
	r = count_end(f, c);
	assert_count(r, scope_by_id(r, "process", pid), plain__read(&plain));
	skips = json_object_get(r->json, "skipped");
	assert_int_equal(json_array_size(skips), 2);
	assert_string_equal(str(json_array_get(skips, 0), "reason"), "no_process");
	assert_string_equal(str(json_array_get(skips, 1), "reason"), "no_thread");
	assert_contains(r->err, "999999");
	assert_contains(r->err, "999998");
	assert_status(bprof(f, "system -j -e time -p 999999 -- true"), 8);
	/* The line of a skipped scope has as many columns as the line of a counted scope. */
	r = bprof(f, "system -x, -e time -p 999999 -- true");
	assert_string_equal(r->out, "<not counted>,,,0,100.00,,,,0,999999,skipped:no_process,\n");
	r = bprof(f, "system -j -e time --for-each-cgroup ktest/none -- true");
	assert_status(r, 8);
	assert_contains(r->err, "ktest/none");
}

static const char *note_of(const struct run *r, const char *cgroup)
{
	json_t *notes = json_object_get(scope_by_name(r, "cgroup", cgroup), "notes");

	return json_string_value(json_array_get(notes, 0)) ?: "";
}

/* A note says that a cgroup was removed, also if a new one has its name. */
static void test_removed(void **state)
{
	struct fixture *f = *state;
	struct child *c;
	struct run *r;

	write_file(CGROUP_ROOT "/cgroup.subtree_control", "+pids");
	make_cgroup(CGROUP_ROOT, "ktest");
	make_cgroup(CGROUP_ROOT, "ktest/a");
	make_cgroup(CGROUP_ROOT, "ktest/b");
	c = count_start(f, "-e cpu-clock --for-each-cgroup ktest,ktest/a,ktest/b");
	for (int i = 0; i < 2; i++)
		assert_int_equal(rmdir(i ? CGROUP_ROOT "/ktest/b" : CGROUP_ROOT "/ktest/a"), 0);
	make_cgroup(CGROUP_ROOT, "ktest/b");
	r = count_end(f, c);
	assert_null(json_object_get(scope_by_name(r, "cgroup", "ktest"), "notes"));
	assert_contains(note_of(r, "ktest/a"), "has been removed");
	assert_contains(note_of(r, "ktest/b"), "has been removed");
}

/*
 * bperf skips a cgroup at level 32 and counts the others. If it can count none, perf_event counts.
 */
static void test_too_deep(void **state)
{
	struct fixture *f = *state;
	char name[128] = "ktest";
	struct run *r;
	json_t *skip;

	if (!has_bperf())
		return;
	write_file(CGROUP_ROOT "/cgroup.subtree_control", "+pids");
	make_cgroup(CGROUP_ROOT, name);
	for (int level = 2; level <= 32; level++) {
		strcat(name, "/a");
		make_cgroup(CGROUP_ROOT, name);
	}
	r = bprof(f, "system -j -e cpu-clock --for-each-cgroup ktest,%s -- true", name);
	assert_status(r, 0);
	assert_string_equal(str(scope_by_name(r, "cgroup", "ktest"), "method"), "bperf");
	skip = json_array_get(json_object_get(r->json, "skipped"), 0);
	assert_contains(str(skip, "detail"), "deeper than 31 levels");
	r = bprof(f, "system -j -e cpu-clock --for-each-cgroup %s -- true", name);
	assert_status(r, 0);
	assert_string_equal(str(scope_by_name(r, "cgroup", name), "method"), "perf_event");
}

/* Counts cgroups of the v1 hierarchy of perf_event. */
static void test_cgroups_v1(void **state)
{
	static const char *const names[] = {"ktest", "ktest/a", "ktest/a/b"};
	const char *method = ((struct fixture *)*state)->param;
	struct fixture *f = *state;
	struct workload *w[3];
	struct plain plain[3];
	struct child *c;
	struct run *r;

	for (int i = 0; i < 3; i++) {
		make_cgroup(CGROUP_V1_ROOT, names[i]);
		w[i] = start_workload(f);
		move_to_cgroup(CGROUP_V1_ROOT, names[i], workload__tid(w[i], 0));
		plain[i] = plain__cgroup(f, scope_event(), CGROUP_V1_ROOT, names[i]);
	}
	c = count_start(f, "-e %s %s --for-each-cgroup ktest/a/b,ktest,ktest/a", scope_event(),
			method_option(method));
	for (int i = 0; i < 3; i++)
		workload__do(w[i], 0, WORKER_FAMILY, (i + 1) * WORK / 6);
	r = count_end(f, c);
	for (int i = 0; i < 3; i++)
		assert_count(r, scope_by_name(r, "cgroup", names[i]), plain__read(&plain[i]));
	assert_true(plain__read(&plain[0]) > plain__read(&plain[1]) + WORK / 4);
	assert_true(plain__read(&plain[1]) > plain__read(&plain[2]) + WORK / 2);
}

/*
 * Mounts the v1 hierarchy of the controller perf_event. Until this hierarchy is unmounted, cgroup
 * v2 lacks the controller.
 */
static int setup_v1(void **state)
{
	mkdir(CGROUP_V1_ROOT, 0755);
	if (mount("none", CGROUP_V1_ROOT, "cgroup", 0, "perf_event")) {
		perror("mount " CGROUP_V1_ROOT);
		return -1;
	}
	return setup_system(state);
}

static int teardown_v1(void **state)
{
	int err = teardown_system(state);

	if (umount(CGROUP_V1_ROOT)) {
		perror("umount " CGROUP_V1_ROOT);
		return -1;
	}
	return err;
}

/*
 * The programs of bprof's and perf's leaders have the same names. All commands of bprof still
 * recognize the program of bprof's leader as bprof's own.
 */
static void test_leader_is_own(void **state)
{
	struct fixture *f = *state;
	struct target other = load_target(f, "xdp", "xdp_pass");
	struct child *c;
	struct run *r;
	json_t *progs;

	if (!has_bperf())
		return;
	c = bprof_start(f, "system -j -a -e %s", scope_event());
	assert_true(prog_name__await("on_switch"));
	r = bprof(f, "list -j --name on_switch");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 0);
	r = bprof(f, "list -j --own --name on_switch");
	progs = json_object_get(r->json, "programs");
	assert_int_equal(json_array_size(progs), 1);
	assert_string_equal(str(json_array_get(progs, 0), "reason"), "own_prog");
	r = bprof(f, "-j -e time --prog-id %lld,%u -- true",
		  (long long)num(json_array_get(progs, 0), "id"), other.id);
	assert_string_equal(skip_reason(r, num(json_array_get(progs, 0), "id")), "own_prog");
	r = bprof(f, "watch -j --name on_switch -- true");
	assert_string_equal(r->out, "");
	r = bprof(f, "watch -j --own --name on_switch -- true");
	assert_contains(r->out, "on_switch");
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
}

#define V1_TEST(test_name, ...) \
	KTEST_FULL(test_name, test_cgroups_v1, setup_v1, teardown_v1, __VA_ARGS__)

KTEST_GROUP(system_options, "options of bprof system", NULL, ON(EXACT), SYSTEM_TEST(test_intervals),
	    SYSTEM_TEST(test_repeats), SYSTEM_TEST(test_delay), SYSTEM_TEST(test_timeout),
	    SYSTEM_TEST(test_groups, LONG), SYSTEM_TEST(test_many_events, LONG),
	    SYSTEM_TEST(test_tracepoints, LONG), SYSTEM_TEST(test_time),
	    SYSTEM_TEST(test_unsupported), SYSTEM_TEST(test_missing), SYSTEM_TEST(test_removed),
	    SYSTEM_TEST(test_too_deep), SYSTEM_TEST(test_leader_is_own, LONG),
	    V1_TEST("test_cgroups_v1", "bperf"), V1_TEST("test_cgroups_v1_plain", "perf_event"));
