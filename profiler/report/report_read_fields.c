// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From a JSON document to the report. Owns which fields there must be and what they may hold; must not
 * know where the document is from, or what is done with the numbers. Prints nothing.
 *
 * Each value is checked: the document may be anybody's. Fields that are not known here are passed
 * over, newer versions add some. What follows from other fields (runs_per_s, metrics) is not read.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/probe.h"
#include "report/report_head.h"
#include "report/report_read.h"
#include "base/util.h"

#define REPORT(field) offsetof(struct report, field)
#define PROG(field) offsetof(struct report_prog, field)
#define ROW(field) offsetof(struct report_row, field)
#define EVENT(field) offsetof(struct report_event, field)
#define SCOPE(field) offsetof(struct report_scope, field)
#define SKIP(field) offsetof(struct report_skip, field)
/* What a field fills is not one member: its function gets the whole struct. */
#define WHOLE 0

/* to: double[STAT_CNT] */
static int read_stats(struct reader *rd, json_t *v, void *to)
{
	struct field fields[STAT_CNT];

	for (int i = 0; i < STAT_CNT; i++)
		fields[i] = (struct field){stat_specs[i].name, reader__number, i * sizeof(double),
					   false};
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

/* [least, greatest]; to: the two doubles of one statistic. */
static int read_bounds_of(struct reader *rd, json_t *v, void *to)
{
	double *low = to, *high = low + STAT_CNT;
	int err;

	_Static_assert(EVENT(high) == EVENT(low) + STAT_CNT * sizeof(double),
		       "the one follows the other");
	if (!json_is_array(v) || json_array_size(v) != 2)
		return reader__refuse(rd, "[least, greatest] is wanted");
	err = reader__element(rd, v, 0, reader__number, low)
		      ?: reader__element(rd, v, 1, reader__number, high);
	return !err && *low > *high ? reader__refuse(rd, "the values are not in order") : err;
}

static int read_bounds(struct reader *rd, json_t *v, void *to)
{
	struct report_event *ev = to;
	struct field fields[STAT_CNT];

	for (int i = 0; i < STAT_CNT; i++)
		fields[i] = (struct field){stat_specs[i].name, read_bounds_of, i * sizeof(double),
					   false};
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), ev->low);
}

/* Of a report from before there were bounds: a percentile was the middle of its bucket. */
static void assume_bounds(struct report_event *ev)
{
	for (int i = STAT_P50; i <= STAT_P999; i++) {
		double v = ev->stat[i], half = fabs(v) / (2 << BPROF_HIST_SUB_BITS);

		if (isnan(v) || fabs(v) < 2 << BPROF_HIST_SUB_BITS)
			continue;
		ev->low[i] = fmin(v, fmax(v - half, ev->stat[STAT_MIN]));
		ev->high[i] = fmax(v, fmin(v + half, ev->stat[STAT_MAX]));
	}
}

static int read_lost(struct reader *rd, json_t *v, void *to)
{
	struct field fields[LOST_CNT];

	for (int i = 0; i < LOST_CNT; i++)
		fields[i] =
			(struct field){lost_specs[i].name, reader__u64, i * sizeof(__u64), true};
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

/* ---- events ---- */

/* [low, high, runs] */
static int read_bucket(struct reader *rd, json_t *v, void *to)
{
	static const struct {
		read_fn read;
		size_t offset;
	} parts[] = {{reader__number, offsetof(struct report_bucket, low)},
		     {reader__number, offsetof(struct report_bucket, high)},
		     {reader__u64, offsetof(struct report_bucket, count)}};
	struct report_event *ev = to;
	struct report_bucket *b;
	int err = 0;

	if (!json_is_array(v) || json_array_size(v) != ARRAY_SIZE(parts))
		return reader__refuse(rd, "[low, high, runs] is wanted");
	b = report_event__add_bucket(ev);
	if (!b)
		return -ENOMEM;
	for (size_t i = 0; !err && i < ARRAY_SIZE(parts); i++)
		err = reader__element(rd, v, i, parts[i].read, (char *)b + parts[i].offset);
	if (err)
		return err;
	if (!b->count)
		return reader__refuse(rd, "no runs in it");
	/* the bounds of two may be the same where they are too large, or too small, to be told apart */
	if (b->low > b->high || (ev->bucket_cnt > 1 && b->low < b[-1].high))
		return reader__refuse(rd, "the values are not in order");
	return 0;
}

static int read_hist(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_bucket, to);
}

static int read_block(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"measured", reader__u64, offsetof(struct report_block, measured), true},
	};
	struct report_block *b = report_event__add_block(to);
	int err;

	if (!b)
		return -ENOMEM;
	err = reader__object(rd, v, fields, ARRAY_SIZE(fields), b) ?: read_stats(rd, v, b->stat);
	return !err && !b->measured ? reader__refuse(rd, "no runs in it") : err;
}

