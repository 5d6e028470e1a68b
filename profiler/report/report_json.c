// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as JSON, schema 1: fields may be added, never renamed. Owns the
 * names and the order of the fields that no table has; must not know where the numbers are from.
 *
 * What is not known is left out; there is no null. The text is ASCII, everything else is \u
 * escaped: a foreign name can do nothing to the terminal it is shown on.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <jansson.h>

#include "json/json_ascii.h"
#include "json/json_make.h"
#include "report/metric.h"
#include "report/report.h"
#include "report/report_head.h"

/* [[low, high, runs], …] */
static json_t *make_hist(const struct report_event *ev)
{
	json_t *hist = json_array();
	int err = 0;

	for (int i = 0; i < ev->bucket_cnt; i++) {
		json_t *bucket = json_array();

		err |= json_array_append_new(bucket, json__make_number(ev->bucket[i].low));
		err |= json_array_append_new(bucket, json__make_number(ev->bucket[i].high));
		err |= json_array_append_new(bucket, json__make_u64(ev->bucket[i].count));
		err |= json_array_append_new(hist, bucket);
	}
	return json__finish(hist, err);
}

static int set_stats(json_t *obj, const double *stat)
{
	int err = 0;

	for (int i = 0; i < STAT_CNT; i++)
		err |= json__set_number(obj, stat_specs[i].name, stat[i]);
	return err;
}

/* {"p50": [least, greatest], …} of what is known to within a bucket only */
static json_t *make_bounds(const struct report_event *ev)
{
	json_t *obj = json_object();
	int err = 0;

	for (int i = 0; i < STAT_CNT; i++) {
		json_t *bounds;

		if (!report_event__is_rough(ev, i))
			continue;
		bounds = json_array();
		err |= json_array_append_new(bounds, json__make_number(ev->low[i]));
		err |= json_array_append_new(bounds, json__make_number(ev->high[i]));
		err |= json_object_set_new(obj, stat_specs[i].name, bounds);
	}
	return json__finish(obj, err);
}

static json_t *make_blocks(const struct report_event *ev)
{
	json_t *blocks = json_array();
	int err = 0;

	for (int i = 0; i < ev->block_cnt; i++) {
		json_t *block = json_object();

		err |= json_object_set_new(block, "measured",
					   json__make_u64(ev->block[i].measured));
		err |= set_stats(block, ev->block[i].stat);
		err |= json_array_append_new(blocks, block);
	}
	return json__finish(blocks, err);
}

static json_t *make_change(const struct report_event *ev)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_number(obj, "absolute", ev->change);
	err |= json__set_number(obj, "relative", ev->change_share);
	err |= json_object_set_new(obj, "from", json_integer(ev->change_from));
	return json__finish(obj, err);
}

/* What an event has by its runs. */
static int set_event_runs(json_t *obj, const struct report_event *ev)
{
	json_t *stats = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "measured", json__make_u64(ev->measured));
	if (report_event__has_value(ev))
		err |= set_stats(stats, ev->stat);
	err |= json_object_set_new(obj, "per_run", stats);
	if (report_event__has_value(ev) && !isnan(ev->stat[STAT_P50]))
		err |= json_object_set_new(obj, "bounds", make_bounds(ev));
	if (report_event__has_value(ev))
		err |= json__set_number(obj, "raw_per_run", ev->raw_per_run);
	if (!isnan(ev->change))
		err |= json_object_set_new(obj, "change", make_change(ev));
	err |= json__set_number(obj, "bias", ev->bias);
	err |= json__set_number(obj, "bias_stddev", ev->bias_stddev);
	if (ev->bias_uncertainty > 0)
		err |= json__set_number(obj, "bias_uncertainty", ev->bias_uncertainty);
	if (ev->sampled)
		err |= json_object_set_new(obj, "samples", json__make_u64(ev->samples));
	err |= json__set_number(obj, "total_stddev", ev->total_stddev);
	err |= json__set_number(obj, "mean_stddev", ev->mean_stddev);
	if (ev->exact)
		err |= json_object_set_new(obj, "exact", json_true());
	if (ev->block_cnt)
		err |= json_object_set_new(obj, "blocks", make_blocks(ev));
	return err;
}

