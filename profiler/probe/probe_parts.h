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
 * The CPUs are read one after the other, and a key may get its part meanwhile. So gives all rows of
 * a part the key of the last CPU's row, which was read last. Only if the part had another key
 * before, the rows of the earlier CPUs stay without a key: since they were read, runs with the new
 * key may have been counted for part 0. parts: as for probe_parts__join(), which is to be called
 * later.
 */
void probe_parts__complete_keys(const struct probe *p, struct counts *parts);
/*
 * Adds up the rows of parts that stand for the same key. parts: the rows of part 0 and of those after
 * it, for each of the session's CPUs. A row keeps the runs that it had at an earlier reading, so that
 * differences of two snapshots are right: a part that gets its first runs later joins the row of its
 * key. The probe sets a part's name before it adds the first run.
 */
void probe_parts__join(struct probe *p, struct counts *parts);

/* operations of struct counter_ops */
void probe__close_parts(const struct target *t, const bool *part);
int probe__free_parts(struct target *t, const bool *part);

/*
 * Adds all counts of the freed parts on the session's i-th CPU to *c, but their distributions only if
 * hists is set.
 */
void probe_parts__add_freed(const struct probe *p, int i, bool hists, struct counts *c);
void probe_parts__close(struct probe *p);

#endif
