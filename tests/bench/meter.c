// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures in the VM what scripts/bench cannot measure in a shell: the time until a profiler has
 * attached, the profiler's peak memory, and the instructions that are executed while each of two tasks
 * is inside one sleepable program. Must not know any profiler: meter runs the given command. Links no
 * code of bprof.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/kernel/drive/testrun.h"

#define MARK "/tmp/meter-mark"
#define POLL_US 100
#define POLLS_MAX 300000
#define PACE_RUNS 20

extern char **environ;

static void die(const char *what)
{
	fprintf(stderr, "meter: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double read_ms(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		die("clock_gettime");
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static double now_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

/* Starts argv with its stdout redirected to stderr, because meter writes its figures to stdout. */
static pid_t spawn(char **argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err) {
		errno = err;
		die(argv[0]);
	}
	return pid;
}

/* Waits for pid and adds its peak memory (VmHWM, in KiB); returns false if the process failed. */
static bool reap(pid_t pid, long *peak_kib)
{
	struct rusage usage;
	int status;

	if (wait4(pid, &status, 0, &usage) < 0)
		die("wait4");
	*peak_kib += usage.ru_maxrss;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static int report(double measuring_ms, double ended_ms, long peak_kib)
{
	printf("%.1f %.1f %.1f\n", measuring_ms, ended_ms, peak_kib / 1024.0);
	return 0;
}

/*
 * The COMMAND of a session: writes the time at which it was started, and the CPU time that its parent's
 * threads have taken so far.
 */
static int mark(char **argv)
{
	double started = now_ms();
	FILE *f = fopen(MARK, "we");
	clockid_t clock;

	if (clock_getcpuclockid(getppid(), &clock))
		die("clock_getcpuclockid");
	if (!f || fprintf(f, "%.6f %.6f", started, read_ms(clock)) < 0 || fclose(f))
		die(MARK);
	return 0;
}

/*
 * Runs argv, a profiler whose COMMAND is "meter mark". Prints the ms until COMMAND started, the ms until the
 * profiler ended, its peak memory in MiB, and the CPU time in ms that it took until COMMAND started.
 */
static int session(char **argv)
{
	double start, end, marked, cpu_ms;
	long peak_kib = 0;
	FILE *f;

	unlink(MARK);
	start = now_ms();
	if (!reap(spawn(argv), &peak_kib))
		return 1;
	end = now_ms();
	f = fopen(MARK, "re");
	if (!f || fscanf(f, "%lf %lf", &marked, &cpu_ms) != 2)
		die("COMMAND was not run");
	fclose(f);
	printf("%.1f %.1f %.1f %.1f\n", marked - start, end - start, peak_kib / 1024.0, cpu_ms);
	return 0;
}

/* Returns how many BPF links there are with ids above *last, and sets *last to the highest id. */
static int new_links(__u32 *last)
{
	int cnt = 0;

	while (!bpf_link_get_next_id(*last, last))
		cnt++;
	return cnt;
}

/*
 * argv[0] is a list of program ids. The other words are the command line of a profiler for one program, with
 * the word "ID" instead of the program's id. Starts one profiler for each id, and waits until it has
 * attached both of its links before starting the next.
 */
static int each(char **argv)
{
	char *ids = *argv++;
	pid_t pids[1024];
	int cnt = 0, place = 0;
	double start, measuring;
	long peak_kib = 0;
	bool ok = true;
	__u32 last = 0;

	while (argv[place] && strcmp(argv[place], "ID"))
		place++;
	if (!argv[place]) {
		errno = EINVAL;
		die("no ID in the command");
	}
	new_links(&last);
	start = now_ms();
	for (char *id = strtok(ids, ","); id && cnt < 1024; id = strtok(NULL, ",")) {
		int links = 0, polls = 0;

		argv[place] = id;
		pids[cnt++] = spawn(argv);
		while ((links += new_links(&last)) < 2) {
			if (polls++ == POLLS_MAX) {
				errno = ETIMEDOUT;
				die("no links");
			}
			usleep(POLL_US);
		}
	}
	measuring = now_ms() - start;
	usleep(100000); /* the profiler that started last must have installed its SIGINT handler, too */
	start = now_ms();
	for (int i = 0; i < cnt; i++)
		kill(pids[i], SIGINT);
	for (int i = 0; i < cnt; i++)
		ok = reap(pids[i], &peak_kib) && ok;
	report(measuring, measuring + now_ms() - start, peak_kib);
	return !ok;
}

struct sleeper {
	pthread_t thread;
	int prog_fd, err;
	char *from;
};

/*
 * Runs a program once that copies a byte from the address in its context; it sleeps until the byte
 * is there.
 */
static void *sleeper__run(void *arg)
{
	struct sleeper *s = arg;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &s->from, .ctx_size_in = sizeof(s->from));

	s->err = bpf_prog_test_run_opts(s->prog_fd, &opts) ? -errno : 0;
	return NULL;
}

static void sleeper__enter(struct sleeper *s, int uffd)
{
	struct uffd_msg msg;

	if (pthread_create(&s->thread, NULL, sleeper__run, s) ||
	    read(uffd, &msg, sizeof(msg)) != sizeof(msg))
		die("entering the program");
}

static void sleeper__leave(struct sleeper *s, int uffd, size_t page_sz)
{
	struct uffdio_zeropage zero = {.range = {.start = (unsigned long)s->from, .len = page_sz}};

	if (ioctl(uffd, UFFDIO_ZEROPAGE, &zero))
		die("UFFDIO_ZEROPAGE");
	pthread_join(s->thread, NULL);
	errno = -s->err;
	if (s->err)
		die("the program");
}

/* Opens a counter of all instructions that the kernel executes on CPU 0. */
static int open_counter(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_HARDWARE,
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .exclude_user = 1};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static __u64 read_counter(int fd)
{
	__u64 cnt;

	if (read(fd, &cnt, sizeof(cnt)) != sizeof(cnt))
		die("counter");
	return cnt;
}

static int open_userfaultfd(void *area, size_t sz)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.range = {.start = (unsigned long)area, .len = sz},
				      .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		die("userfaultfd");
	return fd;
}

