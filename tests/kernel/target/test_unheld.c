// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof reports a program as "unheld" if and only if it has leaked. A program that drive leaves on a
 * hook in another network namespace is not unheld, although nothing else holds the program.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/filter.h>

#include "tests/kernel/backend/fentry/contexts_case.h"

#define CGROUP "/sys/fs/cgroup/unheld"

/* Returns the program's row. If bprof runs with a prefix, the row is that of the newest program. */
static json_t *row_in(struct fixture *f, const char *prefix, __u32 id)
{
	struct run *r = command(f, "%sbprof list -j", prefix);

	assert_status(r, 0);
	return row_of(r, id);
}

/* Fails unless bprof says that something holds the program. by: a part of that text, or NULL. */
static void assert_held(struct fixture *f, __u32 id, const char *by)
{
	json_t *row = row_in(f, "", id), *held = json_object_get(row, "held_by");

	if (!json_is_false(json_object_get(row, "unheld")) || !held != !by ||
	    (by && !strstr(json_string_value(held), by)))
		fail_test("held by %s expected: %s", by ?: "a process or attachment",
			  json_dumps(row, 0));
}

static void assert_unknown(struct fixture *f, const char *prefix, __u32 id, const char *why)
{
	json_t *row = row_in(f, prefix, id);
	json_t *text = json_object_get(row, "unheld_unknown");

	if (json_object_get(row, "unheld") || !text || !strstr(json_string_value(text), why))
		fail_test("'not known' with %s expected: %s", why, json_dumps(row, 0));
}

static bool is_there(__u32 id)
{
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ---- every hook ---- */

/* Hooks whose programs the kernel does not report. */
static const char *const blind[] = {"socket_filter", "sk_reuseport", "lwt_in", "lwt_out",
				    "lwt_xmit",	     "sk_msg",	     "sk_skb"};

static bool is_blind(const char *hook)
{
	for (size_t i = 0; i < sizeof(blind) / sizeof(blind[0]); i++)
		/* The kernel reports the programs of sockmaps since Linux 5.18. */
		if (!strcmp(blind[i], hook))
			return i < 5 || kernel_is("5.10");
	return false;
}

static void test_hook(void **state)
{
	struct fixture *f = *state;
	const struct context *c = f->param;
	struct target t;
	struct child *child;
	struct run *r;
	char line[32];
	json_t *row;

	load_targets(f, c, target_suffixes, &t, 1);
	child = command_start(f, "drive left %s %u", c->name, t.id);
	snprintf(line, sizeof(line), "%s", child_line(child));
	if (strcmp(line, "attached")) {
		child_wait(f, child);
		skip_test(c->name, line);
	}
	/* Only its object can remove a congestion control or scheduler. */
	if (strcmp(c->name, "struct_ops") && strcmp(c->name, "sched_ext"))
		unload(f, t);
	if (!strcmp(c->name, "syscall")) { /* only descriptors can hold it */
		assert_false(is_there(t.id));
	} else {
		r = bprof(f, "list -j");
		row = row_of(r, t.id);
		if (strstr(r->out, "\"unheld\": true") ||
		    !json_object_get(row, "unheld") != is_blind(c->name))
			fail_test("%s: %s", c->name, json_dumps(row, 0));
	}
	child_signal(child, SIGINT);
	assert_status(child_wait(f, child), 0);
}

static int make_tests(struct ktest *tests)
{
	int cnt = 0;

	for (int i = 0; i < context_cnt; i++)
		/* This hook is like perf_event, but needs a PMU with an interrupt. */
		if (strcmp(contexts[i].name, "perf_event_pmu"))
			tests[cnt++] = (struct ktest)KTEST_PARAM(contexts[i].name, test_hook,
								 &contexts[i]);
	return cnt;
}

KTEST_GROUP_OF(unheld_hooks, "that no hook's program is called unheld", load_context_modules,
	       ON(SMP4, LONG), make_tests);

/* ---- the things that can hold a program, one at a time ---- */

static void test_process(void **state)
{
	struct fixture *f = *state;

	assert_held(f, load_target(f, "xdp", "xdp_pass").id, NULL);
}

static void test_pin(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	command(f, "mkdir -p " PIN_DIR "/below");
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/below/alone"), 0);
	unload(f, t);
	assert_held(f, t.id, "pin " PIN_DIR "/below/alone");
	assert_contains(bprof(f, "list")->out, PIN_DIR "/below/alone");
	unlink(PIN_DIR "/below/alone");
}

/*
 * Runs fn in a child. Afterwards, the child only waits, and has only the descriptors that fn has
 * opened. The caller ends it with end_child().
 */
static pid_t start_child(int (*fn)(struct target t), struct target t)
{
	int pipe_fd[2];
	char ready = 0;
	pid_t pid;

	assert_int_equal(pipe2(pipe_fd, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int fd = 3; fd < 1000; fd++)
			if (fd != pipe_fd[1] && fd != t.fd)
				close(fd);
		ready = fn(t) ? 'n' : 'y';
		close(t.fd);
		if (write(pipe_fd[1], &ready, 1) == 1)
			pause();
		_exit(1);
	}
	close(pipe_fd[1]);
	assert_int_equal(read(pipe_fd[0], &ready, 1), 1);
	close(pipe_fd[0]);
	assert_int_equal(ready, 'y');
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int pin_elsewhere(struct target t)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "bpf", 0, NULL))
		return -1;
	return bpf_obj_pin(t.fd, "/mnt/elsewhere");
}

