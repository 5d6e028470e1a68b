// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests targets that cannot be measured: bprof reports the true reason for each of them, and still
 * measures all other targets.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define NO_SUCH_ID 4000000000U

static void assert_run_stats(const struct run *r, __u32 id, __u64 runs)
{
	json_t *row = row_of(r, id);

	assert_string_equal(str(row, "method"), "run_stats");
	if (num(row, "runs") != (json_int_t)runs)
		fail_test("program %u ran %llu times: %s", id, runs, r->out);
	assert_string_equal(str(event_of(row, "time"), "status"), "ok");
	if (num(event_of(row, "time"), "total") <= 0)
		fail_test("no time: %s", r->out);
}

static void test_no_such_id(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u -e time -- true", NO_SUCH_ID);
	assert_status(r, 8);
	assert_contains(r->err, "4000000000");

	r = bprof(f, "-j -b %u,%u -e time -- drive testrun %u:5", NO_SUCH_ID, t.id, t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 5);
	assert_non_null(skip_reason(r, NO_SUCH_ID));
	assert_string_equal(skip_reason(r, NO_SUCH_ID), "no_such_prog");
	assert_contains(r->err, "4000000000");
}

/* bprof exits with status 2, its message points at the error, and it runs nothing. */
static void test_bad_arguments(void **state)
{
	static const struct {
		const char *args;
		bool caret;
	} bad[] = {
		{"-b 42x", true},
		{"-b ''", false},
		{"-b 7,", true},
		{"-b ,7", true},
		{"-b -1", true},
		{"-b 99999999999", true},
		{"--prog-id 1,,2", true},
		{"-b 1 -e cycles,nonsense", true},
		{"-b 1 -e ''", false},
		{"-b 1 -e time,", true},
		{"-b 1 -C 0-", true},
		{"-b 1 -C x", true},
		{"--type xdp,nonsense", true},
		{"--tag 0123456789abcdeg", false},
		{"--name ''", false},
		{"-b 1 --no-such-option", false},
		{"-b 1 -I", false},
		{"-b 1 -I 0", false},
		{"-b 1 -r 0", false},
		{"-b 1 --interval-count 3", false},
		{"-b 1 --append", false},
		{"-e time", false},
		{"", false},
		{"nonsense", false},
		/* too many events: 17 */
		{"-b 1 -e r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10,r11", false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run *r = bprof(f, "%s -- touch /tmp/was-run", bad[i].args);

		if (r->status != 2 || !*r->err || *r->out)
			fail_test("bprof %s: status %d\nstdout: %s\nstderr: %s", bad[i].args,
				  r->status, r->out, r->err);
		if (bad[i].caret && !strstr(r->err, "^"))
			fail_test("bprof %s: no caret: %s", bad[i].args, r->err);
		assert_status(command(f, "test ! -e /tmp/was-run"), 0);
	}
}

/*
 * Events that count nothing in the kernel of the host would show 0 for every program. Every command
 * that measures programs refuses such events; bprof system accepts them.
 */
static void test_excluded_events(void **state)
{
	static const char *const events[] = {"instructions:u",	 "instructions:h", "cycles:G",
					     "instructions:ppu", "cycles:uh",	   "r8:u",
					     "cpu-clock:u",	 "task-clock:u",   "page-faults:u",
					     "{cycles:u,time}",	 "{cycles,r8}:u"};
	static const char *const commands[] = {"stat -b %u -e %s",
					       "trace -b %u --every 1 -e %s",
					       "top --batch -n 1 --prog-id %u -e %s",
					       "export -o /tmp/was-run --prog-id %u -e %s",
					       "bench --prog-id %u -e %s",
					       "record -o /tmp/was-run -b %u -e %s"};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		const char *command = commands[i % (sizeof(commands) / sizeof(commands[0]))];
		char args[256];

		snprintf(args, sizeof(args), command, t.id, events[i]);
		r = bprof(f, "%s", args);
		if (r->status != 2 || *r->out)
			fail_test("bprof %s: status %d: %s", args, r->status, r->err);
		assert_contains(r->err, "counts nothing in BPF programs");
	}
	r = bprof(f, "-b %u -e cpu-clock:uk,page-faults:H,task-clock:k -- drive testrun %u:5", t.id,
		  t.id);
	assert_status(r, 0);
	r = bprof(f, "system -j -a --method perf_event -e cpu-clock:u,page-faults:u -- true");
	assert_status(r, 0);
}

