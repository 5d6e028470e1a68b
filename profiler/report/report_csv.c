// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as CSV: the columns of perf stat -x, then bprof's own. Owns the order of the columns;
 * must not know where the numbers are from.
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
#include "report/report.h"
#include "base/text.h"
#include "base/util.h"

#define VERSION_COLUMNS 8 /* print_version() */

struct csv {
	const struct report *r;
	const struct render_opts *o;
	const char *sep;
	FILE *out;
	bool begun; /* this line has a field */
	/* Whose lines they are: one of them. */
	const struct report_prog *prog;
	const struct report_scope *scope;
};

static void print_sep(struct csv *csv)
{
	if (csv->begun)
		fputs(csv->sep, csv->out);
	csv->begun = true;
}

static void print_text(struct csv *csv, const char *s)
{
	s = s ?: "";
	print_sep(csv);
	if (!strstr(s, csv->sep) && !strpbrk(s, "\"\r\n")) {
		fputs(s, csv->out);
		return;
	}
	fputc('"', csv->out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', csv->out);
		fputc(*s, csv->out);
	}
	fputc('"', csv->out);
}

static void print_u64(struct csv *csv, __u64 v)
{
	print_sep(csv);
	fprintf(csv->out, "%llu", (unsigned long long)v);
}

/* With a fixed number of digits, or as they come (-1); "" for NaN. */
static void print_number(struct csv *csv, double v, int digits, const char *suffix)
{
	char buf[NUMBER_SZ];

	print_sep(csv);
	if (!isfinite(v))
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
	if (csv->o->interval) {
		print_sep(csv);
		if (!csv->r->total)
			fprintf(csv->out, "%6llu.%09llu", t / 1000000000ULL, t % 1000000000ULL);
	}
	if (csv->o->per_cpu) {
		print_sep(csv);
		if (cpu >= 0)
			fprintf(csv->out, "CPU%d", cpu);
	}
}

/* "<not counted>" is also what perf prints for an event that is there, but never was on. */
static void print_no_value(struct csv *csv, enum event_status status)
{
	if (status == EVENT_OK)
		status = EVENT_NOT_COUNTED;
	print_sep(csv);
	fprintf(csv->out, "<%s>", event_status_specs[status].text);
}

/* For so long, in ns, and in so much of what there was to count, in percent, the event was counted. */
static void print_running(struct csv *csv, const struct report_row *row,
			  const struct report_event *ev)
{
	__u64 cpus = row->cpu >= 0 || csv->r->host.cpus < 1 ? 1 : csv->r->host.cpus;
	bool whole = ev->running_ns == ev->enabled_ns;

	if (row->of_scope) {
		print_number(csv, ev->running_ns, -1, "");
		print_number(csv, whole ? 100 : 100 * ev->running_ns / ev->enabled_ns, 2, "");
		return;
	}
	print_u64(csv, csv->r->elapsed_ns * cpus);
	print_number(csv, row->measured ? 100.0 * ev->measured / row->measured : 100, 2, "");
}

/* The perf columns of a line without a value, but for an event's unit and name. */
static void print_no_event(struct csv *csv, const struct report_row *row,
			   const struct report_event *ev)
{
	/* As perf has it: 0 % of the time only for an event that never had its turn. */
	bool never_on =
		row && ev &&
		(row->of_scope ? report_row__never_on(row, ev) : report_event__is_partial(row, ev));

	print_no_value(csv, ev ? ev->status : EVENT_NOT_COUNTED);
	print_text(csv, ev ? ev->unit : "");
	print_text(csv, ev ? ev->name : "");
	if (csv->r->repeats > 1)
		print_number(csv, 0, 2, "%");
	print_u64(csv, 0);
	print_number(csv, never_on ? 0 : 100, 2, "");
	print_text(csv, "");
	print_text(csv, "");
}

static void print_metric(struct csv *csv, const struct report_row *row,
			 const struct report_event *ev)
{
	for (int i = 0; i < metric_cnt; i++) {
		double v = metric__value_of(&metrics[i], row, ev);

		if (isnan(v))
			continue;
		print_number(csv, v, metrics[i].digits, "");
		print_text(csv, metrics[i].unit);
		return;
	}
	print_text(csv, "");
	print_text(csv, "");
}

static void print_event(struct csv *csv, const struct report_row *row,
			const struct report_event *ev)
{
	double variation = report_row__variation(row, ev);

	print_number(csv, ev->total, -1, "");
	print_text(csv, ev->unit);
	print_text(csv, ev->name);
	if (csv->r->repeats > 1)
		print_number(csv, isnan(variation) ? 0 : variation, 2, "%");
	print_running(csv, row, ev);
	print_metric(csv, row, ev);
}

