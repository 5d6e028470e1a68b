// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as JSON, schema 1: fields may be added, never renamed. Owns the names and the order of
 * the fields, and decides which fields are required. The fields of events and samples have their
 * own files. Must not know where the numbers or the documents come from.
 *
 * Unknown values are left out, not written as null. Characters outside of ASCII are written as \u
 * escapes, so that the name of a program cannot harm the terminal.
 */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/memory.h"
#include "base/util.h"
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "report/metric.h"
#include "report/report_head.h"
#include "report/report_sum.h"

#define REPORT(field) offsetof(struct report, field)
#define PROG(field) offsetof(struct report_prog, field)
#define ROW(field) offsetof(struct report_row, field)
#define VERSION(field) offsetof(struct report_version, field)
#define SCOPE(field) offsetof(struct report_scope, field)
#define SKIP(field) offsetof(struct report_skip, field)

static const struct json_range from_one = {1, UINT64_MAX}, repeats = {1, INT_MAX};
static const struct json_range u32s = {0, UINT32_MAX};

/* ---- kinds of values ---- */

static json_t *make_word(const struct json_field *f, const void *from, const void *user)
{
	return field_string.make(f, from, user);
}

static int read_word(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const struct report_reader *reader = rd->user;
	const char **s = to;

	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	*s = report__keep_string(reader->r, json_string_value(v));
	return 0;
}

const struct json_kind field_word = {.make = make_word, .read = read_word};

static json_t *make_tag(const struct json_field *f, const void *from, const void *user)
{
	return json__make_string(from);
}

static int read_prog_tag(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	const char *s = json_string_value(v);

	if (!s)
		return json_reader__refuse_type(rd, "a string", v);
	if (strlen(s) >= sizeof(((struct report_prog *)NULL)->tag) ||
	    s[strspn(s, "0123456789abcdef")])
		return json_reader__refuse(rd, "expected up to 16 hexadecimal digits");
	strcpy(to, s);
	return 0;
}

const struct json_kind field_tag = {.make = make_tag, .read = read_prog_tag};

/* ---- fields of a program or a scope, in total and per CPU ---- */

HAS(has_period, struct report_row, row, row->period_max)
ADD(add_prog_cpu, struct report_prog, p, report_prog__add_cpu(p, -1))
ADD(add_scope_cpu, struct report_scope, s, report_scope__add_cpu(s, -1))

static bool shows_cpus(const void *obj, const void *user)
{
	const struct report_writer *w = user;

	return w->o->per_cpu;
}

static json_t *make_rate(const struct json_field *f, const void *row, const void *user)
{
	const struct report_writer *w = user;
	double rate = report_row__runs_per_s(w->r, row);

	return isnan(rate) ? json_null() : json__make_number(rate);
}

static void set_metrics(const struct json_field *f, json_t *obj, const void *row, const void *user)
{
	for (int i = 0; i < metric_cnt; i++)
		json__set_number(obj, metrics[i].name, metric__value(&metrics[i], row));
}

/* These two kinds have no .read: their fields are computed from other fields. */
static const struct json_kind field_rate = {.make = make_rate};
static const struct json_kind field_metrics = {.set = set_metrics};

/* The periods of --sample auto at the end of the session. */
static const struct json_field period_rows[] = {
	FIELD("min", u64, ROW(period_min), .required = true),
	FIELD("max", u64, ROW(period_max), .required = true),
	{},
};

static const struct json_field prog_row_rows[] = {
	FIELD("runs", u64, ROW(runs), .required = true),
	FIELD("measured", u64, ROW(measured), .required = true),
	FIELD("sampled_out", u64, ROW(thinned_out)),
	FIELD("unprobed", u64, ROW(unprobed), .omit = true),
	FIELD("runs_at_least", bool, ROW(at_least), .omit = true),
	FIELD("period", object, 0, .arg = period_rows, .has = has_period),
	FIELD("lost", table, ROW(lost), .required = true,
	      .arg = TABLE(lost_specs, u64, __u64, .row.required = true)),
	FIELD("runs_per_s", rate, 0),
	FIELD("cpu_share", number, ROW(cpu_share)),
	FIELD("cpu_share_estimated", bool, ROW(share_estimated), .omit = true),
	FIELD("cpu_share_error", number, ROW(share_error)),
	FIELD("events", list, 0, .required = true, .arg = &report_prog_events),
	FIELD("metrics", metrics, 0),
	{},
};

