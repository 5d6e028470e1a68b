/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of all backends, and lists of backends (methods).
 */
#ifndef BPROF_METHOD_LIST_H
#define BPROF_METHOD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct counter_ops;

extern const struct counter_ops fentry_ops, run_stats_ops, samples_ops;

/* The table of all backends, in order of preference. */
enum { BACKEND_CNT = 3 };
extern const struct counter_ops *const backend_ops[BACKEND_CNT];

/*
 * A list of backends in order of preference. If it is empty, it stands for the default backends
 * (BACKEND_DEFAULT).
 */
struct method_list {
	int v[BACKEND_CNT]; /* indices of backend_ops */
	int cnt;
};

/*
 * Parses a list such as "fentry,samples". Returns 0, or -EINVAL if a name is unknown or occurs
 * twice.
 */
int method_list__parse(struct method_list *list, const char *arg);
/* Returns the list or, if it is empty, the list of the default backends. */
struct method_list method_list__or_default(const struct method_list *list);
/*
 * Returns true if any backend of the list has one of these capabilities (counter.h). An empty list
 * stands for the default backends.
 */
bool method_list__any(const struct method_list *list, __u32 caps);
/* Writes the names of all backends to buf, in the form "a, b or c". Returns buf. */
const char *backends__names(char *buf, size_t sz);

#endif
