// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof bench on a machine with several CPUs, devices and users: the CPU on which bench runs
 * programs, reports that include the runs of other users, live frames, and signals that end bench.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>

#include "tests/kernel/bench/bench_case.h"
#include "tests/kernel/drive/netdev.h"

#define INPUT PROGS_DIR "/bench_input.bpf.o"
#define XDP PROGS_DIR "/xdp.bpf.o"
#define CPUS 4

static int setup_cpus(void **state)
{
	set_all_online(CPUS);
	return has_cpus(CPUS) ? setup_files(state) : -1;
}

static int teardown_cpus(void **state)
{
	set_all_online(CPUS);
	return teardown_bench(state);
}

/* Runs bench in VMs without -icount: with an event that every machine has, and without --exact. */
static struct run *use(struct fixture *f, const char *args, ...)
{
	char text[1024];
	va_list list;

	va_start(list, args);
	vsnprintf(text, sizeof(text), args, list);
	va_end(list);
	return bprof(f, "bench -j -e %s --blocks %d --repeat %d %s", machine_event(), BLOCKS, RUNS,
		     text);
}

/* ---- CPUs ---- */

static void test_cpu(void **state)
{
	struct fixture *f = *state;

	for (int cpu = 0; cpu < CPUS; cpu++)
		assert_status(use(f, INPUT " --prog xdp_cpu -C %d --expect-retval %d", cpu, cpu),
			      0);
	set_online(3, false);
	assert_refused(use(f, INPUT " --prog xdp_cpu -C 3"), 1, "-C 3");
	assert_refused(use(f, INPUT " --prog xdp_cpu -C 4000"), 1, "-C 4000");
	assert_status(use(f, INPUT " --prog xdp_cpu -C 2 --expect-retval 2"), 0);
	assert_refused(command(f, "taskset 2 bprof bench " INPUT " --prog xdp_cpu -e time -C 4000"),
		       1, "-C 4000");
	/* By default bench runs programs on the CPU on which bench was started. */
	assert_status(command(f, "taskset 4 bprof bench " INPUT
				 " --prog xdp_cpu -e time --blocks 1 --repeat 1 --expect-retval 2"),
		      0);
}

/* ---- programs that other users run at the same time ---- */

static int setup_veth(void **state)
{
	if (!load_module("veth") || setup_cpus(state))
		return -1;
	return veth__create("kt0", "kt1") ? -1 : 0;
}

static int teardown_veth(void **state)
{
	veth__delete("kt0");
	return teardown_cpus(state);
}

#define UNWANTED "runs in the counts were not made by bench"

/*
 * Packets run the program on CPU 1 all the time. If bench measures on CPU 1, the result includes
 * these runs, and a note says so.
 */
static void test_in_use(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_seen");
	struct bpf_link *link = bpf_program__attach_xdp(t.prog, if_nametoindex("kt1"));
	struct child *sender;
	struct run *r;
	json_t *row;

	assert_non_null(link);
	keep_link(f, link);
	r = use(f, "--prog-id %u -C 1", t.id);
	assert_status(r, 0);
	assert_false(has_note(case_row(r, "xdp_seen", NULL), UNWANTED));
	sender = command_start(f,
			       "taskset 2 sh -c 'echo go; while :; do drive send kt0 10000; done'");
	child_line(sender);
	/*
	 * A block takes longer than the scheduler lets one task run, so the sender runs in each
	 * block.
	 */
	r = use(f, "--prog-id %u -C 1 --blocks 5 --repeat 10000", t.id);
	assert_status(r, 0);
	row = case_row(r, "xdp_seen", NULL);
	assert_true(num(row, "runs") > 5 * 10000);
	assert_true(has_note(row, UNWANTED));
	/* On another CPU the result includes only bench's own runs. */
	r = use(f, "--prog-id %u -C 2 --blocks 5 --repeat 1000", t.id);
	assert_status(r, 0);
	row = case_row(r, "xdp_seen", NULL);
	assert_runs(row, 5 * 1000);
	assert_false(has_note(row, UNWANTED));
	child_signal(sender, SIGKILL);
	child_wait(f, sender);
}

