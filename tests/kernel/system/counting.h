/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers shared by the tests of `bprof system`: workloads and cgroups that end with the test,
 * bprof while it counts, and its report. They fail the test if they cannot do their part.
 */
#ifndef KTEST_COUNTING_H
#define KTEST_COUNTING_H

#include "tests/kernel/harness.h"
#include "tests/kernel/system/plain.h"
#include "tests/kernel/system/workload.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP_V1_ROOT "/tmp/perf_event"

/* For use instead of setup() and teardown(). */
int setup_system(void **state);
int teardown_system(void **state);

#define SYSTEM_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup_system, teardown_system)
/* Start a workload that ends with the test; the second one as workload__prepare() does. */
struct workload *start_workload(struct fixture *f);
struct workload *prepare_workload(struct fixture *f, char *command, size_t sz);

/* Make a cgroup such as "ktest/a" below one of the two roots, and move a process there. */
void make_cgroup(const char *root, const char *name);
void move_to_cgroup(const char *root, const char *name, pid_t pid);

/*
 * Starts "bprof system -j ARGS -- drive ready" and returns when it counts. args must choose what is
 * counted: it is not the command.
 */
struct child *count_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends it as Ctrl-C does; its exit status must be 0. */
struct run *count_end(struct fixture *f, struct child *c);

/*
 * True if bperf works (since Linux 5.15); where its leaders are refused bprof opens its own events.
 */
bool has_bperf(void);
/* True if bperf follows moves between cgroups, for which it needs CONFIG_KALLSYMS_ALL. */
bool follows_moves(void);
/* Returns "--method M"; "" if M is bperf and not available. */
const char *method_option(const char *method);

/* Return the row of a scope by its kind and id, or name; fail the test if there is none. */
json_t *scope_by_id(const struct run *r, const char *kind, json_int_t id);
json_t *scope_by_name(const struct run *r, const char *kind, const char *name);
double total_of(json_t *row, const char *event);
/* Returns the sum of an event over all lines of -I output. */
double sum_of_scope(const char *lines, const char *kind, json_int_t id, const char *event);

#define WORK 20000000 /* instructions */

/* Returns the event that counts a worker's work most exactly. */
const char *scope_event(void);

/*
 * Fails the test if a count of that event is too far from plain. On arm64, where only user space is
 * counted, 0.1 % and 20,000 instructions are allowed, for the start and the end of the measurement.
 * On x86-64 the kernel's work is counted, too: starting and ending a task takes up to 300,000
 * instructions each, of which a plain event counts less than bprof, which counts from context
 * switch to context switch. There, 5 % and 1,000,000 are allowed, less than any single piece of
 * work that a test might miss.
 */
#define assert_count(r, row, plain) \
	check_count(r, #row, total_of(row, scope_event()), plain, __LINE__)
void check_count(const struct run *r, const char *what, double count, double plain, int line);

/* The same for any number. */
void check_near(const struct run *r, const char *what, double number, double wanted, double slack,
		int line);

#endif
