/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this machine and this process can do: one small function for each question. Nothing is
 * cached and nothing printed. root is put before each path that is read: "" for the real machine.
 */
#ifndef BPROF_FEATURE_H
#define BPROF_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/util.h"

struct reason;

enum lockdown {
	LOCKDOWN_UNKNOWN, /* no securityfs, or no leave to read it */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
	LOCKDOWN_CNT
};

/*
 * Why a privileged process gets EPERM: REASON_LOCKDOWN under confidentiality, else REASON_SYSTEM, which
 * says that a security module or a sandbox refuses. The lockdown level integrity does not refuse BPF
 * tracing, and nobody is sent to turn Secure Boot off for it.
 */
void lockdown__explain(enum lockdown level, struct reason *r);
/* "unknown", "none", "integrity", "confidentiality" */
const char *lockdown__name(enum lockdown level);
/* The level that /sys/kernel/security/lockdown's text has in brackets; text may be NULL. */
enum lockdown lockdown__parse(const char *text);
/*
 * Where securityfs is not mounted (containers, minimal systems) and root is "", it is mounted
 * detached, seen by nobody else and gone on return.
 */
enum lockdown features__lockdown(const char *root);

/* Capabilities that measuring programs needs. */
enum bprof_cap { BPROF_CAP_SYS_ADMIN, BPROF_CAP_BPF, BPROF_CAP_PERFMON, BPROF_CAP_CNT };

/*
 * The effective ones of this process, as bits 1 << enum bprof_cap. CAP_SYS_ADMIN implies the other
 * two (include/linux/capability.h: bpf_capable(), perfmon_capable()). 0 where they cannot be read.
 */
unsigned int features__caps(void);
/* Writes what is missing of need as "CAP_BPF, CAP_PERFMON" ("" for nothing); returns buf. */
const char *features__missing_caps(unsigned int need, char *buf, size_t sz);
/*
 * Is this process in the initial user namespace? Capabilities held in another one count for
 * nothing here: the kernel asks for those of the initial one.
 */
bool features__in_init_userns(void);

/* net.core.bpf_jit_enable: 0, 1, 2, or -errno (the file is for root only on most kernels). */
int features__jit_enable(const char *root);
/* Does the kernel compile programs, as seen from loading one? -errno where none can be loaded. */
int features__jits(bool *jits);
/* kernel.perf_event_paranoid into *level (-1 to 4). 0 or -errno. */
int features__perf_event_paranoid(const char *root, int *level);
bool features__has_vmlinux_btf(const char *root);
/* The clock source behind bpf_ktime_get_ns(), "tsc"; the caller frees it; NULL: unknown. */
char *features__clocksource(const char *root);

struct host_info {
	char *kernel;	 /* uname -r */
	char *arch;	 /* uname -m */
	char *cpu_model; /* "" where unknown */
};
/* Fills *host; 0 or -ENOMEM. The caller frees it with host_info__free(). */
int __must_check features__host(const char *root, struct host_info *host);
void host_info__free(struct host_info *host);
/* The CPU's name from the text of /proc/cpuinfo; the caller frees it; NULL: out of memory. */
char *cpu_model__parse(const char *cpuinfo);

/*
 * How many hardware events can be counted at once on that CPU without multiplexing, now: pinned
 * events are opened until one does not get onto the PMU. 0: no PMU. -errno where perf_event_open()
 * is refused.
 */
int features__hw_counters(int cpu);

/* Switches BPF_ENABLE_STATS on and off again; 0 or -errno. */
int features__try_run_stats(void);

/*
 * Can samples be taken, and does a BPF program get them? *event, of sz bytes: of what. 0, or -errno with
 * *reason.
 */
int features__try_samples(char *event, size_t sz, struct reason *reason);

/*
 * Does fentry and fexit work? Attaches both to a built-in empty program, runs that once, and
 * detaches. 0, or -errno with *reason.
 */
int features__try_fentry(struct reason *reason);
/*
 * The same with the function func of the loaded program prog_fd, which is not run: attached and
 * detached at once; with attach false only loaded, which asks the verifier.
 */
int features__try_fentry_on(int prog_fd, const char *func, bool attach, struct reason *reason);
/*
 * May the subprograms of programs that make tail calls be probed? On x86-64 a trampoline clears the
 * count of tail calls that such a function is handed in a register, so that a program that comes
 * back to itself through it never ends; fixed in Linux 6.7 by commit 2b5dcb31a19a ("bpf, x64: Fix
 * tailcall infinite loop"), and in 6.1.y and other stable lines since. On arm64 the count is in a
 * register that calls preserve. As no version tells, it is tried, on a program that ends by itself.
 * 0; -ELOOP with REASON_TAIL_CALL_RISK: no; another -errno with *reason where it cannot be tried.
 */
int features__try_tail_calls(struct reason *reason);

/* Is the running kernel older than major.minor? For bugs only: of features it is no measure. */
bool features__kernel_before(int major, int minor);
/*
 * Would loading a probe for a program of that type crash this kernel? Before 6.1 the verifier takes
 * a tracing program for one of its target's type and then follows that type's attach_func_proto,
 * which is NULL (seen on 5.10: a NULL read in do_check_common()).
 */
bool features__probe_crashes(__u32 prog_type);

/*
 * What stands behind an EPERM. Changes *r only where it says REASON_NO_PERM, which
 * reason__from_verifier() makes of EPERM: names the missing capability; where none is missing, as
 * lockdown__explain() does.
 */
void features__explain_perm(struct reason *r);

#endif
