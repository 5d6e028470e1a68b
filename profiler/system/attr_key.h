/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the attr map, by which bperf users find the leader of an event. A key consists of the
 * same bytes that perf writes: a struct perf_event_attr of the size that the map was created for.
 * Pure.
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
 * Fills attr for the i-th event. For an event without a group, attr is the one that perf stat uses.
 * For a member of a group, attr also encodes the group; perf never looks up such keys, because only
 * bprof has shared groups. Returns 0, or -errno as event__to_attr().
 */
int attr_key__attr(const struct event_list *events, int i, struct perf_event_attr *attr);

/*
 * Writes the key of an attr: key_sz bytes, truncated or padded with zeros. Returns 0, or -E2BIG if
 * the bytes to cut off are not zero.
 */
int attr_key__make(const struct perf_event_attr *attr, void *key, size_t key_sz);

/*
 * Returns true if the key means the same event as attr. Their bytes may differ, because versions of
 * perf differ in attr.size and, if neither side asks for guests, in exclude_guest.
 */
bool attr_key__matches(const void *key, size_t key_sz, const struct perf_event_attr *attr);

#endif
