/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Relates the rows of a program's functions to the runs in which the functions were called.
 */
#ifndef BPROF_RESULT_TREE_H
#define BPROF_RESULT_TREE_H

struct report;
struct result_opts;
struct session;

/*
 * Sets how often each function was called per run of the root of its call tree
 * (report_prog.calls_per_run), where that is known, and adds notes where it is not. All rows must be
 * there. Returns 0 or -ENOMEM.
 */
int __attribute__((warn_unused_result))
result__set_calls(struct report *r, const struct session *s, const struct result_opts *o);

#endif
