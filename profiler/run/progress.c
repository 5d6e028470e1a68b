// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the format of the line that shows progress; must not know what is measured.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "run/progress.h"

bool progress__is_wanted(void)
{
	return isatty(STDERR_FILENO);
}

void progress__show(const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "\r%s; Ctrl-C ends it ", text);
}

void progress__end(void)
{
	fputs("\r\033[K", stderr);
}
