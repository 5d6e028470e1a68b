// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the format of the verifier's log. Must not know how programs are loaded.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "btf/call_graph.h"
#include "kernel/verifier_log.h"

/* The maximum depth of calls that the verifier accepts (MAX_CALL_FRAMES). */
#define MAX_FRAMES 8

#define STACK_LINE "stack depth "
#define INSNS_LINE "processed "
#define TIME_LINE "verification time "
#define PEAK_STATES " peak_states "
#define REPORT_LINE "Verification failed: "

static bool begins_with(const char *line, const char *end, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(end - line) >= len && !memcmp(line, word, len);
}

/* Parses the stack of each function, such as "8+16+0". On a syntax error, sets func_cnt to 0. */
static void read_stack(const char *line, struct verifier_stats *stats)
{
	stats->func_cnt = 0;
	for (;;) {
		char *end;
		unsigned long depth = strtoul(line, &end, 10);

		if (!isdigit((unsigned char)*line) || stats->func_cnt == VERIFIER_MAX_FUNCS)
			break;
		stats->stack[stats->func_cnt++] = depth;
		/* Ignore the rest of the line, which newer kernels may add. */
		if (*end != '+')
			return;
		line = end + 1;
	}
	stats->func_cnt = 0;
}

/* Reads "processed 9 insns (limit 1000000) max_states_per_insn 0 total_states 1 peak_states 1". */
static void read_processed(const char *line, const char *end, struct verifier_stats *stats)
{
	const char *peak = memmem(line, end - line, PEAK_STATES, strlen(PEAK_STATES));

	stats->insns = strtol(line + strlen(INSNS_LINE), NULL, 10);
	if (peak)
		stats->peak_states = strtol(peak + strlen(PEAK_STATES), NULL, 10);
}

void verifier_log__read_stats(const char *log, struct verifier_stats *stats)
{
	const char *end;

	stats->insns = stats->peak_states = stats->usec = -1;
	stats->func_cnt = 0;
	for (const char *line = log; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (begins_with(line, end, STACK_LINE))
			read_stack(line + strlen(STACK_LINE), stats);
		else if (begins_with(line, end, INSNS_LINE) &&
			 isdigit((unsigned char)line[strlen(INSNS_LINE)]))
			read_processed(line, end, stats);
		else if (begins_with(line, end, TIME_LINE) &&
			 isdigit((unsigned char)line[strlen(TIME_LINE)]))
			stats->usec = strtol(line + strlen(TIME_LINE), NULL, 10);
	}
}

long verifier_stats__deepest(const struct verifier_stats *stats, const __u8 *calls)
{
	int cnt = stats->func_cnt;
	long deepest[VERIFIER_MAX_FUNCS] = {}, next[VERIFIER_MAX_FUNCS] = {};

	/* deepest[f]: maximum stack of all call chains from f with up to "frames" functions */
	for (int frames = 0; frames < MAX_FRAMES; frames++) {
		for (int f = 0; f < cnt; f++) {
			long below = 0;

			for (int g = 0; g < cnt; g++)
				if (calls[(size_t)f * cnt + g] & CALL_NOW && deepest[g] > below)
					below = deepest[g];
			next[f] = stats->stack[f] + below;
		}
		memcpy(deepest, next, sizeof(deepest));
	}
	return deepest[0];
}

static bool is_blank(const char *line, const char *end)
{
	while (line < end && isspace((unsigned char)*line))
		line++;
	return line == end;
}

/*
 * Returns the end of the steps and messages. Since Linux 7.3, a report with the source lines and a
 * suggestion follows most messages. If there is a report without a message, the report itself is
 * shown.
 */
static const char *end_of_messages(const char *log)
{
	bool has_message = false;
	const char *end;

	for (const char *line = log; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (has_message && begins_with(line, end, REPORT_LINE))
			return line;
		has_message |= !is_blank(line, end) && !begins_with(line, end, INSNS_LINE);
	}
	return log + strlen(log);
}

void verifier_log__tail(const char *log, int cnt,
			void (*fn)(const char *line, size_t len, void *arg), void *arg)
{
	const char *last = end_of_messages(log), *start = last;

	/* Go back from the end to the start of the first line for fn. */
	for (const char *end = last; cnt && end > log; end = start - 1) {
		start = memrchr(log, '\n', end - log);
		start = start ? start + 1 : log;
		cnt -= !is_blank(start, end) && !begins_with(start, end, INSNS_LINE);
		if (start == log)
			break;
	}
	for (const char *line = start, *end; line < last; line = end + 1) {
		end = strchrnul(line, '\n');
		if (!is_blank(line, end) && !begins_with(line, end, INSNS_LINE))
			fn(line, end - line, arg);
	}
}
