// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --sum: many copies of a program count their own runs, and each command shows them as one
 * row.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/kernel/harness.h"

#define COPIES 300
#define NAME "xdp_seen"
/*
 * Copy i runs this often, so that the test notices each run of a copy that is left out or counted
 * twice.
 */
#define RUNS(i) (1 + (i) % 7)
#define SINGLE "/tmp/sums-single.json"
#define SUMMED "/tmp/sums-summed.json"
#define TEXT_SZ 8000

struct copy {
	struct target t;
	int seen_fd;
};

static struct copy load_copy(struct fixture *f)
{
	struct copy c = {.t = load_target(f, "xdp", NAME)};

	c.seen_fd = bpf_object__find_map_fd_by_name(c.t.obj, "seen");
	assert_true(c.seen_fd >= 0);
	return c;
}

static __u64 seen(const struct copy *c)
{
	__u32 key = 0;
	__u64 cnt;

	assert_int_equal(bpf_map_lookup_elem(c->seen_fd, &key, &cnt), 0);
	return cnt;
}

/* Loads all copies, and writes the arguments of "drive testrun" that run each of them. */
static void load_copies(struct fixture *f, struct copy *c, int cnt, char text[TEXT_SZ])
{
	size_t len = 0;

	for (int i = 0; i < cnt; i++) {
		c[i] = load_copy(f);
		len += snprintf(text + len, TEXT_SZ - len, " %u:%d", c[i].t.id, RUNS(i));
	}
	assert_true(len < TEXT_SZ);
}

static __u64 count_seen(const struct copy *c, int cnt)
{
	__u64 sum = 0;

	for (int i = 0; i < cnt; i++)
		sum += seen(&c[i]);
	return sum;
}

/* Returns the only row with this name, or NULL. */
static json_t *find_sum(json_t *doc, const char *name)
{
	json_t *rows = json_object_get(doc, "programs"), *row, *found = NULL;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strcmp(str(row, "name"), name)) {
			if (found)
				fail_test("two rows of %s: %s", name, json_dumps(doc, 0));
			found = row;
		}
	return found;
}

static json_t *sum_in(json_t *doc, const char *name)
{
	json_t *row = find_sum(doc, name);

	if (!row)
		fail_test("no row of %s: %s", name, json_dumps(doc, 0));
	assert_int_equal(num(row, "id"), 0);
	return row;
}

/* ---- one row of 300 ---- */

/* Totals over the rows of single programs: sums, the smallest minimum and the largest maximum. */
struct totals {
	double runs, total, min, max;
};

static struct totals add_singles(json_t *doc)
{
	struct totals t = {.min = INFINITY, .max = -INFINITY};
	json_t *rows = json_object_get(doc, "programs"), *row;

	assert_int_equal(json_array_size(rows), COPIES);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		json_t *ev = event_of(row, exact_event());

		t.runs += num(row, "runs");
		t.total += real(ev, "total");
		t.min = fmin(t.min, real(ev, "per_run.min"));
		t.max = fmax(t.max, real(ev, "per_run.max"));
	}
	return t;
}

static json_t *load_file(const char *path)
{
	json_error_t error;
	json_t *doc = json_load_file(path, 0, &error);

	if (!doc)
		fail_test("%s: %s", path, error.text);
	return doc;
}

/* Returns the number of runs in the buckets of the sum. */
static json_int_t count_bucket_runs(json_t *ev)
{
	json_t *hist = json_object_get(ev, "hist"), *bucket;
	json_int_t sum = 0;

	for (size_t i = 0; (bucket = json_array_get(hist, i)); i++)
		sum += json_integer_value(json_array_get(bucket, 2));
	return sum;
}

