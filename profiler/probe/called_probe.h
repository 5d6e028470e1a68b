/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts that only the probe of a kernel function has, which targets call
 * (bpf/probe_called.bpf.h). All targets that are the same function share one probe.
 */
#ifndef BPROF_CALLED_PROBE_H
#define BPROF_CALLED_PROBE_H

struct probe;
struct probes;
struct target;

/*
 * Returns the number of pieces of the counts of t's function, which is also the number of the piece for
 * calls that have no target; 0 if they are not in pieces.
 */
int called_probe__pieces(const struct probes *ps, const struct target *t);
/*
 * Makes p share the probe of another open target that is the same function. Returns 1; 0 if there
 * is no such target; or -errno.
 */
int called_probe__share(const struct probes *ps, const struct target *t, struct probe *p);
/* Sets t->caller_cost_varies to that of the target whose probe t shares. */
void called_probe__copy_doubt(const struct probes *ps, struct target *t);
/*
 * Prepares the counts of a new probe: sets which piece has the counts of which calls. Returns 0 or
 * -errno.
 */
int called_probe__init(const struct probes *ps, const struct target *t);

#endif
