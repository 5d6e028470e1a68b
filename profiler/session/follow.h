/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Following: programs loaded during a session become its targets, and unloaded programs end.
 */
#ifndef BPROF_FOLLOW_H
#define BPROF_FOLLOW_H

#include "base/util.h"

struct follow;
struct selector_list;
struct session;

/*
 * Starts recording loads. Call before the targets are selected. selectors belongs to the caller and
 * must outlive f. A program that has not run for idle_ns is detached for a moment, so that it can
 * be unloaded. 0 or -errno (reported).
 */
int __must_check follow__open(const struct selector_list *selectors, __u64 idle_ns,
			      struct follow **out);
void follow__close(struct follow *f); /* NULL is fine */

/*
 * Follows the session, which was opened with opts.follow, and adds programs loaded since its
 * targets were selected. Call before the session starts. This and all functions below return 0 or
 * -errno (reported).
 */
int follow__start(struct follow *f, struct session *s);

/* A descriptor to poll: readable when follow__process() has something to do. */
int follow__fd(const struct follow *f);
/* Adds programs that were loaded since the last call. */
int follow__process(struct follow *f);

/*
 * Detaches each program that is attached nowhere and that no call has seen run for idle_ns, then
 * attaches it again unless it is gone; a program that is gone has ended at now, the session's time.
 * So bprof keeps an unused program loaded at most until the first call that is idle_ns after the
 * call that saw it run.
 */
int follow__check(struct follow *f, __u64 now);

/* Adds the last loaded programs. Call while the session still counts. */
int follow__stop(struct follow *f);
/*
 * Detaches all programs and notes which are gone. Call after the session has stopped and was read.
 */
void follow__end(struct follow *f);

#endif
