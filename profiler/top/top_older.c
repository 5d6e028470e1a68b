// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See top_older.h. Owns the snapshots. Must not know what is shown. */
#include "session/session.h"
#include "top/top_older.h"

void top_older__add(struct top_older *o, struct snapshot *past, bool turns)
{
	if (!o->v[0] ? !turns : past->ns < o->v[0]->ns + TOP_SLICES_NS) {
		snapshot__free(past);
		return;
	}
	snapshot__free(o->v[1]);
	o->v[1] = o->v[0];
	o->v[0] = past;
}

struct snapshot *top_older__first(const struct top_older *o)
{
	return o->v[1] ?: o->v[0];
}

void top_older__free(struct top_older *o)
{
	snapshot__free(o->v[0]);
	snapshot__free(o->v[1]);
	*o = (struct top_older){};
}
