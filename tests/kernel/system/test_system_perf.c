// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that bprof system and the real perf stat --bpf-counters (./perf) share leaders. The first
 * bperf user starts the leader, and all later bperf users use it. All of them count correctly. The
 * leader exists until the last bperf user ends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "tests/kernel/drive/counters.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/system/sharing.h"
#include "tests/kernel/system/users.h"

/*
 * On a busy host, another user of the map may have to wait for a CPU longer than bprof waits by
 * default.
 */
#define BPROF "bprof system --attr-size 136 --lock-timeout 600000 "
#define PERF "./perf stat --bpf-counters "
#define MAX_USERS 48
/*
 * The kernel attaches at most 38 followers to a leader's program (BPF_MAX_TRAMP_LINKS). On Linux
 * 7.2, it attaches a few followers less, because each follower needs more space.
 */
#define MIN_FOLLOWERS 30

static int setup_perf(void **state)
{
	unlink(ATTR_MAP);
	rotate_rarely(true);
	return setup(state);
}

static int teardown_perf(void **state)
{
	unlink(ATTR_MAP);
	rotate_rarely(false);
	return teardown(state);
}

static void assert_count(const struct run *r, __u64 want)
{
	__u64 n = csv_count(r, shuttle_event()), off = n > want ? n - want : want - n;

	if (off > want / shuttle_accuracy())
		fail_test("%llu counted, not %llu: %s%s", n, want, r->out, r->err);
}

/* ---- bperf users begin and end in any order ---- */

/*
 * Concurrent bperf users, and for each of them the amount of work that was done while it counted.
 */
struct scene {
	struct fixture *f;
	struct shuttle worker;
	char pid[32]; /* the option "-p PID" for the worker */
	struct user user[MAX_USERS];
	__u64 done[MAX_USERS];
	int perf[MAX_USERS]; /* number of followers if this bperf user is perf; 0 if it is bprof */
	bool ended[MAX_USERS];
	int cnt;
	int counters; /* number of free PMU counters before the first bperf user */
	__u32 leader;
};

static void scene__open(struct scene *s, struct fixture *f)
{
	*s = (struct scene){.f = f};
	shuttle__start(f, &s->worker, 0);
	snprintf(s->pid, sizeof(s->pid), "-p %d", s->worker.pid);
	/*
	 * The kernel frees the events of a test some time after its end: wait until all counters
	 * are free.
	 */
	if (!strcmp(shuttle_event(), "page-faults"))
		return;
	await_free_counters(PMU_COUNTERS);
	s->counters = PMU_COUNTERS;
}

static int count_bprofs(const struct scene *s)
{
	int cnt = 0;

	for (int i = 0; i < s->cnt; i++)
		cnt += !s->ended[i] && !s->perf[i];
	return cnt;
}

static int count_perf_followers(const struct scene *s)
{
	int cnt = 0;

	for (int i = 0; i < s->cnt; i++)
		cnt += s->ended[i] ? 0 : s->perf[i];
	return cnt;
}

/*
 * Checks that there is only one leader, that it is the same as before and uses one PMU counter, and
 * that there are no superfluous followers.
 */
static void assert_one_leader(struct scene *s)
{
	int perfs = count_perf_followers(s), bprofs = count_bprofs(s);
	struct sharing l = sharing__read();

	assert_int_equal(l.cnt, perfs + bprofs > 0);
	if (!l.cnt)
		return;
	if (!s->leader)
		s->leader = l.link;
	assert_int_equal(l.link, s->leader);
	assert_int_equal(l.perf_followers, perfs);
	assert_int_equal(l.bprof_followers, !l.ours && bprofs);
	assert_int_equal(attr_map_entries(), 1);
	if (s->counters)
		assert_int_equal(free_counters(), s->counters - 1);
}

static void scene__start(struct scene *s, bool perf, const char *scope)
{
	assert_true(s->cnt < MAX_USERS);
	s->perf[s->cnt] = perf;
	user__start(s->f, &s->user[s->cnt++], "%s -e %s %s", perf ? PERF : BPROF, shuttle_event(),
		    scope);
}

static void scene__await(struct scene *s)
{
	for (int i = 0; i < s->cnt; i++)
		user__await(s->f, &s->user[i]);
}

static void scene__work(struct scene *s)
{
	__u64 n = shuttle__work(&s->worker);

	for (int i = 0; i < s->cnt; i++)
		s->done[i] += s->ended[i] ? 0 : n;
}

static struct run *scene__end(struct scene *s, int i)
{
	s->ended[i] = true;
	return user__end(s->f, &s->user[i]);
}

