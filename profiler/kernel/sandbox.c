// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Limits the system calls of this process with a seccomp filter. Owns the table of calls that each
 * mode needs. Must not know commands.
 *
 * A refused call raises SIGSYS, whose handler notes its number and lets it fail with ENOSYS. So a
 * call that a newer library tries first is no reason to end: libraries fall back on ENOSYS. And users
 * read which call it was, instead of the message of a function that cannot know why it failed.
 */
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <linux/bpf.h>

#include "base/log.h"
#include "kernel/sandbox.h"

/* The modes that need a call. */
#define READ (1 << PRIVILEGES_READ)
#define SERVE (1 << PRIVILEGES_SERVE)
#define SHOW (1 << PRIVILEGES_SHOW)
#define OPEN ((1 << PRIVILEGES_OPEN) | SERVE | SHOW)
#define LIST ((1 << PRIVILEGES_LIST) | OPEN)
#define EACH (READ | LIST)

struct call {
	int nr;
	unsigned int modes;
	/* The rule is for calls with this argument, in these bits. mask 0: with any arguments. */
	unsigned int arg;
	__u64 mask, value;
};

#define CALL(name, modes)                      \
	{                                      \
		SCMP_SYS(name), modes, 0, 0, 0 \
	}
#define BPF_COMMAND(cmd, modes)                     \
	{                                           \
		SCMP_SYS(bpf), modes, 0, ~0ULL, cmd \
	}

