/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The variables of a suite, "${NAME}" in its strings.
 */
#ifndef BPROF_SUITE_VARS_H
#define BPROF_SUITE_VARS_H

#include <jansson.h>

/* The arguments of --set: NAME=VALUE. */
struct suite_vars {
	const char **set;
	int set_cnt;
};

/* Adds the argument of --set. Returns 0 or -EINVAL (reported). */
int suite_vars__add(struct suite_vars *v, const char *arg);
void suite_vars__free(struct suite_vars *v); /* frees the members, not v */

/*
 * In all strings of doc, replaces "${NAME}" by the variable's value, and "$$" by "$". The value comes
 * from --set or else from doc's "variables". file: the name of the suite for messages. Returns 0, or
 * -EINVAL (reported): a variable has no value, or --set names a variable that the suite does not
 * have.
 */
int suite_vars__expand(const struct suite_vars *v, json_t *doc, const char *file);

#endif
