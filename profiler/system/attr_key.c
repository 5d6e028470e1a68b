// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes and compares keys of the attr map. Owns the rule that decides whether two keys mean the
 * same event. Must not know the map. Pure: makes no system calls.
 */
#include <errno.h>
#include <string.h>
#include <linux/perf_event.h>

#include "kernel/perf_event.h"
#include "system/attr_key.h"

#define FNV_BASIS 0xcbf29ce484222325
#define FNV_PRIME 0x100000001b3

static __u64 hash_bytes(__u64 hash, const void *bytes, size_t sz)
{
	for (size_t i = 0; i < sz; i++)
		hash = (hash ^ ((const __u8 *)bytes)[i]) * FNV_PRIME;
	return hash;
}

/*
 * Fills attr with the values that perf stat uses for an event that it counts through bperf
 * (compared with the keys that perf 6.12 writes).
 */
static int plain_attr(const struct event *ev, struct perf_event_attr *attr)
{
	int err = 0;

	/* bprof does not count time with a perf event. But perf has an event that counts time. */
	if (ev->kind == EVENT_TIME)
		*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
						 .config = PERF_COUNT_SW_CPU_CLOCK};
	else
		err = event__to_attr(ev, attr);
	if (err)
		return err;
	attr->precise_ip = 0; /* the event is not sampled, so precision does not matter */
	attr->pinned = false; /* the event is shared: no bperf user can reserve its counter */
	attr->exclusive = false;
	if (!ev->machines_given)
		perf_event__leave_guests_out(attr);
	return 0;
}

int attr_key__attr(const struct event_list *events, int i, struct perf_event_attr *attr)
{
	int group = events->v[i].group, err = plain_attr(&events->v[i], attr);
	__u64 hash = FNV_BASIS;

	if (err || group < 0)
		return err;
	/*
	 * Two groups may share their leaders only if the groups are identical. So different groups
	 * must have different keys: encode the group's members, and this event's position among
	 * them, in fields that a counting event does not use.
	 */
	for (int j = 0; j < events->cnt; j++) {
		struct perf_event_attr member;

		if (events->v[j].group != group)
			continue;
		err = plain_attr(&events->v[j], &member);
		if (err)
			return err;
		hash = hash_bytes(hash, &member, sizeof(member));
		attr->wakeup_events += j <= i;
	}
	attr->sample_period = hash;
	return 0;
}

int attr_key__make(const struct perf_event_attr *attr, void *key, size_t key_sz)
{
	size_t sz = key_sz < sizeof(*attr) ? key_sz : sizeof(*attr);
	struct perf_event_attr copy = *attr;

	for (size_t i = key_sz; i < sizeof(*attr); i++)
		if (((const char *)attr)[i])
			return -E2BIG;
	copy.size = key_sz;
	memset(key, 0, key_sz);
	memcpy(key, &copy, sz);
	return 0;
}

bool attr_key__matches(const void *key, size_t key_sz, const struct perf_event_attr *attr)
{
	struct perf_event_attr other = {}, want = *attr;

	for (size_t i = sizeof(other); i < key_sz; i++)
		if (((const char *)key)[i])
			return false;
	memcpy(&other, key, key_sz < sizeof(other) ? key_sz : sizeof(other));
	other.size = want.size = 0;
	/*
	 * exclude_guest may differ, because versions of perf set it differently by default. But if
	 * "want" counts guests at the user level, the user asked for guests with the modifiers HG:
	 * perf_event__leave_guests_out() would have excluded them.
	 */
	if (!other.exclude_host && !want.exclude_host && (want.exclude_guest || want.exclude_user))
		other.exclude_guest = want.exclude_guest = 0;
	return !memcmp(&other, &want, sizeof(other));
}
