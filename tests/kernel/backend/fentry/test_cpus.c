// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests counts per CPU: runs are counted on the CPU where they took place, only the requested CPUs
 * are counted, and an offline CPU does not shift the counts of the CPUs after it. The group needs
 * four vCPUs.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "tests/kernel/harness.h"

#define CPUS 4

static int setup_cpus(void **state)
{
	return has_cpus(CPUS) ? setup(state) : -1;
}

static int teardown_cpus(void **state)
{
	set_all_online(CPUS);
	return teardown(state);
}

/* Returns the number of runs on one CPU (with -A), or -1 if the CPU has no row. */
static json_int_t runs_on(const struct run *r, __u32 id, int cpu)
{
	json_t *rows = json_object_get(row_of(r, id), "cpus"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (num(row, "cpu") == cpu)
			return num(row, "runs");
	return -1;
}

/*
 * Checks the runs on each CPU: want[cpu] is the number of runs, or -1 if the CPU must have no row.
 */
static void assert_cpus(const struct run *r, __u32 id, const int *want)
{
	int sum = 0;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (runs_on(r, id, cpu) != want[cpu])
			fail_test("CPU %d: %lld runs, not %d: %s", cpu, runs_on(r, id, cpu),
				  want[cpu], r->out);
		sum += want[cpu] > 0 ? want[cpu] : 0;
	}
	assert_counted(r, id, sum);
}

static const char drive_each[] =
	"sh -c 'drive -C 0 testrun %1$u:10 && drive -C 1 testrun %1$u:20 && "
	"drive -C 2 testrun %1$u:30 && drive -C 3 testrun %1$u:40'";

static struct run *measure_each(struct fixture *f, const char *options, __u32 id)
{
	char line[512];

	snprintf(line, sizeof(line), drive_each, id);
	return bprof(f, "-j -b %u -e %s,time %s -- %s", id, machine_event(), options, line);
}

static void test_each_cpu(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = measure_each(f, "-A", t.id);

	assert_status(r, 0);
	assert_cpus(r, t.id, (int[]){10, 20, 30, 40});
}

static void test_without_per_cpu(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = measure_each(f, "-a", t.id);

	assert_status(r, 0);
	assert_counted(r, t.id, 100);
	assert_null(json_object_get(row_of(r, t.id), "cpus"));
	assert_int_equal(num(event_of(row_of(r, t.id), "time"), "measured"), 100);
	assert_int_equal(num(event_of(row_of(r, t.id), machine_event()), "measured"), 100);
}

static void test_chosen_cpus(void **state)
{
	static const struct {
		const char *options;
		int want[CPUS];
	} cases[] = {
		{"-A -C 0", {10, -1, -1, -1}},	   {"-A -C 3", {-1, -1, -1, 40}},
		{"-A -C 1,3", {-1, 20, -1, 40}},   {"-A -C 1-2", {-1, 20, 30, -1}},
		{"-A -C 0,2-3", {10, -1, 30, 40}}, {"--no-aggr --cpu 2", {-1, -1, 30, -1}},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r = measure_each(f, cases[i].options, t.id);

		assert_status(r, 0);
		assert_cpus(r, t.id, cases[i].want);
	}
}

static void test_hole(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	set_online(1, false);
	r = bprof(f,
		  "-j -A -b %u -e %s,time -- sh -c 'drive -C 0 testrun %u:10 && drive -C 2 testrun "
		  "%u:30 && "
		  "drive -C 3 testrun %u:40'",
		  t.id, machine_event(), t.id, t.id, t.id);
	assert_status(r, 0);
	assert_cpus(r, t.id, (int[]){10, -1, 30, 40});
	assert_int_equal(num(event_of(row_of(r, t.id), machine_event()), "measured"), 80);

	r = bprof(f, "-j -A -C 3 -b %u -e time -- drive -C 3 testrun %u:5", t.id, t.id);
	assert_status(r, 0);
	assert_cpus(r, t.id, (int[]){-1, -1, -1, 5});
}

/*
 * An explicitly requested CPU that is offline or does not exist is an error, not a row without
 * counts.
 */
