// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Implements measurements that report while they last (live.h). Owns the snapshots of the start and
 * the stop; must not know what is counted, or what the reports are for.
 */
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"
#include "report/report.h"
#include "run/live.h"

struct live {
	const struct counting_ops *ops;
	void *arg;
	struct loop *loop;
	void *first; /* snapshot of the start; NULL: not started */
	void *last;  /* snapshot of the stop; NULL: not stopped, or the caller has it */
	struct timespec started;
};

int live__open(const struct counting_ops *ops, void *arg, struct live **out)
{
	struct live *l = xcalloc(1, sizeof(*l));
	int err = loop__open(&l->loop);

	*out = NULL;
	if (err) {
		free(l);
		return err;
	}
	l->ops = ops;
	l->arg = arg;
	*out = l;
	return 0;
}

static void free_live_snapshots(struct live *l)
{
	l->ops->free(l->first);
	l->ops->free(l->last);
	l->first = l->last = NULL;
}

void live__close(struct live *l)
{
	if (!l)
		return;
	free_live_snapshots(l);
	loop__close(l->loop);
	free(l);
}

int live__begin(struct live *l, const struct loop_opts *o, int input_fd)
{
	int err = loop__begin(l->loop, o);

	free_live_snapshots(l);
	loop__set_input_fd(l->loop, input_fd);
	l->started = (struct timespec){};
	if (err || l->ops->has_any(l->arg))
		return err;
	return log_err(l->ops->why_none(l->arg), "nothing could be measured");
}

/* Handles an event of the loop. Sets *own to true if the caller does not get the event. */
static int handle_live_event(struct live *l, enum loop_event event, bool *own)
{
	int err;

	*own = event == LOOP_TICK || event == LOOP_READY || event == LOOP_FORKED;
	switch (event) {
	case LOOP_START:
		err = l->ops->start(l->arg, &l->first);
		loop__set_ready_fd(l->loop, l->ops->ready_fd(l->arg));
		report__note_start(&l->started);
		return err;
	case LOOP_TICK:
		return loop__tick(l->loop, l->ops, l->arg);
	case LOOP_READY:
		return l->ops->ready(l->arg);
	case LOOP_STOP:
		return l->ops->stop(l->arg, &l->last);
	case LOOP_FORKED:
		return l->ops->forked ? l->ops->forked(l->arg, loop__command(l->loop)) : 0;
	default:
		return 0;
	}
}

enum loop_event live__next(struct live *l, int ret)
{
	enum loop_event event;
	bool own;

	do {
		event = loop__next(l->loop, ret);
		ret = handle_live_event(l, event, &own);
		/* If handling an event failed, the caller does not get the event: the loop ends. */
	} while (event && (own || ret));
	return event;
}

int live__set_interval(struct live *l, __u64 ns)
{
	return loop__set_interval(l->loop, ns);
}

int live__plan_tick(struct live *l)
{
	return loop__plan_tick(l->loop, l->ops, l->arg);
}

int live__read(struct live *l, void **now)
{
	int err;

	*now = l->last;
	l->last = NULL;
	if (*now)
		return 0;
	err = l->ops->read(l->arg, now);
	if (err) {
		l->ops->free(*now); /* read() can fail after it has made the snapshot */
		*now = NULL;
	}
	return err;
}

void live__free(struct live *l, void *snapshot)
{
	l->ops->free(snapshot);
}

void *live__first(const struct live *l)
{
	return l->first;
}

int live__report(struct live *l, const void *from, const void *to, struct report **out)
{
	int err = l->ops->report(l->arg, from ?: l->first, to, out);

	if (!err)
		(*out)->started = l->started;
	return err;
}

int live__end(struct live *l, struct loop_result *result)
{
	return loop__end(l->loop, result);
}
