/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Following: programs that are loaded while a session runs become targets of it, and those that are
 * unloaded end.
 */
#ifndef BPROF_FOLLOW_H
#define BPROF_FOLLOW_H

#include "base/util.h"

struct follow;
struct selector_list;
struct session;

/*
 * What is loaded from here on is known of. To be called before the targets are selected; selectors is
 * the caller's, and must live as long. A program that has not run for idle_ns is given the chance to go.
 * 0 or -errno (reported).
 */
int __must_check follow__open(const struct selector_list *selectors, __u64 idle_ns,
			      struct follow **out);
void follow__close(struct follow *f); /* NULL is fine */

/*
 * Adds what has been loaded since the targets were selected; from here on the session, which is opened
 * with opts.follow, is the one that is followed. Before it is started. 0 or -errno (reported), as all
 * that follow.
 */
int follow__start(struct follow *f, struct session *s);

/* Can be polled: readable when follow__process() has something to do. */
int follow__fd(const struct follow *f);
/* Adds what has been loaded. */
int follow__process(struct follow *f);

/*
 * Lets go of each program that no call has seen run for idle_ns, and that is attached nowhere, and takes
 * it back unless it is gone: then it has ended at now, the session's time. So bprof keeps none loaded for
 * longer than from one call to the first that comes idle_ns later.
 */
int follow__check(struct follow *f, __u64 now);

/* stop: while it still counts: adds what was loaded last. */
int follow__stop(struct follow *f);
/* end: after it has stopped and all is read: lets go of all, and notes what is gone. */
void follow__end(struct follow *f);

#endif