static void assert_totals(json_t *row, const struct totals *t)
{
	json_t *ev = event_of(row, exact_event());

	assert_int_equal(num(row, "programs"), COPIES);
	assert_int_equal(num(row, "runs"), t->runs);
	assert_int_equal(num(row, "measured"), t->runs);
	assert_int_equal(num(ev, "measured"), t->runs);
	assert_true(fabs(real(ev, "total") - t->total) < 1e-3);
	assert_true(fabs(real(ev, "per_run.mean") - t->total / t->runs) < 1e-5);
	assert_true(real(ev, "per_run.min") == t->min);
	assert_true(real(ev, "per_run.max") == t->max);
	assert_int_equal(count_bucket_runs(ev), t->runs);
}

/*
 * Checks the sum of the saved single rows, and the sum in another measurement, in which each
 * program runs equally often. A run costs the minimum, except for interrupts, which are in few runs.
 */
static void test_copies(void **state)
{
	static struct copy c[COPIES];
	static char text[TEXT_SZ];
	struct fixture *f = *state;
	struct totals single, live;
	json_t *doc, *row, *ev;
	struct run *r;
	double p50;

	load_copies(f, c, COPIES, text);
	assert_status(bprof(f, "--name " NAME " -e %s --hist -j -o " SINGLE " -- drive testrun%s",
			    exact_event(), text),
		      0);
	doc = load_file(SINGLE);
	single = add_singles(doc);
	json_decref(doc);
	assert_int_equal(single.runs, count_seen(c, COPIES));

	r = bprof(f, "report " SINGLE " --sum name -j");
	assert_status(r, 0);
	assert_totals(sum_in(r->json, NAME), &single);
	assert_string_equal(str(r->json, "sum"), "name");
	p50 = real(event_of(sum_in(r->json, NAME), exact_event()), "per_run.p50");

	assert_status(bprof(f,
			    "--name " NAME " --sum name -e %s -j -o " SUMMED " -- drive testrun%s",
			    exact_event(), text),
		      0);
	doc = load_file(SUMMED);
	assert_int_equal(json_array_size(json_object_get(doc, "programs")), 1);
	row = sum_in(doc, NAME);
	ev = event_of(row, exact_event());
	live = (struct totals){num(row, "runs"), real(ev, "total"), real(ev, "per_run.min"),
			       real(ev, "per_run.max")};
	assert_int_equal(num(row, "programs"), COPIES);
	assert_true(live.runs == single.runs && live.min == single.min);
	assert_int_equal(2 * live.runs, count_seen(c, COPIES));
	printf("# total %f of single rows, %f of the sum\n", single.total, live.total);
	assert_true(live.total >= live.runs * live.min);
	assert_true(fabs(live.total - real(ev, "per_run.mean") * live.runs) < 1e-3);
	/* Without --hist, there are percentiles but no buckets. Copies may differ by an instruction. */
	assert_true(real(ev, "per_run.p50") == p50);
	assert_null(json_object_get(ev, "hist"));
	json_decref(doc);
	r = bprof(f, "diff " SINGLE " " SUMMED);
	assert_int_equal(r->status, 1);
	assert_contains(r->err, "--sum name");
}

/* Two sums are compared like two programs. The repeats of -r are the blocks of the comparison. */
static void test_diff(void **state)
{
	struct fixture *f = *state;
	struct copy c[3];
	char text[TEXT_SZ];
	struct run *r;

	load_copies(f, c, 3, text);
	for (int i = 0; i < 2; i++)
		assert_status(bprof(f,
				    "--name " NAME " --sum name -r 6 -e %s -j -o %s -- "
				    "drive testrun%s",
				    exact_event(), i ? SUMMED : SINGLE, text),
			      0);
	r = bprof(f, "diff " SINGLE " " SUMMED);
	assert_status(r, 0);
	assert_contains(r->out, NAME);
}

