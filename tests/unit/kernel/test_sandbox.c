// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the filter of system calls: which calls each mode has, and what happens at others. A filter
 * cannot be removed, hence each test has a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <linux/seccomp.h>

#include "base/log.h"
#include "kernel/sandbox.h"

/* In the child: ends it with status 1 and the failed condition. */
#define check(condition) ((condition) ? (void)0 : die(#condition, __LINE__))

static void die(const char *condition, int line)
{
	fprintf(stderr, "line %d: %s\n", line, condition);
	_exit(1);
}

static void run(void (*fn)(void))
{
	int status;
	pid_t pid;

#ifdef __SANITIZE_ADDRESS__
	return; /* no filter: see sandbox.c */
#endif
	pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void keep_message(void *arg, enum log_level level, int err, const char *message)
{
	snprintf(arg, 256, "%s", message);
}

static char message[256];
static const struct log_sink sink = {.write = keep_message, .arg = message, .max = LOG_LEVEL_WARN};

/* qemu-user, for one, has no filters. */
static bool has_filters(void)
{
	const __u32 action = SECCOMP_RET_TRAP;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

/* Where there are no filters, all calls stay allowed, with a warning: the test ends here. */
static void enter(enum privileges mode)
{
	bool limits = has_filters();

	message[0] = '\0';
	log__set_sink(&sink);
	check(!sandbox__enter(mode));
	if (!limits) {
		check(strstr(message, "system calls are not limited: this kernel refuses"));
		check(syscall(SYS_setuid, getuid()) == 0);
		_exit(0);
	}
	check(!message[0]);
}

/* Returns true if the call was refused, and the message names it. */
static int is_refused(long ret, const char *name)
{
	char part[64];
	int refused = ret == -1 && errno == ENOSYS;

	snprintf(part, sizeof(part), ", %s(", name);
	message[0] = '\0';
	sandbox__report();
	return refused && strstr(message, part) && strstr(message, "failed with ENOSYS") &&
	       strstr(message, "--keep-privileges");
}

static long bpf_command(int cmd)
{
	union bpf_attr attr = {};

	return syscall(SYS_bpf, cmd, &attr, sizeof(attr));
}

static enum privileges mode;

static void refuse_others(void)
{
	enter(mode);
	check(is_refused(syscall(SYS_execve, "/bin/true", NULL, NULL), "execve"));
	check(is_refused(syscall(SYS_ptrace, 0, 0, 0, 0), "ptrace"));
	check(is_refused(syscall(SYS_setuid, 0), "setuid"));
	check(is_refused(syscall(SYS_mount, 0, 0, 0, 0, 0), "mount"));
	check(is_refused(socket(AF_INET, SOCK_STREAM, 0), "socket"));
	check(is_refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), "clone"));
	check(is_refused(bpf_command(BPF_OBJ_PIN), "bpf"));
	check(is_refused(bpf_command(BPF_PROG_ATTACH), "bpf"));
	/* Nothing is reported twice. */
	message[0] = '\0';
	sandbox__report();
	check(!message[0]);
}

static void test_refused(void **state)
{
	for (mode = PRIVILEGES_READ; mode < PRIVILEGES_CNT; mode++)
		run(refuse_others);
}

static void check_read(void)
{
	enter(PRIVILEGES_READ);
	check(is_refused(bpf_command(BPF_PROG_LOAD), "bpf"));
	check(is_refused(bpf_command(BPF_PROG_GET_NEXT_ID), "bpf"));
	check(is_refused(syscall(SYS_perf_event_open, 0, 0, 0, 0, 0), "perf_event_open"));
	check(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	check(is_refused((long)mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			 "mmap"));
	check(bpf_command(BPF_MAP_LOOKUP_ELEM) && errno != ENOSYS);
	check(bpf_command(BPF_OBJ_GET_INFO_BY_FD) && errno != ENOSYS);
	check(getpid() > 0 && !kill(getpid(), 0));
	sandbox__report();
	check(strstr(message, "mmap")); /* from above: nothing else was refused */
}

static void test_read(void **state)
{
	run(check_read);
}

/* "stat" finds the processes whose probes it notes, with an iterator of the kernel. */
static void check_list(void)
{
	enter(PRIVILEGES_LIST);
	check(bpf_command(BPF_PROG_LOAD) && errno != ENOSYS);
	check(bpf_command(BPF_ITER_CREATE) && errno != ENOSYS);
	check(is_refused(bpf_command(BPF_RAW_TRACEPOINT_OPEN), "bpf"));
	check(is_refused(syscall(SYS_perf_event_open, 0, 0, 0, 0, 0), "perf_event_open"));
}

static void test_list(void **state)
{
	run(check_list);
}

static void *in_thread(void *arg)
{
	sigset_t all;

	/* As in host/affinity.c. */
	sigfillset(&all);
	sigdelset(&all, SIGSYS);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "thread");
	*(int *)arg = is_refused(syscall(SYS_setuid, 0), "setuid") ? 0 : 1;
	return NULL;
}

/* Threads can be started where probes are, and their calls are limited, too. */
static void check_thread(void)
{
	pthread_t thread;
	int failed = 1;

	enter(PRIVILEGES_OPEN);
	check(!pthread_create(&thread, NULL, in_thread, &failed));
	check(!pthread_join(thread, NULL));
	check(bpf_command(BPF_PROG_LOAD) && errno != ENOSYS);
	check(bpf_command(BPF_LINK_CREATE) && errno != ENOSYS);
	check(is_refused(syscall(SYS_accept4, -1, NULL, NULL, 0), "accept4"));
	/* Some libcs have a system call of its own for each of these, or socketcall(2). */
	check(send(-1, "g", 1, MSG_NOSIGNAL) == -1 && errno == EBADF);
	check(recv(-1, message, 1, 0) == -1 && errno == EBADF);
}

static void test_thread(void **state)
{
	run(check_thread);
}

static void check_serve(void)
{
	enter(PRIVILEGES_SERVE);
	check(accept(-1, NULL, NULL) && errno == EBADF);
	check(is_refused(syscall(SYS_connect, -1, NULL, 0), "connect"));
}

static void test_serve(void **state)
{
	run(check_serve);
}

/* ---- memory ---- */

#define MAX_BLOCKS 600
#define BLOCK_SZ 496

/* Takes all memory that the process can get. Returns false if it cannot be limited (qemu-user). */
static bool take_memory(void)
{
	struct rlimit limit;

	check(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = 1;
	check(!setrlimit(RLIMIT_AS, &limit));
	for (size_t sz = 1 << 24; sz >= 16; sz /= 2) {
		void *volatile mem = malloc(sz);

		if (mem && sz == 1 << 24)
			return false;
		while (mem)
			mem = malloc(sz);
	}
	return true;
}

static int free_blocks; /* so many blocks of memory are left */

static void check_memory(void)
{
	static char *block[MAX_BLOCKS];
	int err;

	for (int i = 0; i < MAX_BLOCKS; i++)
		check(block[i] = malloc(BLOCK_SZ));
	if (!take_memory())
		return;
	for (int i = 0; i < free_blocks; i++)
		free(block[i]);
	log__set_sink(&sink);
	err = sandbox__enter(PRIVILEGES_READ);
	check(!err || (err == -ENOMEM && !strcmp(message, "out of memory")));
}

/* Wherever memory is short, it is an error, not a crash. */
static void test_memory(void **state)
{
	for (free_blocks = 0; free_blocks < MAX_BLOCKS; free_blocks += 7)
		run(check_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_read),
		cmocka_unit_test(test_list),	cmocka_unit_test(test_thread),
		cmocka_unit_test(test_serve),	cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
