/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follows programs: programs that are loaded during a session become targets of the session. When a
 * program is unloaded, its targets end.
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
 * caller and must outlive *out. idle_ns and max_idle_ns matter only on kernels that do not show how
 * many references keep a program loaded. There, if a program has not run for idle_ns,
 * follow__check() detaches it for a moment, so that the kernel can unload it. If the program is
 * still loaded then, follow__check() detaches it again only after a longer time without a run, up
 * to max_idle_ns, because detaching takes long. If max_idle_ns is longer than idle_ns, the checks
 * take only a small part of a CPU's time; if there are hundreds of programs, some of them are then
 * checked later. forget: list only a few of the programs that could not be measured and were
 * unloaded, and count the others. Returns 0 or -errno (reported).
 */
int __must_check follow__open(const struct selector_list *selectors, __u64 idle_ns,
			      __u64 max_idle_ns, bool forget, struct follow **out);
void follow__close(struct follow *f); /* accepts NULL */

/*
 * Sets how many targets the session may have, including the targets of unloaded programs, which
 * need memory until the end. When this limit is reached, further programs are skipped, and counted.
 * 0 (the default): no limit.
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
 * Detaches the probes from each program that only probes keep loaded. Where the kernel does not
 * show references, detaches them for a moment from each program that is attached nowhere and has
 * not run for idle_ns. If the kernel then unloads a program, ends its targets at the session time
 * "now". Where the kernel does not show references, only these calls notice that a program ran. So
 * an unused program stays loaded for idle_ns after the call that noticed its last run, and then
 * until the next call.
 */
int follow__check(struct follow *f, __u64 now);
/* Calls follow__check() if its last call was at least idle_ns ago. */
int follow__tick(struct follow *f, __u64 now);

/*
 * Makes follow__check() ignore a program that the caller has detached (session__detach()). 0: none.
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