static json_t *make_event(const struct report_row *row, const struct report_event *ev)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "name", ev->name);
	if (ev->base && strcmp(ev->base, ev->name ?: ""))
		err |= json__set_string(obj, "base", ev->base);
	err |= json__set_string(obj, "unit", ev->unit);
	err |= json__set_string(obj, "status", event_status_specs[ev->status].name);
	if (ev->detail)
		err |= json__set_string(obj, "detail", ev->detail);
	if (ev->status == EVENT_OK)
		err |= json__set_number(obj, "total", ev->total);
	if (row->of_scope) {
		err |= json__set_number(obj, "enabled_ns", ev->enabled_ns);
		err |= json__set_number(obj, "running_ns", ev->running_ns);
	} else {
		err |= set_event_runs(obj, ev);
	}
	err |= json__set_number(obj, "repeat_stddev", ev->repeat_stddev);
	if (ev->read)
		err |= json__set_string(obj, "read", ev->read);
	if (ev->bucket_cnt)
		err |= json_object_set_new(obj, "hist", make_hist(ev));
	return json__finish(obj, err);
}

static json_t *make_period(const struct report_row *row)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "min", json__make_u64(row->period_min));
	err |= json_object_set_new(obj, "max", json__make_u64(row->period_max));
	return json__finish(obj, err);
}

static int set_row_runs(json_t *obj, const struct report *r, const struct report_row *row)
{
	json_t *lost = json_object();
	int err = 0;

	for (int i = 0; i < LOST_CNT; i++)
		err |= json_object_set_new(lost, lost_specs[i].name, json__make_u64(row->lost[i]));
	err |= json_object_set_new(obj, "runs", json__make_u64(row->runs));
	err |= json_object_set_new(obj, "measured", json__make_u64(row->measured));
	err |= json_object_set_new(obj, "sampled_out", json__make_u64(row->thinned_out));
	if (row->period_max)
		err |= json_object_set_new(obj, "period", make_period(row));
	err |= json_object_set_new(obj, "lost", lost);
	err |= json__set_number(obj, "runs_per_s", report_row__runs_per_s(r, row));
	err |= json__set_number(obj, "cpu_share", row->cpu_share);
	if (row->share_estimated)
		err |= json_object_set_new(obj, "cpu_share_estimated", json_true());
	return err;
}

/* The fields that a program or a scope has as a whole and on each CPU. */
static int set_row(json_t *obj, const struct report *r, const struct report_row *row)
{
	json_t *events = json_array(), *ratios = json_object();
	int err = row->of_scope ? 0 : set_row_runs(obj, r, row);

	for (int i = 0; i < row->event_cnt; i++)
		err |= json_array_append_new(events, make_event(row, &row->event[i]));
	for (int i = 0; i < metric_cnt; i++)
		err |= json__set_number(ratios, metrics[i].name, metric__value(&metrics[i], row));
	err |= json_object_set_new(obj, "events", events);
	err |= json_object_set_new(obj, "metrics", ratios);
	return err;
}

static json_t *make_cpus(const struct report *r, const struct report_row *cpu, int cnt)
{
	json_t *cpus = json_array();
	int err = 0;

	for (int i = 0; i < cnt; i++) {
		json_t *obj = json_object();

		err |= json_object_set_new(obj, "cpu", json_integer(cpu[i].cpu));
		err |= set_row(obj, r, &cpu[i]);
		err |= json_array_append_new(cpus, obj);
	}
	return json__finish(cpus, err);
}

json_t *report_notes__to_json(const struct report_notes *from)
{
	json_t *notes = json_array();
	int err = 0;

	for (int i = 0; i < from->cnt; i++)
		err |= json_array_append_new(notes, json__make_string(from->text[i]));
	return json__finish(notes, err);
}

