/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adjusts the thinning of a session's probes so that they take no more than the share of CPU time
 * that the user allows (--sample auto).
 */
#ifndef BPROF_SESSION_THINNING_H
#define BPROF_SESSION_THINNING_H

#include <linux/types.h>

struct session;
struct session_thinning;
struct session_turns;

/*
 * Prepares thinning for a calibrated session whose targets are attached. Sets *out to NULL if no
 * target has a probe or can get one later. Returns 0 or -errno (reported).
 */
int session_thinning__new(const struct session *s, struct session_thinning **out);
void session_thinning__free(struct session_thinning *ss); /* accepts NULL */

/*
 * Adapts ss to the session's present targets. Call it after targets were added or ended. Accepts
 * NULL.
 */
void session_thinning__fit(struct session_thinning *ss, const struct session *s);

/*
 * These two functions set the periods of the probes. Call session_thinning__start() before the gate
 * opens. Call session_thinning__adjust() every THINNING_ADJUST_MS while the gate is open: it
 * calculates the periods from the runs since the last adjustment. ss may be NULL.
 */
void session_thinning__start(struct session_thinning *ss, const struct session *s);
void session_thinning__adjust(struct session_thinning *ss, const struct session *s);
/* Call it when counting stops, while the gate is closed. */
void session_thinning__stop(struct session_thinning *ss, const struct session *s);
/*
 * Returns the time in ns from an adjustment until the next one, if it is not always
 * THINNING_ADJUST_MS; else 0.
 */
__u64 session_thinning__next_ns(const struct session_thinning *ss);
/* Returns the turns (--max-overhead), or NULL. */
struct session_turns *session_thinning__turns(const struct session_thinning *ss);

#endif
