// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as CSV: the columns of perf stat -x, then bprof's own columns. Owns the columns, their
 * names and their order, also for other formats with separated fields (report_csv_priv.h); must not
 * know where the numbers come from.
 *
 * Each event of each program or scope has one line. With -A, it has one line per CPU, or one line
 * with an empty CPU column if there are no numbers per CPU. There is no header, as in perf, unless
 * --header asks for one.
 *
 * Columns of perf stat:
 *   time       with -I: seconds since the start, as perf prints them
 *   cpu        with -A: CPUn
 *   value      for a program: the net total over the measured runs;
 *              for a scope: the total over the measured time, scaled if the event was counted for
 *              only part of the time; with -r, the mean of the repeats' totals;
 *              <not supported> or <not counted> if there is no value
 *   unit
 *   event
 *   variation  with -r: the standard deviation of the mean over the repeats, in percent of the mean
 *   runtime    how long the event was counted, in ns, summed over the CPUs
 *   running    for a program: the percentage of the measured runs in which the event was counted;
 *              for a scope: the percentage of the time
 *   metric, metric unit   the ratio that has this event as its numerator; empty if there is none
 * Columns of a program, each empty if the value is not known:
 *   id, name, func, type, tag, method
 *   runs, runs per second, share of a CPU in percent, measured, lost   (--sample left out the runs
 *              that are neither measured nor lost)
 *   per run    the net mean
 *   min, p50, p90, p95, p99, p99.9, max, stddev, self   net statistics of the runs; with -I, min and
 *              max are empty if they are known only to within a bucket
 *   mean stddev   the sampling error of a mean that is estimated from samples
 *   with --follow   load time (ns since boot), loaded (ns), attached after (ns), missed runs,
 *              ended (ns), the mean minus that of another version, this difference in percent,
 *              the id of that version; with -I, the lines of the total have an empty time
 *   with --by retval   the return value of the runs, and its name, "other" or "not
 *              measured"; with another key of --by, the number of the device, process or other
 *              key, and its name
 *   with --sum  the number of programs; the id is empty, and the name is what they have in common
 *   with --per PROGRAM   the row's runs and cost per run of PROGRAM. After the programs, each event has a
 *              line TOTAL: its value is the total, its runs are those of PROGRAM, and its mean is the
 *              cost per run
 * Columns of a scope:
 *   kind, id, name, method   the id is 0 if there is none
 *   notes      caveats about the counts, sentences separated by "; "
 *
 * A target that was not measured has a line with the same columns. Its value is <not counted>, its
 * method is "skipped:" and the reason, and its event, its kind and its numbers of runs are empty.
 *
 * Fields that contain the separator or a quote are quoted (RFC 4180), and \xNN stands for bytes of
 * control characters (text__csv()), so that a name cannot forge a field. perf does not quote.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "render/render.h"
#include "render/report_csv_priv.h"
#include "report/metric.h"
#include "report/report_per.h"

struct csv {
	const struct report *r;
	const struct render_opts *o;
	const struct csv_style *style;
	FILE *out;
	bool begun;	      /* the current line already has at least one field */
	struct per_table per; /* with --per */
	bool names;	      /* the current line is the header with the names of the columns */
	bool skip;	      /* the current line is about a target that was not measured */
	/* The program or the scope that the current lines are about. One of the two pointers is NULL. */
	const struct report_prog *prog;
	const struct report_scope *scope;
};

/*
 * Begins a field. In the header, prints the column's name and returns false, because no value
 * follows.
 */
static bool begin_field(struct csv *csv, const char *name)
{
	if (csv->begun)
		fputs(csv->style->sep, csv->out);
	csv->begun = true;
	if (csv->names)
		fputs(name, csv->out);
	return !csv->names;
}

static void print_string(struct csv *csv, const char *name, const char *s)
{
	const struct csv_style *style = csv->style;

	if (begin_field(csv, name))
		text__put(csv->out, style->tsv ? text__tsv(s) : text__csv(s, style->sep));
}

static void print_u64(struct csv *csv, const char *name, __u64 v)
{
	if (begin_field(csv, name))
		fprintf(csv->out, "%llu", (unsigned long long)v);
}

