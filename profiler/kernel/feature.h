/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this machine and this process can do: a small function for each question. Nothing is cached
 * or printed. root is prepended to each path that is read: "" for the real machine.
 */
#ifndef BPROF_FEATURE_H
#define BPROF_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/util.h"

struct reason;

enum lockdown {
	LOCKDOWN_UNKNOWN, /* no securityfs, or no permission to read it */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
	LOCKDOWN_CNT
};

/*
 * Sets *r to why a privileged process gets EPERM: REASON_LOCKDOWN under confidentiality, otherwise
 * REASON_SYSTEM: a security module or a sandbox refuses. The lockdown level integrity does not
 * refuse BPF tracing, so users are not told to disable Secure Boot for it.
 */
void lockdown__explain(enum lockdown level, struct reason *r);
/* Returns "unknown", "none", "integrity" or "confidentiality". */
const char *lockdown__name(enum lockdown level);
/* Returns the level in brackets in the text of /sys/kernel/security/lockdown; text may be NULL. */
enum lockdown lockdown__parse(const char *text);
/*
 * Returns the lockdown level of the kernel. If root is "" and securityfs is not mounted
 * (containers, minimal systems), it is mounted detached, invisible to others, until the function
 * returns.
 */
enum lockdown features__lockdown(const char *root);

/* Capabilities needed for measuring programs. */
enum bprof_cap { BPROF_CAP_SYS_ADMIN, BPROF_CAP_BPF, BPROF_CAP_PERFMON, BPROF_CAP_CNT };

/*
 * Returns the effective ones of this process, as bits 1 << enum bprof_cap; 0 if they cannot be
 * read. CAP_SYS_ADMIN implies the other two (include/linux/capability.h: bpf_capable(),
 * perfmon_capable()).
 */
unsigned int features__caps(void);
/* Writes the missing ones of need to buf as "CAP_BPF, CAP_PERFMON" ("" for none). Returns buf. */
const char *features__missing_caps(unsigned int need, char *buf, size_t sz);
/*
 * Returns true if this process is in the initial user namespace. Capabilities in another one do not
 * help: the kernel checks those of the initial one.
 */
bool features__in_init_userns(void);

/* Returns net.core.bpf_jit_enable: 0, 1, 2, or -errno (most kernels let only root read it). */
int features__jit_enable(const char *root);
/*
 * Loads a program to find out whether the kernel JITs programs. Returns 0, or -errno if none can be
 * loaded.
 */
int features__jits(bool *jits);
/* Reads kernel.perf_event_paranoid into *level (-1 to 4). Returns 0 or -errno. */
int features__perf_event_paranoid(const char *root, int *level);
bool features__has_vmlinux_btf(const char *root);
/*
 * Returns the clock source of bpf_ktime_get_ns(), such as "tsc"; NULL: unknown. The caller frees
 * it.
 */
char *features__clocksource(const char *root);

struct host_info {
	char *kernel;	 /* uname -r */
	char *arch;	 /* uname -m */
	char *cpu_model; /* "" if unknown */
};
/* Fills *host. Returns 0 or -ENOMEM. The caller frees it with host_info__free(). */
int __must_check features__host(const char *root, struct host_info *host);
void host_info__free(struct host_info *host);
/*
 * Returns the CPU's name from the text of /proc/cpuinfo; NULL: out of memory. The caller frees it.
 */
char *cpu_model__parse(const char *cpuinfo);

/*
 * Returns how many hardware events that CPU can count at once now without multiplexing, by opening
 * pinned events until one does not get onto the PMU. 0: no PMU; -errno: perf_event_open() is
 * refused.
 */
int features__hw_counters(int cpu);

/* Enables BPF_ENABLE_STATS and disables it again. Returns 0 or -errno. */
int features__try_run_stats(void);

/*
 * Finds out whether samples can be taken and a BPF program receives them. *event, of sz bytes: the
 * sampled event. Returns 0, or -errno with *reason.
 */
int features__try_samples(char *event, size_t sz, struct reason *reason);

/*
 * Finds out whether fentry and fexit work: attaches both to a built-in empty program, runs that
 * once, and detaches. Returns 0, or -errno with *reason.
 */
int features__try_fentry(struct reason *reason);
/*
 * The same with the function func of the loaded program prog_fd, without running it: attaches and
 * detaches at once. With attach false it only loads the probes, so that the verifier checks them.
 */
int features__try_fentry_on(int prog_fd, const char *func, bool attach, struct reason *reason);
/*
 * Finds out whether subprograms of programs that make tail calls can be probed. On x86-64 a
 * trampoline clears the tail call count, which such a function is passed in a register, so a
 * program that returns to itself through it never ends. Fixed in Linux 6.7 by commit 2b5dcb31a19a
 * ("bpf, x64: Fix tailcall infinite loop"), and in stable lines such as 6.1.y since. On arm64 the
 * count is in a register that calls preserve. The version does not tell, so this tries it, with a
 * program that ends by itself. Returns 0; -ELOOP with REASON_TAIL_CALL_RISK: they cannot; or
 * another -errno with *reason if it cannot be tried.
 */
int features__try_tail_calls(struct reason *reason);

/*
 * Returns true if the running kernel is older than major.minor. Only for bugs: versions do not tell
 * which features a kernel has.
 */
bool features__kernel_before(int major, int minor);
/*
 * Returns true if loading a probe for a program of that type would crash this kernel. Before 6.1
 * the verifier treats a tracing program like one of its target's type and follows that type's
 * attach_func_proto, which is NULL (seen on 5.10: a NULL read in do_check_common()).
 */
bool features__probe_crashes(__u32 prog_type);

/*
 * Finds the cause of an EPERM. Changes *r only if it is REASON_NO_PERM, to which
 * reason__from_verifier() maps EPERM: names the missing capability or, if none is missing, does as
 * lockdown__explain().
 */
void features__explain_perm(struct reason *r);

#endif
