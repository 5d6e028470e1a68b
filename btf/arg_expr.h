/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expressions for an argument of a function, such as "skb->dev->ifindex", with or without a condition on
 * its value, such as "skb->len > 1000". Knows no types.
 */
#ifndef BPROF_ARG_EXPR_H
#define BPROF_ARG_EXPR_H

#include <stdbool.h>
#include <linux/types.h>

struct parse_error;

#define ARG_STEPS_MAX 16

/* ->NAME or .NAME; if name is NULL: [index] */
struct arg_step {
	char *name;
	__u64 index;
};

enum arg_op { ARG_NO_OP, ARG_EQ, ARG_NE, ARG_LT, ARG_LE, ARG_GT, ARG_GE, ARG_AND };

/* Owns its strings. */
struct arg_expr {
	char *spec; /* as the user wrote it */
	char *text; /* the argument without the condition */
	char *root; /* the argument's name */
	struct arg_step step[ARG_STEPS_MAX];
	int step_cnt;
	enum arg_op op; /* ARG_NO_OP: no condition */
	/* The value is compared with this: a number, or the name of a constant of an enum. */
	char *operand;
	bool is_number;
	__u64 number; /* the operand, if it is a number; in two's complement if is_negative */
	bool is_negative;
};

/* Returns 0, or -EINVAL with *err. On failure there is nothing to free. */
int arg_expr__parse(struct arg_expr *e, const char *spec, struct parse_error *err);
void arg_expr__free(struct arg_expr *e);

#endif
