/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel tests stand on: targets loaded, bprof run, its report read, and all of it gone at
 * the end of each test, whether it passed or not. Functions that cannot do their part fail the test
 * and do not return.
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
#include <bpf/libbpf.h>

#include "tests/kernel/ids.h"

#define PROGS_DIR "progs" /* the guest's working directory has the compiled tests/progs there */
#define PIN_DIR "/sys/fs/bpf/ktest"
#define MAX_KEPT 1024
#define MAX_WORKLOADS 8
#define MAX_TEXT 8192

struct child;
struct run;
struct workload;

/* One test's belongings; teardown() frees them all. */
struct fixture {
	const void *param; /* the test's initial_state */
	struct id_set before;
	struct bpf_object *obj[MAX_KEPT];
	struct bpf_link *link[MAX_KEPT];
	struct child *child[MAX_KEPT];
	struct run *run[MAX_KEPT];
	int fd[MAX_KEPT];
	struct workload *workload[MAX_WORKLOADS]; /* counting.h's */
	int obj_cnt, link_cnt, child_cnt, run_cnt, fd_cnt, workload_cnt;
};

int setup(void **state);
/* Also fails the test if anything of bprof's, or of its own, is left in the kernel. */
int teardown(void **state);

#define KTEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
#define KTEST_PARAM(test_name, fn, value)                                              \
	{                                                                              \
		.name = (test_name), .test_func = (fn), .setup_func = setup,           \
		.teardown_func = teardown, .initial_state = (void *)(uintptr_t)(value) \
	}

/*
 * Ends the test as skipped, for the reason given. A table (skips.c) says which test may on which
 * kernel and architecture; anywhere else this fails it.
 */
void skip_test(const char *test, const char *reason);
bool kernel_is(const char *version); /* "6.1": any release of that line */
bool arch_is(const char *arch);	     /* uname's: "aarch64" */
int online_cpus(void);
/* For a setup: says so where there are not as many. */
bool has_cpus(int cnt);
void set_online(int cpu, bool on);
void set_all_online(int cnt); /* CPU 0 is so always */
/* An event that this architecture's VM counts, always: perf's name of it. */
const char *machine_event(void);
/* The event that counts instructions exactly there (one vCPU, icount). */
const char *exact_event(void);

/* Targets. A program is loaded alone from its object, under its full name. */
struct target {
	__u32 id;
	int fd;
	struct bpf_program *prog;
	struct bpf_object *obj;
};

struct target load_target(struct fixture *f, const char *file, const char *prog);
/* Opened, not loaded; path may be anywhere. */
struct bpf_object *open_object(struct fixture *f, const char *path);
/* As it is, all programs. NULL with errno where the kernel refuses. */
struct bpf_object *try_load_object(struct fixture *f, const char *path);
/* An XDP program "no_btf" without BTF and without a file. */
struct target load_raw(struct fixture *f);
struct target program_of(struct bpf_object *obj, const char *prog);
/* Of tests/progs/struct_ops.bpf.c, registered as the congestion control "bprof_test": cc_init. */
struct target load_struct_ops(struct fixture *f);
/* What a program of tests/progs/tailcall.bpf.c jumps to from now on. */
void set_jump(struct bpf_object *obj, struct target to);
/* Attaches by what its section says; NULL where the kernel refuses. */
struct bpf_link *try_attach(struct fixture *f, struct target t);
void keep_link(struct fixture *f, struct bpf_link *link);
/* Unloads what load_target() loaded, in mid-test. */
void unload(struct fixture *f, struct target t);
/* Closes what load_raw() opened, in mid-test. */
void close_fd(struct fixture *f, int fd);
/* Runs it cnt times by BPF_PROG_TEST_RUN on the current CPU. */
void drive(struct target t, __u64 cnt);

/* A bprof that has ended. */
struct run {
	int status; /* its exit status, 128 + signal where one ended it */
	char *out, *err;
	json_t *json; /* of the first document on stdout, NULL where there is none */
};

/* Runs "bprof ARGS" by the shell, args as printf has it, until it ends (a hang fails the test), and
 * checks what must be true of every report. */
struct run *bprof(struct fixture *f, const char *args, ...) __attribute__((format(printf, 2, 3)));
/* The same for any command line. */
struct run *command(struct fixture *f, const char *line, ...) __attribute__((format(printf, 2, 3)));

/* A bprof that runs on: "bprof ARGS" by the shell. */
struct child *bprof_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for any command line. */
struct child *command_start(struct fixture *f, const char *line, ...)
	__attribute__((format(printf, 2, 3)));
pid_t child_pid(const struct child *c);
/* Waits for the next whole line on its stdout (an interval's report) and returns it, owned by c. */
const char *child_line(struct child *c);
void child_signal(struct child *c, int sig);
/* Waits for its end; the rest of its output is in the result. */
struct run *child_wait(struct fixture *f, struct child *c);

/* The report. The programs[] row of a program; fails where there is not exactly one. */
json_t *row_of(const struct run *r, __u32 id);
json_t *event_of(json_t *row, const char *name);
/* The number or string at "per_run.min" in obj. */
json_int_t num(json_t *obj, const char *path);
double real(json_t *obj, const char *path); /* whole or not */
double uncertainty(json_t *ev); /* of an event's net numbers, as the report says; 0: none */
const char *str(json_t *obj, const char *path);
/* The skipped[] reason of an id; NULL where it is not among them. */
const char *skip_reason(const struct run *r, __u32 id);
/* Sum of a number of a program's row over all lines of -I output. */
json_int_t sum_of(const char *lines, __u32 id, const char *path);
json_int_t sum_of_runs(const char *lines, __u32 id);

/* Fails the test where it stands. cmocka's fail_msg() cuts a message at 1024 characters. */
#define fail_test(...)                        \
	do {                                  \
		fprintf(stderr, __VA_ARGS__); \
		fputc('\n', stderr);          \
		fail();                       \
	} while (0)

void assert_contains(const char *text, const char *part);
/* Runs that bprof reported for the program, measured by fentry with nothing lost. */
void assert_counted(const struct run *r, __u32 id, __u64 runs);
#define assert_status(r, want) check_status(r, want, __FILE__, __LINE__)
void check_status(const struct run *r, int want, const char *file, int line);

/* Writes text into a file of sysfs or procfs. */
void write_file(const char *path, const char *text);

#endif
