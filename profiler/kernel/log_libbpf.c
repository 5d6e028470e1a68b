// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Routes libbpf's messages to the log. Owns libbpf's print callback; knows nothing of the loaded
 * programs.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/text.h"
#include "kernel/log_libbpf.h"

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char *text;

	if (!log__takes(LOG_LEVEL_DEBUG))
		return 0;
	/* libbpf prints a complete verifier log, of any length, in one message */
	text = text__vformat(fmt, args);
	log_debug_lines(text);
	free(text);
	return 0;
}

void log_libbpf__begin(void)
{
	libbpf_set_print(print_libbpf);
}