struct order {
	const char *name;
	/*
	 * The steps of a test, one per character. b, p: start bprof or perf and wait until it
	 * counts; B, P: start it without waiting; r: wait until all count; w: let the worker work;
	 * a digit: end the bperf user with this number.
	 */
	const char *steps;
};

static void test_order(void **state)
{
	struct fixture *f = *state;
	const struct order *o = f->param;
	static struct scene s; /* too large for the stack */

	scene__open(&s, f);
	for (const char *step = o->steps; *step; step++) {
		bool starts = strchr("bpBP", *step);

		if (starts)
			scene__start(&s, strchr("pP", *step), s.pid);
		if (*step == 'b' || *step == 'p' || *step == 'r')
			scene__await(&s);
		if (*step == 'w')
			scene__work(&s);
		if (*step >= '0' && *step <= '9')
			assert_count(scene__end(&s, *step - '0'), s.done[*step - '0']);
		if (*step != 'B' && *step != 'P')
			assert_one_leader(&s);
	}
}

/* ---- scopes of bperf users ---- */

/* Opens a plain event on each CPU that counts all tasks; the fixture closes the descriptors. */
static int open_all(struct fixture *f, int *fd)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_PAGE_FAULTS};
	int cpus = online_cpus();

	for (int i = 0; i < cpus; i++) {
		fd[i] = syscall(SYS_perf_event_open, &attr, -1, i, -1, PERF_FLAG_FD_CLOEXEC);
		assert_true(fd[i] >= 0);
		f->fd[f->fd_cnt++] = fd[i];
	}
	return cpus;
}

static __u64 read_all(const int *fd, int cnt)
{
	__u64 sum = 0, n;

	for (int i = 0; i < cnt; i++) {
		assert_int_equal(read(fd[i], &n, sizeof(n)), sizeof(n));
		sum += n;
	}
	return sum;
}

/*
 * All scopes of both tools share one leader, and none of the worker's counts are lost. Counts with
 * -a and -C include other tasks, but are at most those of the plain events. The event is page
 * faults, which every machine counts exactly.
 */
static void test_scopes(void **state)
{
	static const char *const scopes[] = {"-a", "-C 0", "-p %d", "-t %d"};
	struct fixture *f = *state;
	static struct scene s;
	__u64 did, all;
	int fd[16], cpus;
	char scope[32];

	scene__open(&s, f);
	cpus = open_all(f, fd);
	for (int i = 0; i < 8; i++) {
		snprintf(scope, sizeof(scope), scopes[i % 4], s.worker.pid);
		s.perf[s.cnt] = !!(i & 4);
		user__start(f, &s.user[s.cnt++], "%s -e page-faults %s", i & 4 ? PERF : BPROF,
			    scope);
		scene__await(&s);
	}
	s.counters = 0; /* page faults need no PMU counter */
	assert_one_leader(&s);
	assert_true(sharing__read().ours);
	did = read_all(fd, cpus);
	shuttle__work(&s.worker);
	shuttle__work(&s.worker);
	did = read_all(fd, cpus) - did;
	for (int i = 0; i < 8; i++) {
		__u64 n = csv_count(scene__end(&s, i), "page-faults");
		bool tasks = i % 4 > 1;

		all = read_all(fd, cpus);
		/*
		 * The worker causes nearly all faults of the system in this time, so all counts are
		 * about the same.
		 */
		assert_in_range(n, did - did / 50, tasks ? did + 2 : all);
	}
}

/* ---- the attr map ---- */

/* The map's key size is the same whether bprof or perf creates the map. */
static void test_attr_size(void **state)
{
	struct fixture *f = *state;
	static struct scene s;

	for (int perf = 0; perf < 2; perf++) {
		scene__open(&s, f);
		scene__start(&s, perf, s.pid);
		scene__await(&s);
		assert_int_equal(attr_map_key_size(), PERF_KEY_SIZE);
		scene__start(&s, !perf, s.pid);
		scene__await(&s);
		assert_one_leader(&s);
		assert_int_equal(sharing__read().ours, !perf);
		scene__work(&s);
		assert_count(scene__end(&s, 0), s.done[0]);
		assert_count(scene__end(&s, 1), s.done[1]);
		unlink(ATTR_MAP);
	}
}

/*
 * By default the map's key size is the kernel's size of struct perf_event_attr, which the perf of
 * the same kernel release uses, too.
 */
