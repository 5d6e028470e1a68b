// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A series of reports (-I) in the Trace Event Format: each value of a program is a counter. The
 * counter changes at the beginning of each interval. Owns the names of the counters and their
 * tracks; must not know the format of the file.
 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "json/json_make.h"
#include "json/trace_event.h"
#include "render/render.h"
#include "render/report_priv.h"

/* The counters of a program or scope. */
struct counters {
	struct trace_track track;
	const struct report *r;
	/* a function of the program; NULL: its entry function, or the counters of a scope */
	const char *func;
	/* with --by: the key that the runs have in common, such as "XDP_TX"; or NULL */
	const char *key;
	__u64 ns;
	FILE *out;
};

/* Writes a counter, unless its value is not known. */
static void write_known_counter(const struct counters *c, const struct report_row *row,
				const char *name, const char *series, double value)
{
	char cpu[24] = "", *text;

	if (isnan(value))
		return;
	if (row->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " on CPU %d", row->cpu);
	text = text__format("%s%s%s%s%s%s%s%s", text__or_empty(c->func), c->func ? ": " : "", name,
			    c->key ? ", " : "", c->key ? report__key(c->r)->label : "",
			    c->key ? " " : "", text__or_empty(c->key), cpu);
	trace_event__counter(&c->track, text, series, c->ns, value, c->out);
	free(text);
}

/* Writes the mean and P99 of a program's event. For a scope, writes its count of the event per second. */
static void write_event_counters(const struct counters *c, const struct report_row *row,
				 const struct report_event *ev)
{
	const char *unit = ev->unit && *ev->unit ? ev->unit : text__or_empty(ev->name);
	double value = report_row__value(row, ev);
	char *name, *tail;

	if (isnan(value))
		return;
	if (row->of_scope)
		value *= 1e9 / c->r->elapsed_ns;
	name = text__format("%s per %s", text__or_empty(ev->name),
			    row->of_scope ? "second" : "run");
	tail = text__format("%s, P99", name);
	write_known_counter(c, row, name, unit, value);
	if (!row->of_scope)
		write_known_counter(c, row, tail, unit, ev->stat[STAT_P99]);
	free(name);
	free(tail);
}

static void write_row_counters(const struct counters *c, const struct report_row *row)
{
	if (!row->of_scope) {
		write_known_counter(c, row, "runs per second", "runs",
				    report_row__runs_per_s(c->r, row));
		write_known_counter(c, row, "CPU", "%", 100 * row->cpu_share);
	}
	for (int i = 0; i < row->event_cnt; i++)
		write_event_counters(c, row, &row->event[i]);
}

/*
 * Writes the counters of a program or a scope: those of all CPUs together or, with -A, those of
 * each CPU.
 */
static void write_counters_of_rows(const struct counters *c, const struct report_row *all,
				   const struct report_row *cpu, int cpu_cnt)
{
	if (!cpu_cnt)
		write_row_counters(c, all);
	for (int i = 0; i < cpu_cnt; i++)
		write_row_counters(c, &cpu[i]);
}

static void write_track_name(const struct counters *c, const char *label, __u64 id)
{
	char *name = text__format(id ? "%s (%llu)" : "%s", label, id);

	trace_event__name(&c->track, "process_name", name, c->out);
	free(name);
}

/* Each program is a process. The number of the process is the id of the program or of the sum. */
static void write_prog(struct counters *c, const struct report_prog *p)
{
	char returns[RETURNS_SZ];

	c->track = (struct trace_track){.pid = p->id, .tid = p->id};
	c->func = p->subprog ? p->func : NULL;
	c->key = p->by_retval ? report_prog__returns(p, returns) : NULL;
	write_track_name(c, text__or_empty(p->name), p->programs ? 0 : p->id);
	write_counters_of_rows(c, &p->all, p->cpu, p->cpu_cnt);
}

static void write_scope(struct counters *c, const struct report_scope *s, int index)
{
	char *label = report_scope__label(s);

	c->track = (struct trace_track){.pid = index + 1, .tid = index + 1};
	write_track_name(c, label, 0);
	write_counters_of_rows(c, &s->all, s->cpu, s->cpu_cnt);
	free(label);
}

static void write_counters(const struct report *r, __u64 ns, FILE *out)
{
	struct counters c = {.r = r, .ns = ns, .out = out};

	for (int i = 0; i < r->prog_cnt; i++)
		write_prog(&c, &r->prog[i]);
	for (int i = 0; i < r->scope_cnt; i++)
		write_scope(&c, &r->scope[i], i);
}

void report__render_trace_event(const struct report *r, const struct render_opts *o, FILE *out)
{
	__u64 begin = r->interval_ns - r->elapsed_ns;

	if (r->total)
		return; /* the reports of the intervals have written it */
	if (o->header) {
		json_t *args = json_object();

		json__set_string(args, "version", r->version);
		json_object_set_new(
			args, "time_ns",
			json__make_u64(r->started.tv_sec * 1000000000ULL + r->started.tv_nsec));
		json_object_set_new(args, "calibrated", json_boolean(r->calibrated));
		trace_event__begin(args, out);
	}
	write_counters(r, r->interval_ns > r->elapsed_ns ? begin : 0, out);
	if (o->last) { /* repeat the values at the end of the last interval */
		write_counters(r, r->interval_ns, out);
		trace_event__end(out);
	}
}
