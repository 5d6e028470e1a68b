// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ktest runs the tests of bprof against a real kernel, inside the VM, as root, and prints TAP. With
 * --on, it runs the tests that belong to a machine. With the names of groups, it runs all tests of
 * these groups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "ktest.h"
#include "tests/kernel/drive/hang.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/ktest.h"

/* The names of the kinds of machines in tests/kernel/run.sh, in the order of enum ktest_prop. */
static const char *const kinds[KIND_CNT] = {
	"exact", "smp", "preempt", "exactpreempt", "old", "cpus512",
};
/* The part of the tests that "make check" runs on a machine. "make check-long" runs the others. */
static const char *const parts[] = {"all", "x86", "newest", "none"};
enum part { ALL, X86, NEWEST, NONE };

/* A machine, as tests/kernel/run.sh names it: ARCH-KERNEL-KIND:PART, "arm64-6.12-exact:all". */
struct machine {
	char arch[16], kernel[256];
	int kind;
	enum part part;
};

static struct ktest_group *groups;

/* Sorts the groups by name. Groups with LAST come at the end. */
void ktest_register(struct ktest_group *g)
{
	struct ktest_group **at = &groups;

	while (*at &&
	       ((*at)->on.is[ON_LAST] < g->on.is[ON_LAST] ||
		((*at)->on.is[ON_LAST] == g->on.is[ON_LAST] && strcmp((*at)->name, g->name) < 0)))
		at = &(*at)->next;
	g->next = *at;
	*at = g;
}

static int find_word(const char *const *words, int cnt, const char *word)
{
	for (int i = 0; i < cnt; i++)
		if (!strcmp(words[i], word))
			return i;
	fprintf(stderr, "ktest: no such kind or part of a machine: '%s'\n", word);
	exit(2);
}

static struct machine parse_machine(const char *text)
{
	struct machine m;
	char kind[32], part[32];

	/* The kernel may be a path. */
	if (sscanf(text, "%15[^-]-%255[^:]:%31s", m.arch, m.kernel, part) != 3 ||
	    !strrchr(m.kernel, '-')) {
		fprintf(stderr, "ktest: not ARCH-KERNEL-KIND:PART: '%s'\n", text);
		exit(2);
	}
	snprintf(kind, sizeof(kind), "%s", strrchr(m.kernel, '-') + 1);
	*strrchr(m.kernel, '-') = '\0';
	m.kind = find_word(kinds, KIND_CNT, kind);
	m.part = find_word(parts, sizeof(parts) / sizeof(parts[0]), part);
	return m;
}

/* A kernel without a version is the debug kernel, for which there are no limits. */
static bool is_within(const struct ktest_on *on, const char *kernel)
{
	return strspn(kernel, "0123456789.") < strlen(kernel) ||
	       ((!on->from || strverscmp(kernel, on->from) >= 0) &&
		(!on->until || strverscmp(kernel, on->until) <= 0));
}

/* Returns the properties of a test of the group. */
static struct ktest_on join(const struct ktest_on *group, const struct ktest_on *test)
{
	struct ktest_on on = *test;
	bool has_kind = false;

	for (int i = 0; i < KIND_CNT; i++)
		has_kind |= test->is[i];
	for (int i = has_kind ? KIND_CNT : 0; i < PROP_CNT; i++)
		on.is[i] |= group->is[i];
	if (!on.from && !on.until)
		on.from = group->from, on.until = group->until;
	return on;
}

static bool is_for(const struct ktest_on *on, const struct machine *m)
{
	bool is_arm64 = !strcmp(m->arch, "arm64"), is_debug = !strcmp(m->kernel, "debug");

	if (!is_within(on, m->kernel))
		return false;
	if (!strcmp(m->arch, "riscv64")) /* there are no riscv64 machines of other kinds */
		return on->is[ON_RISCV64];
	if (!on->is[m->kind])
		return false;
	if (on->is[ON_ONCE] && !is_debug)
		return is_arm64 && !strcmp(m->kernel, "6.12");
	return is_arm64 || !on->is[ON_ARM64];
}

static bool is_for_check(const struct ktest_on *on, const struct machine *m)
{
	if (!is_for(on, m) || on->is[ON_LONG])
		return false;
	switch (m->part) {
	case ALL:
		return true;
	case X86:
		return on->is[ON_X86];
	case NEWEST:
		return on->is[ON_NEWEST];
	default:
		return false;
	}
}

/* Returns the group's tests. The next call overwrites the array. */
static struct ktest *tests_of(const struct ktest_group *g, int *cnt)
{
	static struct ktest tests[MAX_KTESTS];

