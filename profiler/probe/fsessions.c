// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides which targets are measured with fsessions (bpf/probe_fsession.bpf.h). Owns the search for
 * sleepable targets. Must not know how a probe is attached.
 *
 * An fsession executes more instructions than a pair of programs, because a pair handles fewer
 * cases. The benefit of an fsession is that any number of invocations can be in flight. Only
 * targets that may sleep need this: other programs have no more than a few invocations in flight on
 * a CPU.
 */
#include <errno.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "backend/backend_env.h"
#include "base/util.h"
#include "btf/fsession.h"
#include "btf/func_table.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "kernel/iter_run.h"
#include "kernel/kernel_offsets.h"
#include "kernel/prog_refs.h"
#include "probe/probes.h"
#include "target/target.h"

/* Returns false for types of programs that may never sleep. Most targets have such a type. */
static bool may_sleep(__u32 prog_type)
{
	switch (prog_type) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_TRACING:
	case BPF_PROG_TYPE_STRUCT_OPS:
	case BPF_PROG_TYPE_EXT:
	case BPF_PROG_TYPE_LSM:
	case BPF_PROG_TYPE_SYSCALL:
		return true;
	}
	return false;
}

bool probes__needs_fsession(const struct probes *ps, const struct target *t)
{
	if (!ps->refs || !may_sleep(t->prog->info.type))
		return false;
	/* A program that is not in the list was loaded after the list was read. */
	if (prog_refs__others(ps->refs, t->id) < 0 && prog_refs__read(ps->refs))
		return false;
	return prog_refs__is_sleepable(ps->refs, t->id);
}

/* Tries to load the smallest fsession for a program. Older kernels and some JITs refuse it. */
static int try_fsession(int prog_fd, __u32 func_btf_id)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = ATTACH_TYPE_FSESSION,
		    .attach_prog_fd = prog_fd, .attach_btf_id = func_btf_id);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, FSESSION_PROBE, "Dual BSD/GPL", insns,
			       ARRAY_SIZE(insns), &opts);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Finds out quickly whether the kernel has fsessions, with the built-in empty program. */
static int find_support(const struct probes *ps, struct reason *reason)
{
	int fd = dup(probe_template__empty_fd(ps->template, EMPTY_PROG));
	struct prog *p = NULL;
	int err = fd < 0 ? -errno : prog__open_fd(fd, &p);

	if (err || !p)
		return err ?: -ENOENT;
	err = prog__load_funcs(p, reason);
	if (!err)
		err = try_fsession(p->fd, p->funcs->fn->type_id);
	prog__close(p);
	return err;
}

/*
 * Functions that call one another, and multiplexed events, need data that an fsession's frames do
 * not have. riscv64 needs corrections that exist only for pairs (load_insns.c).
 */
bool probes__may_be_fsessions(const struct probes *ps)
{
	const struct backend_env *env = ps->env;
	bool may = env->opts.follow;

	for (int i = 0; !may && i < env->targets->cnt; i++)
		may = may_sleep(env->targets->v[i].prog->info.type);
	return may && !env->nested && !env->fds->multiplexed && !RISCV64_HERE;
}

int probes__find_fsessions(struct probes *ps, struct fsession_kfuncs *kfuncs, struct reason *reason)
{
	const struct target_list *targets = ps->env->targets;
	int err = find_support(ps, reason) ?: kernel_offsets__read_fsession(kfuncs);
	bool needed = ps->env->opts.follow;

	if (err)
		return reason__set(reason, REASON_SYSTEM, -err, "the kernel has none");
	err = prog_refs__open(&ps->refs) ?: prog_refs__read(ps->refs);
	if (err)
		return reason__set(reason, REASON_SYSTEM, -err, "finding sleepable programs: %s",
				   iter_run__explain(err));
	for (int i = 0; !needed && i < targets->cnt; i++)
		needed = probes__needs_fsession(ps, &targets->v[i]);
	if (!needed)
		return reason__set(reason, REASON_SYSTEM, ENOENT, "no target is sleepable");
	return 0;
}
