/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a target's runs (bpf/probe.h, struct bprof_keys), and the counts of those that were
 * given to other keys.
 */
#ifndef BPROF_PROBE_PARTS_H
#define BPROF_PROBE_PARTS_H

#include <stdbool.h>

#include "backend/counter.h"

struct probe;
struct target;

/*
 * Sets first[i] to the first part whose runs have the same key as those of part i. Rarely, two CPUs
 * give two parts to one key at the same time. first has p->part_cnt elements.
 */
void probe_parts__find_first(const struct probe *p, int *first);

/* counter_ops */
void probe__close_parts(const struct target *t, const bool *part);
int probe__free_parts(struct target *t, const bool *part);

/*
 * The counts of the freed parts: the total of an event on a CPU; adding all counts of the session's
 * i-th CPU to *c, with distributions only if hists is set.
 */
__s64 probe_parts__freed_total(const struct probe *p, int cpu, __u32 slot);
void probe_parts__add_freed(const struct probe *p, int i, bool hists, struct counts *c);
void probe_parts__close(struct probe *p);

#endif
