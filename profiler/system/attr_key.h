/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the attr map, by which users of the same event find its leader: perf's own bytes, a
 * struct perf_event_attr of the size that the map was made for. Pure.
 */
#ifndef BPROF_ATTR_KEY_H
#define BPROF_ATTR_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "event/event.h"

#define ATTR_KEY_MIN 64	 /* PERF_ATTR_SIZE_VER0 */
#define ATTR_KEY_MAX 512 /* MAX_BPF_STACK, the kernel's limit on a hash map's keys */

struct perf_event_attr;

/*
 * Fills attr with the attr of the i-th event: as perf fills it for that event alone, or as a member
 * of its group. perf never looks up group members: groups are bprof's own. 0 or -errno as
 * event__to_attr().
 */
int attr_key__attr(const struct event_list *events, int i, struct perf_event_attr *attr);

/*
 * Writes the key of an attr, key_sz bytes: truncated, or padded with zeros. 0; -E2BIG: the
 * truncated part is not zero.
 */
int attr_key__make(const struct perf_event_attr *attr, void *key, size_t key_sz);

/*
 * True if a key means the same event. The bytes may differ: perf's size and, where neither side
 * asks for guests, exclude_guest differ between its versions.
 */
bool attr_key__matches(const void *key, size_t key_sz, const struct perf_event_attr *attr);

#endif
