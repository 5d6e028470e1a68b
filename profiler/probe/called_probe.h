/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a probe that are only needed on functions of the kernel that targets call
 * (bpf/probe_called.bpf.h). All targets that are the same function share one probe.
 */
#ifndef BPROF_CALLED_PROBE_H
#define BPROF_CALLED_PROBE_H

struct probe;
struct probes;
struct target;

/*
 * Returns the number of pieces into which the counts of t's function are divided; 0: they are not
 * divided. The last piece, which has this number, is for calls that have no target.
 */
int called_probe__pieces(const struct probes *ps, const struct target *t);
/*
 * Makes p share the probe of another open target that is the same function. Returns 1; 0 if there
 * is no such target; or -errno.
 */
int called_probe__share(const struct probes *ps, const struct target *t, struct probe *p);
/* Copies caller_cost_varies to t from the target whose probe t shares. */
void called_probe__copy_doubt(const struct probes *ps, struct target *t);
/*
 * Prepares the counts of a new probe: sets which piece has the counts of which calls. Returns 0 or
 * -errno.
 */
int called_probe__init(const struct probes *ps, const struct target *t);

#endif