/*
 * argv: the ids of a program for sleeper__run() and of another one that spends instructions. Two
 * tasks enter the first program, one after the other, and leave it in the same order; instructions
 * are spent while one, both and one are inside. Prints a lower and an upper bound of the sum, over
 * the two tasks, of the instructions that were executed while the task was inside. These bounds are
 * measured outside of the program.
 */
static int overlap(char **argv)
{
	size_t page_sz = sysconf(_SC_PAGESIZE);
	__u64 before[2], in[2], min = 0, max = 0;
	struct sleeper s[2];
	int uffd, pace, counter = open_counter();
	cpu_set_t set;
	char *area;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	area = mmap(NULL, 2 * page_sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pace = bpf_prog_get_fd_by_id(atoi(argv[1]));
	if (area == MAP_FAILED || pace < 0 || sched_setaffinity(0, sizeof(set), &set))
		die("overlap");
	uffd = open_userfaultfd(area, 2 * page_sz);
	for (int i = 0; i < 2; i++) {
		s[i] = (struct sleeper){.prog_fd = bpf_prog_get_fd_by_id(atoi(argv[0])),
					.from = area + i * page_sz};
		before[i] = read_counter(counter);
		sleeper__enter(&s[i], uffd);
		in[i] = read_counter(counter);
		testrun__fd(pace, PACE_RUNS);
	}
	for (int i = 0; i < 2; i++) {
		min += read_counter(counter) - in[i];
		sleeper__leave(&s[i], uffd, page_sz);
		max += read_counter(counter) - before[i];
		testrun__fd(pace, PACE_RUNS);
	}
	printf("%llu %llu\n", min, max);
	return 0;
}

static const struct command {
	const char *name, *args;
	int argc;
	int (*run)(char **argv);
} commands[] = {
	{"mark", "", 0, mark},
	{"session", "PROFILER... -- meter mark", 1, session},
	{"each", "ID[,ID...] PROFILER... with the word ID", 2, each},
	{"overlap", "ID PACE_ID", 2, overlap},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (argc >= 2 + commands[i].argc && !strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	fprintf(stderr, "usage: meter COMMAND, one of\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stderr, "  %s %s\n", commands[i].name, commands[i].args);
	return 2;
}
