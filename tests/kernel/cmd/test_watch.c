// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests bprof watch: it shows each load and unload once, in order, or counts it as lost.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/cmd/watch_story.h"
#include "tests/kernel/harness.h"

#define MARKER "w_marker"
/* ---- programs that are loaded ---- */

static int load_named(const char *name)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns, 2, NULL);

	if (fd < 0)
		fail_test("%s: %s", name, strerror(errno));
	return fd;
}

static __u32 id_of_fd(int fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

/* Loads a program with that name and keeps it until the end of the test or close_fd(). */
static int keep_named(struct fixture *f, const char *name)
{
	int fd = load_named(name);

	assert_true(f->fd_cnt < MAX_KEPT);
	return f->fd[f->fd_cnt++] = fd;
}

static void load_and_unload(__u32 *ids, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		int fd = load_named("w_turn");

		ids[i] = id_of_fd(fd);
		close(fd);
	}
}

/* ---- bprof watch ---- */

/*
 * Starts bprof watch and waits until it records loads. It then shows the program MARKER, which was
 * loaded before.
 */
static struct child *start_watch(struct fixture *f, const char *options)
{
	struct child *c;

	keep_named(f, MARKER);
	c = bprof_start(f, "watch -j --name 'w_*' %s", options);
	assert_contains(child_line(c), MARKER);
	return c;
}

static struct run *end_watch(struct fixture *f, struct child *c, int sig)
{
	struct run *r;

	child_signal(c, sig);
	r = child_wait(f, c);
	assert_status(r, 0);
	return r;
}

/* ---- the tests ---- */

static void assert_seen(const struct run *r, const __u32 *ids, int cnt, bool unloaded)
{
	struct watch_story *s = watch_story__read(r);
	json_int_t unseen = 0;

	for (int i = 0; i < cnt; i++) {
		const struct watch_seen *p = watch_story__seen(s, ids[i]);

		if (p->there || p->loads > 1 || p->unloads > unloaded || !p->in_order)
			fail_test("program %u: %d loads, %d unloads%s: %s", ids[i], p->loads,
				  p->unloads, p->in_order ? "" : " in the wrong order", r->out);
		unseen += !p->loads + (unloaded && !p->unloads);
	}
	if (unseen > s->lost)
		fail_test("%lld loads and unloads were not seen, %lld records lost: %s",
			  (long long)unseen, (long long)s->lost, r->err);
}

static void test_thousand(void **state)
{
	struct fixture *f = *state;
	struct child *c = start_watch(f, "");
	__u32 ids[1000];

	load_and_unload(ids, 1000);
	assert_seen(end_watch(f, c, SIGINT), ids, 1000, true);
}

/*
 * Loads cnt programs as fast as possible and keeps all of them until it exits. cnt must be at most
 * half of the number of programs whose records fit into a buffer.
 */
static void load_many(__u32 *ids, int cnt, int report_fd)
{
	for (int i = 0; i < cnt; i++)
		ids[i] = id_of_fd(load_named("w_many"));
	if (write(report_fd, ids, cnt * sizeof(*ids)) != (ssize_t)(cnt * sizeof(*ids)))
		_exit(1);
	_exit(0);
}

static pid_t start_loader(__u32 *ids, int cnt, int *fd)
{
	int p[2];
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		load_many(ids, cnt, p[1]);
	close(p[1]);
	*fd = p[0];
	return pid;
}

