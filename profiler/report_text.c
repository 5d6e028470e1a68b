// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report for people: a line on the whole, a table, footers. Owns which columns there are and
 * what a footer says; must not know where the numbers are from.
 *
 * A row is a program, and with -A each of its CPUs below it. All that would make a number mean
 * less than it seems to is said once, in a footer: what was lost, not counted, not measured.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "metric.h"
#include "report.h"
#include "table.h"
#include "text.h"
#include "util.h"

/* What is to be shown, found out before the table begins. */
struct view {
	const struct report *r;
	const struct render_opts *o;
	FILE *out;
	struct table *table;
	const char **event; /* names in order of appearance; owned by the report */
	int event_cnt;
	__u64 metrics; /* bit i: some row has both events of metrics[i] */
	bool lost;     /* some row lost runs */
	bool sampled;  /* some row has runs that were neither measured nor lost */
	bool repeated; /* some event has a variation over repeats */
	/* Footers. */
	const struct report_event **told; /* whose status has been explained */
	int told_cnt;
	bool has_note;
	int err;
};

#define LABEL_SZ 1100 /* two names of the kernel's maximum, KSYM_NAME_LEN */

typedef void (*row_fn)(struct view *v, const struct report_prog *p, const struct report_row *row);

static void for_each_row(struct view *v, row_fn fn)
{
	for (int i = 0; i < v->r->prog_cnt; i++) {
		const struct report_prog *p = &v->r->prog[i];

		fn(v, p, &p->all);
		for (int j = 0; v->o->per_cpu && j < p->cpu_cnt; j++)
			fn(v, p, &p->cpu[j]);
	}
}

static const struct report_event *find_event(const struct report_row *row, const char *name)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (row->event[i].name && !strcmp(row->event[i].name, name))
			return &row->event[i];
	return NULL;
}

static void note_event(struct view *v, const struct report_event *ev)
{
	const char **name;

	v->repeated |= !isnan(report_event__variation(ev));
	for (int i = 0; i < v->event_cnt; i++)
		if (!strcmp(v->event[i], ev->name ?: ""))
			return;
	name = array__add(&v->event, &v->event_cnt, sizeof(*v->event));
	if (name)
		*name = ev->name ?: "";
	else
		v->err = -ENOMEM;
}

static void note_row(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	__u64 lost = report_row__lost(row);

	v->lost |= lost;
	v->sampled |= row->measured + lost < row->runs;
	for (int i = 0; i < row->event_cnt; i++)
		note_event(v, &row->event[i]);
	for (int i = 0; i < metric_cnt; i++)
		if (metric__applies(&metrics[i], row))
			v->metrics |= 1ULL << i;
}

/* ---- cells ---- */

static void add_number(struct view *v, double n, int digits, const char *suffix)
{
	char buf[NUMBER_SZ];

	number__group(buf, n, digits);
	table__add_cell(v->table, strpbrk(buf, "123456789") ? TABLE_PLAIN : TABLE_DIM, "%s%s", buf,
			isnan(n) ? "" : suffix);
}

/* A count or a time with one digit after the point where there are few before it; of another
 * unit (Joules, …), where all may be small, three that say something. */
static void add_value(struct view *v, double n, const char *unit)
{
	char suffix[32] = "";
	int digits = fabs(n) < 999.95 ? 1 : 0;

	unit = unit ?: "";
	if (*unit && strcmp(unit, "ns") && n != 0 && fabs(n) < 10)
		digits = fabs(n) < 1e-9 ? 9 : 2 - (int)floor(log10(fabs(n)));
	if (*unit)
		snprintf(suffix, sizeof(suffix), " %s", unit);
	add_number(v, n, digits, suffix);
}

static void add_count(struct view *v, __u64 n, enum table_style style)
{
	char buf[NUMBER_SZ];

	table__add_cell(v->table, n ? style : TABLE_DIM, "%s", number__group_u64(buf, n));
}

