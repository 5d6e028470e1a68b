/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is special about the probe of a function of the kernel that targets call
 * (bpf/probe_called.bpf.h): all targets that are the same function share it.
 */
#ifndef BPROF_CALLED_PROBE_H
#define BPROF_CALLED_PROBE_H

struct probe;
struct probes;
struct target;

/* Returns the number of pieces that the counts of the target's function have; 0: it has none. */
int called_probe__pieces(const struct probes *ps, const struct target *t);
/*
 * Makes p share the probe of another target that is the same function and that is open. Returns 1; 0
 * if there is none; or -errno.
 */
int called_probe__share(const struct probes *ps, const struct target *t, struct probe *p);
/* Prepares the counts of a new probe: which calls have which piece. Returns 0 or -errno. */
int called_probe__init(const struct probes *ps, const struct target *t);

#endif