	memset(tests, 0, sizeof(tests));
	*cnt = g->make ? g->make(tests) : g->cnt;
	if (!g->make)
		memcpy(tests, g->tests, g->cnt * sizeof(tests[0]));
	for (int i = 0; i < *cnt; i++)
		tests[i].on = join(&g->on, &tests[i].on);
	return tests;
}

/*
 * Runs the group's tests that "make check" runs on the machine or, if rest is true, the tests that
 * only "make check-long" runs there. If m is NULL, runs all tests. Adds the number of tests to
 * *total. Returns the number of failed tests.
 */
static int run_group(const struct ktest_group *g, const struct machine *m, bool rest, int *total)
{
	struct CMUnitTest run[MAX_KTESTS];
	int cnt, run_cnt = 0;
	struct ktest *tests = tests_of(g, &cnt);

	for (int i = 0; i < cnt; i++)
		if (!m || (rest ? is_for(&tests[i].on, m) && !is_for_check(&tests[i].on, m)
				: is_for_check(&tests[i].on, m)))
			run[run_cnt++] = tests[i].test;
	*total += run_cnt;
	return run_cnt ? _cmocka_run_group_tests(g->name, run, run_cnt, g->setup, NULL) : 0;
}

/* Prints each test, and the machines on which "make check" (c) and "make check-long" (l) run it. */
static int print_matrix(char **names, int cnt)
{
	struct machine m[32];
	int bad = 0;

	for (int i = 0; i < cnt && i < 32; i++) {
		m[i] = parse_machine(names[i]);
		printf("%*s%s\n", 2 * i, "", names[i]);
	}
	for (struct ktest_group *g = groups; g; g = g->next) {
		int test_cnt;
		struct ktest *t = tests_of(g, &test_cnt);

		for (int i = 0; i < test_cnt; i++) {
			bool is_run = t[i].on.is[ON_DEMAND_ONLY];

			for (int j = 0; j < cnt; j++) {
				bool here = is_for(&t[i].on, &m[j]);

				is_run |= here;
				printf("%c ", is_for_check(&t[i].on, &m[j]) ? 'c'
					      : here			    ? 'l'
									    : '.');
			}
			printf("%s %s\n", g->name, t[i].test.name);
			if (!is_run)
				fprintf(stderr, "%s %s: no machine runs it\n", g->name,
					t[i].test.name);
			bad |= !is_run;
		}
	}
	return bad;
}

static int usage(void)
{
	fprintf(stderr, "usage: [KTEST_FILTER=PATTERN] ktest GROUP…\n"
			"       [KTEST_FILTER=PATTERN] ktest --on MACHINE [--rest]\n"
			"       ktest --matrix MACHINE…\n");
	for (struct ktest_group *g = groups; g; g = g->next)
		fprintf(stderr, "  %-10s %s\n", g->name, g->help);
	return 2;
}

static int run_all(const struct machine *m, bool rest)
{
	int failed = 0, total = 0;

	for (struct ktest_group *g = groups; g; g = g->next)
		failed += run_group(g, m, rest, &total) != 0;
	if (rest && !total)
		printf("ok 1 - \"make check\" runs all tests of this machine\n");
	return failed;
}

static int run_named(char **names)
{
	struct ktest_group *g;
	int failed = 0, total = 0;

	for (; *names; names++) {
		for (g = groups; g && strcmp(g->name, *names);)
			g = g->next;
		if (!g)
			fprintf(stderr, "ktest: no group '%s'\n", *names);
		failed += !g || run_group(g, NULL, false, &total) != 0;
	}
	return failed;
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0; /* Drops libbpf's messages, because tests cause errors on purpose. */
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage();
	if (!strcmp(argv[1], "--matrix"))
		return print_matrix(argv + 2, argc - 2);
	/* Line buffering, so that a failure's message precedes its "not ok". */
	setvbuf(stdout, NULL, _IOLBF, 0);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	if (getenv("KTEST_FILTER"))
		cmocka_set_test_filter(getenv("KTEST_FILTER"));
	hang__catch();
	if (!getenv("KTEST_VERBOSE"))
		libbpf_set_print(quiet);
	if (!strcmp(argv[1], "--on") && argc > 2) {
		struct machine m = parse_machine(argv[2]);

		return run_all(&m, argc > 3 && !strcmp(argv[3], "--rest")) ? 1 : 0;
	}
	return run_named(argv + 1) ? 1 : 0;
}