static void add_id(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	if (row->cpu < 0)
		table__add_cell(v->table, TABLE_PLAIN, "%u", p->id);
	else
		table__add_cell(v->table, TABLE_PLAIN, "%s", "");
}

/*
 * "program", or "program:function" for a subprogram. The kernel keeps only so many characters of
 * a program's name; its function has the whole name, which is then enough. Returns buf.
 */
static const char *format_label(const struct report_prog *p, char *buf)
{
	const char *name = p->name ?: "", *func = p->func ?: "";
	size_t len = strlen(name);

	if (!strncmp(name, func, len) && (!func[len] || len == BPF_OBJ_NAME_LEN - 1 || !len)) {
		name = func;
		func = "";
	}
	snprintf(buf, LABEL_SZ, "%s%s%s", *name ? name : "-", *func ? ":" : "", func);
	return buf;
}

static void add_name(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	char label[LABEL_SZ];

	if (row->cpu < 0)
		table__add_cell(v->table, TABLE_PLAIN, "%s", format_label(p, label));
	else
		table__add_cell(v->table, TABLE_PLAIN, "  cpu %d", row->cpu);
}

static void add_type(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_cell(v->table, TABLE_PLAIN, "%s", row->cpu < 0 ? p->type ?: "-" : "");
}

static void add_method(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_cell(v->table, TABLE_PLAIN, "%s", row->cpu < 0 ? p->method ?: "-" : "");
}

static void add_runs(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	add_count(v, row->runs, TABLE_PLAIN);
}

static void add_rate(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	add_value(v, report_row__runs_per_s(v->r, row), "");
}

static void add_share(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	double percent = 100 * row->cpu_share;
	int digits = percent >= 100 || percent == 0 ? 0 : percent >= 10 ? 1 : percent >= 1 ? 2 : 3;

	if (percent > 0 && percent < 0.001)
		table__add_cell(v->table, TABLE_PLAIN, "<0.001");
	else
		add_number(v, percent, digits, "");
}

static void add_measured(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	add_count(v, row->measured, TABLE_PLAIN);
}

static void add_lost(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	add_count(v, report_row__lost(row), TABLE_RED);
}

static bool has_sampled(const struct view *v)
{
	return v->sampled;
}

static bool has_lost(const struct view *v)
{
	return v->lost;
}

static const struct text_column {
	const char *header;
	enum table_align align;
	row_fn add;
	bool (*shown)(const struct view *v); /* NULL: always */
} columns[] = {
	{"ID", TABLE_RIGHT, add_id, NULL},
	{"NAME", TABLE_LEFT, add_name, NULL},
	{"TYPE", TABLE_LEFT, add_type, NULL},
	{"METHOD", TABLE_LEFT, add_method, NULL},
	{"RUNS", TABLE_RIGHT, add_runs, NULL},
	{"RUNS/S", TABLE_RIGHT, add_rate, NULL},
	{"CPU%", TABLE_RIGHT, add_share, NULL},
	{"MEASURED", TABLE_RIGHT, add_measured, has_sampled},
	{"LOST", TABLE_RIGHT, add_lost, has_lost},
};

/* ---- table ---- */

static void add_event_col(struct view *v, const char *name, const char *what)
{
	char header[256];

	snprintf(header, sizeof(header), "%s%s", name, what);
	table__add_col(v->table, TABLE_RIGHT, header);
}

static void add_headers(struct view *v)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!columns[i].shown || columns[i].shown(v))
			table__add_col(v->table, columns[i].align, columns[i].header);
	for (int i = 0; i < v->event_cnt; i++) {
		add_event_col(v, v->event[i], "/run");
		if (v->repeated)
			table__add_col(v->table, TABLE_RIGHT, "");
		if (v->o->verbose) {
			add_event_col(v, v->event[i], " raw");
			add_event_col(v, v->event[i], " bias");
		}
	}
	for (int i = 0; i < metric_cnt; i++)
		if (v->metrics & (1ULL << i))
			table__add_col(v->table, TABLE_RIGHT, metrics[i].header);
}

