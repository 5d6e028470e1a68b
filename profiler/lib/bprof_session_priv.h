/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The internal structs for the sessions and snapshots of bprof.h. */
#ifndef BPROF_BPROF_SESSION_PRIV_H
#define BPROF_BPROF_SESSION_PRIV_H

#include <stdbool.h>
#include <time.h>
#include <linux/types.h>

#include "backend/backend_env.h"
#include "event/event.h"
#include "lib/bprof.h"
#include "session/session.h"
#include "target/target.h"

struct bprof_session {
	__u64 made_ns; /* distinguishes the session from an earlier one at the same address */
	struct bprof_session_opts public; /* the caller's options; the strings in it are NULL */
	struct backend_opts opts;
	struct event_list events;
	struct cpus cpus;
	struct selector_list selectors;
	struct session *s; /* NULL if the session is not open */
	bool running;
	struct timespec started;       /* time of the last start */
	struct snapshot *first, *last; /* counts at the last start and stop, or NULL */
	struct bprof_error error;
};

struct bprof_snapshot {
	/*
	 * The session that made this snapshot. The pointer may only be compared, because the
	 * session may have been freed.
	 */
	const struct bprof_session *session;
	__u64 made_ns;
	struct timespec started;
	struct snapshot *counts;
};

#endif
