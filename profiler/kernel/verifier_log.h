/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses the verifier's log of one program. Pure: works on text, prints nothing.
 */
#ifndef BPROF_VERIFIER_LOG_H
#define BPROF_VERIFIER_LOG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Bits of bpf_attr.log_level (include/linux/bpf_verifier.h), for which the UAPI has no names. */
#define VERIFIER_LOG_STEPS 1 /* BPF_LOG_LEVEL1: log the instructions and the error */
#define VERIFIER_LOG_STATS 4 /* BPF_LOG_STATS: log a few lines of statistics (Linux 5.2) */

/*
 * The maximum number of attempts to load a program: without a limit. The verifier gives up with
 * EAGAIN when a signal arrives (kernel/bpf/verifier.c, do_check()), even a signal that stops or
 * continues the process. By default, libbpf makes only five attempts.
 */
#define VERIFIER_ATTEMPTS INT_MAX

/* The maximum number of functions of a program (BPF_MAX_SUBPROGS). */
#define VERIFIER_MAX_FUNCS 256

struct verifier_stats {
	long insns; /* number of instructions that the verifier processed; -1: unknown */
	/* maximum number of states that the verifier kept at the same time; -1: unknown */
	long peak_states;
	long usec; /* time that the verifier took; -1: unknown */
	/* The stack of each function in bytes, in program order; func_cnt 0: unknown. */
	__u32 stack[VERIFIER_MAX_FUNCS];
	int func_cnt;
};

/* Reads the statistics that the kernel's print_verification_stats() writes (VERIFIER_LOG_STATS). */
void verifier_log__read_stats(const char *log, struct verifier_stats *stats);

/*
 * Returns the maximum stack, in bytes, of all call chains from the first function. calls[f *
 * func_cnt + g] has the bits of the calls that function f makes of function g (call_graph.h). A
 * callback that runs later has a stack of its own.
 */
long verifier_stats__deepest(const struct verifier_stats *stats, const __u8 *calls);

/*
 * Calls fn with each of the log's last cnt lines, in order. Leaves out empty lines, the line of
 * statistics, and the report that Linux 7.3 adds after the error. line has len bytes and is not
 * NUL-terminated.
 */
void verifier_log__tail(const char *log, int cnt,
			void (*fn)(const char *line, size_t len, void *arg), void *arg);

#endif