static bool has_value(const struct report_row *row, const struct report_event *ev)
{
	if (!ev)
		return false;
	/* Of an estimate there is a total also where the runs are not known. */
	return row->of_scope ? !isnan(report_row__value(row, ev))
			     : report_event__has_value(ev) || (ev->sampled && ev->samples);
}

static void print_version(struct csv *csv, const struct report_version *v,
			  const struct report_event *ev)
{
	bool compared = ev && !isnan(ev->change);

	print_u64(csv, v->load_time_ns);
	print_number(csv, v->loaded_ns, -1, "");
	print_number(csv, v->attached_ns, -1, "");
	print_number(csv, v->missed, -1, "");
	print_number(csv, v->ended_ns, -1, "");
	print_number(csv, compared ? ev->change : NAN, -1, "");
	print_number(csv, compared ? 100 * ev->change_share : NAN, 2, "%");
	print_number(csv, compared ? ev->change_from : NAN, -1, "");
}

/* There is no mark for a bound, as the extremes of an interval may be. */
static double stat_value(const struct report_event *ev, enum stat_id id)
{
	bool extreme = id == STAT_MIN || id == STAT_MAX;

	return extreme && report_event__is_rough(ev, id) ? NAN : ev->stat[id];
}

static void print_prog(struct csv *csv, const struct report_row *row, const struct report_event *ev)
{
	const struct report_prog *p = csv->prog;
	enum stat_id id;

	print_u64(csv, p->id);
	print_text(csv, p->name);
	print_text(csv, p->func);
	print_text(csv, p->type);
	print_text(csv, p->tag);
	print_text(csv, p->method);
	print_u64(csv, row->runs);
	print_u64(csv, row->measured);
	print_u64(csv, report_row__lost(row));
	for (int place = 0; (id = stats__next(STATS_CSV, &place)) < STAT_CNT;)
		print_number(csv, has_value(row, ev) ? stat_value(ev, id) : NAN, -1, "");
	print_number(csv, has_value(row, ev) ? ev->mean_stddev : NAN, -1, "");
	if (csv->r->followed)
		print_version(csv, &p->version, ev);
}

static void print_notes(struct csv *csv, const struct report_notes *notes)
{
	char text[1024] = "";
	size_t len = 0;

	for (int i = 0; i < notes->cnt && len < sizeof(text); i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? "; " : "",
				notes->text[i]);
	print_text(csv, text);
}

static void print_scope(struct csv *csv, const struct report_scope *s)
{
	print_text(csv, s->kind);
	print_u64(csv, s->id);
	print_text(csv, s->name);
	print_text(csv, s->method);
	print_notes(csv, &s->notes);
}

/* ev is NULL for a program or scope without events. */
static void print_line(struct csv *csv, const struct report_row *row, const struct report_event *ev)
{
	const struct report_scope *s = csv->scope;

	begin_line(csv, row->cpu);
	if (has_value(row, ev))
		print_event(csv, row, ev);
	else
		print_no_event(csv, row, ev);
	if (s)
		print_scope(csv, s);
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
	char method[64];

	snprintf(method, sizeof(method), "skipped:%s", s->reason ?: "");
	begin_line(csv, -1);
	print_no_event(csv, NULL, NULL);
	if (csv->r->of_scopes || csv->r->scope_cnt) {
		print_scope(csv,
			    &(struct report_scope){
				    .kind = "", .id = s->id, .name = s->name, .method = method});
		fputc('\n', csv->out);
		return;
	}
	print_u64(csv, s->id);
	print_text(csv, s->name);
	for (int i = 0; i < 3; i++) /* func, type, tag */
		print_text(csv, "");
	print_text(csv, method);
	for (int i = 0; i < 3; i++) /* runs, measured, lost */
		print_u64(csv, 0);
	for (int place = 0; stats__next(STATS_CSV, &place) < STAT_CNT;)
		print_text(csv, "");
	print_text(csv, ""); /* mean stddev */
	for (int i = 0; csv->r->followed && i < VERSION_COLUMNS; i++)
		print_text(csv, "");
	fputc('\n', csv->out);
}

int report__render_csv(const struct report *r, const struct render_opts *o, FILE *out)
{
	struct csv csv = {.r = r, .o = o, .sep = o->sep ?: ",", .out = out};

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
	return 0;
}
