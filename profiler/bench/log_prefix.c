// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages with a prefix. Owns the form of the prefix. Must not know what the messages are about.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "bench/log_prefix.h"

/*
 * Returns a message of several lines as one line. It consists of the first line and the last line,
 * because the last is the most specific line of a verifier's log. The caller frees the result.
 */
static char *join_lines(const char *message)
{
	int len = strcspn(message, "\n");
	const char *last = strrchr(message, '\n');

	if (!last)
		return xstrdup(message);
	last += 1 + strspn(last + 1, " ");
	return text__format("%.*s %s", len, message, last);
}

static void write_with_prefix(void *arg, enum log_level level, const char *message)
{
	struct log_prefix *p = arg;
	char *line;

	if (level == LOG_LEVEL_ERROR) {
		char **keep = p->first ? &p->last : &p->first;

		free(*keep);
		*keep = join_lines(message);
	}
	if (!p->outer || level > p->outer->max)
		return;
	line = text__format("%s: %s", p->text, message);
	p->outer->write(p->outer->arg, level, line);
	free(line);
}

void log_prefix__begin(struct log_prefix *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*p = (struct log_prefix){
		.sink = {.write = write_with_prefix, .arg = p},
		.outer = log__sink(),
		.text = text__vprintable(fmt, ap),
	};
	va_end(ap);
	/* Errors are kept even if there is no sink to show them. */
	p->sink.max = p->outer ? p->outer->max : LOG_LEVEL_ERROR;
	log__set_sink(&p->sink);
}

char *log_prefix__errors(const struct log_prefix *p)
{
	if (!p->first || !p->last)
		return p->first ? xstrdup(p->first) : NULL;
	return text__format("%s; %s", p->first, p->last);
}

void log_prefix__end(struct log_prefix *p)
{
	log__set_sink(p->outer);
	free(p->text);
	free(p->first);
	free(p->last);
	p->text = p->first = p->last = NULL;
}
