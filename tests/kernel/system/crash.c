// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Traces bprof with ptrace, stops it at the system calls that a seccomp filter selects, and kills
 * it. Owns the process. Does not know what a killed bprof leaves behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/kernel/harness.h"
#include "tests/kernel/system/crash.h"

/* Installs a seccomp filter that stops the process only before bpf(), flock() and write(). */
static void trace_steps(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		_exit(126);
}

static pid_t start(const char *args)
{
	char line[MAX_TEXT];
	pid_t pid;
	int status;

	snprintf(line, sizeof(line), "exec bprof %s >/dev/null", args);
	pid = fork();
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
			_exit(126);
		trace_steps();
		execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL,
				PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD),
			 0);
	return pid;
}

static bool at_seccomp_stop(int status)
{
	return status >> 8 == (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8));
}

/*
 * Continues to the next stop and delivers pending signals. Returns false when the process has
 * ended.
 */
static bool await_stop(pid_t pid, int *status)
{
	for (;;) {
		int sig;

		assert_int_equal(waitpid(pid, status, 0), pid);
		if (!WIFSTOPPED(*status))
			return false;
		sig = WSTOPSIG(*status);
		if (at_seccomp_stop(*status) || sig == (SIGTRAP | 0x80))
			return true;
		/* The process stops after exec; do not deliver this SIGTRAP. */
		if (sig == SIGTRAP)
			sig = 0;
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, (long)sig), 0);
	}
}

static void kill_it(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/*
 * Returns true if the system call changes something that other processes see. Most bpf() commands
 * only read, or create private objects. Sets *stores if writes to shared memory may follow the
 * call.
 */
static bool is_step(const struct __ptrace_syscall_info *info, bool *stores)
{
	static const struct {
		enum bpf_cmd cmd;
		bool stores;
	} cmds[] = {
		{BPF_MAP_UPDATE_ELEM, true}, {BPF_MAP_DELETE_ELEM, true},
		{BPF_LINK_CREATE, true},     {BPF_RAW_TRACEPOINT_OPEN, true},
		{BPF_PROG_BIND_MAP, false},  {BPF_PROG_TEST_RUN, false},
	};

	*stores = false;
	if (info->seccomp.nr == SYS_flock)
		return true;
	for (size_t i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++) {
		if (info->seccomp.nr != SYS_bpf || info->seccomp.args[0] != cmds[i].cmd)
			continue;
		*stores = cmds[i].stores;
		return true;
	}
	return false;
}

static bool is_output(const struct __ptrace_syscall_info *info)
{
	return info->seccomp.nr == SYS_write && info->seccomp.args[0] == STDOUT_FILENO;
}

/* Continues until the system call returns. */
static void step_over(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
	assert_true(await_stop(pid, &status));
}

bool crash_at(const char *args, enum crash_phase phase, int point)
{
	pid_t pid = start(args);
	bool counting = false, interrupted = false;
	int status;

	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	while (await_stop(pid, &status)) {
		struct __ptrace_syscall_info info = {};
		bool stores;

		assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0);
		if (is_output(&info) && phase == CRASH_IN_START) {
			kill_it(pid);
			return false;
		}
		if (is_output(&info) && !interrupted) {
			kill(pid, SIGINT);
			interrupted = counting = true;
		}
		counting |= phase == CRASH_IN_START && info.seccomp.nr == SYS_flock;
		if (counting && is_step(&info, &stores)) {
			int points = stores ? 2 : 1;

			if (point < points) {
				if (point)
					step_over(pid);
				kill_it(pid);
				return true;
			}
			point -= points;
		}
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_test("bprof %s: ended with %x", args, status);
	return false;
}