static void test_cpu_not_there(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	set_online(2, false);
	r = bprof(f, "-j -b %u -e time -C 0,2 -- true", t.id);
	assert_status(r, 2);
	assert_contains(r->err, "2");
	r = bprof(f, "-j -b %u -e time -C 77 -- true", t.id);
	assert_status(r, 2);
	assert_contains(r->err, "77");
}

/* Runs take place on all CPUs at the same time. No run may be counted on a wrong CPU. */
static void test_all_at_once(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "work", "xdp_map");
	struct run *r;

	r = bprof(f,
		  "-j -A -b %u -e %s,time -- sh -c 'drive -C 0 testrun %u:2000 & drive -C 1 "
		  "testrun %u:2001 & "
		  "drive -C 2 testrun %u:2002 & drive -C 3 testrun %u:2003 & wait'",
		  t.id, machine_event(), t.id, t.id, t.id, t.id);
	assert_status(r, 0);
	assert_cpus(r, t.id, (int[]){2000, 2001, 2002, 2003});
}

/* Each CPU has its own thinning period. Every run is counted, whatever the periods are. */
static void test_thinning_auto(void **state)
{
	struct fixture *f = *state;
	static const int want[] = {300000, 200000, 3, 0};
	struct target t = load_target(f, "xdp", "xdp_pass");
	json_int_t measured[CPUS];
	struct run *r;

	r = bprof(f,
		  "-j -A --sample auto -b %u -e time -- sh -c 'drive -C 0 testrun %u:300000 & "
		  "drive -C 1 testrun %u:200000 & wait; drive -C 2 testrun %u:3'",
		  t.id, t.id, t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(num(row_of(r, t.id), "runs"), 500003);
	assert_true(num(row_of(r, t.id), "sampled_out") > 250000);
	for (int i = 0; i < CPUS; i++) {
		json_t *cpu = json_array_get(json_object_get(row_of(r, t.id), "cpus"), i);

		assert_int_equal(runs_on(r, t.id, i), want[i]);
		/* The row has the CPU's current period only if the program ran on this CPU. */
		assert_true(!want[i] == !json_object_get(cpu, "period"));
		measured[i] = want[i] ? num(cpu, "measured") : 0;
		if (want[i] > 3)
			assert_true(num(cpu, "sampled_out") > measured[i]);
	}
	/*
	 * CPU 2 has a period of its own, which is short. On a busy host a probe seems to cost so much that
	 * not even three runs can be measured.
	 */
	assert_true(measured[2] * want[0] > measured[0] * want[2]);
}

/*
 * A CPU comes online after the session was opened. bprof counts the runs on this CPU, but opened no
 * events there. It can measure these runs only if the clock is the only event, because the clock
 * needs no perf event. Otherwise the clock's bias includes reading the other events. On this CPU,
 * these reads fail, so the runs are reported as lost.
 */
static void test_online_later(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	static const char *const events[] = {"time", "", ",time"};
	struct run *r;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct child *c;

		set_online(3, false);
		c = bprof_start(f, "-j -A -I 50 -b %u -e %s%s", t.id, i ? machine_event() : "",
				events[i]);
		child_line(c);
		set_online(3, true);
		assert_status(command(f, "drive -C 3 testrun %u:11", t.id), 0);
		assert_status(command(f, "drive -C 0 testrun %u:5", t.id), 0);
		child_signal(c, SIGINT);
		r = child_wait(f, c);
		assert_status(r, 0);
		assert_int_equal(sum_of_runs(r->out, t.id), 16);
		assert_int_equal(sum_of(r->out, t.id, "measured"), i ? 5 : 16);
		assert_int_equal(sum_of(r->out, t.id, "lost.read"), i ? 11 : 0);
	}
}

/* When a CPU goes offline, its events stop. They do not count when the CPU comes online again. */
static void test_offline_and_back(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *c;
	struct run *r;

	c = bprof_start(f, "-j -I 50 -b %u -e %s,time", t.id, machine_event());
	child_line(c);
	set_online(3, false);
	set_online(3, true);
	assert_status(command(f, "drive -C 3 testrun %u:20", t.id), 0);
	assert_status(command(f, "drive -C 0 testrun %u:5", t.id), 0);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), 25);
	assert_int_equal(sum_of(r->out, t.id, "measured"), 5);
	assert_int_equal(sum_of(r->out, t.id, "lost.read"), 20);
	assert_contains(r->out, "time leaves out 20 runs on CPU 3: ");
}

