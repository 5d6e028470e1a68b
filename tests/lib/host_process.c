// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests libbprof in a process that has other things to do. Several sessions at a time, in one
 * thread and in two, must measure the right counts, and must leave the process and the kernel as
 * they were. Prints a line for each failure; exits with 1 if there was one. Runs in the test VM,
 * because the counts have to be exact.
 *
 * usage: host_process OBJECT EVENT (OBJECT is built from tests/progs/alu.bpf.c)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <bprof.h>
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNS 200

static int failures;

#define CHECK(ok, ...)                                         \
	do {                                                   \
		if (!(ok)) {                                   \
			printf("%s:%d: ", __FILE__, __LINE__); \
			printf(__VA_ARGS__);                   \
			printf("\n");                          \
			failures++;                            \
		}                                              \
	} while (0)

/* A program that executes "insns" more instructions than an empty one. */
struct subject {
	const char *event;
	int insns, fd;
	struct bprof_session *s;
};

static void run(const struct subject *sub)
{
	char packet[64] = "";
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = RUNS);

	CHECK(!bpf_prog_test_run_opts(sub->fd, &opts), "the program cannot be run");
}

/* ---- sessions ---- */

/* Checks err, which the function named by call has returned. */
static void check_session(const struct subject *sub, int err, const char *call)
{
	CHECK(!err, "%d: %s: %s", sub->insns, call, bprof_session_error(sub->s)->text);
}

#define CHECK_SESSION(sub, call) check_session(sub, call, #call)

static void open_session(struct subject *sub)
{
	struct bprof_session_opts opts = {.size = sizeof(opts), .events = sub->event};
	struct bprof_error error;

	if (bprof_session_new(&opts, &sub->s, &error)) {
		CHECK(0, "no session: %s", error.text);
		return;
	}
	CHECK_SESSION(sub, bprof_session_add_fd(sub->s, sub->fd, NULL));
	CHECK_SESSION(sub, bprof_session_open(sub->s));
}

static void check_report(const struct subject *sub, const struct bprof_report *r, uint64_t runs)
{
	const struct bprof_program *p = bprof_report_program(r, 0);
	const struct bprof_event *ev = p ? bprof_program_event(p, 0) : NULL;

	CHECK(bprof_report_program_count(r) == 1 && ev, "%d: a program and an event in the report",
	      sub->insns);
	if (!ev)
		return;
	CHECK(bprof_report_is_calibrated(r), "%d: not calibrated", sub->insns);
	CHECK(bprof_program_runs(p) == runs && bprof_program_measured(p) == runs,
	      "%d: %llu runs, %llu measured", sub->insns, (unsigned long long)bprof_program_runs(p),
	      (unsigned long long)bprof_program_measured(p));
	CHECK(bprof_event_stat(ev, "min") == sub->insns, "%d: the least run has %g", sub->insns,
	      bprof_event_stat(ev, "min"));
	CHECK(bprof_event_stat(ev, "p50") == sub->insns, "%d: the median run has %g", sub->insns,
	      bprof_event_stat(ev, "p50"));
}

/*
 * Checks the report from one snapshot to another; see bprof_session_report() for "from" and "to".
 */
static void check_span(struct subject *sub, const struct bprof_snapshot *from,
		       const struct bprof_snapshot *to, uint64_t runs)
{
	struct bprof_report *r = NULL;

	CHECK_SESSION(sub, bprof_session_report(sub->s, from, to, &r));
	if (r)
		check_report(sub, r, runs);
	bprof_report_free(r);
}

/* Measures a program in a session of its own, and checks reports of parts of this session. */
static void *measure(void *arg)
{
	struct subject *sub = arg;
	struct bprof_snapshot *middle = NULL, *stopped = NULL;

	open_session(sub);
	CHECK_SESSION(sub, bprof_session_start(sub->s));
	run(sub);
	CHECK_SESSION(sub, bprof_session_read(sub->s, &middle));
	run(sub);
	CHECK_SESSION(sub, bprof_session_stop(sub->s));
	run(sub); /* not counted */
	CHECK_SESSION(sub, bprof_session_read(sub->s, &stopped));
	check_span(sub, NULL, NULL, 2 * RUNS);
	check_span(sub, middle, stopped, RUNS);
	check_span(sub, middle, NULL, RUNS);
	check_span(sub, NULL, middle, RUNS);
	bprof_snapshot_free(middle);
	bprof_snapshot_free(stopped);
	bprof_session_free(sub->s);
	return NULL;
}

