// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests programs on system calls that bprof itself makes while it measures. The numbers contain
 * only runs by others. Reports say how many runs were left out, or that no runs could be left out.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/kernel/harness.h"
#include "tests/progs/own.h"

#define OPENS 1000
/* busybox's shell opens the file itself each time, and nothing else */
#define MAKE_OPENS "i=0; while [ $i -lt 1000 ]; do : </dev/null; i=$((i+1)); done"
#define SOME_TIME "sleep 0.4"
/* At most this many runs come from other processes that read a pipe, or from interrupts. */
#define FEW 40

static struct target attach(struct fixture *f, const char *prog)
{
	struct target t = load_target(f, "own", prog);

	if (!try_attach(f, t))
		fail_test("cannot attach %s", prog);
	return t;
}

/* Returns the sum over the lines of -I. A line without the number counts as 0. */
static json_int_t sum_own(const char *lines, __u32 id)
{
	json_int_t sum = 0;

	for (const char *line = lines; line && *line; line = strchr(line, '\n')) {
		json_t *doc, *row;
		size_t i;

		line += *line == '\n';
		doc = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		json_array_foreach(json_object_get(doc, "programs"), i,
				   row) if (num(row, "id") == id)
			sum += json_integer_value(json_object_get(row, "own_runs"));
		json_decref(doc);
	}
	return sum;
}

/* During the measurement, bprof calls bpf(2) in each interval, and no other process calls it. */
static void check_intervals(struct fixture *f, const char *options)
{
	struct target opens = attach(f, "tp_openat"), calls = attach(f, "tp_bpf");
	struct run *r =
		bprof(f, "stat -j -I 20 %s -b %u,%u -e %s -- sh -c '" MAKE_OPENS "; " SOME_TIME "'",
		      options, opens.id, calls.id, machine_event());

	assert_status(r, 0);
	printf("# left out: %lld of open, %lld of bpf\n", (long long)sum_own(r->out, opens.id),
	       (long long)sum_own(r->out, calls.id));
	assert_int_equal(sum_of_runs(r->out, opens.id), OPENS);
	assert_int_equal(sum_of_runs(r->out, calls.id), 0);
	assert_true(sum_own(r->out, calls.id) > 10);
}

static void test_intervals(void **state)
{
	check_intervals(*state, "");
}

/*
 * With --max-overhead, the kernel counts runs, too. All runs of tp_bpf that it counts are bprof's
 * own.
 */
static void test_limited(void **state)
{
	check_intervals(*state, "--max-overhead 1%");
}

static void test_note(void **state)
{
	struct fixture *f = *state;
	struct target t = attach(f, "raw_tp_enter");
	struct run *r =
		bprof(f, "stat -b %u -e %s --no-pager -- " SOME_TIME, t.id, machine_event());

	assert_status(r, 0);
	assert_contains(r->out, "by bprof itself");
	assert_contains(r->out, "left out");
}

/*
 * Each kind of probe leaves bprof's runs out. If there is no probe, the report says that they are
 * included.
 */
static void check_probes(struct fixture *f, struct target t, const char *name)
{
	static const char *const options[] = {"", "--by retval", "--sample 2", "--func '*'",
					      "-e cycles,instructions,cycles:k,instructions:k"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct run *r = bprof(f, "stat -j -I 20 -b %u %s -e %s -- " SOME_TIME, t.id,
				      options[i], machine_event());
		json_int_t own = sum_own(r->out, t.id);

		/* Tracing programs are targets from Linux 6.8 on. */
		if (strstr(r->out, "\"run_stats\"")) {
			assert_contains(r->out, "\"with_own_runs\":true");
			return;
		}
		assert_status(r, 0);
		printf("# %s %s: left out %lld\n", name, options[i], (long long)own);
		assert_true(own > 10);
	}
}

static void test_probes(void **state)
{
	struct fixture *f = *state;

	check_probes(f, attach(f, "kprobe_read"), "kprobe");
	check_probes(f, attach(f, "raw_tp_enter"), "raw_tp");
}

static void test_trampolines(void **state)
{
	static const char *const progs[] = {"fentry_read", "lsm_permission"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(progs) / sizeof(progs[0]); i++) {
		struct target t = load_target(f, "own", progs[i]);

		if (!try_attach(f, t))
			skip_test("own_trampolines", strerror(errno));
		check_probes(f, t, progs[i]);
	}
}

