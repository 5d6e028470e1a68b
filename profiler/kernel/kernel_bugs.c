// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the table of the kernel's bugs. Must not know targets: this file finds the bugs of a kernel,
 * and target/risks.c finds the functions that they concern.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/filter.h>

#include "base/util.h"
#include "btf/arm64_addrs.h"
#include "btf/btf_compat.h"
#include "btf/btf_scan.h"
#include "btf/call_graph.h"
#include "btf/prog.h"
#include "btf/throws.h"
#include "kernel/feature.h"
#include "kernel/kernel_bugs.h"

static enum kernel_bug_state find_throw(struct reason *reason)
{
	struct throw_call call;

	features__find_throw(&call);
	if (call.kind == THROW_CALL_KFUNC)
		reason__fail(reason, EOPNOTSUPP, "no program with bpf_throw() could be loaded");
	return call.kind == THROW_CALL_NONE    ? KERNEL_BUG_ABSENT
	       : call.kind == THROW_CALL_KFUNC ? KERNEL_BUG_MAYBE
					       : KERNEL_BUG_PRESENT;
}

static enum kernel_bug_state find_tail_calls(struct reason *reason)
{
	if (!features__try_tail_calls(reason))
		return KERNEL_BUG_ABSENT;
	return reason->code == REASON_TAIL_CALL_RISK ? KERNEL_BUG_PRESENT : KERNEL_BUG_MAYBE;
}

/* A test would crash the kernel, and nothing else shows the bug: the version decides. */
static enum kernel_bug_state find_attach_proto(struct reason *reason)
{
	return features__kernel_before(6, 1) ? KERNEL_BUG_PRESENT : KERNEL_BUG_ABSENT;
}

/* The fix adds struct bpf_tramp_image, also where it was backported to older kernels. */
static enum kernel_bug_state find_tramp_image(struct reason *reason)
{
	struct btf *btf;
	bool found;

	if (!features__kernel_before(5, 12))
		return KERNEL_BUG_ABSENT;
	btf = btf_compat__load_vmlinux();
	if (!btf) {
		reason__fail(reason, errno, "reading the kernel's BTF: %s", strerror(errno));
		return KERNEL_BUG_MAYBE;
	}
	found = btf__find_by_name_kind(btf, "bpf_tramp_image", BTF_KIND_STRUCT) > 0;
	btf__free(btf);
	return found ? KERNEL_BUG_ABSENT : KERNEL_BUG_PRESENT;
}

bool kernel_bugs__stuffs(const char *path)
{
	char text[128] = "";
	FILE *f = fopen(path, "re");
	bool found;

	if (!f)
		return false;
	found = fgets(text, sizeof(text), f) && strstr(text, "Stuffing");
	fclose(f);
	return found;
}

static enum kernel_bug_state find_call_depth(struct reason *reason)
{
#ifdef __x86_64__
	return !features__kernel_before(6, 2) && features__kernel_before(6, 9) &&
			       kernel_bugs__stuffs(
				       "/sys/devices/system/cpu/vulnerabilities/retbleed")
		       ? KERNEL_BUG_PRESENT
		       : KERNEL_BUG_ABSENT;
#else
	return KERNEL_BUG_ABSENT;
#endif
}

