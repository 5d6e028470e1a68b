// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Owns the queries to the terminal and the environment. Must not know what is shown. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "base/screen.h"
#include "base/util.h"

static int find_width(FILE *out)
{
	const char *columns = out == stdout ? getenv("COLUMNS") : NULL;
	struct winsize size;
	__u64 width;

	if (columns && !parse_u64(columns, SCREEN_MAX_WIDTH, &width) && width)
		return width;
	return ioctl(fileno(out), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

struct screen screen__of(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool is_terminal = isatty(fileno(out)) || (out == stdout && getenv(PAGER_IN_USE));

	return (struct screen){
		.width = find_width(out),
		.color = is_terminal && !(no_color && *no_color) && term && strcmp(term, "dumb"),
	};
}
