// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Leaders. Owns loading bperf's BPF programs, finding the programs of other bperf users, and
 * running a leader on a CPU. Must not know the tables, except for an event's enabled time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/util.h"
#include "bpf/bperf.h"
#include "bpf/bperf_follower.skel.h"
#include "bpf/bperf_leader.skel.h"
#include "bpf/bperf_moves.skel.h"
#include "bpf/bperf_tasks.skel.h"
#include "btf/reason.h"
#include "kernel/feature.h"
#include "kernel/jited.h"
#include "kernel/kernel_bugs.h"
#include "kernel/perf_event.h"
#include "system/bperf_leader.h"

#define LONGEST_PAUSE_MS 16

/* The maps of a BPF object that are a leader's tables (struct bperf_tables). */
struct object_maps {
	struct bpf_map *config, *readings, *sets, *keys, *owners;
};

#define OBJECT_MAPS(skel)                    \
	((struct object_maps){               \
		(skel)->maps.bss,            \
		(skel)->maps.bprof_readings, \
		(skel)->maps.bprof_sets,     \
		(skel)->maps.bprof_keys,     \
		(skel)->maps.bprof_owners,   \
	})

/*
 * Some kernels return -EINVAL if a program needs the JIT and the JIT is off. In this case, returns
 * -KERNEL_ENOTSUPP, else err.
 */
static int correct(int err)
{
	bool jits = true;

	return err == -EINVAL && !features__jits(&jits) && !jits ? -KERNEL_ENOTSUPP : err;
}

static int explain_failure(struct reason *reason, int err, const char *what)
{
	err = correct(err);
	if (err == -KERNEL_ENOTSUPP)
		return reason__fail(reason, err,
				    "%s: the kernel does not compile it to machine code; %s", what,
				    reason__spec(REASON_NOT_COMPILED)->remedy);
	return reason__fail(reason, err, "%s: %s", what, strerror(-err));
}

/*
 * Returns the id of a link, map or program, or 0. For each of these, the kernel's info begins with
 * a type and the id.
 */
static __u32 object_id(int fd)
{
	struct {
		__u32 type, id;
	} info = {};
	__u32 sz = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &sz) ? 0 : info.id;
}

static int link_prog(int fd)
{
	struct bpf_link_info info = {};
	__u32 sz = sizeof(info);
	int prog_fd;

	if (bpf_obj_get_info_by_fd(fd, &info, &sz))
		return -errno;
	prog_fd = bpf_prog_get_fd_by_id(info.prog_id);
	return prog_fd < 0 ? -errno : prog_fd;
}

/*
 * Attaches a loaded program to the tracepoint tp (NULL: to its attach target). Binds the map
 * "owners" to the program. No instruction refers to this map, so the kernel would otherwise free it
 * when its creator ends. Returns the link, or -errno.
 */
static int attach_with_owners(const struct bpf_program *prog, const struct bpf_map *owners,
			      const char *tp)
{
	int fd = bpf_program__fd(prog);
	struct reason reason;
	int err = jited__check(fd, &reason);

	if (err)
		return err;
	if (bpf_prog_bind_map(fd, bpf_map__fd(owners), NULL))
		return -errno;
	fd = bpf_raw_tracepoint_open(tp, fd);
	return fd < 0 ? -errno : fd;
}

/* ---- bprof's follower of a leader that perf made ---- */

static bool is_our_follower(int fd, __u32 leader_id)
{
	struct bpf_prog_info prog = {};
	struct bpf_link_info info = {};
	__u32 sz = sizeof(info), prog_sz = sizeof(prog);
	int prog_fd;

	if (bpf_obj_get_info_by_fd(fd, &info, &sz) || info.type != BPF_LINK_TYPE_TRACING ||
	    info.tracing.target_obj_id != leader_id)
		return false;
	prog_fd = link_prog(fd);
	if (prog_fd < 0)
		return false;
	(void)bpf_obj_get_info_by_fd(prog_fd, &prog, &prog_sz);
	close(prog_fd);
	return !strcmp(prog.name, "bprof_on_switch");
}

