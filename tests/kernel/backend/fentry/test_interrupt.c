// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests runs of a target that are interrupted, when the interrupt runs the same target or another one. In
 * the deterministic VM (one vCPU, -icount) the cost of a run shows which entry reading was subtracted
 * from its exit reading.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "tests/kernel/harness.h"
#include "tests/progs/in_softirq.h"
#include "tests/progs/nested.h"

#define RUNS 50
#define OFTEN 200 /* runs of syscall_often */
#define REPORT "/tmp/ktest-interrupt"

struct nesting {
	const char *prog;
	const char *func;     /* the measured function; NULL if the program itself is measured */
	const char *tp_arm64; /* the interrupt's tracepoint on arm64, or NULL */
	const char *tp_x86_64;
	/*
	 * The cost of a test run and the cost of a run at a tracepoint may differ by this number of
	 * instructions, because migrate_disable() takes more instructions in one of these two runs
	 * (a difference of 8 was seen).
	 */
	int tolerance;
};

static struct nested_seen read_seen(struct target t)
{
	struct bpf_map *bss = bpf_object__find_map_by_name(t.obj, ".bss");
	struct nested_seen seen;
	__u32 key = 0;

	assert_non_null(bss);
	assert_int_equal(bpf_map__value_size(bss), sizeof(seen));
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(bss), &key, &seen), 0);
	return seen;
}

/*
 * Returns the number of runs that the kernel refused because the program was already running
 * (info.recursion_misses).
 */
static __u64 refused_runs(struct target t)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(t.fd, &info, &sz), 0);
	return info.recursion_misses;
}

static void run_as_task(struct target t, int cnt, __u64 arg)
{
	__u64 args[12] = {arg}; /* the kernel's MAX_BPF_FUNC_ARGS */

	for (int i = 0; i < cnt; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

		assert_int_equal(bpf_prog_test_run_opts(t.fd, &opts), 0);
	}
}

/* Formats the options for the target and its events. */
static const char *options(const struct nesting *n, struct target t, char *buf, size_t sz)
{
	snprintf(buf, sz, "-j --hist -b %u%s%s -e %s,time", t.id, n->func ? ":" : "", n->func ?: "",
		 exact_event());
	return buf;
}

/*
 * Measures RUNS runs of the target by this task. If `interrupted` is true, these runs are
 * interrupted, and the interrupt also runs the target.
 */
static struct run *measure_task(struct fixture *f, const struct nesting *n, struct target t,
				bool interrupted)
{
	const char *tp = arch_is("aarch64") ? n->tp_arm64 : n->tp_x86_64;
	struct bpf_link *link = NULL;
	struct child *c;
	char opts[128];

	c = bprof_start(f, "%s -o " REPORT " -- sh -c 'echo ready; exec sleep 1000'",
			options(n, t, opts, sizeof(opts)));
	assert_string_equal(child_line(c), "ready");
	if (interrupted && tp) {
		link = bpf_program__attach_raw_tracepoint(t.prog, tp);
		if (!link)
			fail_test("%s: %s", tp, strerror(errno));
	}
	run_as_task(t, RUNS, interrupted ? NESTED_TASK : NESTED_ALONE);
	bpf_link__destroy(link);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	return command(f, "cat " REPORT);
}

/* Counts the runs in the buckets that overlap with the range of costs from low to high. */
static json_int_t runs_between(json_t *ev, double low, double high)
{
	json_t *bucket;
	json_int_t sum = 0;
	size_t i;

	json_array_foreach(json_object_get(ev, "hist"), i,
			   bucket) if (json_number_value(json_array_get(bucket, 1)) >= low &&
				       json_number_value(json_array_get(bucket, 0)) <= high)
		sum += json_integer_value(json_array_get(bucket, 2));
	return sum;
}

/* In QEMU, the clock of arm64 (the system counter) has a frequency of 62.5 MHz. */
#define CLOCK_TICK_NS 16

/*
 * Checks that every run is counted and measured with its own entry reading. A run in the interrupt
 * must cost the same as if it were alone. With the entry reading of the task's run, its cost would
 * include the first half of that run. A run of the task must include both of its halves and the run
 * in the interrupt.
 */
