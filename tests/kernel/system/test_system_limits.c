// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the limits of bperf, and what bprof reports when they are reached. Also tests bperf users
 * of one process that begin and end in any order, and CPUs that go offline and online. The group
 * needs four vCPUs.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "bpf/bperf.h"
#include "tests/kernel/system/interval_user.h"
#include "tests/kernel/system/leaders.h"
#include "tests/kernel/system/toucher.h"
#include "tests/kernel/system/users.h"

#define WORK "-e " WORK_EVENT

static struct toucher worker; /* the counted process of the current test */

static int setup_limits(void **state)
{
	worker = (struct toucher){};
	if (mkdir(PIN_DIR, 0700)) {
		perror(PIN_DIR);
		return -1;
	}
	return setup(state);
}

static int teardown_limits(void **state)
{
	toucher__end(&worker);
	set_online(3, true);
	return teardown(state);
}

static void assert_total(const struct run *r, const char *kind, __u64 id, __u64 done)
{
	double total = scope_total(r, kind, id, WORK_EVENT);

	if (total != done)
		fail_test("%s %llu: counted %.0f of %llu: %s", kind, (unsigned long long)id, total,
			  (unsigned long long)done, r->out);
}

/* ---- several bperf users of one process ---- */

/*
 * A child of the process starts between two bperf users: only the first bperf user counts the
 * child.
 */
static void test_who_leaves(void **state)
{
	struct fixture *f = *state;
	bool first_leaves = f->param;
	struct child *first, *second;
	__u64 before, both, rest, seen_before;

	toucher__start(&worker);
	first = user_start(f, WORK " -p %d", worker.pid);
	before = toucher__keep_child(&worker);
	second = user_start(f, WORK " -p %d", worker.pid);
	assert_int_equal(read_only_tables().owners, 2);
	both = toucher__touch(&worker, 30) + toucher__fork(&worker, 2, 10);
	both += toucher__touch_in_child(&worker, 40);
	seen_before = before + worker.in_child;
	assert_total(user_end(f, first_leaves ? first : second), "process", worker.pid,
		     both + (first_leaves ? seen_before : 0));
	rest = toucher__touch(&worker, 50) + toucher__fork(&worker, 2, 20);
	rest += toucher__touch_in_child(&worker, 60);
	assert_total(user_end(f, first_leaves ? second : first), "process", worker.pid,
		     both + rest + (first_leaves ? 0 : before + worker.in_child));
	leaders__await(0);
}

static void test_twice_the_same(void **state)
{
	static const char *const args[] = {"-p %1$d,%1$d", "-p %1$d -p %1$d"};
	struct fixture *f = *state;

	toucher__start(&worker);
	for (int i = 0; i < 2; i++) {
		char pids[64];
		struct child *c;
		__u64 done;

		snprintf(pids, sizeof(pids), args[i], worker.pid);
		c = user_start(f, WORK " %s", pids);
		done = toucher__touch(&worker, 30);
		assert_total(user_end(f, c), "process", worker.pid, done);
	}
}

/*
 * One bperf user counts two events that have the same leader. Both events have the full count, also
 * if the process needs a set of its own because another bperf user counts more children.
 */
static void test_same_leader(void **state)
{
	static const char *const events[][2] = {
		{WORK_EVENT, WORK_EVENT ":H"},
		{"{" WORK_EVENT "}", "{" WORK_EVENT "}"},
	};
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++) {
		const char *const *ev = events[i / 2];
		struct child *other = NULL, *c;
		__u64 done;
		struct run *r;

		toucher__start(&worker);
		if (i % 2) {
			other = user_start(f, "-e '%s' -p %d", ev[0], worker.pid);
			toucher__keep_child(&worker);
		}
		c = user_start(f, "-e '%s,%s' -p %d", ev[0], ev[1], worker.pid);
		done = toucher__touch(&worker, 30) + toucher__fork(&worker, 2, 10);
		r = user_end(f, c);
		assert_total(r, "process", worker.pid, done);
		if (i < 2 && scope_total(r, "process", worker.pid, ev[1]) != done)
			fail_test("%s: not %llu: %s", ev[1], (unsigned long long)done, r->out);
		if (other)
			user_end(f, other);
		toucher__end(&worker);
		leaders__await(0);
	}
}

