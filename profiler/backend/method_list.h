/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All backends, and lists of them.
 */
#ifndef BPROF_METHOD_LIST_H
#define BPROF_METHOD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct counter_ops;

extern const struct counter_ops fentry_ops, run_stats_ops, samples_ops;

/* All backends, the preferred ones first. */
enum { BACKEND_CNT = 3 };
extern const struct counter_ops *const backend_ops[BACKEND_CNT];

/* In order of preference. Empty: the default ones (BACKEND_DEFAULT). */
struct method_list {
	int v[BACKEND_CNT]; /* indices of backend_ops */
	int cnt;
};

/* Parses "fentry,samples". Returns 0, or -EINVAL for a name that is unknown or given twice. */
int method_list__parse(struct method_list *list, const char *arg);
/* Returns the list, or the default one if it is empty. */
struct method_list method_list__or_default(const struct method_list *list);
/*
 * Returns true if any backend of the list, or of the default one if it is empty, has one of these
 * capabilities (counter.h).
 */
bool method_list__any(const struct method_list *list, __u32 caps);
/* Writes the names of all backends, "a, b or c"; returns buf. */
const char *backends__names(char *buf, size_t sz);

#endif
