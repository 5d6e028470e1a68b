// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts and prints the errors of runs (campaign.h). Owns the list of library functions that do not
 * survive a failed call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/faults/campaign.h"

/* The functions of the file bprof.libraries. bprof cannot handle a call that fails inside them. */
static struct {
	unsigned long begin, size;
} library[64];
static int library_cnt;

void findings__open(void)
{
	char path[256], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s.libraries", opts.bprof);
	f = fopen(path, "r");
	while (f && library_cnt < 64 && fgets(line, sizeof(line), f))
		library_cnt += sscanf(line, "%lx %lx", &library[library_cnt].begin,
				      &library[library_cnt].size) == 2;
	if (f)
		fclose(f);
}

/* Returns true if a function in library[] is on the stack of the call that failed. */
static bool is_in_library(const char *fault)
{
	const char *stack = strchr(fault, ' ');
	unsigned long pc;
	char *end;

	stack = stack ? strchr(stack + 1, ' ') : NULL;
	for (; stack && (pc = strtoul(stack, &end, 16)) && end != stack; stack = end)
		for (int i = 0; i < library_cnt; i++)
			if (pc - library[i].begin < library[i].size)
				return true;
	return false;
}

/* Copies the line of the log with the call that failed and its stack. */
static void copy_fault(char *fault, size_t sz, const char *log)
{
	snprintf(fault, sz, "no call failed");
	if (log && !strncmp(log, "fault ", 6))
		snprintf(fault, sz, "%.*s", (int)strcspn(log + 6, "\n"), log + 6);
}

/* Prints the functions and lines of the stack, if there are addr2line and symbols. */
static void print_stack(const char *fault)
{
	const char *addresses = strchr(fault, ' ');
	char cmd[1024], line[512];
	FILE *f;

	addresses = addresses ? strchr(addresses + 1, ' ') : NULL;
	snprintf(cmd, sizeof(cmd), "addr2line -sfpe %s %s 2>/dev/null", opts.bprof,
		 addresses ?: "");
	f = addresses ? popen(cmd, "r") : NULL;
	while (f && fgets(line, sizeof(line), f))
		printf("#\t%s", line);
	if (f)
		pclose(f);
}

void print_text(const char *text, int most)
{
	for (int i = 0; text && *text && i < most; i++) {
		int len = strcspn(text, "\n");

		printf("#\t| %.*s\n", len, text);
		text += len + (text[len] == '\n');
	}
}

void findings__add(struct campaign *c, enum verdict v, const struct output *o, const char *why)
{
	char fault[512], key[600];
	const char *stack;

	copy_fault(fault, sizeof(fault), o->log);
	if (v >= RUN_CRASHED && is_in_library(fault)) {
		c->in_libraries++;
		return;
	}
	c->verdicts[v]++;
	if (v == RUN_GOOD || (v == RUN_DEGRADED && !opts.verbose))
		return;
	stack = strchr(fault, ' ') ?: fault;
	snprintf(key, sizeof(key), "%d%s", v, stack);
	for (int i = 0; i < c->finding_cnt; i++)
		if (!strcmp(c->findings[i], key))
			return;
	if (c->finding_cnt < MAX_FINDINGS)
		c->findings[c->finding_cnt++] = strdup(key);
	printf("# %s: %s: call %s: %s%s%s\n", c->line->name, opts.mode, fault, verdict_names[v],
	       *why ? ": " : "", why);
	if (WIFEXITED(o->status))
		printf("#\texit status %d\n", WEXITSTATUS(o->status));
	else
		printf("#\tsignal %d\n", WTERMSIG(o->status));
	print_stack(fault);
	print_text(o->err, 12);
}
