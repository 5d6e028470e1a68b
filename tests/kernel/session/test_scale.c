// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests many targets, programs, processes and CPUs: that they are counted, and how much time they
 * cost bprof. In a VM with -icount, an instruction takes 1 ns, so times are numbers of instructions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/system/counting.h"
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
 * The counts have room for this many more CPUs than are online. If there may be further CPUs, bprof
 * also checks for them in each interval, which means reading one file.
 */
#define SPARE_CPUS 4
#define CPUS_CALLS 5

/*
 * bprof top shows many programs; this many of them run. At first, bprof top may need some
 * time for the other programs.
 */
#define RUNNING 20
#define FIRST_REFRESHES 3
#define REFRESHES 30
/* The most instructions for each refresh: 1 % of a CPU with 3 GHz and one instruction per cycle. */
#define TOP_COST 30000000
/*
 * To report how often a program has run, the kernel adds up its counts over all possible CPUs
 * (kernel/bpf/syscall.c, bpf_prog_get_stats()). This takes this many instructions for each possible
 * CPU.
 */
#define STATS_COST 80

/* A file for outputs that the test does not read. */
#define OUTPUT "/tmp/scale"

/*
 * Number of concurrent sessions, their programs, and the files by which the sessions and the test
 * wait for each other.
 */
#define SESSIONS 4
#define AT_ONCE 200
#define ROUNDS 3 /* before they measure, the sessions attach and detach their probes this often */
#define READY "/tmp/scale-ready-"
#define GO "/tmp/scale-go"

/* PROCESSES are more than bperf's maps have counters for. MANY_PROCESSES is the largest number that is tested. */
#define PROCESSES 1500
#define MANY_PROCESSES 20000

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

/*
 * Sessions that attach to the same programs at the same time count the same runs. Without
 * text_lock.h, most such sessions crash a busy arm64 machine.
 */
