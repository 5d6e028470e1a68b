/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the attr map, by which bperf users find the leader of an event. A key is a struct
 * perf_event_attr, as perf writes it, cut or padded to the size of the map's keys. Pure: makes no
 * system calls.
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
 * Fills attr for the i-th event. For an event without a group, attr has the values that perf stat
 * uses. For a member of a group, attr also encodes the group. perf makes no such keys, because perf
 * processes do not share groups. Returns 0 or the error of event__to_attr().
 */
int attr_key__attr(const struct event_list *events, int i, struct perf_event_attr *attr);

/*
 * Writes attr as a key of key_sz bytes. Pads attr with zeros or cuts it off. Returns 0, or -E2BIG
 * if it would cut off a byte that is not zero.
 */
int attr_key__make(const struct perf_event_attr *attr, void *key, size_t key_sz);

/*
 * Returns true if the key means the same event as attr. The bytes of key and attr may differ:
 * versions of perf set the member size differently and, unless exclude_host is set, also
 * exclude_guest. But if attr counts the user level of host and guests, the key must count guests.
 */
bool attr_key__matches(const void *key, size_t key_sz, const struct perf_event_attr *attr);

#endif
