// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as CSV: the columns of perf stat -x, then bprof's own. Owns the columns, their names
 * and their order, also for other formats of separated fields (report_csv_priv.h); must not know
 * where the numbers are from.
 *
 * One line per program, or scope, and event; with -A one per program, event and CPU instead (one that
 * has no numbers per CPU keeps its one line, with an empty CPU column). No header, as with perf.
 *
 *   time       with -I: seconds since the start, as perf prints them
 *   cpu        with -A: CPUn
 *   value      total over the measured runs, net; of a scope over the time, scaled where the event
 *              was not counted all the time, with -r the mean of a repeat; <not supported>,
 *              <not counted>
 *   unit
 *   event
 *   variation  with -r: of the mean over the repeats, in percent, as perf places it
 *   runtime    ns that the event was counted, summed over the CPUs
 *   running    percent of the measured runs, or of the time, in which the event was counted
 *   metric, metric unit   the ratio that has this event as its numerator, or both empty
 * and of a program
 *   id, name, func, type, tag, method
 *   runs, measured, lost   the rest of the runs was left out by --sample
 *   per run    the mean, net; empty where there is none
 *   min, p50, p90, p99, p99.9, max, stddev, self   of a run, net; each empty where it is not known,
 *              min and max also where they are known to within a bucket only (-I)
 *   mean stddev   of the mean, by chance, where it is an estimate from samples
 *   with --follow   load time (ns since boot), loaded, attached after (ns), missed runs, gone (ns), the
 *              change of the mean, that in percent, the id that it is from; each empty where it is
 *              not known. With -I what has an empty time is the total.
 *   at the end the statistics that are newer than these columns (REPORT_STATS)
 * or of a scope
 *   kind, id, name, method   the id is 0 where there is none
 *   notes      what the count lacks, each a sentence, with "; " between them
 *
 * A target that was not measured is a line, too, with as many fields: <not counted>, no event,
 * its id and name, for a method "skipped:" and the reason, and no kind.
 *
 * Where perf prints any text as it is, a field that holds the separator, a quote or a line's end
 * is quoted here as RFC 4180 has it: a name cannot forge a field.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/metric.h"
#include "report/report_csv_priv.h"
#include "base/text.h"
#include "base/util.h"

struct csv {
	const struct report *r;
	const struct render_opts *o;
	const struct csv_style *style;
	FILE *out;
	bool begun; /* this line has a field */
	bool names; /* this line has the columns' names */
	int err;
	/* Whose lines they are: one of them. */
	const struct report_prog *prog;
	const struct report_scope *scope;
};

/* Begins a field. Where the line has names: prints this one, and there is nothing more to do. */
static bool begin_field(struct csv *csv, const char *name)
{
	if (csv->begun)
		fputs(csv->style->sep, csv->out);
	csv->begun = true;
	if (csv->names)
		fputs(name, csv->out);
	return !csv->names;
}

static void print_text(struct csv *csv, const char *name, const char *s)
{
	if (begin_field(csv, name))
		csv->err = csv->err ?: csv->style->print_text(s ?: "", csv->style->sep, csv->out);
}

static void print_u64(struct csv *csv, const char *name, __u64 v)
{
	if (begin_field(csv, name))
		fprintf(csv->out, "%llu", (unsigned long long)v);
}

/* With a fixed number of digits, or as they come (-1); "" for NaN. */
static void print_number(struct csv *csv, const char *name, double v, int digits,
			 const char *suffix)
{
	char buf[NUMBER_SZ];

	if (!begin_field(csv, name) || !isfinite(v))
		return;
	if (digits < 0)
		number__plain(buf, v);
	else
		number__fixed(buf, v, digits);
	fprintf(csv->out, "%s%s", buf, suffix);
}

static void begin_line(struct csv *csv, int cpu)
{
	__u64 t = csv->r->interval_ns;

	csv->begun = false;
	if (csv->o->interval && begin_field(csv, "time") && !csv->r->total)
		fprintf(csv->out, "%6llu.%09llu", t / 1000000000ULL, t % 1000000000ULL);
	if (csv->o->per_cpu && begin_field(csv, "cpu") && cpu >= 0)
		fprintf(csv->out, "CPU%d", cpu);
}

/* "<not counted>" is also what perf prints for an event that is there, but never was on. */
static void print_no_value(struct csv *csv, enum event_status status)
{
	if (status == EVENT_OK)
		status = EVENT_NOT_COUNTED;
	if (begin_field(csv, "value"))
		fprintf(csv->out, "<%s>", event_status_specs[status].text);
}