/* Measures two programs at the same time, each in its own session. */
static void measure_two(struct subject *sub)
{
	for (int i = 0; i < 2; i++)
		open_session(&sub[i]);
	for (int i = 0; i < 2; i++)
		CHECK_SESSION(&sub[i], bprof_session_start(sub[i].s));
	for (int i = 0; i < 2; i++)
		run(&sub[i]);
	for (int i = 0; i < 2; i++)
		CHECK_SESSION(&sub[i], bprof_session_stop(sub[i].s));
	for (int i = 0; i < 2; i++) {
		check_span(&sub[i], NULL, NULL, RUNS);
		bprof_session_free(sub[i].s);
	}
}

/* Checks that a call was refused with this error, and that the error says why. */
static void check_refused(const struct subject *sub, int err, int wanted, const char *why)
{
	CHECK(err == wanted && strstr(bprof_session_error(sub->s)->text, why),
	      "%d: error %d instead of %d '%s': %s", sub->insns, err, wanted, why,
	      bprof_session_error(sub->s)->text);
}

/* Calls in an order that is not allowed are refused, and the session still counts what it should. */
static void misuse(struct subject *sub)
{
	struct bprof_session *s;
	struct bprof_snapshot *first = NULL, *second = NULL, *foreign = NULL;
	struct bprof_report *r;

	for (int i = 0; i < 2; i++) {
		open_session(&sub[i]);
		CHECK_SESSION(&sub[i], bprof_session_start(sub[i].s));
	}
	s = sub[0].s;
	check_refused(sub, bprof_session_open(s), -EBUSY, "open already");
	check_refused(sub, bprof_session_add_id(s, 1, NULL), -EBUSY, "before the session");
	check_refused(sub, bprof_session_add_events(s, "time"), -EBUSY, "before the session");
	check_refused(sub, bprof_session_start(s), -EINVAL, "running already");
	CHECK_SESSION(sub, bprof_session_read(s, &first));
	run(sub);
	CHECK_SESSION(sub, bprof_session_adjust(s));
	CHECK_SESSION(sub, bprof_session_read(s, &second));
	CHECK_SESSION(&sub[1], bprof_session_read(sub[1].s, &foreign));
	check_refused(sub, bprof_session_report(s, second, first, &r), -EINVAL, "before 'from'");
	check_refused(sub, bprof_session_report(s, foreign, NULL, &r), -EINVAL, "another session");
	check_refused(sub, bprof_session_report(s, NULL, foreign, &r), -EINVAL, "another session");
	check_span(sub, NULL, NULL, RUNS); /* it still runs */
	check_span(sub, first, second, RUNS);
	bprof_snapshot_free(first);
	bprof_snapshot_free(second);
	bprof_snapshot_free(foreign);
	for (int i = 0; i < 2; i++)
		bprof_session_free(sub[i].s);
}

/* No loaded program is selected: the session cannot be opened, until one is. */
static void open_without_target(struct subject *sub)
{
	struct bprof_session_opts opts = {
		.size = sizeof(opts), .events = sub->event, .thin_share = 0.5};

	CHECK(!bprof_session_new(&opts, &sub->s, NULL), "no session");
	CHECK_SESSION(sub, bprof_session_add_name(sub->s, "no_such_program", NULL));
	check_refused(sub, bprof_session_open(sub->s), -ENODATA, "no loaded program");
	CHECK_SESSION(sub, bprof_session_add_fd(sub->s, sub->fd, NULL));
	CHECK_SESSION(sub, bprof_session_open(sub->s));
	bprof_session_free(sub->s);
}

static void measure_in_threads(struct subject *sub)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, measure, &sub[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* ---- the process and the kernel ---- */

static int count_files(const char *path)
{
	DIR *dir = opendir(path);
	int cnt = 0;

	while (dir && readdir(dir))
		cnt++;
	if (dir)
		closedir(dir);
	return cnt;
}

/*
 * Counts bprof's loaded programs. The kernel frees a program only some time after it has lost its
 * last reference.
 */
static int count_progs(void)
{
	__u32 id = 0, sz;
	int cnt = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		int fd = bpf_prog_get_fd_by_id(id);

		sz = sizeof(info);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &sz))
			cnt += !strncmp(info.name, "bprof_", strlen("bprof_"));
		if (fd >= 0)
			close(fd);
	}
	return cnt;
}