static void test_default_size(void **state)
{
	struct fixture *f = *state;
	static struct scene s;
	struct user first, second;
	struct run *refusal;
	__u64 did;

	scene__open(&s, f);
	user__start(f, &first, "bprof system -e %s %s", shuttle_event(), s.pid);
	user__await(f, &first);
	user__start(f, &second, PERF "-e %s %s", shuttle_event(), s.pid);
	refusal = user__try(f, &second);
	did = shuttle__work(&s.worker);
	assert_int_equal(sharing__read().cnt, 1);
	if (attr_map_key_size() == PERF_KEY_SIZE) {
		assert_null(refusal);
		assert_count(user__end(f, &second), did);
	} else {
		/*
		 * ./perf does not belong to this kernel's release. It has another key size, so it
		 * cannot use the map.
		 */
		assert_non_null(refusal);
		assert_contains(refusal->err, "Failed to lock");
	}
	assert_count(user__end(f, &first), did);
}

/*
 * On a machine without guests, events that differ only in exclude_guest share a leader. perf sets
 * exclude_guest depending on the event's modifier.
 */
static void test_guests(void **state)
{
	static const struct {
		const char *perf, *bprof;
		bool perf_finds; /* perf and bprof use the same key in the attr map */
	} cases[] = {
		{"", "", true},	   {":u", ":u", true},	 {":k", ":k", true},
		{":H", "", false}, {":kH", ":k", false}, {":uH", ":u", false},
	};
	struct fixture *f = *state;
	unsigned int guests = 0;

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const char *perf = cases[i / 2].perf, *bprof = cases[i / 2].bprof;
		struct user first, second;

		if (i % 2 && !cases[i / 2].perf_finds)
			continue;
		user__start(f, &first, "%s -a -e page-faults%s", i % 2 ? BPROF : PERF,
			    i % 2 ? bprof : perf);
		user__await(f, &first);
		user__start(f, &second, "%s -a -e page-faults%s", i % 2 ? PERF : BPROF,
			    i % 2 ? perf : bprof);
		user__await(f, &second);
		if (sharing__read().cnt != 1)
			fail_test("perf's page-faults%s and bprof's page-faults%s are different "
				  "events",
				  perf, bprof);
		guests |= attr_map_guests();
		user__end(f, &second);
		user__end(f, &first);
		unlink(ATTR_MAP);
	}
	assert_int_equal(guests, 3); /* entries had both values of exclude_guest */
}

/* Sixteen events: as many as the attr map has entries. */
#define SIXTEEN                                                                                   \
	"minor-faults,minor-faults:u,minor-faults:k,major-faults,major-faults:u,major-faults:k,"  \
	"context-switches,context-switches:u,context-switches:k,cpu-migrations,cpu-migrations:u," \
	"cpu-migrations:k,alignment-faults,alignment-faults:u,alignment-faults:k,emulation-faults"

static void check_alone(struct scene *s, int leaders)
{
	scene__start(s, false, s->pid);
	scene__await(s);
	assert_int_equal(sharing__read().cnt, leaders);
	assert_int_equal(attr_map_entries(), 16);
}

/*
 * The attr map has 16 entries, which perf never removes. When the map has 16 leaders, the 17th
 * event gets a leader that other bperf users cannot find. bprof reuses the entry of a dead leader.
 */
static void test_full_map(void **state)
{
	struct fixture *f = *state;
	static struct scene s;
	struct user perf, other;

	scene__open(&s, f);
	user__start(f, &perf, PERF "-a -e " SIXTEEN);
	user__await(f, &perf);
	assert_int_equal(attr_map_entries(), 16);
	check_alone(&s, 17);
	check_alone(&s, 18);
	user__start(f, &other, BPROF "-a -e minor-faults:u");
	user__await(f, &other);
	assert_int_equal(sharing__read().cnt, 18);
	assert_int_equal(sharing__read().bprof_followers, 1);
	scene__work(&s);
	assert_count(scene__end(&s, 0), s.done[0]);
	assert_count(scene__end(&s, 1), s.done[1]);
	csv_count(user__end(f, &other), "minor-faults:u");
	csv_count(user__end(f, &perf), "emulation-faults");

	assert_int_equal(sharing__read().cnt, 0);
	check_alone(&s, 1);
	check_alone(&s, 1);
	scene__work(&s);
	assert_count(scene__end(&s, 2), s.done[2]);
	assert_count(scene__end(&s, 3), s.done[3]);
	assert_int_equal(attr_map_entries(), 0);
}

/*
 * bprof removes its entries from the map: when the map is full of dead leaders, perf fails without
 * a message.
 */
