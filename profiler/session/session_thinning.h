/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Thinning with periods that bprof chooses (--sample auto): applies them to a session's probes.
 */
#ifndef BPROF_SESSION_THINNING_H
#define BPROF_SESSION_THINNING_H

struct session;
struct session_thinning;

/*
 * For a calibrated session whose targets are attached. *out is NULL if no target has a probe or can
 * get one. 0 or -errno (reported).
 */
int session_thinning__new(const struct session *s, struct session_thinning **out);
void session_thinning__free(struct session_thinning *ss); /* NULL is fine */

/*
 * Call after targets were added or have ended: adopts the present ones. Accepts NULL. 0 or -ENOMEM
 * (reported); the caller then frees ss.
 */
int session_thinning__fit(struct session_thinning *ss, const struct session *s);

/*
 * Sets the probes' periods. start: call before the gate opens. adjust: call every
 * THINNING_ADJUST_MS while it is open; uses the runs since the last adjustment. Both accept NULL.
 */
void session_thinning__start(struct session_thinning *ss, const struct session *s);
void session_thinning__adjust(struct session_thinning *ss, const struct session *s);

#endif