/*
 * Multiplexed events of a CPU that was offline can be read, but do not count. Runs there are lost, as with pinned
 * events.
 */
static void test_offline_multiplexed(void **state)
{
	static const char events[] = "cycles,r8,r11:k,r8:k,r8:H,r0,r23,r24,r1,time";
	static const char *const by[] = {"", "--by retval"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	if (!arch_is("aarch64"))
		skip_test("multiplex", "the emulated CPU has no PMU");
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		struct child *c = bprof_start(f, "-j %s -I 50 -b %u -e %s", by[i], t.id, events);
		struct run *r;

		child_line(c);
		set_online(3, false);
		set_online(3, true);
		assert_status(command(f, "drive -C 3 testrun %u:20", t.id), 0);
		assert_status(command(f, "drive -C 0 testrun %u:5", t.id), 0);
		child_signal(c, SIGINT);
		r = child_wait(f, c);
		assert_status(r, 0);
		assert_int_equal(sum_of_runs(r->out, t.id), 25);
		assert_int_equal(sum_of(r->out, t.id, "measured"), 5);
		assert_int_equal(sum_of(r->out, t.id, "lost.read"), 20);
		assert_contains(r->out, "time leaves out 20 runs on CPU 3: ");
	}
}

/* A note names the CPUs on which runs were counted but not sampled. */
static void test_sampled(void **state)
{
	static const struct {
		bool online; /* CPU 3 at the start */
		const char *command, *note;
	} cases[] = {
		{true, "sleep .5", NULL},
		{true, "sleep .3; echo 0 >$F; sleep .3; echo 1 >$F; sleep .3", "sampled on CPU 3:"},
		{false, "sleep .3; echo 1 >$F; sleep .3", "sampled on CPU 3:"},
		{false, "sleep .5", NULL},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r;

		set_online(3, cases[i].online);
		r = bprof(f,
			  "-j -b %u -e time --method samples -- sh -c "
			  "'F=/sys/devices/system/cpu/cpu3/online; %s; drive testrun %u:5'",
			  t.id, cases[i].command, t.id);
		assert_status(r, 0);
		assert_int_equal(num(row_of(r, t.id), "runs"), 5);
		if (cases[i].note)
			assert_contains(r->out, cases[i].note);
		else
			assert_null(strstr(r->out, "not always sampled"));
	}
}

/*
 * The rate of samples is that of a CPU on average. So --verify does not compare the probes with samples if a
 * CPU, even one without runs, was not sampled all the time.
 */
static void test_verified(void **state)
{
	static const struct {
		bool online; /* CPU 3 at the start */
		const char *command;
		bool compared;
	} cases[] = {
		{true, "sleep 2", true},
		{true, "sleep .3; echo 0 >$F; sleep 2", false},
		{false, "sleep .3; echo 1 >$F; sleep 2", false},
		{false, "sleep 2", true},
	};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run *r;

		set_online(3, cases[i].online);
		r = bprof(f,
			  "-j -b %u -e time --verify -- sh -c "
			  "'F=/sys/devices/system/cpu/cpu3/online; drive testrun %u:5; %s'",
			  t.id, t.id, cases[i].command);
		assert_status(r, 0);
		assert_contains(r->out, "\"by_samples\"");
		if (!strstr(r->out, "not compared with samples") != cases[i].compared)
			fail_test("%s: %s", cases[i].command, r->out);
	}
}

/*
 * The kernel's own statistics have no counts per CPU. If the user asks for such counts, bprof says
 * so.
 */
static void test_run_stats(void **state)
{
	struct fixture *f = *state;
	struct target raw = load_raw(f);
	struct run *r;

	r = bprof(f, "-j -C 1 -b %u -e time -- drive -C 0 testrun %u:9", raw.id, raw.id);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, raw.id), "method"), "run_stats");
	assert_int_equal(num(row_of(r, raw.id), "runs"), 9);
	assert_contains(r->err, "on all CPUs");
	r = bprof(f, "-j -b %u -e time -- drive -C 0 testrun %u:9", raw.id, raw.id);
	assert_status(r, 0);
	assert_null(strstr(r->err, "on all CPUs"));
}