/*
 * Prints v with the given number of digits after the decimal point. If digits is -1, prints as many
 * as v needs. Prints "" for NaN.
 */
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

/*
 * Prints how long the event was counted, in ns, and for what percentage of the measured runs or
 * time.
 */
static void print_running(struct csv *csv, const struct report_row *row,
			  const struct report_event *ev)
{
	__u64 cpus = row->cpu >= 0 || csv->r->host.cpus < 1 ? 1 : csv->r->host.cpus;
	bool complete = ev->running_ns == ev->enabled_ns;
	double percent = row->measured ? 100.0 * ev->measured / row->measured : 100;

	if (row->of_scope) {
		percent = complete ? 100 : 100 * ev->running_ns / ev->enabled_ns;
		print_number(csv, "runtime_ns", ev->running_ns, -1, "");
	} else {
		print_u64(csv, "runtime_ns", csv->r->elapsed_ns * cpus);
	}
	print_number(csv, "running_percent", percent, 2, "");
}

/*
 * Like print_running(), for an event without a value. Like perf, prints 0 % only if the event never
 * got a counter.
 */
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
	print_string(csv, "metric_unit", isnan(v) ? "" : metrics[i].unit);
}

static bool has_value(const struct report_row *row, const struct report_event *ev)
{
	if (!ev)
		return false;
	/* An estimate from samples has a total even if the number of runs is not known. */
	return row->of_scope
		       ? !isnan(report_row__value(row, ev))
		       : report_event__has_value(ev) || (ev->estimate && ev->estimate->samples);
}

/* Prints the columns of perf stat. If ev is NULL, row may also be NULL. */
static void print_perf_columns(struct csv *csv, const struct report_row *row,
			       const struct report_event *ev)
{
	bool known = has_value(row, ev);
	double variation = known ? report_row__variation(row, ev) : NAN;
	enum event_status status = ev && ev->status != EVENT_OK ? ev->status : EVENT_NOT_COUNTED;

	/*
	 * Print the status in place of an unknown value. Like perf, print "<not counted>" for an event
	 * that is supported but never got a counter.
	 */
	if (known)
		print_number(csv, "value", ev->total, -1, "");
	else if (begin_field(csv, "value"))
		fprintf(csv->out, "<%s>", event_status_specs[status].text);
	print_string(csv, "unit", ev ? ev->unit : "");
	print_string(csv, "event", ev ? ev->name : "");
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
	bool compared = ev && report_event__has_change(ev);

	if (v->load_time_ns)
		print_u64(csv, "load_time_ns", v->load_time_ns);
	else
		print_string(csv, "load_time_ns", "");
	print_number(csv, "loaded_ns", v->loaded_ns, -1, "");
	print_number(csv, "attached_after_ns", v->attached_ns, -1, "");
	print_number(csv, "missed_runs", v->missed, -1, "");
	print_number(csv, "ended_ns", v->ended_ns, -1, "");
	print_number(csv, "change", compared ? ev->change->absolute : NAN, -1, "");
	print_number(csv, "change_percent", compared ? 100 * ev->change->share : NAN, 2, "%");
	print_number(csv, "change_from", compared ? ev->change->from : NAN, -1, "");
}

/*
 * Returns the statistic as CSV shows it. CSV has no mark for bounds, so it leaves out a minimum or
 * maximum that is known only to within a bucket (in an interval).
 */
static double stat_value(const struct report_event *ev, enum stat_id id)
{
	bool extreme = id == STAT_MIN || id == STAT_MAX;

	return extreme && report_event__is_rough(ev, id) ? NAN : ev->stat[id];
}

/* Prints the row's values per run of the program of --per. */
static void print_per(struct csv *csv, const struct report_row *row, const struct report_event *ev)
{
	const struct per_table *t = &csv->per;
	const struct per_row *of = NULL;
	double cost = NAN;

	for (int i = 0; i < t->row_cnt; i++)
		if (&t->row[i].p->all == row)
			of = &t->row[i];
	for (int i = 0; of && ev && i < t->event_cnt; i++)
		if (report_row__find_like(row, &t->program->all, t->event[i].ev) == ev)
			cost = of->value[i].cost.value;
	print_number(csv, "per_runs", of ? of->runs : NAN, -1, "");
	print_number(csv, "per_cost", cost, -1, "");
}