static void test_text(void **state)
{
	struct fixture *f = *state;
	struct copy c[3];
	char text[TEXT_SZ];
	struct run *r;

	load_copies(f, c, 3, text);
	r = bprof(f, "--name 'xdp_*' --sum type -e time -- drive testrun%s", text);
	assert_status(r, 0);
	assert_contains(r->out, "PROGRAMS  NAME");
	assert_contains(r->out, "       3  xdp ");
	r = bprof(f, "--name 'xdp_*' --sum tag -e time -x ';' --header -- drive testrun%s", text);
	assert_contains(r->out, ";programs\n");
	assert_contains(r->out, ";3\n");
	r = bprof(f, "--name 'xdp_*' --sum owner -r 3 -j -e time -- drive testrun%s", text);
	assert_int_equal(num(sum_in(r->json, "ktest"), "programs"), 3);
	assert_int_equal(num(sum_in(r->json, "ktest"), "runs"), 3 * (1 + 2 + 3));
	assert_int_equal(json_array_size(json_object_get(event_of(sum_in(r->json, "ktest"), "time"),
							 "blocks")),
			 3);
	r = bprof(f, "--name 'xdp_*' --sum nothing -- true");
	assert_int_equal(r->status, 2);
	assert_contains(r->err, "--sum nothing: programs can be summed up by name|tag|");
}

/* Runs are summed up by return value. A program without a probe has a row of its own. */
static void test_values(void **state)
{
	struct fixture *f = *state;
	struct target other = load_target(f, "xdp", "xdp_pass"), bare;
	struct copy c[2];
	char text[TEXT_SZ];
	json_t *rows, *row;
	struct run *r;

	load_copies(f, c, 2, text);
	bare = load_bare(f, "bare", other);
	r = bprof(f,
		  "--prog-id %u,%u,%u,%u --sum type --by retval -j -e time -- drive testrun%s %u:4 "
		  "%u:5",
		  c[0].t.id, c[1].t.id, other.id, bare.id, text, other.id, bare.id);
	assert_status(r, 0);
	rows = json_object_get(r->json, "programs");
	assert_int_equal(json_array_size(rows), 3);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++) {
		const char *value = json_string_value(json_object_get(row, "retval_name"));
		bool drop = value && !strcmp(value, "XDP_DROP");

		assert_string_equal(str(row, "name"), "xdp");
		assert_string_equal(str(row, "method"), value ? "fentry" : "run_stats");
		assert_int_equal(num(row, "programs"), drop ? 2 : 1);
		assert_int_equal(num(row, "runs"), drop ? 3 : value ? 4 : 5);
	}
}

/* ---- programs that come and go ---- */

/* Returns the next line of bprof's output, which the caller frees. */
static json_t *next_line(struct child *c)
{
	json_error_t error;
	const char *line = child_line(c);
	json_t *doc = json_loads(line, 0, &error);

	if (!doc)
		fail_test("not a line of JSON: %s", line);
	return doc;
}

/* Waits until the sum has this many programs. Returns the runs of the intervals until then. */
static json_int_t await_programs(struct child *c, int cnt)
{
	json_int_t runs = 0;

	for (int programs = -1; programs != cnt;) {
		json_t *doc = next_line(c), *row = find_sum(doc, NAME);

		programs = row ? num(row, "programs") : 0;
		runs += row ? num(row, "runs") : 0;
		json_decref(doc);
	}
	return runs;
}

/*
 * A program is unloaded and another one is loaded. All runs stay in the sum, which never decreases.
 */
