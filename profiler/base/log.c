// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Passes messages to the sink of the calling thread. Owns the sink of each thread. Makes messages
 * harmless to a terminal. Must not know what a sink does with a message.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

static __thread const struct log_sink *current;

const struct log_sink *log__set_sink(const struct log_sink *sink)
{
	const struct log_sink *before = current;

	current = sink;
	return before;
}

const struct log_sink *log__sink(void)
{
	return current;
}

bool log__takes(enum log_level level)
{
	return current && level <= current->max;
}

/*
 * Names of programs, tasks and cgroups in a message are not trusted: escape everything that
 * controls a terminal.
 */
static void write_message(enum log_level level, const char *fmt, va_list ap)
{
	char line[2048], *printable;

	if (!log__takes(level))
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	printable = text__printable(line);
	current->write(current->arg, level, printable);
	free(printable);
}

#define DEFINE_LOG(name, level)                  \
	void name(const char *fmt, ...)          \
	{                                        \
		va_list ap;                      \
                                                 \
		va_start(ap, fmt);               \
		write_message((level), fmt, ap); \
		va_end(ap);                      \
	}

DEFINE_LOG(log__write_err, LOG_LEVEL_ERROR)
DEFINE_LOG(log_warn, LOG_LEVEL_WARN)
DEFINE_LOG(log_note, LOG_LEVEL_NOTE)
DEFINE_LOG(log_info, LOG_LEVEL_INFO)
DEFINE_LOG(log_debug, LOG_LEVEL_DEBUG)

void log_err_lines(const char *text)
{
	char *copy;

	if (!log__takes(LOG_LEVEL_ERROR))
		return;
	copy = text__lines(text);
	current->write(current->arg, LOG_LEVEL_ERROR, copy);
	free(copy);
}

void log_debug_lines(const char *text)
{
	while (log__takes(LOG_LEVEL_DEBUG) && *text) {
		int len = strcspn(text, "\n");

		log_debug("%.*s", len, text);
		text += len + (text[len] == '\n');
	}
}
