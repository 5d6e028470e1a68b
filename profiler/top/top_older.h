/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The snapshots from which bprof top shows slices. If probes take turns (--max-overhead), an interval has
 * only a few slices (short times in which a probe is attached). So the list shows the slices since an
 * earlier snapshot.
 */
#ifndef BPROF_TOP_OLDER_H
#define BPROF_TOP_OLDER_H

#include <stdbool.h>

#include "base/util.h"

/* The list shows what probes measured in at least this time. */
#define TOP_SLICES_NS (10000 * NSEC_PER_MSEC)

struct snapshot;

/*
 * The newer and the older snapshot, or NULL. At the end of an interval, the newer one is up to TOP_SLICES_NS
 * old, the older one up to twice as old (or as long as an interval, if that is longer).
 */
struct top_older {
	struct snapshot *v[2];
};

/*
 * Adds the snapshot from the beginning of an interval, or frees it. turns: probes take turns now. After
 * their turns end, the snapshots are still replaced: later turns must not begin with old ones.
 */
void top_older__add(struct top_older *o, struct snapshot *past, bool turns);
/* Returns the oldest snapshot, or NULL. */
struct snapshot *top_older__first(const struct top_older *o);
void top_older__free(struct top_older *o);

#endif
