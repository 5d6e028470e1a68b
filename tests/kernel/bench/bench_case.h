/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What tests of `bprof bench` have in common: how it is called, and its report's rows, of a program
 * or function with a case. Functions that cannot do their part fail the test.
 */
#ifndef KTEST_BENCH_CASE_H
#define KTEST_BENCH_CASE_H

#include "tests/kernel/harness.h"

#define BLOCKS 3
#define RUNS 20 /* in a block */

/* In place of setup() and teardown(): with /tmp/bench, where tests write their files. */
int setup_files(void **state);
/* The same on one CPU, whose counts are exact. */
int setup_bench(void **state);
int teardown_bench(void **state);

/* "bprof bench -j --exact ARGS" with an exact event, in so many blocks and runs, of which args may
 * say others. */
struct run *bench(struct fixture *f, const char *args, ...) __attribute__((format(printf, 2, 3)));

/* A file below /tmp/bench. */
void write_bytes(const char *path, const void *data, size_t sz);
void write_text(const char *path, const char *text);

/* The row of a program, or of a function, with that case (NULL: with none). */
json_t *case_row(const struct run *r, const char *prog, const char *input);
json_t *func_row(const struct run *r, const char *func, const char *input);
/* So many runs, each measured by fentry. */
void assert_runs(json_t *row, json_int_t runs);
bool has_note(json_t *row, const char *part);
/* Of the exact event. */
json_int_t least(json_t *row);

/* status, and one line on stderr that has the part */
void assert_one_line(const struct run *r, int status, const char *part);
/* The same, and nothing on stdout. */
void assert_refused(const struct run *r, int status, const char *part);

#endif
