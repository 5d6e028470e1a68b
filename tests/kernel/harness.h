/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The basis of the kernel tests: loads targets, runs bprof, and reads its report. At the end of
 * each test, passed or failed, removes everything. If a function fails, it ends the test as failed
 * and does not return.
 */
#ifndef KTEST_HARNESS_H
#define KTEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <jansson.h>
#include <linux/types.h>
#include <sys/types.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "tests/kernel/drive/hang.h"
#include "tests/kernel/ids.h"
#include "tests/kernel/ktest.h"

#define PROGS_DIR "progs" /* the compiled tests/progs, relative to the guest's working directory */
#define PIN_DIR "/sys/fs/bpf/ktest"
#define MAX_KEPT 1024
#define MAX_WORKLOADS 8
#define MAX_TEXT 8192
#define MANY_PROGS 500 /* the number of programs in tests/progs/many.bpf.c */

struct child;
struct run;
struct workload;

/* Everything that one test has allocated; teardown() frees it. */
struct fixture {
	const void *param; /* the test's initial_state (cmocka): the value of KTEST_PARAM() */
	struct id_set before;
	struct bpf_object *obj[MAX_KEPT];
	struct bpf_link *link[MAX_KEPT];
	struct child *child[MAX_KEPT];
	struct run *run[MAX_KEPT];
	int fd[MAX_KEPT];
	struct workload *workload[MAX_WORKLOADS]; /* freed by teardown_system() */
	int obj_cnt, link_cnt, child_cnt, run_cnt, fd_cnt, workload_cnt;
};

int setup(void **state);
/* Also fails the test if an object that bprof or the test created is left in the kernel. */
int teardown(void **state);

#define JIT_ENABLE "/proc/sys/net/core/bpf_jit_enable"
int teardown_jit(void **state); /* like teardown(); also turns the JIT on */

/* KTEST_FULL(name, function, setup, teardown, parameter, PROPERTY…): properties are those of ktest.h. */
#define KTEST_FULL(test_name, fn, set_up, ...) KTEST_(test_name, fn, set_up, __VA_ARGS__, )
/* KTEST_WITH(setup, teardown, function, PROPERTY…), KTEST(function, PROPERTY…) */
#define KTEST_WITH(set_up, tear_down, ...) KTEST_WITH_(set_up, tear_down, __VA_ARGS__, )
#define KTEST(...) KTEST_WITH(setup, teardown, __VA_ARGS__)
/* KTEST_PARAM(name, function, parameter, PROPERTY…) */
#define KTEST_PARAM(test_name, fn, ...) KTEST_FULL(test_name, fn, setup, teardown, __VA_ARGS__)

#ifndef __cppcheck__
#define KTEST_WITH_(set_up, tear_down, fn, ...) KTEST_(#fn, fn, set_up, tear_down, 0, __VA_ARGS__)
#define KTEST_(test_name, fn, set_up, tear_down, value, ...)   \
	{                                                      \
		{.name = (test_name),                          \
		 .test_func = (fn),                            \
		 .setup_func = (set_up),                       \
		 .teardown_func = (tear_down),                 \
		 .initial_state = (void *)(uintptr_t)(value)}, \
			ON(__VA_ARGS__)                        \
	}
#else /* cppcheck does not find parameters in __VA_ARGS__ */
#define KTEST_WITH_(...) ON()
#define KTEST_(...) ON()
#endif

/*
 * Skips the rest of the test and prints the reason. The table in skips.c lists which test may be
 * skipped on which kernel and architecture. A skip that is not in the table fails the test.
 */
void skip_test(const char *test, const char *reason);
bool kernel_is(const char *version); /* "6.1" matches any release of Linux 6.1 */
bool arch_is(const char *arch);	     /* the name that uname prints: "aarch64" */
int online_cpus(void);
/* For setup functions: prints a message and returns false unless exactly cnt CPUs are online. */
bool has_cpus(int cnt);
/*
 * For setup functions: loads a module, unless everything is built into the kernel
 * (scripts/debug-kernel). Call it before setup(): the BTF of a module stays loaded, and teardown()
 * would report it as left behind. If loading fails, prints a message and returns false.
 */
bool load_module(const char *name);
void set_online(int cpu, bool on);
void set_all_online(int cnt); /* sets CPUs 1 to cnt - 1 online; CPU 0 always is */
/* Returns an event, by its name in perf, that every VM of this architecture can count. */
const char *machine_event(void);
/*
 * Returns the event that counts instructions exactly in the deterministic VM (one vCPU, -icount).
 */
const char *exact_event(void);

/* A BPF program that a test has loaded, and that bprof can measure. */
struct target {
	__u32 id;
	int fd;
	struct bpf_program *prog;
	struct bpf_object *obj;
};

struct target load_target(struct fixture *f, const char *file, const char *prog);
/*
 * Like load_target(), but loads several copies of the program and keeps the longest one. On arm64
 * the code of a program is shorter if its maps' addresses happen to take fewer instructions. Use
 * this for a program with maps whose counts must be exact.
 */
struct target load_full_length(struct fixture *f, const char *file, const char *prog);
/*
 * Returns true if copies of the program that use this map are of full length: not shorter than the
 * program that load_full_length() returns.
 */
bool is_full_length_with(struct fixture *f, const char *file, const char *prog, const char *map,
			 int map_fd);
/*
 * Loads copies of a program with one map until two of them have code of different lengths, and
 * keeps these two. On x86-64, where all copies have the same length, loads two copies.
 */
void load_two_lengths(struct fixture *f, const char *file, const char *prog, struct target *shorter,
		      struct target *longer);
