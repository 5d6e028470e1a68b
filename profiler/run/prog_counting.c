// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens a measurement of programs. Owns the order in which its parts are opened and how often the
 * loop ticks; must not know which command measures, or what it does with the counts.
 */
#include <errno.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "base/thinning.h"
#include "event/event_fds.h"
#include "run/prog_counting.h"
#include "session/follow.h"
#include "session/session.h"

/*
 * The longest time for which the probe of --follow may keep a program loaded that nothing else
 * uses: one interval of -I, but at least MIN_KEEP_NS. Without -I, it is KEEP_NS.
 */
#define KEEP_NS (1000 * NSEC_PER_MSEC)
#define MIN_KEEP_NS (100 * NSEC_PER_MSEC)
/* The same for a measurement without an end, of which the programs may be hundreds. */
#define ENDLESS_KEEP_NS (300000 * NSEC_PER_MSEC)
/* The first adjustment of --max-overhead; each one says when the next one is due. */
#define TURNS_FIRST_TICK_NS (3 * NSEC_PER_MSEC)

/*
 * Returns the longest time, in ns, for which a probe may keep an unused program loaded.
 */
static __u64 keep_ns(const struct loop_opts *loop)
{
	__u64 interval = loop->interval_ns ?: KEEP_NS;

	return interval < MIN_KEEP_NS ? MIN_KEEP_NS : interval;
}

int prog_counting__set_endless(struct target_opts *targets, struct backend_opts *session)
{
	struct selector_list *selectors = &targets->selectors;
	struct parse_error perr;

	if (!selectors->cnt && selector_list__add(selectors, SELECT_ALL, NULL, &perr))
		return log_err(-ENOMEM, "out of memory");
	session->calibrate = session->hist = true;
	session->thin_period = 1;
	session->thin_share = THINNING_DEFAULT_SHARE;
	session->turns = true;
	session->follow = target_opts__can_follow(targets);
	session->others_only = true;
	return 0;
}

static void set_ticks(struct loop_opts *loop, const struct backend_opts *session)
{
	if (session->thin_share) {
		loop->first_tick_ns = session->turns ? TURNS_FIRST_TICK_NS
						     : THINNING_FIRST_ADJUST_MS * NSEC_PER_MSEC;
		loop->tick_ns = THINNING_ADJUST_MS * NSEC_PER_MSEC;
	} else if (session->follow) {
		loop->first_tick_ns = loop->tick_ns = keep_ns(loop) / 2;
	}
}

/* Starts to follow loads. This comes before selecting the targets, so that no load is missed. */
static int open_follow(const struct prog_counting_opts *o, struct follow **out)
{
	__u64 idle_ns;
	int err;

	if (!o->session->follow)
		return 0;
	o->targets->selectors.awaiting = true;
	/*
	 * Ticks come every keep_ns() / 2, except with --sample auto. A program counts as idle
	 * after slightly less time, 0.4 * keep_ns(): after a late tick, the next tick comes sooner
	 * than usual, and must still find the program idle.
	 */
	idle_ns = keep_ns(o->loop) / 10 * 4;
	err = follow__open(&o->targets->selectors, idle_ns, o->endless ? ENDLESS_KEEP_NS : idle_ns,
			   o->endless, out);
	if (!err)
		follow__set_limit(*out, o->max_versions);
	return err;
}

int prog_counting__open(const struct prog_counting_opts *o, struct prog_counting *c)
{
	struct target_list targets = {};

	/* Every event needs a descriptor on every CPU. */
	raise_fd_limit(&o->loop->fd_limit);
	set_ticks(o->loop, o->session);
	return event_list__set_default(o->events) ?:
	       open_follow(o, &c->follow) ?:
	       target_list__select(&o->targets->selectors, o->targets->func, &targets) ?:
	       session__open(&targets, o->events, o->cpus, o->session, &c->s);
}

void prog_counting__close(struct prog_counting *c)
{
	follow__close(c->follow);
	session__close(c->s);
	c->follow = NULL;
	c->s = NULL;
}
