// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the probes of a session share: the perf events, the gate, and the template from which they
 * are loaded (bpf/probe_pair.bpf.h). Must not know what the probe of a target counts (probe.c).
 *
 * Only file descriptors keep the probes attached, so the kernel detaches the probes in any case
 * when the process ends.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/random.h>
#include <bpf/bpf.h>

#include "backend/probe_stat.h"
#include "base/hist.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/arm64_addrs.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "kernel/feature.h"
#include "kernel/irq_stacks.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"
#include "kernel/prog_refs.h"
#include "probe/probes.h"
#include "probe/trace_probe.h"

/*
 * Maximum time to wait for runs in progress when counting stops. Most runs end within microseconds.
 */
#define DRAIN_NS 10000000ULL

static int create_event_map(struct probes *ps, const struct event_fds *fds)
{
	ps->events_fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "bprof_events", sizeof(__u32),
				       sizeof(__u32), BPROF_EVENT_SLOT(fds->cpu_limit, 0), NULL);
	if (ps->events_fd < 0)
		return -errno;
	for (int i = 0; i < fds->event_cnt; i++) {
		for (int cpu = 0; cpu < fds->cpu_limit; cpu++) {
			int fd = fds->fd[i * fds->cpu_limit + cpu];
			__u32 slot = BPROF_EVENT_SLOT(cpu, fds->state[i].slot);

			if (fd >= 0 && bpf_map_update_elem(ps->events_fd, &slot, &fd, BPF_ANY))
				return -errno;
		}
	}
	return 0;
}

static struct bprof_cpu_runs *runs_at(const struct probes *ps, int cpu)
{
	return (struct bprof_cpu_runs *)((char *)ps->runs.mem + cpu * ps->runs_sz);
}

static struct bprof_run *run_at(const struct probes *ps, int cpu, int place)
{
	return &runs_at(ps, cpu)->run[place];
}

/* Creates the map of runs of nested targets. bprof trace also adds up shares in this map. */
static int create_runs(struct probes *ps)
{
	struct trace_probe *trace = ps->env->opts.trace;
	__u64 *irq_stacks;
	int err;

	ps->runs_sz = trace ? sizeof(struct bprof_shares) : sizeof(struct bprof_cpu_runs);
	err = mapped_array__create(&ps->runs, "bprof_runs", ps->runs_sz, ps->env->cpu_limit);
	if (err)
		return err;
	irq_stacks = xcalloc(ps->env->cpu_limit, sizeof(*irq_stacks));
	irq_stacks__find_unaligned(irq_stacks, ps->env->cpu_limit);
	for (int cpu = 0; cpu < ps->env->cpu_limit; cpu++) {
		runs_at(ps, cpu)->irq_stack = irq_stacks[cpu];
		ps->irq_stacks |= irq_stacks[cpu] != 0;
	}
	free(irq_stacks);
	if (!trace)
		return 0;
	for (int cpu = 0; cpu < ps->env->cpu_limit; cpu++)
		for (int i = 0; i < BPROF_RUNS; i++)
			run_at(ps, cpu, i)->number = i;
	trace_probe__set_shares(trace, ps->runs.mem);
	return 0;
}

static int count_hists(const struct backend_env *env)
{
	return env->opts.hist ? env->fds->perf_slot_cnt + env->fds->clock : 0;
}

/* Returns true if probes for the small layout exist for these options (bpf/probe_small.bpf.c). */
static bool may_be_small(const struct backend_env *env)
{
	return env->fds->perf_slot_cnt <= BPROF_SMALL_EVENTS && !env->fds->multiplexed &&
	       !env->nested && !env->opts.trace;
}

/* Returns the size of the counts of a target on one CPU. */
static size_t find_stat_sz(const struct backend_env *env, bool small)
{
	size_t hists = hist__words_sz(env->opts.hist_shift) * count_hists(env);
	/* data that some elements have in place of distributions */
	size_t others = env->calls			 ? sizeof(struct bprof_pieces)
			: env->opts.by == BY_RETVAL	 ? sizeof(struct bprof_retvals)
			: run_key__is_read(env->opts.by) ? sizeof(struct bprof_keys)
							 : 0;

	return probe_stat__sz(small) + (hists > others ? hists : others) +
	       (env->opts.trace ? trace_probe__area_sz(env->opts.trace) : 0);
}

__u64 probes__target_memory(const struct backend_env *env)
{
	return (__u64)find_stat_sz(env, may_be_small(env)) * env->cpu_limit *
	       (1 + backend_env__part_cnt(env));
}

int probes__open(const struct backend_env *env, struct probes *ps, struct reason *reason)
{
	int err;

	*ps = (struct probes){
		.env = env,
		.events_fd = -1,
		.gate = MAPPED_ARRAY_NONE,
		.runs = MAPPED_ARRAY_NONE,
		.rotation = MAPPED_ARRAY_NONE,
		.hist_cnt = count_hists(env),
		.small = may_be_small(env),
		.stat_sz = find_stat_sz(env, may_be_small(env)),
	};
	if (getrandom(&ps->random, sizeof(ps->random), 0) < 0)
		ps->random = now_ns();
	err = create_event_map(ps, env->fds)
		      ?: mapped_array__create(&ps->gate, "bprof_gate", sizeof(__u64), 1);
	if (!err && env->nested)
		err = create_runs(ps);
	if (!err && env->fds->multiplexed)
		err = mapped_array__create(&ps->rotation, "bprof_rotation",
					   sizeof(struct bprof_rotation), env->cpu_limit);
	if (!err)
		return 0;
	reason__set(reason, err == -EPERM ? REASON_NO_PERM : REASON_SYSTEM, -err,
		    "creating its maps: %s", strerror(-err));
	features__explain_perm(reason);
	return err;
}

