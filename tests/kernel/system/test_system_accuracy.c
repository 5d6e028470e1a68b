// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares the counts of `bprof system`, with both methods, with plain perf events that count the
 * same work at the same time. Needs the deterministic VM (one vCPU, -icount).
 */
#include <string.h>

#include "tests/kernel/system/counting.h"

#define FILES 20000

/*
 * Before Linux 5.13 (2b26f0aa0046), an event cannot be inherited by threads without child
 * processes.
 */
static bool lacks_inherit_thread(void)
{
	return kernel_is("5.10");
}

/* Returns the options that all tests share. */
static const char *common(struct fixture *f)
{
	static char options[64];

	snprintf(options, sizeof(options), "-e %s %s", scope_event(), method_option(f->param));
	return options;
}

/*
 * inner: what a plain event counted between bprof's start and end. outer: what it counted from
 * before the start to after the end. On x86-64, the kernel's work counts, too. The kernel's work
 * for the start and the end depends on the number of possible CPUs and on what ran before. So the
 * count is compared with the time: the TSC of the VM has 1 GHz.
 */
static void check_cpus(const struct run *r, double inner, double outer)
{
	json_t *row = scope_by_id(r, "system", 0);
	double count = total_of(row, scope_event());

	if (arch_is("aarch64")) {
		assert_count(r, row, inner);
		return;
	}
	if (count < inner || count > outer)
		fail_test("%.0f, not between %.0f and %.0f", count, inner, outer);
	check_near(r, "elapsed time", count, num(r->json, "elapsed_ns"), .02 * count + 1e6,
		   __LINE__);
}

static void test_cpus(void **state)
{
	static const char *const options[] = {"-a", "-C 0"};
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	struct plain plain = plain__system(f, scope_event());

	for (int i = 0; i < 2; i++) {
		double outer = -plain__read(&plain), inner;
		struct child *c = count_start(f, "%s %s", common(f), options[i]);
		struct run *r;

		inner = -plain__read(&plain);
		workload__do(w, 0, WORKER_WORK, WORK);
		inner += plain__read(&plain);
		r = count_end(f, c);
		outer += plain__read(&plain);
		check_cpus(r, inner, outer);
	}
}

/* -p counts all threads of the process, and no other process. */
static void test_process(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f), *other = start_workload(f);
	pid_t pid = workload__tid(w, 0), thread = workload__thread(w, 0, 1);
	struct plain plain = plain__sum(plain__task(f, scope_event(), pid, PLAIN_ALONE),
					plain__task(f, scope_event(), thread, PLAIN_ALONE));
	struct child *c = count_start(f, "%s -p %d", common(f), pid);
	struct run *r;

	workload__do(w, 0, WORKER_WORK, WORK);
	workload__do(w, 1, WORKER_WORK, WORK / 2);
	workload__do(other, 0, WORKER_WORK, WORK);
	r = count_end(f, c);
	assert_true(plain__read(&plain) > WORK);
	assert_count(r, scope_by_id(r, "process", pid), plain__read(&plain));
}

static void test_processes(void **state)
{
	struct fixture *f = *state;
	struct workload *w[] = {start_workload(f), start_workload(f), start_workload(f)};
	struct plain plain[3];
	struct child *c;
	struct run *r;
	double sum = 0;

	for (int i = 0; i < 3; i++)
		plain[i] = plain__task(f, scope_event(), workload__tid(w[i], 0), PLAIN_INHERIT);
	c = count_start(f, "%s -p %d,%d -p %d", common(f), workload__tid(w[0], 0),
			workload__tid(w[1], 0), workload__tid(w[2], 0));
	for (int i = 0; i < 3; i++)
		workload__do(w[i], 0, WORKER_WORK, (i + 1) * WORK / 2);
	r = count_end(f, c);
	for (int i = 0; i < 3; i++) {
		assert_count(r, scope_by_id(r, "process", workload__tid(w[i], 0)),
			     plain__read(&plain[i]));
		sum += plain__read(&plain[i]);
	}
	assert_count(r, scope_by_id(r, "total", 0), sum);
}

