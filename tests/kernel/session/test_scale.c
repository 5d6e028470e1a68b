// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests many targets in one session: the counts of five hundred targets, the number of system calls
 * that a snapshot of fifty targets takes, and what bprof top costs with five hundred.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/ktest.h"
#include "tests/progs/syscalls.h"

#define FIFTY 50
#define INTERVALS 8

/*
 * In an interval bprof makes one system call for each target and, if cycles are counted, one for
 * each CPU. This is the limit for all its other calls: reading the timer and the host's
 * description, writing the report, allocating memory.
 */
#define OTHER_CALLS 20

/*
 * Of many programs, this many run while bprof top shows them. What it does for the others may take
 * some time at first.
 */
#define RUNNING 20
#define FIRST_REFRESHES 3
#define REFRESHES 30
/* The most instructions for each refresh: 1 % of a CPU with 3 GHz and one instruction per cycle. */
#define TOP_COST 30000000

#ifdef SYS_epoll_wait
#define WAIT_NR SYS_epoll_wait
#else
#define WAIT_NR SYS_epoll_pwait
#endif

/*
 * Each target runs a different number of times, so that the test notices a count that is reported
 * for another target.
 */
static void test_many_counted(void **state)
{
	struct fixture *f = *state;
	char runs[MAX_TEXT / 4 * 3] = "";
	struct target t[MANY_PROGS];
	size_t len = 0;
	struct run *r;

	load_every(f, t, MANY_PROGS);
	for (int i = 0; i < MANY_PROGS; i++)
		len += snprintf(runs + len, sizeof(runs) - len, " %u:%d", t[i].id, i + 1);
	assert_true(len < sizeof(runs));
	r = bprof(f, "-j --name 'xdp_many_*' -e %s,time -- drive testrun%s", machine_event(), runs);
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), MANY_PROGS);
	for (int i = 0; i < MANY_PROGS; i++)
		assert_counted(r, t[i].id, i + 1);
}

/* Begins to count system calls. Returns a descriptor of the map with the counts. */
static int open_watch(struct fixture *f, struct syscall_watch *watch, struct bpf_object **obj)
{
	struct target t = load_target(f, "syscalls", "count_syscalls");
	__u32 key = 0;
	int fd;

	*obj = t.obj;
	assert_non_null(try_attach(f, t));
	fd = bpf_object__find_map_fd_by_name(t.obj, "watch");
	assert_int_equal(bpf_map_update_elem(fd, &key, watch, BPF_ANY), 0);
	return fd;
}

/* A snapshot takes at most one call for each target and a constant number of other calls. */
static void test_many_syscalls(void **state)
{
	struct fixture *f = *state;
	struct syscall_watch watch = {.wait_nr = WAIT_NR};
	char list[MAX_TEXT / 4] = "";
	struct target t[FIFTY];
	struct bpf_object *obj;
	__u32 key = 0;
	struct child *c;
	struct run *r;
	int fd;

	load_every(f, t, FIFTY);
	for (int i = 0; i < FIFTY; i++)
		sprintf(list + strlen(list), "%s%u", i ? "," : "", t[i].id);
	c = bprof_start(f, "-j -I 50 -e %s,time -b %s", machine_event(), list);
	child_line(c);
	watch.tgid = child_pid(c);
	fd = open_watch(f, &watch, &obj);
	do {
		child_line(c);
		assert_int_equal(bpf_map_lookup_elem(fd, &key, &watch), 0);
	} while (watch.turn < INTERVALS);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);

	fd = bpf_object__find_map_fd_by_name(obj, "turns");
	/* Skip the first interval: counting began in the middle of it. */
	for (key = 1; key < INTERVALS; key++) {
		struct syscall_turn turn;

		assert_int_equal(bpf_map_lookup_elem(fd, &key, &turn), 0);
		assert_in_range(turn.nr[SYS_bpf], 1, FIFTY);
		assert_in_range(turn.total - turn.nr[SYS_bpf], 1, OTHER_CALLS + online_cpus());
	}
}

static __u64 cpu_time_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &ts), 0);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Waits for that many refreshes of bprof top. Before each, runs the first programs. */
static void await_refreshes(struct child *c, const struct target *running, int cnt)
{
	while (cnt--) {
		for (int i = 0; i < RUNNING; i++)
			drive(running[i], 100);
		while (strncmp(child_line(c), "TOTAL", strlen("TOTAL")))
			;
	}
}

/*
 * What bprof top itself costs with five hundred programs, of which few run. In the exact VM an
 * instruction takes 1 ns, so CPU time is a number of instructions.
 */
static void test_top_cost(void **state)
{
	struct fixture *f = *state;
	struct target running[RUNNING];
	struct child *c;
	__u64 begin, each;

	load_every(f, running, RUNNING);
	c = bprof_start(f, "top -b -d 1s --name 'xdp_many_*' -e %s", machine_event());
	await_refreshes(c, running, FIRST_REFRESHES);
	begin = cpu_time_ns(child_pid(c));
	await_refreshes(c, running, REFRESHES);
	each = (cpu_time_ns(child_pid(c)) - begin) / REFRESHES;
	print_message("# %llu instructions each second\n", each);
	assert_in_range(each, 1, TOP_COST);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
}

int run_scale_exact(void)
{
	const struct CMUnitTest tests[] = {
		KTEST(test_top_cost),
	};

	return cmocka_run_group_tests_name("scale_exact", tests, NULL, NULL);
}

int run_scale(void)
{
	const struct CMUnitTest tests[] = {
		KTEST(test_many_counted),
		KTEST(test_many_syscalls),
	};

	return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
