/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The result of calibration: the bias, which is what a probe counts for an empty program and
 * subtracts from each run, and how the bias depends on a target.
 */
#ifndef BPROF_CALIBRATION_H
#define BPROF_CALIBRATION_H

#include <stdbool.h>
#include <linux/types.h>

#include "backend/counter.h"
#include "bpf/probe.h"
#include "btf/reason.h"
#include "host/cpus.h"
#include "target/shape.h"
#include "target/target.h"

struct bprof_cpu_stat;
struct probes;

/*
 * The parts of a probe's bias. The first three parts are the biases of a target with one argument
 * or, for a function of the kernel, KERNEL_ARGS arguments. The other parts are added to one of
 * these three.
 */
enum bias_part {
	BIAS_PROG,	 /* bias of an entry function with one argument */
	BIAS_SUB,	 /* bias of a subprogram with one argument */
	BIAS_KERNEL,	 /* bias of a function of the kernel: see KERNEL_ARGS */
	BIAS_ARG,	 /* added for each further argument */
	BIAS_TAIL_CALLS, /* added if the trampoline passes on the tail call count */
	BIAS_MIGRATION,	 /* added if migration is enabled (BPROF_CONTEXT_MIGRATION) */
	BIAS_RCU,	 /* added outside of RCU read-side critical sections (BPROF_CONTEXT_RCU) */
	BIAS_IRQ,	 /* added if interrupts are disabled (BPROF_CONTEXT_IRQ) */
	BIAS_PART_CNT
};

/* What a probe counts for an empty function, indexed by slot, in units of the slot's event. */
struct bias {
	double value[BPROF_SLOTS];
	double min[BPROF_SLOTS]; /* smallest count of a run */
	double stddev[BPROF_SLOTS];
};

struct cpu_kind {
	struct cpus cpus;
	int cpu; /* the CPU of this kind on which calibration runs */
	struct bias part[BIAS_PART_CNT];
	/*
	 * What the probe of a subprogram with one argument adds to the reading of the subprogram's
	 * caller.
	 */
	double call_cost[BPROF_SLOTS];
	/* Like call_cost, for a function of the kernel with KERNEL_ARGS arguments. */
	double kernel_cost[BPROF_SLOTS];
	/*
	 * What the probe adds in addition if it has to search for a frame, for example because its
	 * target is already running.
	 */
	double search_cost[BPROF_SLOTS];
	/*
	 * The check for interrupts: they are disabled if reading all events costs less than
	 * irq_enabled in slot irq_slot.
	 */
	int irq_slot;
	__u64 irq_enabled;
	/* what a probe adds to a run, in ns; only measured with backend_opts.thin_share */
	struct probe_cost cost;
	/* what the probe of a function of the kernel adds to a call that is in no run of a target, in ns */
	double other_ns;
};

/*
 * KERNEL_FUNC has this number of arguments, as all helpers have.
 *
 * KERNEL_FUNC is not empty, and the cost of its code is not known. The cost of a call of it is known:
 * it is calculated from the difference between two programs, one of which makes more calls. So the bias
 * is the probe's count minus the cost of a call. And the net cost of a function of the kernel is what a
 * call of it adds to its caller.
 */
#define KERNEL_ARGS 5
#define KERNEL_FUNC "bpf_get_numa_node_id"

struct calibration {
	struct probes *probes; /* the probes that are calibrated; not owned */
	bool done;
	struct cpu_kind *kind;
	int kind_cnt;
	__u32 possible; /* contexts that may affect the bias: BPROF_CONTEXT_..., bits */
	__u32 contexts; /* contexts that the probe distinguishes: BPROF_CONTEXT_..., bits */
	__u32 empties;	/* built-in programs to measure: a bit for each of enum empty */
	struct shape_cache shapes;
	struct reason
		no_kernel; /* why functions of the kernel cannot be probed or not be calibrated */
	struct reason failed; /* why no built-in program could be probed, until it is reported */
};

void calibration__free(struct calibration *c);

/* Returns the kind of a CPU, or NULL if there was no calibration. */
const struct cpu_kind *calibration__kind(const struct calibration *c, int cpu);
/*
 * Returns true if calibration__kind() is only a guess: the CPU came online after the calibration, and
 * there are several kinds.
 */
bool calibration__is_unknown_kind(const struct calibration *c, int cpu);
/* Returns the standard deviation of a bias, computed from the means of blocks of runs. */
double calibration__stddev(const struct calibration *c, int cpu, const struct target_shape *shape,
			   int slot);
/*
 * Returns by how much the bias of a target of that shape may be wrong. irqs: the target runs both
 * with interrupts enabled and with interrupts disabled; the probe does not know which of these
 * holds for a run.
 */
double calibration__uncertainty(const struct calibration *c, const struct target_shape *shape,
				bool irqs, int slot);
/* Writes the biases of a target of that shape, in all contexts, to the probe's counts. */
void calibration__apply(const struct calibration *c, struct bprof_cpu_stat *stat, int cpu,
			const struct target_shape *shape);

#endif