static void add_variation(struct view *v, const struct report_event *ev)
{
	double variation = ev ? report_event__variation(ev) : NAN;
	char buf[NUMBER_SZ];

	if (isnan(variation))
		table__add_cell(v->table, TABLE_PLAIN, "%s", "");
	else
		table__add_cell(v->table, TABLE_PLAIN, "+- %5s%%",
				number__group(buf, variation, 2));
}

static void add_raw(struct view *v, const struct report_event *ev)
{
	char bias[NUMBER_SZ], spread[NUMBER_SZ];
	double raw = NAN;

	if (ev && report_event__has_value(ev))
		raw = isnan(ev->raw_per_run) ? ev->stat[STAT_MEAN] : ev->raw_per_run;
	add_value(v, raw, "");
	if (!ev || isnan(ev->bias) || isnan(ev->bias_stddev))
		add_value(v, ev ? ev->bias : NAN, "");
	else
		table__add_cell(v->table, TABLE_PLAIN, "%s +- %s", number__group(bias, ev->bias, 1),
				number__group(spread, ev->bias_stddev, 1));
}

static void add_event(struct view *v, const struct report_event *ev)
{
	if (!ev)
		add_value(v, NAN, "");
	else if (ev->status != EVENT_OK)
		table__add_cell(v->table, TABLE_RED, "%s", event_status_specs[ev->status].cell);
	else
		add_value(v, ev->measured ? ev->stat[STAT_MEAN] : NAN, ev->unit);
	if (v->repeated)
		add_variation(v, ev);
	if (v->o->verbose)
		add_raw(v, ev);
}

static void add_row(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_row(v->table);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!columns[i].shown || columns[i].shown(v))
			columns[i].add(v, p, row);
	for (int i = 0; i < v->event_cnt; i++)
		add_event(v, find_event(row, v->event[i]));
	for (int i = 0; i < metric_cnt; i++)
		if (v->metrics & (1ULL << i))
			add_number(v, metric__value(&metrics[i], row), metrics[i].digits,
				   metrics[i].scale == 100 ? "%" : "");
}

/* Is it the first block of several, or the only one? What stays the same is said once. */
static bool is_first(const struct view *v)
{
	return !v->o->interval || v->o->header;
}

static int print_table(struct view *v)
{
	unsigned int flags = 0;

	for_each_row(v, note_row);
	if (v->err)
		return v->err;
	add_headers(v);
	for_each_row(v, add_row);
	/* The last two are columns that no block before need have had. */
	if (is_first(v) || v->lost || v->sampled)
		flags |= TABLE_HEADER;
	if (v->o->color)
		flags |= TABLE_COLOR;
	return table__print(v->table, v->out, flags);
}

/* ---- lines before and after it ---- */

static void print_summary(const struct view *v)
{
	const struct report *r = v->r;
	char *kernel = text__printable(r->host.kernel), *arch = text__printable(r->host.arch);
	char buf[NUMBER_SZ];

	if (v->o->interval) {
		fprintf(v->out, "# %s s\n", number__group(buf, r->interval_ns / 1e9, 3));
	} else {
		fprintf(v->out, "%s s on %d CPU%s", number__group(buf, r->elapsed_ns / 1e9, 3),
			r->host.cpus, r->host.cpus == 1 ? "" : "s");
		if (kernel && *kernel)
			fprintf(v->out, ", kernel %s%s%s", kernel, arch && *arch ? " " : "",
				arch ?: "");
		if (r->repeats > 1)
			fprintf(v->out, ", %d repeats", r->repeats);
		fputc('\n', v->out);
	}
	free(kernel);
	free(arch);
}

static void __attribute__((format(printf, 2, 3))) print_note(struct view *v, const char *fmt, ...)
{
	char *line = NULL, *printable = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	if (line)
		printable = text__printable(line);
	if (printable)
		fprintf(v->out, "%s%s\n", v->has_note ? "" : "\n", printable);
	else
		v->err = -ENOMEM;
	v->has_note = true;
	free(line);
	free(printable);
}

