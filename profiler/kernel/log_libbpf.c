// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Routes libbpf's messages to the log. Knows nothing of what is loaded.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "kernel/log_libbpf.h"

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char *text;

	if (log_level < 2)
		return 0;
	/* vasprintf: libbpf prints whole verifier logs in one message */
	if (vasprintf(&text, fmt, args) < 0)
		return 0;
	for (char *line = text, *end; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		log_debug("%s", line);
	}
	free(text);
	return 0;
}

void log__libbpf_init(void)
{
	libbpf_set_print(print_libbpf);
}
