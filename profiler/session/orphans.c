// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the definition of an orphan. Must not know what is done with orphans (follow.c).
 */
#include <stdlib.h>

#include "backend/counter.h"
#include "base/log.h"
#include "base/name_list.h"
#include "kernel/prog_refs.h"
#include "session/orphans.h"
#include "session/session.h"
#include "target/target.h"

bool session__has_own_ref(const struct session *s, __u32 id)
{
	const struct target *t = NULL;
	bool open = false;

	while ((t = target_list__next(&s->targets, id, t))) {
		if (t->frozen)
			continue;
		if (backend__has(t->backend, BACKEND_PROBES))
			return false;
		open |= t->prog->fd >= 0;
	}
	return open;
}

void session__warn_orphans(const struct session *s)
{
	struct name_list names = {};
	struct prog_refs *refs;
	char *text;
	__u32 last = 0;

	int err;

	if (prog_refs__open(&refs))
		return;
	err = prog_refs__read(refs);
	for (int i = 0; !err && i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		if (t->id != last && !t->frozen &&
		    prog_refs__others(refs, t->id) == session__has_own_ref(s, t->id))
			name_list__add(&names, "%s[%u]", prog__name(t->prog), t->id);
		last = t->id;
	}
	prog_refs__close(refs);
	text = name_list__finish(&names);
	if (text)
		log_warn(
			"%s: at the end, only bprof kept this loaded: it was detached, unpinned or "
			"closed meanwhile",
			text);
	free(text);
}
