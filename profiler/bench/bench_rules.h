/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of bench's comparison that depend on the programs that it runs.
 */
#ifndef BPROF_BENCH_RULES_H
#define BPROF_BENCH_RULES_H

struct bench_targets;
struct compare_limits;
struct compare_matches;
struct session;

/*
 * If the user gave one loaded program for each version, and their names differ, adds the rule that
 * --match would add. So the two programs are compared.
 */
void bench_rules__pair(struct compare_matches *matches, const struct bench_targets *t);
/*
 * Refuses a limit of --fail-on whose program, event or statistic the session does not measure.
 * Returns 0 or -EINVAL (reported).
 */
int bench_rules__check(const struct compare_limits *limits, const struct session *s);

#endif
