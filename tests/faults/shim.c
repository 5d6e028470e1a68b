// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lets one call of a program fail. The linker replaces the calls of all objects, also those of
 * libbpf and jansson, by calls of the functions __wrap_NAME() in shim_calls.c (ld's --wrap). Owns the count of
 * calls, and decides which call fails. Knows nothing of bprof except EXIT_NO_MEMORY.
 *
 * FAULT_AT=n      the n-th call fails; 0 or not set: no call fails
 * FAULT_KIND=...  counts only calls of these kinds (shim.h)
 * FAULT_MODE=on   all calls from the n-th on fail, not only the n-th ("once")
 * FAULT_ERRNO=E   the call fails with this error, such as EMFILE; by default with its usual error
 * FAULT_LOG=F     appends to F the call that failed and its stack, and the number of calls
 * FAULT_TRACE=F   writes a struct fault_call for each call to F
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/exit_status.h"
#include "tests/faults/shim.h"

#define MAX_CALLS 4000000
#define STACK_DEPTH 16 /* in the log */
#define HASH_DEPTH 6
#define DEFAULT_KINDS ((1U << FAULT_VANISH) - 1)

static unsigned int kinds;
static unsigned long fail_at;
static int fail_errno;
static bool from_then_on;
static const char *log_path;
static int trace_fd = -1;
static struct fault_call *calls; /* the trace */

static unsigned long call_cnt, fault_cnt;
static bool is_child;
static __thread int excluded;

void fault__begin_child(void)
{
	is_child = true;
}

void fault__exclude(int step)
{
	excluded += step;
}

/* The program's own code. Shared libraries lie elsewhere in each run. */
extern const char __executable_start, etext;

/* The return addresses of a call in the program, without those of the shim. */
struct stack {
	uintptr_t pc[STACK_DEPTH];
	int cnt, skip;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *ctx, void *arg)
{
	struct stack *s = arg;
	uintptr_t pc = _Unwind_GetIP(ctx);

	if (s->skip-- > 0)
		return _URC_NO_REASON;
	if (pc < (uintptr_t)&__executable_start || pc >= (uintptr_t)&etext || s->cnt == STACK_DEPTH)
		return _URC_END_OF_STACK;
	s->pc[s->cnt++] = pc;
	return _URC_NO_REASON;
}

/* Skips 4 functions of the shim: stack__take(), note() or say_fault(), fault__fails(), and __wrap_NAME(). */
static __attribute__((noinline)) void stack__take(struct stack *s)
{
	*s = (struct stack){.skip = 4};
	_Unwind_Backtrace(add_frame, s);
}

static __attribute__((noinline)) void note(unsigned long n, enum fault_kind kind)
{
	struct stack s;
	__u32 hash = 2166136261U + kind;

	stack__take(&s);
	for (int i = 0; i < s.cnt && i < HASH_DEPTH; i++)
		hash = (hash ^ (__u32)s.pc[i]) * 16777619U;
	calls[n - 1] = (struct fault_call){hash, kind};
}

static void append_log(const char *text)
{
	int fd = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			 0644);

	if (fd < 0 || syscall(SYS_write, fd, text, strlen(text)) < 0)
		_exit(97);
	syscall(SYS_close, fd);
}

static __attribute__((noinline)) void say_fault(unsigned long n, const char *func)
{
	char line[64 + 20 * STACK_DEPTH];
	struct stack s;
	int len;

	/* With FAULT_MODE=on, many calls fail. The log has only the first. */
	if (__atomic_add_fetch(&fault_cnt, 1, __ATOMIC_RELAXED) > 1 || !log_path)
		return;
	stack__take(&s);
	len = snprintf(line, sizeof(line), "fault %lu %s", n, func);
	for (int i = 0; i < s.cnt; i++)
		len += snprintf(line + len, sizeof(line) - len, " %lx", (long)s.pc[i] - 1);
	snprintf(line + len, sizeof(line) - len, "\n");
	append_log(line);
}

/* Counts a call. Returns true, with errno set, if it has to fail. */
__attribute__((noinline)) bool fault__fails(enum fault_kind kind, const char *func, int err)
{
	unsigned long n;
	bool fault;

	if (!(kinds >> kind & 1) || excluded || is_child)
		return false;
	n = __atomic_add_fetch(&call_cnt, 1, __ATOMIC_RELAXED);
	fault = fail_at && (n == fail_at || (from_then_on && n > fail_at));
	excluded++;
	if (calls && n <= MAX_CALLS)
		note(n, kind);
	if (fault)
		say_fault(n, func);
	excluded--;
	if (fault)
		errno = fail_errno ?: err;
	return fault;
}

static int errno_of(const char *name)
{
	for (int err = 1; err < 134; err++)
		if (strerrorname_np(err) && !strcmp(strerrorname_np(err), name))
			return err;
	return atoi(name);
}

static unsigned int parse_kinds(const char *list)
{
	static const char *const names[] = FAULT_KIND_NAMES;
	unsigned int found = 0;

	for (int i = 0; i < FAULT_KIND_CNT; i++) {
		const char *at = strstr(list, names[i]);

		if (at)
			found |= 1U << i;
	}
	return found;
}

static void set_up(void)
{
	const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
	const char *err = getenv("FAULT_ERRNO"), *mode = getenv("FAULT_MODE");
	const char *trace = getenv("FAULT_TRACE");

	kinds = kind ? parse_kinds(kind) : DEFAULT_KINDS;
	fail_at = at ? strtoul(at, NULL, 10) : 0;
	fail_errno = err ? errno_of(err) : 0;
	from_then_on = mode && !strcmp(mode, "on");
	log_path = getenv("FAULT_LOG");
	if (trace) {
		trace_fd = syscall(SYS_openat, AT_FDCWD, trace,
				   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		calls = (void *)syscall(SYS_mmap, NULL, MAX_CALLS * sizeof(*calls),
					PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (trace_fd < 0 || calls == MAP_FAILED)
			_exit(97);
	}
}

static void finish(void)
{
	const char *from = (const char *)calls;
	size_t left = (call_cnt < MAX_CALLS ? call_cnt : MAX_CALLS) * sizeof(*calls);
	char line[64];

	if (is_child)
		return;
	kinds = 0;
	while (calls && left) {
		long n = syscall(SYS_write, trace_fd, from, left);

		if (n <= 0)
			_exit(97);
		from += n;
		left -= n;
	}
	if (!log_path)
		return;
	snprintf(line, sizeof(line), "calls %lu faults %lu\n", call_cnt, fault_cnt);
	append_log(line);
}

int __real_main(int argc, char **argv);
/*
 * If an allocation fails, bprof exits at once, without freeing its memory (base/memory.h). LSan must not
 * report this memory as leaked.
 */
static bool leaves_memory;

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_exit(int status)
{
	leaves_memory = status == EXIT_NO_MEMORY;
	__real_exit(status);
}

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return leaves_memory;
}

int __wrap_main(int argc, char **argv);

int __wrap_main(int argc, char **argv)
{
	int status;

	set_up();
	status = __real_main(argc, argv);
	finish();
	return status;
}
