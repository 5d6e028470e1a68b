/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers shared by the tests of `bprof bench`: they run it and find the row of a program or
 * function with a given case. They fail the test if they cannot do their part.
 */
#ifndef KTEST_BENCH_CASE_H
#define KTEST_BENCH_CASE_H

#include "tests/kernel/harness.h"

#define BLOCKS 3
#define RUNS 20 /* in a block */

/*
 * For use instead of setup() and teardown(): also make and remove /tmp/bench, where tests write
 * their files.
 */
int setup_files(void **state);
/* Like setup_files(), on one CPU, whose counts are exact. */
int setup_bench(void **state);
int teardown_bench(void **state);

/*
 * Runs "bprof bench -j --exact ARGS" with an exact event. Blocks and runs have default numbers,
 * which args may override.
 */
struct run *bench(struct fixture *f, const char *args, ...) __attribute__((format(printf, 2, 3)));

/* Writes a file below /tmp/bench. */
void write_bytes(const char *path, const void *data, size_t sz);
void write_text(const char *path, const char *text);

/* Returns the row of a program, or of a function, with that case (NULL: with none). */
json_t *case_row(const struct run *r, const char *prog, const char *input);
json_t *func_row(const struct run *r, const char *func, const char *input);
/* Checks that the row has that number of runs, all measured by fentry. */
void assert_runs(json_t *row, json_int_t runs);
bool has_note(json_t *row, const char *part);
/* Returns the row's minimum of the exact event. */
json_int_t min_cost(json_t *row);

/* Checks the exit status, and that stderr is one line that contains part. */
void assert_one_line(const struct run *r, int status, const char *part);
/* Like assert_one_line(); also checks that stdout is empty. */
void assert_refused(const struct run *r, int status, const char *part);

#endif