/* The program is pinned in a bpf filesystem that is mounted only in another mount namespace. */
static void test_pin_elsewhere(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	pid_t pid;

	mkdir("/mnt", 0755);
	pid = start_child(pin_elsewhere, t);
	unload(f, t);
	assert_held(f, t.id, "/mnt/elsewhere");
	end_child(pid);
}

static int attach_elsewhere(struct target t)
{
	return unshare(CLONE_NEWNET) ||
	       bpf_xdp_attach(1 /* lo */, t.fd, 1U << 1 /* XDP_FLAGS_SKB_MODE */, NULL);
}

static void test_netns(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	pid_t pid = start_child(attach_elsewhere, t);

	unload(f, t);
	assert_held(f, t.id, "xdp in the network namespace ");
	end_child(pid);
}

/* The program is attached by netlink, in this namespace. */
static void test_netlink(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	assert_int_equal(bpf_xdp_attach(1, t.fd, 1U << 1, NULL), 0);
	unload(f, t);
	assert_held(f, t.id, NULL);
	assert_int_equal(bpf_xdp_detach(1, 1U << 1, NULL), 0);
}

/* The program is in a prog array that no program uses. */
static void test_prog_array(void **state)
{
	int map = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "jumps", 4, 4, 8, NULL);
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	__u32 key = 5;

	assert_true(map >= 0);
	f->fd[f->fd_cnt++] = map;
	assert_int_equal(bpf_map_update_elem(map, &key, &t.fd, BPF_ANY), 0);
	unload(f, t);
	assert_held(f, t.id, "(jumps)");
}

/* A tracing program is loaded for the program, but not attached. */
static void test_tracer(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct target tracer = load_tracing(f, "fentry_one", t, "xdp_pass");
	char by[32];

	unload(f, t);
	if (kernel_is("5.10")) /* info.attach_btf_obj_id came with Linux 6.0 */
		skip_test("test_tracer", "the kernel does not report it");
	snprintf(by, sizeof(by), "program %u", tracer.id);
	assert_held(f, t.id, by);
}

/* The program has the callback of a timer, in a map that a process holds. */
static void test_timer(void **state)
{
	struct fixture *f = *state;
	struct target t;

	if (kernel_is("5.10"))
		skip_test("test_timer", "timers came with Linux 5.15");
	t = load_target(f, "later", "xdp_later");
	f->fd[f->fd_cnt++] = dup(bpf_object__find_map_fd_by_name(t.obj, "alarms"));
	drive(t, 1);
	unload(f, t);
	assert_unknown(f, "", t.id, "(alarms)");
}

/* ---- leaks ---- */

/*
 * Leaks a program as services do: it is attached to a cgroup without a link. The cgroup is removed,
 * but the cgroup's socket stays open. Returns the socket. When it is closed, the kernel unloads the
 * program.
 */
