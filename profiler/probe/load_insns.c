// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Corrects counts of instructions on riscv64, where the number of instructions that load an address
 * depends on the address (btf/riscv64_addrs.c). The probe of each target has its own addresses, and
 * loads some of them between its two readings:
 *
 *	after the entry reading  the trampoline loads the entry program's address (__bpf_prog_exit())
 *	before the exit reading  the trampoline loads the exit program's address (__bpf_prog_enter()),
 *				 and this program loads the address of its map of counts
 *
 * The measurement of the target's caller contains each of these loads twice, and also twice the
 * load of the address of the trampoline's image (__bpf_tramp_enter(), __bpf_tramp_exit()). Must not
 * know how the bias is measured.
 */
#include <errno.h>
#include <stdlib.h>

#include "backend/backend_env.h"
#include "backend/probe_stat.h"
#include "base/log.h"
#include "btf/riscv64_addrs.h"
#include "kernel/iter_run.h"
#include "kernel/load_addrs.h"
#include "probe/load_insns.h"
#include "probe/probes.h"
#include "target/target.h"

/* Returns the slots that count instructions in the kernel, as bits. */
static __u32 find_slots(const struct backend_env *env)
{
	__u32 slots = 0;

	for (int i = 0; i < env->events->cnt; i++)
		if (env->fds->state[i].status == EVENT_OK &&
		    event__counts_instructions(&env->events->v[i]))
			slots |= 1U << env->fds->state[i].slot;
	return slots;
}

void load_insns__open(struct probes *ps)
{
	int err;

	if (!RISCV64_HERE || !ps->env->opts.calibrate)
		return;
	ps->load_slots = find_slots(ps->env);
	err = ps->load_slots ? load_addrs__open(ADDRS_OF_PROGS, &ps->addrs) : 0;
	if (err)
		log_info("cannot find the addresses in the code of probes (%s): counts of "
			 "instructions "
			 "are not exact",
			 iter_run__explain(err));
}

/* Adds the differences "bias" and "cost" to the biases that calibration has set for the target. */
static void adapt_biases(const struct probes *ps, const struct target *t, int bias, int cost)
{
	const struct probe *p = t->priv;

	for (int cpu = 0; p->biased && cpu < p->cpu_limit; cpu++)
		for (int part = -1; part < p->part_cnt; part++)
			for (int i = 0; i < BPROF_SLOTS; i++)
				for (__u32 c = 0; ps->load_slots >> i & 1 && c < BPROF_CONTEXTS;
				     c++) {
					struct bprof_event_sum *sum =
						probe_stat__event(probe__part(p, part, cpu), i);

					sum->bias[c] += bias;
					sum->cost[c] += cost;
				}
}

void load_insns__find(const struct probes *ps, struct target *t)
{
	struct probe *p = t->priv;
	int before = p->load_insns, err = -ENOENT;
	__u64 entry, exit, map;

	if (!ps->load_slots)
		return;
	if (ps->addrs)
		err = load_addrs__find(ps->addrs, p->prog_fd[PROBE_ENTRY], p->stats.fd, &entry,
				       &map)
			      ?: load_addrs__find(ps->addrs, p->prog_fd[PROBE_EXIT], p->stats.fd,
						  &exit, &map);
	if (!err)
		p->load_insns = riscv64__load_insns(entry) + riscv64__load_insns(exit) +
				riscv64__load_insns(map);
	p->insns_unknown = err;
	adapt_biases(ps, t, p->load_insns - before, 0);
}

void load_insns__find_call(const struct probes *ps, struct target *t)
{
	struct probe *p = t->priv;
	int before = p->call_insns;
	__u64 image;

	if (!ps->load_slots || !ps->env->nested)
		return;
	if (!ps->images || load_addrs__find_image(ps->images, p->link_fd[PROBE_ENTRY], &image)) {
		p->insns_unknown = true;
		return;
	}
	p->call_insns = 2 * (p->load_insns + riscv64__load_insns(image));
	adapt_biases(ps, t, 0, p->call_insns - before);
}
