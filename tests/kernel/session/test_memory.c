// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the limit of the memory that the counts of the probes take: first distributions are left
 * out, then probes. All runs are counted in any case.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define RUNS 10
#define SOME 4
#define MANY 60
#define CGROUP "/sys/fs/cgroup/bprof_memory"

static int count_probed(const struct run *r)
{
	json_t *rows = json_object_get(r->json, "programs"), *row;
	int cnt = 0;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		cnt += !strcmp(str(row, "method"), "fentry");
	return cnt;
}

/* Measures all copies of the program with these options. Each copy runs in the measurement. */
static struct run *measure(struct fixture *f, const char *prefix, const char *options,
			   const struct target *t, int cnt)
{
	char runs[1024] = "";
	struct run *r;

	for (int i = 0; i < cnt; i++)
		sprintf(runs + strlen(runs), " %u:%d", t[i].id, RUNS);
	r = command(f, "%s bprof -j -o - --name xdp_pass -e time %s -- drive testrun%s", prefix,
		    options, runs);
	assert_status(r, 0);
	for (int i = 0; i < cnt; i++)
		assert_int_equal(num(row_of(r, t[i].id), "runs"), RUNS);
	return r;
}

static bool has_distribution(const struct run *r, struct target t)
{
	return json_object_get(json_object_get(event_of(row_of(r, t.id), "time"), "per_run"),
			       "p50");
}

static void test_limits(void **state)
{
	struct fixture *f = *state;
	struct target t[SOME];
	struct run *r;

	for (int i = 0; i < SOME; i++)
		t[i] = load_target(f, "xdp", "xdp_pass");
	r = measure(f, "", "", t, SOME);
	assert_string_equal(r->err, "");
	assert_int_equal(count_probed(r), SOME);
	assert_true(has_distribution(r, t[0]));
	/* the limits have room for coarse distributions, for the coarsest ones, and for none */
	r = measure(f, "", "--max-memory 200K", t, SOME);
	assert_contains(r->err,
			"buckets that are up to 12.5% wide: otherwise the counts of 4 probes ");
	assert_true(has_distribution(r, t[0]));
	assert_true(num(r->json, "memory.counts_bytes") <= 200 << 10);
	r = measure(f, "", "--max-memory 50K", t, SOME);
	assert_contains(r->err, "buckets that are up to 50% wide: ");
	assert_true(has_distribution(r, t[0]));
	r = measure(f, "", "--max-memory 35K", t, SOME);
	assert_contains(r->err, "no distributions: otherwise the counts of 4 probes ");
	assert_int_equal(count_probed(r), SOME);
	assert_false(has_distribution(r, t[0]));
	/* the limit has room for some probes; one line is about all others */
	r = measure(f, "", "--max-memory 20K", t, SOME);
	assert_contains(r->err, "the counts of all probes would take too much memory");
	assert_in_range(count_probed(r), 1, SOME - 1);
	r = measure(f, "", "--max-memory 1", t, SOME);
	assert_int_equal(count_probed(r), 0);
	r = measure(f, "", "--max-memory 1 --calls '*'", t, SOME);
	assert_int_equal(count_probed(r), 0);
}

/*
 * If bprof had no limit, the kernel would kill it here, because the maps' memory belongs to the
 * cgroup.
 */
static void test_cgroup(void **state)
{
	static const char enter[] = "sh -c 'echo $$ >" CGROUP "/cgroup.procs && exec \"$@\"' sh";
	struct fixture *f = *state;
	struct target t[MANY];
	struct run *r;

	for (int i = 0; i < MANY; i++)
		t[i] = load_target(f, "xdp", "xdp_pass");
	assert_status(command(f, "sh -c 'echo +memory >/sys/fs/cgroup/cgroup.subtree_control && "
				 "mkdir " CGROUP " && echo 32M >" CGROUP "/memory.max'"),
		      0);
	r = measure(f, enter, "--by retval", t, MANY);
	assert_contains(r->err, "coarser distributions, with buckets that are up to 50% wide: ");
	assert_int_equal(rmdir(CGROUP), 0);
}

/*
 * With --by, distributions are coarser, so that all rows together take at most twice the memory of
 * one row.
 */
static void test_rows(void **state)
{
	struct fixture *f = *state;
	struct target t[MANY];
	struct run *plain, *rows, *fine;
	double memory;

	for (int i = 0; i < MANY; i++)
		t[i] = load_target(f, "xdp", "xdp_pass");
	plain = measure(f, "", "", t, MANY);
	rows = measure(f, "", "--by retval", t, MANY);
	memory = num(plain->json, "memory.counts_bytes");
	assert_true(num(rows->json, "memory.counts_bytes") <= 2 * memory);
	assert_true(has_distribution(rows, t[0]));
	assert_contains(rows->err, "coarser distributions, with buckets that are up to ");
	assert_contains(rows->err, "wide: otherwise --by retval would take ");
	fine = measure(f, "", "--by retval --max-memory 1G", t, MANY);
	assert_string_equal(fine->err, "");
	assert_true(real(fine->json, "memory.bucket_width") ==
		    real(plain->json, "memory.bucket_width"));
	assert_true(num(fine->json, "memory.counts_bytes") > 2 * memory);
}

KTEST_GROUP(memory, "limits of the memory for counts", NULL, ON(SMP4), KTEST(test_limits),
	    KTEST(test_cgroup), KTEST(test_rows));