/* Counts the threads of this process. A joined thread may stay in /proc for a moment. */
static int count_threads(void)
{
	return count_files("/proc/self/task");
}

/* Waits up to 20 s until count() returns no more than "was". Returns the last count. */
static int await_count(int (*count)(void), int was)
{
	int cnt = count();

	for (int i = 0; cnt > was && i < 2000; i++) {
		usleep(10000);
		cnt = count();
	}
	return cnt;
}

static void check_kernel(void)
{
	int cnt = await_count(count_progs, 0);

	CHECK(!cnt, "%d programs of bprof are still loaded", cnt);
}

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

struct process {
	cpu_set_t cpus;
	sigset_t blocked;
	struct sigaction pipe;
	struct rlimit files;
	mode_t mask;
	locale_t locale;
	libbpf_print_fn_t print;
	int fds, threads;
	char dir[256], global_locale[64];
};

static void look(struct process *p)
{
	memset(p, 0, sizeof(*p));
	sched_getaffinity(0, sizeof(p->cpus), &p->cpus);
	pthread_sigmask(SIG_SETMASK, NULL, &p->blocked);
	sigaction(SIGPIPE, NULL, &p->pipe);
	getrlimit(RLIMIT_NOFILE, &p->files);
	p->mask = umask(0);
	umask(p->mask);
	p->locale = uselocale((locale_t)0);
	snprintf(p->global_locale, sizeof(p->global_locale), "%s", setlocale(LC_ALL, NULL));
	p->print = libbpf_set_print(NULL);
	libbpf_set_print(p->print);
	p->fds = count_files("/proc/self/fd");
	CHECK(getcwd(p->dir, sizeof(p->dir)), "no working directory");
}

static void compare(const struct process *a, const struct process *b)
{
	CHECK(CPU_EQUAL(&a->cpus, &b->cpus), "the affinity has changed");
	CHECK(!memcmp(&a->blocked, &b->blocked, sizeof(a->blocked)), "the signal mask has changed");
	CHECK(a->pipe.sa_handler == b->pipe.sa_handler, "SIGPIPE has another handler");
	CHECK(!memcmp(&a->files, &b->files, sizeof(a->files)), "the limit of files has changed");
	CHECK(a->mask == b->mask, "the umask has changed");
	CHECK(a->locale == b->locale && !strcmp(a->global_locale, b->global_locale),
	      "the locale has changed");
	CHECK(a->print == b->print, "libbpf has another print callback");
	CHECK(a->fds == b->fds, "%d descriptors are open, %d were", b->fds, a->fds);
	CHECK(a->threads == b->threads, "%d threads run, %d did", b->threads, a->threads);
	CHECK(!strcmp(a->dir, b->dir), "the working directory has changed");
}

int main(int argc, char **argv)
{
	struct subject sub[2] = {{.insns = 7}, {.insns = 100}};
	struct process before, after;
	struct bpf_object *obj;
	sigset_t usr1;

	if (argc != 3)
		return 2;
	/*
	 * Change the process's state, so that compare() notices if the library resets it to the
	 * defaults.
	 */
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	setlocale(LC_ALL, "C.UTF-8");
	libbpf_set_print(print_libbpf);
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj || bpf_object__load(obj))
		return 2;
	sub[0].event = sub[1].event = argv[2];
	sub[0].fd = bpf_program__fd(bpf_object__find_program_by_name(obj, "xdp_alu_7"));
	sub[1].fd = bpf_program__fd(bpf_object__find_program_by_name(obj, "xdp_alu_100"));
	look(&before);
	before.threads = count_threads();
	measure(&sub[0]);
	measure_two(sub);
	misuse(sub);
	open_without_target(sub);
	measure_in_threads(sub);
	look(&after);
	after.threads = await_count(count_threads, before.threads);
	compare(&before, &after);
	check_kernel();
	bpf_object__close(obj);
	return failures ? 1 : 0;
}
