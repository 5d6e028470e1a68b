/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adjusts the thinning of a session's probes, so that the probes take no more than the share of CPU
 * time that the user allows (--sample auto).
 */
#ifndef BPROF_BUDGET_H
#define BPROF_BUDGET_H

#include <stdbool.h>
#include <linux/types.h>

struct backend;
struct backend_env;
struct budget;
struct probe_turns;

/*
 * Prepares thinning for a calibrated session whose targets are attached. prober: the backend that has
 * probes, or NULL. Sets *out to NULL if no target has a probe or can get one later. Returns 0 or
 * -EOPNOTSUPP (reported). env must outlive *out.
 */
int budget__new(const struct backend_env *env, const struct backend *prober, struct budget **out);
void budget__free(struct budget *ss); /* accepts NULL */

/*
 * Adapts ss to the session's present targets. Call this after targets were added or ended. ss may
 * be NULL.
 */
void budget__fit(struct budget *ss, const struct backend_env *env);
/*
 * Call this after the targets for which keep[] is false were removed, because they had ended. ss may
 * be NULL.
 */
void budget__keep(struct budget *ss, const struct backend_env *env, const bool *keep);

/*
 * These two functions set the periods of the probes. Call budget__start() before the gate
 * opens. Call budget__adjust() every THINNING_ADJUST_MS while the gate is open: it
 * calculates the periods from the runs since the last adjustment. ss may be NULL.
 */
void budget__start(struct budget *ss, const struct backend_env *env);
void budget__adjust(struct budget *ss, const struct backend_env *env);
/* Call this when counting stops, while the gate is closed. */
void budget__stop(struct budget *ss, const struct backend_env *env);
/*
 * Returns the time in ns from an adjustment until the next adjustment; 0: it is always
 * THINNING_ADJUST_MS.
 */
__u64 budget__next_ns(const struct budget *ss);
/* Returns the turns (--max-overhead), or NULL. */
struct probe_turns *budget__turns(const struct budget *ss);

#endif
