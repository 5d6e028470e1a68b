/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tests of `bprof system` have in common: workloads and cgroups that go with the test, bprof
 * while it counts, and its report. Functions that cannot do their part fail the test.
 */
#ifndef KTEST_COUNTING_H
#define KTEST_COUNTING_H

#include "tests/kernel/harness.h"
#include "tests/kernel/system/plain.h"
#include "tests/kernel/system/workload.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP_V1_ROOT "/tmp/perf_event"

/* In place of setup() and teardown(). */
int setup_system(void **state);
int teardown_system(void **state);

#define SYSTEM_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup_system, teardown_system)
/* A workload that ends with the test; the second as workload__prepare(). */
struct workload *start_workload(struct fixture *f);
struct workload *prepare_workload(struct fixture *f, char *command, size_t sz);

/* A cgroup below one of the two roots, "ktest/a": made, and a process moved there. */
void make_cgroup(const char *root, const char *name);
void move_to_cgroup(const char *root, const char *name, pid_t pid);

/*
 * "bprof system -j ARGS -- drive ready": returns when it counts. What is counted is to be in args,
 * it is not the command.
 */
struct child *count_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends it as Ctrl-C does, with success. */
struct run *count_end(struct fixture *f, struct child *c);

/* bperf's leaders take Linux 5.15; where they are refused bprof has events of its own. */
bool has_bperf(void);
/* Does bperf follow moves between cgroups? It takes CONFIG_KALLSYMS_ALL. */
bool follows_moves(void);
/* "--method M"; where bperf is wanted and not to be had, nothing. */
const char *method_option(const char *method);

/* The row of a scope, by its kind and id, or name; one that is not there fails the test. */
json_t *scope_by_id(const struct run *r, const char *kind, json_int_t id);
json_t *scope_by_name(const struct run *r, const char *kind, const char *name);
double total_of(json_t *row, const char *event);
/* Of an event over all lines of -I output. */
double sum_of_scope(const char *lines, const char *kind, json_int_t id, const char *event);

#define WORK 20000000 /* instructions */

/* The event that counts a worker's work most exactly. */
const char *scope_event(void);

/*
 * A count of that event that is off by more than it may be fails the test: on arm64, where only
 * user space is counted, by 0.1 % and 20,000 instructions, in which what starts and ends the
 * measurement has room. On x86-64 the kernel's work is in it too: the start and end of a task, up to 300,000
 * instructions each, which a plain event begins later and leaves earlier than a context switch; so
 * it is 5 % and 1,000,000, less than any single piece of work that a test might miss.
 */
#define assert_count(r, row, plain) \
	check_count(r, #row, total_of(row, scope_event()), plain, __LINE__)
void check_count(const struct run *r, const char *what, double count, double plain, int line);

/* The same for any number. */
void check_near(const struct run *r, const char *what, double number, double wanted, double slack,
		int line);

#endif