static void end_loader(pid_t pid, int fd, __u32 *ids, int cnt)
{
	size_t sz = cnt * sizeof(*ids), len = 0;
	int status;

	while (len < sz) {
		ssize_t n = read(fd, (char *)ids + len, sz - len);

		assert_true(n > 0);
		len += n;
	}
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/*
 * Two processes load programs at the same time. The records of all programs fit into the buffers,
 * whenever bprof reads these.
 */
static void test_five_hundred(void **state)
{
	struct fixture *f = *state;
	struct child *c = start_watch(f, "");
	__u32 ids[500];
	pid_t pid[2];
	struct watch_story *s;
	struct run *r;
	int fd[2];

	for (int i = 0; i < 2; i++)
		pid[i] = start_loader(ids + 250 * i, 250, &fd[i]);
	for (int i = 0; i < 2; i++)
		end_loader(pid[i], fd[i], ids + 250 * i, 250);
	r = end_watch(f, c, SIGTERM);
	assert_seen(r, ids, 500, true);
	s = watch_story__read(r);
	assert_int_equal(s->lost, 0);
	for (int i = 0; i < 500; i++) {
		const struct watch_seen *p = watch_story__seen(s, ids[i]);

		assert_int_equal(p->loads + p->unloads, 2);
		assert_int_equal(p->pid, pid[i / 250]);
	}
	assert_contains(r->err, "500 loads, 500 unloads, 0 records lost");
}

/*
 * bprof shows the name and id of the process that loaded a program, although the process exits and
 * the program is unloaded long before bprof reads the record.
 */
static void test_loader(void **state)
{
	struct fixture *f = *state;
	struct child *c = start_watch(f, "--name xdp_map");
	struct watch_story *s;
	struct run *r;

	child_signal(c, SIGSTOP);
	assert_status(command(f, "drive run --obj progs/work.bpf.o:xdp_map -- true"), 0);
	child_signal(c, SIGCONT);
	r = end_watch(f, c, SIGINT);
	s = watch_story__read(r);
	assert_int_equal(s->cnt, 2); /* only the programs xdp_map and MARKER */
	assert_int_equal(s->prog[1].loads, 1);
	assert_int_equal(s->prog[1].unloads, 1);
	assert_string_equal(s->prog[1].comm, "drive");
	assert_true(s->prog[1].pid > 0);
	assert_contains(r->out, "\"gone\":true");
}

static json_t *load_of(const struct run *r)
{
	assert_non_null(r->json);
	return r->json;
}

static void assert_functions(json_t *obj, const char *const *want, size_t cnt)
{
	json_t *list = json_object_get(obj, "functions");

	assert_int_equal(json_array_size(list), cnt);
	for (size_t i = 0; i < cnt; i++)
		assert_string_equal(json_string_value(json_array_get(list, i)), want[i]);
}

static const char *const sub_names[] = {"xdp_subprogs", "sub_static", "sub_global"};
static const char full_name[] = "xdp_with_a_very_long_function_name";

/*
 * A program has the same name in both cases: if bprof finds it at the start, and reads the name
 * from BTF; and if bprof gets the record of its load, and reads the name from symbols.
 */
static void test_names(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "subprogs", "xdp_subprogs");
	struct run *r;

	r = bprof(f, "watch -j --name xdp_subprogs -- true");
	assert_status(r, 0);
	assert_string_equal(str(load_of(r), "event"), "loaded");
	assert_int_equal(num(r->json, "id"), t.id);
	assert_functions(r->json, sub_names, 3);
	r = bprof(f,
		  "watch --new -j --name 'xdp_[sw]*' -- "
		  "drive run --obj progs/subprogs.bpf.o --obj progs/xdp.bpf.o:%s -- sleep 0.1",
		  full_name);
	assert_status(r, 0);
	assert_string_equal(str(load_of(r), "event"), "load");
	assert_string_equal(str(r->json, "type"), "xdp");
	assert_string_equal(str(r->json, "name"), "xdp_subprogs");
	assert_true(num(r->json, "xlated_bytes") > 0 && num(r->json, "jited_bytes") > 0);
	assert_functions(r->json, sub_names, 3);
	assert_contains(r->out, full_name);
}

#define ALIVE 50 /* how many programs are loaded at any time */

/*
 * Loads programs one after the other. Unloads the oldest one before each load, so that ALIVE
 * programs are loaded.
 */
static void load_in_turn(int *fds, __u32 *ids, int from, int to)
{
	for (int i = from; i < to; i++) {
		if (i >= ALIVE)
			close(fds[i % ALIVE]);
		fds[i % ALIVE] = load_named("w_turn");
		ids[i] = id_of_fd(fds[i % ALIVE]);
	}
}

/*
 * bprof starts while programs are loaded and unloaded. It may miss the first of these programs. But
 * after the first program that it shows, it must show all further programs, because their records
 * fit into a buffer.
 */
