// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Routes libbpf's messages to the log. Owns libbpf's print callback while bprof has replaced it;
 * knows nothing of the loaded programs.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/text.h"
#include "kernel/log_libbpf.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * The lock protects both variables. taken is the number of libbpf_print__take() calls without their
 * libbpf_print__give_back().
 */
static int taken;
static libbpf_print_fn_t before;

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	libbpf_print_fn_t other;
	char *text;

	if (!log__sink()) {
		pthread_mutex_lock(&lock);
		other = before;
		pthread_mutex_unlock(&lock);
		return other ? other(level, fmt, args) : 0;
	}
	if (!log__takes(LOG_LEVEL_DEBUG))
		return 0;
	/* libbpf prints complete verifier logs in one message, which have any length */
	text = text__vformat(fmt, args);
	if (!text)
		return 0;
	log_debug_lines(text);
	free(text);
	return 0;
}

void libbpf_print__take(void)
{
	libbpf_print_fn_t old;

	pthread_mutex_lock(&lock);
	if (!taken++) {
		old = libbpf_set_print(print_libbpf);
		/*
		 * If other code has restored our own callback, old is print_libbpf(). Then do not
		 * change "before": the callback must not call itself.
		 */
		if (old != print_libbpf)
			before = old;
	}
	pthread_mutex_unlock(&lock);
}

void libbpf_print__give_back(void)
{
	libbpf_print_fn_t current;

	pthread_mutex_lock(&lock);
	if (!--taken) {
		current = libbpf_set_print(before);
		/* If other code has set another callback since, keep that one. */
		if (current != print_libbpf)
			libbpf_set_print(current);
	}
	pthread_mutex_unlock(&lock);
}
