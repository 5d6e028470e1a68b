// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The JSON output of bprof trace, one object per line. Owns the fields. Must not know how records
 * are made.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "btf/retval.h"
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "session/session.h"
#include "trace/trace_json.h"

static json_t *make_events(const struct trace_output *o, const struct bprof_record *r)
{
	const struct session *s = o->s;
	json_t *all = json_array();

	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];
		const struct event_state *state = &s->env.fds->state[i];
		json_t *e;

		if (state->status != EVENT_OK)
			continue;
		e = json_object();
		json__set_string(e, "name", ev->name);
		json__set_string(e, "unit", ev->unit);
		if (r->failed >> state->slot & 1)
			json__set_string(e, "status", "not_counted");
		else
			json__set_number(e, "net", r->net[state->slot] * ev->scale);
		json_array_append_new(all, e);
	}
	return all;
}

static json_t *make_met_conditions(const struct trace_output *o, const struct bprof_record *r)
{
	const struct trace_conds *c = o->probe->conds;
	json_t *all = json_array();

	for (int i = 0; i < c->bound_cnt; i++)
		if (trace_output__is_true(o, r, &c->bound[i]))
			json_array_append_new(all, json__make_string(c->bound[i].spec));
	for (int i = 0; i < TRACE_ARGS_MAX; i++)
		if (trace_output__met_arg(o, r, i))
			json_array_append_new(all, json__make_string(o->probe->args->expr[i].spec));
	if (r->why & BPROF_WHY_RETVAL)
		json_array_append_new(all, json__make_string("retval"));
	if (r->why & BPROF_WHY_EVERY)
		json_array_append_new(all, json__make_string("every"));
	return all;
}

static void set_arg(json_t *obj, const struct arg_path *path, const void *value)
{
	char text[ARG_VALUE_SZ];
	__u64 number;

	memcpy(&number, value, sizeof(number));
	if (path->kind == ARG_BOOL)
		json_object_set_new(obj, "value", json_boolean(number));
	else if (path->kind != ARG_TEXT)
		json_object_set_new(obj, "value",
				    path->is_signed ? json_integer(number)
						    : json__make_u64(number));
	/* Add "text" where "value" may be rounded: above INT64_MAX, it is a double. */
	if (path->kind == ARG_TEXT || path->kind == ARG_POINTER ||
	    (!path->is_signed && number > INT64_MAX) ||
	    (path->kind == ARG_ENUM && arg_path__value_name(path, number)))
		json__set_string(obj, "text", arg_path__format(path, value, text));
}