/* Prints a number of runs. It is not known for a target that was not measured. */
static void print_count(struct csv *csv, const char *name, __u64 runs, bool known)
{
	if (known && !csv->skip)
		print_u64(csv, name, runs);
	else
		print_string(csv, name, "");
}

static void print_csv_prog(struct csv *csv, const struct report_row *row,
			   const struct report_event *ev)
{
	const struct report_prog *p = csv->prog;
	char retval[RETURNS_SZ];
	enum stat_id id;

	if (p->programs)
		print_string(csv, "id", "");
	else
		print_u64(csv, "id", p->id);
	print_string(csv, "name", p->name);
	print_string(csv, "func", p->func);
	print_string(csv, "type", p->type);
	print_string(csv, "tag", p->tag);
	print_string(csv, "method", p->method);
	print_count(csv, "runs", row->runs, !row->at_least);
	print_number(csv, "runs_per_s", csv->skip ? NAN : report_row__runs_per_s(csv->r, row), -1,
		     "");
	print_number(csv, "cpu_percent", 100 * row->cpu_share, -1, "");
	print_count(csv, "measured", row->measured, true);
	print_count(csv, "lost", report_row__lost(row), true);
	for (int place = 0; (id = stats__next(STATS_CSV, &place)) < STAT_CNT;)
		print_number(csv, stat_specs[id].name,
			     has_value(row, ev) ? stat_value(ev, id) : NAN, -1, "");
	print_number(csv, "mean_stddev", has_value(row, ev) ? ev->mean_stddev : NAN, -1, "");
	if (csv->r->followed)
		print_version(csv, &p->version, ev);
	if (csv->r->by) {
		print_number(csv, "key_value", p->key_value, -1, "");
		print_string(csv, "key_name", text__or_empty(report_prog__returns(p, retval)));
	} else if (csv->r->by_retval) {
		print_number(csv, "retval", p->retval, -1, "");
		print_string(csv, "retval_name", text__or_empty(report_prog__returns(p, retval)));
	}
	if (csv->r->sum)
		print_number(csv, "programs", p->programs ?: NAN, -1, "");
	if (csv->r->per)
		print_per(csv, row, ev);
}

static void print_scope(struct csv *csv, const struct report_scope *s)
{
	char notes[1024] = "";
	size_t len = 0;
	print_string(csv, "scope", s->kind);
	print_u64(csv, "id", s->id);
	print_string(csv, "name", s->name);
	print_string(csv, "method", s->method);
	for (int i = 0; i < s->notes.cnt && len < sizeof(notes); i++)
		len += snprintf(notes + len, sizeof(notes) - len, "%s%s", i ? "; " : "",
				s->notes.text[i]);
	print_string(csv, "notes", notes);
}

/* Prints one line. ev is NULL for a program or scope without events. */
static void print_csv_line(struct csv *csv, const struct report_row *row,
			   const struct report_event *ev)
{
	__u64 t = csv->r->interval_ns;

	csv->begun = false;
	if (csv->o->interval && begin_field(csv, "time") && !csv->r->total)
		fprintf(csv->out, "%6llu.%09llu", t / 1000000000ULL, t % 1000000000ULL);
	if (csv->o->per_cpu && begin_field(csv, "cpu") && row->cpu >= 0)
		fprintf(csv->out, "CPU%d", row->cpu);
	print_perf_columns(csv, row, ev);
	if (csv->scope)
		print_scope(csv, csv->scope);
	else
		print_csv_prog(csv, row, ev);
	fputc('\n', csv->out);
}

static void print_csv_row(struct csv *csv, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++)
		print_csv_line(csv, row, &row->event[i]);
	if (!row->event_cnt)
		print_csv_line(csv, row, NULL);
}

