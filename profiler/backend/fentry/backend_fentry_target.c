// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probe of one target. Owns its counts, programs and links, from the target's opening to its
 * closing. Must not know how the bias is measured, or how counts are read.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <bpf/bpf.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "backend/fentry/backend_fentry_priv.h"
#include "backend/fentry/load_insns.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/arm64_addrs.h"
#include "btf/own.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "kernel/feature.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"
#include "target/target.h"

/*
 * On arm64 a trampoline loads the address of its struct bpf_tramp_image twice, outside of what its
 * probe measures (prepare_trampoline() in arch/arm64/net/bpf_jit_comp.c). About one image in 64 has
 * an address that is a multiple of 64 KiB. Loading it takes one instruction less (arm64_addrs.c),
 * so the target's caller would seem cheaper than it is. The probe of such a target is attached
 * again, because the kernel then allocates a new image.
 */
#define MAX_ATTACHMENTS 8

/* Loads the programs of the target's probe. */
static int load(const struct fentry *f, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;

	for (int i = 0; i < PROBE_SIDE_CNT; i++) {
		if (!probe_template__has_side(f->template, i))
			continue;
		p->prog_fd[i] =
			probe_template__load(f->template, i, t, p->stats.fd, p->pool.fd, reason);
		if (p->prog_fd[i] < 0)
			return p->prog_fd[i];
	}
	return 0;
}

/*
 * Attaches one side of the probe. BPF_RAW_TRACEPOINT_OPEN without a name attaches tracing programs
 * on every kernel that supports them.
 */
static int attach(struct probe *p, enum probe_side side)
{
	p->link_fd[side] = bpf_raw_tracepoint_open(NULL, p->prog_fd[side]);
	return p->link_fd[side] < 0 ? -errno : 0;
}

/*
 * Attaches the exit probe first. Otherwise a run that begins before the exit probe is attached
 * would never release its frame (struct bprof_frame).
 */
static int attach_sides(struct probe *p, struct reason *reason)
{
	int err = attach(p, PROBE_EXIT);

	if (!err && p->prog_fd[PROBE_ENTRY] >= 0)
		err = attach(p, PROBE_ENTRY);
	if (!err)
		return 0;
	reason__from_attach(reason, err);
	features__explain_perm(reason);
	return err;
}

/*
 * Closes the links and the probe's programs, because both refer to the target's program and keep
 * it loaded: a link by tgt_prog (struct bpf_tracing_link), a probe that is not attached by
 * prog->aux->dst_prog. The probe would be of no use anyway: after its link is closed, it cannot be
 * attached to a BPF program again (kernel/bpf/syscall.c, bpf_tracing_prog_attach()).
 */
void fentry__detach(struct target *t)
{
	struct probe *p = t->priv;

	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->link_fd[i]);
	probe__count_exits(p, &p->detached);
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->prog_fd[i]);
}

void fentry__open_images(struct fentry *f)
{
	int err = (ARM64_HERE || RISCV64_HERE) && f->env->nested
			  ? load_addrs__open(true, &f->images)
			  : 0;

	if (err)
		log_info("cannot find the addresses of trampolines (%s): the counts of "
			 "functions that call probed ones are not exact",
			 iter_run__explain(err));
}

/*
 * Returns true if the target has no callers, or if its probe adds the usual amount to the
 * measurements of the callers: the amount that calibration has measured.
 */
static bool has_common_cost(const struct fentry *f, const struct target *t)
{
	const struct probe *p = t->priv;
	__u64 image;

	if (!ARM64_HERE)
		return !p->insns_unknown;
	if (!f->env->nested || (!t->subprog && t->prog->info.type != BPF_PROG_TYPE_EXT))
		return true;
	return f->images && !load_addrs__find_image(f->images, p->link_fd[PROBE_ENTRY], &image) &&
	       arm64__is_common_address(image);
}

/* The biases are corrected before the first run; what the probe adds to callers is known only then. */
static int attach_corrected(const struct fentry *f, struct target *t, struct reason *reason)
{
	int err;

	load_insns__find(f, t);
	err = attach_sides(t->priv, reason);
	if (!err)
		load_insns__find_call(f, t);
	return err;
}

/*
 * Forgets the runs that were in progress when the probe was last detached: no exit probe has seen
 * their ends. Otherwise their frames would stay in use, and with THIN the exit probe would take
 * each run for a measured one.
 */
static void forget_runs(const struct fentry *f, const struct probe *p)
{
	for (int i = 0; i < f->env->cpus.cnt; i++) {
		struct bprof_cpu_stat *stat = probe__stat(p, f->env->cpus.id[i]);

		for (int n = 0; n < BPROF_FRAMES; n++)
			stat->frame[n].ctx = stat->frame[n].counted = 0;
		stat->exited = stat->entered;
		stat->lost_overflow = probe_stat__lost_overflow(stat);
		stat->overflow_exits = stat->overflows;
	}
	for (int i = 0; p->pool.mem && i < BPROF_POOL_FRAMES; i++)
		probe__pool_frame(p, i)->ctx = 0;
}

/* Returns true if the probe is loaded, and has not been attached yet. */
static bool is_loaded(const struct probe *p)
{
	return p->prog_fd[PROBE_EXIT] >= 0 && p->link_fd[PROBE_EXIT] < 0;
}

int fentry__preload(void *state, struct target *t, struct reason *reason)
{
	int err;

	fentry__detach(t);
	err = load(((struct probe *)t->priv)->f, t, reason);
	if (err)
		fentry__detach(t);
	return err;
}