/* ---- a process that may not run on every CPU ---- */

#define CPUSET "/sys/fs/cgroup/ktest"

static int setup_cpuset(void **state)
{
	if (setup_cpus(state) || mkdir(CPUSET, 0755))
		return -1;
	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset");
	write_file(CPUSET "/cpuset.cpus", "2-3");
	return 0;
}

static int teardown_cpuset(void **state)
{
	int err = rmdir(CPUSET);

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "-cpuset");
	return teardown_cpus(state) ?: err;
}

#define IN_CPUSET "sh -c 'echo $$ >" CPUSET "/cgroup.procs && exec bprof -j -o - -b %u -e time"

/* Calibration runs on some CPU that the process may use. */
static void test_cpuset(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = command(f, IN_CPUSET " -- drive testrun %u:9'", t.id, t.id);
	assert_status(r, 0);
	assert_string_equal(r->err, "");
	assert_true(json_is_true(json_object_get(r->json, "calibrated")));
	r = command(f, IN_CPUSET " --sample auto -- drive testrun %u:9'", t.id, t.id);
	assert_status(r, 0);
	/* CPU 1 is the only CPU to measure, and it is not in the cpuset. */
	r = command(f, IN_CPUSET " -C 1 -- true'", t.id);
	assert_status(r, 0);
	assert_contains(r->err,
			"not calibrated, numbers are raw: calibration has to run on one of the "
			"CPUs 1, where this process may not run (its cpuset)");
	assert_false(json_is_true(json_object_get(r->json, "calibrated")));
	assert_true(json_is_true(json_object_get(row_of(r, t.id), "uncalibrated")));
}

/* Net numbers are not compared with numbers that are raw because their calibration failed. */
static void test_cpuset_diff(void **state)
{
	static const char *const kinds[] = {"net", "failed"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	for (int i = 0; i < 2; i++) {
		/* COMMAND leaves the cpuset, so the program runs on CPU 1. */
		r = command(f,
			    "sh -c 'echo 0 >%s/cgroup.procs && exec bprof -j -o %s.json -C 1 -b %u "
			    "-e time -- sh -c \"echo 0 >/sys/fs/cgroup/cgroup.procs && "
			    "exec drive -C 1 testrun %u:1000\"'",
			    i ? CPUSET : "/sys/fs/cgroup", kinds[i], t.id, t.id);
		assert_status(r, 0);
		assert_int_equal(!!strstr(r->err, "not calibrated, numbers are raw"), i);
	}
	r = command(f, "bprof diff net.json failed.json --fail-on 'time:mean>1000000%%'");
	assert_status(r, 5);
	assert_contains(r->out, "the calibration of a measurement failed");
	assert_contains(r->out, "failed (raw)");
	r = command(f, "bprof diff net.json net.json --fail-on 'time:mean>1%%'");
	assert_null(strstr(r->out, "calibration"));
}

#define CPU_TEST(...) KTEST_WITH(setup_cpus, teardown_cpus, __VA_ARGS__)

KTEST_GROUP(cpus, "choosing CPUs, and holes among them", NULL, ON(SMP4), CPU_TEST(test_each_cpu),
	    CPU_TEST(test_without_per_cpu), CPU_TEST(test_chosen_cpus), CPU_TEST(test_hole),
	    CPU_TEST(test_cpu_not_there), CPU_TEST(test_all_at_once), CPU_TEST(test_thinning_auto),
	    CPU_TEST(test_online_later), CPU_TEST(test_run_stats), CPU_TEST(test_offline_and_back),
	    CPU_TEST(test_verified), CPU_TEST(test_offline_multiplexed), CPU_TEST(test_sampled),
	    KTEST_WITH(setup_cpuset, teardown_cpuset, test_cpuset),
	    KTEST_WITH(setup_cpuset, teardown_cpuset, test_cpuset_diff));
