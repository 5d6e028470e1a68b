// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports when the programs of followed targets were loaded and unloaded, and when probes were
 * attached. Pure arithmetic.
 */
#include "result/result_follow.h"

bool result__has_target(const struct session *s, int target, const struct snapshot *from,
			const struct snapshot *to)
{
	const struct target *t = &s->targets.v[target];

	if (!snapshot__has(to, target))
		return false;
	if (!t->life.ended_ns || t->life.ended_ns > from->ns)
		return true;
	/*
	 * The target had ended by the time of *from. But its last counts may have been read a
	 * moment later than *from, and may include further runs.
	 */
	for (int row = 0; row <= s->env.cpus.cnt; row++)
		if (counts__runs(snapshot__at(to, target, row)) !=
		    counts__runs(snapshot__before(from, target, row)))
			return true;
	return false;
}

void result__set_version(struct report_prog *p, const struct session *s, const struct target *t)
{
	const struct target_life *life = &t->life;
	struct report_version *v = &p->version;

	v->followed = true;
	v->load_time_ns = t->prog->info.load_time;
	v->detach_cnt = life->detach_cnt;
	if (life->loaded_ns)
		v->loaded_ns = (double)(life->loaded_ns - s->stopwatch.started_ns);
	/*
	 * Without a probe, nothing is missed after the load, because the kernel counts the runs. So
	 * attached_ns is set only for probes.
	 */
	if (life->loaded_ns && backend__has(t->backend, BACKEND_PROBES))
		v->attached_ns = (double)(life->attached_ns - life->loaded_ns);
	if (life->unseen_known && (life->loaded_ns || life->detach_cnt))
		v->missed = life->unseen > life->unseen_before
				    ? (double)(life->unseen - life->unseen_before)
				    : 0;
	if (life->ended_ns)
		v->ended_ns = (double)life->ended_ns;
}
