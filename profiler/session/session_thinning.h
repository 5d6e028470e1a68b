/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --sample auto: what ties the sampler to the probes of a session.
 */
#ifndef BPROF_SESSION_THINNING_H
#define BPROF_SESSION_THINNING_H

struct session;
struct session_thinning;

/*
 * For a session whose targets are attached and that is calibrated, where a target has a probe at
 * all, or may come to have one (else *out is NULL). 0 or -errno (reported).
 */
int session_thinning__new(const struct session *s, struct session_thinning **out);
void session_thinning__free(struct session_thinning *ss); /* NULL is fine */

/*
 * After targets have come or ended: looks at those that there are from then on. NULL is fine. 0 or -ENOMEM (reported); then it is to be freed.
 */
int session_thinning__fit(struct session_thinning *ss, const struct session *s);

/*
 * start: before the gate opens. look: while it is open, every THINNING_ADJUST_MS; sees what ran since
 * the last look, and sets the probes' periods. NULL is fine for both.
 */
void session_thinning__start(struct session_thinning *ss, const struct session *s);
void session_thinning__adjust(struct session_thinning *ss, const struct session *s);

#endif
