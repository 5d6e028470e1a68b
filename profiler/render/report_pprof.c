// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports as pprof profiles: each measured function is a sample. The sample's call path has the callers of
 * the function. The sample's values are the number of the function's runs and the function's own cost in all
 * runs. Owns the values and the comments; must not know the format of the file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "pprof/pprof.h"
#include "render/render.h"
#include "render/report_pprof.h"

/* ---- what reports and recordings share ---- */

static void add_command(struct pprof *p, char *const *command)
{
	char *text = NULL;
	size_t sz = 0;
	FILE *out;

	if (!command)
		return;
	out = text__open(&text, &sz);
	for (int i = 0; command[i]; i++)
		fprintf(out, " %s", command[i]);
	fclose(out);
	pprof__add_comment(p, "command:%s", text);
	free(text);
}

void report_pprof__describe(struct pprof *p, const struct report *head)
{
	pprof__set_time(p, &head->started, head->elapsed_ns);
	pprof__add_comment(p, "bprof %s", text__or_empty(head->version));
	add_command(p, head->command);
	pprof__add_comment(p, "host: Linux %s, %s, %s, %d CPUs", text__or_empty(head->host.kernel),
			   text__or_empty(head->host.arch), text__or_empty(head->host.cpu_model),
			   head->host.cpus);
	for (int i = 0; i < head->skip_cnt; i++) {
		const struct report_skip *s = &head->skip[i];
		char more[40] = "";

		if (s->more)
			snprintf(more, sizeof(more), " and %llu more", s->more);
		pprof__add_comment(p, "skipped: %u %s%s: %s", s->id, text__or_empty(s->name), more,
				   text__or_empty(s->detail));
	}
}

void pprof_prog__add(struct pprof_prog *prog, struct pprof *p, __u64 code_sz)
{
	char frame[LABEL_SZ];

	snprintf(frame, sizeof(frame), "bpf_prog_%s_%s", prog->tag, text__or_empty(prog->name));
	prog->mapping = pprof__add_mapping(p, text__or_empty(prog->name), prog->tag, code_sz);
	prog->frame =
		pprof__add_location(p, prog->mapping, 0, pprof__add_function(p, frame, ""), 0);
}

void pprof_prog__label(const struct pprof_prog *prog, struct pprof *p)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", prog->id);
	pprof__add_label(p, "program", text__or_empty(prog->name));
	if (prog->id) /* a sum has no id */
		pprof__add_label(p, "program_id", id);
	pprof__add_label(p, "tag", prog->tag);
	pprof__add_label(p, "type", text__or_empty(prog->type));
}

void report_pprof__add_notes(struct pprof *p, const char *id, const char *name,
			     const struct report_notes *notes)
{
	for (int i = 0; i < notes->cnt; i++)
		pprof__add_comment(p, "%s %s: %s", id, name, notes->text[i]);
}

/* ---- types of values ---- */

/* The limit of a value: tools can add up a few such values without an overflow. */
#define MAX_VALUE (1ULL << 60)
/* more than the depth of any call path: the verifier allows 8 frames */
#define MAX_DEPTH 256

/*
 * A type of values: an event, with a row that has it. In other rows, report_row__find_like() finds the event.
 */
struct column {
	const struct report_row *row;
	const struct report_event *ev;
};

struct profile {
	const struct report *r;
	struct pprof *p;
	struct column *column;
	int column_cnt;
	__s64 *value; /* the values of a sample: its runs, then a value for each column */
	/* path[i]: the location of the function at depth i that calls the current function */
	__u64 path[MAX_DEPTH + 1];
};

static bool has_known_total(const struct report_event *ev)
{
	return ev && ev->status == EVENT_OK && !isnan(ev->total);
}

static bool has_column(const struct profile *f, const struct report_row *row,
		       const struct report_event *ev)
{
	for (int i = 0; i < f->column_cnt; i++)
		if (report_row__find_like(row, f->column[i].row, f->column[i].ev) == ev)
			return true;
	return false;
}