int fentry__attach(void *state, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;
	const struct fentry *f = p->f;
	int left = MAX_ATTACHMENTS, err;

	forget_runs(f, p);
	do {
		if (left < MAX_ATTACHMENTS)
			log_debug("program %u %s: attached again for a common trampoline address",
				  t->id, t->func);
		if (left == MAX_ATTACHMENTS && is_loaded(p)) {
			err = attach_corrected(f, t, reason);
		} else {
			fentry__detach(t);
			err = load(f, t, reason) ?: attach_corrected(f, t, reason);
		}
		t->caller_cost_varies = !err && !has_common_cost(f, t);
	} while (t->caller_cost_varies && f->images && --left);
	if (t->caller_cost_varies && f->images)
		log_info("program %u %s: its trampoline has an uncommon address: the counts of its "
			 "callers are not exact",
			 t->id, t->func);
	if (err)
		fentry__detach(t);
	return err;
}

static struct probe *new_probe(struct fentry *f)
{
	struct probe *p = xcalloc(1, sizeof(*p));

	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		p->prog_fd[i] = p->link_fd[i] = -1;
	p->f = f;
	p->stats = p->pool = MAPPED_ARRAY_NONE;
	p->cpu_limit = f->env->cpu_limit;
	p->part_cnt = backend_env__part_cnt(f->env);
	p->hist_cnt = f->hist_cnt;
	p->clock_hist = f->env->fds->perf_slot_cnt;
	p->stat_sz = f->stat_sz;
	p->first_stat = probe_template__first_stat(f->template);
	return p;
}

/* Initializes an element of a measured CPU: its own, or that of a part. */
static void init_sums(const struct fentry *f, const struct target *t, int cpu,
		      struct bprof_cpu_stat *stat)
{
	for (int i = 0; i < BPROF_SLOTS; i++) {
		stat->event[i].min = INT64_MAX;
		stat->event[i].max = INT64_MIN;
	}
	calibration__apply(&f->calibration, stat, cpu, &t->shape);
}

static void init_retvals(const struct target *t)
{
	const struct probe *p = t->priv;

	*probe__retvals(p) = (struct bprof_retvals){
		.cpus = p->cpu_limit,
		/* The kernel uses only the lower 32 bits of what a program returns. */
		.wide = t->subprog && target__ret_sz(t) > sizeof(__u32) ? ~0ULL : 0,
	};
}

static int create_stats(struct fentry *f, struct target *t)
{
	struct probe *p = t->priv;
	int err = probe_template__create_stats(f->template, t, &p->stats);

	if (!err && f->kfuncs.cookie)
		err = probe_template__create_pool(f->template, t, &p->pool);
	if (err)
		return err;
	if (p->part_cnt)
		init_retvals(t);
	for (int cpu = 0; cpu < p->cpu_limit; cpu++) {
		struct bprof_cpu_stat *stat = probe__stat(p, cpu);

		stat->off = !cpus__has(&f->env->cpus, cpu);
		stat->period = stat->over_period = f->env->opts.thin_period;
		if (stat->off) {
			for (int i = 0; i < BPROF_FRAMES; i++)
				stat->frame[i].ctx = BPROF_CTX_OFF;
			continue;
		}
		init_sums(f, t, cpu, stat);
		for (int part = 0; part < p->part_cnt; part++)
			init_sums(f, t, cpu, probe__part(p, part, cpu));
	}
	return 0;
}

void fentry__close_target(struct target *t)
{
	struct probe *p = t->priv;

	if (!p)
		return;
	/*
	 * Detach the entry probe first. An exit probe alone is harmless, but an entry probe alone
	 * would never release its frames (struct bprof_frame).
	 */
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->link_fd[i]);
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->prog_fd[i]);
	mapped_array__close(&p->stats);
	mapped_array__close(&p->pool);
	free(p);
	t->priv = NULL;
}

/* Opens a target, measured by that variant of the backend. */
static int open_with(struct fentry *f, struct target *t, struct reason *reason)
{
	struct probe *p;
	int err;

	shape__find(t, &f->calibration.shapes);
	/* The calibration runs programs itself. */
	t->others_only = f->own.tgid && target__is_on_syscalls(t) &&
			 !prog_name__is_own(t->prog->info.name);
	p = t->priv = new_probe(f);
	err = create_stats(f, t);
	if (err)
		reason__from_verifier(reason, err, NULL);
	else
		err = fentry__attach(f, t, reason);
	/*
	 * The probe's programs and the mappings keep the maps alive. Their descriptors are only
	 * needed to attach the probe again.
	 */
	if (!f->env->opts.follow && !f->env->opts.turns) {
		close_fd(&p->stats.fd);
		close_fd(&p->pool.fd);
	}
	if (err) {
		t->others_only = false; /* another backend may measure it */
		fentry__close_target(t);
	}
	return err;
}

int fentry__open_target(void *state, struct target *t, struct reason *reason)
{
	struct fentry *f = state;
	__u64 begin = thread_cpu_ns();
	int err;

	if (t->no_probe.code) {
		*reason = t->no_probe;
		return -EOPNOTSUPP;
	}
	/* If an fsession cannot be attached, a pair may still be. */
	if (f->fsessions && fentry__needs_fsession(f, t) && !open_with(f->fsessions, t, reason))
		err = 0;
	else
		err = open_with(f, t, reason);
	t->open_ns = thread_cpu_ns() - begin;
	return err;
}

int fentry__link_ids(const struct target *t, __u32 *ids)
{
	const struct probe *p = t->priv;
	int cnt = 0;

	for (int i = 0; p && i < PROBE_SIDE_CNT; i++) {
		struct bpf_link_info info = {};
		__u32 sz = sizeof(info);

		if (p->link_fd[i] >= 0 && !bpf_obj_get_info_by_fd(p->link_fd[i], &info, &sz))
			ids[cnt++] = info.id;
	}
	return cnt;
}