static const struct json_field prog_cpu_rows[] = {
	FIELD("cpu", int, ROW(cpu), .required = true),
	FIELD(NULL, object, 0, .arg = prog_row_rows),
	{},
};

static const struct json_field scope_row_rows[] = {
	FIELD("events", list, 0, .required = true, .arg = &report_scope_events),
	FIELD("metrics", metrics, 0),
	{},
};

static const struct json_field scope_cpu_rows[] = {
	FIELD("cpu", int, ROW(cpu), .required = true),
	FIELD(NULL, object, 0, .arg = scope_row_rows),
	{},
};

/*
 * Counts a row, and refuses a document with too many rows. Called for each program and scope, and
 * for each of their CPUs.
 */
static int count_row(struct json_reader *rd, json_t *v, void *to)
{
	struct report_reader *reader = rd->user;

	if (++reader->rows > READER_MAX_ROWS)
		return json_reader__refuse(rd, "more than %d programs, scopes and CPUs",
					   READER_MAX_ROWS);
	return 0;
}

/* ---- programs ---- */

const struct json_list report_notes_list = {
	.array = offsetof(struct report_notes, text),
	.cnt = offsetof(struct report_notes, cnt),
	.elem_sz = sizeof(char *),
	.elem.kind = &field_string,
};

HAS(is_sum, struct report_prog, p, p->programs)
HAS(is_followed, struct report_prog, p, p->version.followed)
HAS(is_subprog, struct report_prog, p, p->subprog)
HAS(has_calls, struct report_prog, p, p->subprog || p->by_retval)

/* Leaves out the id of a sum (report_prog.programs): bprof made it up. */
static json_t *make_prog_id(const struct json_field *f, const void *from, const void *user)
{
	const struct report_prog *p = from;

	return json__make_u64(p->programs ? 0 : p->id);
}

static int read_id_of_prog(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct report_prog *p = to;

	return field_u32.read(f, rd, v, &p->id);
}

static const struct json_kind field_prog_id = {.make = make_prog_id, .read = read_id_of_prog};

static const struct json_field version_rows[] = {
	FIELD("load_time_ns", u64, VERSION(load_time_ns), .required = true),
	FIELD("loaded_ns", number, VERSION(loaded_ns)),
	FIELD("attached_after_ns", number, VERSION(attached_ns)),
	FIELD("missed_runs", amount, VERSION(missed)),
	FIELD("ended_ns", number, VERSION(ended_ns)),
	FIELD("detached", u32, VERSION(detach_cnt)),
	FIELD("baseline", bool, VERSION(baseline)),
	{},
};

static int note_followed(struct json_reader *rd, json_t *v, void *to)
{
	struct report_version *version = to;

	version->followed = true;
	return 0;
}

/*
 * With --by retval, the return value of the row's runs, as a name: "XDP_DROP", "7", "other", "not
 * measured". The field also shows that the row does not have all runs.
 */
static json_t *make_retval_name(const struct json_field *f, const void *from, const void *user)
{
	const struct report_prog *p = from;
	char buf[RETURNS_SZ];

	return p->by_retval && !p->by_key ? json__make_string(report_prog__returns(p, buf))
					  : json_null();
}

static int read_retval_name(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	report_prog__set_part(to, json_string_value(v));
	return 0;
}

static const struct json_kind field_retval_name = {.make = make_retval_name,
						   .read = read_retval_name};

static json_t *make_key_name(const struct json_field *f, const void *from, const void *user)
{
	const struct report_prog *p = from;

	return p->key_name ? json__make_string(p->key_name) : json_null();
}

static int read_key_name(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct report_prog *p = to;

	if (!json__is(v, JSON_STRING))
		return json_reader__refuse_type(rd, "a string", v);
	p->by_retval = p->by_key = true;
	free(p->key_name);
	p->key_name = xstrdup(json_string_value(v));
	return 0;
}

static const struct json_kind field_key_name = {.make = make_key_name, .read = read_key_name};

/* For a row of the runs that have no row of their own: "other" or "not measured". */
static json_t *make_key_rest(const struct json_field *f, const void *from, const void *user)
{
	const struct report_prog *p = from;
	char buf[RETURNS_SZ];

	return p->by_key && !p->key_name ? json__make_string(report_prog__returns(p, buf))
					 : json_null();
}

static int read_key_rest(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct report_prog *p = to;

	p->by_key = true;
	return read_retval_name(f, rd, v, to);
}