/* For so long, in ns, and in so much of what there was to count, in percent, the event was counted. */
static void print_running(struct csv *csv, const struct report_row *row,
			  const struct report_event *ev)
{
	__u64 cpus = row->cpu >= 0 || csv->r->host.cpus < 1 ? 1 : csv->r->host.cpus;
	bool whole = ev->running_ns == ev->enabled_ns;
	double percent = row->measured ? 100.0 * ev->measured / row->measured : 100;

	if (row->of_scope) {
		percent = whole ? 100 : 100 * ev->running_ns / ev->enabled_ns;
		print_number(csv, "runtime_ns", ev->running_ns, -1, "");
	} else {
		print_u64(csv, "runtime_ns", csv->r->elapsed_ns * cpus);
	}
	print_number(csv, "running_percent", percent, 2, "");
}

/* The same of an event without a value. As in perf: 0 % only where it never had its turn. */
static void print_not_running(struct csv *csv, const struct report_row *row,
			      const struct report_event *ev)
{
	bool never_on =
		row && ev &&
		(row->of_scope ? report_row__never_on(row, ev) : report_event__is_partial(row, ev));

	print_u64(csv, "runtime_ns", 0);
	print_number(csv, "running_percent", never_on ? 0 : 100, 2, "");
}

static void print_metric(struct csv *csv, const struct report_row *row,
			 const struct report_event *ev)
{
	double v = NAN;
	int i = -1;

	while (row && isnan(v) && ++i < metric_cnt)
		v = metric__value_of(&metrics[i], row, ev);
	print_number(csv, "metric", v, isnan(v) ? 0 : metrics[i].digits, "");
	print_text(csv, "metric_unit", isnan(v) ? "" : metrics[i].unit);
}

static bool has_value(const struct report_row *row, const struct report_event *ev)
{
	if (!ev)
		return false;
	/* Of an estimate there is a total also where the runs are not known. */
	return row->of_scope ? !isnan(report_row__value(row, ev))
			     : report_event__has_value(ev) || (ev->sampled && ev->samples);
}

/* The columns of perf stat. ev may be NULL, and row then too. */
static void print_event(struct csv *csv, const struct report_row *row,
			const struct report_event *ev)
{
	bool known = has_value(row, ev);
	double variation = known ? report_row__variation(row, ev) : NAN;

	if (known)
		print_number(csv, "value", ev->total, -1, "");
	else
		print_no_value(csv, ev ? ev->status : EVENT_NOT_COUNTED);
	print_text(csv, "unit", ev ? ev->unit : "");
	print_text(csv, "event", ev ? ev->name : "");
	if (csv->r->repeats > 1)
		print_number(csv, "variation", isnan(variation) ? 0 : variation, 2, "%");
	if (known)
		print_running(csv, row, ev);
	else
		print_not_running(csv, row, ev);
	print_metric(csv, known ? row : NULL, ev);
}

static void print_version(struct csv *csv, const struct report_version *v,
			  const struct report_event *ev)
{
	bool compared = ev && !isnan(ev->change);

	if (v->load_time_ns)
		print_u64(csv, "load_time_ns", v->load_time_ns);
	else
		print_text(csv, "load_time_ns", "");
	print_number(csv, "loaded_ns", v->loaded_ns, -1, "");
	print_number(csv, "attached_after_ns", v->attached_ns, -1, "");
	print_number(csv, "missed_runs", v->missed, -1, "");
	print_number(csv, "ended_ns", v->ended_ns, -1, "");
	print_number(csv, "change", compared ? ev->change : NAN, -1, "");
	print_number(csv, "change_percent", compared ? 100 * ev->change_share : NAN, 2, "%");
	print_number(csv, "change_from", compared ? ev->change_from : NAN, -1, "");
}

/* There is no mark for a bound, as the extremes of an interval may be. */
static double stat_value(const struct report_event *ev, enum stat_id id)
{
	bool extreme = id == STAT_MIN || id == STAT_MAX;

	return extreme && report_event__is_rough(ev, id) ? NAN : ev->stat[id];
}

static void print_stats(struct csv *csv, const struct report_row *row,
			const struct report_event *ev, enum stat_list list)
{
	enum stat_id id;

	for (int place = 0; (id = stats__next(list, &place)) < STAT_CNT;)
		print_number(csv, stat_specs[id].name,
			     has_value(row, ev) ? stat_value(ev, id) : NAN, -1, "");
}

