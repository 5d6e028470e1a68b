// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the commands of lines.c with a bprof that has the shim (shim.h). Repeats each command, and lets
 * another one of its library and system calls fail each time. Prints TAP: a test for each command, with a
 * comment for each distinct failure.
 *
 * By default, of the calls with the same stack, one fails, unless a call with this stack failed in an
 * earlier command. With --per-line, earlier commands do not count. With --each, every call fails once.
 * With --at-most N, at most N calls of a command fail.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/faults/campaign.h"

/* Clean runs (runs without a fault) of a command. Their outputs show which parts differ from run to run. */
#define CLEAN_RUNS 4
#define MORE_CLEAN_RUNS 12
/*
 * A command that fails prints why. Before that, it may print a warning that it works without
 * something.
 */
#define USUAL_MESSAGES 2
/* Prints a line each time this many calls have failed. */
#define PROGRESS 100

struct campaign_opts opts = {.mode = "once", .lines = "*", .dir = "."};

/* doctor ends with 4 on a machine without a PMU, and diff with 5 if the result is inconclusive. */
static bool is_success(int status)
{
	return WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) >= 4);
}

static bool run_clean_once(struct campaign *c)
{
	struct output o = {};
	bool good = run_line(c->line, 0, &o) && clean__add(&c->clean, &o) && is_success(o.status);

	if (!good)
		printf("# %s: clean run: status %d: %s\n", c->line->name, o.status, o.err);
	output__free(&o);
	sweep();
	return good;
}

/* Runs the command without a fault, to learn which calls it makes and which output differs from run to run. */
static bool run_clean(struct campaign *c)
{
	bool good = true;
	size_t sz = 0;

	setenv("FAULT_TRACE", path_of("trace"), 1);
	for (int i = 0; good && i < CLEAN_RUNS; i++) {
		good = run_clean_once(c);
		if (!i)
			c->calls = (void *)read_all(path_of("trace"), &sz);
		unsetenv("FAULT_TRACE");
	}
	c->call_cnt = sz / sizeof(*c->calls);
	if (!opts.shared)
		objects__list(&c->objects);
	return good;
}

static int compare_hashes(const void *a, const void *b)
{
	return (a > b) - (a < b);
}

/* Adds a stack to a set, a tree of tsearch(). Returns false if the set already had it. */
static bool add_stack(void **set, __u32 stack)
{
	const void *hash = (const void *)(uintptr_t)stack;

	if (tfind(hash, set, compare_hashes))
		return false;
	return tsearch(hash, set, compare_hashes);
}

static void keep_hash(void *hash)
{
}

/* Returns the numbers of the calls that are to fail; the first call of a command is number 1. */
static int *choose_calls(const struct campaign *c, int *cnt)
{
	static void
		*tried; /* the stacks of the calls that failed in this line or in an earlier one */
	int *at = calloc(c->call_cnt + 1, sizeof(*at));
	void *new = NULL;

	if (opts.per_line) {
		tdestroy(tried, keep_hash);
		tried = NULL;
	}
	*cnt = 0;
	for (int i = 0; i < c->call_cnt; i++) {
		const void *hash = (const void *)(uintptr_t)c->calls[i].stack;

		if (opts.each ||
		    (!tfind(hash, &tried, compare_hashes) && add_stack(&new, c->calls[i].stack)))
			at[(*cnt)++] = i + 1;
	}
	tdestroy(new, keep_hash);
	if (opts.at_most && *cnt > opts.at_most) {
		for (int i = 0; i < opts.at_most; i++)
			at[i] = at[(long)i * *cnt / opts.at_most];
		*cnt = opts.at_most;
	}
	for (int i = 0; i < *cnt; i++)
		add_stack(&tried, c->calls[at[i] - 1].stack);
	return at;
}

/* Runs the command again, without a fault. Returns false if it fails because the last run broke something. */
static bool next_is_clean(const struct campaign *c)
{
	struct output o = {};
	const char *missing;
	int messages;
	bool good = run_line(c->line, 0, &o) && o.status == c->clean.status &&
		    clean__judge(&c->clean, &o, c->line->flags & STREAMED, &messages, &missing) ==
			    RUN_GOOD;

	output__free(&o);
	return good;
}

static void try_call(struct campaign *c, int n)
{
	struct output o = {};
	enum verdict v = RUN_HUNG;
	const char *missing = NULL;
	char why[300] = "", left[256];
	int messages = 0;

	if (run_line(c->line, n, &o))
		v = clean__judge(&c->clean, &o, c->line->flags & STREAMED, &messages, &missing);
	snprintf(left, sizeof(left), "%s", sweep());
	/* By chance, all clean runs so far may have output that is rare, such as a sample in the program. */
	for (int i = 0; i < MORE_CLEAN_RUNS && (v == RUN_MISSING || v == RUN_TORN_FILE); i++) {
		run_clean_once(c);
		v = clean__judge(&c->clean, &o, c->line->flags & STREAMED, &messages, &missing);
	}
	/* With --kind vanish, bprof may leave out the row of a program without a message. */
	if (v == RUN_MISSING && opts.kinds && !strcmp(opts.kinds, "vanish"))
		v = RUN_DEGRADED;
	if ((v == RUN_DEGRADED || v == RUN_MISSING) && missing)
		snprintf(why, sizeof(why), "without '%s'", missing);
	if (messages > c->most_messages) {
		c->most_messages = messages;
		free(c->longest);
		c->longest = strdup(o.err ?: "");
	}
	if (v <= RUN_DEGRADED && *left) {
		v = RUN_LEFT_BEHIND;
		snprintf(why, sizeof(why), "file %s", left);
	}
	if (v <= RUN_DEGRADED && !opts.shared && objects__have_new(&c->objects, why, sizeof(why))) {
		v = RUN_LEFT_BEHIND;
		objects__list(&c->objects);
	}
	findings__add(c, v, &o, why);
	if (v <= RUN_DEGRADED && (c->line->flags & SHARED) && !next_is_clean(c))
		findings__add(c, RUN_NEXT_FAILED, &o, "");
	c->tried++;
	output__free(&o);
}

