// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the first steps of every measurement: choosing CPUs and checking events. Must not know
 * whether programs or scopes are measured.
 */
#include <errno.h>
#include <string.h>

#include "base/event_status.h"
#include "base/log.h"
#include "engine/engine.h"
#include "event/event.h"
#include "host/cpus.h"

int engine__choose_cpus(const struct cpus *given, struct cpus *possible, struct cpus *online,
			int *limit)
{
	struct cpus all = {};
	int err = cpus__possible(&all);

	if (err)
		return log_err(err, "cannot read which CPUs are possible: %s", strerror(-err));
	if (limit)
		*limit = cpus__limit(&all);
	err = given->cnt ? cpus__dup(given, online) : cpus__online(online);
	if (!err && possible)
		err = cpus__dup(given->cnt ? given : &all, possible);
	cpus__free(&all);
	return err ? log_err(err, "cannot read which CPUs are online: %s", strerror(-err)) : 0;
}

int engine__check_events(const struct event_list *events, const struct event_state *state)
{
	bool denied = true, has_time = false;

	for (int i = 0; i < events->cnt; i++) {
		if (state[i].status == EVENT_OK)
			return 0;
		denied &= state[i].denied;
		has_time |= events->v[i].kind == EVENT_TIME;
	}
	for (int i = 0; i < events->cnt; i++)
		log_warn("event %s: %s", events->v[i].name, state[i].detail);
	return log_err(-ENODATA, "none of the events can be counted here; %s",
		       denied	  ? "run as root"
		       : has_time ? "see 'bprof doctor'"
				  : "use -e time, or see 'bprof doctor'");
}
