/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What programs must return: --expect-retval [TARGET=]VALUE.
 */
#ifndef BPROF_BENCH_EXPECT_H
#define BPROF_BENCH_EXPECT_H

struct bench;

struct bench_expects {
	/* Strings of argv. */
	struct bench_expect {
		const char *spec;
		char *target;	   /* glob of "program" or "program/case", owned; NULL: all */
		const char *value; /* a name or a number */
	} * v;
	int cnt;
};

/* 0, -EINVAL or -ENOMEM (reported). */
int bench_expects__add(struct bench_expects *e, const char *spec);
void bench_expects__free(struct bench_expects *e);

/*
 * Compares what was returned with what must be; of several that are for the same runs the last one
 * counts. How many differ (reported each), or -EINVAL (reported): one is for nothing that is there,
 * or names a value that programs of the type do not have.
 */
int bench_expects__check(const struct bench_expects *e, const struct bench *b);

#endif
