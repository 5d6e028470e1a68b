/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The places where BPF programs run: for each hook, how a program is attached to it and what makes
 * it run there, as its users do it. Used by drive; tests read the table. Links no code of bprof.
 */
#ifndef KTEST_CONTEXTS_H
#define KTEST_CONTEXTS_H

#include <linux/types.h>

struct context {
	const char *name;
	const char
		*object; /* of tests/progs; its programs are PROG_0, PROG_100, PROG_void_0, ... */
	const char *prog;
	const struct hook *hook;
	const char *how; /* how it is driven, and the context in which the programs run */
};

extern const struct context contexts[];
extern const int context_cnt;

/* Returns the hook of that name, or NULL. */
const struct context *context__find(const char *name);

/*
 * Attaches each of the programs to the hook, drives the hook until each program has run at least
 * cnt times, and detaches it; one program after the other. Changes the network namespace and the
 * cgroup of the process. Returns 0 or -errno; on failure *step says what failed.
 */
int context__use(const struct context *c, const __u32 *ids, int id_cnt, int cnt, const char **step);

#endif
