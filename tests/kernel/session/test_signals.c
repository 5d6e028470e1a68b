// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that a signal ends bprof cleanly: the report is complete, no program, link, map or pin of
 * bprof is left, and the target stays loaded.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

static void assert_nothing_left(const struct id_set *loaded)
{
	char what[128];

	if (!id_set__await(loaded, what, sizeof(what)))
		fail_test("after bprof: %s", what);
}

/* Measures with two backends: one target with probes, the other one with run_stats. */
static void test_signal(void **state)
{
	static struct id_set loaded; /* too large for the stack */
	struct fixture *f = *state;
	int sig = (int)(uintptr_t)f->param;
	struct target probed = load_target(f, "xdp", "xdp_pass"), raw = load_raw(f);
	struct bpf_prog_info before = {}, after = {};
	__u32 len = sizeof(before);
	struct child *c;
	struct run *r;

	id_set__read(&loaded);
	c = bprof_start(f, "-j -I 50 -e %s,time -b %u,%u", machine_event(), probed.id, raw.id);
	child_line(c);
	drive(probed, 13);
	drive(raw, 17);
	child_signal(c, sig);
	r = child_wait(f, c);
	assert_nothing_left(&loaded);
	if (sig == SIGKILL) {
		assert_int_equal(r->status, 128 + SIGKILL);
	} else {
		assert_status(r, 0);
		assert_int_equal(sum_of_runs(r->out, probed.id), 13);
		assert_int_equal(sum_of_runs(r->out, raw.id), 17);
	}
	/* The kernel no longer updates its statistics, because bprof has disabled them. */
	assert_int_equal(bpf_obj_get_info_by_fd(raw.fd, &before, &len), 0);
	drive(raw, 3);
	assert_int_equal(bpf_obj_get_info_by_fd(raw.fd, &after, &len), 0);
	assert_int_equal(after.run_cnt, before.run_cnt);
}

/*
 * The command of bprof sends the signal when the target has run 7 times. bprof then writes its only
 * report.
 */
static void test_signal_with_command(void **state)
{
	struct fixture *f = *state;
	const char *sig = f->param;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f,
		  "-j -e time -b %u -- sh -c 'drive testrun %u:7; kill -%s $PPID; exec sleep 1000'",
		  t.id, t.id, sig);
	assert_status(r, 0);
	assert_counted(r, t.id, 7);
}

/*
 * A parent that ignores SIGCHLD makes its child bprof ignore it, too. bprof must still get the
 * command's exit status.
 */
static void test_ignored_sigchld(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	assert_status(
		command(f, "drive childless bprof -j -o - -b %u -e time -- sh -c 'exit 7'", t.id),
		7);
}

/* The timeout also ends a command that has stopped itself. */
static void test_stopped_command(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	assert_status(bprof(f, "-j --timeout 300 -b %u -e time -- sh -c 'kill -STOP $$'", t.id), 0);
}

/*
 * When the reader of the reports ends, bprof ends its command and dies of SIGPIPE. The last kill
 * fails because the command no longer runs.
 */
static void test_sigpipe(void **state)
{
	static struct id_set loaded;
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	id_set__read(&loaded);
	unlink("/tmp/ktest-pid");
	r = command(f,
		    "sh -c '{ bprof -j -I 20 -o - -b %u -e time -- "
		    "sh -c \"echo \\$\\$ >/tmp/ktest-pid; exec sleep 1000\"; echo $? >&2; } | "
		    "until test -s /tmp/ktest-pid; do sleep 0.1; done; "
		    "! kill $(cat /tmp/ktest-pid) 2>/dev/null'",
		    t.id);
	assert_status(r, 0);
	assert_string_equal(r->err, "141\n");
	assert_nothing_left(&loaded);
}

/*
 * A signal during bprof's set-up, or directly after it, ends bprof. bprof leaves nothing in the
 * kernel.
 */
static void test_signal_at_start(void **state)
{
	static struct id_set loaded;
	struct fixture *f = *state;
	int sig = (int)(uintptr_t)f->param;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct child *c;
	struct run *r;

	id_set__read(&loaded);
	c = bprof_start(f, "-j -e time -b %u", t.id);
	assert_true(prog_name__await("bprof_"));
	child_signal(c, sig);
	r = child_wait(f, c);
	assert_nothing_left(&loaded);
	if (sig == SIGKILL || r->status >= 128)
		assert_int_equal(r->status, 128 + sig);
	else
		assert_status(r, 0);
}