static void test_start(void **state)
{
	struct fixture *f = *state;
	static __u32 ids[750];
	bool begun = false;
	struct watch_story *s;
	struct child *c;
	struct run *r;
	int fds[ALIVE];

	keep_named(f, MARKER);
	c = bprof_start(f, "watch -j --name 'w_*'");
	load_in_turn(fds, ids, 0, 600);
	child_line(c); /* bprof has begun to record */
	load_in_turn(fds, ids, 600, 750);
	for (int i = 0; i < ALIVE; i++)
		close(fds[i]);
	r = end_watch(f, c, SIGINT);
	s = watch_story__read(r);
	for (int i = 0; i < 750; i++) {
		const struct watch_seen *p = watch_story__seen(s, ids[i]);

		begun |= p->there || p->loads;
		if ((begun && p->unloads != 1) || p->there + p->loads != begun || !p->in_order)
			fail_test("program %u: %d times there, %d loads, %d unloads: %s", ids[i],
				  p->there, p->loads, p->unloads, r->out);
	}
	assert_true(begun);
	assert_int_equal(s->lost, 0);
}

/* bprof reads a function's name from BTF. Afterwards it does not keep the program loaded. */
static void test_not_kept_loaded(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_with_a_very_long_function_name");
	struct child *c = bprof_start(f, "watch -j --name 'xdp_with_a_very*'");
	json_t *line = json_loads(child_line(c), 0, NULL);

	assert_int_equal(num(line, "id"), t.id);
	json_decref(line);
	unload(f, t);
	line = json_loads(child_line(c), 0, NULL);
	assert_string_equal(str(line, "event"), "unload");
	assert_int_equal(num(line, "id"), t.id);
	json_decref(line);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
}

/*
 * While bprof is stopped, the kernel writes more records than the buffers can hold. Afterwards
 * bprof still finds the programs that are loaded.
 */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct child *c = start_watch(f, "");
	static __u32 ids[1800];
	cpu_set_t old, one;
	struct watch_story *s;
	struct run *r;
	__u32 last;

	assert_int_equal(sched_getaffinity(0, sizeof(old), &old), 0);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	child_signal(c, SIGSTOP);
	load_and_unload(ids, 1800);
	last = id_of_fd(keep_named(f, "w_last"));
	child_signal(c, SIGCONT);
	assert_int_equal(sched_setaffinity(0, sizeof(old), &old), 0);
	r = end_watch(f, c, SIGINT);
	assert_seen(r, ids, 1800, true);
	s = watch_story__read(r);
	assert_true(s->lost > 0);
	assert_int_equal(watch_story__seen(s, last)->loads, 1);
	assert_int_equal(watch_story__seen(s, last)->missed, 1);
	assert_null(strstr(r->err, " 0 records lost"));
}

/* The options select the programs that bprof watch shows. */
static void test_choice(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	struct run *r;

	assert_int_equal(bpf_obj_get_info_by_fd(t.fd, &info, &len), 0);
	load_target(f, "skb", "tc_mark");
	r = bprof(f, "watch -j --type xdp --name 'xdp_*' -- true");
	assert_int_equal(watch_story__read(r)->cnt, 1);
	r = bprof(f, "watch -j --type sched_cls,kprobe -- true");
	assert_int_equal(watch_story__read(r)->cnt, 1);
	r = bprof(f, "watch -j --tag %02x%02x%02x%02x -- true", info.tag[0], info.tag[1],
		  info.tag[2], info.tag[3]);
	assert_int_equal(watch_story__read(r)->cnt, 1);
	assert_int_equal(num(r->json, "id"), t.id);
	r = bprof(f, "watch -j --new --name 'xdp_*' -- true");
	assert_status(r, 0);
	assert_string_equal(r->out, "");

	r = bprof(f, "watch --new -- bprof -b %u -e time --timeout 1", t.id);
	assert_status(r, 0);
	assert_null(strstr(r->out, "bprof_"));
	r = bprof(f, "watch --own --new -- bprof -b %u -e time --timeout 1", t.id);
	assert_contains(r->out, "bprof_");
}

/*
 * With --type, bprof counts the loads that it leaves out because the type is not known: these
 * programs were unloaded before bprof could read their types.
 */
static void test_typeless(void **state)
{
	struct fixture *f = *state;
	struct child *c;
	struct run *r;
	__u32 ids[3];

	keep_named(f, MARKER);
	c = bprof_start(f, "watch -j --type xdp --name 'w_m*'");
	assert_contains(child_line(c), MARKER);
	child_signal(c, SIGSTOP);
	load_and_unload(ids, 3);
	close(load_named("w_mine"));
	child_signal(c, SIGCONT);
	r = end_watch(f, c, SIGINT);
	assert_contains(
		r->err,
		"\nbprof: 1 more load left out: unloaded before its type or name could be read");
}

