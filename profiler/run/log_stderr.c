// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes messages to stderr. Owns the level that -v sets; must not know what the messages are
 * about.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "base/text.h"
#include "run/log_stderr.h"

/* Writes the line with one call, so that lines of several processes do not mix. */
static void write_to_stderr(void *arg, enum log_level level, const char *message)
{
	struct screen screen = screen__of(stderr);
	struct draft d;

	draft__begin(&d);
	fprintf(d.mem, "bprof: ");
	text__fold(message, strlen("bprof: "), FOLD_INDENT, screen.width, d.mem);
	fputc('\n', d.mem);
	if (draft__end(&d, 0, stderr))
		fprintf(stderr, "bprof: %s\n", message);
}

static struct log_sink sink = {.write = write_to_stderr, .max = LOG_LEVEL_NOTE};

const struct log_sink *log_stderr__sink(void)
{
	return &sink;
}

void log_stderr__set_verbose(int verbose)
{
	sink.max = verbose > 1 ? LOG_LEVEL_DEBUG : verbose ? LOG_LEVEL_INFO : LOG_LEVEL_NOTE;
}