/* bprof counts children that fork and exit during the measurement, and children that outlive it. */
static void test_children(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	struct child *c = count_start(f, "%s -p %d", common(f), pid);
	struct run *r;

	workload__do(w, 0, WORKER_FAMILY, WORK);
	workload__process(w, 0, 1);
	workload__process(w, 1, 2);
	workload__thread(w, 2, 3);
	workload__do(w, 1, WORKER_FAMILY, WORK / 2);
	workload__do(w, 2, WORKER_WORK, WORK);
	workload__do(w, 3, WORKER_WORK, WORK);
	workload__order(w, 1, WORKER_END, 0);
	workload__do(w, 2, WORKER_WORK, WORK); /* worker 2 is an orphan now */
	r = count_end(f, c);
	assert_true(plain__read(&plain) > 6.0 * WORK);
	assert_count(r, scope_by_id(r, "process", pid), plain__read(&plain));
}

/*
 * Orders work from four workers, and from new children of one worker. Only some of them are
 * counted.
 */
static void work_and_compare(struct workload *w, struct fixture *f, struct child *c,
			     const struct plain *plain)
{
	struct run *r;

	workload__do(w, 0, WORKER_WORK, WORK);
	workload__do(w, 1, WORKER_FAMILY, WORK);
	workload__do(w, 2, WORKER_WORK, WORK / 2);
	workload__do(w, 3, WORKER_WORK, WORK);
	r = count_end(f, c);
	assert_true(plain__read(plain) < 2.0 * WORK);
	assert_count(r, scope_by_id(r, "process", workload__tid(w, 0)), plain__read(plain));
}

/* Children that exist when counting begins are not counted; neither are their children. */
static void test_earlier_children(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain;
	struct child *c;

	workload__process(w, 0, 1);
	plain = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
	c = count_start(f, "%s -p %d", common(f), pid);
	workload__process(w, 0, 2);
	workload__process(w, 1, 3);
	work_and_compare(w, f, c, &plain);
}

/*
 * With --no-inherit, children are not counted. All threads of the process are counted, including
 * threads that start later.
 */
static void test_process_alone(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0), thread = workload__thread(w, 0, 1);
	struct plain plain = plain__sum(plain__task(f, scope_event(), pid, PLAIN_ALONE),
					plain__task(f, scope_event(), thread, PLAIN_ALONE));
	struct child *c = count_start(f, "%s -p %d --no-inherit", common(f), pid);

	thread = workload__thread(w, 1, 2);
	if (!lacks_inherit_thread())
		plain = plain__sum(plain, plain__task(f, scope_event(), thread, PLAIN_ALONE));
	workload__process(w, 0, 3);
	work_and_compare(w, f, c, &plain);
}

/*
 * -t counts a thread with the children and threads that it starts, but no other thread of its
 * process.
 */
static void test_thread(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t tid = workload__thread(w, 0, 1);
	struct plain plain = plain__task(f, scope_event(), tid, PLAIN_INHERIT);
	struct plain alone = plain__task(f, scope_event(), tid, PLAIN_ALONE);
	struct child *c = count_start(f, "%s -t %d", common(f), tid);
	struct child *c_alone = count_start(f, "%s -t %d --no-inherit", common(f), tid);
	struct run *r;

	workload__thread(w, 1, 2);
	workload__process(w, 1, 3);
	workload__do(w, 0, WORKER_WORK, WORK);
	workload__do(w, 1, WORKER_WORK, WORK);
	workload__do(w, 2, WORKER_WORK, WORK / 2);
	workload__do(w, 3, WORKER_WORK, WORK / 4);
	r = count_end(f, c);
	assert_count(r, scope_by_id(r, "thread", tid), plain__read(&plain));
	r = count_end(f, c_alone);
	assert_count(r, scope_by_id(r, "thread", tid), plain__read(&alone));
	assert_true(plain__read(&plain) > 1.6 * WORK && plain__read(&alone) < 1.2 * WORK);
}

/*
 * A cgroup's count includes all cgroups below it. If a task is moved, each of its counts belongs to
 * the cgroup in which the task was at that time.
 */