static const struct json_kind field_key_rest = {.make = make_key_rest, .read = read_key_rest};

/*
 * The range of depths in a call tree. Real depths are below 8, because the verifier allows 8 frames
 * (MAX_CALL_FRAMES).
 */
static const struct json_range depths = {0, 256};

static const struct json_field prog_rows[] = {
	FIELD("id", prog_id, 0, .required = true),
	FIELD("programs", u32, PROG(programs), .has = is_sum),
	FIELD("name", string, PROG(name)),
	FIELD("func", string, PROG(func)),
	FIELD("case", string, PROG(input), .omit = true),
	FIELD("type", string, PROG(type)),
	FIELD("tag", tag, PROG(tag)),
	FIELD("version_name", string, PROG(version_name), .omit = true),
	FIELD("device", string, PROG(device), .omit = true),
	FIELD("owner", string, PROG(owner), .omit = true),
	FIELD("hook", string, PROG(hook), .omit = true),
	FIELD("method", word, PROG(method), .required = true),
	FIELD("version", object, PROG(version), .arg = version_rows, .has = is_followed,
	      .check = note_followed),
	FIELD("subprogram", bool, PROG(subprog), .omit = true),
	FIELD("called", bool, PROG(called), .omit = true),
	FIELD("map", string, PROG(map), .omit = true),
	FIELD("map_type", string, PROG(map_type), .omit = true),
	FIELD("site", string, PROG(site), .omit = true),
	FIELD("calls_by_others", u64, PROG(others), .omit = true),
	FIELD("calls_by_others_ns", u64, PROG(others_ns), .omit = true),
	FIELD("depth", int, PROG(depth), .arg = &depths, .has = is_subprog),
	FIELD("calls_per_run", number, PROG(calls_per_run), .has = has_calls),
	FIELD("short_code", bool, PROG(short_code), .omit = true),
	FIELD("blinded", bool, PROG(blinded), .omit = true),
	FIELD("random_code", bool, PROG(random_code), .omit = true),
	FIELD("slowed_runs", u64, PROG(slowed_runs), .omit = true),
	FIELD("own_runs", u64, PROG(own_runs), .omit = true),
	FIELD("with_own_runs", bool, PROG(with_own_runs), .omit = true),
	FIELD("uncalibrated", bool, PROG(uncalibrated), .omit = true),
	FIELD("retval", number, PROG(retval), .arg = &u32s),
	FIELD("retval_name", retval_name, 0),
	FIELD("key_value", number, PROG(key_value)),
	FIELD("key_name", key_name, 0),
	FIELD("key_rest", key_rest, 0),
	FIELD("retval_varies", bool, PROG(retval_varies), .omit = true),
	FIELD("retvals", list, 0, .omit = true,
	      .arg = LIST(struct report_prog, retvals, retvals_cnt, u32)),
	FIELD("size", table, PROG(size), .omit = true, .arg = TABLE(size_specs, amount, double)),
	FIELD("verification_loads_ns", list, 0, .omit = true,
	      .arg = LIST(struct report_prog, verification, verification_cnt, number)),
	FIELD("notes", list, PROG(notes), .omit = true, .arg = &report_notes_list),
	FIELD(NULL, object, PROG(all), .arg = prog_row_rows),
	FIELD("recursion_misses", number, PROG(recursion_misses)),
	FIELD("cpus", list, 0,
	      .arg = LIST(struct report_prog, cpu, cpu_cnt, object, .elem.arg = prog_cpu_rows,
			  .elem.check = count_row, .add = add_prog_cpu),
	      .has = shows_cpus),
	{},
};

/* ---- scopes, skipped targets ---- */

static const struct json_field scope_rows[] = {
	FIELD("scope", word, SCOPE(kind), .required = true),
	FIELD("id", u64, SCOPE(id)),
	FIELD("name", string, SCOPE(name)),
	FIELD("method", word, SCOPE(method), .required = true),
	FIELD("shared", bool, SCOPE(shared)),
	FIELD("notes", list, SCOPE(notes), .omit = true, .arg = &report_notes_list),
	FIELD(NULL, object, SCOPE(all), .arg = scope_row_rows),
	FIELD("cpus", list, 0,
	      .arg = LIST(struct report_scope, cpu, cpu_cnt, object, .elem.arg = scope_cpu_rows,
			  .elem.check = count_row, .add = add_scope_cpu),
	      .has = shows_cpus),
	{},
};