/* Finds the follower that another bprof attached to this leader. Returns its link, or -ENOENT. */
static int find_follower(__u32 leader_id)
{
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (is_our_follower(fd, leader_id))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

static int make_follower(const struct bperf_leader *l, __u32 diff_map_id, int cpu_limit)
{
	struct bperf_follower_bpf *skel = bperf_follower_bpf__open();
	int diff_fd = bpf_map_get_fd_by_id(diff_map_id), err = -errno;
	struct object_maps maps;

	if (!skel || diff_fd < 0)
		goto out;
	maps = OBJECT_MAPS(skel);
	err = bpf_program__set_attach_target(skel->progs.bprof_on_switch, l->prog_fd,
					     "on_switch")
		      ?: bpf_map__reuse_fd(skel->maps.diff_readings, diff_fd)
		      ?: bpf_map__set_max_entries(maps.sets, cpu_limit)
		      ?: bperf_follower_bpf__load(skel)
		      ?: attach_with_owners(skel->progs.bprof_on_switch, maps.owners, NULL);
out:
	if (diff_fd >= 0)
		close(diff_fd);
	bperf_follower_bpf__destroy(skel);
	return err;
}

/* Opens or makes bprof's follower for a leader that perf made, and opens the follower's tables. */
static int open_follower(struct bperf_leader *l, __u32 diff_map_id, int cpu_limit,
			 struct reason *reason)
{
	int prog_fd, err;

	l->follower_fd = find_follower(object_id(l->prog_fd));
	if (l->follower_fd < 0)
		l->follower_fd = make_follower(l, diff_map_id, cpu_limit);
	if (l->follower_fd < 0)
		return explain_failure(reason, l->follower_fd, "cannot attach to perf's leader");
	prog_fd = link_prog(l->follower_fd);
	if (prog_fd < 0)
		return explain_failure(reason, prog_fd, "cannot open the follower");
	bperf_tables__close(&l->tables);
	err = bperf_tables__open(&l->tables, prog_fd, cpu_limit);
	close(prog_fd);
	return err ? explain_failure(reason, err, "cannot open the follower's tables") : 0;
}

/* ---- leaders ---- */

/* Opens the program and the tables of the leader whose link is in l. */
static int open_leader(struct bperf_leader *l, __u32 diff_map_id, int cpu_limit,
		       struct reason *reason)
{
	int err;

	l->prog_fd = link_prog(l->link_fd);
	if (l->prog_fd < 0)
		return explain_failure(reason, l->prog_fd, "cannot open its leader");
	err = bperf_tables__open(&l->tables, l->prog_fd, cpu_limit);
	if (err == -ENOENT)
		return open_follower(l, diff_map_id, cpu_limit, reason);
	if (err == -EPROTO)
		return reason__fail(reason, err,
				    "its leader was made by another version of bprof; end that, or "
				    "give another --attr-map");
	return err ? explain_failure(reason, err, "cannot open its leader's tables") : 0;
}

int bperf_leader__find(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, int cpu_limit, struct reason *reason)
{
	struct attr_entry e;
	int err = attr_map__find(m, attr, &e, &l->link_fd);

	if (err)
		return err == -ENOENT ? err
				      : explain_failure(reason, err, "cannot look for its leader");
	err = open_leader(l, e.diff_map_id, cpu_limit, reason);
	if (err)
		bperf_leader__close(l);
	/* -ENOENT would make the caller create a second leader, although a leader exists. */
	return err == -ENOENT ? -EPROTO : err;
}

void leader_events__open(struct leader_events *e, int cpu_limit)
{
	e->cpu_limit = cpu_limit;
	e->fd = xmalloc(cpu_limit * sizeof(*e->fd));
	for (int i = 0; i < cpu_limit; i++)
		e->fd[i] = -1;
}

void leader_events__close(struct leader_events *e)
{
	for (int i = 0; e->fd && i < e->cpu_limit; i++)
		if (e->fd[i] >= 0)
			close(e->fd[i]);
	free(e->fd);
	*e = (struct leader_events){};
}

/* Loads a leader and attaches it. Sets *what to a message for the step that failed. */
static int start_leader(struct bperf_leader *l, struct bperf_leader_bpf *skel,
			const struct leader_events *events, const char **what)
{
	struct object_maps maps = OBJECT_MAPS(skel);
	int err;

	*what = "the kernel refuses the leader";
	err = bpf_map__set_max_entries(skel->maps.events, events->cpu_limit)
		      ?: bpf_map__set_max_entries(maps.sets, events->cpu_limit)
		      ?: correct(bperf_leader_bpf__load(skel));
	/*
	 * -EINVAL: the verifier does not know one of the helpers. Tracing programs may call
	 * bpf_get_current_ancestor_cgroup_id() since commit 95b861a7935b. They may not call
	 * bpf_probe_read_kernel() if the kernel is locked down for confidentiality
	 * (kernel/trace/bpf_trace.c, bpf_tracing_func_proto()).
	 */
	if (err == -EINVAL)
		*what = "the kernel refuses the leader, which needs Linux 5.15 or newer, not "
			"locked down for confidentiality";
	if (err)
		return err;
	*what = "cannot give the leader its events";
	for (int cpu = 0; cpu < events->cpu_limit; cpu++)
		if (events->fd[cpu] >= 0 && bpf_map_update_elem(bpf_map__fd(skel->maps.events),
								&cpu, &events->fd[cpu], BPF_ANY))
			return -errno;
	*what = "cannot attach the leader";
	l->link_fd = attach_with_owners(skel->progs.on_switch, maps.owners, "sched_switch");
	if (l->link_fd < 0)
		return l->link_fd;
	*what = "cannot open the leader's tables";
	l->prog_fd = link_prog(l->link_fd);
	if (l->prog_fd < 0)
		return l->prog_fd;
	return bperf_tables__open(&l->tables, l->prog_fd, events->cpu_limit);
}

int bperf_leader__make(struct bperf_leader *l, const struct attr_map *m,
		       const struct perf_event_attr *attr, const struct leader_events *events,
		       struct reason *reason)
{
	struct bperf_leader_bpf *skel = bperf_leader_bpf__open();
	const char *what;
	int err = -errno;

	if (!skel)
		return explain_failure(reason, err, "cannot open the leader's object");
	err = start_leader(l, skel, events, &what);
	if (!err && m) {
		const struct attr_entry e = {object_id(l->link_fd),
					     object_id(bpf_map__fd(skel->maps.bprof_readings))};

		what = "cannot enter the leader in the map";
		err = attr_map__put(m, attr, &e);
		err = err == -E2BIG ? 0 : err;
	}
	if (err) {
		explain_failure(reason, err, what);
		bperf_leader__close(l);
	}
	bperf_leader_bpf__destroy(skel);
	return err;
}

int bperf_leader__run(const struct bperf_leader *l, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

	/*
	 * The program returns 1 if this run has interrupted another run of the leader on that CPU.
	 * The other run ends soon, so retry.
	 */
	do {
		if (bpf_prog_test_run_opts(l->prog_fd, &opts))
			return -errno;
	} while (opts.retval);
	return 0;
}

int bperf_leader__allow(struct reason *reason)
{
	struct reason refused;
	/* Users attach fexit programs to a leader, so this type must be safe to probe. */
	int err = kernel_bugs__check_type(BPF_PROG_TYPE_RAW_TRACEPOINT, &refused);
	char why[512];

	return err ? reason__fail(reason, err, "the leader %s",
				  reason__describe(&refused, why, sizeof(why)))
		   : 0;
}

int bperf_leader__try(int cpu, int cpu_limit, struct reason *reason)
{
	struct bperf_leader l = BPERF_LEADER_NONE;
	struct leader_events none;
	int err = bperf_leader__allow(reason);

	if (err)
		return err;
	leader_events__open(&none, cpu_limit);
	err = bperf_leader__make(&l, NULL, NULL, &none, reason);
	if (!err) {
		err = bperf_leader__run(&l, cpu);
		if (err)
			explain_failure(reason, err, "the kernel cannot run the leader on one CPU");
	}
	bperf_leader__close(&l);
	leader_events__close(&none);
	return err;
}

/* ---- tasks ---- */

static const struct {
	const char *name, *tracepoint;
} task_progs[BPERF_TASK_PROGS] = {
	[BPERF_ON_FORK] = {"bprof_on_fork", "sched_process_fork"},
	[BPERF_ON_EXEC] = {"bprof_on_exec", "sched_process_exec"},
	[BPERF_ON_EXIT] = {"bprof_on_exit", "sched_process_exit"},
};

static void close_link_fds(int *fds, int cnt)
{
	for (int i = 0; i < cnt; i++)
		close_fd(&fds[i]);
}

/*
 * Opens the links with these ids, which another bperf user has made. If one of them does not exist,
 * closes the links that it has opened, and returns false.
 */
static bool find_links(int *fds, const __u32 *ids, int cnt)
{
	bool all = true;

	for (int i = 0; i < cnt; i++) {
		if (fds[i] < 0 && ids[i])
			fds[i] = bpf_link_get_fd_by_id(ids[i]);
		all &= fds[i] >= 0;
	}
	if (!all)
		close_link_fds(fds, cnt);
	return all;
}

static int reuse_tables(const struct object_maps *maps, const struct bperf_tables *t)
{
	return bpf_map__reuse_fd(maps->config, t->config.fd)
		       ?: bpf_map__reuse_fd(maps->readings, t->readings_fd)
		       ?: bpf_map__reuse_fd(maps->sets, t->sets.fd)
		       ?: bpf_map__reuse_fd(maps->keys, t->keys_fd)
		       ?: bpf_map__reuse_fd(maps->owners, t->owners_fd);
}

/* Attaches the programs for fork, exec and exit of tasks, which use the leader's tables. */
static int make_task_links(struct bperf_leader *l)
{
	struct bperf_tasks_bpf *skel = bperf_tasks_bpf__open();
	const struct bpf_program *prog;
	struct object_maps maps;
	int err = -errno;

	if (!skel)
		return err;
	maps = OBJECT_MAPS(skel);
	err = reuse_tables(&maps, &l->tables) ?: bperf_tasks_bpf__load(skel);
	for (int i = 0; !err && i < BPERF_TASK_PROGS; i++) {
		prog = bpf_object__find_program_by_name(skel->obj, task_progs[i].name);
		l->task_fd[i] = attach_with_owners(prog, maps.owners, task_progs[i].tracepoint);
		err = l->task_fd[i] < 0 ? l->task_fd[i] : 0;
	}
	bperf_tasks_bpf__destroy(skel);
	return err;
}

int bperf_leader__follow_tasks(struct bperf_leader *l, struct reason *reason)
{
	struct bperf_config *c = bperf_tables__config(&l->tables);
	int err;

	if (find_links(l->task_fd, c->task_link, BPERF_TASK_PROGS))
		return 0;
	err = make_task_links(l);
	if (err)
		return explain_failure(reason, err, "cannot follow forks and exits");
	for (int i = 0; i < BPERF_TASK_PROGS; i++)
		c->task_link[i] = object_id(l->task_fd[i]);
	return 0;
}

/* ---- moves between cgroups ---- */

/* both a kernel function and a tracepoint have this name */
#define MOVE_FUNCTION "cgroup_attach_task"

/* Returns the perf event type of kprobes, or -errno. */
static int kprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "re");
	int type, err = f ? 0 : -errno;

	if (!err && fscanf(f, "%d", &type) != 1)
		err = -EINVAL;
	if (f)
		fclose(f);
	return err ?: type;
}

