// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The modifiers of events ("cycles:u", "{a,b}:kD"): the letters, and how each letter changes an
 * event. Knows no names of events and no PMUs.
 */
#include <errno.h>
#include <string.h>
#include <linux/perf_event.h>

#include "base/memory.h"
#include "base/util.h"
#include "event/event_parse.h"

enum {
	EXCL_USER = 1 << 0,
	EXCL_KERNEL = 1 << 1,
	EXCL_HV = 1 << 2,
	EXCL_HOST = 1 << 3,
	EXCL_GUEST = 1 << 4,
	EXCL_IDLE = 1 << 5,
	EXCL_LEVELS = EXCL_USER | EXCL_KERNEL | EXCL_HV,
	EXCL_MACHINES = EXCL_HOST | EXCL_GUEST,
};

/*
 * The letters u, k and h select privilege levels: the first letter excludes all levels, then each
 * letter includes its own level again. So "uk" counts at the user and the kernel level, as in perf.
 * H and G select host and guest in the same way.
 */
static const struct {
	char letter;
	__u8 all, include, exclude;
	/* The reason why bprof does not support this letter of perf, or NULL */
	const char *refused;
} modifiers[] = {
	{'u', EXCL_LEVELS, EXCL_USER, 0, NULL},
	{'k', EXCL_LEVELS, EXCL_KERNEL, 0, NULL},
	{'h', EXCL_LEVELS, EXCL_HV, 0, NULL},
	{'H', EXCL_MACHINES, EXCL_HOST, 0, NULL},
	{'G', EXCL_MACHINES, EXCL_GUEST, 0, NULL},
	{'I', 0, 0, EXCL_IDLE, NULL},
	{'p', 0, 0, 0, NULL},
	{'P', 0, 0, 0, NULL},
	{'D', 0, 0, 0, NULL},
	{'e', 0, 0, 0, NULL},
	{'W', 0, 0, 0,
	 "(weak group) is not supported: a group is counted as a group or not at all"},
	{'S', 0, 0, 0, "(read samples) is only for sampling"},
	{'b', 0, 0, 0, "(BPF counters) is not needed: bprof always reads events in BPF"},
	{'R', 0, 0, 0, "(retire latency) is only for sampling"},
};

#define MAX_PRECISE 3

static int apply_modifier(struct event *ev, int idx)
{
	unsigned int excl = ev->exclude_user * EXCL_USER | ev->exclude_kernel * EXCL_KERNEL |
			    ev->exclude_hv * EXCL_HV | ev->exclude_host * EXCL_HOST |
			    ev->exclude_guest * EXCL_GUEST | ev->exclude_idle * EXCL_IDLE;

	if (!(excl & modifiers[idx].all))
		excl |= modifiers[idx].all;
	excl &= ~modifiers[idx].include;
	excl |= modifiers[idx].exclude;
	ev->exclude_user = excl & EXCL_USER;
	ev->exclude_kernel = excl & EXCL_KERNEL;
	ev->exclude_hv = excl & EXCL_HV;
	ev->exclude_host = excl & EXCL_HOST;
	ev->exclude_guest = excl & EXCL_GUEST;
	ev->exclude_idle = excl & EXCL_IDLE;
	ev->machines_given |= modifiers[idx].all == EXCL_MACHINES;

	switch (modifiers[idx].letter) {
	case 'p':
		if (ev->precise_ip == MAX_PRECISE)
			return -ERANGE;
		ev->precise_ip++;
		break;
	case 'P':
		ev->precise_max = true;
		break;
	case 'D':
		ev->pinned = true;
		break;
	case 'e':
		ev->exclusive = true;
		break;
	}
	return 0;
}

int event_parser__modify(struct event_parser *p, struct event *ev, struct span mods)
{
	if (!mods.len)
		return event_parser__fail(p, (struct span){mods.s - 1, 1},
					  "no modifier follows the ':'");
	if (ev->kind == EVENT_TIME)
		return event_parser__fail(p, mods,
					  "'time' is the probe's own clock and takes no modifier");
	for (size_t i = 0; i < mods.len; i++) {
		struct span at = {mods.s + i, 1};
		size_t idx = 0;

		while (idx < ARRAY_SIZE(modifiers) && modifiers[idx].letter != *at.s)
			idx++;
		if (idx == ARRAY_SIZE(modifiers))
			return event_parser__fail(p, at,
						  "unknown modifier; use u k h (levels), "
						  "H G (host, guest), I (not idle), p P (precise), "
						  "D (pinned), e (exclusive)");
		if (modifiers[idx].refused)
			return event_parser__fail(p, at, "modifier %c %s", *at.s,
						  modifiers[idx].refused);
		if (*at.s != 'p' && memchr(mods.s, *at.s, i))
			return event_parser__fail(p, at, "modifier %c is given twice", *at.s);
		if (apply_modifier(ev, idx))
			return event_parser__fail(p, at,
						  "more than %d modifiers p: there is no higher "
						  "level of precision",
						  MAX_PRECISE);
	}
	return 0;
}

void event__append_modifiers(struct event *ev, struct span mods)
{
	size_t len = strlen(ev->name), own = len;
	char *name = xreallocarray(ev->name, len + mods.len + 2, 1);
	const char *base;

	ev->name = name;
	/*
	 * The event's own modifiers follow the last slash or, if there is no slash, the colon that
	 * is not a part of a tracepoint's name.
	 */
	base = ev->type == PERF_TYPE_TRACEPOINT ? strchr(name, ':') + 1 : name;
	if (strchr(base, '/'))
		own = strrchr(base, '/') + 1 - name;
	else if (strchr(base, ':'))
		own = strchr(base, ':') + 1 - name;
	else
		name[len++] = ':';
	name[len] = '\0';
	for (size_t i = 0; i < mods.len; i++) {
		if (mods.s[i] != 'p' && strchr(name + own, mods.s[i]))
			continue;
		name[len++] = mods.s[i];
		name[len] = '\0';
	}
}
