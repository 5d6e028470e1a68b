/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs that are attached to network devices of other network namespaces.
 */
#ifndef BPROF_NETNS_DEVICES_H
#define BPROF_NETNS_DEVICES_H

#include <stdbool.h>
#include <linux/types.h>

/* Set all members to zero before the first search. */
struct netns_devices {
	struct netns_device {
		__u32 prog_id, ifindex;
		__u64 net; /* number of the namespace, as in "lsns -t net" */
	} * v;
	int cnt;
	__u64 searched_ns; /* CLOCK_MONOTONIC at the end of the last search; 0: none */
	__u64 took_ns;	   /* how long the last search took */
};

/*
 * Searches the namespaces that processes or mounts hold. Does nothing if the last search was so
 * short a time ago that searching would take more than one percent of a CPU, or was less than a
 * second ago.
 */
void netns_devices__search(struct netns_devices *d);
void netns_devices__free(struct netns_devices *d);

#endif
