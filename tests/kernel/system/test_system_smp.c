// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests `bprof system` on several CPUs: counts per CPU, offline CPUs between online ones, counted
 * tasks that never sleep, many bperf users. The group needs four vCPUs.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/kernel/drive/pages.h"
#include "tests/kernel/system/counting.h"
#include "tests/kernel/system/leaders.h"

#define CPUS 4
#define FOR_EVER (1ULL << 50)
#define USERS 42 /* more than the 38 followers that the kernel attaches to perf's leader */

static int setup_cpus(void **state)
{
	return has_cpus(CPUS) ? setup_system(state) : -1;
}

static int teardown_cpus(void **state)
{
	set_all_online(CPUS);
	return teardown_system(state);
}

/*
 * Returns the event for VMs without -icount: a cycle counter, which advances with the host's time.
 */
static const char *time_event(void)
{
	return arch_is("aarch64") ? "cycles:u" : "msr/tsc/";
}

static void pin(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(tid, sizeof(set), &set), 0);
}

/* Minor faults do not depend on timing: two counters of the same task's faults agree exactly. */
#define FAULTS "minor-faults"
#define PAGES 100

/*
 * Returns the allowed difference between two counts of the same time. The host may run something
 * else between the readings of two counters, and QEMU for arm64 reads the clock for each counter at
 * each entry to and exit from the kernel. On a busy host, two plain events (cycles:u of one task)
 * differed by up to 34 ms after 200,000 system calls in 400 ms.
 */
static double slack(double plain)
{
	return .05 * plain + 5e7;
}

/* The plain events of a task. */
struct task_counts {
	struct plain time, faults;
};

static struct task_counts count_task(struct fixture *f, pid_t tid)
{
	return (struct task_counts){
		.time = plain__task(f, time_event(), tid, PLAIN_INHERIT),
		.faults = plain__task(f, FAULTS, tid, PLAIN_INHERIT),
	};
}

/* Orders work that the two events count: instructions, which take time, and page faults. */
static void work_on(struct workload *w, int amount)
{
	workload__do(w, 0, WORKER_TOUCH, amount * PAGES);
	workload__do(w, 0, WORKER_WORK, amount * 5 * WORK);
}

static void check_task(const struct run *r, json_t *row, const struct task_counts *plain, int line)
{
	double time = plain__read(&plain->time);

	check_near(r, "faults", total_of(row, FAULTS), plain__read(&plain->faults), 0, line);
	check_near(r, "time", total_of(row, time_event()), time, slack(time), line);
}

/* Checks the counts of CPUs. They include all tasks that ran on these CPUs, not only the worker. */
static void check_cpus(const struct run *r, json_t *row, const struct task_counts *plain)
{
	double time = plain__read(&plain->time), faults = plain__read(&plain->faults);

	if (total_of(row, time_event()) < time - slack(time) || total_of(row, FAULTS) < faults)
		fail_test("plain %.0f, %.0f faults: %s", time, faults, r->out);
}

/* Starts a process that is bound to that CPU. */
static struct workload *start_on(struct fixture *f, int cpu)
{
	struct workload *w = start_workload(f);

	pin(workload__tid(w, 0), cpu);
	return w;
}