/*
 * A note names an event that is 0 in every run and in the runs of the calibration's empty program.
 */
static void test_zero_event(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	const char *event = arch_is("aarch64") ? "cycles,r0" : machine_event(); /* r0: SW_INCR */
	struct run *r =
		bprof(f, "-b %u -e %s,page-faults,time -- drive testrun %u:5", t.id, event, t.id);

	assert_status(r, 0);
	assert_int_equal(!!strstr(r->out, "r0 is 0 in every run"), arch_is("aarch64"));
	assert_null(strstr(r->out, "cycles is 0"));
	assert_null(strstr(r->out, "page-faults is 0"));
}

static void test_no_btf(void **state)
{
	struct fixture *f = *state;
	struct target raw = load_raw(f);
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u,%u -e %s,time -- drive testrun %u:50 %u:6", raw.id, t.id,
		  machine_event(), raw.id, t.id);
	assert_status(r, 0);
	assert_run_stats(r, raw.id, 50);
	assert_string_not_equal(str(event_of(row_of(r, raw.id), machine_event()), "status"), "ok");
	assert_contains(r->err, "has no BTF");
	assert_counted(r, t.id, 6);
}

/* If all functions are wanted, the program is one of them, even if no function is known. */
static void test_no_btf_all_functions(void **state)
{
	struct fixture *f = *state;
	struct target raw = load_raw(f);
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r =
		bprof(f, "-j --all --func '*' -e time -- drive testrun %u:50 %u:6", raw.id, t.id);

	assert_status(r, 0);
	assert_run_stats(r, raw.id, 50);
	assert_contains(r->err, "has no BTF");
	assert_counted(r, t.id, 6);

	r = bprof(f, "-j -b %u --func '*' -e time -- drive testrun %u:50", raw.id, raw.id);
	assert_status(r, 0);
	assert_run_stats(r, raw.id, 50);
	assert_null(strstr(r->err, "matches"));

	r = bprof(f, "trace -j -b %u --func '*' -e time --every 1 --timeout 50", raw.id);
	assert_status(r, 4);
	assert_contains(r->err, "has no BTF");

	r = bprof(f, "-j -b %u --func some -e time --timeout 50", raw.id);
	assert_status(r, 4);
	assert_contains(r->err, "has no BTF");
}

static void test_not_jited(void **state)
{
	struct fixture *f = *state;
	struct target t;
	struct run *r;

	write_file(JIT_ENABLE, "0");
	t = load_target(f, "xdp", "xdp_pass");
	write_file(JIT_ENABLE, "1");
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:50", t.id, t.id);
	assert_status(r, 0);
	assert_run_stats(r, t.id, 50);
	assert_contains(r->err, "not JITed");
}

static struct target attach_tracing(struct fixture *f, const char *prog, struct target to,
				    const char *func)
{
	struct target t = load_tracing(f, prog, to, func);

	assert_non_null(try_attach(f, t));
	return t;
}

/* Since Linux 6.8, a tracing program can be traced, unless it itself traces a tracing program. */
static void test_tracing_target(void **state)
{
	struct fixture *f = *state;
	struct target xdp = load_target(f, "xdp", "xdp_pass");
	struct target one = attach_tracing(f, "fentry_one", xdp, "xdp_pass"), two;
	struct run *r;

	r = bprof(f, "-j -b %u -e time -- drive testrun %u:50", one.id, xdp.id);
	assert_status(r, 0);
	if (kernel_is("6.1")) {
		assert_run_stats(r, one.id, 50);
		assert_contains(r->err, "tracing program");
		return;
	}
	assert_counted(r, one.id, 50);
	two = attach_tracing(f, "fentry_two", one, "fentry_one");
	r = bprof(f, "-j -b %u,%u -e time -- drive testrun %u:50", two.id, xdp.id, xdp.id);
	assert_status(r, 0);
	assert_run_stats(r, two.id, 50);
	assert_contains(r->err, "tracing program");
	assert_counted(r, xdp.id, 50);
}

/*
 * The kernel allows 38 tracing programs on one function, or fewer if the trampoline's code would be
 * larger than a page. bprof's pair of programs does not fit if the kernel allows only one more
 * program, or none.
 */
