// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which targets session__read() reads: a target that has run must be read, and one that has
 * not run shares the rows of the last reading. The backend is made up; it counts how often it is
 * read.
 */
#include "tests/unit/made_session.h"

#include "base/log.h"

/* The counters of two targets of a backend that counts all the time. */
struct marked {
	__u64 runs[TARGET_CNT], mark[TARGET_CNT];
	int reads[TARGET_CNT], refreshes;
};

static struct marked m;

static int index_of(const struct target *t)
{
	return t->id == 57;
}

static int read_marked(const void *state, struct target *t, bool hists, struct counts *per_cpu,
		       struct counts *no_cpu)
{
	int i = index_of(t);

	m.reads[i]++;
	no_cpu->measured = m.runs[i];
	if (!hists)
		return 0;
	no_cpu->event[0].hist.bucket = calloc(1, sizeof(struct hist_bucket));
	no_cpu->event[0].hist.cnt = 1;
	return 0;
}

/* The counts that the targets share are read before those of the targets. */
static void refresh(void *state)
{
	assert_int_equal(m.reads[0] + m.reads[1], 0);
	m.refreshes++;
}

static int mark(const struct target *t, __u64 *mark)
{
	*mark = m.mark[index_of(t)];
	return 0;
}

static void reset(const void *state, struct target *t)
{
	m.runs[index_of(t)] = m.mark[index_of(t)] = 0;
}

static void close_target(struct target *t)
{
}

static const struct counter_ops shared_ops = {
	.method = "shared", .refresh = refresh, .read_target = read_marked};

static const struct counter_ops marked_ops = {.method = "marked",
					      .read_target = read_marked,
					      .mark = mark,
					      .reset = reset,
					      .close_target = close_target};
static const struct counter_ops unmarked_ops = {.method = "unmarked", .read_target = read_marked};
static struct backend marked = {.ops = &marked_ops}, unmarked = {.ops = &unmarked_ops};

static void run(int target, __u64 cnt)
{
	m.runs[target] += cnt;
	m.mark[target] += cnt;
}

/* Starts a session of two targets, one of which has run before. */
static int set_up(void **state)
{
	struct fixture *f;
	struct snapshot *at;

	if (setup((void **)&f))
		return -1;
	m = (struct marked){};
	run(0, 7);
	f->target[0].backend = f->target[1].backend = &marked;
	f->s.targets.cnt = 2;
	f->s.foreign.unknown = true;
	for (int i = 0; i < BACKEND_CNT; i++)
		f->s.backend[i] = (struct backend){.ops = &marked_ops};
	assert_int_equal(session__start(&f->s, &at), 0);
	snapshot__free(at);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	session__restart(&f->s);
	for (int i = 0; i < TARGET_CNT; i++)
		counts__free(f->target[i].frozen, CPU_CNT + 1);
	return teardown(state);
}

static struct snapshot *look(struct fixture *f, bool hists)
{
	struct snapshot *snap;

	m.reads[0] = m.reads[1] = 0;
	assert_int_equal(session__read(&f->s, hists, &snap), 0);
	return snap;
}

/* Reads the counts, and checks the runs and how often each target was read. */
static struct snapshot *look_for(struct fixture *f, __u64 runs0, int reads0, __u64 runs1,
				 int reads1)
{
	struct snapshot *snap = look(f, true);

	assert_int_equal(snapshot__at(snap, 0, REST)->measured, runs0);
	assert_int_equal(snapshot__at(snap, 1, REST)->measured, runs1);
	assert_int_equal(m.reads[0], reads0);
	assert_int_equal(m.reads[1], reads1);
	return snap;
}

static void expect(struct fixture *f, __u64 runs0, int reads0, __u64 runs1, int reads1)
{
	snapshot__free(look_for(f, runs0, reads0, runs1, reads1));
}