/* Attaches prog to a kprobe. Returns the link, which keeps the kprobe alive, or -errno. */
static int attach_kprobe(const struct bpf_program *prog, const struct bpf_map *owners)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .kprobe_func = (__u64)(unsigned long)MOVE_FUNCTION};
	int type = kprobe_type(), event_fd, fd;
	struct reason reason;

	fd = jited__check(bpf_program__fd(prog), &reason);
	if (fd)
		return fd;
	if (type < 0)
		return type;
	attr.type = type;
	event_fd = perf_event__open(&attr, -1, 0, -1, 0);
	if (event_fd < 0)
		return event_fd;
	if (bpf_prog_bind_map(bpf_program__fd(prog), bpf_map__fd(owners), NULL))
		fd = -errno;
	else
		fd = bpf_link_create(bpf_program__fd(prog), event_fd, BPF_PERF_EVENT, NULL);
	close(event_fd);
	return fd;
}

static int make_move_links(struct bperf_leader *l)
{
	struct bperf_moves_bpf *skel = bperf_moves_bpf__open();
	struct object_maps maps;
	int err = -errno, fd;

	if (!skel)
		return err;
	maps = OBJECT_MAPS(skel);
	err = reuse_tables(&maps, &l->tables) ?: bperf_moves_bpf__load(skel);
	if (!err) {
		fd = attach_kprobe(skel->progs.bprof_on_move, maps.owners);
		l->move_fd[BPERF_BEFORE_MOVE] = fd;
		err = fd < 0 ? fd : 0;
	}
	if (!err) {
		fd = bpf_raw_tracepoint_open(MOVE_FUNCTION, l->prog_fd);
		l->move_fd[BPERF_AFTER_MOVE] = fd;
		err = fd < 0 ? fd : 0;
	}
	bperf_moves_bpf__destroy(skel);
	return err;
}

