/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The features of this machine and of this process. Each question has a small function. The
 * functions cache nothing and print nothing. root is a prefix of each path that is read; it is ""
 * for the real machine.
 */
#ifndef BPROF_FEATURE_H
#define BPROF_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/util.h"

struct reason;
struct throw_call;

enum lockdown {
	LOCKDOWN_UNKNOWN, /* securityfs is missing or cannot be read */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
	LOCKDOWN_CNT
};

/*
 * Sets *r to the reason why a privileged process gets EPERM: REASON_LOCKDOWN at the level
 * confidentiality, otherwise REASON_SYSTEM (a security module or a sandbox refuses). The level
 * integrity allows BPF tracing, so at this level *r does not advise to disable Secure Boot.
 */
void lockdown__explain(enum lockdown level, struct reason *r);
/* Returns "unknown", "none", "integrity" or "confidentiality". */
const char *lockdown__name(enum lockdown level);
/*
 * Returns the level in brackets in text, which is the content of /sys/kernel/security/lockdown (may
 * be NULL).
 */
enum lockdown lockdown__parse(const char *text);
/*
 * Returns the lockdown level of the kernel. If root is "" and securityfs is not mounted
 * (containers, minimal systems), mounts securityfs until the function returns. The mount is
 * detached, so other processes do not see it.
 */
enum lockdown features__lockdown(const char *root);

/* The capabilities that measuring programs needs. */
enum bprof_cap { BPROF_CAP_SYS_ADMIN, BPROF_CAP_BPF, BPROF_CAP_PERFMON, BPROF_CAP_CNT };

/*
 * Returns the effective capabilities of this process as bits 1 << enum bprof_cap, or 0 if they
 * cannot be read. CAP_SYS_ADMIN implies CAP_BPF and CAP_PERFMON (include/linux/capability.h:
 * bpf_capable(), perfmon_capable()).
 */
unsigned int features__caps(void);
/*
 * Writes the capabilities in "need" that this process lacks to buf, such as "CAP_BPF, CAP_PERFMON";
 * "" if it lacks none. Returns buf.
 */
const char *features__missing_caps(unsigned int need, char *buf, size_t sz);
/*
 * Returns true if this process is in the initial user namespace. Capabilities in another namespace
 * do not help, because the kernel requires capabilities in the initial namespace.
 */
bool features__in_init_userns(void);

/* Returns net.core.bpf_jit_enable: 0, 1, 2, or -errno (on most kernels only root can read it). */
int features__jit_enable(const char *root);
/* Returns true if the kernel was built without a JIT for BPF: then it has no sysctl for the JIT. */
bool features__has_no_jit(void);
/*
 * Returns net.core.bpf_jit_harden, or -errno. 0: the kernel does not blind constants; 1: it blinds
 * them in programs that are loaded without CAP_BPF; 2: it blinds them in all programs.
 */
int features__jit_harden(const char *root);
/*
 * Finds out whether the kernel JITs programs, by loading a program. Returns 0 with *jits, or -errno
 * if the program cannot be loaded.
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
	char *kernel;	 /* as printed by uname -r */
	char *arch;	 /* as printed by uname -m */
	char *cpu_model; /* "" if unknown */
};
/* Fills *host. Returns 0 or -errno. The caller frees *host with host_info__free(). */
int __must_check features__host(const char *root, struct host_info *host);
void host_info__free(struct host_info *host);
/* Returns the CPU's name from the text of /proc/cpuinfo. The caller frees the string. */
char *cpu_model__parse(const char *cpuinfo);

/* Returns false if BPF has no atomic compare-and-exchange: before Linux 5.12 (arm64: 5.18). */
bool features__has_cmpxchg(void);

/* Tries BPF_ENABLE_STATS: enables and disables the run time statistics. Returns 0 or -errno. */
int features__try_run_stats(void);

/*
 * Finds out whether samples can be taken, and whether a BPF program receives them. Writes the name
 * of the sampled event to "event", of sz bytes. Returns 0, or -errno with *reason.
 */
int features__try_samples(char *event, size_t sz, struct reason *reason);

/*
 * Finds out whether fentry and fexit work: attaches both probes to a built-in empty program, runs
 * the program once, and detaches the probes. Returns 0, or -errno with *reason.
 */
int features__try_fentry(struct reason *reason);
/* Like features__try_fentry(), for an fsession. Returns 0, or -errno with *reason. */
int features__try_fsession(struct reason *reason);
/*
 * Tries fentry and fexit on the function func of the loaded program prog_fd: attaches both probes
 * and detaches them immediately. If attach is false, only loads the probes, so that the verifier
 * checks them. Returns 0, or -errno with *reason.
 */
int features__try_fentry_on(int prog_fd, const char *func, bool attach, struct reason *reason);
/*
 * Finds out whether subprograms of programs that make tail calls can be probed. On x86-64, such a
 * subprogram gets the tail call count in a register. On older kernels a trampoline clears this
 * register, so a program that tail-calls itself from a probed subprogram never ends. Commit
 * 2b5dcb31a19a ("bpf, x64: Fix tailcall infinite loop") has fixed this in Linux 6.7, and in stable
 * kernels such as 6.1.y. On arm64 the count is in a register that calls preserve. The kernel's
 * version does not show whether it has the fix. So this function runs a program that ends by itself
 * in any case. Returns 0; -ELOOP with REASON_TAIL_CALL_RISK: such subprograms cannot be probed; or
 * another -errno with *reason if the test fails.
 */
int features__try_tail_calls(struct reason *reason);

/*
 * Finds out how the instructions of a loaded program call the kfunc bpf_throw(). If this is not
 * possible, *call says that each call of a kfunc may be a call of bpf_throw().
 */
void features__find_throw(struct throw_call *call);

/*
 * Returns true if the running kernel is older than major.minor. Use this only for kernel bugs: a
 * version does not show which features a kernel has.
 */
bool features__kernel_before(int major, int minor);
/* The newest tested kernel, the last one in scripts/fetch ("make lint" compares the two). */
#define NEWEST_TESTED_KERNEL "7.3"
/* Returns true if a kernel's release, as printed by uname -r, is newer than NEWEST_TESTED_KERNEL. */
bool features__is_untested(const char *release);
/*
 * Finds out whether BPF programs may read the kernel's memory. Lockdown forbids this at its level
 * "confidentiality". Returns 0, or -errno with *reason.
 */
int features__try_read_kernel(struct reason *reason);
/*
 * Finds the cause of an EPERM, which reason__from_verifier() maps to REASON_NO_PERM. Changes *r
 * only if *r has this code. Names the missing capabilities or, if no capability is missing, another
 * cause (see lockdown__explain()).
 */
void features__explain_perm(struct reason *r);

#endif
