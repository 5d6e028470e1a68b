/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An error in an option's argument, and its position. The message has carets under the bad token. */
#ifndef BPROF_PARSE_ERROR_H
#define BPROF_PARSE_ERROR_H

#include <stddef.h>

struct parse_error {
	size_t pos;	/* offset in the argument, in bytes */
	size_t len;	/* length of the bad token, at least 1; may exceed the argument */
	char text[240]; /* the message: one sentence without a full stop */
};

/*
 * Sets *err (which may be NULL). Returns -EINVAL, which allows "return parse_error__set(err, …)".
 */
int parse_error__set(struct parse_error *err, size_t pos, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Reports err, the result of a parser, and returns err. For 0, reports nothing. For -EINVAL,
 * reports *perr, followed by lines with the argument and carets under the bad token. For other
 * errors, reports strerror().
 */
int parse_error__report(int err, const char *option, const char *arg,
			const struct parse_error *perr);

#endif