/* bprof writes text to a file, and its exit status is the command's. */
static void test_text(void **state)
{
	struct fixture *f = *state;
	struct run *r;

	keep_named(f, "w_text");
	r = bprof(f, "watch --name w_text -o watch.out -- sh -c 'exit 7'");
	assert_status(r, 7);
	assert_string_equal(r->out, "");
	assert_contains(r->err, "0 loads, 0 unloads, 0 records lost");
	r = bprof(f, "watch --name w_text -o watch.out --append --timeout 1");
	assert_status(r, 0);
	r = command(f, "cat watch.out; rm watch.out");
	assert_contains(r->out, "TIME ");
	assert_contains(strstr(r->out, "w_text") + 1, "w_text");
}

static void test_refused(void **state)
{
	static const struct {
		const char *args;
		int status;
		const char *text;
	} cases[] = {
		{"watch --type nonsense", 2, "no such program type"},
		{"watch --append", 2, "needs -o"},
		{"watch --tag xyz", 2, "hexadecimal"},
		{"watch -o /nowhere/file", 1, "/nowhere/file"},
		{"watch --timeout 1 > /dev/full", 1, "No space left"},
	};
	struct fixture *f = *state;
	struct run *r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = bprof(f, "%s", cases[i].args);
		assert_status(r, cases[i].status);
		assert_contains(r->err, cases[i].text);
	}
	r = command(f, "drive nobody none bprof watch");
	assert_status(r, 7);
	assert_contains(r->err, "CAP_SYS_ADMIN");
	assert_ptr_equal(strchr(r->err, '\n'), r->err + strlen(r->err) - 1);
}

/*
 * A CPU goes offline and comes back online. bprof shows a program that is loaded on this CPU
 * afterwards: it either reads the CPU's records, or lists all programs.
 */
static void test_cpu_returns(void **state)
{
	struct fixture *f = *state;
	struct child *c = start_watch(f, "");
	int last_cpu = online_cpus() - 1;
	cpu_set_t old, one;
	const char *line;

	assert_int_equal(sched_getaffinity(0, sizeof(old), &old), 0);
	set_online(last_cpu, false);
	keep_named(f, "w_without");
	assert_contains(child_line(c), "w_without");
	set_online(last_cpu, true);
	CPU_ZERO(&one);
	CPU_SET(last_cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	keep_named(f, "w_back");
	line = child_line(c);
	assert_contains(line, "w_back");
	/* By now bprof reads the records of this CPU again, and reports no missed loads. */
	keep_named(f, "w_again");
	line = child_line(c);
	assert_contains(line, "w_again");
	assert_null(strstr(line, "missed"));
	assert_int_equal(sched_setaffinity(0, sizeof(old), &old), 0);
	end_watch(f, c, SIGINT);
}

static int setup_cpus(void **state)
{
	return has_cpus(4) ? setup(state) : -1;
}

static int teardown_cpus(void **state)
{
	set_all_online(4);
	return teardown(state);
}

/*
 * The kernel's records of interpreted programs have no names. bprof counts the loads that --name
 * may have left out for this reason.
 */
static void test_nameless(void **state)
{
	struct fixture *f = *state;
	struct child *c = start_watch(f, "");
	__u32 ids[3];

	write_file(JIT_ENABLE, "0");
	child_signal(c, SIGSTOP);
	load_and_unload(ids, 3);
	child_signal(c, SIGCONT);
	assert_contains(end_watch(f, c, SIGINT)->err,
			"\nbprof: 3 more loads left out: unloaded before their type or name");
}

KTEST_GROUP(watch, "loads and unloads as they happen", NULL, ON(EXACT, SMP4, OLD),
	    KTEST(test_thousand, LONG), KTEST(test_five_hundred), KTEST(test_loader),
	    KTEST(test_names), KTEST_WITH(setup, teardown_jit, test_nameless), KTEST(test_start),
	    KTEST(test_not_kept_loaded), KTEST(test_lost, LONG), KTEST(test_choice),
	    KTEST(test_typeless), KTEST(test_text), KTEST(test_refused));

KTEST_GROUP(watch_cpus, "bprof watch while CPUs go offline and online", NULL, ON(SMP4),
	    KTEST_WITH(setup_cpus, teardown_cpus, test_cpu_returns));
