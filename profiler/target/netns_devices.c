// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds programs on the devices of other network namespaces. A link's info has the index of a
 * device, but not its namespace, and devices of hundreds of namespaces may have the same index. So
 * each namespace is entered and searched. Prints nothing.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/util.h"
#include "host/namespaces.h"
#include "target/attachments.h"
#include "target/netns_devices.h"

#define MIN_AGE_NS (1000 * NSEC_PER_MSEC)
/* The time between two searches is at least this many times as long as a search. */
#define PAUSE_FACTOR 100

static bool is_search_due(const struct netns_devices *d)
{
	__u64 pause = d->took_ns * PAUSE_FACTOR;

	return !d->searched_ns ||
	       now_ns() - d->searched_ns >= (pause > MIN_AGE_NS ? pause : MIN_AGE_NS);
}

static void add_devices(struct netns_devices *d, const struct ns_place *ns)
{
	struct attachments found;

	/* A namespace that has ended, or that bprof may not enter, has no devices here. */
	(void)!attachments__load_netns(&found, ns->path);
	for (int i = 0; i < found.cnt; i++) {
		struct netns_device *new;

		if (!found.v[i].ifindex)
			continue;
		new = array__add(&d->v, &d->cnt, sizeof(*new));
		*new = (struct netns_device){found.v[i].prog_id, found.v[i].ifindex, ns->id};
	}
	attachments__free(&found);
}

void netns_devices__search(struct netns_devices *d)
{
	__u64 begin = now_ns();
	struct namespaces n;

	if (!is_search_due(d))
		return;
	netns_devices__free(d);
	namespaces__load(&n);
	for (int i = 0; i < n.net_cnt; i++)
		add_devices(d, &n.net[i]);
	namespaces__free(&n);
	d->searched_ns = now_ns();
	d->took_ns = d->searched_ns - begin;
}

void netns_devices__free(struct netns_devices *d)
{
	free(d->v);
	*d = (struct netns_devices){};
}