static int read_blocks(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_block, to);
}

static int read_samples(struct reader *rd, json_t *v, void *to)
{
	struct report_event *ev = to;

	ev->sampled = true;
	return reader__u64(rd, v, &ev->samples);
}

static int read_change(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"absolute", reader__number, EVENT(change), true},
		{"relative", reader__number, EVENT(change_share), false},
		{"from", reader__id, EVENT(change_from), true},
	};

	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

static const struct field event_fields[] = {
	{"name", reader__string, EVENT(name), true},
	{"base", reader__string, EVENT(base), false},
	{"unit", reader__string, EVENT(unit), false},
	{"status", reader__status, EVENT(status), true},
	{"detail", reader__string, EVENT(detail), false},
	{"total", reader__number, EVENT(total), false},
	{"repeat_stddev", reader__number, EVENT(repeat_stddev), false},
};

/* Of a program's event, in addition. */
static const struct field event_run_fields[] = {
	{"measured", reader__u64, EVENT(measured), true},
	{"per_run", read_stats, EVENT(stat), false},
	{"bounds", read_bounds, WHOLE, false},
	{"raw_per_run", reader__number, EVENT(raw_per_run), false},
	{"bias", reader__number, EVENT(bias), false},
	{"bias_stddev", reader__number, EVENT(bias_stddev), false},
	{"bias_uncertainty", reader__number, EVENT(bias_uncertainty), false},
	{"read", reader__word, EVENT(read), false},
	{"hist", read_hist, WHOLE, false},
	{"exact", reader__bool, EVENT(exact), false},
	{"samples", read_samples, WHOLE, false},
	{"total_stddev", reader__amount, EVENT(total_stddev), false},
	{"mean_stddev", reader__amount, EVENT(mean_stddev), false},
	{"blocks", read_blocks, WHOLE, false},
	{"change", read_change, WHOLE, false},
};

/* Of a scope's event, in addition. */
static const struct field event_time_fields[] = {
	{"enabled_ns", reader__amount, EVENT(enabled_ns), false},
	{"running_ns", reader__amount, EVENT(running_ns), false},
};

/* All the events of a session are a few; each new name is one more column in a table. */
static int note_event(struct reader *rd, const char *name)
{
	for (int i = 0; i < rd->event_cnt; i++)
		if (!strcmp(rd->event[i], name))
			return 0;
	if (rd->event_cnt == READER_MAX_EVENTS)
		return reader__refuse(rd, "more than %d different events", READER_MAX_EVENTS);
	rd->event[rd->event_cnt++] = name;
	return 0;
}

static int read_event(struct reader *rd, json_t *v, void *to)
{
	struct report_row *row = to;
	struct report_event *ev;
	int err;

	if (row->event_cnt == READER_MAX_EVENTS)
		return reader__refuse(rd, "more than %d events", READER_MAX_EVENTS);
	ev = report_row__add_event(row);
	if (!ev)
		return -ENOMEM;
	err = reader__object(rd, v, event_fields, ARRAY_SIZE(event_fields), ev);
	if (!err && row->of_scope)
		err = reader__object(rd, v, event_time_fields, ARRAY_SIZE(event_time_fields), ev);
	else if (!err)
		err = reader__object(rd, v, event_run_fields, ARRAY_SIZE(event_run_fields), ev);
	if (!err && !json_object_get(v, "bounds"))
		assume_bounds(ev);
	if (!err && !ev->base) {
		ev->base = strdup(ev->name);
		err = ev->base ? 0 : -ENOMEM;
	}
	return err ?: note_event(rd, json_string_value(json_object_get(v, "name")));
}

static int read_events(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_event, to);
}

/* ---- programs and scopes ---- */

/* The periods that --sample auto had chosen at the end. */
static int read_period(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"min", reader__u64, ROW(period_min), true},
		{"max", reader__u64, ROW(period_max), true},
	};

	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

static const struct field row_run_fields[] = {
	{"runs", reader__u64, ROW(runs), true},
	{"measured", reader__u64, ROW(measured), true},
	{"sampled_out", reader__u64, ROW(thinned_out), false},
	{"period", read_period, WHOLE, false},
	{"lost", read_lost, ROW(lost), true},
	{"cpu_share", reader__number, ROW(cpu_share), false},
	{"cpu_share_estimated", reader__bool, ROW(share_estimated), false},
};

