/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The arguments of bprof trace (--arg): which value of each target an expression means, and the reads by
 * which the probe gets it.
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

/* The arguments of one target. */
struct trace_target_args {
	__u32 id, func_index;
	__u32 found; /* mask of the expressions that mean something for this target */
	struct arg_path path[BPROF_TRACE_ARGS];
	__u64 operand[BPROF_TRACE_ARGS];
};

/* What is read for bprof itself: one expression for programs with an XDP packet, one for those with an skb. */
struct trace_hidden_arg {
	struct arg_expr xdp, skb; /* root NULL: there is none */
	bool cgroup;		  /* of programs that run for a task: the id of its cgroup */
};

struct trace_args {
	struct arg_expr expr[BPROF_TRACE_ARGS];
	int cnt;
	/* Their indices follow those of the expressions above. */
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
 * Adds a value that each record has and that is not shown as an argument: xdp is read from programs with an
 * XDP packet, skb from those with an skb; one of them may be NULL. Call it when the expressions above
 * have been added. Returns its index, or -E2BIG.
 */
int trace_args__add_hidden(struct trace_args *a, const char *xdp, const char *skb);
/* Adds the cgroup: of the socket of programs with an skb, or else of the task. Returns the same. */
int trace_args__add_cgroup(struct trace_args *a);
void trace_args__free(struct trace_args *a);

/* Returns true if trace_args__add_cgroup() was called. */
bool trace_args__has_cgroup(const struct trace_args *a);
/* Returns the number of values in a record. */
int trace_args__total(const struct trace_args *a);

/* Returns true if an expression has a condition. */
bool trace_args__has_condition(const struct trace_args *a);

/*
 * Finds the arguments of each target, and moves targets that have none of them to the skipped ones. Returns
 * 0, or -EINVAL (reported) if an expression means nothing for all of the targets.
 */
int trace_args__resolve(struct trace_args *a, struct target_list *targets);

/* Returns how an expression's value is read from the target, or NULL if it has none. */
const struct arg_path *trace_args__path(const struct trace_args *a, const struct target *t,
					int index);

/* Sets the reads of the target's arguments. Call it when the target has been attached. */
void trace_args__fill(const struct trace_args *a, const struct target *t,
		      struct bprof_trace_cpu *area);

#endif