int bperf_leader__follow_moves(struct bperf_leader *l, struct reason *reason)
{
	struct bperf_config *c = bperf_tables__config(&l->tables);
	int err;

	if (find_links(l->move_fd, c->move_link, BPERF_MOVE_PROGS))
		return 0;
	err = make_move_links(l);
	if (err) {
		close_link_fds(l->move_fd, BPERF_MOVE_PROGS);
		/*
		 * -ENOENT means that the program cannot find the symbol of the runqueues, because
		 * the kernel was built without CONFIG_KALLSYMS_ALL.
		 */
		return explain_failure(reason, err, "no program on " MOVE_FUNCTION "()");
	}
	for (int i = 0; i < BPERF_MOVE_PROGS; i++)
		c->move_link[i] = object_id(l->move_fd[i]);
	return 0;
}

void bperf_leader__close(struct bperf_leader *l)
{
	bperf_tables__close(&l->tables);
	close_link_fds(l->task_fd, BPERF_TASK_PROGS);
	close_link_fds(l->move_fd, BPERF_MOVE_PROGS);
	close_fd(&l->follower_fd);
	close_fd(&l->prog_fd);
	close_fd(&l->link_fd);
}

/*
 * Runs the leader again on a CPU that seems not to have been read. Returns 0, even if the CPU is
 * offline; -ESTALE if the CPU's event does not count; or another -errno.
 *
 * A run of the leader updates the enabled time. There are two possible reasons for an enabled time
 * that stays the same. If the CPU was offline meanwhile, the kernel has stopped its events for good
 * (kernel/events/core.c, perf_event_exit_cpu_context()). If the run interrupted another run of the
 * leader, the kernel may have skipped it. Some kernels, such as Linux 7.2, skip runs without an error. Retrying
 * rules out the second reason.
 */