static int read_row(struct reader *rd, json_t *v, struct report_row *row)
{
	static const struct field fields[] = {{"events", read_events, WHOLE, true}};
	int err = 0;

	if (++rd->rows > READER_MAX_ROWS)
		return reader__refuse(rd, "more than %d programs, scopes and CPUs",
				      READER_MAX_ROWS);
	if (!row->of_scope)
		err = reader__object(rd, v, row_run_fields, ARRAY_SIZE(row_run_fields), row);
	return err ?: reader__object(rd, v, fields, ARRAY_SIZE(fields), row);
}

/* row: just added to its program or scope; NULL: out of memory. */
static int read_cpu(struct reader *rd, json_t *v, struct report_row *row)
{
	static const struct field fields[] = {{"cpu", reader__int, ROW(cpu), true}};

	if (!row)
		return -ENOMEM;
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), row) ?: read_row(rd, v, row);
}

static int read_prog_cpu(struct reader *rd, json_t *v, void *to)
{
	return read_cpu(rd, v, report_prog__add_cpu(to, -1));
}

static int read_prog_cpus(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_prog_cpu, to);
}

static int read_scope_cpu(struct reader *rd, json_t *v, void *to)
{
	return read_cpu(rd, v, report_scope__add_cpu(to, -1));
}

static int read_scope_cpus(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_scope_cpu, to);
}

static int read_note(struct reader *rd, json_t *v, void *to)
{
	if (!json_is_string(v))
		return reader__refuse_type(rd, "a string", v);
	return report_notes__add(to, "%s", json_string_value(v));
}

int report_notes__read(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_note, to);
}

/* to: double[SIZE_CNT] */
static int read_sizes(struct reader *rd, json_t *v, void *to)
{
	struct field fields[SIZE_CNT];

	for (int i = 0; i < SIZE_CNT; i++)
		fields[i] = (struct field){size_specs[i].name, reader__amount, i * sizeof(double),
					   false};
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

static int read_retvals(struct reader *rd, json_t *v, void *to)
{
	struct report_prog *p = to;
	int err = json_is_array(v) ? 0 : reader__refuse_type(rd, "an array", v);

	if (err)
		return err;
	p->retvals = calloc(json_array_size(v) + 1, sizeof(*p->retvals));
	if (!p->retvals)
		return -ENOMEM;
	for (size_t i = 0; !err && i < json_array_size(v); i++, p->retvals_cnt++)
		err = reader__element(rd, v, i, reader__id, &p->retvals[i]);
	return err;
}

/* Of a program that was followed. */
static int read_version(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"load_time_ns", reader__u64, offsetof(struct report_version, load_time_ns), true},
		{"loaded_ns", reader__number, offsetof(struct report_version, loaded_ns), false},
		{"attached_after_ns", reader__number, offsetof(struct report_version, attached_ns),
		 false},
		{"missed_runs", reader__amount, offsetof(struct report_version, missed), false},
		{"ended_ns", reader__number, offsetof(struct report_version, ended_ns), false},
		{"let_go", reader__id, offsetof(struct report_version, let_go_cnt), false},
		{"baseline", reader__bool, offsetof(struct report_version, baseline), false},
	};
	struct report_version *version = to;

	version->followed = true;
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), version);
}

static const struct field prog_fields[] = {
	{"id", reader__id, PROG(id), true},
	{"name", reader__string, PROG(name), false},
	{"func", reader__string, PROG(func), false},
	{"case", reader__string, PROG(input), false},
	{"type", reader__string, PROG(type), false},
	{"tag", reader__tag, PROG(tag), false},
	{"method", reader__word, PROG(method), true},
	{"subprogram", reader__bool, PROG(subprog), false},
	{"depth", reader__depth, PROG(depth), false},
	{"calls_per_run", reader__number, PROG(calls_per_run), false},
	{"recursion_misses", reader__number, PROG(recursion_misses), false},
	{"retval", reader__retval, PROG(retval), false},
	{"retval_varies", reader__bool, PROG(retval_varies), false},
	{"retvals", read_retvals, 0, false},
	{"version", read_version, PROG(version), false},
	{"size", read_sizes, PROG(size), false},
	{"notes", report_notes__read, PROG(notes), false},
	{"cpus", read_prog_cpus, WHOLE, false}, /* with -A */
};

static int read_prog(struct reader *rd, json_t *v, void *to)
{
	struct report_prog *p = report__add_prog(to);

	if (!p)
		return -ENOMEM;
	return reader__object(rd, v, prog_fields, ARRAY_SIZE(prog_fields), p)
		       ?: read_row(rd, v, &p->all);
}

static int read_progs(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_prog, to);
}

static const struct field scope_fields[] = {
	{"scope", reader__word, SCOPE(kind), true},
	{"id", reader__u64, SCOPE(id), false},
	{"name", reader__string, SCOPE(name), false},
	{"method", reader__word, SCOPE(method), true},
	{"shared", reader__bool, SCOPE(shared), false},
	{"notes", report_notes__read, SCOPE(notes), false},
	{"cpus", read_scope_cpus, WHOLE, false}, /* with -A */
};