/* Calls that do not exist on an architecture are left out there. */
static const struct call calls[] = {
	/* files and descriptors */
	CALL(read, EACH),
	CALL(readv, EACH),
	CALL(pread64, EACH),
	CALL(write, EACH),
	CALL(writev, EACH),
	CALL(pwrite64, EACH),
	CALL(lseek, EACH),
	CALL(close, EACH),
	CALL(open, EACH),
	CALL(openat, EACH),
	CALL(access, EACH),
	CALL(faccessat, EACH),
	CALL(faccessat2, EACH),
	CALL(stat, EACH),
	CALL(lstat, EACH),
	CALL(fstat, EACH),
	CALL(newfstatat, EACH),
	CALL(statx, EACH),
	CALL(statfs, EACH),
	CALL(fstatfs, EACH),
	CALL(readlink, EACH),
	CALL(readlinkat, EACH),
	CALL(getcwd, EACH),
	CALL(getdents64, EACH),
	CALL(fcntl, EACH),
	CALL(flock, EACH),
	CALL(dup, EACH),
	CALL(dup2, EACH),
	CALL(dup3, EACH),
	CALL(ioctl, EACH),
	CALL(unlink, EACH),
	CALL(unlinkat, EACH),
	CALL(rename, EACH),
	CALL(renameat, EACH),
	CALL(renameat2, EACH),
	CALL(ftruncate, EACH),
	CALL(fsync, EACH),
	CALL(fdatasync, EACH),
	CALL(fchmod, EACH),
	CALL(fchown, EACH),
	CALL(umask, EACH),
	CALL(pipe2, EACH),
	CALL(eventfd2, EACH),
	/* waiting */
	CALL(epoll_create1, EACH),
	CALL(epoll_ctl, EACH),
	CALL(epoll_wait, EACH),
	CALL(epoll_pwait, EACH),
	CALL(epoll_pwait2, EACH),
	CALL(poll, EACH),
	CALL(ppoll, EACH),
	CALL(select, EACH),
	CALL(pselect6, EACH),
	CALL(timerfd_create, EACH),
	CALL(timerfd_settime, EACH),
	CALL(signalfd4, EACH),
	CALL(nanosleep, EACH),
	CALL(clock_nanosleep, EACH),
	CALL(restart_syscall, EACH),
	/* memory; only bprof top loads a library later: the disassembler */
	CALL(brk, EACH),
	CALL(munmap, EACH),
	CALL(mremap, EACH),
	CALL(madvise, EACH),
	{SCMP_SYS(mmap), EACH, 2, PROT_EXEC, 0},
	{SCMP_SYS(mprotect), EACH, 2, PROT_EXEC, 0},
	{SCMP_SYS(mmap), SHOW, 2, PROT_EXEC, PROT_EXEC},
	{SCMP_SYS(mprotect), SHOW, 2, PROT_EXEC, PROT_EXEC},
	/* this process, its threads, and COMMAND */
	CALL(exit, EACH),
	CALL(exit_group, EACH),
	CALL(futex, EACH),
	CALL(getpid, EACH),
	CALL(gettid, EACH),
	CALL(getuid, EACH),
	CALL(geteuid, EACH),
	CALL(getgid, EACH),
	CALL(getegid, EACH),
	CALL(getrusage, EACH),
	CALL(getrandom, EACH),
	CALL(uname, EACH),
	CALL(sysinfo, EACH),
	CALL(prlimit64, EACH),
	CALL(getrlimit, EACH),
	CALL(setrlimit, EACH),
	CALL(clock_gettime, EACH),
	CALL(clock_getres, EACH),
	CALL(gettimeofday, EACH),
	CALL(time, EACH),
	CALL(times, EACH),
	CALL(rt_sigaction, EACH),
	CALL(rt_sigprocmask, EACH),
	CALL(rt_sigpending, EACH),
	CALL(rt_sigreturn, EACH),
	CALL(sigaltstack, EACH),
	CALL(kill, EACH),
	CALL(tgkill, EACH),
	CALL(wait4, EACH),
	CALL(waitid, EACH),
	CALL(sched_yield, EACH),
	CALL(getcpu, EACH),
	CALL(sched_getaffinity, EACH),
	/* One of these starts the waiting COMMAND (run/loop.c): which one depends on the libc. */
	CALL(send, EACH),
	CALL(sendto, EACH),
	CALL(sched_setaffinity, OPEN),
	CALL(set_robust_list, OPEN),
	CALL(rseq, OPEN),
	CALL(capget, OPEN),
	{SCMP_SYS(clone), OPEN, 0, CLONE_THREAD, CLONE_THREAD},
	/* A thread's name while bprof makes the kernel write its record (session/sideband.c). */
	{SCMP_SYS(prctl), OPEN, 0, ~0ULL, PR_GET_NAME},
	{SCMP_SYS(prctl), OPEN, 0, ~0ULL, PR_SET_NAME},
	/* the kernel's counters and programs */
	CALL(perf_event_open, OPEN),
	BPF_COMMAND(BPF_MAP_LOOKUP_ELEM, EACH),
	BPF_COMMAND(BPF_MAP_UPDATE_ELEM, EACH),
	BPF_COMMAND(BPF_MAP_DELETE_ELEM, EACH),
	BPF_COMMAND(BPF_MAP_GET_NEXT_KEY, EACH),
	BPF_COMMAND(BPF_MAP_LOOKUP_BATCH, EACH),
	BPF_COMMAND(BPF_PROG_TEST_RUN, EACH),
	BPF_COMMAND(BPF_OBJ_GET_INFO_BY_FD, EACH),
	BPF_COMMAND(BPF_MAP_CREATE, LIST),
	BPF_COMMAND(BPF_MAP_FREEZE, LIST),
	BPF_COMMAND(BPF_MAP_UPDATE_BATCH, OPEN),
	BPF_COMMAND(BPF_PROG_LOAD, LIST),
	BPF_COMMAND(BPF_PROG_BIND_MAP, OPEN),
	BPF_COMMAND(BPF_BTF_LOAD, OPEN),
	BPF_COMMAND(BPF_RAW_TRACEPOINT_OPEN, OPEN),
	BPF_COMMAND(BPF_LINK_CREATE, LIST),
	BPF_COMMAND(BPF_ITER_CREATE, LIST),
	BPF_COMMAND(BPF_ENABLE_STATS, OPEN),
	BPF_COMMAND(BPF_OBJ_GET, OPEN),
	BPF_COMMAND(BPF_PROG_QUERY, OPEN),
	BPF_COMMAND(BPF_TASK_FD_QUERY, LIST),
	BPF_COMMAND(BPF_PROG_GET_NEXT_ID, OPEN),
	BPF_COMMAND(BPF_PROG_GET_FD_BY_ID, LIST),
	BPF_COMMAND(BPF_MAP_GET_NEXT_ID, OPEN),
	BPF_COMMAND(BPF_MAP_GET_FD_BY_ID, OPEN),
	BPF_COMMAND(BPF_BTF_GET_NEXT_ID, OPEN),
	BPF_COMMAND(BPF_BTF_GET_FD_BY_ID, LIST),
	BPF_COMMAND(BPF_LINK_GET_NEXT_ID, LIST),
	BPF_COMMAND(BPF_LINK_GET_FD_BY_ID, LIST),
	/* names of interfaces, and the programs that are attached to them */
	{SCMP_SYS(socket), OPEN, 0, ~0ULL, AF_NETLINK},
	{SCMP_SYS(socket), OPEN, 0, ~0ULL, AF_UNIX},
	CALL(bind, OPEN),
	CALL(getsockname, OPEN),
	CALL(setsockopt, OPEN),
	CALL(sendmsg, OPEN),
	CALL(recv, OPEN),
	CALL(recvfrom, OPEN),
	CALL(recvmsg, OPEN),
	/* requests over HTTP */
	CALL(accept, SERVE),
	CALL(accept4, SERVE),
	CALL(getpeername, SERVE),
	CALL(getsockopt, SERVE),
	CALL(shutdown, SERVE),
	CALL(listen, SERVE),
};