/* ---- sets: the counters in a leader's map that its users read ---- */

/* Starts idle processes, which end with the test's process, and writes their ids to text. */
static void start_idle(pid_t *pid, int cnt, char *text, size_t sz)
{
	size_t len = 0;

	for (int i = 0; i < cnt; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		len += snprintf(text + len, sz - len, "%s%d", i ? "," : "", pid[i]);
	}
	assert_true(len < sz);
}

static void end_idle(const pid_t *pid, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

/*
 * A set is a counter in a map of the leader. The map has BPERF_SETS sets. Here, bperf users start
 * and end one after the other, and together need more sets than that. The sets of ended bperf users
 * must be used again.
 */
static void test_sets_are_given_back(void **state)
{
	enum { IDLE = 250, USERS = 6 };
	struct fixture *f = *state;
	struct child *beside;
	__u64 done;
	char pids[MAX_TEXT / 2];
	pid_t idle[IDLE];

	_Static_assert(IDLE * USERS > BPERF_SETS, "more than there are");
	toucher__start(&worker);
	start_idle(idle, IDLE, pids, sizeof(pids));
	beside = user_start(f, WORK " -p %d", worker.pid);
	done = toucher__keep_child(&worker);
	for (int i = 0; i < USERS; i++) {
		struct child *c = user_start(f, WORK " -p %d,%s", worker.pid, pids);
		__u64 now = toucher__touch(&worker, 10) + toucher__fork(&worker, 3, 5);
		struct run *r;

		now += toucher__touch_in_child(&worker, 10);
		r = user_end(f, c);
		assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 0);
		assert_total(r, "process", worker.pid, now);
		done += now;
	}
	assert_total(user_end(f, beside), "process", worker.pid, done + worker.in_child);
	end_idle(idle, IDLE);
}

/*
 * Between any two bperf users, the process forks a child that stays. So no two bperf users count
 * the same children, and each bperf user needs a set of its own. The sets form a chain: the work of
 * the process is added to all of them.
 */
static void test_long_chain(void **state)
{
	enum { USERS = 100 };
	struct fixture *f = *state;
	struct user user[USERS];
	__u64 before[USERS];

	toucher__start(&worker);
	for (int i = 0; i < USERS; i++) {
		user__start(f, &user[i], "bprof system --attr-map " ATTR_MAP " " WORK " -p %d",
			    worker.pid);
		user__await(f, &user[i]);
		before[i] = worker.faults;
		toucher__keep_child(&worker);
		toucher__touch(&worker, 2 + i % 3);
	}
	toucher__touch(&worker, 100);
	for (int i = 0; i < USERS; i++) {
		__u64 count = csv_count(user__end(f, &user[i]), WORK_EVENT);

		if (count != worker.faults - before[i])
			fail_test("bperf user %d counted %llu of %llu", i,
				  (unsigned long long)count,
				  (unsigned long long)(worker.faults - before[i]));
	}
	leaders__await(0);
}

/* ---- keys of counted scopes ---- */

/* Opens the BPF map "keys" of the only leader and returns its descriptor. */
static int open_keys(void)
{
	struct leaders l;
	int fd;

	leaders__open(&l);
	assert_int_equal(l.cnt, 1);
	fd = open_table(l.fd[0], "bprof_keys");
	leaders__close(&l);
	return fd;
}

/*
 * The leader's map "keys" has an entry for each counted process, which selects the set that counts
 * the process. When the map is full, a new child is not counted, and bprof reports that.
 */
