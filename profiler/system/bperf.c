// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bperf, a method of `bprof system`. Counts through leaders that all bperf users of an event share.
 * So all users together need only one counter and one BPF program per event. docs/dev/bperf.md
 * explains bperf. Owns everything that one session has open or allocated: the links of leaders, its
 * id as a bperf user, and its sets of counters. bperf_events.c finds or makes the leaders.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <bpf/bpf.h>
#include <linux/perf_event.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/reason.h"
#include "kernel/kernel_offsets.h"
#include "system/attr_map.h"
#include "system/bperf_leader.h"
#include "system/bperf_priv.h"
#include "system/bperf_tables.h"
#include "system/system.h"

/* The inode number of the initial pid namespace (include/linux/proc_ns.h). */
#define PROC_PID_INIT_INO 0xEFFFFFFCU

/* Returns true in the initial pid namespace, whose pids are those that BPF programs see. */
static bool in_init_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == PROC_PID_INIT_INO;
}

static bool is_too_deep(const struct scope *sc)
{
	return sc->kind == SCOPE_CGROUP && sc->level >= BPERF_LEVELS;
}

/* Returns 0, or -EOPNOTSUPP with *reason if bperf cannot count any of the scopes. */
static int check_scopes(const struct system *s, struct reason *reason)
{
	bool any = !s->scopes.cnt;

	for (int i = 0; i < s->scopes.cnt; i++) {
		const struct scope *sc = &s->scopes.v[i];

		if (scope_kind__is_task(sc->kind) && !in_init_pid_namespace())
			return reason__fail(reason, -EOPNOTSUPP,
					    "bprof runs in a pid namespace (a container), where "
					    "process ids differ from the kernel's");
		/* If one level is unknown, all of them are: bprof is in a cgroup namespace. */
		if (sc->kind == SCOPE_CGROUP && sc->level < 0)
			return reason__fail(reason, -EOPNOTSUPP,
					    "the depth of cgroup %s in its hierarchy is not known",
					    sc->name);
		any |= !is_too_deep(sc);
	}
	if (any)
		return 0;
	return reason__fail(reason, -EOPNOTSUPP, "no cgroup is at a level up to %d",
			    BPERF_LEVELS - 1);
}

/*
 * Creates the map whose id identifies us as a bperf user. Unlike a pid, the id is the same in every
 * namespace. When our process ends, the id becomes invalid, because the kernel then frees the map.
 */
static int open_user(struct bperf *b)
{
	struct bpf_map_info info = {};
	__u32 sz = sizeof(info);

	b->user_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bprof_user", sizeof(__u32), sizeof(__u32),
				    1, NULL);
	if (b->user_fd < 0 || bpf_obj_get_info_by_fd(b->user_fd, &info, &sz))
		return -errno;
	b->user = info.id;
	return 0;
}

static int open_map(const struct system *s, struct bperf *b, struct reason *reason)
{
	int err = attr_map__open(&b->map, s->opts.attr_map ?: ATTR_MAP_DEFAULT, s->opts.attr_size,
				 reason);

	/*
	 * With --attr-map, return -EINVAL, so that the caller reports the failure and does not fall
	 * back to perf_event.
	 */
	return err && s->opts.attr_map && err != -EPERM && !is_shortage(err) ? -EINVAL : err;
}

static void bperf_close(struct system *s, void *state);

static int bperf_open(struct system *s, void **state, struct reason *reason)
{
	int err = bperf_leader__allow(reason);
	struct bperf *b = err ? NULL : xcalloc(1, sizeof(*b));

	*state = NULL;
	if (err)
		return err;
	b->map.fd = b->user_fd = -1;
	for (int i = 0; i < EVENT_LIST_MAX; i++)
		b->leader[i] = BPERF_LEADER_NONE;
	b->set = xcalloc(s->scopes.cnt * s->events->cnt + 1, sizeof(*b->set));
	err = open_user(b);
	if (err)
		reason__fail(reason, err, "cannot make a BPF map: %s", strerror(-err));
	if (!err)
		err = check_scopes(s, reason);
	if (!err)
		err = open_map(s, b, reason);
	if (!err) {
		err = bperf__open_leaders(s, b, reason);
		/*
		 * Here -EINVAL comes from the kernel, which refused a BPF program. -EOPNOTSUPP lets
		 * the caller fall back to perf_event.
		 */
		if (err == -EINVAL)
			err = -EOPNOTSUPP;
	}
	if (err)
		bperf_close(s, b);
	else
		*state = b;
	return err;
}

/* ---- scopes ---- */

static void end_tables(const struct system *s, struct bperf *b)
{
	for (int i = 0; i < s->events->cnt; i++)
		bperf_tables__end(&b->leader[i].tables);
}