static int run_again(const struct bperf_leader *l, int cpu, bool wait)
{
	__u64 before = bperf_tables__read(&l->tables, 0, cpu).enabled_ns;

	for (long pause_ms = 0; pause_ms <= LONGEST_PAUSE_MS; pause_ms = 2 * pause_ms ?: 1) {
		struct timespec pause = {.tv_nsec = pause_ms * 1000000};
		int err;

		if (pause_ms)
			nanosleep(&pause, NULL);
		if (bperf_leader__run(l, cpu))
			return 0;
		err = bperf_tables__fetch(&l->tables);
		if (err || bperf_tables__read(&l->tables, 0, cpu).enabled_ns != before)
			return err;
		if (!wait)
			break;
	}
	return -ESTALE;
}

/* Returns true if the leader has no event on the CPU. */
static bool lacks_event(const struct cpus *mask, const int *refused, int cpu)
{
	return refused[cpu] || (mask->cnt && !cpus__has(mask, cpu));
}

int bperf_leader__update(const struct bperf_leader *l, const struct cpus *cpus,
			 const struct cpus *mask, const int *refused, bool *uncounted)
{
	__u64 *before = xmalloc(cpus->cnt * sizeof(*before));
	int err = bperf_tables__fetch(&l->tables);

	for (int i = 0; !err && i < cpus->cnt; i++) {
		before[i] = bperf_tables__read(&l->tables, 0, cpus->id[i]).enabled_ns;
		if (!lacks_event(mask, refused, cpus->id[i]))
			bperf_leader__run(l, cpus->id[i]);
	}
	err = err ?: bperf_tables__fetch(&l->tables);
	for (int i = 0; !err && i < cpus->cnt; i++) {
		int cpu = cpus->id[i];

		if (lacks_event(mask, refused, cpu) ||
		    bperf_tables__read(&l->tables, 0, cpu).enabled_ns != before[i])
			continue;
		/*
		 * Wait only for the first event of a CPU that does not count; the other events may
		 * still count there.
		 */
		err = run_again(l, cpu, !uncounted[cpu]);
		if (err == -ESTALE) {
			uncounted[cpu] = true;
			err = 0;
		}
	}
	free(before);
	return err;
}