static void test_keys_are_full(void **state)
{
	struct fixture *f = *state;
	struct bperf_member m = {};
	struct child *c;
	int keys, pid = 0;
	__u64 key, done;
	struct run *r;
	json_t *notes;

	toucher__start(&worker);
	c = user_start(f, WORK " -p %d", worker.pid);
	done = toucher__touch(&worker, 10);
	keys = open_keys();
	key = bperf_key(BPERF_PROCESS, worker.pid);
	assert_int_equal(bpf_map_lookup_elem(keys, &key, &m), 0);
	/* Fill the map with entries of processes that cannot exist: pids end at 2^22. */
	do
		key = bperf_key(BPERF_PROCESS, (1 << 22) + ++pid);
	while (!bpf_map_update_elem(keys, &key, &m, BPF_NOEXIST));
	assert_int_equal(errno, E2BIG);
	close(keys);
	toucher__fork(&worker, 3, 50);
	r = user_end(f, c);
	/*
	 * The count may include the parent's faults at each fork, but not the 50 faults of each
	 * child.
	 */
	assert_true(scope_total(r, "process", worker.pid, WORK_EVENT) < done + 3 * 50);
	notes = json_object_get(scope_row(r->json, "process", worker.pid), "notes");
	assert_int_equal(json_array_size(notes), 1);
	assert_contains(json_string_value(json_array_get(notes, 0)), "up to 3 children");
	/* The next bperf user removes the entries of dead processes. */
	c = user_start(f, WORK " -p %d", worker.pid);
	assert_int_equal(read_only_tables().keys, 1);
	done = toucher__fork(&worker, 3, 50);
	assert_total(user_end(f, c), "process", worker.pid, done);
}

/* ---- cgroups ---- */

#define CGROUPS "/sys/fs/cgroup/ktest"

static void make_cgroups(int cnt)
{
	char path[64];

	assert_int_equal(mkdir(CGROUPS, 0755), 0);
	for (int i = 0; i < cnt; i++) {
		snprintf(path, sizeof(path), CGROUPS "/%d", i);
		assert_int_equal(mkdir(path, 0755), 0);
	}
}

static void remove_cgroups(int cnt)
{
	char path[64];

	for (int i = 0; i < cnt; i++) {
		snprintf(path, sizeof(path), CGROUPS "/%d", i);
		rmdir(path);
	}
	rmdir(CGROUPS);
}

