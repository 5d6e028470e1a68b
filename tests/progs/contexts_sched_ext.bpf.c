// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Targets of type struct_ops, for tests/kernel/drive/contexts.c: the callbacks of a scheduler that
 * leaves all decisions to the kernel. Context: with the run queue's lock held and interrupts
 * disabled.
 */
#include <stdbool.h>

#include "contexts.h"

struct task_struct;

/* Has only the members used here; libbpf finds them by name in the kernel's struct. */
struct sched_ext_ops {
	void (*runnable)(struct task_struct *p, __u64 enq_flags);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, bool runnable);
	void (*quiescent)(struct task_struct *p, __u64 deq_flags);
	void (*dispatch)(__s32 cpu, struct task_struct *prev);
	char name[128];
};

#define ARGS unsigned long long *

CONTEXT_ALU("struct_ops/runnable", sched_ext, ARGS, 0, 0)
CONTEXT_ALU("struct_ops/running", sched_ext, ARGS, 0, 100)
CONTEXT_ALU("struct_ops/stopping", sched_ext_void, void *, 0, 0)
CONTEXT_ALU("struct_ops/quiescent", sched_ext_void, void *, 0, 100)
CONTEXT_CALLS("struct_ops/dispatch", sched_ext, ARGS, 0)

SEC(".struct_ops")
struct sched_ext_ops scheduler = {
	.runnable = (void *)sched_ext_0,
	.running = (void *)sched_ext_100,
	.stopping = (void *)sched_ext_void_0,
	.quiescent = (void *)sched_ext_void_100,
	.dispatch = (void *)sched_ext_calls,
	.name = "contexts",
};

char LICENSE[] SEC("license") = "Dual BSD/GPL";
