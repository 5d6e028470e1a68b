/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Orphans: targets that only bprof keeps loaded. Without bprof, the kernel would have unloaded
 * them.
 */
#ifndef BPROF_ORPHANS_H
#define BPROF_ORPHANS_H

#include <stdbool.h>
#include <linux/types.h>

struct session;

/*
 * Returns true if prog_refs__others() counts a reference of the session: an open descriptor of a
 * program that the session measures without probes.
 */
bool session__has_own_ref(const struct session *s, __u32 id);
/*
 * Warns of orphans, in one line. Call it at the end of a session that does not follow programs.
 * Prints nothing if the references to programs cannot be counted: before Linux 5.19, and under
 * lockdown.
 */
void session__warn_orphans(const struct session *s);

#endif
