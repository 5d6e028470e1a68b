/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adjusts thinning of a session's probes to the share of CPU time that the user allows (--sample
 * auto).
 */
#ifndef BPROF_SESSION_THINNING_H
#define BPROF_SESSION_THINNING_H

struct session;
struct session_thinning;

/*
 * Prepares thinning for a calibrated session whose targets are attached. Sets *out to NULL if no
 * target has a probe or can get one later. Returns 0 or -errno (reported).
 */
int session_thinning__new(const struct session *s, struct session_thinning **out);
void session_thinning__free(struct session_thinning *ss); /* accepts NULL */

/*
 * Adapts ss to the present targets; call it after targets were added or ended. Accepts NULL.
 * Returns 0 or -ENOMEM (reported); on failure the caller frees ss.
 */
int session_thinning__fit(struct session_thinning *ss, const struct session *s);

/*
 * Both set the probes' periods and accept NULL. Call start before the gate opens. Call adjust every
 * THINNING_ADJUST_MS while the gate is open; it uses the runs since the last adjustment.
 */
void session_thinning__start(struct session_thinning *ss, const struct session *s);
void session_thinning__adjust(struct session_thinning *ss, const struct session *s);

#endif
