// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests several invocations of one target that are in flight on one CPU. Tasks stop in the middle
 * of a sleepable program at a page fault, which this test resolves (userfaultfd) at a chosen time.
 * So the test decides which invocations overlap.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include <linux/userfaultfd.h>

#include "bpf/probe.h"
#include "tests/kernel/harness.h"

/*
 * At most this many invocations of one target can be in flight on one CPU and still be measured:
 * each takes one of the probe's frames. With fsessions, the limit is about BPROF_POOL_FRAMES.
 */
#define FRAMES BPROF_FRAMES
#define MANY 64
/* The most tasks that overlap() makes. They are more than all frames of an fsession. */
#define TASKS_MAX (BPROF_POOL_FRAMES + 80)
#define TASK_STACK_SZ (64 << 10)
#define SHORT_RUNS 5
#define REPORT "/tmp/ktest-nesting"

struct sleeper {
	pthread_t thread;
	int prog_fd;
	const void *from;
	int err;
};

static int run_copy(int prog_fd, const void *from)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &from, .ctx_size_in = sizeof(from));

	return bpf_prog_test_run_opts(prog_fd, &opts) ? -errno : 0;
}

static void pin_to_first_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void unpin(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void *sleeper__run(void *arg)
{
	struct sleeper *s = arg;

	s->err = run_copy(s->prog_fd, s->from);
	return NULL;
}

static int open_userfaultfd(void *area, size_t sz)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.range = {.start = (unsigned long)area, .len = sz},
				      .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, UFFDIO_API, &api), 0);
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	return fd;
}

/* Waits until a task has a page fault on that page. */
static void await_fault(int uffd, const void *page)
{
	struct uffd_msg msg;

	assert_true(hang__await_input(uffd));
	assert_int_equal(read(uffd, &msg, sizeof(msg)), sizeof(msg));
	assert_int_equal(msg.event, UFFD_EVENT_PAGEFAULT);
	assert_int_equal(msg.arg.pagefault.address, (unsigned long)page);
}

static void resolve_fault(int uffd, void *page, size_t sz)
{
	struct uffdio_zeropage zero = {.range = {.start = (unsigned long)page, .len = sz}};

	assert_int_equal(ioctl(uffd, UFFDIO_ZEROPAGE, &zero), 0);
}

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Bounds for the time that tasks spent in the program, measured outside of the program. */
struct stays {
	__u64 shortest;		/* lower bound for the time of each task */
	__u64 sum_min, sum_max; /* bounds for the sum of the times of all tasks */
};

/*
 * Makes cnt tasks enter the program one after the other and stay in it. Then short_runs further
 * invocations begin and end. After that, the tasks leave in the order in which they entered; nested
 * interrupts would leave in the reverse order. All invocations are on one CPU. If pace is not NULL,
 * this other program, which is not measured, runs after each entry and each exit, so that time
 * passes.
 */
static struct stays overlap(struct target t, int cnt, int short_runs, const struct target *pace)
{
	static __u64 before[TASKS_MAX], in[TASKS_MAX];
	static struct sleeper s[TASKS_MAX];
	size_t page_sz = sysconf(_SC_PAGESIZE);
	struct stays stays = {.shortest = ~0ULL};
	pthread_attr_t attr;
	char here = 0, *area;
	__u64 stay;
	int uffd;

	assert_true(cnt <= TASKS_MAX);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, TASK_STACK_SZ);
	area = mmap(NULL, cnt * page_sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	assert_true(area != MAP_FAILED);
	uffd = open_userfaultfd(area, cnt * page_sz);
	pin_to_first_cpu(); /* the threads inherit the affinity */
	for (int i = 0; i < cnt; i++) {
		s[i] = (struct sleeper){.prog_fd = t.fd, .from = area + i * page_sz};
		before[i] = now_ns();
		assert_int_equal(pthread_create(&s[i].thread, &attr, sleeper__run, &s[i]), 0);
		await_fault(uffd, s[i].from);
		in[i] = now_ns();
		if (pace)
			drive(*pace, 50);
	}
	for (int i = 0; i < short_runs; i++)
		assert_int_equal(run_copy(t.fd, &here), 0);
	for (int i = 0; i < cnt; i++) {
		stay = now_ns() - in[i];
		stays.shortest = stay < stays.shortest ? stay : stays.shortest;
		stays.sum_min += stay;
		resolve_fault(uffd, area + i * page_sz, page_sz);
		pthread_join(s[i].thread, NULL);
		stays.sum_max += now_ns() - before[i];
		assert_int_equal(s[i].err, 0);
		if (pace)
			drive(*pace, 50);
	}
	unpin();
	close(uffd);
	munmap(area, cnt * page_sz);
	pthread_attr_destroy(&attr);
	return stays;
}