static const struct json_field skip_rows[] = {
	FIELD("id", u32, SKIP(id), .required = true),
	FIELD("name", string, SKIP(name)),
	FIELD("reason", word, SKIP(reason), .required = true),
	FIELD("detail", string, SKIP(detail)),
	FIELD("more", u64, SKIP(more), .omit = true, .arg = &from_one),
	{},
};

const struct json_field report_skip_rows[] = {
	FIELD("skipped", list, 0,
	      .arg = LIST(struct report, skip, skip_cnt, object, .elem.arg = skip_rows)),
	{},
};

/* ---- the session and the host ---- */

HAS(has_jit, struct report, r, !r->host.jit_unknown)
HAS(has_memory, struct report, r, r->memory.counts)
HAS(has_turns, struct report_budget, b, b->turns)
HAS(has_samples, struct report, r, r->sampling && r->sampling->event_cnt)
ADD(add_budget, struct report, r, report__add_budget(r))
ADD(add_sampling, struct report, r, report__add_sampling(r))
ADD(add_sampled_event, struct report_sampling, s, report_sampling__add_event(s))
ADD(add_json_prog, struct report, r, report__add_prog(r))
ADD(add_scope, struct report, r, report__add_scope(r))

/* Sets "probed" and the id of a sum, which have no field in JSON. Only the method fentry uses probes. */
static int complete_prog(struct json_reader *rd, json_t *v, void *to)
{
	struct report_prog *p = to;

	p->probed = !strcmp(p->method, "fentry");
	if (p->programs) {
		const struct report *r = ((const struct report_reader *)rd->user)->r;

		p->id = report_prog__make_sum_id(p, r->by_retval && r->by == BY_NOTHING);
	}
	return count_row(rd, v, to);
}

static bool is_of_interval(const void *obj, const void *user)
{
	const struct report_writer *w = user;

	return w->o->interval && !w->r->total;
}

static const struct json_field host_rows[] = {
	FIELD("kernel", string, REPORT(host.kernel)),
	FIELD("arch", string, REPORT(host.arch)),
	FIELD("cpus", int, REPORT(host.cpus)),
	FIELD("newest_tested", string, REPORT(host.newest_tested), .omit = true),
	FIELD("cpu_model", string, REPORT(host.cpu_model), .omit = true),
	FIELD("jit", bool, REPORT(host.jit), .has = has_jit),
	{},
};

static int note_jit(struct json_reader *rd, json_t *v, void *to)
{
	struct report *r = to;

	r->host.jit_unknown = !json_object_get(v, "jit");
	return 0;
}

const struct json_field report_head_rows[] = {
	FIELD("tool", const, 0, .arg = "bprof"),
	FIELD("version", string, REPORT(version)),
	FIELD("command", argv, REPORT(command)),
	FIELD("host", object, 0, .arg = host_rows, .check = note_jit),
	FIELD("started", time, REPORT(started)),
	FIELD("elapsed_ns", u64, REPORT(elapsed_ns)),
	{},
};

/*
 * Writes the start and the end of an interval, as times since measuring started, and its duration.
 */
static void set_interval(const struct json_field *f, json_t *obj, const void *from,
			 const void *user)
{
	const struct report *r = from;
	__u64 start = r->interval_ns > r->elapsed_ns ? r->interval_ns - r->elapsed_ns : 0;

	json_object_set_new(obj, "start_ns", json__make_u64(start));
	json_object_set_new(obj, "end_ns", json__make_u64(r->interval_ns));
	json_object_set_new(obj, "duration_ns", json__make_u64(r->elapsed_ns));
}

static const struct json_kind field_interval = {.set = set_interval};

static const struct json_field memory_rows[] = {
	FIELD("counts_bytes", u64, REPORT(memory.counts), .required = true, .arg = &from_one),
	FIELD("limit_bytes", u64, REPORT(memory.limit), .required = true),
	FIELD("bucket_width", number, REPORT(memory.bucket_width)),
	{},
};

#define BUDGET(field) offsetof(struct report_budget, field)

static const struct json_field budget_rows[] = {
	FIELD("share", share, BUDGET(share), .required = true),
	FIELD("added_share", number, BUDGET(added)),
	FIELD("counting_share", number, BUDGET(counting)),
	FIELD("attaching_share", number, BUDGET(attaching), .has = has_turns),
	FIELD("run_stats_share", number, BUDGET(stats), .has = has_turns),
	FIELD("run_stats_ns_per_run", number, BUDGET(stats_run_ns), .has = has_turns),
	FIELD("turns", bool, BUDGET(turns), .omit = true),
	{},
};

