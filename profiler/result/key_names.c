// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the names of the keys of --by. Owns the paths of cgroups that were found, and the processes that
 * were named. Must not know how rows are chosen.
 */
#include <net/if.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "host/cgroups.h"
#include "host/namespaces.h"
#include "host/task.h"
#include "kernel/kernel_offsets.h"
#include "result/key_names.h"

/*
 * All cgroups that were searched for, found or not. So a removed cgroup keeps its name, and bprof
 * does not search for the same missing ids in each interval. The lock is for threads that make
 * reports at the same time.
 */
static struct {
	struct known_cgroup {
		__u64 id;
		char *path; /* NULL: there was no cgroup with this id */
	} * v;
	int cnt;
	char *root; /* NULL: not known yet */
	pthread_mutex_t lock;
} cgroups = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * The start times of all processes that a report named. They show whether another process has got
 * the id since.
 */
static struct {
	struct known_process {
		__u64 pid, start_time;
	} * v;
	int cnt;
	pthread_mutex_t lock;
} processes = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns false if another process had this id when a report first named it. */
static bool is_first_process(__u64 pid, __u64 start_time)
{
	struct known_process *p = NULL;
	bool first;

	pthread_mutex_lock(&processes.lock);
	for (int i = 0; !p && i < processes.cnt; i++)
		p = processes.v[i].pid == pid ? &processes.v[i] : NULL;
	if (!p) {
		p = array__add(&processes.v, &processes.cnt, sizeof(*p));
		*p = (struct known_process){pid, start_time};
	}
	first = p->start_time == start_time;
	pthread_mutex_unlock(&processes.lock);
	return first;
}

static struct known_cgroup *find_cgroup(__u64 id)
{
	for (int i = 0; i < cgroups.cnt; i++)
		if (cgroups.v[i].id == id)
			return &cgroups.v[i];
	return NULL;
}

static void add_cgroup(__u64 id, const char *path)
{
	struct known_cgroup *c = array__add(&cgroups.v, &cgroups.cnt, sizeof(*c));

	*c = (struct known_cgroup){.id = id, .path = path ? text__format("/%s", path) : NULL};
}

static int remember_cgroup(const char *name, const FTSENT *entry, void *arg)
{
	if (!find_cgroup(entry->fts_statp->st_ino))
		add_cgroup(entry->fts_statp->st_ino, name);
	return 0;
}

static char *name_cgroup(__u64 id)
{
	struct cgroups_root root = {};
	struct known_cgroup *c;
	char *name;

	pthread_mutex_lock(&cgroups.lock);
	if (!find_cgroup(id)) {
		if (!cgroups__root("/proc/self/mounts", &root))
			cgroups__walk(root.path, remember_cgroup, NULL);
		cgroups__free_root(&root);
	}
	c = find_cgroup(id);
	if (!c)
		add_cgroup(id, NULL);
	name = c && c->path ? xstrdup(c->path) : text__format("%llu", id);
	pthread_mutex_unlock(&cgroups.lock);
	return name;
}

/* Of the devices of other network namespaces, bprof knows only the index. */
static char *name_device(__u64 key)
{
	const __u32 index = BPROF_KEY_IFINDEX(key), net = BPROF_KEY_NET(key);
	char device[IF_NAMESIZE];

	if (net)
		return text__format("%u@net:[%u]", index, net ^ kernel_offsets__own_net());
	return if_indextoname(index, device) ? xstrdup(device) : text__format("%u", index);
}

__u64 key_names__device_key(__u32 ifindex, __u32 net)
{
	__u32 differs = net ? net ^ kernel_offsets__own_net() : 0;

	return (__u64)differs << 32 | (differs ^ ifindex);
}

char *key_names__make(enum run_key by, __u64 key, const char *comm)
{
	struct task task;

	switch (by) {
	case BY_IFINDEX:
		return name_device(key);
	case BY_CGROUP:
		return name_cgroup(key);
	case BY_COMM:
		return xstrdup(comm);
	case BY_PID:
		/*
		 * comm is the name at the first run. The process may have changed its name since
		 * then, but a later process with the same id must not change it. In a pid namespace,
		 * /proc has other ids than the kernel.
		 */
		if (is_in_initial_pid_ns() && !task__read(key, &task) && !task.ended &&
		    is_first_process(key, task.start_time))
			comm = task.comm;
		return *comm ? text__format("%s[%llu]", comm, key) : text__format("%llu", key);
	default:
		return text__format("%llu", key);
	}
}

void key_names__set(enum run_key by, const struct counts *c, int cpu, struct report_prog *p)
{
	__u64 key = c ? c->retval - 1 : (__u64)cpu;
	bool none = by == BY_QUEUE ? key == BPROF_KEY_NONE
				   : (by == BY_IFINDEX || by == BY_CGROUP) && !key;

	p->by_key = true;
	/* If the key is a name, its number is only a hash. */
	if (by != BY_COMM && !none)
		p->key_value = by == BY_IFINDEX ? BPROF_KEY_IFINDEX(key) : key;
	p->key_name = none ? xstrdup("none") : key_names__make(by, key, c ? c->comm : "");
}