static json_t *cpu_row(json_t *scope, int cpu)
{
	json_t *rows = json_object_get(scope, "cpus"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (num(row, "cpu") == cpu)
			return row;
	return NULL;
}

static double sum_of_cpus(json_t *scope, const char *event)
{
	json_t *rows = json_object_get(scope, "cpus"), *row;
	double sum = 0;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		sum += total_of(row, event);
	return sum;
}

static void check_sums(json_t *scope)
{
	assert_true(total_of(scope, time_event()) == sum_of_cpus(scope, time_event()));
	assert_true(total_of(scope, FAULTS) == sum_of_cpus(scope, FAULTS));
}

/* ---- a task that is moved while it runs ---- */

/* A process that is bound to a CPU and always runs: no context switch takes it off the CPU. */
struct spinner {
	pid_t pid;
	volatile int *ordered, *done; /* numbers of pages, in shared memory */
};

static void spin(const struct spinner *s)
{
	for (;;) {
		int pages = *s->ordered - *s->done;

		if (pages && pages__touch(pages))
			_exit(1);
		*s->done += pages;
	}
}

static struct spinner start_spinner(int cpu)
{
	struct spinner s;

	s.ordered = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(s.ordered != MAP_FAILED);
	s.done = s.ordered + 1;
	*s.ordered = 1;
	s.pid = fork();
	if (!s.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin(&s);
	}
	assert_true(s.pid > 0);
	pin(s.pid, cpu);
	return s;
}

static void spinner__touch(const struct spinner *s, int pages)
{
	*s->ordered += pages;
	while (*s->done != *s->ordered)
		usleep(1000);
}

static void end_spinner(const struct spinner *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	munmap((void *)s->ordered, 4096);
}

/*
 * A running task is moved to another cgroup. Its counts up to the move belong to the old cgroup,
 * although the next context switch comes only later.
 */
static void test_moved_while_it_runs(void **state)
{
	static const char *const names[] = {"ktest", "ktest/a", "ktest/b"};
	struct fixture *f = *state;
	double before, moved;
	struct spinner s;
	struct plain plain;
	struct child *c;
	struct run *r;

	if (!follows_moves())
		skip_test("moves", "a task that runs on another CPU is not found");
	s = start_spinner(1);
	plain = plain__task(f, FAULTS, s.pid, PLAIN_ALONE);
	for (int i = 0; i < 3; i++)
		make_cgroup(CGROUP_ROOT, names[i]);
	move_to_cgroup(CGROUP_ROOT, names[1], s.pid);
	spinner__touch(&s, PAGES);
	c = count_start(f, "-e " FAULTS " --for-each-cgroup ktest,ktest/a,ktest/b");
	before = plain__read(&plain);
	spinner__touch(&s, 3 * PAGES);
	move_to_cgroup(CGROUP_ROOT, names[2], s.pid);
	leaders__await_moves();
	moved = plain__read(&plain);
	spinner__touch(&s, PAGES);
	r = count_end(f, c);
	end_spinner(&s);
	assert_true(moved - before >= 3 * PAGES);
	check_near(r, "a", total_of(scope_by_name(r, "cgroup", names[1]), FAULTS), moved - before,
		   0, __LINE__);
	check_near(r, "b", total_of(scope_by_name(r, "cgroup", names[2]), FAULTS),
		   plain__read(&plain) - moved, 0, __LINE__);
	check_near(r, "both", total_of(scope_by_name(r, "cgroup", names[0]), FAULTS),
		   plain__read(&plain) - before, 0, __LINE__);
}

/* ---- a task that never leaves its CPU ---- */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/*
 * A task that never leaves its CPU is counted during the whole measurement. The count must be at
 * least the time from bprof's message that it is ready to the signal that interrupts it. It must be
 * at most the time from bprof's start to its end. The bounds are not closer, because the host may
 * pause any vCPU. KTEST_HOG=20x1000 measures 20 times 1000 ms, and prints by how much each count
 * and bprof's own elapsed time exceed those of the plain event.
 */
static void test_hog(void **state)
{
	struct fixture *f = *state;
	const char *times_ms = getenv("KTEST_HOG"); /* such as "20x1000" */
	struct workload *w = start_on(f, 2);
	pid_t pid = workload__tid(w, 0), tid = workload__thread(w, 0, 1);
	const struct {
		const char *options, *kind;
		json_int_t id;
		struct plain plain;
	} scopes[] = {
		{"-A -a", "system", 0, plain__cpu(f, time_event(), 2)},
		{"-A -C 1-2", "system", 0, plain__cpu(f, time_event(), 2)},
		{"-A -p", "process", pid, plain__task(f, time_event(), tid, PLAIN_ALONE)},
		{"-A -t", "thread", tid, plain__task(f, time_event(), tid, PLAIN_ALONE)},
	};
	int times = 1, ms = 300;

	if (times_ms && *times_ms)
		sscanf(times_ms, "%dx%d", &times, &ms);
	workload__order(w, 1, WORKER_WORK, FOR_EVER);
	for (int i = 0; i < 4 * times; i++) {
		const typeof(scopes[0]) *s = &scopes[i % 4];
		double outer = -plain__read(&s->plain), inner, count, ns;
		struct child *c;
		struct run *r;

		c = s->id ? count_start(f, "-e %s %s %lld", time_event(), s->options, s->id)
			  : count_start(f, "-e %s %s", time_event(), s->options);
		inner = -plain__read(&s->plain);
		ns = -now();
		usleep(ms * 1000);
		ns += now();
		inner += plain__read(&s->plain);
		r = count_end(f, c);
		outer += plain__read(&s->plain);
		count = total_of(cpu_row(scope_by_id(r, s->kind, s->id), 2), time_event());
		if (times_ms && *times_ms)
			printf("# %s: %.0f, plain %.0f: %+.2f %% in %+.2f %% of the time\n",
			       s->options, count, inner, (count / inner - 1) * 100,
			       (num(r->json, "elapsed_ns") / ns - 1) * 100);
		if (count < .98 * inner || count > 1.02 * outer)
			fail_test("%s: %.0f, plain at least %.0f and at most %.0f: %s", s->options,
				  count, inner, outer, r->out);
	}
}

/* ---- counts per CPU ---- */

static void test_each_cpu(void **state)
{
	struct fixture *f = *state;
	struct workload *w[CPUS];
	struct task_counts plain[CPUS];
	struct child *c, *c_tasks;
	char pids[64] = "";
	struct run *r;
	json_t *row;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		w[cpu] = start_on(f, cpu);
		plain[cpu] = count_task(f, workload__tid(w[cpu], 0));
		sprintf(pids + strlen(pids), "%s%d", cpu ? "," : "", workload__tid(w[cpu], 0));
	}
	c = count_start(f, "-A -C 1,3 -e %s," FAULTS, time_event());
	c_tasks = count_start(f, "-A -e %s," FAULTS " -p %s", time_event(), pids);
	for (int cpu = 0; cpu < CPUS; cpu++)
		work_on(w[cpu], cpu + 1);
	r = count_end(f, c_tasks);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		row = scope_by_id(r, "process", workload__tid(w[cpu], 0));
		check_task(r, cpu_row(row, cpu), &plain[cpu], __LINE__);
		check_sums(row);
	}
	check_sums(scope_by_id(r, "total", 0));
	r = count_end(f, c);
	row = scope_by_id(r, "system", 0);
	check_sums(row);
	assert_null(cpu_row(row, 0));
	assert_null(cpu_row(row, 2));
	for (int cpu = 1; cpu < CPUS; cpu += 2)
		check_cpus(r, cpu_row(row, cpu), &plain[cpu]);
}

