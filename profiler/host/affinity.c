// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The CPUs on which a thread may run. Owns the binding of a thread to CPUs, and the size of the
 * kernel's CPU sets. Must not know why the thread is bound.
 *
 * The kernel refuses a CPU set that is smaller than its own sets (kernel/sched/syscalls.c,
 * sched_getaffinity()), and glibc's cpu_set_t has room for only 1024 CPUs. So CPU sets are
 * allocated here with the size that the kernel requires.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "host/affinity.h"

/* A limit above the largest NR_CPUS of any kernel. */
#define MAX_CPUS (1 << 16)

struct affinity {
	cpu_set_t *set;
	size_t sz;
};

static void free_affinity(struct affinity *a)
{
	CPU_FREE(a->set);
	free(a);
}

/* Reads the CPU set of this thread. Returns 0 or -errno. */
static int read_affinity(struct affinity **out)
{
	struct affinity *a = xcalloc(1, sizeof(*a));
	int err = -EINVAL;

	*out = NULL;
	for (int cnt = CPU_SETSIZE; err == -EINVAL && cnt <= MAX_CPUS; cnt *= 2) {
		CPU_FREE(a->set);
		a->set = CPU_ALLOC(cnt);
		a->sz = CPU_ALLOC_SIZE(cnt);
		if (!a->set)
			out_of_memory();
		err = sched_getaffinity(0, a->sz, a->set) ? -errno : 0;
	}
	if (!err)
		*out = a;
	else
		free_affinity(a);
	return err;
}

/* Arguments and result of affinity__run(). */
struct bound_run {
	int (*fn)(const struct affinity *allowed, void *arg);
	void *arg;
	const struct log_sink *sink;
	int ret;
};

static void *run_bound(void *arg)
{
	struct bound_run *r = arg;
	struct affinity *allowed;

	log__set_sink(r->sink);
	r->ret = read_affinity(&allowed);
	if (r->ret)
		return NULL;
	r->ret = r->fn(allowed, r->arg);
	free_affinity(allowed);
	return NULL;
}

int affinity__run(int (*fn)(const struct affinity *allowed, void *arg), void *arg)
{
	struct bound_run r = {.fn = fn, .arg = arg, .sink = log__sink()};
	sigset_t all, before;
	pthread_t thread;
	int err;

	/* Block all signals in the new thread: they are for the other threads of the process. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, run_bound, &r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -err;
	pthread_join(thread, NULL);
	return r.ret;
}

int affinity__bind(int cpu)
{
	size_t sz = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	int err;

	if (!set)
		out_of_memory();
	CPU_ZERO_S(sz, set);
	CPU_SET_S(cpu, sz, set);
	err = sched_setaffinity(0, sz, set) ? -errno : 0;
	CPU_FREE(set);
	return err;
}

/*
 * Binds this thread to the first CPU of cpus for which this is possible. Tries only the CPUs that
 * are in "allowed" (in_set), or only the CPUs that are not in it (!in_set).
 */
static int bind_first(const struct affinity *allowed, const struct cpus *cpus, bool in_set)
{
	int err = -EINVAL;

	for (int i = 0; err == -EINVAL && i < cpus->cnt; i++) {
		if (CPU_ISSET_S(cpus->id[i], allowed->sz, allowed->set) != in_set)
			continue;
		err = affinity__bind(cpus->id[i]);
		if (!err)
			return cpus->id[i];
	}
	return err;
}

int affinity__bind_any(const struct affinity *allowed, const struct cpus *cpus)
{
	int cpu = bind_first(allowed, cpus, true);

	return cpu == -EINVAL ? bind_first(allowed, cpus, false) : cpu;
}
