/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers that the tests of `bprof system` share. They make workloads and cgroups, which are
 * removed at the end of the test, run bprof, and read its report. If a helper fails, it ends the
 * test as failed.
 */
#ifndef KTEST_COUNTING_H
#define KTEST_COUNTING_H

#include "tests/kernel/harness.h"
#include "tests/kernel/system/plain.h"
#include "tests/kernel/system/workload.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP_V1_ROOT "/tmp/perf_event"

/* The tests of `bprof system` use these functions instead of setup() and teardown(). */
int setup_system(void **state);
int teardown_system(void **state);

#define SYSTEM_TEST(...) KTEST_WITH(setup_system, teardown_system, __VA_ARGS__)
/* Like workload__start() and workload__prepare(); the workload is freed at the end of the test. */
struct workload *start_workload(struct fixture *f);
struct workload *prepare_workload(struct fixture *f, char *command, size_t sz);

/* Makes the cgroup `name`, such as "ktest/a", below `root`. */
void make_cgroup(const char *root, const char *name);
void move_to_cgroup(const char *root, const char *name, pid_t pid);

/*
 * Starts "bprof system -j ARGS -- drive ready" and returns when bprof counts. args must select what
 * is counted: without a selection, bprof would count the command.
 */
struct child *count_start(struct fixture *f, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends bprof with SIGINT; fails the test if the exit status is not 0. */
struct run *count_end(struct fixture *f, struct child *c);

/*
 * Returns true if bperf works (Linux 5.15 or newer). If the kernel refuses leaders, bprof opens its
 * own events.
 */
bool has_bperf(void);
/*
 * Returns true if bperf follows tasks that move between cgroups, which needs CONFIG_KALLSYMS_ALL.
 */
bool follows_moves(void);
/* Returns "--method M", or "" if M is bperf and bperf is not available. */
const char *method_option(const char *method);

/*
 * Return the row of a scope by its kind and its id or name. If there is no such row, fail the test.
 */
json_t *scope_by_id(const struct run *r, const char *kind, json_int_t id);
json_t *scope_by_name(const struct run *r, const char *kind, const char *name);
double total_of(json_t *row, const char *event);
/* Returns the sum of an event's counts over all lines of -I output. */
double sum_of_scope(const char *lines, const char *kind, json_int_t id, const char *event);

/* Amount of work, in instructions. Tests order multiples and fractions of it. */
#define WORK 20000000

/* Returns the event that counts the work of a worker most precisely on this architecture. */
const char *scope_event(void);

/*
 * Fails the test if the count of scope_event() is too far from "plain", the count of a plain event.
 *
 * On arm64 only user space is counted. The counts may differ by 0.1 % and 20,000 instructions,
 * because the measurements do not start and end at exactly the same time.
 *
 * On x86-64 the kernel's work is counted, too. Starting a task and ending it take up to 300,000
 * instructions each. A plain event counts fewer of them than bprof, which counts from context
 * switch to context switch. The counts may differ by 2 % and 1,000,000 instructions, which is less
 * than any single piece of work that a test could miss.
 */
#define assert_count(r, row, plain) \
	check_count(r, #row, total_of(row, scope_event()), plain, __LINE__)
void check_count(const struct run *r, const char *what, double count, double plain, int line);

/* Fails the test if number differs from wanted by more than slack; `what` names the number. */
void check_near(const struct run *r, const char *what, double number, double wanted, double slack,
		int line);

#endif