static void test_cgroups(void **state)
{
	static const char *const names[] = {"ktest", "ktest/a", "ktest/a/b", "ktest/c"};
	struct fixture *f = *state;
	struct workload *w[4];
	struct plain plain[4];
	struct child *c;
	struct run *r;

	write_file(CGROUP_ROOT "/cgroup.subtree_control", "+pids");
	for (int i = 0; i < 4; i++) {
		make_cgroup(CGROUP_ROOT, names[i]);
		w[i] = start_workload(f);
		move_to_cgroup(CGROUP_ROOT, names[i], workload__tid(w[i], 0));
		plain[i] = plain__cgroup(f, scope_event(), CGROUP_ROOT, names[i]);
	}
	c = count_start(f, "%s --for-each-cgroup ktest,ktest/a/b,ktest/a,ktest/c", common(f));
	for (int i = 0; i < 4; i++)
		workload__do(w[i], 0, WORKER_FAMILY, (i + 1) * WORK / 8);
	move_to_cgroup(CGROUP_ROOT, names[1], workload__tid(w[2], 0));
	workload__do(w[2], 0, WORKER_WORK, WORK);
	r = count_end(f, c);
	for (int i = 0; i < 4; i++)
		assert_count(r, scope_by_name(r, "cgroup", names[i]), plain__read(&plain[i]));
	assert_true(plain__read(&plain[0]) > plain__read(&plain[1]) + plain__read(&plain[3]));
	assert_true(plain__read(&plain[1]) > plain__read(&plain[2]) + WORK);
}

/* A process moves itself to another cgroup, without a context switch before or after the move. */
static void test_moves_itself(void **state)
{
	static const char *const names[] = {"ktest", "ktest/a", "ktest/b"};
	struct fixture *f = *state;
	struct plain plain[3];
	struct workload *w;
	struct child *c;
	struct run *r;

	if (!strcmp(f->param, "bperf") && !follows_moves())
		skip_test("moves", "the cgroup that a task leaves is not found");
	w = start_workload(f);
	write_file(CGROUP_ROOT "/cgroup.subtree_control", "+pids");
	for (int i = 0; i < 3; i++) {
		make_cgroup(CGROUP_ROOT, names[i]);
		plain[i] = plain__cgroup(f, scope_event(), CGROUP_ROOT, names[i]);
	}
	move_to_cgroup(CGROUP_ROOT, names[1], workload__tid(w, 0));
	c = count_start(f, "%s --for-each-cgroup ktest,ktest/a,ktest/b", common(f));
	workload__do(w, 0, WORKER_MOVE, WORK);
	r = count_end(f, c);
	for (int i = 0; i < 3; i++)
		assert_count(r, scope_by_name(r, "cgroup", names[i]), plain__read(&plain[i]));
	assert_true(plain__read(&plain[1]) > 1.2 * WORK && plain__read(&plain[2]) > .4 * WORK);
}

/* A command is counted from its exec on, and so are its children. */
static void test_command(void **state)
{
	struct fixture *f = *state;
	struct plain plain;
	struct workload *w;
	char command[WORKER_PIPES_SZ + 32];
	struct child *c;
	struct run *r;
	json_t *row;

	w = prepare_workload(f, command, sizeof(command));
	c = bprof_start(f, "system -j %s -- %s", common(f), command);
	workload__await(w, 0);
	plain = plain__task(f, scope_event(), workload__tid(w, 0), PLAIN_INHERIT);
	workload__do(w, 0, WORKER_WORK, WORK);
	workload__do(w, 0, WORKER_FAMILY, WORK);
	workload__order(w, 0, WORKER_END, 0);
	r = child_wait(f, c);
	assert_status(r, 0);
	row = scope_by_name(r, "command", "drive");
	assert_int_equal(num(row, "id"), workload__tid(w, 0));
	assert_count(r, row, plain__read(&plain));
}

/*
 * The counts of a process remain after its end. bprof ends when all counted processes have ended.
 */
