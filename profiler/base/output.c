// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns opening and closing of the file of -o; must not know what is written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output.h"

int output__open(const char *path, bool append, FILE **out)
{
	*out = path ? fopen(path, append ? "ae" : "we") : stdout;
	return *out ? 0 : log_err(-errno, "%s: %s", path, strerror(errno));
}

int output__close(FILE *out, const char *path, int err)
{
	if (out != stdout && fclose(out) && !err)
		err = log_err(-errno, "%s: %s", path, strerror(errno));
	return err;
}

bool output__wants_color(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}
