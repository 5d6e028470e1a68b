// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests kernels on which a security policy or lockdown refuses tracing programs. bprof makes the
 * measurements that are still possible, and reports the true reason why others are impossible.
 * Lockdown cannot be undone, so this group must be the last one in its VM.
 */
#include <errno.h>
#include <string.h>

#include "tests/kernel/bench/bench_case.h"
#include "tests/kernel/system/counting.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

/* Attaches a policy: loading a tracing program then fails with EPERM, even for root. */
static void deny_tracing(struct fixture *f, const char *test)
{
	struct target policy = load_target(f, "lsm", "deny_tracing");

	if (!try_attach(f, policy))
		skip_test(test, strerror(errno));
}

static struct run *measure_denied(struct fixture *f, __u32 id)
{
	struct run *r =
		bprof(f, "-j -b %u -e %s,time -- drive testrun %u:50", id, machine_event(), id);
	json_t *row;

	assert_status(r, 0);
	row = row_of(r, id);
	assert_string_equal(str(row, "method"), "run_stats");
	assert_int_equal(num(row, "runs"), 50);
	assert_string_equal(str(event_of(row, "time"), "status"), "ok");
	return r;
}

static void test_policy(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	deny_tracing(f, "policy");
	r = measure_denied(f, t.id);
	assert_contains(r->err, "security module");
	assert_null(strstr(r->err, "locked down"));
	r = bprof(f, "doctor");
	assert_int_not_equal(r->status, 0);
}

/* If a policy denies tracing, the self-test shows the kernel's times, and says why nothing else. */
static void test_policy_self_test(void **state)
{
	struct fixture *f = *state;
	json_t *kind, *contexts, *context;
	struct run *r;
	size_t i;

	deny_tracing(f, "policy");
	r = bprof(f, "doctor --self-test -j");
	assert_status(r, 0);
	kind = json_array_get(json_object_get(r->json, "cpu_kinds"), 0);
	assert_contains(str(kind, "no_probe"), "security module");
	assert_int_equal(json_array_size(json_object_get(kind, "probe_cost")), 0);
	contexts = json_object_get(kind, "contexts");
	json_array_foreach(contexts, i, context)
	{
		json_t *event = json_array_get(json_object_get(context, "events"), 0);

		assert_string_equal(str(context, "method"), "run_stats");
		assert_string_equal(str(event, "name"), "time");
		assert_true(num(context, "runs") >= num(context, "driven"));
		assert_true(real(event, "empty.mean") > 0);
	}
	assert_int_equal(i, 6);
}

/*
 * Lockdown's level "integrity" allows tracing. If a policy refuses tracing at this level, bprof
 * must report the policy as the reason, and not lockdown.
 */
static void test_policy_integrity(void **state)
{
	write_file(LOCKDOWN, "integrity");
	test_policy(state);
}

/*
 * bprof works under lockdown: lockdown only prevents tracing programs from reading kernel memory,
 * and the probes do not need that.
 */
static void test_lockdown(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	write_file(LOCKDOWN, "confidentiality");
	r = bprof(f, "-j -b %u -e %s,time -- drive testrun %u:50", t.id, machine_event(), t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 50);
	assert_contains(bprof(f, "doctor")->out, "confidentiality");
}

/*
 * Lockdown hides the addresses of trampolines, which bprof uses on arm64. bprof still measures all
 * functions.
 */
static void test_lockdown_functions(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "tree", "xdp_tree");
	json_int_t measured = 0;
	json_t *rows;
	struct run *r;

	r = bprof(f, "-j -v -b %u --func '*' -e %s,time -- drive testrun %u:50", t.id,
		  machine_event(), t.id);
	assert_status(r, 0);
	rows = json_object_get(r->json, "programs");
	for (size_t i = 0; i < json_array_size(rows); i++)
		measured += num(json_array_get(rows, i), "measured");
	assert_int_equal(measured, 50 * 18); /* a run has 18 calls, see test_tree.c */
	assert_int_equal(
		!!strstr(r->err, "cannot find the addresses of trampolines (the kernel is locked"),
		arch_is("aarch64"));
	assert_null(strstr(r->err, "libbpf"));
}

/*
 * Under lockdown, bprof trace cannot read packets, and says so in one line. If the user asks for packets, it
 * refuses to run.
 */
static void test_lockdown_trace(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "trace -j -b %u -e time --retval XDP_PASS --stack -- drive testrun %u:3", t.id,
		  t.id);
	assert_status(r, 0);
	assert_contains(r->err, "records will not have the packets' lengths: the kernel is locked");
	assert_contains(r->out, "\"retval\":2,\"retval_name\":\"XDP_PASS\"");
	assert_contains(r->out, "\"stack\":[\"");
	assert_contains(r->out, "\"records\":3");
	assert_null(strstr(r->out, "packet"));
	assert_contains(bprof(f, "trace -b %u --every 1 -- drive testrun %u:1", t.id, t.id)->out,
			" -  every");
	r = bprof(f, "trace -b %u -e time --every 1 --snap 64 -- drive testrun %u:1", t.id, t.id);
	assert_status(r, 7);
	assert_contains(r->err, "bprof: cannot read packets: the kernel is locked down for "
				"confidentiality");
	assert_ptr_equal(strchr(r->err, '\n') + 1, r->err + strlen(r->err)); /* one line */
}