void probes__share(const struct probes *of, struct fsession_kfuncs kfuncs, struct probes *ps)
{
	*ps = (struct probes){
		.env = of->env,
		.events_fd = of->events_fd,
		.gate = of->gate,
		.runs = MAPPED_ARRAY_NONE,
		.rotation = MAPPED_ARRAY_NONE,
		.at = of->at,
		.hist_cnt = of->hist_cnt,
		.stat_sz = find_stat_sz(of->env, false),
		.kfuncs = kfuncs,
		.refs = of->refs,
		.own = of->own,
		.key = of->key,
		.random = of->random,
	};
}

void probes__close(struct probes *ps)
{
	probe_template__close(ps->template);
	load_addrs__close(ps->images);
	load_addrs__close(ps->addrs);
	prog_refs__close(ps->refs);
	mapped_array__close(&ps->gate);
	mapped_array__close(&ps->runs);
	mapped_array__close(&ps->rotation);
	close_fd(&ps->events_fd);
}

static __u64 make_config(const struct backend_env *env)
{
	return env->fds->perf_slot_cnt | (env->fds->clock ? BPROF_CONFIG_CLOCK : 0) |
	       (env->opts.hist ? BPROF_CONFIG_HIST : 0) | (env->calls ? BPROF_CONFIG_CALLS : 0) |
	       (backend_env__thins(env) ? BPROF_CONFIG_THIN : 0) |
	       (sysconf(_SC_PAGESIZE) >= 65536 ? BPROF_CONFIG_BIG_STACK : 0);
}

/* Converts contexts to flags of the probe's config. */
static __u64 context_flags(__u32 contexts)
{
	return (contexts & BPROF_CONTEXT_MIGRATION ? BPROF_CONFIG_MIGRATION : 0) |
	       (contexts & BPROF_CONTEXT_RCU ? BPROF_CONFIG_RCU : 0) |
	       (contexts & BPROF_CONTEXT_IRQ ? BPROF_CONFIG_IRQ : 0);
}

int probes__open_template(struct probes *ps, struct reason *reason)
{
	const struct backend_env *env = ps->env;
	const struct trace_probe *trace = env->opts.trace;
	struct probe_template_opts o = {
		.config = make_config(env) | context_flags(ps->contexts) |
			  (ps->irq_stacks ? BPROF_CONFIG_IRQ_STACKS : 0),
		.at = ps->at,
		.event_cnt = env->fds->perf_slot_cnt,
		.multiplexed = env->fds->multiplexed,
		.nested = env->nested,
		.kfuncs = ps->kfuncs,
		.empties = ps->empties,
		.events_fd = ps->events_fd,
		.gate_fd = ps->gate.fd,
		.runs_fd = ps->runs.fd,
		.rotation_fd = ps->rotation.fd,
		.stat_cnt = env->cpu_limit * (1 + backend_env__part_cnt(env)),
		.stat_sz = ps->stat_sz,
		.small = ps->small,
		.hist_shift = env->opts.hist_shift,
		.by = env->opts.by,
		.key = &ps->key,
		.trace = trace ? &trace->config : NULL,
		.records_fd = trace ? trace->records_fd : -1,
		.own = ps->own.tgid ? &ps->own : NULL,
		.site = ps->site.known ? &ps->site : NULL,
	};

	return probe_template__open(&o, &ps->template, reason);
}

int probes__set_contexts(struct probes *ps, __u32 contexts, struct reason *reason)
{
	struct probe_template *old = ps->template;
	__u32 old_contexts = ps->contexts;
	int err;

	ps->contexts = contexts;
	err = probes__open_template(ps, reason);
	if (err) {
		/* Restore the old template: targets can still be measured, but not calibrated. */
		ps->template = old;
		ps->contexts = old_contexts;
		return err;
	}
	probe_template__close(old);
	return 0;
}

void probes__subtract_readings(struct probes *ps, bool on)
{
	struct bprof_rotation *rotation = ps->rotation.mem;

	for (int cpu = 0; rotation && cpu < ps->env->cpu_limit; cpu++)
		rotation[cpu] = (struct bprof_rotation){.learn = on};
}

void probes__start(struct probes *ps)
{
	/*
	 * Runs that are in progress now are not counted. An element of bprof_runs may still belong
	 * to a run whose end no probe has seen. Free all elements, so that later runs on the same
	 * stack are counted.
	 */
	for (int cpu = 0; ps->runs.mem && cpu < ps->env->cpu_limit; cpu++)
		for (int i = 0; i < BPROF_RUNS; i++)
			__atomic_store_n(&run_at(ps, cpu, i)->stack, 0, __ATOMIC_RELAXED);
	__atomic_store_n((__u64 *)ps->gate.mem, 1, __ATOMIC_SEQ_CST);
}

void probes__stop(struct probes *ps)
{
	const struct target_list *targets = ps->env->targets;
	__u64 end = now_ns() + DRAIN_NS;

	__atomic_store_n((__u64 *)ps->gate.mem, 0, __ATOMIC_SEQ_CST);
	for (int i = 0; i < targets->cnt; i++) {
		const struct target *t = &targets->v[i];

		while (t->backend && t->backend->ops->probe_stat && t->priv && probe__is_busy(t) &&
		       now_ns() < end)
			sched_yield();
	}
}

void probes__open_images(struct probes *ps)
{
	int err = (ARM64_HERE || RISCV64_HERE) && ps->env->nested
			  ? load_addrs__open(ADDRS_OF_IMAGES, &ps->images)
			  : 0;

	if (err)
		log_info("cannot find the addresses of trampolines (%s): the counts of "
			 "functions that call probed ones are not exact",
			 iter_run__explain(err));
}