/* Returns true if sleepable programs are measured with fsessions here. */
static bool has_fsessions(struct fixture *f)
{
	struct run *r = command(f, "bprof doctor");
	const char *row = strstr(r->out, "\nfsession ");

	assert_non_null(row);
	return !strncmp(row + strlen("\nfsession "), "     ok", 7);
}

/* Skips the test if cnt invocations in flight need fsessions, which this kernel does not have. */
static void need_fsessions(struct fixture *f, int cnt)
{
	if (cnt > FRAMES && !has_fsessions(f))
		skip_test("many_in_flight", "no fsessions");
}

static struct run *measure_overlap(struct fixture *f, struct target t, int cnt)
{
	struct child *c = bprof_start(f, "-j -I 50 -b %u -e %s,time", t.id, machine_event());
	struct run *r;

	child_line(c);
	overlap(t, cnt, SHORT_RUNS, NULL);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), cnt + SHORT_RUNS);
	return r;
}

static void test_overlapping(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_copy");
	struct run *r;

	/* The tasks take all frames except one. The short runs use that one. */
	r = measure_overlap(f, t, FRAMES - 1);
	assert_int_equal(sum_of(r->out, t.id, "measured"), FRAMES - 1 + SHORT_RUNS);
	/* Afterwards all frames are free again. */
	r = measure_overlap(f, t, FRAMES - 1);
	assert_int_equal(sum_of(r->out, t.id, "measured"), FRAMES - 1 + SHORT_RUNS);
}

/*
 * Measures cnt tasks that stop in the program, and returns the report. *stays has the bounds for
 * the times that the tasks spent in the program.
 */
static struct run *measure_stays(struct fixture *f, struct target t, const char *options, int cnt,
				 struct stays *stays)
{
	struct target pace = load_target(f, "work", "xdp_long");
	struct child *c;

	/*
	 * bprof starts the command when it begins to measure. There are no intervals, so one report
	 * has all runs.
	 */
	c = bprof_start(f,
			"-j -o " REPORT " -b %u %s -e time -- sh -c 'echo ready; exec sleep 1000'",
			t.id, options);
	assert_string_equal(child_line(c), "ready");
	*stays = overlap(t, cnt, 0, &pace);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	return command(f, "cat " REPORT);
}

/*
 * Each invocation has its own entry reading. If an exit were matched with the latest entry, the
 * minimum time would be below the shortest stay of a task. If all invocations shared one entry
 * reading, the sum of their times would differ from the sum of the stays.
 */
static void test_own_readings(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_copy");
	const int cnt = (uintptr_t)f->param;
	struct run *r;
	struct stays stays;
	json_int_t total;
	json_t *ev;

	need_fsessions(f, cnt);
	r = measure_stays(f, t, "", cnt, &stays);
	assert_counted(r, t.id, cnt);
	ev = event_of(row_of(r, t.id), "time");
	total = num(ev, "total");
	if (num(ev, "per_run.min") < (json_int_t)stays.shortest ||
	    total < (json_int_t)stays.sum_min || total > (json_int_t)stays.sum_max)
		fail_test("each stayed %llu ns or longer, all together %llu to %llu ns: %s",
			  stays.shortest, stays.sum_min, stays.sum_max, r->out);
}

/*
 * The number of an fsession's frames is large, but limited. An invocation searches the pool,
 * beginning at a place that depends on its stack. So if almost all frames are in use, it may not
 * find one of the last free frames.
 */