static void assert_nested(const struct run *r, const struct nesting *n, struct target t,
			  json_int_t inner, json_int_t outer)
{
	json_int_t inner_cnt = read_seen(t).interrupts - RUNS, nested = read_seen(t).nested, min;
	json_t *ev;

	assert_counted(r, t.id, RUNS + inner_cnt);
	ev = event_of(row_of(r, t.id), exact_event());
	min = num(ev, "per_run.min");
	printf("# alone %lld and %lld, nested %lld to %lld\n", (long long)inner, (long long)outer,
	       (long long)min, (long long)num(ev, "per_run.max"));
	if (llabs(min - inner) > n->tolerance || runs_between(ev, -1e9, NESTED_WORK) != inner_cnt ||
	    runs_between(ev, outer, 1e9) != RUNS ||
	    num(ev, "total") < RUNS * outer + (inner_cnt + nested) * min)
		fail_test("alone they cost %lld inside of %lld: %s", (long long)inner,
			  (long long)outer, r->out);
	/* The net time of a very short run may be negative, by at most one tick of the clock. */
	ev = event_of(row_of(r, t.id), "time");
	if (num(ev, "per_run.min") < -(CLOCK_TICK_NS + uncertainty(ev)))
		fail_test("negative time: %s", r->out);
}

static void test_inside_itself(void **state)
{
	struct fixture *f = *state;
	const struct nesting *n = f->param;
	json_int_t inner, outer;
	struct target t;
	char opts[128];
	struct run *r;

	if (n->func && kernel_is("5.10"))
		skip_test(n->prog, "there are no BPF timers");
	t = load_target(f, "nested", n->prog);
	/*
	 * First measure each kind of run alone. Runs by drive are like runs in the interrupt: both
	 * have the argument 0.
	 */
	r = bprof(f, "%s -- drive testrun %u:%d", options(n, t, opts, sizeof(opts)), t.id, RUNS);
	assert_counted(r, t.id, RUNS);
	inner = num(event_of(row_of(r, t.id), exact_event()), "per_run.min");
	r = measure_task(f, n, t, false);
	assert_counted(r, t.id, RUNS);
	outer = num(event_of(row_of(r, t.id), exact_event()), "per_run.min");
	assert_int_equal(read_seen(t).interrupts, RUNS);
	assert_int_equal(read_seen(t).nested, 0);
	assert_true(outer > 2 * NESTED_WORK);

	r = measure_task(f, n, t, true);
	if (refused_runs(t)) {
		assert_int_equal(read_seen(t).interrupts, RUNS);
		assert_counted(r, t.id, RUNS);
		skip_test(n->prog, "the kernel does not run it inside itself");
	}
	/*
	 * Occasionally the kernel runs a soft interrupt later, in the thread ksoftirqd, and thus
	 * not inside a run of the task.
	 */
	assert_in_range(read_seen(t).nested, n->func ? RUNS / 2 : RUNS, RUNS);
	assert_nested(r, n, t, inner, outer);
}

/* ---- a target in an interrupt of another target ---- */

#define TICK_NS 20011
#define PACKETS 4000

static struct in_softirq_seen read_softirqs(struct target t)
{
	struct bpf_map *bss = bpf_object__find_map_by_name(t.obj, ".bss");
	struct in_softirq_seen seen;
	__u32 key = 0;

	assert_non_null(bss);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(bss), &key, &seen), 0);
	return seen;
}

static struct bpf_link *attach_clock(struct target t)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = TICK_NS};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link = fd < 0 ? NULL : bpf_program__attach_perf_event(t.prog, fd);

	if (!link)
		fail_test("perf event: %s", strerror(errno));
	return link;
}

/*
 * Targets whose state is shared (--calls) run in soft interrupts and in hard interrupts, on the same stack.
 * Many of the hard interrupts come while the probe begins a run of the other target. Neither this run nor
 * its calls may get lost without being counted as lost.
 */
static void test_while_beginning(void **state)
{
	struct fixture *f = *state;
	struct target soft, hard;
	struct bpf_link *links[2];
	struct child *c;
	struct run *r;
	json_t *row;

	if (arch_is("aarch64") && kernel_is("6.1"))
		skip_test("called", "no trampoline on kernel functions");
	soft = load_target(f, "in_softirq", "in_softirq");
	hard = load_target(f, "in_softirq", "on_clock");
	c = bprof_start(f,
			"-j -b %u,%u --calls '*update*' -e %s -o " REPORT
			" -- sh -c 'echo ready; exec sleep 1000'",
			soft.id, hard.id, exact_event());
	assert_string_equal(child_line(c), "ready");
	links[0] = bpf_program__attach(soft.prog);
	assert_non_null(links[0]);
	links[1] = attach_clock(hard);
	assert_status(command(f, "drive packets %d", PACKETS), 0);
	bpf_link__destroy(links[1]);
	bpf_link__destroy(links[0]);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	r = command(f, "cat " REPORT);
	printf("# %llu soft interrupts, %llu ticks\n", read_softirqs(soft).softirqs,
	       read_softirqs(hard).ticks);
	assert_true(read_softirqs(soft).softirqs > PACKETS);
	assert_counted(r, hard.id, read_softirqs(hard).ticks);
	/* The program and the function that it calls have a row each. */
	for (size_t i = 0; (row = json_array_get(json_object_get(r->json, "programs"), i)); i++)
		if (num(row, "id") == soft.id &&
		    (num(row, "measured") != (json_int_t)read_softirqs(soft).softirqs ||
		     num(row, "runs") != num(row, "measured")))
			fail_test("not %llu runs of %s: %s", read_softirqs(soft).softirqs,
				  str(row, "func"), r->out);
	assert_int_equal(num(called_row(r, soft.id), "calls_per_run"), 1);
}