/* A target that runs is read; the other one is not, and its rows are in both snapshots. */
static void test_idle(void **state)
{
	struct fixture *f = *state;
	struct snapshot *first, *second;

	expect(f, 0, 1, 0, 1);
	run(1, 3);
	first = look_for(f, 0, 0, 3, 1);
	run(1, 1);
	second = look_for(f, 0, 0, 4, 1);
	assert_true(snapshot__shares(first, second, 0));
	assert_false(snapshot__shares(first, second, 1));
	assert_int_equal(snapshot__at(first, 1, REST)->measured, 3);
	snapshot__free(second);
	/* the shared rows stay until the last of the snapshots that share them is freed */
	expect(f, 0, 0, 4, 0);
	assert_int_equal(snapshot__at(first, 0, REST)->measured, 0);
	assert_int_equal(snapshot__at(first, 0, REST)->event[0].hist.cnt, 1);
	snapshot__free(first);
}

/* Any other mark means that the target has run, also a lower one: counters wrap. */
static void test_wrap(void **state)
{
	struct fixture *f = *state;

	m.mark[0] = ~0ULL;
	expect(f, 0, 1, 0, 1);
	run(0, 1);
	assert_int_equal(m.mark[0], 0);
	expect(f, 1, 1, 0, 0);
	run(0, 5);
	expect(f, 6, 1, 0, 0);
}

/* Runs that the kernel counts and the backend does not see change the mark as well. */
static void test_unseen_runs(void **state)
{
	struct fixture *f = *state;

	expect(f, 0, 1, 0, 1);
	f->prog[0].info.run_cnt++;
	expect(f, 0, 1, 0, 0);
	f->prog[0].info.recursion_misses++;
	expect(f, 0, 1, 0, 0);
	expect(f, 0, 0, 0, 0);
}

/*
 * A snapshot with distributions cannot share a reading without them. A snapshot without them can
 * share a reading with them.
 */
static void test_distributions(void **state)
{
	struct fixture *f = *state;
	struct snapshot *without = look(f, false), *with;

	assert_int_equal(m.reads[0], 1);
	with = look(f, true);
	assert_int_equal(m.reads[0], 1);
	assert_int_equal(snapshot__at(with, 0, REST)->event[0].hist.cnt, 1);
	snapshot__free(with);
	snapshot__free(without);
	snapshot__free(look(f, false));
	assert_int_equal(m.reads[0], 0);
}

/* Runs between a stop and the next start are not counted. */
static void test_start_again(void **state)
{
	struct fixture *f = *state;
	struct snapshot *at;

	run(0, 10);
	expect(f, 10, 1, 0, 1);
	assert_int_equal(session__stop(&f->s, &at), 0);
	assert_int_equal(snapshot__at(at, 0, REST)->measured, 10);
	snapshot__free(at);
	run(0, 100);
	run(1, 100);
	assert_int_equal(session__start(&f->s, &at), 0);
	assert_int_equal(snapshot__at(at, 0, REST)->measured, 10);
	snapshot__free(at);
	snapshot__free(look_for(f, 10, 1, 0, 1));
	expect(f, 10, 0, 0, 0);
	run(0, 2);
	expect(f, 12, 1, 0, 0);
}

/*
 * A reset sets the backend's counts to zero, but not the kernel's. So the mark may have the same value as before
 * the reset: here, the number of runs with a closed gate is equal to the number of runs counted before.
 */
static void test_restart(void **state)
{
	struct fixture *f = *state;
	struct snapshot *at;

	m.runs[1] = m.mark[1] = 5;
	expect(f, 0, 1, 5, 1);
	assert_int_equal(session__stop(&f->s, &at), 0);
	snapshot__free(at);
	session__restart(&f->s);
	f->prog[1].info.run_cnt += 5;
	assert_int_equal(session__start(&f->s, &at), 0);
	assert_int_equal(snapshot__at(at, 1, REST)->measured, 0);
	snapshot__free(at);
	expect(f, 0, 1, 0, 1);
}

/* The counts of an unloaded program no longer change. */
static void test_unloaded(void **state)
{
	struct fixture *f = *state;

	run(1, 3);
	expect(f, 0, 1, 3, 1);
	run(1, 1);
	assert_int_equal(session__retire(&f->s, 57, 1000), 0);
	m.runs[1] = 0;
	expect(f, 0, 0, 4, 0);
	expect(f, 0, 0, 4, 0);
}