/* Finds the events that have a value in any program. */
static void find_columns(struct profile *f)
{
	const struct report *r = f->r;
	int most = 0;

	for (int i = 0; i < r->prog_cnt; i++)
		most += r->prog[i].all.event_cnt;
	f->column = xcalloc(most + 1, sizeof(*f->column));
	f->value = xcalloc(most + 1, sizeof(*f->value));
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_row *row = &r->prog[i].all;

		for (int e = 0; e < row->event_cnt; e++)
			if (has_known_total(&row->event[e]) && !has_column(f, row, &row->event[e]))
				f->column[f->column_cnt++] =
					(struct column){.row = row, .ev = &row->event[e]};
	}
}

static const char *unit_of(const struct report_event *ev)
{
	if (!ev->unit || !*ev->unit)
		return "count";
	return strcmp(ev->unit, "ns") ? ev->unit : "nanoseconds";
}

const char *report_pprof__sampled_unit(const char *event)
{
	return !strncmp(event, "cpu-clock", 9) || !strncmp(event, "task-clock", 10) ? "nanoseconds"
										    : "count";
}

static void add_types(const struct profile *f)
{
	pprof__add_type(f->p, "runs", "count", !f->column_cnt);
	for (int i = 0; i < f->column_cnt; i++)
		pprof__add_type(f->p, text__or_empty(f->column[i].ev->name),
				unit_of(f->column[i].ev), !i);
	if (f->r->sampling && f->r->sampling->event_cnt) {
		const struct report_sampled_event *s = &f->r->sampling->event[0];
		const char *event = text__or_empty(s->event);

		pprof__set_period(f->p, event, report_pprof__sampled_unit(event),
				  s->sum.taken ? s->sum.weight / s->sum.taken : 0);
	}
}

/* ---- samples ---- */

/*
 * Returns the cost of the function itself in all its runs. If only some runs were measured, assumes
 * their mean for the other runs.
 */
static double own_cost(const struct report_row *row, const struct report_event *ev)
{
	if (!isnan(ev->stat[STAT_SELF]))
		return ev->stat[STAT_SELF] * row->runs;
	if (ev->estimate || ev->measured == row->runs)
		return ev->total;
	return ev->measured ? ev->total / ev->measured * row->runs : 0;
}

static void explain_value(const struct profile *f, const struct report_prog *prog,
			  const struct report_row *row, const struct report_event *ev)
{
	char title[TITLE_SZ], id[ID_SZ];

	report_prog__id(prog, id);
	report_prog__part_title(prog, title);
	if (!has_known_total(ev))
		pprof__add_comment(f->p, "%s %s: %s: %s", id, title, text__or_empty(ev->name),
				   event_status_specs[ev->status].text);
	else if (own_cost(row, ev) <= -0.5)
		pprof__add_comment(f->p,
				   "%s %s: %s: less than an empty program takes (%.0f): shown as "
				   "0, because readers refuse negative values",
				   id, title, text__or_empty(ev->name), own_cost(row, ev));
	if (has_known_total(ev) && !ev->estimate && ev->measured < row->runs)
		pprof__add_comment(f->p, "%s %s: %s: %llu of %llu runs were measured; %s", id,
				   title, text__or_empty(ev->name), ev->measured, row->runs,
				   ev->measured ? "the value is an estimate for all of them"
						: "their cost is missing");
}

static int depth_of(const struct report_prog *prog)
{
	return prog->depth < 0 ? 0 : prog->depth > MAX_DEPTH ? MAX_DEPTH : prog->depth;
}