/*
 * If an interrupt hits the exit probe, the kernel skips the exit probe of the run in the interrupt.
 * With --sample, later runs, which are not measured, end at the same address of the stack. They must
 * not be taken for the end of the skipped run: they would seem to last since an earlier tick. This
 * remains possible only if the kernel also skips the entry of the next run.
 */
static void test_skipped_exits(void **state)
{
	struct fixture *f = *state;
	json_int_t lost, wrong, runs;
	struct target t;
	struct run *r;
	json_t *ev;

	t = load_target(f, "nested", "syscall_often");
	r = bprof(f, "-j --hist --sample 4 -b %u:often -e %s -- drive testrun %u:%d", t.id,
		  exact_event(), t.id, OFTEN);
	assert_status(r, 0);
	lost = num(row_of(r, t.id), "lost.recursion");
	runs = num(row_of(r, t.id), "runs");
	ev = event_of(row_of(r, t.id), exact_event());
	wrong = runs_between(ev, NESTED_TICK_NS / 2, 1e12);
	printf("# %lld runs, %lld lost, %lld wrong, mean %.1f\n", (long long)runs, (long long)lost,
	       (long long)wrong, real(ev, "per_run.mean"));
	assert_true(lost > 0 && wrong <= lost / 20);
	/* A run without an exit is found only when a later run has its address. */
	assert_in_range(OFTEN * NESTED_CALLS + read_seen(t).interrupts - runs, 0, 1);
}

/*
 * Without --sample: if the kernel also skips the entry of the next run at that address, the next exit is
 * taken for the end of the skipped run. Such runs make the mean many times too high, so it is left out.
 */
static void test_merged(void **state)
{
	struct fixture *f = *state;
	struct target t;
	json_int_t wrong;
	struct run *r;
	json_t *ev;

	t = load_target(f, "nested", "syscall_often");
	r = bprof(f, "-j --hist -A -b %u:often -e %s,time -- drive testrun %u:%d", t.id,
		  exact_event(), t.id, OFTEN);
	assert_status(r, 0);
	ev = event_of(row_of(r, t.id), exact_event());
	wrong = runs_between(ev, NESTED_TICK_NS / 2, 1e12);
	printf("# %lld wrong\n", (long long)wrong);
	/* With fsessions (Linux 7), each return finds its own frame. */
	if (!wrong && (kernel_is("7.2") || kernel_is("7.3"))) {
		assert_true(real(ev, "per_run.mean") < NESTED_TICK_NS / 100.);
		assert_null(strstr(r->out, "two runs taken for one"));
		return;
	}
	assert_true(wrong > 0);
	assert_non_null(strstr(r->out, "two runs taken for one"));
	assert_null(json_object_get(ev, "total"));
	assert_null(json_object_get(json_object_get(ev, "per_run"), "mean"));
	assert_null(json_object_get(json_object_get(ev, "per_run"), "max"));
	assert_null(json_object_get(row_of(r, t.id), "cpu_share"));
	assert_true(num(ev, "per_run.p50") < NESTED_TICK_NS / 2);
}

static const struct nesting hard = {"raw_tp_nested", NULL, "ipi_entry", "irq_work_entry", 16};
static const struct nesting soft = {"syscall_nested", "inside", NULL, NULL, 0};

KTEST_GROUP(interrupt, "a target inside itself", NULL, ON(EXACT),
	    KTEST_PARAM("inside_itself_hard", test_inside_itself, &hard, LONG),
	    KTEST_PARAM("inside_itself_soft", test_inside_itself, &soft),
	    KTEST(test_while_beginning), KTEST(test_skipped_exits, FROM(6.1)),
	    KTEST(test_merged, FROM(6.1)));
