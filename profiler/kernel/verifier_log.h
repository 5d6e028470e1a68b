/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the verifier's log of one program says. Pure: works on text, prints nothing.
 */
#ifndef BPROF_VERIFIER_LOG_H
#define BPROF_VERIFIER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Bits of bpf_attr.log_level (include/linux/bpf_verifier.h); the UAPI has no names for them. */
#define VERIFIER_LOG_STEPS 1 /* BPF_LOG_LEVEL1: the instructions, and what is wrong */
#define VERIFIER_LOG_STATS 4 /* BPF_LOG_STATS: a few lines of numbers; since Linux 5.2 */

/* As many functions as a program may have (BPF_MAX_SUBPROGS). */
#define VERIFIER_MAX_FUNCS 256

struct verifier_stats {
	long insns; /* "processed" by the verifier; -1: not known */
	/* Bytes of stack of each function, in program order. 0 functions: not known. */
	__u32 stack[VERIFIER_MAX_FUNCS];
	int func_cnt;
};

/*
 * Reads what print_verification_stats() (kernel/bpf/verifier.c) has written with
 * VERIFIER_LOG_STATS.
 */
void verifier_log__read_stats(const char *log, struct verifier_stats *stats);

/*
 * The most bytes of stack that the functions of any chain of calls take together, from the first
 * function on: calls[f * func_cnt + g] is true where f calls g (call_graph.h).
 */
long verifier_stats__deepest(const struct verifier_stats *stats, const bool *calls);

/*
 * The last lines of the log, up to cnt of them: those that are not empty, without the line of
 * numbers at its end. Calls fn with each, the first one first; it is len bytes long, not terminated.
 */
void verifier_log__tail(const char *log, int cnt,
			void (*fn)(const char *line, size_t len, void *arg), void *arg);

#endif