static json_t *make_retvals(const struct report_prog *p)
{
	json_t *list = json_array();

	for (int i = 0; i < p->retvals_cnt; i++)
		if (json_array_append_new(list, json_integer(p->retvals[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *make_sizes(const struct report_prog *p)
{
	json_t *obj = json_object();
	int err = 0;

	for (int i = 0; i < SIZE_CNT; i++)
		err |= json__set_number(obj, size_specs[i].name, p->size[i]);
	return json__finish(obj, err);
}

static json_t *make_version(const struct report_version *v)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "load_time_ns", json__make_u64(v->load_time_ns));
	err |= json__set_number(obj, "loaded_ns", v->loaded_ns);
	err |= json__set_number(obj, "attached_after_ns", v->attached_ns);
	err |= json__set_number(obj, "missed_runs", v->missed);
	err |= json__set_number(obj, "ended_ns", v->ended_ns);
	err |= json_object_set_new(obj, "let_go", json_integer(v->let_go_cnt));
	err |= json_object_set_new(obj, "baseline", json_boolean(v->baseline));
	return json__finish(obj, err);
}

static json_t *make_prog(const struct report *r, const struct report_prog *p,
			 const struct render_opts *o)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "id", json_integer(p->id));
	err |= json__set_string(obj, "name", p->name);
	err |= json__set_string(obj, "func", p->func);
	if (p->input)
		err |= json__set_string(obj, "case", p->input);
	err |= json__set_string(obj, "type", p->type);
	err |= json__set_string(obj, "tag", p->tag);
	err |= json__set_string(obj, "method", p->method);
	if (p->version.followed)
		err |= json_object_set_new(obj, "version", make_version(&p->version));
	if (p->subprog) {
		err |= json_object_set_new(obj, "subprogram", json_true());
		err |= json_object_set_new(obj, "depth", json_integer(p->depth));
		err |= json__set_number(obj, "calls_per_run", p->calls_per_run);
	}
	err |= json__set_number(obj, "retval", p->retval);
	if (p->retval_varies)
		err |= json_object_set_new(obj, "retval_varies", json_true());
	if (p->retvals)
		err |= json_object_set_new(obj, "retvals", make_retvals(p));
	if (report_prog__has_size(p))
		err |= json_object_set_new(obj, "size", make_sizes(p));
	if (p->notes.cnt)
		err |= json_object_set_new(obj, "notes", report_notes__to_json(&p->notes));
	err |= set_row(obj, r, &p->all);
	err |= json__set_number(obj, "recursion_misses", p->recursion_misses);
	if (o->per_cpu)
		err |= json_object_set_new(obj, "cpus", make_cpus(r, p->cpu, p->cpu_cnt));
	return json__finish(obj, err);
}

static json_t *make_scope(const struct report *r, const struct report_scope *s,
			  const struct render_opts *o)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "scope", s->kind);
	err |= json_object_set_new(obj, "id", json__make_u64(s->id));
	err |= json__set_string(obj, "name", s->name);
	err |= json__set_string(obj, "method", s->method);
	err |= json_object_set_new(obj, "shared", json_boolean(s->shared));
	if (s->notes.cnt)
		err |= json_object_set_new(obj, "notes", report_notes__to_json(&s->notes));
	err |= set_row(obj, r, &s->all);
	if (o->per_cpu)
		err |= json_object_set_new(obj, "cpus", make_cpus(r, s->cpu, s->cpu_cnt));
	return json__finish(obj, err);
}

/* Beside the programs only where there are some. */
static int set_scopes(json_t *obj, const struct report *r, const struct render_opts *o)
{
	json_t *scopes;
	int err = 0;

	if (!r->scope_cnt)
		return 0;
	scopes = json_array();
	for (int i = 0; i < r->scope_cnt; i++)
		err |= json_array_append_new(scopes, make_scope(r, &r->scope[i], o));
	return err | json_object_set_new(obj, "system", scopes);
}

static json_t *make_skip(const struct report_skip *s)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "id", json_integer(s->id));
	err |= json__set_string(obj, "name", s->name);
	err |= json__set_string(obj, "reason", s->reason);
	err |= json__set_string(obj, "detail", s->detail);
	return json__finish(obj, err);
}

static json_t *make_host(const struct report *r)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "kernel", r->host.kernel);
	err |= json__set_string(obj, "arch", r->host.arch);
	err |= json_object_set_new(obj, "cpus", json_integer(r->host.cpus));
	if (r->host.cpu_model)
		err |= json__set_string(obj, "cpu_model", r->host.cpu_model);
	if (!r->host.jit_unknown)
		err |= json_object_set_new(obj, "jit", json_boolean(r->host.jit));
	return json__finish(obj, err);
}

static json_t *make_command(char *const *command)
{
	json_t *args = json_array();
	int err = 0;

	for (; command && *command; command++)
		err |= json_array_append_new(args, json__make_string(*command));
	return json__finish(args, err);
}

