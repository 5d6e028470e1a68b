// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From snapshots to the report. Pure arithmetic on what the backends counted; asks no kernel but
 * for the host's description.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature.h"
#include "func_table.h"
#include "log.h"
#include "result.h"
#include "util.h"

static void add_counts(struct counts *sum, const struct counts *c)
{
	sum->measured += c->measured;
	for (int i = 0; i < LOST_CNT; i++)
		sum->lost[i] += c->lost[i];
	for (int i = 0; i < BPROF_SLOTS; i++) {
		struct bprof_event_sum *to = &sum->event[i];
		const struct bprof_event_sum *from = &c->event[i];

		to->total += from->total;
		to->errors += from->errors;
		to->min = from->min < to->min ? from->min : to->min;
		to->max = from->max > to->max ? from->max : to->max;
	}
}

/*
 * What happened between the two. Extremes cannot be subtracted: they are known only where nothing
 * had been counted before (min stays ~0 where they are not).
 */
static void subtract_counts(const struct counts *to, const struct counts *from, struct counts *diff)
{
	*diff = *to;
	diff->measured -= from->measured;
	for (int i = 0; i < LOST_CNT; i++)
		diff->lost[i] -= from->lost[i];
	for (int i = 0; i < BPROF_SLOTS; i++) {
		struct bprof_event_sum *e = &diff->event[i];

		e->total -= from->event[i].total;
		e->errors -= from->event[i].errors;
		if (from->measured) {
			e->min = ~0ULL;
			e->max = 0;
		}
	}
}

static int fill_event(struct report_row *row, const struct session *s, int index, bool has_events,
		      const struct counts *c, const char *no_events_detail)
{
	const struct event *ev = &s->events->v[index];
	const struct event_state *state = &s->fds->state[index];
	struct report_event *re = report_row__add_event(row);
	const struct bprof_event_sum *sum;

	if (!re)
		return -ENOMEM;
	re->name = strdup(ev->name);
	re->base = strdup(ev->base);
	re->unit = strdup(ev->unit);
	if (!re->name || !re->base || !re->unit)
		return -ENOMEM;
	re->status = state->status;
	if (re->status == EVENT_OK && !has_events && ev->kind != EVENT_TIME)
		re->status = EVENT_NOT_COUNTED;
	if (re->status != EVENT_OK) {
		re->detail = strdup(state->status != EVENT_OK ? state->detail : no_events_detail);
		return re->detail ? 0 : -ENOMEM;
	}
	sum = &c->event[state->slot];
	re->measured = c->measured - sum->errors;
	re->total = sum->total * ev->scale;
	if (!re->measured)
		return 0;
	re->stat[STAT_MEAN] = re->total / re->measured;
	if (sum->min <= sum->max && has_events) {
		re->stat[STAT_MIN] = sum->min * ev->scale;
		re->stat[STAT_MAX] = sum->max * ev->scale;
	}
	return 0;
}

/* run_stats always has the time, asked for or not: it is all it has. */
static int add_time_event(struct report_row *row, const struct counts *c)
{
	struct report_event *re = report_row__add_event(row);

	if (!re)
		return -ENOMEM;
	re->name = strdup("time");
	re->base = strdup("time");
	re->unit = strdup("ns");
	if (!re->name || !re->base || !re->unit)
		return -ENOMEM;
	re->status = EVENT_OK;
	re->measured = c->measured;
	re->total = c->event[BPROF_CLOCK_SLOT].total;
	if (re->measured)
		re->stat[STAT_MEAN] = re->total / re->measured;
	return 0;
}

static int fill_row(struct report_row *row, const struct session *s, const struct target *t,
		    const struct counts *c)
{
	bool has_events = t->backend->ops->has_events;
	__u64 best = 0, unmeasured = 0;
	int err = 0;

	for (int i = 0; !err && i < s->events->cnt; i++)
		err = fill_event(row, s, i, has_events, c, "run_stats counts runs and time only");
	if (!err && !has_events && !s->fds->clock)
		err = add_time_event(row, c);
	if (err)
		return err;
	/* A run of which no event could be read was seen, but not measured. */
	for (int i = 0; i < row->event_cnt; i++)
		if (row->event[i].status == EVENT_OK && row->event[i].measured > best)
			best = row->event[i].measured;
	unmeasured = c->measured - best;
	memcpy(row->lost, c->lost, sizeof(row->lost));
	row->lost[LOST_READ] += unmeasured;
	row->measured = best;
	row->runs = best;
	for (int i = 0; i < LOST_CNT; i++)
		row->runs += row->lost[i];
	return 0;
}

/*
 * The share of one CPU that the target took on CPU i (s->cpus.cnt: on no one CPU): by time where
 * that is measured, else by cycles, of those that the CPU executed. NaN where neither is known.
 */
static double cpu_share(const struct session *s, const struct target *t,
			const struct snapshot *from, const struct snapshot *to,
			const struct counts *c, int i)
{
	double cycles;

	if (!t->backend->ops->has_events || s->fds->clock)
		return to->ns > from->ns
			       ? (double)c->event[BPROF_CLOCK_SLOT].total / (to->ns - from->ns)
			       : NAN;
	if (!to->cycles || i == s->cpus.cnt)
		return to->cycles ? 0 : NAN;
	cycles = to->cycles[i] - from->cycles[i];
	return cycles > 0 ? c->event[s->fds->state[s->cycles_event].slot].total / cycles : 0;
}

