/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the attr map, through which users of the same event find its leader: perf's own bytes, a
 * struct perf_event_attr of whatever size the map was made for. Pure.
 */
#ifndef BPROF_ATTR_KEY_H
#define BPROF_ATTR_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "event/event.h"

#define ATTR_KEY_MIN 64	 /* PERF_ATTR_SIZE_VER0 */
#define ATTR_KEY_MAX 512 /* MAX_BPF_STACK, which a hash map's keys are not to exceed */

struct perf_event_attr;

/*
 * The attr of the i-th event of the list as perf would have it for that event alone, or as a member
 * of its group, which perf never asks for: bperf's groups are bprof's. 0 or -errno as
 * event__to_attr().
 */
int attr_key__attr(const struct event_list *events, int i, struct perf_event_attr *attr);

/*
 * Writes the key of an attr, key_sz bytes: its tail cut off, or filled up with zeros. 0; -E2BIG:
 * something is in the part that would be cut off.
 */
int attr_key__make(const struct perf_event_attr *attr, void *key, size_t key_sz);

/*
 * Does a key mean the same event? Not by the bytes: perf's size and, where neither side asks for
 * guests, exclude_guest differ between its versions.
 */
bool attr_key__matches(const void *key, size_t key_sz, const struct perf_event_attr *attr);

#endif