/* Counts CPUs 2 and 3, and tasks that run on them, while CPU 1 goes offline or online. */
static void measure_hole(struct fixture *f, struct workload **w, bool on)
{
	struct task_counts task[CPUS];
	struct child *c_tasks, *c_all;
	double begin = now(), ready;
	json_t *all;
	struct run *r;

	for (int cpu = 2; cpu < CPUS; cpu++)
		task[cpu] = count_task(f, workload__tid(w[cpu], 0));
	c_tasks = count_start(f, "-A -e %s," FAULTS " -p %d,%d", time_event(),
			      workload__tid(w[2], 0), workload__tid(w[3], 0));
	c_all = count_start(f, "-A -a -e time");
	ready = now();
	work_on(w[2], 1);
	set_online(1, !on);
	work_on(w[3], 2);
	ready = now() - ready;
	r = count_end(f, c_all);
	all = scope_by_id(r, "system", 0);
	assert_int_equal(json_array_size(json_object_get(all, "cpus")), on ? CPUS : CPUS - 1);
	assert_true(!cpu_row(all, 1) == !on);
	for (int cpu = 2; cpu < CPUS; cpu++) {
		double ns = total_of(cpu_row(all, cpu), "time");

		if (ns < .98 * ready || ns > now() - begin)
			fail_test("CPU %d: %.0f ns of at least %.0f: %s", cpu, ns, ready, r->out);
	}
	r = count_end(f, c_tasks);
	for (int cpu = 2; cpu < CPUS; cpu++)
		check_task(r, scope_by_id(r, "process", workload__tid(w[cpu], 0)), &task[cpu],
			   __LINE__);
}

