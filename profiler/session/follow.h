/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follows programs: programs loaded during a session become its targets, and the targets of
 * unloaded programs end.
 */
#ifndef BPROF_FOLLOW_H
#define BPROF_FOLLOW_H

#include <linux/types.h>

#include "base/util.h"

struct follow;
struct selector_list;
struct session;

/*
 * Starts recording program loads. Call it before the targets are selected. selectors belongs to the
 * caller and must outlive *out. The times are for kernels that do not tell how many references keep
 * a program loaded: if a program has not run for idle_ns there, follow__check() detaches it for a
 * moment, so that the kernel can unload it. A program that is still loaded then is detached again
 * after a time that grows up to max_idle_ns until the program runs: detaching takes long. If
 * max_idle_ns is longer than idle_ns, the checks take only a small part of a CPU's time, and come
 * later for some programs if there are hundreds of them. forget: do not list programs that could not
 * be measured and were unloaded, except for a few of them, with the number of the others. Returns 0
 * or -errno (reported).
 */
int __must_check follow__open(const struct selector_list *selectors, __u64 idle_ns,
			      __u64 max_idle_ns, bool forget, struct follow **out);
void follow__close(struct follow *f); /* accepts NULL */

/*
 * Sets how many targets the session may have, including those of unloaded programs, which need
 * memory until the end. Programs that are loaded later are skipped, and counted. 0 (the default): no
 * limit.
 */
void follow__set_limit(struct follow *f, __u64 max_targets);

/*
 * Starts following for session s, which was opened with opts.follow. Adds targets for the selected
 * programs that were loaded since the targets of s were selected. Call it before the session
 * starts. This and the following functions, except follow__fd(), return 0 or -errno (reported).
 */
int follow__start(struct follow *f, struct session *s);

/* Returns a descriptor to poll: it is readable when follow__process() has something to do. */
int follow__fd(const struct follow *f);
/* Adds targets for the selected programs that were loaded since the last call. */
int follow__process(struct follow *f);

/*
 * Detaches each program that only probes keep loaded, or, where that is not known, for a moment each
 * program that is attached nowhere and has not run for idle_ns. Ends the targets of programs that
 * the kernel has unloaded then, at the session time "now". Without references, runs are noticed only
 * by these calls, so bprof keeps an unused program loaded until the first call that comes idle_ns
 * after the last call that saw a run.
 */
int follow__check(struct follow *f, __u64 now);
/* Calls follow__check() if its last call was at least idle_ns ago. */
int follow__tick(struct follow *f, __u64 now);

/*
 * Makes follow__check() leave a program alone, which the caller has detached (session__detach()).
 * 0: none.
 */
void follow__leave_alone(struct follow *f, __u32 id);

/*
 * Adds targets for the selected programs that were loaded since the last follow__process(). Call it
 * while the session still counts.
 */
int follow__stop(struct follow *f);
/*
 * Detaches all programs and records which of them were unloaded. Call it after the session was
 * stopped and read.
 */
void follow__end(struct follow *f);

#endif