static int leak(struct fixture *f, struct target *t)
{
	int cgroup, sock;

	*t = load_target(f, "contexts_cgroup", "cgroup_skb_egress_0");
	assert_true(!mkdir(CGROUP, 0755) || errno == EEXIST);
	cgroup = open(CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(cgroup >= 0);
	assert_int_equal(bpf_prog_attach(t->fd, cgroup, BPF_CGROUP_INET_EGRESS, 0), 0);
	close(cgroup);
	command(f, "echo %d > " CGROUP "/cgroup.procs", getpid());
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	command(f, "echo %d > /sys/fs/cgroup/cgroup.procs", getpid());
	assert_true(sock >= 0);
	unload(f, *t);
	assert_held(f, t->id, NULL); /* the cgroup still exists */
	assert_int_equal(rmdir(CGROUP), 0);
	return sock;
}

/* Waits until the kernel has unloaded a program. */
static void test_leak(void **state)
{
	struct fixture *f = *state;
	struct target t;
	int sock = leak(f, &t);
	struct run *r = bprof(f, "list --unheld -j");

	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_true(json_is_true(json_object_get(row_of(r, t.id), "unheld")));
	r = bprof(f, "list --unheld");
	assert_contains(r->out, "unheld");
	assert_contains(r->err, "1 loaded program is unheld, with ");
	/* If bprof does not see all processes, it does not call the program unheld. */
	assert_unknown(f, "drive nobody cap_sys_admin,cap_bpf,cap_perfmon,cap_net_admin ", t.id,
		       "cannot be seen");
	assert_unknown(f, "unshare -pf ", t.id, "pid namespace");
	close(sock);
	AWAIT(!is_there(t.id));
}

/*
 * bprof watch says when the last holder has released a program, and at the end which programs are
 * unheld.
 */
static void test_watch(void **state)
{
	struct fixture *f = *state;
	struct child *c = bprof_start(f, "watch -j --unheld --new --name 'cgroup_skb_egress_0'");
	struct target t;
	int sock = leak(f, &t);
	char event[64] = "";
	struct run *r;

	while (!strstr(child_line(c), "\"unheld\""))
		; /* another event */
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	assert_contains(r->err, "1 program is unheld at the end, with ");
	snprintf(event, sizeof(event), "\"id\":%u", t.id);
	assert_contains(r->out, event);
	close(sock);
	AWAIT(!is_there(t.id));
}

static void test_export(void **state)
{
	struct fixture *f = *state;
	struct target t, other = load_target(f, "xdp", "xdp_pass");
	int sock = leak(f, &t);
	struct run *r = command(f, "bprof export -b %u --unheld -o - --timeout 300ms", other.id);

	assert_status(r, 0);
	assert_contains(r->out, "\nbprof_unheld_programs 1\n");
	assert_contains(r->out, "\nbprof_unheld_unknown_programs 0\n");
	close(sock);
	AWAIT(!is_there(t.id));
	r = command(f, "bprof export -b %u --unheld -o - --timeout 300ms", other.id);
	assert_contains(r->out, "\nbprof_unheld_programs 0\n");
	r = command(f, "bprof export -b %u -o - --timeout 300ms", other.id);
	assert_null(strstr(r->out, "\nbprof_unheld_programs "));
}

/* ---- the JIT's memory ---- */

#define JIT_LIMIT "/proc/sys/net/core/bpf_jit_limit"

/*
 * Returns true if the kernel has the symbol of its count of the JIT's memory. Debian's 6.1 leaves
 * out data symbols.
 */
static bool has_symbol(struct fixture *f)
{
	static int status = -1;

	if (status < 0)
		status = command(f, "grep -q ' bpf_jit_current$' /proc/kallsyms")->status;
	return !status;
}

static json_t *jit_memory(struct fixture *f)
{
	struct run *r = bprof(f, "list -j --name none");
	json_t *jit = json_object_get(r->json, "jit_memory");

	assert_status(r, 0);
	assert_int_equal(json_is_true(json_object_get(jit, "exact")), has_symbol(f));
	return jit;
}

static __u64 code_size(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.jited_prog_len;
}

/*
 * Returns the JIT's memory when it does not change any more: the kernel frees the code of programs,
 * such as those of the previous test, a while after they were unloaded.
 */
static json_int_t settled_jit_memory(struct fixture *f)
{
	json_int_t last = -1, now = num(jit_memory(f), "used_bytes");

	while (now != last) {
		usleep(200000);
		last = now;
		now = num(jit_memory(f), "used_bytes");
	}
	return now;
}

/* Programs add at least the size of their code, and at most two more pages for each program. */
static void test_jit_memory(void **state)
{
	struct fixture *f = *state;
	json_int_t before = settled_jit_memory(f), added;
	__u64 code = 0;
	struct run *r;

	for (int i = 0; i < 100; i++)
		code += code_size(load_raw(f).fd);
	added = num(jit_memory(f), "used_bytes") - before;
	if (added < (json_int_t)code || added > (json_int_t)code + 100 * 2 * getpagesize())
		fail_test("%lld bytes for %llu of code", (long long)added, code);
	r = command(f, "cat " JIT_LIMIT);
	assert_int_equal(num(jit_memory(f), "limit_bytes"), atoll(r->out));
	if (has_symbol(f)) { /* another user sees it, although only root can read the file */
		r = command(f, "drive nobody cap_sys_admin,cap_bpf,cap_perfmon,cap_syslog bprof "
			       "list -j --name none");
		assert_int_equal(num(r->json, "jit_memory.limit_bytes"),
				 num(jit_memory(f), "limit_bytes"));
		assert_true(json_is_true(
			json_object_get(json_object_get(r->json, "jit_memory"), "exact")));
	}
	r = bprof(f, "list -v");
	assert_contains(r->err, "the kernel's JIT uses ");
	assert_contains(r->err, "of net.core.bpf_jit_limit)");
	r = command(f, "bprof export -b %u -o - --timeout 300ms", load_raw(f).id);
	assert_contains(r->out, has_symbol(f) ? "bprof_jit_memory_bytes{of=\"kernel\"} "
					      : "bprof_jit_memory_bytes{of=\"programs\"} ");
	assert_contains(r->out, "\nbprof_jit_limit_bytes ");
}

/*
 * As an ordinary user, attaches more filters to sockets than fit below the limit. If the kernel has
 * an interpreter, it does not refuse the other filters, but interprets them.
 */
static int fill_with_filters(struct target t)
{
	struct sock_filter insn = {.code = BPF_RET | BPF_K, .k = ~0U};
	struct sock_fprog filter = {1, &insn};

	(void)t;
	if (setuid(65534))
		return -1;
	for (int i = 0; i < 900; i++) {
		int sock = socket(AF_INET, SOCK_DGRAM, 0);

		if (sock < 0)
			return -1;
		if (setsockopt(sock, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)))
			return 0;
	}
	return 0;
}

