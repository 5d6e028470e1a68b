/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts a prefix in front of messages, such as the place in a file that the messages are about. */
#ifndef BPROF_LOG_PREFIX_H
#define BPROF_LOG_PREFIX_H

#include "base/log.h"

struct log_prefix {
	struct log_sink sink;
	const struct log_sink *outer; /* the sink that gets the messages */
	char *text;
	/* The first and last error, each in one line, without the prefix; NULL: none. */
	char *first, *last;
};

/* Puts "text: " in front of the messages of this thread until log_prefix__end(). */
void log_prefix__begin(struct log_prefix *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Returns a text with two errors: the first, which is usually the cause, and the last, after which
 * the work ended. The caller frees the text. NULL: there was no error.
 */
char *log_prefix__errors(const struct log_prefix *p);
void log_prefix__end(struct log_prefix *p);

#endif