static void print_rows(struct csv *csv, const struct report_row *all, const struct report_row *cpu,
		       int cpu_cnt)
{
	if (!csv->o->per_cpu || !cpu_cnt)
		print_csv_row(csv, all);
	for (int i = 0; csv->o->per_cpu && i < cpu_cnt; i++)
		print_csv_row(csv, &cpu[i]);
}

/* A program of which nothing is known. */
static const struct report_prog no_prog = {
	.version = {.loaded_ns = NAN, .attached_ns = NAN, .missed = NAN, .ended_ns = NAN},
	.all = {.cpu = -1, .cpu_share = NAN},
	.retval = NAN,
	.key_value = NAN};

/* Prints a skipped target like a program, or like a scope if the report is on scopes. */
static void print_skip(struct csv *csv, const struct report_skip *s)
{
	char method[64];
	struct report_prog prog = no_prog;
	struct report_scope scope = {.kind = "", .id = s->id, .name = s->name, .method = method};

	snprintf(method, sizeof(method), "skipped:%s", text__or_empty(s->reason));
	prog.id = s->id;
	prog.name = s->name;
	prog.method = method;
	csv->skip = true;
	csv->prog = &prog;
	csv->scope = csv->r->of_scopes || csv->r->scope_cnt ? &scope : NULL;
	print_csv_line(csv, &prog.all, NULL);
}

/* Prints the total of each event per run of the program of --per. */
static void print_per_totals(struct csv *csv)
{
	const struct per_table *t = &csv->per;

	for (int i = 0; i < t->event_cnt; i++) {
		const struct per_total *total = &t->event[i];
		struct report_event ev = *total->ev;
		struct report_prog prog = no_prog;

		prog.programs = 1;
		prog.name = "TOTAL";
		for (int k = 0; k < STAT_CNT; k++)
			ev.stat[k] = NAN;
		ev.change = NULL;
		ev.repeat_stddev = NAN;
		ev.status = isnan(total->cost.value) ? EVENT_NOT_COUNTED : EVENT_OK;
		prog.all.runs = prog.all.measured = ev.measured = isnan(t->runs) ? 0 : t->runs;
		ev.stat[STAT_MEAN] = total->cost.value;
		ev.mean_stddev = total->cost.stddev;
		ev.total = total->cost.value * t->runs;
		csv->prog = &prog;
		print_csv_line(csv, &prog.all, &ev);
	}
}

void report__print_csv(const struct report *r, const struct render_opts *o,
		       const struct csv_style *style, FILE *out)
{
	struct csv csv = {.r = r, .o = o, .style = style, .out = out, .names = style->header};

	if (csv.names)
		print_skip(&csv, &(struct report_skip){});
	csv.names = csv.skip = false;
	csv.scope = NULL;
	if (r->per)
		per_table__make(r, &csv.per);
	for (int i = 0; i < r->prog_cnt; i++) {
		csv.prog = &r->prog[i];
		print_rows(&csv, &csv.prog->all, csv.prog->cpu, csv.prog->cpu_cnt);
	}
	print_per_totals(&csv);
	for (int i = 0; i < r->scope_cnt; i++) {
		csv.scope = &r->scope[i];
		print_rows(&csv, &csv.scope->all, csv.scope->cpu, csv.scope->cpu_cnt);
	}
	for (int i = 0; i < r->skip_cnt; i++)
		print_skip(&csv, &r->skip[i]);
	per_table__free(&csv.per);
}

const char *report_csv__check_sep(const char *sep)
{
	if (!*sep)
		return "the separator is empty";
	if (strpbrk(sep, "\"\n"))
		return "a quote or a newline cannot separate fields";
	return sep[strspn(sep, "0123456789.+-e")] ? NULL : "numbers contain it";
}

bool report_csv__begins(const struct report *r, const struct render_opts *o)
{
	return !o->continues && (!o->interval || (o->header && !r->total));
}

void report__render_csv(const struct report *r, const struct render_opts *o, FILE *out)
{
	const struct csv_style style = {.sep = o->sep ?: ",",
					.header = o->names && report_csv__begins(r, o)};

	report__print_csv(r, o, &style, out);
}