static void test_trace(void **state)
{
	struct fixture *f = *state;
	struct target t = attach(f, "raw_tp_enter");
	struct child *c =
		bprof_start(f, "trace -b %u -e time --every 1 -- sh -c '" MAKE_OPENS "'", t.id);
	char own[64];
	struct run *r;

	snprintf(own, sizeof(own), " %d  bprof", child_pid(c));
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->out, " sh ");
	assert_contains(r->out, " by bprof itself left out: ");
	if (strstr(r->out, own))
		fail_test("a run by bprof itself: %.100s", strstr(r->out, own));
}

/* Only bprof top calls bpf(2). So the program has no runs, and the list hides it. */
static void test_top(void **state)
{
	struct fixture *f = *state;
	struct target calls = attach(f, "tp_bpf"), opens = attach(f, "tp_openat");
	struct child *c = bprof_start(f, "top --batch -I 200ms --prog-id %u,%u -e %s", calls.id,
				      opens.id, machine_event());
	bool shown = false;
	struct run *r;

	while (strncmp(child_line(c), "TOTAL", strlen("TOTAL")))
		;
	assert_status(command(f, "sh -c '" MAKE_OPENS "'"), 0);
	while (!shown) {
		const char *line = child_line(c);

		assert_null(strstr(line, "tp_bpf"));
		shown = strstr(line, "tp_openat");
	}
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	if (strstr(r->out, "tp_bpf"))
		fail_test("runs by bprof itself: %s", r->out);
}

/* Returns the number of runs in a file of bprof export, or -1. */
static double exported(const char *text, const char *name)
{
	char label[64];

	snprintf(label, sizeof(label), "name=\"%s\"", name);
	for (const char *at = text; (at = strstr(at, "\nbprof_program_runs_total{")); at++) {
		int len = strcspn(at + 1, "\n") + 1;
		const char *found = memmem(at, len, label, strlen(label));

		if (found)
			return strtod(memrchr(at, ' ', len), NULL);
	}
	return -1;
}

static void test_export(void **state)
{
	struct fixture *f = *state;
	struct target calls = attach(f, "tp_bpf"), opens = attach(f, "tp_openat");
	/* bprof writes the file when export has begun, and once more when it ends. */
	struct run *r =
		command(f,
			"bprof export --min-age 0 -o own.prom -I 100 --prog-id %u,%u -e %s & p=$!; "
			"until [ -s own.prom ]; do sleep .1; done; " MAKE_OPENS "; "
			"kill $p; wait $p; cat own.prom; rm own.prom",
			calls.id, opens.id, machine_event());

	assert_status(r, 0);
	/* bprof opens the file itself in each interval, and other processes open it, too */
	assert_in_range((long)exported(r->out, "tp_openat"), OPENS, OPENS + FEW);
	assert_true(exported(r->out, "tp_bpf") <= 0);
}

/* A program on an interrupt is also measured if the interrupt hits bprof. */
static void test_interrupts(void **state)
{
	struct fixture *f = *state;
	struct target t = attach(f, "raw_tp_timer");
	int fd = bpf_object__find_map_fd_by_name(t.obj, "watch");
	struct child *c = bprof_start(f, "stat -j -I 10 -b %u -e %s", t.id, machine_event());
	struct own_watch w = {};
	__u32 key = 0;
	struct run *r;

	child_line(c);
	w.tgid = child_pid(c);
	assert_int_equal(bpf_map_update_elem(fd, &key, &w, BPF_ANY), 0);
	do {
		child_line(c);
		assert_int_equal(bpf_map_lookup_elem(fd, &key, &w), 0);
	} while (w.interrupted < 20);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	printf("# %llu interrupts of bprof\n", (unsigned long long)w.interrupted);
	assert_null(strstr(r->out, "own_runs"));
}

/* The kernel does not know which process caused the runs that it counts. */
static void test_kernel_counts(void **state)
{
	struct fixture *f = *state;
	struct target t = attach(f, "raw_tp_enter");
	struct run *r = bprof(f, "stat -j --method run_stats -b %u -e %s -- " SOME_TIME, t.id,
			      machine_event());

	assert_status(r, 0);
	assert_true(json_is_true(json_object_get(row_of(r, t.id), "with_own_runs")));
	assert_null(json_object_get(row_of(r, t.id), "own_runs"));
}

KTEST_GROUP(own, "programs that bprof itself sets off", NULL, ON(SMP4, FROM(6.1)),
	    KTEST(test_intervals), KTEST(test_limited), KTEST(test_note), KTEST(test_probes, LONG),
	    KTEST(test_trampolines, LONG), KTEST(test_trace), KTEST(test_top), KTEST(test_export),
	    KTEST(test_interrupts), KTEST(test_kernel_counts));
