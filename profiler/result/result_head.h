/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports what concerns a whole measurement: the host, the time, the programs that were skipped.
 */
#ifndef BPROF_RESULT_HEAD_H
#define BPROF_RESULT_HEAD_H

struct report;
struct result_opts;
struct result_span;
struct session;

/*
 * Fills everything but the rows of r, which must be complete. There must be at least one span.
 * Returns 0 or -ENOMEM.
 */
int __attribute__((warn_unused_result))
result__fill_head(struct report *r, const struct session *s, const struct result_span *spans,
		  int cnt, const struct result_opts *o);

#endif