/* A CPU that was offline at the start has a row if anything ran there after all. */
static bool has_cpu_row(const struct session *s, const struct target *t, int i,
			const struct counts *c)
{
	__u64 seen = c->measured;

	if (i == s->cpus.cnt || !t->backend->ops->has_events)
		return false;
	for (int l = 0; l < LOST_CNT; l++)
		seen += c->lost[l];
	return seen || cpus__has(&s->online, s->cpus.id[i]);
}

static int fill_prog(struct report *r, const struct session *s, int index,
		     const struct snapshot *from, const struct snapshot *to, bool per_cpu)
{
	const struct target *t = &s->targets.v[index];
	struct report_prog *p = report__add_prog(r);
	struct counts sum = {}, diff;
	double share, shares = 0;
	int err;

	if (!p)
		return -ENOMEM;
	p->id = t->id;
	p->name = strdup(prog__name(t->prog));
	p->func = strdup(t->func);
	p->type = strdup(prog_type__name(t->prog->info.type));
	p->method = t->backend->ops->method;
	prog__tag(t->prog, p->tag);
	if (!p->name || !p->func || !p->type)
		return -ENOMEM;
	for (int i = 0; i < BPROF_SLOTS; i++)
		sum.event[i].min = ~0ULL;
	for (int i = 0; i <= s->cpus.cnt; i++) {
		struct report_row *row;

		subtract_counts(snapshot__at(s, to, index, i), snapshot__at(s, from, index, i),
				&diff);
		add_counts(&sum, &diff);
		share = cpu_share(s, t, from, to, &diff, i);
		shares += share;
		if (!per_cpu || !has_cpu_row(s, t, i, &diff))
			continue;
		row = report_prog__add_cpu(p, s->cpus.id[i]);
		err = row ? fill_row(row, s, t, &diff) : -ENOMEM;
		if (err)
			return err;
		row->cpu_share = share;
	}
	p->all.cpu_share = shares;
	return fill_row(&p->all, s, t, &sum);
}

static int fill_skipped(struct report *r, const struct session *s)
{
	char text[512];

	for (int i = 0; i < s->targets.skip_cnt; i++) {
		const struct skipped *from = &s->targets.skip[i];
		struct report_skip *skip = report__add_skip(r);

		if (!skip)
			return -ENOMEM;
		skip->id = from->id;
		skip->name = strdup(from->name);
		skip->reason = reason__spec(from->reason.code)->name;
		skip->detail = strdup(reason__advise(&from->reason, text, sizeof(text)));
		if (!skip->name || !skip->detail)
			return -ENOMEM;
	}
	return 0;
}

static int fill_host(struct report *r, const struct session *s, char **command)
{
	struct host_info host = {};
	int cnt = 0;

	if (features__host("", &host))
		return -ENOMEM;
	r->host.kernel = host.kernel;
	r->host.arch = host.arch;
	r->host.cpu_model = host.cpu_model;
	r->host.cpus = s->online.cnt;
	for (int i = 0; i < s->targets.cnt; i++)
		r->host.jit |= prog__is_jited(s->targets.v[i].prog);
	r->version = strdup(BPROF_VERSION);
	while (command[cnt])
		cnt++;
	r->command = calloc(cnt + 1, sizeof(*r->command));
	if (!r->version || !r->command)
		return -ENOMEM;
	for (int i = 0; i < cnt; i++) {
		r->command[i] = strdup(command[i]);
		if (!r->command[i])
			return -ENOMEM;
	}
	return 0;
}

int result__report(const struct session *s, const struct snapshot *from, const struct snapshot *to,
		   const struct result_opts *o, struct report **out)
{
	struct report *r = report__new();
	int err = r ? fill_host(r, s, o->command) : -ENOMEM;

	*out = NULL;
	for (int i = 0; !err && i < s->targets.cnt; i++)
		err = fill_prog(r, s, i, from, to, o->per_cpu);
	if (!err)
		err = fill_skipped(r, s);
	if (err) {
		report__free(r);
		return log_err(err, "out of memory");
	}
	r->started = o->started;
	r->elapsed_ns = to->ns - from->ns;
	*out = r;
	return 0;
}

void result__set_repeats(struct report *whole, struct report *const *each, int cnt)
{
	whole->repeats = cnt;
	for (int p = 0; cnt > 1 && p < whole->prog_cnt; p++) {
		struct report_row *row = &whole->prog[p].all;

		for (int e = 0; e < row->event_cnt; e++) {
			double sum = 0, squares = 0, mean;

			for (int i = 0; i < cnt; i++)
				sum += each[i]->prog[p].all.event[e].stat[STAT_MEAN];
			mean = sum / cnt;
			for (int i = 0; i < cnt; i++) {
				double d = each[i]->prog[p].all.event[e].stat[STAT_MEAN] - mean;

				squares += d * d;
			}
			row->event[e].repeat_stddev = sqrt(squares / (cnt - 1) / cnt);
		}
	}
}