static void check_fsession_overflow(struct fixture *f, struct target t)
{
	struct run *r = measure_overlap(f, t, TASKS_MAX);
	json_int_t measured = sum_of(r->out, t.id, "measured");

	if (measured < BPROF_POOL_FRAMES * 9 / 10 || measured > BPROF_POOL_FRAMES + 1)
		fail_test("%lld of %d runs measured", (long long)measured, TASKS_MAX);
	assert_int_equal(measured + sum_of(r->out, t.id, "lost.overflow"), TASKS_MAX + SHORT_RUNS);
	/* The frames are free again. */
	r = measure_overlap(f, t, 2 * FRAMES);
	assert_int_equal(sum_of(r->out, t.id, "measured"), 2 * FRAMES + SHORT_RUNS);
}

/*
 * If more invocations are in flight than there are frames, those without a frame are reported as
 * lost.
 */
static void test_overflow(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_copy");
	struct run *r;

	if (has_fsessions(f)) {
		check_fsession_overflow(f, t);
		return;
	}
	r = measure_overlap(f, t, FRAMES + 2);
	assert_int_equal(sum_of(r->out, t.id, "measured"), FRAMES);
	assert_int_equal(sum_of(r->out, t.id, "lost.overflow"), 2 + SHORT_RUNS);
	/* The frames are free again. */
	r = measure_overlap(f, t, 1);
	assert_int_equal(sum_of(r->out, t.id, "measured"), 1 + SHORT_RUNS);
}

static json_t *func_event(const struct run *r, const char *func)
{
	json_t *row;

	for (size_t i = 0; (row = json_array_get(json_object_get(r->json, "programs"), i)); i++)
		if (!strcmp(str(row, "func"), func))
			return event_of(row, "time");
	fail_test("no row of %s: %s", func, r->out);
	return NULL;
}

/*
 * Like test_own_readings(), for a program that calls a function. The cost of each call is
 * subtracted from the run that made the call, and from no other run in flight.
 */
static void test_own_calls(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_call");
	const int cnt = (uintptr_t)f->param;
	struct run *r;
	struct stays stays;
	json_t *prog, *call;

	r = measure_stays(f, t, "--func '*'", cnt, &stays);
	prog = func_event(r, "syscall_call");
	call = func_event(r, "copy_byte");
	assert_int_equal(num(prog, "measured"), cnt);
	assert_int_equal(num(call, "measured"), cnt);
	if (num(call, "per_run.min") < (json_int_t)stays.shortest ||
	    num(prog, "total") > (json_int_t)stays.sum_max ||
	    num(prog, "total") < num(call, "total"))
		fail_test("each stayed %llu ns or longer, all together up to %llu ns: %s",
			  stays.shortest, stays.sum_max, r->out);
	/* The tasks wait in the called function, so the program's self cost is small. */
	if (real(prog, "per_run.self") < -1e3 || real(prog, "per_run.self") > stays.shortest / 2.0)
		fail_test("the program's own part of %llu ns: %s", stays.shortest, r->out);
	assert_float_equal(real(call, "per_run.self"), real(call, "per_run.mean"), 1e-3);
}

/* Two tasks stop in the program at the same time, and this task runs it meanwhile. */
static void test_two_tasks(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_copy");
	struct run *r = measure_overlap(f, t, 2);

	assert_int_equal(sum_of(r->out, t.id, "measured"), 2 + SHORT_RUNS);
}

/*
 * bprof trace writes one record per invocation, with its task, return value and cost, in the order
 * of the exits.
 */
static void test_traced_tasks(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_copy");
	struct target pace = load_target(f, "work", "xdp_long");
	const int cnt = (uintptr_t)f->param;
	json_int_t tid[MANY + 1] = {}, total = 0;
	struct stays stays;
	struct child *c;
	const char *line;
	struct run *r;

	need_fsessions(f, cnt);
	c = bprof_start(f,
			"trace -j -b %u -e time --slower-than 0 -o " REPORT
			" -- sh -c 'echo ready; exec sleep 1000'",
			t.id);
	assert_string_equal(child_line(c), "ready");
	stays = overlap(t, cnt, 0, &pace);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " REPORT);
	line = r->out;
	for (int i = 0; i < cnt; i++) {
		json_t *record = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		json_int_t net = num(json_array_get(json_object_get(record, "events"), 0), "net");

		tid[i] = num(record, "tid");
		/*
		 * The threads leave in the order in which they were started. Each thread has a
		 * higher id than the thread before.
		 */
		if (i && tid[i] <= tid[i - 1])
			fail_test("tasks in another order: %s", r->out);
		assert_int_equal(num(record, "pid"), getpid());
		assert_int_equal(num(record, "retval"), 0);
		if (net < (json_int_t)stays.shortest)
			fail_test("each stayed %llu ns or longer: %s", stays.shortest, r->out);
		total += net;
		json_decref(record);
		line = strchr(line, '\n') + 1;
	}
	assert_true(total >= (json_int_t)stays.sum_min && total <= (json_int_t)stays.sum_max);
	assert_true(!strncmp(line, "{\"summary\"", 10));
}