static void print_prog(struct csv *csv, const struct report_row *row, const struct report_event *ev)
{
	const struct report_prog *p = csv->prog;

	print_u64(csv, "id", p->id);
	print_text(csv, "name", p->name);
	print_text(csv, "func", p->func);
	print_text(csv, "type", p->type);
	print_text(csv, "tag", p->tag);
	print_text(csv, "method", p->method);
	print_u64(csv, "runs", row->runs);
	print_u64(csv, "measured", row->measured);
	print_u64(csv, "lost", report_row__lost(row));
	print_stats(csv, row, ev, STATS_CSV);
	print_number(csv, "mean_stddev", has_value(row, ev) ? ev->mean_stddev : NAN, -1, "");
	if (csv->r->followed)
		print_version(csv, &p->version, ev);
	print_stats(csv, row, ev, STATS_CSV_END);
}

static void print_notes(struct csv *csv, const struct report_notes *notes)
{
	char text[1024] = "";
	size_t len = 0;

	for (int i = 0; i < notes->cnt && len < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? "; " : "",
				notes->text[i]);
	print_text(csv, "notes", text);
}

static void print_scope(struct csv *csv, const struct report_scope *s)
{
	print_text(csv, "scope", s->kind);
	print_u64(csv, "id", s->id);
	print_text(csv, "name", s->name);
	print_text(csv, "method", s->method);
	print_notes(csv, &s->notes);
}

/* ev is NULL for a program or scope without events. */
static void print_line(struct csv *csv, const struct report_row *row, const struct report_event *ev)
{
	begin_line(csv, row->cpu);
	print_event(csv, row, ev);
	if (csv->scope)
		print_scope(csv, csv->scope);
	else
		print_prog(csv, row, ev);
	fputc('\n', csv->out);
}

static void print_row(struct csv *csv, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++)
		print_line(csv, row, &row->event[i]);
	if (!row->event_cnt)
		print_line(csv, row, NULL);
}

static void print_rows(struct csv *csv, const struct report_row *all, const struct report_row *cpu,
		       int cpu_cnt)
{
	if (!csv->o->per_cpu || !cpu_cnt)
		print_row(csv, all);
	for (int i = 0; csv->o->per_cpu && i < cpu_cnt; i++)
		print_row(csv, &cpu[i]);
}

/* As a program, or as a scope where the others are. */
static void print_skip(struct csv *csv, const struct report_skip *s)
{
	struct report_version version = {
		.loaded_ns = NAN, .attached_ns = NAN, .missed = NAN, .ended_ns = NAN};
	char method[64];
	struct report_prog prog = {
		.id = s->id, .name = s->name, .method = method, .version = version, .all.cpu = -1};
	struct report_scope scope = {.kind = "", .id = s->id, .name = s->name, .method = method};

	snprintf(method, sizeof(method), "skipped:%s", s->reason ?: "");
	csv->prog = &prog;
	csv->scope = csv->r->of_scopes || csv->r->scope_cnt ? &scope : NULL;
	print_line(csv, &prog.all, NULL);
}

int report__print_csv(const struct report *r, const struct render_opts *o,
		      const struct csv_style *style, FILE *out)
{
	struct csv csv = {.r = r, .o = o, .style = style, .out = out, .names = style->header};

	if (csv.names)
		print_skip(&csv, &(struct report_skip){});
	csv.names = false;
	csv.scope = NULL;
	for (int i = 0; i < r->prog_cnt; i++) {
		csv.prog = &r->prog[i];
		print_rows(&csv, &csv.prog->all, csv.prog->cpu, csv.prog->cpu_cnt);
	}
	for (int i = 0; i < r->scope_cnt; i++) {
		csv.scope = &r->scope[i];
		print_rows(&csv, &csv.scope->all, csv.scope->cpu, csv.scope->cpu_cnt);
	}
	for (int i = 0; i < r->skip_cnt; i++)
		print_skip(&csv, &r->skip[i]);
	return csv.err;
}

/* As RFC 4180 has it. */
static int print_quoted(const char *s, const char *sep, FILE *out)
{
	if (!strstr(s, sep) && !strpbrk(s, "\"\r\n")) {
		fputs(s, out);
		return 0;
	}
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
	return 0;
}

int report__render_csv(const struct report *r, const struct render_opts *o, FILE *out)
{
	const struct csv_style style = {.sep = o->sep ?: ",", .print_text = print_quoted};

	return report__print_csv(r, o, &style, out);
}