static void move_to_cgroup(const char *dir)
{
	char path[64], pid[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(pid, sizeof(pid), "%d", worker.pid);
	write_file(path, pid);
}

static json_t *cgroup_row(json_t *report, const char *name)
{
	json_t *rows = json_object_get(report, "system"), *row;

	for (size_t i = 0; (row = json_array_get(rows, i)); i++)
		if (!strcmp(str(row, "name"), name))
			return row;
	return NULL;
}

/* The command creates this file when bprof counts. */
#define COUNTING "/tmp/counting"

static void await_file(const char *path)
{
	AWAIT(!access(path, F_OK));
	unlink(path);
}

/*
 * Each counted cgroup needs a set (a counter of the leader). If there are more cgroups than sets,
 * bprof skips the excess cgroups and reports the reason.
 */
static void test_many_cgroups(void **state)
{
	enum { CNT = 1100, SETS = BPERF_SETS - 1 };
	struct fixture *f = *state;
	json_t *row, *skipped;
	struct child *c;
	struct run *r;
	__u64 done;

	toucher__start(&worker);
	make_cgroups(CNT);
	move_to_cgroup(CGROUPS "/5");
	c = bprof_start(f, "system --attr-map " ATTR_MAP " -j " WORK
			   " --for-each-cgroup '^ktest/[0-9]+$' -- sh -c '>" COUNTING
			   "; exec sleep 1000'");
	await_file(COUNTING);
	done = toucher__touch(&worker, 100);
	child_signal(c, SIGINT);
	r = child_wait(f, c);
	assert_status(r, 0);
	row = cgroup_row(r->json, "ktest/5");
	assert_non_null(row);
	assert_int_equal(num(event_of(row, WORK_EVENT), "total"), done);
	assert_int_equal(json_array_size(json_object_get(r->json, "system")), SETS);
	skipped = json_object_get(r->json, "skipped");
	assert_int_equal(json_array_size(skipped), CNT - SETS);
	assert_contains(str(json_array_get(skipped, 0), "detail"), "limit");
	move_to_cgroup("/sys/fs/cgroup");
	remove_cgroups(CNT);
}

/* ---- file descriptors ---- */

/*
 * Each counted process needs a file descriptor: bprof raises its soft limit up to the hard limit.
 */
static void test_soft_fd_limit(void **state)
{
	enum { IDLE = 100 };
	struct fixture *f = *state;
	pid_t idle[IDLE];
	char pids[MAX_TEXT / 2];
	struct run *r;

	start_idle(idle, IDLE, pids, sizeof(pids));
	r = command(f,
		    "sh -c 'ulimit -Sn 64; bprof system --attr-map " ATTR_MAP " -j " WORK
		    " -p %s -o - -- sh -c \"test \\$(ulimit -Sn) = 64\"'",
		    pids);
	end_idle(idle, IDLE);
	assert_status(r, 0);
	assert_string_equal(r->err, "");
	assert_int_equal(json_array_size(json_object_get(r->json, "skipped")), 0);
	assert_non_null(scope_row(r->json, "process", idle[IDLE - 1]));
}

/*
 * When bperf runs out of file descriptors, at any point of its start, bprof counts with plain
 * events.
 */
static void test_hard_fd_limit(void **state)
{
	static const char events[] = "minor-faults,minor-faults:u,minor-faults:k,"
				     "major-faults,major-faults:u,major-faults:k";
	struct fixture *f = *state;
	int plain = 0, shared = 0;

	toucher__start(&worker);
	for (int limit = 20; limit <= 140; limit += 8) {
		struct run *r = command(f,
					"drive files %d bprof system -j -e %s -p %d -o - -- true",
					limit, events, worker.pid);
		json_t *row;

		assert_status(r, 0);
		row = scope_row(r->json, "process", worker.pid);
		if (!row)
			fail_test("%d descriptors: %s%s", limit, r->out, r->err);
		for (int i = 0; i < 6; i++)
			assert_string_equal(
				str(json_array_get(json_object_get(row, "events"), i), "status"),
				"ok");
		plain += !strcmp(str(row, "method"), "perf_event");
		shared += !strcmp(str(row, "method"), "bperf");
	}
	unlink("/sys/fs/bpf/perf_attr_map");
	printf("# with few descriptors: %d times plain events, %d times bperf\n", plain, shared);
	assert_true(plain && shared);
}

/* ---- CPUs ---- */

static void move_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(worker.pid, sizeof(set), &set), 0);
}

static void assert_note(const struct run *r, const char *kind, __u64 id, const char *text)
{
	json_t *notes = json_object_get(scope_row(r->json, kind, id), "notes");

	assert_int_equal(json_array_size(notes), 1);
	assert_contains(json_string_value(json_array_get(notes, 0)), text);
}

/*
 * If a CPU comes online during the measurement, for the first time or again, it is not counted from
 * then on. bprof reports this.
 */
static void test_cpu_comes(void **state)
{
	struct fixture *f = *state;
	bool later = f->param;
	struct child *c, *all;
	struct run *r;
	__u64 done;

	toucher__start(&worker);
	move_to_cpu(later ? 0 : 3);
	if (later)
		set_online(3, false);
	c = user_start(f, WORK " -p %d", worker.pid);
	all = user_start(f, WORK " -a");
	done = toucher__touch(&worker, 30);
	if (!later)
		set_online(3, false);
	done += toucher__touch(&worker, 40); /* the worker runs on other CPUs */
	set_online(3, true);
	move_to_cpu(3);
	toucher__touch(&worker, 500);
	move_to_cpu(1);
	done += toucher__touch(&worker, 50);
	r = user_end(f, c);
	assert_total(r, "process", worker.pid, done);
	assert_note(r, "process", worker.pid, "CPU 3");
	assert_note(user_end(f, all), "system", 0, "CPU 3");
	/* A bperf user that begins after all earlier ones have ended counts on CPU 3 again. */
	c = user_start(f, WORK " -p %d", worker.pid);
	move_to_cpu(3);
	done = toucher__touch(&worker, 60);
	r = user_end(f, c);
	assert_total(r, "process", worker.pid, done);
	assert_null(json_object_get(scope_row(r->json, "process", worker.pid), "notes"));
}