static void set_limit(json_int_t bytes)
{
	FILE *file = fopen(JIT_LIMIT, "w");

	assert_non_null(file);
	fprintf(file, "%lld", (long long)bytes);
	assert_int_equal(fclose(file), 0);
}

/*
 * When bprof shows that the limit is reached, the kernel makes no more code for an ordinary user.
 */
static void test_jit_limit(void **state)
{
	struct fixture *f = *state;
	json_t *jit = jit_memory(f);
	json_int_t before = num(jit, "used_bytes"), old = num(jit, "limit_bytes"), used;
	json_int_t limit = before + 8 * getpagesize();
	pid_t pid;

	if (!has_symbol(f))
		skip_test("test_jit_limit", "the kernel has no symbol of its count");
	set_limit(limit);
	pid = start_child(fill_with_filters, (struct target){.fd = -1});
	used = num(jit_memory(f), "used_bytes");
	end_child(pid);
	set_limit(old);
	/* The programs with which bprof reads the number take up to two pages each. */
	if (used < limit - 2 * getpagesize() || used > limit + 4 * getpagesize())
		fail_test("refused at %lld of %lld bytes", (long long)used, (long long)limit);
}

KTEST_GROUP(unheld, "which programs are unheld", NULL, ON(SMP4), KTEST(test_process),
	    KTEST(test_pin), KTEST(test_pin_elsewhere), KTEST(test_netns), KTEST(test_netlink),
	    KTEST(test_prog_array), KTEST(test_tracer), KTEST(test_timer), KTEST(test_leak),
	    KTEST(test_watch), KTEST(test_export), KTEST(test_jit_memory), KTEST(test_jit_limit));
