/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The expected return values of programs: option --expect-retval [TARGET=]VALUE.
 */
#ifndef BPROF_BENCH_EXPECT_H
#define BPROF_BENCH_EXPECT_H

struct bench;

struct bench_expects {
	struct bench_expect { /* spec and value point into argv */
		const char *spec;
		char *target; /* glob of "program" or "program/case", owned; NULL: all programs */
		const char *value; /* name or number */
	} * v;
	int cnt;
};

/* Adds an expectation. Returns 0 or -EINVAL (reported). */
int bench_expects__add(struct bench_expects *e, const char *spec);
void bench_expects__free(struct bench_expects *e);

/*
 * Compares the values that programs returned with the expected values. If several expectations
 * match the same runs, the last one applies. Returns the number of mismatches, after reporting
 * each. Returns -EINVAL (reported) if an expectation matches no program or case, or names a value
 * that the program type does not have.
 */
int bench_expects__check(const struct bench_expects *e, const struct bench *b);
/*
 * After the measurement: returns the number of programs and cases with an expectation whose
 * measured runs returned different values for the same packet, after reporting each.
 */
int bench_expects__check_measured(const struct bench_expects *e, const struct bench *b);

#endif
