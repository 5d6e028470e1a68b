// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of permitted skips: test, kernel, architecture, reason. A skip that is not in this
 * table fails the test, so that a kernel that can run a test does run it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "tests/kernel/harness.h"

static const struct {
	const char *test, *kernel, *arch; /* NULL: any */
	const char *why;
} may_skip[] = {
	/*
	 * DYNAMIC_FTRACE_WITH_DIRECT_CALLS came to arm64 with Linux 6.4. Older kernels cannot
	 * attach programs to kernel functions, and LSM hooks are kernel functions.
	 */
	{"lsm", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"policy", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"recursion", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"own_trampolines", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"called", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"lockdown_eperm", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"bench_interpreted", "7", "aarch64", "the kernel refuses the program"},
	{"throw", "5.10", NULL, "bpf_throw() came with Linux 6.7"},
	{"throw", "6.1", NULL, "bpf_throw() came with Linux 6.7"},
	{"extensions", "5.10", NULL,
	 "tracing links have no target in their info before Linux 5.13"},
	{"raw_tp_nested", "7", NULL,
	 "a raw tracepoint's test run takes the program's recursion guard"},
	{"syscall_nested", "5.10", NULL, "BPF timers came with Linux 5.15"},
	{"many_in_flight", "5.10", NULL, "fsessions came with Linux 7.0"},
	{"many_in_flight", "6.1", NULL, "fsessions came with Linux 7.0"},
	{"many_in_flight", "6.12", NULL, "fsessions came with Linux 7.0"},
	{"many_in_flight", NULL, "riscv64", "pairs only: the JIT's lengths of addresses differ"},
	{"multiplex", NULL, "x86_64", "the emulated CPU has no PMU"},
	{"stack_reloaded", "6.1", "x86_64", "the kernel's stack walk finds no caller of a target"},
	{"stack_reloaded", "6.12", "x86_64", "the kernel's stack walk finds no caller of a target"},
	/*
	 * The README (What it costs and disturbs) promises the overhead only for arm64 with Linux
	 * 6.12.
	 */
	{"added_instructions", NULL, "x86_64", "promised for arm64"},
	{"added_instructions", "6.1", NULL, "promised for Linux 6.12"},
	{"added_instructions", "7", NULL, "promised for Linux 6.12"},
	{"switch_cost", NULL, "x86_64", "promised for arm64"},
	{"switch_cost", "6.1", NULL, "promised for Linux 6.12"},
	{"switch_cost", "7", NULL, "promised for Linux 6.12"},
	{"added_instructions", NULL, "riscv64", "promised for arm64"},
	{"thinned_functions", NULL, "riscv64", "QEMU's CPU has one counter of instructions"},
	{"multiplex", NULL, "riscv64", "QEMU's PMU has no more events than counters"},
	{"kprobe", NULL, "riscv64", "the kernel cannot put kprobes where functions begin"},
	{"tail_call", NULL, "riscv64", "the JIT has no tail calls in subprograms"},
	/*
	 * Tests of the group contexts: the kernel lacks the hook, or its programs cannot be traced.
	 */
	{"tcx_ingress", "5.10", NULL, "tcx came with Linux 6.6"},
	{"tcx_ingress", "6.1", NULL, "tcx came with Linux 6.6"},
	{"tcx_egress", "5.10", NULL, "tcx came with Linux 6.6"},
	{"tcx_egress", "6.1", NULL, "tcx came with Linux 6.6"},
	{"netkit", "5.10", NULL, "netkit came with Linux 6.7"},
	{"netkit", "6.1", NULL, "netkit came with Linux 6.7"},
	{"test_tracer", "5.10", NULL, "the kernel does not report it"},
	{"test_timer", "5.10", NULL, "timers came with Linux 5.15"},
	{"test_jit_limit", "5.10", NULL, "the kernel has no symbol of its count"},
	{"test_jit_limit", "6.1", NULL, "the kernel has no symbol of its count"},
	{"netfilter", "5.10", NULL, "BPF on netfilter hooks came with Linux 6.4"},
	{"netfilter", "6.1", NULL, "BPF on netfilter hooks came with Linux 6.4"},
	{"kprobe_multi", "5.10", NULL, "the kernel is built without FPROBE"},
	{"kprobe_multi", "6.1", NULL, "the kernel is built without FPROBE"},
	{"kprobe_multi", "6.12", "aarch64", "the kernel is built without FPROBE"},
	{"sched_ext", "5.10", NULL, "schedulers by BPF came with Linux 6.12"},
	{"sched_ext", "6.1", NULL, "schedulers by BPF came with Linux 6.12"},
	{"sched_ext", "6.12", NULL, "the kernel is built without SCHED_CLASS_EXT"},
	{"lsm_cgroup", "5.10", NULL, "LSM hooks of cgroups came with Linux 6.0"},
	{"lsm_cgroup", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"syscall", "5.10", NULL, "the type came with Linux 5.14"},
	{"tp_btf", "5.10", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"tp_btf", "6.1", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"fentry", "5.10", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"fentry", "6.1", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"fexit", "5.10", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"fexit", "6.1", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"fmod_ret", "5.10", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"fmod_ret", "6.1", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"iter", "5.10", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"iter", "6.1", NULL, "tracing programs are targets from Linux 6.8 on"},
	{"lsm", "5.10", NULL, "a probe on it crashes the kernel"},
	{"struct_ops", "5.10", NULL, "a probe on it crashes the kernel"},
	{"lsm_sleepable", "5.10", NULL, "the hook may not sleep before Linux 5.11"},
	{"lsm_sleepable", "6.1", "aarch64", "no trampoline on kernel functions"},
	{"perf_event_pmu", NULL, "x86_64", "the emulated CPU has no PMU"},
	{"freplace", "5.10", NULL, "tracing links have no target in their info before Linux 5.13"},
	{"timer_callback", "5.10", NULL, "BPF timers came with Linux 5.15"},
	{"workqueue", "6.1", NULL, "BPF workqueues came with Linux 6.10"},
	{"tc_tail_tree", "5.10", NULL, "a probe may make tail calls endless before Linux 6.7"},
	{"tc_tail_tree", "6.1", NULL, "a probe may make tail calls endless before Linux 6.7"},
	{"moves", "6.1", "aarch64", "kallsyms has no per-CPU variables"},
	{"system_counters", NULL, "x86_64", "the emulated CPU has no PMU"},
};

bool kernel_is(const char *version)
{
	struct utsname uts;
	size_t len = strlen(version);

	uname(&uts);
	return !strncmp(uts.release, version, len) &&
	       (uts.release[len] < '0' || uts.release[len] > '9');
}

bool arch_is(const char *arch)
{
	struct utsname uts;

	uname(&uts);
	return !strcmp(uts.machine, arch);
}

void skip_test(const char *test, const char *reason)
{
	for (size_t i = 0; i < sizeof(may_skip) / sizeof(may_skip[0]); i++) {
		if (strcmp(may_skip[i].test, test) ||
		    (may_skip[i].kernel && !kernel_is(may_skip[i].kernel)) ||
		    (may_skip[i].arch && !arch_is(may_skip[i].arch)))
			continue;
		printf("# skipped: %s: %s (%s)\n", test, reason, may_skip[i].why);
		fflush(stdout);
		skip();
	}
	fail_test("%s must run on this kernel, but: %s", test, reason);
}