static void test_too_many_links(void **state)
{
	struct fixture *f = *state;
	struct target xdp = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	while (try_attach(f, load_tracing(f, "fentry_one", xdp, "xdp_pass")))
		;
	assert_int_equal(errno, E2BIG);
	for (int i = 0; i < 2; i++) {
		r = bprof(f, "-j -b %u -e time -- drive testrun %u:50", xdp.id, xdp.id);
		assert_status(r, 0);
		assert_run_stats(r, xdp.id, 50);
		assert_contains(r->err, "no room for more fentry/fexit links");
		bpf_link__destroy(f->link[--f->link_cnt]);
	}
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:50", xdp.id, xdp.id);
	assert_status(r, 0);
	assert_counted(r, xdp.id, 50);
}

/*
 * QEMU's CPUs have no cache events. bprof reports a cache event as not supported and measures the
 * other event.
 */
static void test_event_not_supported(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	json_t *row;
	struct run *r;

	r = bprof(f, "-j -b %u -e cache-misses,%s,time -- drive testrun %u:50", t.id,
		  machine_event(), t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 50);
	row = row_of(r, t.id);
	assert_string_equal(str(event_of(row, "cache-misses"), "status"), "not_supported");
	assert_string_equal(str(event_of(row, machine_event()), "status"), "ok");
	assert_string_equal(str(event_of(row, "time"), "status"), "ok");
}

static void test_no_event_supported(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u -e cache-misses,L1-dcache-load-misses -- drive testrun %u:50", t.id,
		  t.id);
	assert_status(r, 4);
	assert_contains(r->err, "cache-misses");
	assert_contains(r->err, "time");
}

static void test_no_capabilities(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = command(f, "drive nobody none bprof -j -b %u -e time -o - -- true", t.id);
	assert_status(r, 7);
	assert_contains(r->err, "CAP_SYS_ADMIN");
	r = command(f, "drive nobody cap_bpf,cap_perfmon bprof -j -b %u -e time -o - -- true",
		    t.id);
	assert_status(r, 7);
	assert_contains(r->err, "CAP_SYS_ADMIN");
	r = command(f, "drive nobody none bprof -j --all -e time -o - -- true");
	assert_status(r, 7);
	assert_contains(r->err, "CAP_SYS_ADMIN");
}

static void test_capabilities_do(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *c;
	struct run *r;

	/* A COMMAND would have no capability, so it could not run the program. */
	c = command_start(f,
			  "drive nobody cap_bpf,cap_perfmon,cap_sys_admin "
			  "bprof -j -I 50 -b %u -e %s,time",
			  t.id, machine_event());
	child_line(c);
	drive(t, 50);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(sum_of_runs(r->out, t.id), 50);
	assert_null(strstr(r->out, "\"status\":\"not_"));
}

/*
 * At whatever point bprof runs out of file descriptors, it says so. It then measures nothing, or by
 * another method, or the numbers are raw.
 */
static void test_few_descriptors(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	int other = 0, raw = 0, net = 0;

	for (int limit = 8; limit <= 64; limit += 3) {
		struct run *r = command(f, "drive files %d bprof -j -b %u -e time -o - -- true",
					limit, t.id);

		if (r->status || strcmp(str(row_of(r, t.id), "method"), "fentry")) {
			assert_true(!r->status || r->status == 1 || r->status == 4);
			assert_string_not_equal(r->err, "");
			other++;
		} else if (json_is_true(json_object_get(r->json, "calibrated"))) {
			assert_string_equal(r->err, "");
			net++;
		} else {
			assert_contains(r->err, "not calibrated, numbers are raw: ");
			raw++;
		}
	}
	printf("# with few descriptors: %d not by fentry, %d raw, %d net\n", other, raw, net);
	assert_true(other && net);
}

KTEST_GROUP(refusals, "targets that cannot be measured, and why", NULL, ON(SMP4),
	    KTEST(test_no_such_id), KTEST(test_bad_arguments), KTEST(test_excluded_events),
	    KTEST(test_zero_event), KTEST(test_no_btf), KTEST(test_no_btf_all_functions),
	    KTEST_WITH(setup, teardown_jit, test_not_jited), KTEST(test_tracing_target),
	    KTEST(test_too_many_links, LONG), KTEST(test_event_not_supported),
	    KTEST(test_no_event_supported), KTEST(test_few_descriptors, LONG),
	    KTEST(test_no_capabilities), KTEST(test_capabilities_do));