/*
 * A CPU that is offline before or during the measurement does not affect the counts of other CPUs.
 */
static void test_hole(void **state)
{
	struct fixture *f = *state;
	struct workload *w[CPUS] = {NULL, NULL, start_on(f, 2), start_on(f, 3)};

	set_online(1, false);
	measure_hole(f, w, false);
	measure_hole(f, w, true);
}

/* ---- many bperf users ---- */

/* Runs many bperf users at once. Each counts all work between its own start and end. */
static void test_many_users(void **state)
{
	struct fixture *f = *state;
	struct workload *w = start_workload(f);
	pid_t pid = workload__tid(w, 0);
	struct task_counts plain;
	struct child *c[USERS];

	for (int i = 0; i < USERS; i++)
		c[i] = i % 2 ? count_start(f, "-e %s," FAULTS " -p %d", time_event(), pid)
			     : count_start(f, "-e %s," FAULTS " -a", time_event());
	plain = count_task(f, pid);
	work_on(w, 1);
	workload__do(w, 0, WORKER_FAMILY, 5 * WORK);
	for (int i = 0; i < USERS; i++)
		child_signal(c[i], SIGINT);
	for (int i = 0; i < USERS; i++) {
		struct run *r = child_wait(f, c[i]);

		assert_status(r, 0);
		if (i % 2)
			check_task(r, scope_by_id(r, "process", pid), &plain, __LINE__);
		else
			check_cpus(r, scope_by_id(r, "system", 0), &plain);
	}
}

/* ---- without the permission to use BPF ---- */

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/*
 * Returns what bprof counts for a command if a user without privileges runs bprof. Sets *seen to
 * the count of an event that was opened after the command had started.
 */
static double count_refused(struct fixture *f, __u64 work, double *seen)
{
	char worker[WORKER_PIPES_SZ + 32], *line;
	struct workload *w = prepare_workload(f, worker, sizeof(worker));
	struct plain plain;
	struct child *c;
	struct run *r;
	json_t *row;

	c = command_start(f, "drive nobody none bprof system -j -e task-clock:u -o - -- %s",
			  worker);
	workload__await(w, 0);
	plain = plain__task(f, "task-clock", workload__tid(w, 0), PLAIN_INHERIT);
	workload__do(w, 0, WORKER_FAMILY, work);
	workload__order(w, 0, WORKER_END, 0);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->err, "(method: perf_event)");
	line = strchr(r->err, '\n');
	if (!line || line[1])
		fail_test("not one line: %s", r->err);
	row = scope_by_name(r, "command", "drive");
	assert_string_equal(str(row, "method"), "perf_event");
	*seen = plain__read(&plain);
	return total_of(row, "task-clock:u");
}

/*
 * If the caller may not load BPF programs, bprof counts with its own events and prints one line
 * about that.
 */
static void test_refused(void **state)
{
	struct fixture *f = *state;
	double idle_seen, start, seen, count;

	/* The default value of mainline kernels. Debian's default, 3, would allow no events. */
	write_file(PARANOID, "2");
	/*
	 * Unlike the event, bprof also counts the start of the worker's program. The first start
	 * takes longest, so its count is a limit for the second one.
	 */
	start = count_refused(f, 0, &idle_seen) - idle_seen;
	count = count_refused(f, 5 * WORK, &seen);
	if (count < seen || count > 1.2 * seen + start)
		fail_test("counted %.0f of %.0f + %.0f", count, seen, start);
}

/*
 * A user without privileges may count a command of its own: with the value 1 in user space and in
 * the kernel, with 2 only in user space.
 */
static void test_default_events(void **state)
{
	static const char *const names[] = {"cycles", "cycles:u"};
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		struct run *r;

		write_file(PARANOID, i ? "2" : "1");
		r = command(f, "drive nobody none bprof system -j -o - -- true");
		assert_status(r, 0);
		assert_true(total_of(scope_by_name(r, "command", "true"),
				     arch_is("aarch64") ? names[i] : "time") > 0);
	}
}

