// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests --owner: processes that hold programs, their children, and cgroups; programs that are loaded or handed over
 * later; an owner that is started again.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

#define CGROUP "/sys/fs/cgroup/ktest-owner"
#define UNIT CGROUP "/agent.service"

/* ---- processes that hold programs ---- */

static void name_self(const char *name)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
}

/*
 * Starts a process called name that does not inherit this process's descriptors. It runs fn(arg),
 * which returns true if the process then holds the right programs. The process stays until it is
 * killed.
 */
static pid_t start_process(const char *name, bool (*fn)(const void *arg), const void *arg)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		name_self(name);
		for (int fd = 3; fd < 4096; fd++)
			if (fd != ready[1])
				close(fd);
		if (fn(arg) && write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		fail_test("%s could not start", name);
	close(ready[0]);
	return pid;
}

static void stop_process(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool hold(const void *id)
{
	return bpf_prog_get_fd_by_id(*(const __u32 *)id) >= 0;
}

/* Makes a grandchild hold the program. The grandchild ends with this process. */
static bool hold_in_grandchild(const void *id)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return false;
	pid = fork();
	if (!pid) {
		name_self("helper");
		if (fork()) {
			for (;;)
				pause();
		}
		name_self("grandchild");
		if (hold(id) && write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	return pid > 0 && read(ready[0], &byte, 1) == 1;
}

static bool hold_in_unit(const void *id)
{
	int fd = open(UNIT "/cgroup.procs", O_WRONLY);

	return fd >= 0 && write(fd, "0", 1) == 1 && !close(fd) && hold(id);
}

/* Loads a program itself. */
static bool load_self(const void *name)
{
	struct bpf_object *obj = bpf_object__open_file(PROGS_DIR "/alu.bpf.o", NULL);
	struct bpf_program *prog;

	if (!obj)
		return false;
	bpf_object__for_each_program (prog, obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), name));
	return !bpf_object__load(obj);
}

/* ---- tests ---- */

static void assert_chosen(struct run *r, __u32 one, __u32 other)
{
	json_t *rows = json_object_get(r->json, "programs");
	int cnt = (one > 0) + (other > 0);

	assert_status(r, 0);
	if ((int)json_array_size(rows) != cnt)
		fail_test("%d programs expected: %s", cnt, json_dumps(r->json, 0));
	if (one)
		row_of(r, one);
	if (other)
		row_of(r, other);
}

#define STAT "--owner %s -j -e time -- true"

static void test_processes(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_0"),
		      b = load_target(f, "alu", "xdp_alu_7");
	struct target t = load_target(f, "skb", "tc_mark");
	pid_t agent = start_process("agent", hold, &a.id);
	pid_t other = start_process("agent", hold, &t.id);
	pid_t parent = start_process("parent", hold_in_grandchild, &b.id);
	char who[16];
	struct run *r;

	snprintf(who, sizeof(who), "%d", agent);
	assert_chosen(bprof(f, STAT, who), a.id, 0);
	assert_chosen(bprof(f, STAT, "agent"), a.id, t.id);
	assert_chosen(bprof(f, STAT, "grandchild"), b.id, 0);
	snprintf(who, sizeof(who), "%d", parent);
	assert_chosen(bprof(f, STAT, who), b.id, 0);
	/* several owners: programs that one of them holds */
	r = bprof(f, "--owner %s " STAT, who, "agent");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 3);
	/* with other selectors: programs that an owner holds and that all selectors choose */
	assert_chosen(bprof(f, "--type xdp --prog-id %u,%u " STAT, a.id, t.id, "agent"), a.id, 0);
	assert_chosen(bprof(f, "--type xdp " STAT, "agent"), a.id, 0);
	assert_chosen(bprof(f, "--name xdp_alu_7 " STAT, "grandchild"), b.id, 0);
	assert_contains(bprof(f, "list --owner agent")->out, "xdp_alu_0");
	r = bprof(f, "list --owner agent --type xdp -j");
	row_of(r, a.id);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	stop_process(agent);
	stop_process(other);
	stop_process(parent);
}

static void test_cgroups(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_0");
	json_t *row;
	pid_t pid;
	struct run *r;

	mkdir(CGROUP, 0755);
	assert_true(!mkdir(UNIT, 0755) || errno == EEXIST);
	pid = start_process("in-unit", hold_in_unit, &a.id);
	assert_chosen(bprof(f, STAT, "agent.service"), a.id, 0);
	assert_chosen(bprof(f, STAT, "/ktest-owner"), a.id, 0);
	assert_chosen(bprof(f, STAT, UNIT), a.id, 0);
	r = bprof(f, STAT, "/ktest");
	assert_int_equal(r->status, 8);
	/* the owner of the sum is the process with the lowest id */
	r = bprof(f, "--prog-id %u --sum owner -j -e time -- drive testrun %u:3", a.id, a.id);
	row = json_array_get(json_object_get(r->json, "programs"), 0);
	assert_string_equal(str(row, "name"), "ktest");
	unload(f, a);
	r = bprof(f, "--prog-id %u --sum owner -j -e time -- drive testrun %u:3", a.id, a.id);
	row = json_array_get(json_object_get(r->json, "programs"), 0);
	assert_string_equal(str(row, "name"), "agent.service");
	assert_int_equal(num(row, "runs"), 3);
	stop_process(pid);
	assert_int_equal(rmdir(UNIT), 0);
	assert_int_equal(rmdir(CGROUP), 0);
}

