// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the reading of verifier logs. "make fuzz" runs it.
 *
 * Input: the log.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/verifier_log.h"
#include "tests/fuzz/world.h"

static void take_line(const char *line, size_t len, void *arg)
{
	int *left = arg;

	require((*left)-- > 0);
	require(len && !memchr(line, '\n', len) && !memchr(line, '\0', len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct verifier_stats stats;
	struct bytes in = {data, sz};
	char *log = bytes__text(&in);
	int left = 5;
	__u8 *calls;
	long deepest;

	verifier_log__tail(log, left, take_line, &left);
	verifier_log__read_stats(log, &stats);
	require(stats.func_cnt >= 0 && stats.func_cnt <= VERIFIER_MAX_FUNCS);
	calls = calloc(stats.func_cnt * stats.func_cnt + 1, sizeof(*calls));
	require(calls);
	/* each function calls the one after it */
	for (int i = 0; i + 1 < stats.func_cnt; i++)
		calls[i * stats.func_cnt + i + 1] = true;
	deepest = verifier_stats__deepest(&stats, calls);
	require(deepest >= -1);
	free(calls);
	free(log);
	return 0;
}
