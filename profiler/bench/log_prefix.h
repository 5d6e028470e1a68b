/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts a prefix in front of the messages of a part of a command, such as the place in a file that
 * they are about.
 */
#ifndef BPROF_LOG_PREFIX_H
#define BPROF_LOG_PREFIX_H

#include "base/log.h"

struct log_prefix {
	struct log_sink sink;
	const struct log_sink *outer; /* the sink that gets the messages */
	char *text;
	/* The first and the last error without the prefix, in one line each; NULL: no such error. */
	char *first, *last;
};

/*
 * Puts "text: " in front of the messages of this thread until log_prefix__end().
 */
void log_prefix__begin(struct log_prefix *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Returns the first error, which is usually the cause, and the last one, which is why the part of
 * the command ended. The caller frees it. NULL: there was no error.
 */
char *log_prefix__errors(const struct log_prefix *p);
void log_prefix__end(struct log_prefix *p);

#endif