static void test_follow(void **state)
{
	struct fixture *f = *state;
	struct copy c[4] = {load_copy(f), load_copy(f), load_copy(f)};
	struct child *p = bprof_start(f, "--name " NAME " --follow --sum name -j -I 50 -e time");
	json_int_t runs = await_programs(p, 3), left;
	json_t *doc = NULL;
	char *line, *rest;
	struct run *r;

	for (int i = 0; i < 3; i++)
		drive(c[i].t, 10 * (i + 1));
	left = seen(&c[0]) + seen(&c[1]) + seen(&c[2]);
	assert_int_equal(left, 60);
	while (runs < left)
		runs += await_programs(p, 3);
	unload(f, c[1].t);
	runs += await_programs(p, 2);
	c[3] = load_copy(f);
	runs += await_programs(p, 3);
	drive(c[3].t, 7);
	drive(c[0].t, 1);
	while (runs < left + 8)
		runs += await_programs(p, 3);
	assert_int_equal(runs, left + 8);
	child_signal(p, SIGINT);
	r = child_wait(f, p);
	assert_status(r, 0);
	for (line = strtok_r(r->out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_decref(doc);
		doc = json_loads(line, 0, NULL);
	}
	assert_true(json_is_true(json_object_get(doc, "total")));
	assert_int_equal(num(sum_in(doc, NAME), "runs"), left + 8);
	assert_int_equal(num(sum_in(doc, NAME), "programs"), 4);
	json_decref(doc);
}

static void test_top(void **state)
{
	struct fixture *f = *state;
	struct copy c[5];
	char text[TEXT_SZ];
	struct run *r;

	load_copies(f, c, 5, text);
	command_start(f, "sh -c 'while drive testrun%s; do :; done'", text);
	r = bprof(f, "top --batch -n 3 -I 500ms --sum name --name 'xdp_*' -e time");
	assert_status(r, 0);
	assert_contains(r->out, "   5x  " NAME);
}

#define LOOPBACK 1
#define SKB_MODE (1U << 1) /* XDP_FLAGS_SKB_MODE */

struct elsewhere {
	pid_t pid;
	unsigned long net;
};

/*
 * Attaches the program to lo of a new network namespace, by a link or by netlink. The namespace
 * lives as long as its process.
 */
static struct elsewhere attach_elsewhere(const struct target *t, bool link)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = SKB_MODE);
	struct elsewhere e = {};
	int pipe_fd[2];
	struct stat st;

	assert_int_equal(pipe(pipe_fd), 0);
	e.pid = fork();
	if (!e.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!unshare(CLONE_NEWNET) && !stat("/proc/self/ns/net", &st) &&
		    (link ? bpf_link_create(t->fd, LOOPBACK, BPF_XDP, &opts) >= 0
			  : !bpf_xdp_attach(LOOPBACK, t->fd, SKB_MODE, NULL)))
			e.net = st.st_ino;
		if (write(pipe_fd[1], &e.net, sizeof(e.net)) == sizeof(e.net))
			pause();
		_exit(1);
	}
	close(pipe_fd[1]);
	assert_int_equal(read(pipe_fd[0], &e.net, sizeof(e.net)), sizeof(e.net));
	close(pipe_fd[0]);
	assert_true(e.net);
	return e;
}

/* The devices of several network namespaces have the same index. They have separate rows. */
static void test_namespaces(void **state)
{
	struct fixture *f = *state;
	struct copy c[3];
	struct elsewhere e[2];
	char text[TEXT_SZ], name[64];
	struct run *r;

	load_copies(f, c, 3, text);
	assert_int_equal(bpf_xdp_attach(LOOPBACK, c[2].t.fd, SKB_MODE, NULL), 0);
	for (int i = 0; i < 2; i++)
		e[i] = attach_elsewhere(&c[i].t, i);
	r = bprof(f, "-j --name %s --sum device -e time -- drive testrun%s", NAME, text);
	assert_status(r, 0);
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%d@net:[%lu]", LOOPBACK, e[i].net);
		assert_int_equal(num(sum_in(r->json, name), "runs"), RUNS(i));
	}
	assert_int_equal(num(sum_in(r->json, "lo"), "runs"), RUNS(2));
	for (int i = 0; i < 2; i++) {
		kill(e[i].pid, SIGKILL);
		waitpid(e[i].pid, NULL, 0);
	}
	assert_int_equal(bpf_xdp_detach(LOOPBACK, SKB_MODE, NULL), 0);
}

KTEST_GROUP(sums, "sums of programs", NULL, ON(SMP4), KTEST(test_text), KTEST(test_values),
	    KTEST(test_follow), KTEST(test_top), KTEST(test_namespaces));

KTEST_GROUP(sums_exact, "that a sum is that of its programs", NULL, ON(EXACT),
	    KTEST(test_copies, LONG), KTEST(test_diff));
