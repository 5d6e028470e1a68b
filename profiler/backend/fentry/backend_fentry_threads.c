// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens the probes of many targets at once. The verifier, which takes most of the time, has no lock
 * for a privileged user, so each CPU can load another probe. Owns the threads. Must not know how a
 * target is opened.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "backend/backend_env.h"
#include "backend/fentry/backend_fentry_priv.h"
#include "base/util.h"
#include "target/shape.h"
#include "target/target.h"

#define MAX_THREADS 16
/* A thread for fewer targets would cost more time than it saves. */
#define TARGETS_PER_THREAD 4
/* two programs, two links, two maps */
#define FDS_PER_TARGET 6

/* The data that the threads share. */
struct work {
	struct fentry *f;
	struct target *v;
	int cnt;
	int next; /* index of the next target */
};

/*
 * Opens one target after the other. Ignores errors: the main thread later tries once more to open
 * the targets that failed, and gets the reasons.
 */
static void *open_some(void *arg)
{
	struct work *w = arg;
	int i;

	while ((i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->cnt) {
		struct reason reason = {};

		if (!w->v[i].no_probe.code)
			fentry__open_target(w->f, &w->v[i], &reason);
	}
	return NULL;
}

static int count_threads(int targets)
{
	int cnt = targets / TARGETS_PER_THREAD;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	if (cnt > CPU_COUNT(&set))
		cnt = CPU_COUNT(&set);
	return cnt < MAX_THREADS ? cnt : MAX_THREADS;
}

void fentry__open_targets(void *state, struct target *v, int cnt)
{
	struct work w = {.f = state, .v = v, .cnt = cnt};
	int wanted = count_threads(cnt), running = 0;
	pthread_t thread[MAX_THREADS];
	sigset_t all, old;
	int fd;

	/*
	 * Open one after the other: probes of functions that call one another, and probes on
	 * riscv64, need the addresses of other probes.
	 */
	if (wanted < 2 || w.f->probes.env->nested || w.f->probes.addrs)
		return;
	/*
	 * Make the process's table of descriptors large enough for all targets. While the table has
	 * several users, the kernel waits for RCU each time it enlarges the table (fs/file.c,
	 * expand_fdtable()). This takes some ms, during which no thread gets a descriptor.
	 */
	fd = fcntl(w.f->probes.events_fd, F_DUPFD_CLOEXEC, cnt * FDS_PER_TARGET);
	if (fd >= 0)
		close(fd);
	/*
	 * Find the shapes here: without calibration they are not known yet, and only one thread may
	 * use the cache.
	 */
	for (int i = 0; i < cnt; i++)
		shape__find(&v[i], &w.f->calibration.shapes);
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (running < wanted - 1 && !pthread_create(&thread[running], NULL, open_some, &w))
		running++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	open_some(&w);
	while (running)
		pthread_join(thread[--running], NULL);
}