/* Returns the arguments in the order of --arg. */
static json_t *make_arg_values(const struct trace_output *o, const struct bprof_record *r)
{
	const struct trace_args *args = o->probe->args;
	json_t *all = json_array();

	for (int i = 0; i < args->cnt; i++) {
		const void *value = trace_probe__arg(o->probe, r, i);
		json_t *one = json_object();

		json__set_string(one, "expr", args->expr[i].text);
		if (value)
			set_arg(one, trace_output__arg(o, r, i), value);
		else
			json__set_string(one, "status", "not_read");
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *make_packet(const struct trace_output *o, const struct bprof_record *r)
{
	json_t *packet = json_object();

	json_object_set_new(packet, "len", json_integer(r->packet_sz));
	json_object_set_new(packet, "snapped", json_integer(r->snapped));
	if (r->in_parts)
		json_object_set_new(packet, "in_parts", json_true());
	if (r->vlan_proto) {
		json_object_set_new(packet, "vlan_proto", json_integer(ntohs(r->vlan_proto)));
		json_object_set_new(packet, "vlan_tci", json_integer(r->vlan_tci));
	}
	if (o->bytes)
		json_object_set_new(packet, "data",
				    json__make_hex(trace_probe__packet(o->probe, r), r->snapped));
	return packet;
}

static json_t *make_stack(const struct trace_output *o, const struct bprof_record *r)
{
	json_t *stack = json_array();
	int cnt = trace_output__stack_cnt(r);

	for (int i = trace_output__first_frame(o, r); i < cnt; i++) {
		char symbol[160];

		trace_output__frame(o, r, i, symbol, sizeof(symbol));
		json_array_append_new(stack, json__make_string(symbol));
	}
	return stack;
}

static void set_program_and_func(json_t *obj, const struct target *t)
{
	json_object_set_new(obj, "id", json_integer(t->id));
	json__set_string(obj, "name", prog__name(t->prog));
	json__set_string(obj, "func", t->func);
	json__set_string(obj, "type", prog_type__name(t->prog->info.type));
}

void trace_json__set_details(json_t *obj, const struct trace_output *o,
			     const struct bprof_record *r)
{
	__u64 value;
	bool known;

	json_object_set_new(obj, "why", make_met_conditions(o, r));
	if (trace_output__has_key(o)) {
		/* as reports show it */
		char *name = trace_keys__name(o->keys, o->probe, r, &value, &known);

		json__set_string(obj, "key_name", name);
		if (known)
			json_object_set_new(obj, "key_value", json__make_u64(value));
		free(name);
	}
	if (o->packet)
		json_object_set_new(obj, "packet_id", json__make_u64(o->packet));
	if (o->probe->args && o->probe->args->cnt)
		json_object_set_new(obj, "args", make_arg_values(o, r));
	if (trace_probe__has_packets(o->probe, &o->s->targets.v[r->target]))
		json_object_set_new(obj, "packet", make_packet(o, r));
	if (r->stack_sz)
		json_object_set_new(obj, "stack", make_stack(o, r));
}

static void write_json_record(struct trace_output *o, int cpu, const struct bprof_record *r)
{
	const struct target *t = &o->s->targets.v[r->target];
	const char *name = retval__name(trace_output__type(t), r->retval);
	char comm[sizeof(r->comm) + 1] = "";
	json_t *obj = json_object();

	for (size_t i = 0; i < sizeof(r->comm); i++)
		comm[i] = r->comm[i];
	json_object_set_new(obj, "time_ns", json__make_u64(o->epoch_ns + r->ns));
	json_object_set_new(obj, "cpu", json_integer(cpu));
	set_program_and_func(obj, t);
	json_object_set_new(obj, "pid", json_integer(r->pid_tgid >> 32));
	json_object_set_new(obj, "tid", json_integer((__u32)r->pid_tgid));
	json__set_string(obj, "comm", comm);
	if (trace_probe__has_retval(t))
		json_object_set_new(obj, "retval", json_integer((__s32)r->retval));
	if (name)
		json__set_string(obj, "retval_name", name);
	json_object_set_new(obj, "events", make_events(o, r));
	trace_json__set_details(obj, o, r);
	json__print(obj, JSON_LINE, o->out);
}

/* Writes that cnt records are missing. cpu is -1 for all CPUs. */
static void write_missing(const struct trace_output *o, const char *what, int cpu, __u64 cnt)
{
	json_t *obj = json_object();
	json_object_set_new(obj, what, json__make_u64(cnt));

	if (cpu >= 0)
		json_object_set_new(obj, "cpu", json_integer(cpu));
	json__print(obj, JSON_LINE, o->out);
}

static void write_held(struct trace_output *o, __u64 cnt)
{
	write_missing(o, "held_back", -1, cnt);
}

static void write_json_lost(struct trace_output *o, int cpu, __u64 cnt)
{
	write_missing(o, "lost", cpu, cnt);
}

/* Returns the last limit of a percentile for each target that had enough runs. */
static json_t *make_percentile_limits(const struct trace_output *o, const struct trace_bound *b)
{
	json_t *all = json_array();

	for (int i = 0; i < o->s->targets.cnt; i++) {
		json_t *one;
		double value;

		if (!trace_output__bound(o, i, &value))
			continue;
		one = json_object();
		set_program_and_func(one, &o->s->targets.v[i]);
		json__set_string(one, "condition", b->spec);
		json__set_string(one, "unit", o->s->env.events->v[b->index].unit);
		json__set_number(one, "value", value);
		json_array_append_new(all, one);
	}
	return all;
}

/* Sets the own cost of a function in some runs, and its share of all functions' cost. */
static void set_self(json_t *obj, const char *self_key, const char *share_key, __s64 self,
		     __s64 total, double scale)
{
	json__set_number(obj, self_key, self * scale);
	if (total > 0)
		json__set_number(obj, share_key, (double)self / total);
}

static json_t *make_share_events(const struct session *s, const struct share_group *g,
				 const struct share_row *r)
{
	json_t *all = json_array();

	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];
		const struct event_state *state = &s->env.fds->state[i];
		__u32 slot = state->slot;
		json_t *e;

		if (state->status != EVENT_OK)
			continue;
		e = json_object();
		json__set_string(e, "name", ev->name);
		json__set_string(e, "unit", ev->unit);
		set_self(e, "self", "share", r->all.self[slot], share_group__total(g, slot, false),
			 ev->scale);
		set_self(e, "matched_self", "matched_share", r->matching.self[slot],
			 share_group__total(g, slot, true), ev->scale);
		json_array_append_new(all, e);
	}
	return all;
}