static void test_pinned(void **state)
{
	struct fixture *f = *state;
	struct target old = load_target(f, "hot_500", "xdp_hot");
	struct target new = load_target(f, "hot_501", "xdp_hot");
	struct run *r;

	assert_int_equal(bpf_program__pin(old.prog, PIN_DIR "/old"), 0);
	assert_int_equal(bpf_program__pin(new.prog, PIN_DIR "/new"), 0);
	r = use(f, "--pinned " PIN_DIR "/new");
	assert_status(r, 0);
	assert_runs(row_of(r, new.id), BLOCKS * RUNS);
	r = use(f, "--baseline " PIN_DIR "/old --pinned " PIN_DIR "/new --inconclusive-ok");
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "comparisons")), 1);
	r = use(f, "--baseline %u --pinned " PIN_DIR "/new --inconclusive-ok", old.id);
	assert_status(r, 0);
	assert_refused(use(f, "--prog-id 4000000000"), 8, "4000000000");
	assert_refused(use(f, "--pinned " PIN_DIR "/nowhere"), 8, PIN_DIR "/nowhere");
	assert_refused(use(f, "--baseline %u --prog-id %u", old.id, old.id), 1,
		       "nothing to compare");
}

/* The user has named both programs, so they are compared although their names differ. */
static void test_pair_by_id(void **state)
{
	struct fixture *f = *state;
	struct target old = load_target(f, "xdp", "xdp_pass");
	struct target new = load_target(f, "alu", "xdp_alu_1");
	struct run *r = use(f, "--baseline %u --prog-id %u --inconclusive-ok --fail-on '*:mean>99'",
			    old.id, new.id);

	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "comparisons")), 1);
}

/* A program without BTF is measured by run_stats, which gives only the mean. */
static void test_limit_of_run_stats(void **state)
{
	struct fixture *f = *state;
	struct target old = load_raw(f), new = load_raw(f);
	struct run *r =
		use(f, "--baseline %u --prog-id %u --fail-on 'time:p50>1%%'", old.id, new.id);

	assert_int_equal(r->status, 1);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "--fail-on time:p50>1%: the programs are measured by run_stats, "
				"which gives no statistic but the mean; use time:mean>1%");
}

#define MISSPELLED "/tmp/misspelled.json"

/* A limit for a program or an event that is not measured is refused before the measurement. */
static void test_misspelled_limit(void **state)
{
	struct fixture *f = *state;
	struct target old = load_target(f, "xdp", "xdp_pass");
	struct target new = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	unlink(MISSPELLED);
	r = use(f,
		"--baseline %u --prog-id %u -e time --fail-on 'tiem:p50>1%%' "
		"--save-new " MISSPELLED,
		old.id, new.id);
	assert_int_equal(r->status, 1);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "--fail-on tiem:p50>1%: there is no event 'tiem'; did you mean "
				"'time'?");
	/* bench has measured nothing: it would save the reports before it compares them */
	assert_int_equal(access(MISSPELLED, F_OK), -1);
	r = use(f, "--baseline %u --prog-id %u -e time --fail-on 'xpd_pass/*:p50>1%%'", old.id,
		new.id);
	assert_int_equal(r->status, 1);
	assert_contains(r->err, "--fail-on xpd_pass/*:p50>1%: there is no program 'xpd_pass'; did "
				"you mean 'xdp_pass'?");
	/* this limit is accepted, because run_stats reports the time even without -e time */
	old = load_raw(f);
	new = load_raw(f);
	r = use(f, "--baseline %u --prog-id %u --fail-on 'time:mean>99%%'", old.id, new.id);
	assert_null(strstr(r->err, "--fail-on"));
}

/* ---- targets that can no longer be measured ---- */

#define SLOT_FUNC "--func slot"

/* Loads an extension that can replace t's function slot(), without attaching it. */
static struct bpf_program *load_extension(struct fixture *f, struct target t)
{
	struct bpf_object *obj = open_object(f, PROGS_DIR "/samples_ext.bpf.o");
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, "ext_slot");

	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, "ext_root"), false);
	assert_int_equal(bpf_program__set_attach_target(prog, t.fd, "slot"), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	return prog;
}

/*
 * Attaches the extension. The kernel returns EBUSY while a probe is attached. So retries until it
 * succeeds in the time after bench has detached its probe and before it attaches a new one.
 */
static void replace_slot(struct fixture *f, struct bpf_program *ext)
{
	struct bpf_link *link;

	do
		link = bpf_program__attach_freplace(ext, 0, NULL);
	while (!link && errno == EBUSY);
	assert_non_null(link);
	keep_link(f, link);
}