/*
 * Options that change what a probe does with a run also work with many runs in flight: --sample
 * measures one run in four, and --by retval divides the runs by return value.
 */
static void test_options_of_many(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "syscall", "syscall_copy");
	struct stays stays;
	struct run *r;
	json_t *row;

	need_fsessions(f, MANY);
	r = measure_stays(f, t, "--sample 4", MANY, &stays);
	row = row_of(r, t.id);
	assert_int_equal(num(row, "runs"), MANY);
	assert_int_equal(num(row, "measured"), MANY / 4);
	if (num(event_of(row, "time"), "per_run.min") < (json_int_t)stays.shortest)
		fail_test("each stayed %llu ns or longer: %s", stays.shortest, r->out);
	r = measure_stays(f, t, "--by retval", MANY, &stays);
	row = row_of(r, t.id); /* all return 0, so there is one row */
	assert_int_equal(num(row, "retval"), 0);
	assert_counted(r, t.id, MANY);
	if (num(event_of(row, "time"), "per_run.min") < (json_int_t)stays.shortest)
		fail_test("each stayed %llu ns or longer: %s", stays.shortest, r->out);
}

/* Fails if the kernel is not preemptible: then the group would test nothing. */
static void test_preemptible(void **state)
{
	struct fixture *f = *state;

	assert_status(command(f, "grep -qw preempt=full /proc/cmdline"), 0);
	assert_contains(command(f, "uname -v")->out, "PREEMPT_DYNAMIC");
}

/*
 * Tasks that compete for a CPU are preempted anywhere, also in the target and in the probe. Some
 * runs may then be lost, but each run must be counted as measured or lost.
 */
static void test_competing(void **state)
{
	enum { COMPETING_RUNS = 5000 };

	struct fixture *f = *state;
	struct target t = f->param ? load_target(f, "syscall", "syscall_zero")
				   : load_target(f, "work", "xdp_long");
	char line[1024] = "sh -c '";
	struct run *r;

	for (int i = 0; i < FRAMES; i++)
		sprintf(line + strlen(line), "drive -C 0 testrun %u:%d & ", t.id,
			COMPETING_RUNS + i);
	strcat(line, "wait'");
	r = bprof(f, "-j -b %u -e %s,time -- %s", t.id, machine_event(), line);
	assert_status(r, 0);
	/* The harness checks that this equals measured + lost. */
	assert_int_equal(num(row_of(r, t.id), "runs"),
			 FRAMES * COMPETING_RUNS + FRAMES * (FRAMES - 1) / 2);
}

KTEST_GROUP(preempt, "a kernel that preempts itself (preempt=full)", NULL,
	    ON(PREEMPT, EXACT_PREEMPT), KTEST(test_preemptible),
	    KTEST_PARAM("competing", test_competing, false),
	    KTEST_PARAM("competing_sleepable", test_competing, true));

KTEST_GROUP(nesting, "several invocations in flight on one CPU", NULL, ON(SMP4, PREEMPT),
	    KTEST(test_overlapping), KTEST(test_two_tasks),
	    KTEST_PARAM("own_readings_of_two", test_own_readings, 2),
	    KTEST_PARAM("own_readings_of_all", test_own_readings, FRAMES),
	    KTEST_PARAM("own_readings_of_many", test_own_readings, MANY, ALSO_NEWEST),
	    KTEST_PARAM("own_calls_of_two", test_own_calls, 2),
	    KTEST_PARAM("own_calls_of_all", test_own_calls, FRAMES),
	    KTEST_PARAM("traced_two", test_traced_tasks, 2),
	    KTEST_PARAM("traced_all", test_traced_tasks, FRAMES),
	    KTEST_PARAM("traced_many", test_traced_tasks, MANY, ALSO_NEWEST),
	    KTEST(test_options_of_many, ALSO_NEWEST), KTEST(test_overflow));