static json_t *make_share_row(const struct session *s, const struct share_group *g,
			      const struct share_row *r)
{
	const struct target *t = r->target;
	json_t *obj = json_object();

	json_object_set_new(obj, "id", json_integer(t->id));
	json__set_string(obj, "func", t->func);
	if (target__is_called(t))
		json_object_set_new(obj, "called", json_true());
	if (t->called.map) {
		json__set_string(obj, "map", t->called.map);
		json__set_string(obj, "map_type", t->called.map_type);
	}
	json_object_set_new(obj, "depth", json_integer(t->depth));
	json_object_set_new(obj, "calls", json__make_u64(r->all.calls));
	json_object_set_new(obj, "matched_calls", json__make_u64(r->matching.calls));
	json_object_set_new(obj, "events", make_share_events(s, g, r));
	return obj;
}

static json_t *make_shares(const struct session *s, const struct trace_shares *shares)
{
	json_t *all = json_array();

	for (int i = 0; i < shares->cnt; i++) {
		const struct share_group *g = &shares->v[i];
		json_t *one = json_object(), *rows = json_array();
		char why[DOUBT_SZ];
		const char *doubt = share_group__doubt(g, why, sizeof(why));

		json_object_set_new(one, "id", json_integer(g->target->id));
		json__set_string(one, "name", prog__name(g->target->prog));
		json_object_set_new(one, "runs", json__make_u64(g->all_runs));
		json_object_set_new(one, "matched", json__make_u64(g->matching_runs));
		if (doubt)
			json__set_string(one, "reason", doubt);
		for (int k = 0; !doubt && k < g->row_cnt; k++)
			if (share_row__is_shown(&g->row[k]))
				json_array_append_new(rows, make_share_row(s, g, &g->row[k]));
		json_object_set_new(one, "functions", rows);
		json_array_append_new(all, one);
	}
	return all;
}

json_t *trace_json__make_summary(const struct trace_output *o, const struct trace_summary *sum)
{
	const struct target_list *targets = &o->s->targets;
	json_t *inner = json_object(), *skipped = json_array();

	for (int i = 0; i < targets->skip_cnt; i++) {
		json_t *skip = json_object();

		json_object_set_new(skip, "id", json_integer(targets->skip[i].id));
		json__set_string(skip, "reason", reason__spec(targets->skip[i].reason.code)->name);
		json_array_append_new(skipped, skip);
	}
	json_object_set_new(inner, "elapsed_ns", json__make_u64(sum->elapsed_ns));
	json_object_set_new(inner, "calibrated", json_boolean(session__is_net(o->s)));
	json_object_set_new(inner, "invocations", json__make_u64(sum->invocations));
	json_object_set_new(inner, "measured", json__make_u64(sum->measured));
	if (sum->own)
		json_object_set_new(inner, "own_runs", json__make_u64(sum->own));
	json_object_set_new(inner, "matched", json__make_u64(sum->counts.matched));
	json_object_set_new(inner, "records", json__make_u64(sum->counts.records));
	json_object_set_new(inner, "lost", json__make_u64(sum->counts.lost));
	json_object_set_new(inner, "held_back", json__make_u64(sum->counts.held));
	if (o->joined) {
		json_object_set_new(inner, "packets", json__make_u64(sum->joined.packets));
		json_object_set_new(inner, "unjoined", json__make_u64(sum->joined.unjoined));
	}
	if (trace_conds__percentile(o->probe->conds))
		json_object_set_new(
			inner, "bounds",
			make_percentile_limits(o, trace_conds__percentile(o->probe->conds)));
	if (sum->shares.cnt)
		json_object_set_new(inner, "shares", make_shares(o->s, &sum->shares));
	json_object_set_new(inner, "skipped", skipped);
	return inner;
}

static void write_summary_object(struct trace_output *o, const struct trace_summary *sum)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "summary", trace_json__make_summary(o, sum));

	json__print(obj, JSON_LINE, o->out);
}

const struct trace_format trace_json = {.record = write_json_record,
					.held = write_held,
					.lost = write_json_lost,
					.end = write_summary_object};
