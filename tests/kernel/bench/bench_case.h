/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers that the tests of `bprof bench` share: they run bench, and find the row of a program or
 * function for a given input case. If a helper fails, the test ends as failed.
 */
#ifndef KTEST_BENCH_CASE_H
#define KTEST_BENCH_CASE_H

#include "tests/kernel/harness.h"

#define BLOCKS 3
#define RUNS 20 /* runs per block */

/*
 * Use these instead of setup() and teardown(): they also make and remove /tmp/bench, the directory
 * for the tests' files.
 */
int setup_files(void **state);
/* Like setup_files(); fails unless only one CPU is online, because only then counts are exact. */
int setup_bench(void **state);
int teardown_bench(void **state);

/*
 * Runs "bprof bench -j --exact ARGS" with an event that counts exactly. Sets the numbers of blocks
 * and runs, which args may override.
 */
struct run *bench(struct fixture *f, const char *args, ...) __attribute__((format(printf, 2, 3)));

/* Writes a file below /tmp/bench. */
void write_bytes(const char *path, const void *data, size_t sz);
void write_text(const char *path, const char *text);

/*
 * Returns the row of a program, or of a function, for that input case. If bench runs without input
 * cases, input is NULL.
 */
json_t *case_row(const struct run *r, const char *prog, const char *input);
json_t *func_row(const struct run *r, const char *func, const char *input);
/* Checks that the row has this number of runs, all measured by fentry. */
void assert_runs(json_t *row, json_int_t runs);
bool has_note(json_t *row, const char *part);
/* Returns the row's minimum of the event that counts exactly. */
json_int_t min_cost(json_t *row);

/* Checks the exit status. Also checks that stderr is one line and contains "part". */
void assert_one_line(const struct run *r, int status, const char *part);
/* Like assert_one_line(); also checks that stdout is empty. */
void assert_refused(const struct run *r, int status, const char *part);

#endif
