// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The events of a report as JSON. Owns the fields of an event; must not know whether a program or a
 * scope has the event.
 */
#include <math.h>
#include <string.h>
#include <jansson.h>

#include "base/memory.h"
#include "base/text.h"
#include "bpf/probe.h"
#include "report/report_head.h"

#define EVENT(field) offsetof(struct report_event, field)
#define BLOCK(field) offsetof(struct report_block, field)
#define BUCKET(field) offsetof(struct report_bucket, field)
#define CHANGE(field) offsetof(struct report_change, field)

HAS(is_counted, struct report_event, ev, ev->status == EVENT_OK)
HAS(has_base, struct report_event, ev,
    ev->base ? strcmp(ev->base, text__or_empty(ev->name)) : false)
HAS(event_has_value, struct report_event, ev, report_event__has_value(ev))
HAS(has_bounds, struct report_event, ev, event_has_value(ev, user) && !isnan(ev->stat[STAT_P50]))
HAS(event_has_change, struct report_event, ev, report_event__has_change(ev))
HAS(is_uncertain, struct report_event, ev, ev->bias_uncertainty > 0)
ADD(add_estimate, struct report_event, ev, report_event__add_estimate(ev))
ADD(add_change, struct report_event, ev, report_event__add_change(ev))
ADD(add_verify, struct report_event, ev, report_event__add_verify(ev))
ADD(add_verify_rate, struct report_verify, v, report_verify__add_rate(v))
ADD(add_verify_samples, struct report_verify, v, report_verify__add_samples(v))
HAS(has_verify_samples, struct report_verify, v, v->samples)
HAS(event_has_verify, struct report_event, ev, ev->verify)
ADD(add_block, struct report_event, ev, report_event__add_block(ev))
ADD(add_event, struct report_row, row, report_row__add_event(row))

/* ---- status ---- */

static json_t *make_status(const struct json_field *f, const void *from, const void *user)
{
	return json_string(event_status_specs[*(const enum event_status *)from].name);
}

static int read_status(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const char *s = json_string_value(v);

	if (!s)
		return json_reader__refuse_type(rd, "a string", v);
	for (int i = 0; i < EVENT_STATUS_CNT; i++) {
		if (!strcmp(s, event_status_specs[i].name)) {
			*(enum event_status *)to = i;
			return 0;
		}
	}
	return json_reader__refuse(rd, "not an event status");
}

static const struct json_kind field_status = {.make = make_status, .read = read_status};

/* ---- the statistics of an event ---- */

/* The bounds of a statistic that is known only to within a bucket. */
static const struct json_field bounds_rows[] = {
	FIELD("least", number, 0),
	FIELD("greatest", number, EVENT(high) - EVENT(low)),
	{},
};

static json_t *make_bounds(const struct json_field *f, const void *from, const void *user)
{
	const double *low = from, *high = low + STAT_CNT;

	_Static_assert(EVENT(high) == EVENT(low) + STAT_CNT * sizeof(double),
		       "the one follows the other");
	return *low < *high ? field_tuple.make(f, from, user) : json_null();
}

static int read_bounds(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const double *low = to, *high = low + STAT_CNT;
	int err = field_tuple.read(f, rd, v, to);

	return !err && *low > *high ? json_reader__refuse(rd, "the values are not in order") : err;
}

static const struct json_kind field_bounds = {.make = make_bounds, .read = read_bounds};

/*
 * Sets the bounds of percentiles in a report that an older version of bprof wrote. Such a report
 * has no bounds, and each percentile is the middle of a bucket.
 */
static void assume_bounds(struct report_event *ev)
{
	for (int i = 0; i < STAT_CNT; i++) {
		double v = ev->stat[i], half = fabs(v) / (2 << BPROF_HIST_SUB_BITS);

		if (!stat__is_percentile(i) || isnan(v) || fabs(v) < 2 << BPROF_HIST_SUB_BITS)
			continue;
		ev->low[i] = fmin(v, fmax(v - half, ev->stat[STAT_MIN]));
		ev->high[i] = fmax(v, fmin(v + half, ev->stat[STAT_MAX]));
	}
}