static bool needs_42(void *arg, __u32 id)
{
	return *(bool *)arg && id == 42;
}

/*
 * The first target has ended. When two snapshots have its last counts, and nothing else needs the target, it is
 * removed. The numbers of the other target continue, without its counts from before the start.
 */
static void test_forgotten(void **state)
{
	struct fixture *f = *state;
	bool needed = true;
	struct snapshot *snaps[4] = {[3] = look_for(f, 0, 1, 0, 1)};

	f->prog[0].refs = 2; /* the program outlives the target */
	run(0, 3);
	snaps[2] = look_for(f, 3, 1, 0, 0);
	assert_int_equal(session__retire(&f->s, 42, 1000), 0);
	run(1, 5);
	snaps[0] = look_for(f, 3, 0, 5, 1);
	session__forget_ended(&f->s, (struct snapshot *[]){snaps[2], snaps[0]}, 2, needs_42,
			      &(bool){false});
	assert_int_equal(f->s.targets.cnt, 2); /* the target was in the last interval */
	snaps[1] = look_for(f, 3, 0, 5, 0);
	session__forget_ended(&f->s, snaps, 4, needs_42, &needed);
	assert_int_equal(f->s.targets.cnt, 2);
	needed = false;
	session__forget_ended(&f->s, snaps, 4, needs_42, &needed);
	assert_int_equal(f->s.targets.cnt, 1);
	assert_null(target_list__next(&f->s.targets, 42, NULL));
	assert_ptr_equal(target_list__next(&f->s.targets, 57, NULL), &f->s.targets.v[0]);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(snaps[i]->target_cnt, 1);
		assert_int_equal(snapshot__at(snaps[i], 0, REST)->measured, i < 2 ? 5 : 0);
		snapshot__free(snaps[i]);
	}
	run(1, 2);
	snaps[0] = look(f, true);
	assert_int_equal(snapshot__at(snaps[0], 0, REST)->measured, 7);
	snapshot__free(snaps[0]);
	id_map__free(&f->s.targets.first);
	id_map__free(&f->s.targets.by_btf);
}

/* A target that is added late is counted from then on, whatever the kernel counted before. */
static void test_added_late(void **state)
{
	struct fixture *f = *state;
	struct snapshot *at;

	session__restart(&f->s);
	f->s.targets.cnt = 1;
	assert_int_equal(session__start(&f->s, &at), 0);
	snapshot__free(at);
	f->s.targets.cnt = 2;
	run(1, 1000);
	f->prog[1].info.recursion_misses = 50;
	assert_int_equal(session__leave_out_past(&f->s, &f->target[1]), 0);
	expect(f, 0, 0, 0, 1);
	run(1, 3);
	f->prog[1].info.recursion_misses = 57;
	at = look_for(f, 0, 0, 3, 1);
	assert_int_equal(snapshot__at(at, 1, REST)->recursion_misses, 7);
	snapshot__free(at);
}

static void test_no_marks(void **state)
{
	struct fixture *f = *state;

	f->target[1].backend = &unmarked;
	expect(f, 0, 1, 0, 1);
	expect(f, 0, 0, 0, 1);
	m.runs[1] = 2;
	expect(f, 0, 0, 2, 1);
}

/* What targets share is read once for all targets. */
static void test_refresh(void **state)
{
	static struct backend shared = {.ops = &shared_ops};
	struct fixture *f = *state;

	shared.state = f;
	f->s.backend[0] = shared;
	f->target[0].backend = f->target[1].backend = &shared;
	run(0, 2);
	expect(f, 2, 1, 0, 1);
	assert_int_equal(m.refreshes, 1);
	expect(f, 2, 1, 0, 1);
	assert_int_equal(m.refreshes, 2);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_idle),	  TEST(test_wrap),	  TEST(test_unseen_runs),
		TEST(test_distributions), TEST(test_start_again), TEST(test_restart),
		TEST(test_unloaded),	  TEST(test_forgotten),	  TEST(test_no_marks),
		TEST(test_refresh),	  TEST(test_added_late),
	};

	return cmocka_run_group_tests_name("readings", tests, NULL, NULL);
}