/* If lockdown refuses something, there is one message for it, whatever error the kernel returns. */
static void test_lockdown_refused(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "list -v");

	assert_status(r, 0);
	assert_contains(r->err, "over open files cannot be used: the kernel is locked down for");
	assert_null(strstr(r->err, "Invalid argument"));
	r = bprof(f, "-v --name xdp_pass --follow -e time -- drive testrun %u:50", t.id);
	assert_status(r, 0);
	assert_contains(r->err, "references to programs cannot be counted: the kernel is locked");
	assert_null(strstr(r->err, "Invalid argument"));
}

/* All other commands work under lockdown. doctor has a line for each. */
static void test_lockdown_commands(void **state)
{
	static const char *const lines[] = {"record, annotate",
					    "trace: ", "bench: ", "system: ", "--follow: "};
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r = bprof(f, "doctor");

	assert_status(r, 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_contains(r->out, lines[i]);
	assert_contains(bprof(f, "list")->out, "xdp_pass");
	r = bprof(f, "watch -- drive run --obj progs/xdp.bpf.o:xdp_pass -- true");
	assert_status(r, 0);
	assert_contains(r->out, "unloaded");
	assert_contains(bprof(f, "top --batch -n 1 -I 200ms")->out, "1 program");
	r = bprof(f, "record -b %u -e cpu-clock -o /tmp/lockdown -- drive testrun %u:1000", t.id,
		  t.id);
	assert_status(r, 0);
	assert_status(bprof(f, "annotate -i /tmp/lockdown"), 0);
	r = bprof(f, "-j --name xdp_pass --follow -e time -- drive testrun %u:50", t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 50);
	r = bprof(f, "export --prog-id %u -e time -o /tmp/lockdown --timeout 200ms", t.id);
	assert_status(r, 0);
	assert_contains(command(f, "cat /tmp/lockdown")->out, "xdp_pass");
}

/*
 * The programs of bperf's leaders read the memory of tasks, which lockdown forbids: bprof counts
 * with perf events instead.
 */
static void test_lockdown_system(void **state)
{
	struct fixture *f = *state;
	json_t *row;
	struct run *r;

	r = bprof(f, "system -j -a -e time -- sleep 0.1");
	assert_status(r, 0);
	row = scope_by_id(r, "system", 0);
	assert_string_equal(str(row, "method"), "perf_event");
	assert_true(total_of(row, "time") >= online_cpus() * 1e8);
	assert_contains(r->err, "(method: perf_event)");
}

/* If lockdown forbids all tracing programs, the kernel returns EPERM without further detail. */
static void test_lockdown_eperm(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	deny_tracing(f, "lockdown_eperm");
	assert_contains(measure_denied(f, t.id)->err, "locked down");
}

/*
 * On arm64 under lockdown, bench cannot know that numbers are exact, and does not mark them as
 * exact. It compares blocks instead, and attaches its probes again for each block. At some
 * addresses, a probe costs a few more instructions, so a few blocks would not always be enough for
 * a verdict.
 */
static void test_lockdown_bench(void **state)
{
	struct fixture *f = *state;
	json_t *rows, *row;
	struct run *r;

	write_file(LOCKDOWN, "confidentiality");
	write_text("/tmp/bench/packet",
		   "sixty bytes are as many as an Ethernet frame has without more");
	r = bench(f, PROGS_DIR "/tree.bpf.o " PROGS_DIR
			       "/tree.bpf.o --func '*' --data-in /tmp/bench/packet --blocks 20");
	assert_status(r, 0);
	assert_string_equal(str(r->json, "verdict"), "same");
	rows = json_object_get(r->json, "comparisons");
	assert_true(json_array_size(rows) >= 8);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (arch_is("aarch64") && json_is_true(json_object_get(row, "exact")))
			fail_test("%s is exact: %s", str(row, "func"), r->out);
}

KTEST_GROUP(lockdown_exact, "the same on the exact machine", NULL, ON(EXACT, LAST),
	    KTEST_WITH(setup_bench, teardown_bench, test_lockdown_bench, LONG));

KTEST_GROUP(lockdown, "a locked-down kernel; it cannot be unlocked, so run this last", NULL,
	    ON(SMP4, LAST), KTEST(test_policy), KTEST(test_policy_self_test),
	    KTEST(test_policy_integrity), KTEST(test_lockdown), KTEST(test_lockdown_functions),
	    KTEST(test_lockdown_trace), KTEST(test_lockdown_refused), KTEST(test_lockdown_commands),
	    SYSTEM_TEST(test_lockdown_system), KTEST(test_lockdown_eperm));