static const struct json_field bucket_rows[] = {
	FIELD("low", number, BUCKET(low)),
	FIELD("high", number, BUCKET(high)),
	FIELD("runs", u64, BUCKET(count)),
	{},
};

/*
 * Checks that buckets are in ascending order and not empty. The upper bound of a bucket may equal
 * the lower bound of the next bucket, because their exact values may be too close to be different
 * doubles.
 */
static int check_hist(struct json_reader *rd, json_t *v, void *to)
{
	const struct report_event *ev = to;

	for (int i = 0; i < ev->bucket_cnt; i++) {
		const struct report_bucket *b = &ev->bucket[i];
		bool ascends = b->low <= b->high && (!i || b[-1].high <= b->low);

		if (b->count && ascends)
			continue;
		json_path__enter_element(&rd->path, i);
		return json_reader__refuse(rd, b->count ? "the values are not in order"
							: "has no runs");
	}
	return 0;
}

static const struct json_field block_rows[] = {
	FIELD("measured", u64, BLOCK(measured), .required = true),
	FIELD(NULL, table, BLOCK(stat), .arg = TABLE(stat_specs, number, double)),
	{},
};

static int check_block(struct json_reader *rd, json_t *v, void *to)
{
	const struct report_block *b = to;

	return b->measured ? 0 : json_reader__refuse(rd, "has no runs");
}

/* ---- events ---- */

/* The fields of "per_run", which is an empty object if the event has no value. */
static const struct json_field per_run_rows[] = {
	FIELD(NULL, table, EVENT(stat), .arg = TABLE(stat_specs, number, double),
	      .has = event_has_value),
	{},
};

/* The difference between the event's mean and the mean of another version of the program. */
static const struct json_field change_rows[] = {
	FIELD("absolute", number, CHANGE(absolute), .required = true),
	FIELD("relative", number, CHANGE(share)),
	FIELD("from", u32, CHANGE(from), .required = true),
	{},
};

static const struct json_field estimate_rows[] = {
	FIELD("samples", u64, offsetof(struct report_estimate, samples)),
	FIELD("total_stddev", amount, offsetof(struct report_estimate, total_stddev)),
	{},
};

#define VERIFY(field) offsetof(struct report_verify, field)
#define RATE(field) offsetof(struct report_verify_rate, field)
#define BY_SAMPLES(field) offsetof(struct report_verify_samples, field)

static const struct json_field verify_rate_rows[] = {
	FIELD("sample", u64, RATE(sample), .required = true),
	FIELD("measured", u64, RATE(measured), .required = true),
	FIELD("mean", number, RATE(mean)),
	FIELD("mean_stddev", amount, RATE(stddev)),
	{},
};

static const struct json_field verify_samples_rows[] = {
	FIELD("verdict", word, BY_SAMPLES(verdict), .required = true),
	FIELD("samples", u64, BY_SAMPLES(samples), .required = true),
	FIELD("mean", number, BY_SAMPLES(mean)),
	FIELD("mean_stddev", amount, BY_SAMPLES(stddev)),
	{},
};

/* A report with --verify has no field "sample", because it measured at several rates. */
static int note_verify(struct json_reader *rd, json_t *v, void *to)
{
	struct report_reader *reader = rd->user;

	reader->r->thin_period = 0;
	return 0;
}

static const struct json_field verify_rows[] = {
	FIELD("verdict", word, VERIFY(verdict), .required = true),
	FIELD("added", number, VERIFY(added)),
	FIELD("added_error", amount, VERIFY(added_error)),
	FIELD("use_sample", u64, VERIFY(use), .omit = true),
	FIELD("rates", list, 0, .required = true,
	      .arg = LIST(struct report_verify, rate, rate_cnt, object,
			  .elem.arg = verify_rate_rows, .add = add_verify_rate)),
	FIELD("by_samples", part, 0, .has = has_verify_samples,
	      .arg = PART(struct report_verify, samples, verify_samples_rows, add_verify_samples)),
	{},
};