/* Adds a sample of the function at the end of f->path. */
static void add_sample(const struct profile *f, const struct pprof_prog *as,
		       const struct report_prog *prog, const struct report_row *row)
{
	__u64 stack[MAX_DEPTH + 2];
	char cpu[16], returns[RETURNS_SZ];
	int cnt = 0;

	f->value[0] = row->runs < MAX_VALUE ? row->runs : MAX_VALUE;
	for (int i = 0; i < f->column_cnt; i++) {
		const struct report_event *ev =
			report_row__find_like(row, f->column[i].row, f->column[i].ev);
		double v = has_known_total(ev) ? own_cost(row, ev) : 0;

		f->value[i + 1] = llround(v > 0 ? fmin(v, MAX_VALUE) : 0);
	}
	for (int i = depth_of(prog); i >= 0; i--)
		if (f->path[i])
			stack[cnt++] = f->path[i];
	stack[cnt++] = as->frame;
	pprof__add_sample(f->p, stack, cnt, f->value);
	pprof_prog__label(as, f->p);
	pprof__add_label(f->p, "method", text__or_empty(prog->method));
	if (prog->by_retval)
		pprof__add_label(f->p, report__key(f->r)->label,
				 text__or_empty(report_prog__returns(prog, returns)));
	if (prog->input && *prog->input)
		pprof__add_label(f->p, "case", prog->input);
	if (row->cpu >= 0) {
		snprintf(cpu, sizeof(cpu), "%d", row->cpu);
		pprof__add_label(f->p, "cpu", cpu);
	}
}

/*
 * Returns true if the function has a number of runs or a cost. Samples may give a cost without a
 * number of runs.
 */
static bool has_cost(const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (has_known_total(&row->event[i]) && row->event[i].total > 0)
			return true;
	return row->runs;
}

/*
 * Adds a row of a measured function. The function may have a row for each return value. If the row
 * has rows for single CPUs, each of these becomes a sample.
 */
static void add_func(struct profile *f, const struct pprof_prog *as, int index)
{
	const struct report_prog *prog = &f->r->prog[index];
	const char *name = prog->func && *prog->func ? prog->func : text__or_empty(prog->name);
	char title[TITLE_SZ], id[ID_SZ];

	if (report__is_first_row(f->r, index)) {
		f->path[depth_of(prog)] = pprof__add_location(
			f->p, as->mapping, index + 1, pprof__add_function(f->p, name, ""), 0);
		report_pprof__add_notes(f->p, report_prog__id(prog, id),
					report_prog__title(prog, title), &prog->notes);
	}
	if (!has_cost(&prog->all))
		return;
	/* It is not known on which CPUs the runs were that only the kernel counted. */
	if (prog->all.at_least || (prog->cpu_cnt && prog->all.unprobed))
		pprof__add_comment(f->p,
				   "%s %s: its runs and their cost are those of the slices of time "
				   "with a probe: there were more",
				   report_prog__id(prog, id), report_prog__part_title(prog, title));
	for (int i = 0; i < prog->all.event_cnt; i++)
		explain_value(f, prog, &prog->all, &prog->all.event[i]);
	for (int i = 0; i < prog->cpu_cnt; i++)
		if (has_cost(&prog->cpu[i]))
			add_sample(f, as, prog, &prog->cpu[i]);
	if (!prog->cpu_cnt)
		add_sample(f, as, prog, &prog->all);
}

/* Adds the programs. The functions of a program are adjacent, callers first. */
static void add_program_samples(struct profile *f)
{
	const struct report *r = f->r;
	struct pprof_prog as = {};

	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *prog = &r->prog[i];
		double code = prog->size[SIZE_JITED];
		bool same = i && prog[-1].id == prog->id;

		if (!same) {
			as = (struct pprof_prog){.id = prog->programs ? 0 : prog->id,
						 .name = prog->name,
						 .type = prog->type,
						 .tag = prog->tag};
			pprof_prog__add(&as, f->p, code > r->prog_cnt ? code : r->prog_cnt);
		}
		if (!same || !text__is_same(prog[-1].input, prog->input))
			memset(f->path, 0, sizeof(f->path));
		add_func(f, &as, i);
	}
}

void report__render_pprof(const struct report *r, const struct render_opts *o, FILE *out)
{
	struct profile f = {.r = r, .p = pprof__new()};

	find_columns(&f);
	report_pprof__describe(f.p, r);
	if (report__probed(r))
		pprof__add_comment(f.p, "costs are %s",
				   r->calibrated ? "net: without the probes' own"
						 : "raw: with the probes' own");
	add_types(&f);
	add_program_samples(&f);
	pprof__write(f.p, out);
	free(f.column);
	free(f.value);
	pprof__free(f.p);
}