static struct child *plain_start(struct fixture *f, const char *scope)
{
	struct child *c = bprof_start(f, "system --method perf_event -j -I 20 " WORK " %s", scope);

	child_line(c);
	return c;
}

/*
 * With perf_event, too, bprof reports the CPUs that are not counted. But a process is counted
 * wherever it runs.
 */
static void test_cpu_comes_plain(void **state)
{
	struct fixture *f = *state;
	bool later = f->param;
	struct child *all, *cgroup, *task;
	char pid[32];
	struct run *r;
	__u64 done;

	toucher__start(&worker);
	move_to_cpu(1);
	if (later)
		set_online(3, false);
	snprintf(pid, sizeof(pid), "-p %d", worker.pid);
	all = plain_start(f, "-a");
	cgroup = plain_start(f, "--for-each-cgroup /");
	task = plain_start(f, pid);
	if (!later)
		set_online(3, false);
	done = toucher__touch(&worker, 30);
	set_online(3, true);
	move_to_cpu(3);
	done += toucher__touch(&worker, 40);
	r = user_end(f, task);
	assert_total(r, "process", worker.pid, done);
	assert_null(json_object_get(scope_row(r->json, "process", worker.pid), "notes"));
	assert_note(user_end(f, all), "system", 0, "CPU 3");
	r = user_end(f, cgroup);
	assert_contains(r->out, "CPU 3");
}

/* The counts of a CPU remain when the CPU goes offline. */
static void test_cpu_goes(void **state)
{
	struct fixture *f = *state;
	struct child *c;
	struct run *r;
	__u64 done;

	toucher__start(&worker);
	move_to_cpu(3);
	c = user_start(f, WORK " -p %d", worker.pid);
	done = toucher__touch(&worker, 30);
	set_online(3, false);
	done += toucher__touch(&worker, 40);
	r = user_end(f, c);
	assert_total(r, "process", worker.pid, done);
	assert_null(json_object_get(scope_row(r->json, "process", worker.pid), "notes"));
}

#define LIMITS_PARAM(test_name, fn, ...) \
	KTEST_FULL(test_name, fn, setup_limits, teardown_limits, __VA_ARGS__)

KTEST_GROUP(system_limits, "bperf's limits; CPUs that go offline", NULL, ON(SMP4),
	    LIMITS_PARAM("first_leaves", test_who_leaves, true),
	    LIMITS_PARAM("second_leaves", test_who_leaves, false),
	    LIMITS_PARAM("twice_the_same", test_twice_the_same, 0),
	    LIMITS_PARAM("same_leader", test_same_leader, 0),
	    LIMITS_PARAM("sets_are_given_back", test_sets_are_given_back, 0, LONG),
	    LIMITS_PARAM("keys_are_full", test_keys_are_full, 0),
	    LIMITS_PARAM("many_cgroups", test_many_cgroups, 0, LONG),
	    LIMITS_PARAM("soft_fd_limit", test_soft_fd_limit, 0),
	    LIMITS_PARAM("cpu_comes_back", test_cpu_comes, false),
	    LIMITS_PARAM("cpu_comes_later", test_cpu_comes, true),
	    LIMITS_PARAM("cpu_comes_back_plain", test_cpu_comes_plain, false),
	    LIMITS_PARAM("cpu_comes_later_plain", test_cpu_comes_plain, true),
	    LIMITS_PARAM("cpu_goes", test_cpu_goes, 0),
	    LIMITS_PARAM("long_chain", test_long_chain, 0, ONCE, LONG),
	    LIMITS_PARAM("hard_fd_limit", test_hard_fd_limit, 0, ONCE, LONG));
