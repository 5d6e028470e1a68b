/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The backends that there are, and lists of them.
 */
#ifndef BPROF_METHOD_LIST_H
#define BPROF_METHOD_LIST_H

#include <stdbool.h>

struct counter_ops;

enum { BACKEND_FENTRY, BACKEND_RUN_STATS, BACKEND_SAMPLES, BACKEND_CNT };

/* The operations of each backend, by BACKEND_... */
extern const struct counter_ops *const backend_ops[BACKEND_CNT];

/* In order of preference; none: fentry, run_stats. */
struct method_list {
	int v[BACKEND_CNT]; /* BACKEND_... */
	int cnt;
};

/* Parses "fentry,samples". 0, or -EINVAL for a name that is unknown or given twice. */
int method_list__parse(struct method_list *list, const char *arg);
/* The list itself, or the default one in place of an empty one. */
const struct method_list *method_list__or_default(const struct method_list *list);
bool method_list__has(const struct method_list *list, int backend);

#endif