static void test_map_is_left_clean(void **state)
{
	struct fixture *f = *state;
	struct user perf, bprof;

	user__start(f, &perf, PERF "-a -e page-faults");
	user__await(f, &perf);
	user__start(f, &bprof, BPROF "-a -e " SIXTEEN ",emulation-faults:u,page-faults:u");
	user__await(f, &bprof);
	assert_int_equal(attr_map_entries(), 16);
	csv_count(user__end(f, &bprof), "emulation-faults");
	assert_int_equal(attr_map_entries(), 1);
	csv_count(user__end(f, &perf), "page-faults");
	user__start(f, &perf, PERF "-a -e page-faults:k");
	user__await(f, &perf);
	csv_count(user__end(f, &perf), "page-faults:k");
}

/* ---- the maximum number of bperf users ---- */

static void add_perf(struct scene *s, const struct user *u, int followers)
{
	assert_true(s->cnt < MAX_USERS);
	s->perf[s->cnt] = followers;
	s->user[s->cnt++] = *u;
}

/*
 * Starts perf processes until the kernel attaches no more followers. perf attaches one follower per
 * event, even for equal events.
 */
static void fill_followers(struct scene *s)
{
	char events[MIN_FOLLOWERS * 32] = "";
	struct user u = {.ready = -1};
	struct run *refusal = NULL;
	int cnt = MIN_FOLLOWERS;

	for (int i = 0; i < MIN_FOLLOWERS; i++)
		sprintf(events + strlen(events), "%s%s", i ? "," : "", shuttle_event());
	user__start(s->f, &u, PERF "-e %s %s", events, s->pid);
	user__await(s->f, &u);
	add_perf(s, &u, MIN_FOLLOWERS);
	while (!refusal) {
		user__start(s->f, &u, PERF "-e %s %s", shuttle_event(), s->pid);
		refusal = user__try(s->f, &u);
		if (!refusal) {
			add_perf(s, &u, 1);
			cnt++;
		}
	}
	printf("# %d followers of perf's\n", cnt);
	assert_contains(refusal->err, "failed to attach");
	assert_one_leader(s);
}

/*
 * As many perf processes as the kernel allows, and any number of bprof processes, can use a leader
 * that bprof started.
 */
static void test_followers(void **state)
{
	struct fixture *f = *state;
	static struct scene s;

	scene__open(&s, f);
	scene__start(&s, false, s.pid);
	scene__await(&s);
	fill_followers(&s);
	scene__start(&s, false, s.pid);
	scene__await(&s);
	assert_one_leader(&s);
	scene__work(&s);
	for (int i = 1; i < s.cnt; i++)
		assert_count(scene__end(&s, i), s.done[i]);
	scene__work(&s);
	assert_count(scene__end(&s, 0), s.done[0]);
}

/*
 * If no follower can be attached to perf's leader, bprof counts with its own events and reports
 * why.
 */
static void test_no_room(void **state)
{
	struct fixture *f = *state;
	static struct scene s;
	struct user alone;
	struct run *r;

	scene__open(&s, f);
	fill_followers(&s);
	user__start(f, &alone, BPROF "-e %s %s", shuttle_event(), s.pid);
	user__await(f, &alone);
	scene__work(&s);
	r = user__end(f, &alone);
	assert_count(r, s.done[0]);
	assert_contains(r->err, "counters cannot be shared");
	assert_contains(r->err, ",perf_event");
	assert_count(scene__end(&s, 0), s.done[0]);
}

#define PERF_TEST(...) KTEST_WITH(setup_perf, teardown_perf, __VA_ARGS__)

#define ORDER_TEST(name, ...)                                   \
	KTEST_FULL(name, test_order, setup_perf, teardown_perf, \
		   &((const struct order){name, __VA_ARGS__}))

KTEST_GROUP(perf, "counters shared with perf (./perf)", NULL, ON(EXACT, SMP4, FROM(6.1), LONG),
	    PERF_TEST(test_scopes), PERF_TEST(test_attr_size),
	    ORDER_TEST("bprof_then_perf", "bpw0w1w"), ORDER_TEST("bprof_then_perf_ends", "bpw1w0"),
	    ORDER_TEST("perf_then_bprof", "pbw0w1"), ORDER_TEST("perf_then_bprof_ends", "pbw1w0"),
	    ORDER_TEST("both_at_once", "BPrw0w1"), ORDER_TEST("two_and_two", "BPBPrw1w0w3w2"),
	    ORDER_TEST("perf_and_three_bprofs", "pbbbw0w1pw2w3w4"));

KTEST_GROUP(perf_map, "perf's map and followers (./perf)", NULL, ON(EXACT, FROM(6.1), LONG),
	    PERF_TEST(test_default_size), PERF_TEST(test_guests), PERF_TEST(test_full_map),
	    PERF_TEST(test_followers), PERF_TEST(test_no_room), PERF_TEST(test_map_is_left_clean));