/* The last call that was refused, and an argument; -1: none since the last report. */
static volatile sig_atomic_t refused = -1, refused_arg;

/* Runs where the call was made. Does nothing that may not be done in a signal handler. */
static void note_refused(int signal, siginfo_t *info, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;

	refused = info->si_syscall;
#if defined(__x86_64__)
	refused_arg = m->gregs[REG_RDI];
	m->gregs[REG_RAX] = -ENOSYS;
#elif defined(__aarch64__)
	refused_arg = m->regs[0];
	m->regs[0] = (__u64)-ENOSYS;
#elif defined(__riscv)
	refused_arg = m->__gregs[REG_A0];
	m->__gregs[REG_A0] = -ENOSYS;
#elif defined(__s390x__)
	refused_arg = m->gregs[3]; /* the kernel has overwritten the first one */
	m->gregs[2] = (__u64)-ENOSYS;
#endif
}

static int add_rule(scmp_filter_ctx filter, const struct call *c)
{
	const struct scmp_arg_cmp cmp = {
		.arg = c->arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = c->mask, .datum_b = c->value};

	return c->mask ? seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, c->nr, 1, &cmp)
		       : seccomp_rule_add(filter, SCMP_ACT_ALLOW, c->nr, 0);
}

/* LeakSanitizer stops all threads at the end with calls that the filter refuses. */
#ifdef __SANITIZE_ADDRESS__
#define HAS_LEAK_SANITIZER true
#else
#define HAS_LEAK_SANITIZER false
#endif

/*
 * libseccomp 2.5 does not look whether it has the memory for all parts of a filter: it crashes, or
 * loads a part. It needs a fifth of this.
 */
#define FILTER_MEMORY (1 << 20)

static bool has_memory(void)
{
	/* volatile: without it, gcc leaves out both calls */
	void *volatile mem = malloc(FILTER_MEMORY);
	bool has = mem;

	free(mem);
	return has;
}

static int load(scmp_filter_ctx filter, enum privileges mode)
{
	const struct sigaction action = {.sa_sigaction = note_refused, .sa_flags = SA_SIGINFO};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(calls); i++)
		if (calls[i].modes & 1 << mode)
			err = add_rule(filter, &calls[i]);
	/* The flags of clone3() are in memory, where no filter sees them. glibc falls back to clone(). */
	err = err ?: seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (!err && sigaction(SIGSYS, &action, NULL))
		err = -errno;
	return err ?: seccomp_load(filter);
}

int sandbox__enter(enum privileges mode)
{
	scmp_filter_ctx filter;
	int err;

	if (HAS_LEAK_SANITIZER)
		return 0;
	filter = seccomp_init(SCMP_ACT_TRAP);
	err = filter && has_memory() ? load(filter, mode) : -ENOMEM;
	seccomp_release(filter);
	if (err == -ENOMEM)
		return log_err(err, "out of memory");
	if (err)
		log_warn("system calls are not limited: this kernel refuses a seccomp filter: %s",
			 strerror(-err));
	return 0;
}

void sandbox__report(void)
{
	int nr = refused;
	char *name;

	if (nr < 0)
		return;
	refused = -1;
	name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
	log_warn("system call %d, %s(%d, ...), failed with ENOSYS: bprof did not expect to need it "
		 "after its set-up; please report this; --keep-privileges allows all calls",
		 nr, name ?: "unknown", (int)refused_arg);
	free(name);
}