/* CAP_PERFMON is enough to count all CPUs, unless Debian's kernel requires CAP_SYS_ADMIN. */
static void test_perfmon(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	write_file(PARANOID, "2");
	r = command(f, "drive nobody cap_perfmon bprof system -j -a -e time -o - -- sleep 0.1");
	assert_status(r, 0);
	assert_contains(r->err, "(method: perf_event)");
	assert_true(total_of(scope_by_id(r, "system", 0), "time") > CPUS * 1e8);
	/* With Debian's value 3, only CAP_SYS_ADMIN allows to open events. */
	write_file(PARANOID, "3");
	r = command(
		f, "drive nobody cap_perfmon,cap_bpf bprof system -j -a -e cpu-clock -o - -- true");
	assert_status(r, 7);
	assert_contains(r->err, "kernel.perf_event_paranoid=3 it needs CAP_SYS_ADMIN");
}

static int teardown_refused(void **state)
{
	write_file(PARANOID, "3");
	return teardown_cpus(state);
}

/*
 * A process that starts one more child at each order. All these processes end with the test's
 * process.
 */
struct family {
	pid_t pid;
	int order, answer;
};

/*
 * Answers, then blocks in read(). The blocking read() must cause no page fault, because the caller
 * counts faults. So a failing read() comes first: it touches the same pages, including the page of
 * errno.
 */
static void be_idle(int answer, int never)
{
	char c = 'c';

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(-1, &c, 1) != -1 || errno != EBADF || write(answer, &c, 1) != 1)
		_exit(1);
	for (;;)
		if (read(never, &c, 1) >= 0)
			_exit(1);
}

static void have_children(int order, int answer)
{
	int never[2];
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(never))
		_exit(1);
	while (read(order, &c, 1) == 1)
		if (!fork())
			be_idle(answer, never[0]);
	_exit(0);
}

static struct family start_family(struct fixture *f)
{
	int order[2], answer[2];
	struct family fam;

	assert_int_equal(pipe(order), 0);
	assert_int_equal(pipe(answer), 0);
	fam.pid = fork();
	if (!fam.pid)
		have_children(order[0], answer[1]);
	assert_true(fam.pid > 0);
	close(order[0]);
	close(answer[1]);
	fam.order = f->fd[f->fd_cnt++] = order[1];
	fam.answer = f->fd[f->fd_cnt++] = answer[0];
	return fam;
}

static void family__grow(const struct family *fam)
{
	char c = 'c';

	if (write(fam->order, &c, 1) != 1 || read(fam->answer, &c, 1) != 1)
		fail_test("the process has ended");
}

/* More than 64 bperf users count one process, and each counts a different set of children. */
static void test_generations(void **state)
{
	enum { GENERATIONS = 70 };
	struct fixture *f = *state;
	struct family fam = start_family(f);
	struct plain plain[GENERATIONS];
	struct child *c[GENERATIONS];

	for (int i = 0; i < GENERATIONS; i++) {
		c[i] = count_start(f, "-e " FAULTS " -p %d", fam.pid);
		plain[i] = plain__task(f, FAULTS, fam.pid, PLAIN_INHERIT);
		family__grow(&fam);
	}
	for (int i = 0; i < GENERATIONS; i++) {
		struct run *r = count_end(f, c[i]);

		check_near(r, "faults", total_of(scope_by_id(r, "process", fam.pid), FAULTS),
			   plain__read(&plain[i]), 0, __LINE__);
	}
	kill(fam.pid, SIGKILL);
	waitpid(fam.pid, NULL, 0);
}

#define CPU_TEST(...) KTEST_WITH(setup_cpus, teardown_cpus, __VA_ARGS__)

KTEST_GROUP(system_smp, "bprof system on several CPUs", NULL, ON(SMP4), CPU_TEST(test_hog, LONG),
	    CPU_TEST(test_moved_while_it_runs), CPU_TEST(test_each_cpu), CPU_TEST(test_hole, LONG),
	    CPU_TEST(test_many_users, LONG), CPU_TEST(test_generations, LONG),
	    KTEST_WITH(setup_cpus, teardown_refused, test_refused),
	    KTEST_WITH(setup_cpus, teardown_refused, test_default_events),
	    KTEST_WITH(setup_cpus, teardown_refused, test_perfmon));