/* ---- SIGKILL at any moment ---- */

/* Every command that creates objects in the kernel; %u: the id of a program that can be run */
static const char *const killed[] = {
	"-I 10 -j -e time -b %u",
	"--func '*' -I 10 -j -e time -b %u",
	"--method run_stats -I 10 -j -b %u",
	"--method samples -I 10 -j -e cpu-clock -b %u",
	"--follow --all -I 10 -j -e time",
	"-r 100 -j -e time -b %u -- sh -c :",
	"trace --every 1 -j -b %u",
	"record -o - -e cpu-clock -b %u",
	"annotate -j -e cpu-clock -b %u",
	"top --batch --prog-id %u",
	"export --all -b %u",
	"bench -j --blocks 1000 --repeat 100 -e time --prog-id %u",
	"bench -j --blocks 1000 --repeat 100 -e time " PROGS_DIR "/xdp.bpf.o",
	"system -a -I 10 -j -e cpu-clock",
	"system -p 1 -I 10 -j -e cpu-clock",
	"watch -j",
	"list -j",
	"doctor -j",
};
#define KILLED_CNT (sizeof(killed) / sizeof(killed[0]))
/* By this time, every command has been set up, even in a slow VM. */
#define MAX_KILL_US 600000

/* Runs "bprof ARGS", kills it after some time, and waits for its end. */
static void kill_after(const char *args, __u32 id, unsigned int us)
{
	char line[256] = "exec >/dev/null 2>&1 </dev/null bprof ";
	int len = strlen(line), status;
	pid_t pid;

	snprintf(line + len, sizeof(line) - len, args, id);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	usleep(us);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* A command that ends by itself, such as list, ends without an error. */
	if (!WIFSIGNALED(status) && WEXITSTATUS(status))
		fail_test("%s: status %d", line, WEXITSTATUS(status));
}

/*
 * Kills every command at different moments, which are the same each time the test runs. Nothing is
 * left in the kernel, and a later measurement is right. BPROF_KILLS sets the number of kills; "make
 * check-long" sets it to 250 in each VM.
 */
static void test_killed_anywhere(void **state)
{
	static struct id_set loaded;
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	const char *wanted = getenv("BPROF_KILLS");
	int cnt = wanted ? atoi(wanted) : 3 * (int)KILLED_CNT;
	struct run *r;

	/* bprof system leaves the attr map, which all bperf users share. */
	assert_status(bprof(f, "system -a -e cpu-clock --timeout 1 -j"), 0);
	id_set__read(&loaded);
	srand(1);
	for (int i = 0; i < cnt; i++)
		kill_after(killed[i % KILLED_CNT], t.id, rand() % MAX_KILL_US);
	assert_nothing_left(&loaded);
	r = bprof(f, "-j -e time -b %u -- drive testrun %u:13", t.id, t.id);
	assert_status(r, 0);
	assert_counted(r, t.id, 13);
	assert_status(bprof(f, "system -a -e cpu-clock --timeout 1 -j"), 0);
	unlink("/sys/fs/bpf/perf_attr_map");
	fprintf(stderr, "# %d processes were killed\n", cnt);
}

KTEST_GROUP(signals, "the end by a signal: nothing is left", NULL, ON(SMP4),
	    KTEST_PARAM("SIGINT", test_signal, SIGINT),
	    KTEST_PARAM("SIGTERM", test_signal, SIGTERM),
	    KTEST_PARAM("SIGKILL", test_signal, SIGKILL),
	    KTEST_PARAM("SIGINT_with_command", test_signal_with_command, "INT"),
	    KTEST_PARAM("SIGTERM_with_command", test_signal_with_command, "TERM"),
	    KTEST(test_ignored_sigchld), KTEST(test_stopped_command), KTEST(test_sigpipe),
	    KTEST(test_killed_anywhere, LONG),
	    KTEST_PARAM("SIGINT_at_start", test_signal_at_start, SIGINT),
	    KTEST_PARAM("SIGKILL_at_start", test_signal_at_start, SIGKILL));