static void print_lost(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	char label[LABEL_SZ], causes[512] = "", lost[NUMBER_SZ], runs[NUMBER_SZ];
	size_t len = 0;

	if (row->cpu >= 0 || !report_row__lost(row))
		return;
	for (int i = 0; i < LOST_CNT; i++) {
		if (!row->lost[i])
			continue;
		len += snprintf(causes + len, sizeof(causes) - len, "%s%s %s", len ? ", " : "",
				number__group_u64(lost, row->lost[i]), lost_specs[i].text);
	}
	print_note(v, "lost: %u %s: %s of %s runs: %s", p->id, format_label(p, label),
		   number__group_u64(lost, report_row__lost(row)),
		   number__group_u64(runs, row->runs), causes);
}

static bool is_told(const struct view *v, const struct report_event *ev)
{
	for (int i = 0; i < v->told_cnt; i++)
		if (v->told[i]->status == ev->status &&
		    !strcmp(v->told[i]->name ?: "", ev->name ?: "") &&
		    !strcmp(v->told[i]->detail ?: "", ev->detail ?: ""))
			return true;
	return false;
}

/* The cell has no room for the reason; it is the same for all programs, mostly. */
static void print_status(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		const struct report_event *ev = &row->event[i], **told;

		if (ev->status == EVENT_OK || is_told(v, ev))
			continue;
		print_note(v, "event %s: %s%s%s", ev->name ?: "",
			   event_status_specs[ev->status].text, ev->detail ? ": " : "",
			   ev->detail ?: "");
		told = array__add(&v->told, &v->told_cnt, sizeof(*v->told));
		if (!told) {
			v->err = -ENOMEM;
			return;
		}
		*told = ev;
	}
}

/* An event that had to share a counter has a mean over fewer runs than its row says. */
static void print_partial(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	char label[LABEL_SZ], counted[NUMBER_SZ], measured[NUMBER_SZ];

	for (int i = 0; row->cpu < 0 && i < row->event_cnt; i++) {
		const struct report_event *ev = &row->event[i];

		if (ev->status == EVENT_OK && ev->measured < row->measured)
			print_note(v, "partly counted: %u %s: %s in %s of %s measured runs", p->id,
				   format_label(p, label), ev->name ?: "",
				   number__group_u64(counted, ev->measured),
				   number__group_u64(measured, row->measured));
	}
}

static void print_ended(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	char label[LABEL_SZ];

	if (row->cpu < 0 && p->ended)
		print_note(v, "ended: %u %s: %s during the measurement", p->id,
			   format_label(p, label), p->ended);
}

static void print_skipped(struct view *v, const struct report_skip *s)
{
	const char *name = s->name ?: "";

	print_note(v, "not measured: %u%s%s: %s", s->id, *name ? " " : "", name,
		   s->detail ?: s->reason ?: "");
}

static bool has_raw(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt && !r->calibrated; i++)
		if (r->prog[i].method && !strcmp(r->prog[i].method, "fentry"))
			return true;
	return false;
}

static int print_notes(struct view *v)
{
	for_each_row(v, print_lost);
	for_each_row(v, print_partial);
	for_each_row(v, print_ended);
	if (!is_first(v))
		return v->err;
	for_each_row(v, print_status);
	for (int i = 0; i < v->r->skip_cnt; i++)
		print_skipped(v, &v->r->skip[i]);
	if (has_raw(v->r))
		print_note(v, "not calibrated: the numbers of fentry rows are raw, the probe's own "
			      "cost is in them");
	return v->err;
}

int report__render_text(const struct report *r, const struct render_opts *o, FILE *out)
{
	struct view v = {.r = r, .o = o, .out = out, .table = table__new()};
	int err = -ENOMEM;

	if (!v.table)
		goto out;
	err = 0;
	print_summary(&v);
	if (r->prog_cnt)
		err = print_table(&v);
	if (!err)
		err = print_notes(&v);
out:
	table__free(v.table);
	free(v.event);
	free(v.told);
	return err;
}
