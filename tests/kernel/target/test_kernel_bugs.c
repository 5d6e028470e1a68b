// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests programs with functions that crash this kernel if they are probed. bprof does not probe
 * these functions, and measures all others. tests/kernel_bugs.sh shows that the kernel would crash.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define RUNS 200
#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"

/* Loads a program of tests/progs/throws.bpf.c, or skips the test if the kernel has no exceptions. */
static struct target load_thrower(struct fixture *f, const char *prog)
{
	if (kernel_is("6.1") || kernel_is("5.10"))
		skip_test("throw", "bpf_throw() came with Linux 6.7");
	return load_target(f, "throws", prog);
}

/* Returns the row of a function of a program, or NULL. */
static json_t *find_func(const struct run *r, __u32 id, const char *func)
{
	json_t *rows = json_object_get(r->json, "programs"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (num(row, "id") == id && !strcmp(str(row, "func"), func))
			return row;
	return NULL;
}

static void assert_runs(const struct run *r, __u32 id, const char *func, json_int_t runs)
{
	json_t *row = find_func(r, id, func);

	if (!row)
		fail_test("no row of %s: %s\n%s", func, r->out, r->err);
	assert_string_equal(str(row, "method"), "fentry");
	if (num(row, "runs") != runs || num(row, "measured") != runs)
		fail_test("%s: not %lld runs: %s", func, (long long)runs, r->out);
}

/* Checks that the function was skipped for this reason. */
static void assert_skipped(const struct run *r, __u32 id, const char *prog, const char *func,
			   const char *reason)
{
	json_t *skips = json_object_get(r->json, "skipped"), *skip;
	char name[128];

	snprintf(name, sizeof(name), "%s:%s", prog, func);
	for (size_t i = 0; (skip = json_array_get(skips, i)); i++)
		if (num(skip, "id") == id && !strcmp(str(skip, "name"), name))
			break;
	if (!skip || strcmp(str(skip, "reason"), reason))
		fail_test("%s was not refused: %s\n%s", name, r->out, r->err);
	assert_null(find_func(r, id, func));
}

/* Checks that the function was skipped because bpf_throw() may leave it. */
static void assert_refused(const struct run *r, __u32 id, const char *prog, const char *func)
{
	assert_skipped(r, id, prog, func, "throw");
}

static void assert_note(const struct run *r, __u32 id, const char *func, const char *note)
{
	json_t *notes = json_object_get(find_func(r, id, func), "notes"), *one;

	for (size_t i = 0; (one = json_array_get(notes, i)); i++)
		if (strstr(json_string_value(one), note))
			return;
	fail_test("no note \"%s\": %s", note, r->out);
}

/* Runs bprof on all functions of a program while it runs. */
static struct run *measure_all(struct fixture *f, struct target t)
{
	struct run *r =
		bprof(f, "-j -b %u --func '*' -e time -- drive testrun %u:%d", t.id, t.id, RUNS);

	assert_status(r, 0);
	return r;
}

static void test_throw_deep(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_deep");
	struct run *r = measure_all(f, t);
	char line[128];

	assert_refused(r, t.id, "throw_deep", "outer");
	assert_refused(r, t.id, "throw_deep", "inner");
	assert_runs(r, t.id, "throw_deep", RUNS);
	/* quiet() runs once in each run of throw_deep, and twice more in each run that does not throw */
	assert_runs(r, t.id, "quiet", RUNS + RUNS);
	assert_note(r, t.id, "throw_deep",
		    "its cost includes outer and inner, not measured: bpf_throw() may");

	/* one line for the reason; with -v, one line for each function */
	snprintf(line, sizeof(line), "%u throw_deep:outer, %u throw_deep:inner: may be left by",
		 t.id, t.id);
	r = bprof(f, "-b %u --func '*' -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_contains(r->err, line);
	assert_contains(r->out, line);
	r = bprof(f, "-v -b %u --func '*' -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_contains(r->err, "throw_deep:inner: may be left by");
	assert_contains(r->out, "throw_deep:inner: may be left by");
	assert_contains(r->out, "throw_deep:outer: may be left by");

	r = bprof(f, "-j -b %u:inner -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_status(r, 4);
	assert_contains(r->err, "may be left by bpf_throw()");
	r = bprof(f, "-j -b %u:inner,%u -e time -- drive testrun %u:%d", t.id, t.id, t.id, RUNS);
	assert_status(r, 0);
	assert_counted(r, t.id, RUNS);
}

static void test_throw_own(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_own");
	struct run *r = measure_all(f, t);

	assert_runs(r, t.id, "throw_own", RUNS);
	assert_runs(r, t.id, "quiet", RUNS / 2);
	assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 0);
}

/* The kernel refuses probes on an exception callback. */
static void test_throw_caught(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_caught");
	struct run *r = measure_all(f, t);

	assert_refused(r, t.id, "throw_caught", "outer");
	assert_refused(r, t.id, "throw_caught", "inner");
	assert_runs(r, t.id, "throw_caught", RUNS);
	assert_runs(r, t.id, "tidy", RUNS / 2); /* the callback calls it */
	assert_null(find_func(r, t.id, "handler"));
	assert_contains(r->err, "cannot attach to exception callback");
}

/* The calls of a run are counted up to the end of the run, whichever way it ends. */
static void test_throw_calls(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_calls");
	struct run *r = bprof(f, "-j -b %u --func '*' --calls '*' -e time -- drive testrun %u:%d",
			      t.id, t.id, RUNS);

	assert_status(r, 0);
	assert_refused(r, t.id, "throw_calls", "draw");
	assert_runs(r, t.id, "throw_calls", RUNS);
	assert_runs(r, t.id, "bpf_user_rnd_u32", 2 * RUNS + RUNS / 2);
}

/* bprof probes functions that call kfuncs other than bpf_throw(). */
static void test_throw_none(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_none");
	struct run *r = measure_all(f, t);

	assert_runs(r, t.id, "throw_none", RUNS);
	assert_runs(r, t.id, "locked", RUNS);
	assert_runs(r, t.id, "quiet", RUNS);
}

/* A throw in an extension ends only the extension. The function that the extension replaces returns normally. */
static void test_throw_ext(void **state)
{
	struct fixture *f = *state;
	struct target root = load_thrower(f, "throw_host"), ext;
	struct bpf_object *obj = open_object(f, PROGS_DIR "/throws.bpf.o");
	struct bpf_program *prog;
	struct bpf_link *link;
	struct run *r;

	bpf_object__for_each_program (prog, obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), "throw_ext"));
	prog = bpf_object__find_program_by_name(obj, "throw_ext");
	assert_int_equal(bpf_program__set_attach_target(prog, root.fd, "slot"), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	ext = program_of(obj, "throw_ext");
	link = bpf_program__attach_freplace(prog, 0, NULL);
	assert_non_null(link);
	keep_link(f, link);
	r = bprof(f, "-j -b %u,%u --func '*' -e time -- drive testrun %u:%d", root.id, ext.id,
		  root.id, RUNS);
	assert_status(r, 0);
	assert_refused(r, ext.id, "throw_ext", "ext_inner");
	assert_runs(r, ext.id, "throw_ext", RUNS);
	assert_runs(r, ext.id, "quiet", RUNS / 2);
	assert_refused(r, root.id, "throw_host", "outer");
	assert_runs(r, root.id, "throw_host", RUNS);
	assert_runs(r, root.id, "around", RUNS);
	assert_contains(r->err, "freplace"); /* slot */
}

static void test_throw_commands(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_deep");
	struct child *c;
	struct run *r;

	r = bprof(f, "trace --every 1 -j -b %u:inner -e time -- drive testrun %u:%d", t.id, t.id,
		  RUNS);
	assert_status(r, 4);
	assert_contains(r->err, "throw_deep:inner: may be left by bpf_throw()");
	r = bprof(f, "trace --every 1 -j -b %u:quiet -e time -- drive testrun %u:%d", t.id, t.id,
		  RUNS);
	assert_status(r, 0);
	assert_contains(r->out, "\"quiet\"");
	command_start(f, "drive testrun %u:1000000000", t.id);
	r = bprof(f, "top --batch --func '*' -e time -n 3 -I 100ms");
	assert_status(r, 0);
	assert_contains(r->out, "throw_deep:quiet");
	c = bprof_start(
		f, "export -o throws.prom -I 100 --min-age 0 --name throw_deep --func '*' -e time");
	/* bprof writes the file for the first time before it handles signals */
	r = command(
		f, "sh -c \"until grep -q 'looks_total [2-9]' throws.prom; do sleep 0.1; done; cat "
		   "throws.prom\"");
	assert_contains(r->out, "function=\"quiet\"");
	if (strstr(r->out, "function=\"inner\""))
		fail_test("inner was measured: %s", r->out);
	child_signal(c, SIGTERM);
	assert_status(child_wait(f, c), 0);
	assert_int_equal(unlink("throws.prom"), 0);
	r = command(f, "bprof doctor %u", t.id);
	assert_contains(r->out, "kernel_bug");
	assert_contains(r->out, "not probed: outer, inner");
}

static void test_throw_bench(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_deep");
	struct run *r;

	r = bprof(f, "bench -j " PROGS_DIR "/throws.bpf.o --prog throw_deep --func '*' -e time");
	assert_status(r, 0); /* like bprof stat, bench succeeds although it skips functions */
	assert_contains(r->out, "\"quiet\"");
	assert_contains(r->err, "throw_deep:inner: may be left by bpf_throw()");
	/* If a named function, or all functions of a program, cannot be measured, bench fails. */
	r = bprof(f, "bench -j -b %u:inner,%u:quiet -e time", t.id, t.id);
	assert_int_equal(r->status, 1);
	assert_contains(r->out, "\"quiet\"");
	r = bprof(f, "bench -j " PROGS_DIR
		     "/throws.bpf.o --prog throw_deep --prog throw_none --func '[il]*' -e time");
	assert_int_equal(r->status, 1);
	assert_contains(r->out, "\"locked\"");
}

/* If the kernel hides addresses, each call of a kfunc may be a call of bpf_throw(). */
static void test_throw_hidden(void **state)
{
	struct fixture *f = *state;
	struct target deep = load_thrower(f, "throw_deep"),
		      none = load_target(f, "throws", "throw_none");
	struct run *r;

	write_file(KPTR_RESTRICT, "2");
	r = bprof(f, "-j -b %u,%u --func '*' -e time -- drive testrun %u:%d %u:%d", deep.id,
		  none.id, deep.id, RUNS, none.id, RUNS);
	write_file(KPTR_RESTRICT, "0");
	assert_status(r, 0);
	assert_refused(r, deep.id, "throw_deep", "outer");
	assert_refused(r, deep.id, "throw_deep", "inner");
	assert_runs(r, deep.id, "throw_deep", RUNS);
	assert_runs(r, deep.id, "quiet", RUNS + RUNS);
	assert_refused(r, none.id, "throw_none", "locked");
	assert_runs(r, none.id, "quiet", RUNS);
	assert_contains(r->err, "kernel.kptr_restrict");
}

/* With --follow, a program that is loaded during the measurement is checked like the first ones. */
static void test_throw_follow(void **state)
{
	struct fixture *f = *state;
	struct run *r, total = {};
	struct child *c;
	struct target t;
	char *end;

	load_thrower(f, "throw_none");
	c = bprof_start(f, "stat --follow --name throw_deep --func '*' -j -I 50 -e time");
	child_line(c);
	t = load_target(f, "throws", "throw_deep");
	while (!strstr(child_line(c), "\"func\":\"quiet\""))
		;
	drive(t, RUNS);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	end = strrchr(r->out, '\n');
	assert_non_null(end);
	*end = '\0';
	total.out = strrchr(r->out, '\n') ? strrchr(r->out, '\n') + 1 : r->out;
	total.json = json_loads(total.out, 0, NULL);
	assert_runs(&total, t.id, "throw_deep", RUNS);
	assert_runs(&total, t.id, "quiet", RUNS + RUNS);
	json_decref(total.json);
	assert_contains(r->err, "throw_deep:inner: may be left by bpf_throw()");
}

/*
 * Runs that throw are measured exactly: every second run has 50 more instructions. Both kinds of
 * runs are compared within one session: bpf_throw() searches all loaded programs, including the
 * probes, for the program of each address on the stack, and the cost of the search depends on the
 * addresses of all these programs.
 */
static void test_throw_exact(void **state)
{
	struct fixture *f = *state;
	struct target t = load_thrower(f, "throw_always");
	json_t *event;
	struct run *r;

	r = bprof(f, "-j -b %u -e %s -- drive testrun %u:%d", t.id, exact_event(), t.id, RUNS);
	assert_counted(r, t.id, RUNS);
	event = event_of(row_of(r, t.id), exact_event());
	assert_true(num(event, "per_run.min") > 0);
	assert_int_equal(num(event, "per_run.p90") - num(event, "per_run.min"), 50);
}

/* If a function takes more arguments than its BTF declares, a probe would overwrite them. */
static void test_hidden_args(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "hidden_args", "hidden_args");
	struct run *r = measure_all(f, t);

	assert_skipped(r, t.id, "hidden_args", "hidden", "hidden_args");
	assert_contains(r->err,
			"hidden_args:hidden: takes arguments that its BTF does not declare");
	assert_contains(r->err, "it takes 1, not 0");
	assert_skipped(r, t.id, "hidden_args", "passes", "hidden_args");
	assert_contains(r->err, "it takes 5, not 0");
	assert_runs(r, t.id, "hidden_args", RUNS);
	assert_runs(r, t.id, "declared", RUNS);
	assert_runs(r, t.id, "none", RUNS);
	assert_runs(r, t.id, "prints", RUNS);
	/* the kernel saves all five arguments of a function whose declaration it does not trust */
	assert_runs(r, t.id, "distrusted", RUNS);
	r = bprof(f, "-j -b %u:hidden -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_status(r, 4);
}

/* While the JIT is off, no command attaches a probe to a program that was compiled before. */
static void test_jit_off(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_0");
	const char *const why = "the kernel does not compile the probe to machine code";
	struct run *r;

	write_file(JIT_ENABLE, "0");
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_int_equal(num(row_of(r, t.id), "runs"), RUNS);
	assert_contains(r->err, why);
	r = bprof(f, "-j --no-calibrate -b %u -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	r = bprof(f, "-j -b %u --by retval -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_contains(r->err, why);
	r = bprof(f, "trace --every 1 -b %u -e time -- drive testrun %u:%d", t.id, t.id, RUNS);
	assert_status(r, 4);
	assert_contains(r->err, why);
	r = bprof(f, "-j -b %u --method samples -e cpu-clock -- drive testrun %u:%d", t.id, t.id,
		  RUNS);
	assert_status(r, 4);
	assert_contains(r->err, "does not compile");
	r = bprof(f, "system -j -a -e cpu-clock -- true");
	assert_status(r, 0);
	assert_null(strstr(r->out, "\"bperf\""));
	unlink("/sys/fs/bpf/perf_attr_map");
	r = bprof(f, "doctor %u", t.id);
	assert_contains(r->out, "does not compile");
	/* A network namespace hides the sysctl, as does a kernel that is built without a JIT. */
	r = command(f, "unshare -n bprof doctor");
	assert_status(r, 4);
	assert_contains(r->out, "this kernel has none: interpreted programs cannot be probed");
	r = bprof(f, "list");
	assert_status(r, 0);
	assert_contains(r->err, why);
}

/*
 * An interpreted program calls bpf_get_current_task(). If this crashes the kernel, bench must not run
 * the program, whether bench loads it or it is already loaded.
 */
static void test_bench_interpreted(void **state)
{
	static const char why[] = "is interpreted, not JITed: running it may crash this kernel";
	static const char ctx[] = "/tmp/ktest-ctx";
	struct fixture *f = *state;
	bool crashes = arch_is("aarch64") && kernel_is("6.12");
	struct target t;
	struct run *r;

	/* For arm64, Linux 7.2 loads no such program. */
	if (arch_is("aarch64") && kernel_is("7"))
		skip_test("bench_interpreted", "the kernel refuses the program");
	command(f, "sh -c 'echo 0123456789abcdef >%s'", ctx);
	write_file(JIT_ENABLE, "0");
	r = bprof(f, "bench -j -e time --blocks 6 --repeat 3 --ctx-in %s " PROGS_DIR "/task.bpf.o",
		  ctx);
	assert_status(r, crashes ? 4 : 0);
	assert_int_equal(!!strstr(r->err, why), crashes);
	t = load_target(f, "task", "raw_tp_task");
	r = bprof(f, "bench -j -e time --blocks 6 --repeat 3 --prog-id %u --ctx-in %s", t.id, ctx);
	assert_status(r, crashes ? 4 : 0);
	assert_int_equal(!!strstr(r->err, why), crashes);
	unlink(ctx);
}

/*
 * Turns the JIT off while bprof attaches and detaches a probe in turns, and before --follow finds a
 * new program. bprof goes on measuring.
 */
static void test_jit_turned_off(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "alu", "xdp_alu_0");
	struct run *r;
	struct child *c;

	r = bprof(f,
		  "-j --max-overhead 1%% -b %u -e time -- sh -c \"(drive pace %u 50000 0 1000; "
		  "echo 0 "
		  ">" JIT_ENABLE "; drive pace %u 50000 0 2000) >&2\"",
		  t.id, t.id, t.id);
	assert_status(r, 0);
	assert_true(num(row_of(r, t.id), "runs") > 0);
	write_file(JIT_ENABLE, "1");
	c = bprof_start(f, "stat --follow --name xdp_alu_0 --name xdp_pass -j -I 50 -e time");
	child_line(c);
	write_file(JIT_ENABLE, "0");
	t = load_target(f, "xdp", "xdp_pass");
	while (!strstr(child_line(c), "\"xdp_pass\""))
		;
	drive(t, RUNS);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->err, "is interpreted, not JITed");
}

KTEST_GROUP(kernel_bugs, "functions that crash the kernel if they are probed", NULL, ON(SMP4),
	    KTEST(test_throw_deep, ALSO_NEWEST), KTEST(test_throw_own), KTEST(test_throw_caught),
	    KTEST(test_throw_calls, ALSO_NEWEST), KTEST(test_throw_none),
	    KTEST(test_throw_ext, ALSO_NEWEST), KTEST(test_throw_commands, LONG),
	    KTEST(test_throw_bench, LONG), KTEST(test_throw_follow),
	    KTEST(test_hidden_args, ALSO_NEWEST), KTEST(test_throw_hidden, ALSO_NEWEST),
	    KTEST_WITH(setup, teardown_jit, test_jit_off, ALSO_NEWEST),
	    KTEST_WITH(setup, teardown_jit, test_jit_turned_off, LONG),
	    KTEST_WITH(setup, teardown_jit, test_bench_interpreted));

KTEST_GROUP(kernel_bugs_exact, "counts of programs that throw", NULL, ON(EXACT),
	    KTEST(test_throw_exact));
