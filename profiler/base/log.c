// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages to stderr. Owns the log level, the only file-scope state that changes.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

int log_level;

static void print_message(const char *fmt, va_list ap)
{
	/* One write per line, so that lines of several processes do not mix. */
	char line[2048];

	vsnprintf(line, sizeof(line), fmt, ap);
	fprintf(stderr, "bprof: %s\n", line);
}

int log_err(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_message(fmt, ap);
	va_end(ap);
	return err;
}

#define DEFINE_LOG(name, min_level)          \
	void name(const char *fmt, ...)      \
	{                                    \
		va_list ap;                  \
                                             \
		if (log_level < (min_level)) \
			return;              \
		va_start(ap, fmt);           \
		print_message(fmt, ap);      \
		va_end(ap);                  \
	}

DEFINE_LOG(log_warn, 0)
DEFINE_LOG(log_info, 1)
DEFINE_LOG(log_debug, 2)
