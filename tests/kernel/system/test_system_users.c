// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many concurrent bperf users begin, end and are killed at any time. There are never two leaders
 * for one event, no objects are left behind, and the other bperf users count correctly.
 *
 * A random generator chooses the moments; its seed is in the output. How the processes interleave
 * at those moments depends on the machine.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/system/interval_user.h"
#include "tests/kernel/system/leaders.h"
#include "tests/kernel/system/toucher.h"

#define BURST 10 /* number of concurrent bperf users */
#define SEED 20260101
#define OTHER_EVENT "major-faults"

extern char **environ;

/* The state of the current test. */
static struct toucher worker;
static pid_t burst[BURST]; /* process ids; 0 if the bperf user has ended */
static __u32 seed;

static int setup_map(void **state)
{
	worker = (struct toucher){};
	seed = SEED;
	printf("# seed %d\n", SEED);
	if (mkdir(PIN_DIR, 0700)) {
		perror(PIN_DIR);
		return -1;
	}
	return setup(state);
}

static int teardown_worker(void **state)
{
	for (int i = 0; i < BURST; i++)
		if (burst[i]) {
			kill(burst[i], SIGKILL);
			waitpid(burst[i], NULL, 0);
			burst[i] = 0;
		}
	toucher__end(&worker);
	return teardown(state);
}

static int number_of(int all)
{
	return tries_all_moments() ? all : all / 5;
}

static __u32 random_below(__u32 n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* The options of the bperf users of a burst, used in turn; %d is the worker's id. */
static const char *const users[] = {
	"-e " WORK_EVENT " -a",
	"-e " WORK_EVENT " -p %d",
	"-e " WORK_EVENT "," OTHER_EVENT " -p %d",
	"-e " OTHER_EVENT " -a",
	"-e " WORK_EVENT "," OTHER_EVENT " -C 0,2",
};

/*
 * Starts a bperf user with the i-th element of users[]. It ends by itself after timeout_ms. If this
 * is 0, it never ends by itself.
 */
static pid_t spawn_user(int i, __u32 timeout_ms)
{
	char line[512], what[128], timeout[32] = "", *argv[] = {"sh", "-c", line, NULL};
	pid_t pid;

	snprintf(what, sizeof(what), users[i % (sizeof(users) / sizeof(users[0]))], worker.pid);
	if (timeout_ms)
		snprintf(timeout, sizeof(timeout), "--timeout %u", timeout_ms);
	snprintf(line, sizeof(line),
		 "exec bprof system --attr-map " ATTR_MAP " --lock-timeout 60000 -j %s %s "
		 ">/dev/null",
		 what, timeout);
	assert_int_equal(posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ), 0);
	return pid;
}

/* Checks that there are at most two leaders, one for each of the two events. */
static void check_leaders(int map_fd)
{
	struct leaders l;

	leaders__open(&l);
	if (l.cnt > 2)
		fail_test("%d leaders for two events", l.cnt);
	leaders__close(&l);
	leaders__assert_entered(map_fd);
}

static void assert_total(const struct run *r, __u64 done)
{
	double total = scope_total(r, "process", worker.pid, WORK_EVENT);

	if (total != done)
		fail_test("counted %.0f of %llu", total, (unsigned long long)done);
}

static __u64 do_work(void)
{
	return toucher__touch(&worker, 10) + toucher__fork(&worker, 1, 5);
}

/*
 * Checks that a new bperf user counts correctly, and that killed bperf users leave nothing behind.
 */
static __u64 assert_next_works(struct fixture *f)
{
	struct child *c = user_start(f, "-e " WORK_EVENT " -p %d", worker.pid);
	struct leaders l;
	__u64 done;

	leaders__open(&l);
	for (int i = 0; i < l.cnt; i++)
		if (read_tables(l.fd[i]).dead && l.cnt == 1)
			fail_test("%d owners are dead", read_tables(l.fd[i]).dead);
	leaders__close(&l);
	done = do_work();
	assert_total(user_end(f, c), done);
	return done;
}

static bool all_ended(void)
{
	bool all = true;

	for (int i = 0; i < BURST; i++) {
		int status;

		if (burst[i] && waitpid(burst[i], &status, WNOHANG) == burst[i]) {
			burst[i] = 0;
			if (status)
				fail_test("a user ended with status %x", status);
		}
		all &= !burst[i];
	}
	return all;
}

/*
 * Starts bursts of bperf users, each of which ends after a random time. In the second half of the
 * test another bperf user counts all the time, which keeps one leader alive.
 */
static void test_races(void **state)
{
	struct fixture *f = *state;
	struct child *beside = NULL;
	int map_fd, races = number_of(200);
	__u64 done = 0;

	toucher__start(&worker);
	assert_next_works(f); /* creates the attr map, which stays pinned */
	map_fd = attr_map_open(ATTR_MAP);
	f->fd[f->fd_cnt++] = map_fd;
	for (int race = 0; race < races; race += BURST) {
		if (race == races / 2)
			beside = user_start(f, "-e " WORK_EVENT " -p %d", worker.pid);
		for (int i = 0; i < BURST; i++)
			burst[i] = spawn_user(race + i, 1 + random_below(100));
		while (!all_ended()) {
			check_leaders(map_fd);
			done += beside ? do_work() : 0;
			usleep(20000); /* lets bperf users take the lock of the map */
		}
		if (!beside)
			leaders__await(0);
	}
	assert_total(user_end(f, beside), done);
	leaders__await(0);
	assert_int_equal(count_elements(map_fd), 0);
}

/*
 * Returns the time in ms from the start to the end of a bperf user that counts for 1 ms. The random
 * moments at which other bperf users are killed depend on this time.
 */
static __u32 start_ms(void)
{
	struct timespec from, to;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = spawn_user(1, 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
}

/* Kills the bperf users of the burst one after the other, at random moments. */
static void kill_all(__u32 within_ms)
{
	for (int i = 0; i < BURST; i++) {
		usleep(random_below(2 * within_ms * 1000 / BURST));
		assert_int_equal(kill(burst[i], SIGKILL), 0);
		assert_int_equal(waitpid(burst[i], NULL, 0), burst[i]);
		burst[i] = 0;
	}
}

static void test_kills(void **state)
{
	struct fixture *f = *state;
	struct child *beside = NULL;
	__u64 done = 0;
	int map_fd, kills = number_of(100);
	__u32 ms;

	toucher__start(&worker);
	ms = start_ms();
	map_fd = attr_map_open(ATTR_MAP);
	f->fd[f->fd_cnt++] = map_fd;
	for (int i = 0; i < kills; i += BURST) {
		__u64 next;

		if (i == kills / 2)
			beside = user_start(f, "-e " WORK_EVENT " -p %d", worker.pid);
		for (int j = 0; j < BURST; j++)
			/*
			 * One in four bperf users ends by itself after it has counted for 1 ms. The
			 * others are killed.
			 */
			burst[j] = spawn_user(i + j, j % 4 ? 0 : 1);
		done += beside ? do_work() : 0;
		kill_all(ms * 4);
		leaders__assert_entered(map_fd);
		if (!beside)
			leaders__await(0);
		next = assert_next_works(f);
		done += beside ? next : 0;
	}
	assert_total(user_end(f, beside), done);
	leaders__await(0);
	assert_int_equal(count_elements(map_fd), 0);
}

#define USERS_TEST(...) KTEST_WITH(setup_map, teardown_worker, __VA_ARGS__)

KTEST_GROUP(system_users, "many users of bperf at once, some killed", NULL, ON(SMP4),
	    USERS_TEST(test_races, LONG), USERS_TEST(test_kills, LONG));