/* Opens an object file without loading it; path need not be below PROGS_DIR. */
struct bpf_object *open_object(struct fixture *f, const char *path);
/* Loads all programs of an object. Returns NULL with errno if the kernel refuses. */
struct bpf_object *try_load_object(struct fixture *f, const char *path);
/* Loads an XDP program "no_btf" that has no BTF and comes from no object file. */
struct target load_raw(struct fixture *f);
/* Loads a copy of an XDP program without BTF, which has no functions and no source lines. */
struct target load_bare(struct fixture *f, const char *name, struct target like);
/* Loads a program of tests/progs/tracing.bpf.c. It traces a function of another program. */
struct target load_tracing(struct fixture *f, const char *prog, struct target to, const char *func);
struct target program_of(struct bpf_object *obj, const char *prog);
/* Loads all programs of tests/progs/many.bpf.c, and stores every (MANY_PROGS / cnt)-th of them. */
void load_every(struct fixture *f, struct target *out, int cnt);
/*
 * Loads cc_init of tests/progs/struct_ops.bpf.c and registers it as part of the congestion control
 * "bprof_test".
 */
struct target load_struct_ops(struct fixture *f);
/* Registers another struct_ops map of that object. */
void register_struct_ops(struct fixture *f, struct bpf_object *obj, const char *map);
/* Sets the program to which the programs of tests/progs/tailcall.bpf.c jump. */
void set_jump(struct bpf_object *obj, struct target to);
/*
 * Attaches the program to the hook that its section's name specifies; returns NULL if the kernel
 * refuses.
 */
struct bpf_link *try_attach(struct fixture *f, struct target t);
void keep_link(struct fixture *f, struct bpf_link *link);
/* Unloads a target that load_target() loaded, before the test ends. */
void unload(struct fixture *f, struct target t);
/* Closes a descriptor that load_raw() opened, before the test ends. */
void close_fd(struct fixture *f, int fd);
/* Runs the program cnt times with BPF_PROG_TEST_RUN on the current CPU. */
void drive(struct target t, __u64 cnt);

/* The result of a bprof process that has ended. */
struct run {
	int status; /* bprof's exit status, or 128 + signal */
	char *out, *err;
	json_t *json; /* the first document on stdout, or NULL */
};

/*
 * Runs "bprof ARGS" in a shell until bprof ends; args is a format for printf(). If ARGS has a
 * COMMAND and no -o, adds "-o -", so that the report is on stdout. Fails the test if bprof hangs, or
 * if its report breaks a rule that holds for all reports.
 */
struct run *bprof(struct fixture *f, const char *args, ...) __attribute__((format(printf, 2, 3)));
/* Like bprof(), for any command line. */
struct run *command(struct fixture *f, const char *line, ...) __attribute__((format(printf, 2, 3)));

/* Starts "bprof ARGS" in a shell and returns without waiting for its end. */
struct child *bprof_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Like bprof_start(), for any command line. */
struct child *command_start(struct fixture *f, const char *line, ...)
	__attribute__((format(printf, 2, 3)));
pid_t child_pid(const struct child *c);
/*
 * Waits for the next complete line on the child's stdout (the report of one interval) and returns
 * the line, which c owns.
 */
const char *child_line(struct child *c);
void child_signal(struct child *c, int sig);
/* Waits until the child ends. The result has the output of the child that has not been read yet. */
struct run *child_wait(struct fixture *f, struct child *c);

/* Returns the programs[] row of a program; fails the test unless there is exactly one. */
json_t *row_of(const struct run *r, __u32 id);
json_t *event_of(json_t *row, const char *name);
/* Returns the number or string at a path in obj, such as "per_run.min". */
json_int_t num(json_t *obj, const char *path);
double real(json_t *obj, const char *path); /* like num(), for numbers that may have a fraction */
/*
 * Returns the largest error that rounding can cause in a number of a report. Reports round numbers
 * below 1 to 6 significant digits, and other numbers to 6 digits after the point, but to at most 15
 * significant digits (number__round()). A number that is 0 was not rounded.
 */
double rounding(double printed);
double uncertainty(json_t *ev); /* the reported uncertainty of an event's net numbers; 0 if none */
const char *str(json_t *obj, const char *path);
/* Returns the reason in the report's skipped[] for this id, or NULL if the id was not skipped. */
const char *skip_reason(const struct run *r, __u32 id);
/* Returns the sum, over all lines of -I output, of one number in a program's row. */
json_int_t sum_of(const char *lines, __u32 id, const char *path);
json_int_t sum_of_runs(const char *lines, __u32 id);

/*
 * Prints the entire message and fails the test. cmocka's fail_msg() would truncate the message at
 * 1024 characters.
 */
#define fail_test(...)                        \
	do {                                  \
		fprintf(stderr, __VA_ARGS__); \
		fputc('\n', stderr);          \
		fail();                       \
	} while (0)

/* Waits until the condition is true; fails if the test hangs. */
#define AWAIT(condition)                                         \
	do {                                                     \
		while (!(condition)) {                           \
			if (hangs())                             \
				fail_test("hangs: " #condition); \
			usleep(1000);                            \
		}                                                \
	} while (0)

/* Returns the row of a function of the kernel that the program calls. */
json_t *called_row(const struct run *r, __u32 id);
void assert_contains(const char *text, const char *part);
/*
 * Checks that the report has this number of runs of the program, that the method is fentry, and
 * that no run was lost.
 */
void assert_counted(const struct run *r, __u32 id, __u64 runs);
#define assert_status(r, want) check_status(r, want, __FILE__, __LINE__)
void check_status(const struct run *r, int want, const char *file, int line);

/* Writes text to a file in sysfs or procfs. */
void write_file(const char *path, const char *text);

#endif
