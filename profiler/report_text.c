// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report for people: a line on the whole, the table of programs, then what report_tree.c,
 * report_dist.c, report_hist.c and report_notes.c have. Owns the columns of the table; must not know where the
 * numbers are from.
 *
 * A row is a program, and with -A each of its CPUs below it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "metric.h"
#include "report_priv.h"
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
	bool sampled;  /* some row has runs that were left out by --sample */
	bool repeated; /* some event has a variation over repeats */
	int err;
};

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

/* The n-th event of that name: two may have the same (name=, or in and out of a group). */
static const struct report_event *find_event(const struct report_row *row, const char *name, int n)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (row->event[i].name && !strcmp(row->event[i].name, name) && !n--)
			return &row->event[i];
	return NULL;
}

/* How many of the first cnt columns have that name. */
static int count_columns(const struct view *v, int cnt, const char *name)
{
	int n = 0;

	for (int i = 0; i < cnt; i++)
		n += !strcmp(v->event[i], name);
	return n;
}

/* Gives the events of a row their columns, where they have none yet. */
static void note_events(struct view *v, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		const char *name = row->event[i].name ?: "", **column;
		int n = 0;

		v->repeated |= !isnan(report_event__variation(&row->event[i]));
		for (int j = 0; j <= i; j++)
			n += !strcmp(row->event[j].name ?: "", name);
		if (count_columns(v, v->event_cnt, name) >= n)
			continue;
		column = array__add(&v->event, &v->event_cnt, sizeof(*v->event));
		if (column)
			*column = name;
		else
			v->err = -ENOMEM;
	}
}

static void note_row(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	v->lost |= report_row__lost(row);
	v->sampled |= row->sampled_out;
	note_events(v, row);
	for (int i = 0; i < metric_cnt; i++)
		if (metric__applies(&metrics[i], row))
			v->metrics |= 1ULL << i;
}

/* ---- cells ---- */

static void add_id(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	if (row->cpu < 0)
		table__add_cell(v->table, TABLE_PLAIN, "%u", p->id);
	else
		table__add_cell(v->table, TABLE_PLAIN, "%s", "");
}

const char *report_prog__label(const struct report_prog *p, char *buf)
{
	const char *name = p->name ?: "", *func = p->func ?: "";
	size_t len = strlen(name);

	/* The kernel keeps only so many characters of a program's name. */
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
		table__add_cell(v->table, TABLE_PLAIN, "%s", report_prog__label(p, label));
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
	table__add_count(v->table, row->runs, TABLE_PLAIN);
}

static void add_rate(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_value(v->table, report_row__runs_per_s(v->r, row), "");
}

static void add_share(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	double percent = 100 * row->cpu_share;
	int digits = percent >= 100 || percent == 0 ? 0 : percent >= 10 ? 1 : percent >= 1 ? 2 : 3;

	if (percent > 0 && percent < 0.001)
		table__add_cell(v->table, TABLE_PLAIN, "<0.001");
	else
		table__add_number(v->table, percent, digits, "");
}

static void add_measured(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_count(v->table, row->measured, TABLE_PLAIN);
}

static void add_lost(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_count(v->table, report_row__lost(row), TABLE_RED);
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

static void add_event_col(struct view *v, const char *name)
{
	char header[256];

	snprintf(header, sizeof(header), "%s/run", name);
	table__add_col(v->table, TABLE_RIGHT, header);
}

static void add_headers(struct view *v)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!columns[i].shown || columns[i].shown(v))
			table__add_col(v->table, columns[i].align, columns[i].header);
	for (int i = 0; i < v->event_cnt; i++) {
		add_event_col(v, v->event[i]);
		if (v->repeated)
			table__add_col(v->table, TABLE_RIGHT, "");
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

static void add_event(struct view *v, const struct report_event *ev)
{
	if (!ev)
		table__add_value(v->table, NAN, "");
	else if (ev->status != EVENT_OK)
		table__add_cell(v->table, TABLE_RED, "%s", event_status_specs[ev->status].cell);
	else
		table__add_value(v->table, ev->measured ? ev->stat[STAT_MEAN] : NAN, ev->unit);
	if (v->repeated)
		add_variation(v, ev);
}

static void add_row(struct view *v, const struct report_prog *p, const struct report_row *row)
{
	table__add_row(v->table);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!columns[i].shown || columns[i].shown(v))
			columns[i].add(v, p, row);
	for (int i = 0; i < v->event_cnt; i++)
		add_event(v, find_event(row, v->event[i], count_columns(v, i, v->event[i])));
	for (int i = 0; i < metric_cnt; i++)
		if (v->metrics & (1ULL << i))
			table__add_number(v->table, metric__value(&metrics[i], row),
					  metrics[i].digits, metrics[i].scale == 100 ? "%" : "");
}

static int print_table(struct view *v)
{
	unsigned int flags = 0;

	for_each_row(v, note_row);
	if (v->err)
		return v->err;
	add_headers(v);
	for_each_row(v, add_row);
	/*
	 * Two of these are columns that no block before need have had, two are tables in between.
	 */
	if (render_opts__is_first(v->o) || v->lost || v->sampled || report__has_tree(v->r) ||
	    report__has_dist(v->r, v->o))
		flags |= TABLE_HEADER;
	if (v->o->color)
		flags |= TABLE_COLOR;
	return table__print(v->table, v->out, flags);
}

/* ---- the whole ---- */

static void print_sample(const struct view *v)
{
	const struct report *r = v->r;
	char share[NUMBER_SZ], added[NUMBER_SZ];

	if (!r->sample)
		fprintf(v->out, ", sampled to add less than %s%% to a CPU (added: %s%%)",
			number__plain(share, 100 * r->sample_auto.share),
			number__group(added, 100 * r->sample_auto.added, 2));
	else if (r->sample > 1)
		fprintf(v->out, ", one run in %s measured", number__group_u64(share, r->sample));
}

static void print_summary(const struct view *v)
{
	const struct report *r = v->r;
	char *kernel = text__printable(r->host.kernel), *arch = text__printable(r->host.arch);
	char buf[NUMBER_SZ];

	if (v->o->interval) {
		fprintf(v->out, "# %s s", number__group(buf, r->interval_ns / 1e9, 3));
	} else {
		fprintf(v->out, "%s s on %d CPU%s", number__group(buf, r->elapsed_ns / 1e9, 3),
			r->host.cpus, r->host.cpus == 1 ? "" : "s");
		if (kernel && *kernel)
			fprintf(v->out, ", kernel %s%s%s", kernel, arch && *arch ? " " : "",
				arch ?: "");
		if (r->repeats > 1)
			fprintf(v->out, ", %d repeats", r->repeats);
		if (r->calibrated && report__has_method(r, "fentry"))
			fputs(", net of the probe's cost", v->out);
	}
	print_sample(v);
	fputc('\n', v->out);
	free(kernel);
	free(arch);
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
		err = report__print_tree(r, o, out);
	if (!err)
		err = report__print_dist(r, o, out);
	if (!err)
		err = report__print_hist(r, o, out);
	if (!err)
		err = report__print_notes(r, o, out);
out:
	table__free(v.table);
	free(v.event);
	return err;
}