static int read_scope(struct reader *rd, json_t *v, void *to)
{
	struct report_scope *s = report__add_scope(to);

	if (!s)
		return -ENOMEM;
	return reader__object(rd, v, scope_fields, ARRAY_SIZE(scope_fields), s)
		       ?: read_row(rd, v, &s->all);
}

static int read_scopes(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_scope, to);
}

/* ---- the whole ---- */

static int read_skip(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"id", reader__id, SKIP(id), true},
		{"name", reader__string, SKIP(name), false},
		{"reason", reader__word, SKIP(reason), true},
		{"detail", reader__string, SKIP(detail), false},
	};
	struct report_skip *s = report__add_skip(to);

	return s ? reader__object(rd, v, fields, ARRAY_SIZE(fields), s) : -ENOMEM;
}

static int read_skips(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_skip, to);
}

static int read_command(struct reader *rd, json_t *v, void *to)
{
	char ***command = to;
	int err = 0;

	if (!json_is_array(v))
		return reader__refuse_type(rd, "an array", v);
	*command = calloc(json_array_size(v) + 1, sizeof(**command));
	if (!*command)
		return -ENOMEM;
	for (size_t i = 0; !err && i < json_array_size(v); i++)
		err = reader__element(rd, v, i, reader__string, *command + i);
	return err;
}

static int read_jit(struct reader *rd, json_t *v, void *to)
{
	struct report *r = to;

	r->host.jit_unknown = false;
	return reader__bool(rd, v, &r->host.jit);
}

static int read_host(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"kernel", reader__string, REPORT(host.kernel), false},
		{"arch", reader__string, REPORT(host.arch), false},
		{"cpus", reader__int, REPORT(host.cpus), false},
		{"cpu_model", reader__string, REPORT(host.cpu_model), false},
		{"jit", read_jit, WHOLE, false},
	};
	struct report *r = to;

	r->host.jit_unknown = true;
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

/* Instead of "sample". */
static int read_thin_auto(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"share", reader__share, REPORT(thin_auto.share), true},
		{"added_share", reader__number, REPORT(thin_auto.added), false},
		{"counting_share", reader__number, REPORT(thin_auto.counting), false},
	};
	struct report *r = to;

	r->thin_period = 0;
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

static int read_sampled_event(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"event", reader__string, offsetof(struct report_sampling, event), true},
	};
	struct report_sampling *s;

	if (rd->r->sampling_cnt == READER_MAX_EVENTS)
		return reader__refuse(rd, "more than %d events", READER_MAX_EVENTS);
	s = report__add_sampling(to);
	if (!s)
		return -ENOMEM;
	return reader__object(rd, v, fields, ARRAY_SIZE(fields), s)
		       ?: record_samples__read(rd, v, &s->sum);
}

static int read_sampled_events(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_sampled_event, to);
}

static int read_sampling(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"frequency", reader__natural, REPORT(sample_freq), true},
		{"events", read_sampled_events, WHOLE, true},
	};

	return reader__object(rd, v, fields, ARRAY_SIZE(fields), to);
}

static const struct field head_fields[] = {
	{"version", reader__string, REPORT(version), false},
	{"command", read_command, REPORT(command), false},
	{"host", read_host, WHOLE, false},
	{"started", reader__time, REPORT(started), false},
	{"elapsed_ns", reader__u64, REPORT(elapsed_ns), false},
	{"skipped", read_skips, WHOLE, false},
};

static const struct field report_fields[] = {
	{"interval_ns", reader__u64, REPORT(interval_ns), false},
	{"repeats", reader__repeats, REPORT(repeats), false},
	{"sample", reader__natural, REPORT(thin_period), false},
	{"sample_auto", read_thin_auto, WHOLE, false},
	{"sampling", read_sampling, WHOLE, false},
	{"calibrated", reader__bool, REPORT(calibrated), true},
	{"driven", reader__bool, REPORT(driven), false},
	{"followed", reader__bool, REPORT(followed), false},
	{"total", reader__bool, REPORT(total), false},
	{"programs", read_progs, WHOLE, true},
	{"system", read_scopes, WHOLE, false},
};

int report__fill_head(struct reader *rd, json_t *doc)
{
	return reader__object(rd, doc, head_fields, ARRAY_SIZE(head_fields), rd->r);
}

int report__fill(struct report *r, json_t *doc, struct report_error *err)
{
	struct reader rd = {.r = r, .err = err};

	return report__fill_head(&rd, doc)
		       ?: reader__object(&rd, doc, report_fields, ARRAY_SIZE(report_fields), r);
}