static void test_sessions_at_once(void **state)
{
	struct fixture *f = *state;
	struct target t[AT_ONCE];
	char list[MAX_TEXT / 4] = "", ready[64];
	struct child *c[SESSIONS];
	struct run *r;

	load_every(f, t, AT_ONCE);
	for (int i = 0; i < AT_ONCE; i++)
		sprintf(list + strlen(list), "%s%u", i ? "," : "", t[i].id);
	for (int n = 0; n < ROUNDS; n++) {
		for (int i = 0; i < SESSIONS; i++)
			c[i] = bprof_start(f, "-j -b %s -e %s -- true", list, machine_event());
		for (int i = 0; i < SESSIONS; i++)
			assert_status(child_wait(f, c[i]), 0);
	}
	for (int i = 0; i < SESSIONS; i++)
		c[i] = bprof_start(f,
				   "-j -b %s -e time -- sh -c \"echo >" READY "%d; "
				   "while [ ! -e " GO " ]; do sleep 0.1; done\"",
				   list, i);
	for (int i = 0; i < SESSIONS; i++) {
		snprintf(ready, sizeof(ready), READY "%d", i);
		AWAIT(!access(ready, F_OK));
		unlink(ready);
	}
	for (int i = 0; i < AT_ONCE; i++)
		drive(t[i], i + 1);
	assert_status(command(f, "touch " GO), 0);
	for (int i = 0; i < SESSIONS; i++) {
		r = child_wait(f, c[i]);
		assert_status(r, 0);
		for (int k = 0; k < AT_ONCE; k++)
			assert_counted(r, t[k].id, k + 1);
	}
	unlink(GO);
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
	int fd, limit = OTHER_CALLS + online_cpus();

	if (libbpf_num_possible_cpus() > online_cpus() + SPARE_CPUS)
		limit += CPUS_CALLS;
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
		assert_in_range(turn.total - turn.nr[SYS_bpf], 1, limit);
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

/* Waits for this number of refreshes of bprof top. Before each refresh, runs the first programs. */
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
 * Checks the cost of bprof top itself with five hundred programs, if only a few of them run.
 */
static void test_top_cost(void **state)
{
	struct fixture *f = *state;
	struct target running[RUNNING];
	struct child *c;
	__u64 begin, each;

	load_every(f, running, RUNNING);
	c = bprof_start(f, "top --batch -I 1s --name 'xdp_many_*' -e %s", machine_event());
	await_refreshes(c, running, FIRST_REFRESHES);
	begin = cpu_time_ns(child_pid(c));
	await_refreshes(c, running, REFRESHES);
	each = (cpu_time_ns(child_pid(c)) - begin) / REFRESHES;
	print_message("# %llu instructions each second\n", each);
	assert_in_range(each, 1,
			TOP_COST + STATS_COST * MANY_PROGS * (libbpf_num_possible_cpus() - 1));
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
}

/*
 * Returns the CPU time in ns that bprof's main thread has taken when it starts COMMAND. This does
 * not include calibration, which has a thread of its own and does not depend on the number of
 * targets.
 */
static __u64 set_up_cost(struct fixture *f, const char *targets)
{
	struct run *r = command(f,
				"bprof -o " OUTPUT " %s -e %s -- "
				"sh -c 'cut -d \" \" -f 1 /proc/$PPID/schedstat'",
				targets,
				arch_is("aarch64") ? "cycles,instructions" : machine_event());

	assert_status(r, 0);
	return strtoull(r->out, NULL, 10);
}

/* With five hundred targets, the set-up takes as long for each target as with fifty. */
static void test_set_up_linear(void **state)
{
	struct fixture *f = *state;
	char list[MAX_TEXT / 4] = "-b ";
	struct target t[FIFTY];
	__u64 few, many;

	load_every(f, t, FIFTY);
	for (int i = 0; i < FIFTY; i++)
		sprintf(list + strlen(list), "%s%u", i ? "," : "", t[i].id);
	few = set_up_cost(f, list);
	many = set_up_cost(f, "--name 'xdp_many_*'");
	print_message("# %llu instructions for %d targets, %llu for %d\n", few, FIFTY, many,
		      MANY_PROGS);
	assert_in_range(many, 1, few * (MANY_PROGS / FIFTY));
	/* the time that perf takes for the same number of targets (docs/dev/bench-tables.md) */
	if (arch_is("aarch64") && kernel_is("6.12"))
		assert_in_range(few, 1, 90000000);
}

/* The set-up for all functions of a program that has two hundred functions. */
static void test_set_up_functions(void **state)
{
	struct fixture *f = *state;
	char targets[64];
	__u64 cost;

	snprintf(targets, sizeof(targets), "--func '*' -b %u",
		 load_target(f, "functions", "xdp_functions").id);
	cost = set_up_cost(f, targets);
	print_message("# %llu instructions\n", cost);
	/* On x86-64, the kernel needs several times as many instructions to attach the probes. */
	if (arch_is("aarch64") && kernel_is("6.12"))
		assert_in_range(cost, 1, 1000000000);
}

/* A list of two thousand programs takes at most half a second. */
static void test_list_cost(void **state)
{
	double begin = 0, end = 0;
	struct run *r;
	int lines = 0;

	r = command(*state, "drive programs 2000 " PROGS_DIR "/many.bpf.o sh -c 'cat /proc/uptime; "
			    "bprof list -o " OUTPUT "; cat /proc/uptime; wc -l <" OUTPUT "'");
	assert_status(r, 0);
	assert_int_equal(sscanf(r->out, "%lf %*f %lf %*f %d", &begin, &end, &lines), 3);
	print_message("# %.2f s\n", end - begin);
	assert_in_range(lines, 2001, 2020);
	assert_true(end - begin < 0.5);
}

/*
 * If bperf cannot count processes, or has no room for them, perf events count them, and bprof says
 * so once.
 */
static void test_processes(void **state)
{
	struct run *r = command(*state,
				"drive processes %d bprof system -x , -o - -p PIDS -e %s -- true",
				PROCESSES, machine_event());
	int cnt = 0;

	assert_status(r, 0);
	assert_contains(r->err, has_bperf() ? "the limit on counted tasks and cgroups is reached; "
					      "counting with unshared perf events"
					    : "counters cannot be shared");
	assert_ptr_equal(strchr(r->err, '\n'), r->err + strlen(r->err) - 1);
	for (const char *at = r->out; (at = strstr(at, ",process,")); at++)
		cnt++;
	assert_int_equal(cnt, PROCESSES);
}

/*
 * With --method bperf, processes for which bperf has no room are skipped, and only some of them are
 * named. If the kernel cannot run bperf, the command fails.
 */
static void test_processes_skipped(void **state)
{
	struct run *r = command(*state,
				"drive processes %d bprof system --method bperf -x , -o - -p PIDS "
				"-e %s -- true",
				PROCESSES, machine_event());
	int lines = 0;

	assert_status(r, has_bperf() ? 0 : 1);
	assert_contains(r->err, has_bperf()
					? "more: the limit on counted tasks and cgroups is reached"
					: "the kernel refuses the leader, which needs Linux 5.15");
	for (const char *at = r->err; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, has_bperf() ? 4 : 1);
}

KTEST_GROUP(scale_exact, "what many targets and processes cost", NULL, ON(EXACT, CPUS512, LONG),
	    KTEST(test_top_cost), KTEST(test_set_up_linear), KTEST(test_set_up_functions),
	    KTEST(test_list_cost), SYSTEM_TEST(test_processes),
	    SYSTEM_TEST(test_processes_skipped));

/* Runs a command line whose only output is a number. */
static __u64 number_from(struct fixture *f, const char *line)
{
	struct run *r = command(f, "%s", line);

	assert_status(r, 0);
	return strtoull(r->out, NULL, 10);
}

/* Returns the CPU time that it takes to count this many processes with perf events. */
static __u64 processes_cost(struct fixture *f, int cnt)
{
	char line[512];
	__u64 cost;

	snprintf(line, sizeof(line),
		 "drive processes %d bprof system --method perf_event -x , -o " OUTPUT
		 " -p PIDS -e %s -- sh -c 'cut -d \" \" -f 1 /proc/$PPID/schedstat'",
		 cnt, machine_event());
	cost = number_from(f, line);
	assert_int_equal(number_from(f, "grep -c ,process,.*,perf_event " OUTPUT), cnt);
	print_message("# %llu instructions for %d processes\n", cost, cnt);
	return cost;
}

/*
 * With twenty thousand processes, bprof takes as long for each as with two thousand. The limit of
 * open files is 1024.
 */
static void test_many_processes(void **state)
{
	__u64 few = processes_cost(*state, MANY_PROCESSES / 10);

	assert_in_range(processes_cost(*state, MANY_PROCESSES), 1, 11 * few);
}

/*
 * With two thousand targets, bprof takes no more memory than documented: 64 KiB for each target, on
 * one CPU. For each further CPU for which it has room, the counts take the same amount again.
 */
static void test_many_programs(void **state)
{
	int possible = libbpf_num_possible_cpus(), room = online_cpus() + SPARE_CPUS;
	char line[512];
	__u64 kib;

	snprintf(line, sizeof(line),
		 "drive programs 2000 " PROGS_DIR "/many.bpf.o bprof --name 'xdp_many_*' -o " OUTPUT
		 " -e %s,time -- sh -c 'sed -n \"s/^VmHWM:[^0-9]*//p\" /proc/$PPID/status'",
		 machine_event());
	kib = number_from(*state, line);
	print_message("# %llu KiB\n", kib);
	assert_in_range(kib, 1, 2048 + 64 * 2000 * (room < possible ? room : possible));
	assert_in_range(number_from(*state, "grep -c xdp_many_ " OUTPUT), 2000, 2 * 2000);
}

/*
 * Targets take no memory for possible CPUs that are not online, even if there are hundreds of them.
 */
static void test_possible_cpus(void **state)
{
	struct fixture *f = *state;
	__u64 before, during;
	struct target t[FIFTY];
	struct child *c;

	load_every(f, t, FIFTY);
	before = number_from(f, "sed -n 's/^VmallocUsed:[^0-9]*//p' /proc/meminfo");
	c = bprof_start(f, "-j -I 100 --name 'xdp_many_*' -e %s,time", machine_event());
	child_line(c);
	during = number_from(f, "sed -n 's/^VmallocUsed:[^0-9]*//p' /proc/meminfo");
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	print_message("# %llu KiB of the kernel's memory for each target\n",
		      (during - before) / MANY_PROGS);
	assert_in_range((during - before) / MANY_PROGS, 1, 1024);
}

KTEST_GROUP(scale_long, "thousands of programs and processes, hundreds of possible CPUs", NULL,
	    ON(CPUS512, LONG), SYSTEM_TEST(test_many_processes), KTEST(test_many_programs),
	    KTEST(test_possible_cpus));

KTEST_GROUP(scale, "many targets", NULL, ON(SMP4, CPUS512), KTEST(test_many_syscalls, LONG),
	    KTEST(test_many_counted, SMP4, ONCE, LONG), KTEST(test_sessions_at_once, SMP4, LONG));