/* Returns true if addresses have more than 48 bits, which user space only gets if it asks. */
static bool has_long_addresses(void)
{
	void *hint = (void *)(1UL << 50);
	long page = sysconf(_SC_PAGESIZE);
	void *mem = mmap(hint, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return false;
	munmap(mem, page);
	return (__u64)mem >> 48;
}

static bool has_tagged_addresses(void)
{
	static const char *const funcs[] = {"kasan_init_hw_tags_cpu", "kasan_init_sw_tags"};
	__u32 id;

	for (size_t i = 0; i < ARRAY_SIZE(funcs); i++)
		if (!btf_scan__find_funcs(VMLINUX_BTF, &funcs[i], &id, 1))
			return true;
	return false;
}

static enum kernel_bug_state find_tramp_address(struct reason *reason)
{
	return ARM64_HERE && features__kernel_before(6, 12) &&
			       (has_long_addresses() || has_tagged_addresses())
		       ? KERNEL_BUG_PRESENT
		       : KERNEL_BUG_ABSENT;
}

/*
 * Finds out whether a call of bpf_get_current_task() has the helper's number instead of the
 * helper's address after verification: the JIT then replaces the call. An interpreted program then
 * jumps to a wrong address. From 7.2 on, the verifier refuses such programs while the JIT is off.
 * Before 7.2, it makes no difference whether the JIT is on or off. Sets *reason for
 * KERNEL_BUG_MAYBE.
 */
static enum kernel_bug_state find_interpreter(struct reason *reason)
{
	const struct bpf_insn caller[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct bpf_insn *insns = NULL;
	__u32 cnt = 0;
	struct prog *p;
	int fd, err;
	__s32 imm = 0;

	if (!features__kernel_before(7, 2))
		return KERNEL_BUG_ABSENT;
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "bprof_task", "GPL", caller,
			   ARRAY_SIZE(caller), NULL);
	err = fd < 0 ? -errno : prog__open_fd(fd, &p);
	if (!err) {
		err = prog__read_insns(p, &insns, &cnt);
		imm = !err && cnt ? insns[0].imm : 0;
		free(insns);
		prog__close(p);
	}
	if (!imm) /* 0: the kernel hides the address */
		reason__fail(reason, err ?: -EPERM, "looking at a call of a helper: %s",
			     strerror(err ? -err : EPERM));
	return !imm				  ? KERNEL_BUG_MAYBE
	       : imm == BPF_FUNC_get_current_task ? KERNEL_BUG_PRESENT
						  : KERNEL_BUG_ABSENT;
}

static const struct kernel_bug bugs[KERNEL_BUG_CNT] = {
	[KERNEL_BUG_THROW] =
		{
			.name = "throw",
			.what = "fentry, fexit or fsession on a subprogram that bpf_throw() "
				"unwinds",
			.effect = "panics in bpf_throw()",
			.since = "6.7 (f18b03fabaa9)",
			.fixed = "not yet",
			.check = "loads a program that calls bpf_throw(), if vmlinux's BTF has it",
			.bprof = "skips functions that reach bpf_throw() (reason throw); the entry "
				 "function is measured",
			.seen = "arm64 6.12; x86-64 6.12 and 7.2",
			.find = find_throw,
		},
	[KERNEL_BUG_TAIL_CALLS] =
		{
			.name = "tail_calls",
			.what = "fentry or fexit on a subprogram that makes tail calls (x86-64)",
			.effect = "makes tail calls without end, as the trampoline clears their "
				  "count: its stack overflows, and it panics",
			.since = "5.10 (ebf7d1f508a7)",
			.fixed = "6.7 (2b5dcb31a19a)",
			.check = "probes a program that tail-calls itself and ends by itself",
			.bprof = "skips such subprograms (reason tail_call_risk)",
			.seen = "x86-64 5.10",
			.find = find_tail_calls,
		},
	[KERNEL_BUG_ATTACH_PROTO] =
		{
			.name = "attach_proto",
			.what = "loading fentry or fexit for an LSM or struct_ops program",
			.effect = "oopses in the verifier, which reads a NULL attach_func_proto",
			.since = "5.10 (7e40781cc8b7)",
			.fixed = "5.18 (4a9c7bbe2ed4)",
			.check = "the version, before 6.1: trying it would crash",
			.bprof = "measures such programs by run_stats (reason kernel_bug)",
			.seen = "x86-64 5.10",
			.types = 1ULL << BPF_PROG_TYPE_LSM | 1ULL << BPF_PROG_TYPE_STRUCT_OPS,
			.find = find_attach_proto,
		},
	[KERNEL_BUG_TRAMP_IMAGE] =
		{
			.name = "tramp_image",
			.what = "fexit on any program, detached while the program runs",
			.effect = "frees or changes the trampoline that the program returns to, "
				  "and crashes",
			.since = "5.5 (fec56f5890d9)",
			.fixed = "5.12 (e21aa341785c), in many older stable kernels too",
			.check = "before 5.12, whether vmlinux's BTF has struct bpf_tramp_image, "
				 "which came with the fix",
			.bprof = "attaches no probe (reason kernel_bug), and measures by run_stats",
			.seen = "read in the source only",
			.types = ~0ULL,
			.find = find_tramp_image,
		},
	[KERNEL_BUG_CALL_DEPTH] =
		{
			.name = "call_depth",
			.what = "fentry or fexit on any program, with retbleed=stuff (x86-64)",
			.effect = "calls a wrong address from the trampoline, and crashes",
			.since = "6.2 (b2e9dfe54be4)",
			.fixed = "6.9 (9d98aa088386)",
			.check = "the version, and whether the kernel's mitigation of retbleed is "
				 "Stuffing",
			.bprof = "attaches no probe (reason kernel_bug), and measures by run_stats",
			.seen = "read in the source only",
			.types = ~0ULL,
			.find = find_call_depth,
		},
	[KERNEL_BUG_TRAMP_ADDRESS] =
		{
			.name = "tramp_address",
			.what = "fexit on any program, if addresses have 52 bits or tags (arm64)",
			.effect = "passes a wrong address from the trampoline, and crashes",
			.since = "6.0 (efc9909fdce0)",
			.fixed = "6.11 (19d3c179a377), with tags 6.12 (a552e2ef5fd1)",
			.check = "the version, whether mmap() gives addresses above 48 bits, and "
				 "whether vmlinux's BTF has KASAN with tags",
			.bprof = "attaches no probe (reason kernel_bug), and measures by run_stats",
			.seen = "read in the source only",
			.types = ~0ULL,
			.find = find_tramp_address,
		},
	[KERNEL_BUG_INTERPRETER] =
		{
			.name = "interpreter",
			.what = "any program that calls bpf_get_current_task() or "
				"bpf_get_smp_processor_id() and is interpreted, because the JIT "
				"was "
				"turned off or failed (arm64, riscv64)",
			.effect = "calls a wrong address, and panics",
			.since = "6.10 (2ddec2c80b44)",
			.fixed = "7.2 or earlier",
			.check = "before 7.2, whether the verifier leaves such a call to the JIT",
			.bprof = "attaches no program of its own that is not compiled (reason "
				 "not_compiled), and measures by run_stats; bench runs no program "
				 "that is not compiled (reason not_jited)",
			.seen = "arm64 6.12",
			.find = find_interpreter,
		},
};

/* The result for each bug, plus one; 0: not checked yet. */
static _Atomic int found[KERNEL_BUG_CNT];

const struct kernel_bug *kernel_bug__get(enum kernel_bug_id id)
{
	return &bugs[id];
}

enum kernel_bug_state kernel_bug__find(enum kernel_bug_id id, struct reason *reason)
{
	enum kernel_bug_state state;

	reason__set(reason, REASON_NONE, 0, NULL);
	state = bugs[id].find(reason);
	if (state != KERNEL_BUG_MAYBE)
		reason__set(reason, REASON_NONE, 0, NULL);
	found[id] = state + 1;
	return state;
}

/*
 * Checks only once whether the kernel has a bug that concerns all programs of some types, because
 * this function is called for each program.
 */
static bool may_have(enum kernel_bug_id id, struct reason *reason)
{
	int state = found[id] - 1;

	if (state < 0)
		state = kernel_bug__find(id, reason);
	return state != KERNEL_BUG_ABSENT;
}

/*
 * bprof measures only on architectures on which its kernel tests run (tests/kernel/run.sh). Probes
 * rely on more than the kernel's ABI: on the stack frames of its trampolines, on the form of its
 * addresses, and on the way in which the JIT loads addresses. Samples rely on where the kernel
 * saves registers.
 */
int kernel_bugs__check_arch(struct reason *reason)
{
#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
	return 0;
#else
	return reason__set(reason, REASON_UNTESTED_ARCH, EOPNOTSUPP, NULL);
#endif
}

int kernel_bugs__check_type(__u32 prog_type, struct reason *reason)
{
	if (kernel_bugs__check_arch(reason))
		return -EOPNOTSUPP;
	for (int i = 0; i < KERNEL_BUG_CNT; i++)
		if (prog_type < 64 && bugs[i].types & 1ULL << prog_type && may_have(i, reason))
			return reason__set(reason, REASON_KERNEL_BUG, EOPNOTSUPP, "%s, %s",
					   bugs[i].name, bugs[i].what);
	return 0;
}

int kernel_bugs__check_interpreted(struct reason *reason)
{
	if (!may_have(KERNEL_BUG_INTERPRETER, reason))
		return 0;
	return reason__set(reason, REASON_NOT_JITED, EOPNOTSUPP,
			   "running it may crash this kernel (bug %s, see 'bprof doctor')",
			   bugs[KERNEL_BUG_INTERPRETER].name);
}
