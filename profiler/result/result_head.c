// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completes a report whose rows are there: what concerns the whole report, and what rows are
 * compared with one another for. Owns the head of a report and the list of programs that were not
 * measured; must not know how counts become rows.
 */
#include <errno.h>
#include <string.h>

#include "btf/reason.h"
#include "result/result.h"
#include "result/result_common.h"
#include "result/result_head.h"
#include "result/result_lost.h"
#include "result/result_thinning.h"
#include "result/result_tree.h"

static int fill_skipped(struct report *r, const struct session *s, const struct result_opts *o)
{
	char text[512];
	int err = 0;

	for (int i = 0; !err && i < s->targets.skip_cnt; i++) {
		const struct skipped *skip = &s->targets.skip[i];

		if (o->wants && !o->wants(o->arg, skip->id, NULL))
			continue;
		err = report__skip(r, skip->id, skip->name, reason__spec(skip->reason.code)->name,
				   reason__advise(&skip->reason, text, sizeof(text)));
		if (!err)
			r->skip[r->skip_cnt - 1].more = skip->more;
	}
	return err;
}

int result__fill_head(struct report *r, const struct session *s, const struct result_span *spans,
		      int cnt, const struct result_opts *o)
{
	int err = result__fill_host(r, o->command);

	for (int i = 0; !err && i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->fill_report)
			err = s->backend[i].ops->fill_report(s->backend[i].state, r);
	err = err ?: fill_skipped(r, s, o) ?: result__check_lost(r, s) ?: result__set_calls(r, s, o);
	if (err)
		return err;
	r->host.cpus = s->env.online.cnt;
	if (!s->targets.cnt)
		result__set_jit(r);
	for (int i = 0; i < s->targets.cnt; i++)
		r->host.jit |= prog__is_jited(s->targets.v[i].prog);
	r->started = o->started;
	r->calibrated = session__is_net(s);
	r->followed = s->env.opts.follow;
	r->by_retval = s->env.opts.by_retval;
	r->driven = o->driven;
	result__set_thinning(r, s, spans[0].from, spans[0].to);
	for (int i = 0; i < cnt; i++)
		r->elapsed_ns += spans[i].to->ns - spans[i].from->ns;
	return 0;
}