static void test_target_lost(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "samples_ext", "ext_root");
	struct target b = load_target(f, "samples_ext", "ext_root");
	struct bpf_program *ext = load_extension(f, b);
	struct child *c;
	struct run *r;

	c = bprof_start(f, "bench --prog-id %u,%u " SLOT_FUNC " -e time --blocks 10000 --repeat 10",
			a.id, b.id);
	AWAIT(prog__is_probed(b.id));
	replace_slot(f, ext);
	r = child_wait(f, c);
	assert_refused(r, 1, "ext_root:slot: cannot be measured any more in load ");
	assert_contains(r->err, "replaced");
}

/*
 * The only target in program b is replaced before bench starts. bench skips b without running it.
 * If bench then has nothing to compare, it fails.
 */
static void test_target_missing(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "samples_ext", "ext_root");
	struct target b = load_target(f, "samples_ext", "ext_root");
	struct run *r;

	replace_slot(f, load_extension(f, b));
	r = use(f, "--prog-id %u,%u " SLOT_FUNC, b.id, a.id);
	assert_one_line(r, 1, "ext_root:slot");
	assert_runs(row_of(r, a.id), BLOCKS * RUNS);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_string_equal(skip_reason(r, b.id), "freplaced");
	r = use(f, "--baseline %u --prog-id %u " SLOT_FUNC, a.id, b.id);
	assert_int_equal(r->status, 1);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "nothing to compare");
}

/*
 * Turns the JIT off while bench runs. Programs that bench loads after that can be measured only by
 * run_stats. bench fails, because it measured the first load with probes. On kernels that may crash
 * then, bench does not run the programs at all.
 */
static void test_method_lost(void **state)
{
	struct fixture *f = *state;
	struct child *c;

	c = bprof_start(f, "bench " XDP " --prog xdp_pass -e time --blocks 1000 --repeat 10");
	assert_true(prog_name__await_probe("xdp_pass"));
	write_file(JIT_ENABLE, "0");
	assert_refused(child_wait(f, c), 1,
		       arch_is("aarch64") && kernel_is("6.12")
			       ? "running it may crash this kernel"
			       : "xdp_pass: measured by run_stats in load ");
}

static int restore_jit(void **state)
{
	write_file(JIT_ENABLE, "1");
	return teardown_cpus(state);
}

/* ---- live frames ---- */

/* Returns the number of IP packets that this machine has received so far. */
static long received(void)
{
	char line[1024];
	long cnt = -1;
	FILE *in = fopen("/proc/net/snmp", "re");

	assert_non_null(in);
	while (cnt < 0 && fgets(line, sizeof(line), in))
		if (sscanf(line, "Ip: %*d %*d %ld", &cnt) != 1)
			cnt = -1;
	fclose(in);
	assert_true(cnt >= 0);
	return cnt;
}

/*
 * The frame's destination is the address of the loopback device, which is all zeroes. The device
 * thus receives the frames that the program passes.
 */
static void test_live(void **state)
{
	static const unsigned char packet[60] = {[12] = 8};
	static const char large[5000] = "";
	struct fixture *f = *state;
	long before = received();
	struct run *r;
	json_t *row;

	write_bytes("/tmp/bench/frame", packet, sizeof(packet));
	write_bytes("/tmp/bench/large", large, sizeof(large));
	r = use(f, XDP " --prog xdp_pass --live-frames --data-in /tmp/bench/frame");
	assert_status(r, 0);
	row = case_row(r, "xdp_pass", "frame");
	assert_runs(row, BLOCKS * RUNS);
	assert_null(json_object_get(row, "retval"));
	assert_true(received() - before > BLOCKS * RUNS);
	/* bench skips input that cannot be sent as a frame. */
	r = use(f, XDP " --prog xdp_pass --live-frames --data-in /tmp/bench/large --data-in "
		       "/tmp/bench/frame");
	assert_one_line(r, 1, "xdp_pass [large]");
	assert_runs(case_row(r, "xdp_pass", "frame"), BLOCKS * RUNS);
	assert_refused(use(f, INPUT " --prog tc_ctx --live-frames"), 1, "only XDP programs");
	assert_refused(use(f, XDP " --live-frames --expect-retval 2"), 2, "--expect-retval");
	assert_refused(use(f, XDP " --live-frames --fresh"), 2, "--fresh");
}

/* ---- end by a signal ---- */