static const struct json_field event_rows[] = {
	FIELD("name", string, EVENT(name), .required = true),
	FIELD("base", string, EVENT(base), .has = has_base),
	FIELD("unit", string, EVENT(unit)),
	FIELD("status", status, EVENT(status), .required = true),
	FIELD("detail", string, EVENT(detail), .omit = true),
	FIELD("total", number, EVENT(total), .has = is_counted),
	{},
};

static const struct json_field scope_event_rows[] = {
	FIELD(NULL, object, 0, .arg = event_rows),
	FIELD("enabled_ns", amount, EVENT(enabled_ns)),
	FIELD("running_ns", amount, EVENT(running_ns)),
	FIELD("repeat_stddev", number, EVENT(repeat_stddev)),
	{},
};

static const struct json_field prog_event_rows[] = {
	FIELD(NULL, object, 0, .arg = event_rows),
	FIELD("measured", u64, EVENT(measured), .required = true),
	FIELD("per_run", object, 0, .arg = per_run_rows),
	FIELD("bounds", table, EVENT(low),
	      .arg = TABLE(stat_specs, bounds, double, .row.arg = bounds_rows), .has = has_bounds),
	FIELD("raw_per_run", number, EVENT(raw_per_run), .has = event_has_value),
	FIELD("change", part, 0, .has = event_has_change,
	      .arg = PART(struct report_event, change, change_rows, add_change)),
	FIELD("bias", number, EVENT(bias)),
	FIELD("bias_stddev", number, EVENT(bias_stddev)),
	FIELD("bias_uncertainty", number, EVENT(bias_uncertainty), .has = is_uncertain),
	FIELD(NULL, part, 0,
	      .arg = PART(struct report_event, estimate, estimate_rows, add_estimate,
			  .sign = "samples")),
	FIELD("mean_stddev", amount, EVENT(mean_stddev)),
	FIELD("exact", bool, EVENT(exact), .omit = true),
	FIELD("verify", part, 0, .has = event_has_verify, .check = note_verify,
	      .arg = PART(struct report_event, verify, verify_rows, add_verify)),
	FIELD("blocks", list, 0, .omit = true,
	      .arg = LIST(struct report_event, block, block_cnt, object, .elem.arg = block_rows,
			  .elem.check = check_block, .add = add_block)),
	FIELD("repeat_stddev", number, EVENT(repeat_stddev)),
	FIELD("read", word, EVENT(read), .omit = true),
	FIELD("hist", list, 0, .omit = true,
	      .arg = LIST(struct report_event, bucket, bucket_cnt, tuple, .elem.arg = bucket_rows),
	      .check = check_hist),
	{},
};

/* Completes an event, and limits the number of different event names, because each name becomes a column. */
static int check_event(struct json_reader *rd, json_t *v, void *to)
{
	struct report_reader *reader = rd->user;
	struct report_event *ev = to;

	if (!ev->base)
		ev->base = xstrdup(ev->name);
	for (int i = 0; i < reader->event_cnt; i++)
		if (!strcmp(reader->event[i], ev->name))
			return 0;
	if (reader->event_cnt == READER_MAX_EVENTS)
		return json_reader__refuse(rd, "more than %d different events", READER_MAX_EVENTS);
	reader->event[reader->event_cnt++] = ev->name;
	return 0;
}

static int check_prog_event(struct json_reader *rd, json_t *v, void *to)
{
	struct report_event *ev = to;

	if (!json_object_get(v, "bounds"))
		assume_bounds(ev);
	return check_event(rd, v, to);
}

const struct json_list report_prog_events = {
	.array = offsetof(struct report_row, event),
	.cnt = offsetof(struct report_row, event_cnt),
	.elem_sz = sizeof(struct report_event),
	.elem = {.kind = &field_object, .arg = prog_event_rows, .check = check_prog_event},
	.add = add_event,
	.max = READER_MAX_EVENTS,
};

const struct json_list report_scope_events = {
	.array = offsetof(struct report_row, event),
	.cnt = offsetof(struct report_row, event_cnt),
	.elem_sz = sizeof(struct report_event),
	.elem = {.kind = &field_object, .arg = scope_event_rows, .check = check_event},
	.add = add_event,
	.max = READER_MAX_EVENTS,
};
