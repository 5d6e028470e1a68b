// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tracing programs as targets, which tests/kernel/drive/contexts.c attaches and drives. Tracing
 * programs get their arguments as an array of numbers, as with libbpf's BPF_PROG().
 */
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>

#include "contexts.h"
#include "contexts_shapes.h"

#define ARGS unsigned long long *

CONTEXT("kprobe", kprobe, struct pt_regs *, 0)
CONTEXT("kprobe.multi", kprobe_multi, struct pt_regs *, 0)
CONTEXT("tracepoint", tracepoint, ARGS, 0)
CONTEXT("perf_event", perf_event, struct bpf_perf_event_data *, 0)
CONTEXT("raw_tp", raw_tp, struct bpf_raw_tracepoint_args *, 0)
CONTEXT("raw_tp.w", raw_tp_w, struct bpf_raw_tracepoint_args *, 0)
CONTEXT("tp_btf/task_rename", tp_btf, ARGS, 0)
CONTEXT("fentry/security_task_getsid", fentry, ARGS, 0)
CONTEXT("fexit/security_task_getsid", fexit, ARGS, 0)
CONTEXT("fmod_ret/security_task_getsid", fmod_ret, ARGS, 0)
CONTEXT("lsm/task_getsid", lsm, ARGS, 0)
CONTEXT_SLEEPABLE("lsm.s/file_open", lsm_s, ARGS, 0)
CONTEXT("iter/bpf_map", iter, ARGS, 0)
CONTEXT_SLEEPABLE("syscall", syscall, ARGS, 0)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