/*
 * A signal in the first block ends bench at once. teardown() checks that bench leaves nothing
 * behind.
 */
static void test_signal(void **state)
{
	struct fixture *f = *state;
	int sig = (int)(uintptr_t)f->param;
	struct child *c;

	c = bprof_start(f, "bench " XDP " " XDP " -e %s --blocks 10000 --repeat 100000",
			machine_event());
	assert_true(prog_name__await("bprof_"));
	child_signal(c, sig);
	assert_int_equal(child_wait(f, c)->status, 128 + sig);
}

/*
 * Ctrl-Z and fg, and everything else that stops a process, interrupt test runs. The report is the
 * same as from undisturbed blocks.
 */
static void test_stopped(void **state)
{
	const int blocks = 20, repeat = 20000;
	struct fixture *f = *state;
	struct child *c =
		bprof_start(f, "bench " XDP " --prog xdp_pass -e %s --blocks %d --repeat %d -j",
			    machine_event(), blocks, repeat);
	struct run *r;

	assert_true(prog_name__await("bprof_"));
	for (int i = 0; i < 50; i++) {
		child_signal(c, SIGSTOP);
		usleep(2000);
		child_signal(c, SIGCONT);
		usleep(20000);
	}
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_int_equal(num(json_array_get(json_object_get(r->json, "programs"), 0), "runs"),
			 blocks * repeat);
}

/* Returns true if the process has blocked SIGINT, but not all signals. */
static bool blocks_sigint(pid_t pid)
{
	const unsigned long long both = 1ULL << (SIGINT - 1) | 1ULL << (SIGUSR1 - 1);
	unsigned long long blocked = 0;
	char path[32], line[256];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	assert_non_null(status);
	while (fgets(line, sizeof(line), status))
		sscanf(line, "SigBlk: %llx", &blocked);
	fclose(status);
	return (blocked & both) == 1ULL << (SIGINT - 1);
}

/* After the first block, a signal ends bench. The report has the blocks that are complete. */
static void test_interrupted(void **state)
{
	struct fixture *f = *state;
	struct child *c =
		bprof_start(f, "bench " XDP " --prog xdp_pass -e %s --blocks 10000 --repeat 100 -j",
			    machine_event());
	json_int_t blocks;
	char want[96];
	struct run *r;

	/*
	 * bench blocks SIGINT after its first block. Opening a session blocks all signals for a
	 * moment, so that its threads inherit this.
	 */
	AWAIT(blocks_sigint(child_pid(c)));
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_non_null(r->json);
	blocks = num(r->json, "repeats");
	assert_true(blocks >= 1 && blocks < 10000);
	snprintf(want, sizeof(want), "interrupted: %lld of 10000 blocks were measured",
		 (long long)blocks);
	assert_contains(r->err, want);
}

/* ---- without privileges ---- */

static void test_unprivileged(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	assert_refused(command(f, "drive nobody none bprof bench " XDP " -e time"), 7, XDP);
	assert_refused(command(f, "drive nobody none bprof bench " XDP " " XDP " -e time"), 7, XDP);
	assert_refused(command(f, "drive nobody none bprof bench --prog-id %u -e time", t.id), 7,
		       "permission");
}

#define ON_CPUS(...) KTEST_WITH(setup_cpus, teardown_cpus, __VA_ARGS__)
#define WITH_SIGNAL(test_name, ...) \
	KTEST_FULL(test_name, test_signal, setup_cpus, teardown_cpus, __VA_ARGS__)

KTEST_GROUP(bench_use, "bprof bench beside other CPUs, devices and users", NULL, ON(SMP4),
	    ON_CPUS(test_cpu, LONG), KTEST_WITH(setup_veth, teardown_veth, test_in_use, LONG),
	    ON_CPUS(test_pinned), ON_CPUS(test_pair_by_id), ON_CPUS(test_limit_of_run_stats),
	    ON_CPUS(test_misspelled_limit), ON_CPUS(test_target_lost),
	    ON_CPUS(test_target_missing, LONG),
	    KTEST_WITH(setup_cpus, restore_jit, test_method_lost), ON_CPUS(test_live),
	    WITH_SIGNAL("bench_SIGINT", SIGINT), ON_CPUS(test_interrupted),
	    ON_CPUS(test_stopped, LONG), WITH_SIGNAL("bench_SIGTERM", SIGTERM),
	    ON_CPUS(test_unprivileged));