static void test_end(void **state)
{
	struct fixture *f = *state;
	struct workload *w[] = {start_workload(f), start_workload(f)};
	pid_t pid[] = {workload__tid(w[0], 0), workload__tid(w[1], 0)};
	struct plain plain[2];
	struct child *c;
	struct run *r;

	for (int i = 0; i < 2; i++)
		plain[i] = plain__task(f, scope_event(), pid[i], PLAIN_INHERIT);
	c = bprof_start(f, "system -j -I 50 %s -p %d,%d", common(f), pid[0], pid[1]);
	child_line(c);
	for (int i = 0; i < 2; i++) {
		workload__do(w[i], 0, WORKER_WORK, WORK);
		workload__order(w[i], 0, WORKER_END, 0);
		if (!i)
			child_line(c);
	}
	r = child_wait(f, c);
	assert_status(r, 0);
	for (int i = 0; i < 2; i++)
		check_count(r, "to its end", sum_of_scope(r->out, "process", pid[i], scope_event()),
			    plain__read(&plain[i]), __LINE__);
}

/*
 * A later bperf user counts only work after its own start. Earlier bperf users still count all
 * work.
 */
static void test_later_user(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct plain plain[3];
	struct child *c[3];
	struct run *r;

	for (int i = 0; i < 3; i++) {
		plain[i] = plain__task(f, scope_event(), pid, PLAIN_INHERIT);
		c[i] = count_start(f, "%s -p %d", common(f), pid);
		/* Only the bperf users that started so far count this work. */
		workload__process(w, 0, 2 * i + 1);
		workload__process(w, 2 * i + 1, 2 * i + 2);
		for (int k = 0; k <= 2 * i + 2; k++)
			workload__do(w, k, WORKER_WORK, WORK / 8);
	}
	/* The bperf users do not end in the order in which they began. */
	for (int i = 0; i < 3; i++) {
		int user = (i + 1) % 3;

		workload__do(w, 0, WORKER_FAMILY, WORK / 8);
		workload__do(w, 2, WORKER_FAMILY, WORK / 8);
		r = count_end(f, c[user]);
		assert_count(r, scope_by_id(r, "process", pid), plain__read(&plain[user]));
	}
	assert_true(plain__read(&plain[0]) > plain__read(&plain[1]) + WORK / 2);
	assert_true(plain__read(&plain[1]) > plain__read(&plain[2]) + WORK / 2);
}

/* A thread that calls exec becomes the first and only thread of its process. */
static void test_exec(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0), tid = workload__thread(w, 0, 1);
	struct plain first = plain__task(f, scope_event(), pid, PLAIN_ALONE);
	struct plain thread = plain__task(f, scope_event(), tid, PLAIN_INHERIT);
	struct plain both = plain__sum(first, thread);
	struct child *c = count_start(f, "%s -p %d", common(f), pid);
	struct child *c_first = count_start(f, "%s -t %d", common(f), pid);
	struct child *c_thread = count_start(f, "%s -t %d", common(f), tid);
	struct run *r;

	workload__do(w, 0, WORKER_WORK, WORK);
	workload__do(w, 1, WORKER_WORK, WORK / 2);
	workload__do(w, 1, WORKER_EXEC, 0);
	assert_int_equal(workload__tid(w, 1), pid);
	workload__do(w, 1, WORKER_FAMILY, WORK);
	workload__do(w, 1, WORKER_WORK, WORK);
	r = count_end(f, c);
	assert_count(r, scope_by_id(r, "process", pid), plain__read(&both));
	r = count_end(f, c_thread);
	assert_count(r, scope_by_id(r, "thread", tid), plain__read(&thread));
	r = count_end(f, c_first);
	assert_count(r, scope_by_id(r, "thread", pid), plain__read(&first));
}

