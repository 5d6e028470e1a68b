/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The arguments of bprof trace (--arg): which value of each target an expression means, and how the
 * probe reads this value.
 */
#ifndef BPROF_TRACE_ARGS_H
#define BPROF_TRACE_ARGS_H

#include <stdbool.h>

#include "bpf/trace.h"
#include "btf/arg_expr.h"
#include "btf/arg_path.h"

struct btf;
struct parse_error;
struct target;
struct target_list;

/* The most arguments of --arg. The others of a record are for bprof itself. */
#define TRACE_ARGS_MAX 8

/* The arguments of one target. */
struct trace_target_args {
	__u32 id, func_index;
	__u32 found; /* mask of the expressions that have a value in this target */
	struct arg_path path[BPROF_TRACE_ARGS];
	__u64 operand[BPROF_TRACE_ARGS];
};

/*
 * A value that is read for bprof itself: one expression for programs with an XDP packet, another
 * one for those with an skb.
 */
struct trace_hidden_arg {
	struct arg_expr xdp, skb; /* root is NULL if there is no expression */
	/* for programs that run for a task: read the id of the task's cgroup */
	bool cgroup;
};

struct trace_args {
	struct arg_expr expr[TRACE_ARGS_MAX];
	int cnt;
	/* The indices of these values come after those of the arguments. */
	struct trace_hidden_arg hidden[BPROF_TRACE_ARGS];
	int hidden_cnt;
	/* The following members are private. */
	struct btf *vmlinux; /* NULL: not read */
	struct trace_target_args *target;
	int target_cnt;
};

/* Adds the expression of --arg. Returns 0, -EINVAL with *err, or -E2BIG. */
int trace_args__add(struct trace_args *a, const char *spec, struct parse_error *err);
/*
 * Adds a value that each record has and that is not shown as an argument. xdp is the expression for
 * programs with an XDP packet, and skb is that for programs with an skb; one of the two may be
 * NULL. Call it after all trace_args__add(). Returns its index, or -E2BIG.
 */
int trace_args__add_hidden(struct trace_args *a, const char *xdp, const char *skb);
/*
 * Adds the id of a cgroup: for programs with an skb, the cgroup of the socket, else that of the
 * task. Returns its index, or -E2BIG.
 */
int trace_args__add_cgroup(struct trace_args *a);
void trace_args__free(struct trace_args *a);

/* Returns true if trace_args__add_cgroup() was called. */
bool trace_args__has_cgroup(const struct trace_args *a);
/* Returns the number of values in a record. */
int trace_args__total(const struct trace_args *a);

/* Returns true if an expression has a condition. */
bool trace_args__has_condition(const struct trace_args *a);

/*
 * Finds the value of each expression in each target. Moves targets in which no expression has a
 * value to the skipped targets. Returns 0, or -EINVAL (reported) if an expression has a value in
 * none of the targets.
 */
int trace_args__resolve(struct trace_args *a, struct target_list *targets);

/*
 * Returns how the probe reads an expression's value from the target. Returns NULL if the target has
 * no such value.
 */
const struct arg_path *trace_args__path(const struct trace_args *a, const struct target *t,
					int index);

/* Sets how the target's arguments are read. Call it when the target has been attached. */
void trace_args__fill(const struct trace_args *a, const struct target *t,
		      struct bprof_trace_cpu *area);

#endif