int report__set_head(json_t *obj, const struct report *r)
{
	char started[sizeof("2026-01-01T00:00:00Z") + 8] = "";
	struct tm tm;
	int err = 0;

	if (gmtime_r(&r->started.tv_sec, &tm))
		strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm);
	err |= json__set_string(obj, "tool", "bprof");
	err |= json__set_string(obj, "version", r->version);
	err |= json_object_set_new(obj, "command", make_command(r->command));
	err |= json_object_set_new(obj, "host", make_host(r));
	err |= json__set_string(obj, "started", started);
	return err | json_object_set_new(obj, "elapsed_ns", json__make_u64(r->elapsed_ns));
}

int report__set_skipped(json_t *obj, const struct report *r)
{
	json_t *skipped = json_array();
	int err = 0;

	for (int i = 0; i < r->skip_cnt; i++)
		err |= json_array_append_new(skipped, make_skip(&r->skip[i]));
	return err | json_object_set_new(obj, "skipped", skipped);
}

static json_t *make_thin_auto(const struct report *r)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_number(obj, "share", r->thin_auto.share);
	err |= json__set_number(obj, "added_share", r->thin_auto.added);
	err |= json__set_number(obj, "counting_share", r->thin_auto.counting);
	return json__finish(obj, err);
}

static json_t *make_sampling(const struct report *r)
{
	json_t *obj = json_object(), *events = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "frequency", json__make_u64(r->sample_freq));
	for (int i = 0; i < r->sampling_cnt; i++) {
		json_t *ev = record_samples__to_json(&r->sampling[i].sum);

		err |= json__set_string(ev, "event", r->sampling[i].event);
		err |= json_array_append_new(events, ev);
	}
	err |= json_object_set_new(obj, "events", events);
	return json__finish(obj, err);
}

/* When it began and ended since the start of measuring, and how long it was. */
static json_t *make_interval(const struct report *r)
{
	__u64 start = r->interval_ns > r->elapsed_ns ? r->interval_ns - r->elapsed_ns : 0;
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "start_ns", json__make_u64(start));
	err |= json_object_set_new(obj, "end_ns", json__make_u64(r->interval_ns));
	err |= json_object_set_new(obj, "duration_ns", json__make_u64(r->elapsed_ns));
	return json__finish(obj, err);
}

static json_t *make_report(const struct report *r, const struct render_opts *o)
{
	json_t *obj = json_object(), *progs = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "schema", json_integer(REPORT_SCHEMA));
	err |= report__set_head(obj, r);
	if (r->total) {
		err |= json_object_set_new(obj, "total", json_true());
	} else if (o->interval) {
		err |= json_object_set_new(obj, "interval_ns", json__make_u64(r->interval_ns));
		err |= json_object_set_new(obj, "interval", make_interval(r));
	}
	err |= json_object_set_new(obj, "repeats", json_integer(r->repeats));
	if (r->thin_period)
		err |= json_object_set_new(obj, "sample", json__make_u64(r->thin_period));
	else
		err |= json_object_set_new(obj, "sample_auto", make_thin_auto(r));
	if (r->sampling_cnt)
		err |= json_object_set_new(obj, "sampling", make_sampling(r));
	err |= json_object_set_new(obj, "calibrated", json_boolean(r->calibrated));
	if (r->followed)
		err |= json_object_set_new(obj, "followed", json_true());
	if (r->driven)
		err |= json_object_set_new(obj, "driven", json_true());
	for (int i = 0; i < r->prog_cnt; i++)
		err |= json_array_append_new(progs, make_prog(r, &r->prog[i], o));
	err |= json_object_set_new(obj, "programs", progs);
	err |= set_scopes(obj, r, o);
	err |= report__set_skipped(obj, r);
	return json__finish(obj, err);
}

int report__render_json(const struct report *r, const struct render_opts *o, FILE *out)
{
	/* An interval is one line, a line is a document; alone it is indented for people. */
	size_t layout = o->interval ? JSON_COMPACT : JSON_INDENT(1);
	json_t *doc = make_report(r, o);
	int err;

	if (!doc)
		return -ENOMEM;
	/* 15 digits are what any double keeps: 0.1 does not come out as 0.10000000000000001. */
	err = json__print_ascii(doc, layout | JSON_REAL_PRECISION(15), out);
	json_decref(doc);
	return err || ferror(out) ? -ENOMEM : 0;
}