static int begin_tables(const struct system *s, struct bperf *b, unsigned int checks)
{
	int err = 0;

	for (int i = 0; !err && i < s->events->cnt; i++)
		if (b->leader[i].link_fd >= 0)
			err = bperf_tables__begin(&b->leader[i].tables, checks);
	if (err)
		end_tables(s, b);
	return err;
}

static void bperf_end(struct system *s, void *state)
{
	struct bperf *b = state;

	end_tables(s, b);
	attr_map__unlock(&b->map);
}

static int bperf_begin(struct system *s, void *state, struct reason *reason)
{
	unsigned int checks = BPERF_CHECK_USERS;
	struct bperf *b = state;
	int err = bperf__lock_map(s, b, reason);

	if (err)
		return err;
	b->no_offsets = b->no_tasks = (struct reason){};
	if (in_init_pid_namespace())
		checks |= BPERF_CHECK_TASKS;
	err = begin_tables(s, b, checks);
	if (!err)
		return 0;
	attr_map__unlock(&b->map);
	return reason__fail(reason, err, "cannot read the leaders' tables: %s", strerror(-err));
}

/*
 * In the leader's tables, sets the offsets of members of kernel structs, unless they are set
 * already. The BPF programs need them to count tasks or v1 cgroups.
 */
static int set_offsets(const struct system *s, struct bperf *b, const struct bperf_tables *t,
		       const struct scope *scope, struct reason *reason)
{
	bool v1 = scope->kind == SCOPE_CGROUP && s->scopes.v1;
	struct bperf_config *c = bperf_tables__config(t);
	struct bperf_offsets at;

	if (scope->kind == SCOPE_CGROUP && c->cgroup_v1 != v1 &&
	    bperf_tables__kinds(t) & 1 << BPERF_CGROUP)
		return reason__fail(reason, -EBUSY, "other users count cgroups of %s",
				    v1 ? "v2" : "the v1 hierarchy of perf_event");
	if (scope->kind == SCOPE_CGROUP)
		c->cgroup_v1 = v1;
	if (c->at.task_pid)
		return 0;
	/* Read the offsets only once while the map is locked, even if this fails. */
	if (!b->at.task_pid && !b->no_offsets.err && kernel_offsets__read(&b->at, &b->no_offsets))
		b->at = (struct bperf_offsets){};
	*reason = b->no_offsets;
	if (reason->err)
		return scope->kind == SCOPE_CGROUP && !v1 ? 0 : -reason->err;
	/* Set task_pid last: if we are killed before, the next user sees incomplete offsets. */
	at = b->at;
	at.task_pid = 0;
	c->at = at;
	__atomic_store_n(&c->at.task_pid, b->at.task_pid, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Makes the counts exact for tasks that are moved from one cgroup to another. If this is not
 * possible, warns that such tasks are counted less exactly.
 */
static void follow_moves(struct bperf *b, struct bperf_leader *l)
{
	const struct bperf_offsets *at = &bperf_tables__config(&l->tables)->at;
	struct reason reason;
	int err = reason__fail(&reason, -ENOENT, "the kernel's BTF does not say where to look");

	if (at->task_cgroups && at->rq_curr && at->regs_second) {
		err = bperf_waker__open(&b->waker);
		reason__fail(&reason, err, "no program that wakes bprof: %s",
			     err == -KERNEL_ENOTSUPP ? "the kernel does not compile it"
						     : strerror(-err));
	}
	if (!err)
		err = bperf_leader__follow_moves(l, &reason);
	if (err)
		log_warn("cannot follow moves between cgroups (%s): a task that is moved while it "
			 "runs counts in the new cgroup from its last context switch on",
			 reason.detail);
	b->no_moves |= err;
}

static int join_leader(struct system *s, struct bperf *b, int scope, int event,
		       struct reason *reason)
{
	const struct scope *sc = &s->scopes.v[scope];
	struct bperf_leader *l = &b->leader[event];
	enum bperf_kind kind;
	int err;

	if (sc->kind == SCOPE_CGROUP)
		kind = BPERF_CGROUP;
	else if (sc->kind == SCOPE_THREAD)
		kind = s->opts.inherit ? BPERF_THREAD : BPERF_THREAD_ALONE;
	else
		kind = s->opts.inherit ? BPERF_PROCESS : BPERF_PROCESS_ALONE;
	err = set_offsets(s, b, &l->tables, sc, reason);
	if (err)
		return err;
	/* Follow forks and exits. After a failure, do not try it again while the map is locked. */
	if (kind != BPERF_CGROUP) {
		if (!b->no_tasks.err)
			bperf_leader__follow_tasks(l, &b->no_tasks);
		*reason = b->no_tasks;
		if (reason->err)
			return -reason->err;
	}
	if (kind == BPERF_CGROUP && l->move_fd[0] < 0 && !b->no_moves)
		follow_moves(b, l);
	err = bperf_tables__join(&l->tables, b->user, kind, sc->id, sc->level,
				 &b->set[scope * s->events->cnt + event]);
	if (err == -ENOSPC || err == -E2BIG)
		reason__fail(reason, err, "the limit on counted tasks and cgroups is reached");
	else if (err)
		reason__fail(reason, err, "cannot enter it in the leader's tables: %s",
			     strerror(-err));
	return err;
}

static int bperf_add_scope(struct system *s, void *state, int scope, struct reason *reason)
{
	struct bperf *b = state;
	const struct scope *sc = &s->scopes.v[scope];

	if (sc->kind == SCOPE_SYSTEM)
		return 0;
	if (is_too_deep(sc))
		return reason__fail(reason, -EOPNOTSUPP,
				    "it is deeper than %d levels; --method perf_event counts it",
				    BPERF_LEVELS - 1);
	for (int i = 0; i < s->events->cnt; i++) {
		int err = b->leader[i].link_fd < 0 ? 0 : join_leader(s, b, scope, i, reason);

		if (err)
			return err;
	}
	return 0;
}

static void bperf_remove_scope(struct system *s, void *state, int scope)
{
	struct bperf *b = state;

	for (int i = 0; i < s->events->cnt; i++) {
		__u32 *set = &b->set[scope * s->events->cnt + i];

		if (*set)
			bperf_tables__leave(&b->leader[i].tables, b->user, *set);
		*set = 0;
	}
}

/* ---- readings ---- */

/*
 * Called after tasks have been moved to other cgroups. Makes the events of a task up to its move
 * count for the task's old cgroup.
 */
static int bperf_ready(struct system *s, void *state)
{
	struct bperf *b = state;

	bperf_waker__clear(&b->waker);
	for (int ev = 0; ev < s->events->cnt; ev++)
		for (int cpu = 0; b->leader[ev].link_fd >= 0 && cpu < s->cpu_limit; cpu++)
			if (bperf_tables__has_moved(&b->leader[ev].tables, cpu))
				bperf_leader__run(&b->leader[ev], cpu);
	return 0;
}

static int bperf_ready_fd(const struct system *s, void *state)
{
	const struct bperf *b = state;

	return bperf_waker__fd(&b->waker);
}

static int bperf_read(struct system *s, void *state, struct reading *readings)
{
	struct bperf *b = state;
	__u64 lost;
	int err;

	for (int ev = 0; ev < s->events->cnt; ev++) {
		const struct bperf_leader *l = &b->leader[ev];

		if (l->link_fd < 0)
			continue;
		err = bperf_leader__update(l, &s->cpus, &s->events->v[ev].cpumask,
					   &s->refused[ev * s->cpu_limit], s->uncounted_cpu);
		if (err)
			return log_err(err, "event %s: its counters cannot be read: %s",
				       s->events->v[ev].name, strerror(-err));
		lost = bperf_tables__config(&l->tables)->lost - b->lost[ev];
		if (lost > s->uncounted_children)
			s->uncounted_children = lost;
		for (int sc = 0; sc < s->scopes.cnt; sc++)
			for (int i = 0; s->added[sc] && i < s->cpus.cnt; i++)
				readings[system__at(s, sc, ev, i)] = bperf_tables__read(
					&l->tables, b->set[sc * s->events->cnt + ev],
					s->cpus.id[i]);
	}
	return 0;
}

static void bperf_close(struct system *s, void *state)
{
	struct bperf *b = state;
	bool any = false, locked;
	struct reason unused;

	if (!b)
		return;
	for (int sc = 0; b->set && sc < s->scopes.cnt; sc++)
		bperf_remove_scope(s, b, sc);
	bperf_waker__close(&b->waker);
	for (int i = 0; i < EVENT_LIST_MAX; i++)
		any |= b->leader[i].link_fd >= 0;
	/*
	 * If the attr map can be locked, remove the keys and free the sets that no user needs any
	 * more. Otherwise, the next bperf user does this.
	 */
	locked = any && !bperf__lock_map(s, b, &unused);
	/* 0: the next user searches for users and tasks that died, in bperf_begin() */
	if (locked && !begin_tables(s, b, 0))
		end_tables(s, b);
	for (int i = 0; i < EVENT_LIST_MAX; i++)
		bperf_leader__close(&b->leader[i]);
	if (locked)
		attr_map__sweep(&b->map);
	attr_map__unlock(&b->map);
	attr_map__close(&b->map);
	if (b->user_fd >= 0)
		close(b->user_fd);
	free(b->set);
	free(b);
}

const struct system_ops bperf_ops = {
	.method = "bperf",
	.shared = true,
	.open = bperf_open,
	.begin = bperf_begin,
	.add_scope = bperf_add_scope,
	.remove_scope = bperf_remove_scope,
	.end = bperf_end,
	.read = bperf_read,
	.ready = bperf_ready,
	.ready_fd = bperf_ready_fd,
	.close = bperf_close,
};
