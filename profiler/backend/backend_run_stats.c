// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The run_stats backend: reads the kernel's own statistics of each program, its run count and run
 * time (BPF_ENABLE_STATS, Linux 5.8). It is for targets to which no probe can be attached. The
 * statistics are enabled only while a descriptor is open.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "base/memory.h"
#include "base/util.h"
#include "kernel/feature.h"
#include "target/target.h"

struct run_stats {
	const struct backend_env *env;
	int stats_fd; /* the kernel counts while this descriptor is open */
};

int run_stats__enable(struct reason *reason)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME), err = -errno;

	if (fd >= 0)
		return fd;
	reason__set(reason, err == -EPERM ? REASON_NO_PERM : REASON_SYSTEM, -err,
		    "BPF_ENABLE_STATS: %s", strerror(-err));
	features__explain_perm(reason);
	return err;
}

#define COST_BLOCKS 8
#define COST_RUNS 1024

/*
 * The time of a run in ns, measured in two ways: by this thread's clock, which includes the
 * kernel's work around the run, and by the kernel's clock.
 */
struct run_time {
	double thread, kernel;
};

/* Runs a program many times. Lowers the members of *t to the mean times if these are smaller. */
static void time_block(int fd, struct run_time *t)
{
	struct bpf_prog_info before = {}, after = {};
	__u32 sz = sizeof(before);
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = COST_RUNS);
	__u64 begin;
	int err = bpf_obj_get_info_by_fd(fd, &before, &sz);

	begin = thread_cpu_ns();
	err = err ?: bpf_prog_test_run_opts(fd, &run);
	begin = thread_cpu_ns() - begin;
	if (err || bpf_obj_get_info_by_fd(fd, &after, &sz))
		return;
	t->thread = fmin(t->thread, (double)begin / COST_RUNS);
	if (after.run_cnt > before.run_cnt)
		t->kernel = fmin(t->kernel, (double)(after.run_time_ns - before.run_time_ns) /
						    (after.run_cnt - before.run_cnt));
}

void run_stats__measure(struct run_stats_cost *cost)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "bprof_cost", "GPL", insns,
			       ARRAY_SIZE(insns), NULL);
	struct run_time t = {INFINITY, INFINITY};

	/* An interrupt makes a block longer: the shortest block counts. */
	for (int i = 0; fd >= 0 && i < COST_BLOCKS; i++)
		time_block(fd, &t);
	if (fd >= 0)
		close(fd);
	cost->bias_ns = isfinite(t.kernel) ? t.kernel : 0;
	cost->added_ns = isfinite(t.thread) ? fmax(0, t.thread - cost->off_ns) : 0;
	cost->off_ns = isfinite(t.thread) ? t.thread : 0;
}

static int run_stats_check(const struct prog *p, const struct reason *no_probe,
			   struct reason *reason)
{
	if (p->info.type == BPF_PROG_TYPE_EXT)
		return reason__set(
			reason, REASON_METHOD, EOPNOTSUPP,
			"the kernel counts an extension's runs with those of the program "
			"that it extends");
	/* The reason that rules out a probe may also rule out this backend. */
	if (!reason__spec(no_probe->code)->run_stats)
		return reason__set(reason, REASON_METHOD, EOPNOTSUPP, NULL);
	return 0;
}

static int run_stats_open(const struct backend_env *env, void **state, struct reason *reason)
{
	struct run_stats *r = xcalloc(1, sizeof(*r));
	int err = 0;

	r->env = env;
	r->stats_fd = run_stats__enable(reason);
	if (r->stats_fd < 0) {
		err = r->stats_fd;
		free(r);
	} else {
		*state = r;
	}
	return err;
}

static void run_stats_close(void *state)
{
	struct run_stats *r = state;

	if (!r)
		return;
	close(r->stats_fd);
	free(r);
}

static int run_stats_open_target(void *state, struct target *t, struct reason *reason)
{
	return 0;
}

static int run_stats_read_target(const void *state, struct target *t, bool hists,
				 struct counts *per_cpu, struct counts *no_cpu)
{
	const struct run_stats *r = state;
	int err = prog__refresh(t->prog);

	if (err)
		return err;
	no_cpu->measured = t->prog->info.run_cnt;
	no_cpu->event[BPROF_CLOCK_SLOT].total =
		t->prog->info.run_time_ns - r->env->stats_cost.bias_ns * t->prog->info.run_cnt;
	return 0;
}

static int run_stats_mark(const struct target *t, __u64 *mark)
{
	int err = prog__refresh(t->prog);

	*mark = t->prog->info.run_cnt;
	return err;
}

static const char *run_stats_not_counted(const void *state, const struct target *t, int event,
					 const struct event_counts *c)
{
	const struct run_stats *r = state;

	return r->env->events->v[event].kind == EVENT_TIME ? NULL
							   : "run_stats counts runs and time only";
}

static void run_stats_close_target(struct target *t)
{
}

const struct counter_ops run_stats_ops = {
	.method = "run_stats",
	.caps = BACKEND_DEFAULT | BACKEND_COUNTS_ALL_RUNS | BACKEND_SLOWS_PROBES,
	.try = features__try_run_stats,
	.check = run_stats_check,
	.open = run_stats_open,
	.open_target = run_stats_open_target,
	.read_target = run_stats_read_target,
	.mark = run_stats_mark,
	.not_counted = run_stats_not_counted,
	.close_target = run_stats_close_target,
	.close = run_stats_close,
};