static int note_budget(struct json_reader *rd, json_t *v, void *to)
{
	struct report *r = to;

	r->thin_period = 0;
	return 0;
}

static const struct json_field sampled_event_rows[] = {
	FIELD(NULL, object, offsetof(struct report_sampled_event, sum), .arg = record_samples_rows),
	FIELD("event", string, offsetof(struct report_sampled_event, event), .required = true),
	{},
};

static const struct json_field sampling_rows[] = {
	FIELD("frequency", u64, offsetof(struct report_sampling, freq), .required = true,
	      .arg = &from_one),
	FIELD("events", list, 0, .required = true,
	      .arg = LIST(struct report_sampling, event, event_cnt, object,
			  .elem.arg = sampled_event_rows, .add = add_sampled_event,
			  .max = READER_MAX_EVENTS)),
	{},
};

HAS(is_by_retval, struct report, r, !r->by)

/* The key of --by, unless it was retval, which has a field of its own. */
static json_t *make_key(const struct json_field *f, const void *from, const void *user)
{
	const struct report *r = from;

	return r->by ? json__make_string(report__key(r)->name) : json_null();
}

static int read_by_key(const struct json_field *f, struct json_reader *rd, json_t *v, void *to)
{
	struct report *r = to;

	r->by = run_key__find(json_string_value(v));
	if (r->by <= BY_RETVAL)
		return json_reader__refuse_type(rd, "a key of --by other than retval", v);
	r->by_retval = true;
	return 0;
}

static const struct json_kind field_key = {.make = make_key, .read = read_by_key};

const struct json_field report_rows[] = {
	FIELD(NULL, object, 0, .arg = report_head_rows),
	FIELD("total", bool, REPORT(total), .omit = true),
	FIELD("interval_ns", u64, REPORT(interval_ns), .has = is_of_interval),
	FIELD("interval", interval, 0, .has = is_of_interval),
	FIELD("repeats", int, REPORT(repeats), .arg = &repeats),
	FIELD("sample", u64, REPORT(thin_period), .omit = true, .arg = &from_one),
	FIELD("sample_auto", part, 0, .omit = true, .check = note_budget,
	      .arg = PART(struct report, budget, budget_rows, add_budget)),
	FIELD("memory", object, 0, .has = has_memory, .arg = memory_rows),
	FIELD("sampling", part, 0, .has = has_samples,
	      .arg = PART(struct report, sampling, sampling_rows, add_sampling)),
	FIELD("calibrated", bool, REPORT(calibrated), .required = true),
	FIELD("followed", bool, REPORT(followed), .omit = true),
	FIELD("driven", bool, REPORT(driven), .omit = true),
	FIELD("by_retval", bool, REPORT(by_retval), .omit = true, .has = is_by_retval),
	FIELD("by", key, 0),
	FIELD("sum", word, REPORT(sum), .omit = true),
	FIELD("per", per, 0),
	FIELD("operations", ops_totals, 0),
	FIELD("programs", list, 0, .required = true,
	      .arg = LIST(struct report, prog, prog_cnt, object, .elem.arg = prog_rows,
			  .elem.check = complete_prog, .add = add_json_prog)),
	FIELD("system", list, 0, .omit = true,
	      .arg = LIST(struct report, scope, scope_cnt, object, .elem.arg = scope_rows,
			  .elem.check = count_row, .add = add_scope)),
	FIELD(NULL, object, 0, .arg = report_skip_rows),
	{},
};

int report__fill(struct report *r, json_t *doc, const struct json_field *rows, void *to,
		 struct report_error *err)
{
	struct report_reader reader = {.r = r};
	struct json_reader rd = {
		.text = err->text,
		.text_sz = sizeof(err->text),
		.user = &reader,
	};

	return json_reader__object(&rd, doc, rows, to);
}

void report__render_json(const struct report *r, const struct render_opts *o, FILE *out)
{
	const struct report_writer w = {r, o};
	/*
	 * In a series of documents (-I, --append), each document is one line. A single document is
	 * indented for people.
	 */
	enum json_layout layout = o->interval || o->one_line ? JSON_LINE : JSON_INDENTED;
	json_t *doc = json_object();

	json_object_set_new(doc, "schema", json_integer(REPORT_SCHEMA));
	json__set_fields(doc, report_rows, r, &w);
	json__print(doc, layout, out);
}