static void print_result(const struct campaign *c, int test, bool good)
{
	printf("%sok %d - faults: %s: %d calls, %d failed in turn (%s)", good ? "" : "not ", test,
	       c->line->name, c->call_cnt, c->tried, opts.mode);
	for (int v = RUN_DEGRADED; v < RUN_VERDICT_CNT; v++)
		if (c->verdicts[v])
			printf(", %d %s", c->verdicts[v], verdict_names[v]);
	if (c->in_libraries)
		printf(", %d in libraries", c->in_libraries);
	printf("; at most %d messages\n", c->most_messages);
	if (c->most_messages > USUAL_MESSAGES)
		print_text(c->longest, 12);
	fflush(stdout);
}

/* Lets the calls of one command fail in turn, and prints the result as a test. */
static bool try_line(const struct line *line, int test)
{
	struct campaign c = {.line = line};
	bool good = run_clean(&c);
	int cnt = 0, *at = good ? choose_calls(&c, &cnt) : NULL;

	for (int i = 0; i < cnt; i++) {
		/* scripts/vm ends a VM that prints nothing */
		if (i && i % PROGRESS == 0)
			printf("# %s: %d of %d\n", line->name, i, cnt);
		fflush(stdout);
		try_call(&c, at[i]);
	}
	for (int v = RUN_CRASHED; v < RUN_VERDICT_CNT; v++)
		good &= !c.verdicts[v];
	print_result(&c, test, good);
	free(at);
	free(c.calls);
	free(c.longest);
	clean__free(&c.clean);
	while (c.finding_cnt)
		free(c.findings[--c.finding_cnt]);
	return good;
}

/* Returns true if --lines, --needs and --only choose the command. */
static bool is_chosen(const struct line *line)
{
	return line->needs <= opts.most && (!opts.only || line->needs == opts.most) &&
	       !fnmatch(opts.lines, line->name, FNM_EXTMATCH);
}

static void set_up(void)
{
	if (mkdir(path_of("scratch"), 0755))
		die(path_of("scratch"));
	setenv("SCRATCH", path_of("scratch"), 1);
	setenv("OUT", path_of("scratch/out"), 1);
	setenv("FAULT_LOG", path_of("log"), 1);
	setenv("FAULT_MODE", opts.mode, 1);
	if (opts.kinds)
		setenv("FAULT_KIND", opts.kinds, 1);
	if (opts.error)
		setenv("FAULT_ERRNO", opts.error, 1);
	setenv("ASAN_OPTIONS", "exitcode=99:allocator_may_return_null=1:handle_abort=1", 1);
	setenv("UBSAN_OPTIONS", "print_stacktrace=1", 1);
	setenv("TERM", "dumb", 1);
	setenv("BPROF_PAGER", "", 1);
}

/* The options with a value, and the field of opts for each. */
static const struct {
	const char *name;
	const char **value;
} values[] = {
	{"kind", &opts.kinds},	{"mode", &opts.mode}, {"errno", &opts.error},
	{"lines", &opts.lines}, {"dir", &opts.dir},
};

static const struct {
	const char *name;
	bool *value;
} flags[] = {
	{"each", &opts.each},	  {"only", &opts.only},	      {"per-line", &opts.per_line},
	{"shared", &opts.shared}, {"verbose", &opts.verbose},
};

static const char *const needs_names[] = {"nothing", "bpf", "tracing"};

/* Takes an option, and its value if it has one. Returns how many words it took; 0: not a valid option. */
static int take_option(const char *option, const char *value)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(option, flags[i].name))
			return *flags[i].value = true;
	for (size_t i = 0; value && i < sizeof(values) / sizeof(*values); i++) {
		if (!strcmp(option, values[i].name)) {
			*values[i].value = value;
			return 2;
		}
	}
	if (value && !strcmp(option, "at-most"))
		return (opts.at_most = atoi(value)) > 0 ? 2 : 0;
	for (int i = 0; value && !strcmp(option, "needs") && i <= NEEDS_TRACING; i++) {
		if (!strcmp(value, needs_names[i])) {
			opts.most = i;
			return 2;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	int at = 1, taken, tests = 0, failed = 0;

	for (; at < argc && !strncmp(argv[at], "--", 2); at += taken) {
		taken = take_option(argv[at] + 2, argv[at + 1]);
		if (!taken)
			break;
	}
	if (at + 1 != argc) {
		fprintf(stderr, "usage: campaign [OPTIONS] BPROF (tests/faults/run.sh)\n");
		return 2;
	}
	opts.bprof = argv[at];
	set_up();
	findings__open();
	for (int i = 0; i < line_cnt; i++)
		if (is_chosen(&lines[i]))
			failed += !try_line(&lines[i], ++tests);
	printf("1..%d\n", tests);
	return failed || !tests;
}