/* A process is counted as long as any of its threads exists, even without the first thread. */
static void test_first_thread_ends(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0), tid = workload__thread(w, 0, 1);
	struct plain plain = plain__sum(plain__task(f, scope_event(), pid, PLAIN_ALONE),
					plain__task(f, scope_event(), tid, PLAIN_INHERIT));
	struct child *c[2];
	double before;

	c[0] = count_start(f, "%s -p %d", common(f), pid);
	workload__do(w, 0, WORKER_WORK, WORK);
	workload__order(w, 0, WORKER_LEAVE, 0);
	workload__do(w, 1, WORKER_WORK, WORK);
	before = plain__read(&plain);
	c[1] = count_start(f, "%s -p %d", common(f), pid);
	workload__do(w, 1, WORKER_WORK, WORK / 2);
	workload__do(w, 1, WORKER_FAMILY, WORK / 2);
	for (int i = 0; i < 2; i++) {
		struct run *r = count_end(f, c[i]);

		assert_count(r, scope_by_id(r, "process", pid),
			     plain__read(&plain) - (i ? before : 0));
	}
}

/*
 * Starts a process that ends by the given order, and returns its count. Closing the process's files
 * is work of the kernel, so the event also counts in the kernel.
 */
static double count_end_of_process(struct fixture *f, enum worker_op end)
{
	const char *event = arch_is("aarch64") ? "instructions:k" : "msr/tsc/";
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct child *c = count_start(f, "-e %s %s -p %d", event, method_option(f->param), pid);

	workload__order(w, 0, end, FILES);
	return total_of(scope_by_id(count_end(f, c), "process", pid), event);
}

/*
 * A process is counted until its last thread has ended. If threads end at the same time, the count
 * is the same as if they ended one after the other.
 */
static void test_threads_end_together(void **state)
{
	struct fixture *f = *state;
	double turns = count_end_of_process(f, WORKER_TURNS);
	double cross = count_end_of_process(f, WORKER_CROSS);

	if (cross < .9 * turns || cross > 1.1 * turns)
		fail_test("%.0f, and %.0f where one thread ended after the other", cross, turns);
}

#define METHOD_TEST(fn, suffix, ...) \
	KTEST_FULL("test_" #fn suffix, test_##fn, setup_system, teardown_system, __VA_ARGS__)

KTEST_GROUP(system_accuracy, "bprof system against plain perf events", NULL, ON(EXACT, CPUS512),
	    METHOD_TEST(cpus, "", "bperf"), METHOD_TEST(cpus, "_plain", "perf_event", LONG),
	    METHOD_TEST(process, "", "bperf"), METHOD_TEST(process, "_plain", "perf_event", LONG),
	    METHOD_TEST(processes, "", "bperf"),
	    METHOD_TEST(processes, "_plain", "perf_event", LONG),
	    METHOD_TEST(children, "", "bperf"), METHOD_TEST(children, "_plain", "perf_event", LONG),
	    METHOD_TEST(earlier_children, "", "bperf", LONG),
	    METHOD_TEST(earlier_children, "_plain", "perf_event", LONG),
	    METHOD_TEST(process_alone, "", "bperf"),
	    METHOD_TEST(process_alone, "_plain", "perf_event", LONG),
	    METHOD_TEST(thread, "", "bperf"), METHOD_TEST(thread, "_plain", "perf_event", LONG),
	    METHOD_TEST(cgroups, "", "bperf"), METHOD_TEST(cgroups, "_plain", "perf_event", LONG),
	    METHOD_TEST(moves_itself, "", "bperf", LONG),
	    METHOD_TEST(moves_itself, "_plain", "perf_event", LONG),
	    METHOD_TEST(command, "", "bperf"), METHOD_TEST(command, "_plain", "perf_event", LONG),
	    METHOD_TEST(end, "", "bperf"), METHOD_TEST(end, "_plain", "perf_event", LONG),
	    METHOD_TEST(later_user, "", "bperf"),
	    METHOD_TEST(later_user, "_plain", "perf_event", LONG), METHOD_TEST(exec, "", "bperf"),
	    METHOD_TEST(exec, "_plain", "perf_event", LONG),
	    METHOD_TEST(first_thread_ends, "", "bperf"),
	    METHOD_TEST(first_thread_ends, "_plain", "perf_event", LONG),
	    METHOD_TEST(threads_end_together, "", "bperf"));