static void test_nothing(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_0");
	struct run *r = bprof(f, "--owner nobody -e time -- true");

	assert_int_equal(r->status, 8);
	assert_contains(r->err, "--owner nobody: no program is held by it now");
	r = bprof(f, "--prog-id %u --owner nobody -e time -- true", a.id);
	assert_int_equal(r->status, 8);
	assert_contains(r->err, "--owner nobody: no selected program is held by it now");
	r = bprof(f, "--prog-id %u --owner 0 -e time -- true", a.id);
	assert_int_equal(r->status, 2);
	assert_contains(r->err, "there is no such process id");
	r = bprof(f, "--owner nobody --follow -e time --timeout 200");
	assert_int_equal(r->status, 8);
}

/* Waits for the next line of bprof's output that has a row of the program, with or without runs. */
static void await_row(struct child *c, const char *name)
{
	bool there = false;

	while (!there) {
		json_t *doc = json_loads(child_line(c), 0, NULL), *row;
		json_t *rows = json_object_get(doc, "programs");

		for (size_t i = 0; (row = json_array_get(rows, i)); i++)
			there |= !strcmp(str(row, "name"), name);
		json_decref(doc);
	}
}

/*
 * An owner gets programs later: one is handed over, the owner loads one and, after the owner was
 * restarted, a further one. Programs of others are not measured.
 */
static void test_later(void **state)
{
	static const struct {
		const char *name;
		int runs;
	} wanted[] = {{"xdp_alu_0", 10}, {"xdp_alu_64", 0}, {"xdp_alu_7", 5}};
	struct fixture *f = *state;
	struct child *c = bprof_start(f, "--owner agent --follow -j -I 50 -e time");
	struct target a = load_target(f, "alu", "xdp_alu_0"), b, stranger;
	pid_t agent, loader;
	json_t *doc = NULL, *rows, *row;
	char *line, *rest;
	struct run *r;

	json_decref(json_loads(child_line(c), 0, NULL));
	stranger = load_target(f, "skb", "tc_mark");
	agent = start_process("agent", hold, &a.id);
	await_row(c, "xdp_alu_0");
	drive(a, 10);
	drive(stranger, 3);
	loader = start_process("agent", load_self, "xdp_alu_64");
	await_row(c, "xdp_alu_64");
	stop_process(agent);
	stop_process(loader);
	b = load_target(f, "alu", "xdp_alu_7");
	agent = start_process("agent", hold, &b.id);
	await_row(c, "xdp_alu_7");
	drive(b, 5);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	for (line = strtok_r(r->out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_decref(doc);
		doc = json_loads(line, 0, NULL);
	}
	rows = json_object_get(doc, "programs");
	assert_int_equal(json_array_size(rows), 3);
	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		for (size_t k = 0; k < 3; k++)
			if (!strcmp(str(row, "name"), wanted[k].name))
				assert_int_equal(num(row, "runs"), wanted[k].runs);
	json_decref(doc);
	stop_process(agent);
}

/* Runs from before the owner got a program are not counted, although the kernel has counted them. */
static void test_earlier_runs(void **state)
{
	struct fixture *f = *state;
	struct target a = load_target(f, "alu", "xdp_alu_0");
	struct run *r;
	pid_t agent;
	json_t *last = NULL, *row;
	char *line, *rest;
	struct child *c;

	/* the kernel counts the runs of all programs while another bprof uses run_stats */
	c = bprof_start(f, "--prog-id %u -j -I 50 -e time --method run_stats", a.id);
	json_decref(json_loads(child_line(c), 0, NULL));
	drive(a, 100);
	child_signal(c, SIGINT);
	child_wait(f, c);
	c = bprof_start(f, "--owner agent --follow -j -I 50 -e time --method run_stats");
	json_decref(json_loads(child_line(c), 0, NULL));
	agent = start_process("agent", hold, &a.id);
	await_row(c, "xdp_alu_0");
	drive(a, 10);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	for (line = strtok_r(r->out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_decref(last);
		last = json_loads(line, 0, NULL);
	}
	row = json_array_get(json_object_get(last, "programs"), 0);
	assert_int_equal(num(row, "runs"), 10);
	json_decref(last);
	stop_process(agent);
}

KTEST_GROUP(owners, "programs that somebody holds", NULL, ON(SMP4), KTEST(test_processes),
	    KTEST(test_cgroups), KTEST(test_nothing), KTEST(test_later), KTEST(test_earlier_runs));
