// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests repeats (-r) with a delay before each of them (-D). Both backends, fentry and run_stats,
 * count only runs after the delay. If bprof is interrupted, it reports the complete repeats. The
 * test reads bprof's gate to know when the delay ends, and it ends the command of each repeat
 * itself. So the test decides which runs are in the delay. In the VM with -icount, time is the number of
 * executed instructions, so these runs take the same part of the delay, however busy the host is.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define REPORT "/tmp/ktest-gate"
#define FIFO "/tmp/ktest-gate-fifo"
#define DELAY_MS 1500

/* Returns a descriptor of the map that contains the gate of the running bprof. */
static int open_gate(void)
{
	struct bpf_map_info info;
	__u32 id = 0, len;

	while (!bpf_map_get_next_id(id, &id)) {
		int fd = bpf_map_get_fd_by_id(id);

		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
		    !strcmp(info.name, "bprof_gate"))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	fail_test("bprof has no gate");
	return -1;
}

static bool gate_is_open(int gate)
{
	__u64 value = 0;
	__u32 key = 0;

	assert_int_equal(bpf_map_lookup_elem(gate, &key, &value), 0);
	return value;
}

static void await_gate(int gate)
{
	AWAIT(gate_is_open(gate));
}

/* Starts bprof with a command that prints "ready" and ends when end_command() is called. */
static struct child *start_repeats(struct fixture *f, struct target raw, struct target t)
{
	unlink(FIFO);
	unlink(REPORT);
	assert_int_equal(mkfifo(FIFO, 0600), 0);
	return bprof_start(f,
			   "-j -o " REPORT " -r 3 -D %d -b %u,%u -e time -- "
			   "sh -c 'echo ready; read line <" FIFO "'",
			   DELAY_MS, raw.id, t.id);
}

static void end_command(void)
{
	int fd = open(FIFO, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "end\n", 4), 4);
	close(fd);
}

/*
 * Runs the targets during the delay. These runs must not be counted. Opens the gate's map if *gate
 * is -1.
 */
static void run_in_delay(struct fixture *f, struct child *c, int *gate, struct target raw,
			 struct target t)
{
	assert_string_equal(child_line(c), "ready");
	if (*gate < 0)
		*gate = f->fd[f->fd_cnt++] = open_gate();
	drive(raw, 50);
	drive(t, 60);
	/* Check that the runs above were within the delay. They take some milliseconds. */
	assert_false(gate_is_open(*gate));
}

/* Makes one complete repeat, in which bprof counts 5 runs of raw and 6 runs of t. */
static void repeat(struct fixture *f, struct child *c, int *gate, struct target raw,
		   struct target t)
{
	run_in_delay(f, c, gate, raw, t);
	await_gate(*gate);
	drive(raw, 5);
	drive(t, 6);
	end_command();
}

static json_int_t runs_of(struct fixture *f, __u32 id, const char *method)
{
	struct run *r = command(f, "cat " REPORT);

	assert_non_null(r->json);
	assert_string_equal(str(row_of(r, id), "method"), method);
	return num(row_of(r, id), "runs");
}

/* Waits until bprof ends, and checks that its report has cnt repeats with all their runs. */
static void assert_repeats(struct fixture *f, struct child *c, struct target raw, struct target t,
			   int cnt)
{
	assert_status(child_wait(f, c), 0);
	assert_int_equal(runs_of(f, raw.id, "run_stats"), 5 * cnt);
	assert_int_equal(runs_of(f, t.id, "fentry"), 6 * cnt);
	assert_int_equal(num(command(f, "cat " REPORT)->json, "repeats"), cnt);
	unlink(FIFO);
}

static void test_repeats(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass"), raw = load_raw(f);
	struct child *c = start_repeats(f, raw, t);
	int gate = -1;

	for (int i = 0; i < 3; i++)
		repeat(f, c, &gate, raw, t);
	close_fd(f, gate);
	assert_repeats(f, c, raw, t, 3);
}

/* With intervals, the first one begins after the delay. */
static void test_delay(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *c;
	int gate;

	unlink(REPORT);
	c = bprof_start(f,
			"-j -o " REPORT " -D %d -I 20 -b %u -e time -- "
			"sh -c 'echo ready; exec sleep 1000'",
			DELAY_MS, t.id);
	assert_string_equal(child_line(c), "ready");
	gate = f->fd[f->fd_cnt++] = open_gate();
	drive(t, 6);
	/* Check that the runs above were within the delay. */
	assert_false(gate_is_open(gate));
	await_gate(gate);
	drive(t, 7);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	assert_int_equal(sum_of_runs(command(f, "cat " REPORT)->out, t.id), 7);
	close_fd(f, gate);
}

/* If bprof is interrupted in the delay of the second repeat, it reports the first repeat. */
static void test_interrupted(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass"), raw = load_raw(f);
	struct child *c = start_repeats(f, raw, t);
	int gate = -1;

	repeat(f, c, &gate, raw, t);
	run_in_delay(f, c, &gate, raw, t);
	child_signal(c, SIGINT);
	close_fd(f, gate);
	assert_repeats(f, c, raw, t, 1);
}

KTEST_GROUP(gate, "delays before repeats and intervals", NULL, ON(EXACT, RISCV64),
	    KTEST(test_repeats), KTEST(test_delay), KTEST(test_interrupted));
