// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Costs per run of a program. Decides which costs are in the total, so that no cost is counted
 * twice and all costs are of the same kind; must not know what outputs look like.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "report/report_per.h"

const struct per_left_out_spec per_left_out_specs[PER_CNT] = {
	[PER_NO_NUMBER] = {"no_number", "has no number"},
	[PER_METHOD] = {"method", "is measured by another method"},
	[PER_INSIDE] = {"inside", "may run in the runs of the others, which contain its cost then"},
	[PER_NOT_MEASURED] = {"not_measured", "is not measured"},
};

/* ---- the program ---- */

bool per__is_program(const char *program, __u32 id, const char *name)
{
	char number[ID_SZ];

	snprintf(number, sizeof(number), "%u", id);
	return !strcmp(program, number) || !strcmp(program, text__or_empty(name));
}

/* Returns true if --per PROGRAM means p. A sum is found only by name, because users do not see its id. */
static bool is_named_program(const struct report_prog *p, const char *program)
{
	if (p->subprog)
		return false;
	return p->programs ? text__is_same(program, p->name)
			   : per__is_program(program, p->id, p->name);
}

void per_match__add(struct per_match *m, __u32 id)
{
	if (!m->cnt++)
		m->id = m->other = id;
	else if (m->id != id)
		m->other = id;
}

int per_match__check(const struct per_match *m, struct reason *why)
{
	if (m->other != m->id)
		return reason__fail(why, ENOTUNIQ,
				    "several of the programs have this name, such as %u and %u; "
				    "give the id of one",
				    m->id, m->other);
	return m->cnt ? 0 : reason__fail(why, ESRCH, "no measured program has this id or name");
}

int report__check_per(const struct report *r, const char *program, struct reason *why)
{
	struct per_match m = {};

	if (r->of_scopes || r->scope_cnt)
		return reason__fail(why, EINVAL, "the report is on the system, not on programs");
	if (r->driven)
		return reason__fail(why, EINVAL,
				    "bprof bench ran the programs, so that their numbers of runs "
				    "mean nothing");
	for (int i = 0; i < r->prog_cnt; i++)
		if (is_named_program(&r->prog[i], program))
			per_match__add(&m, r->prog[i].id);
	if (r->sum && m.other != m.id)
		return reason__fail(
			why, ENOTUNIQ,
			"several sums have this name, for programs of different types or "
			"methods; give the id of a program, without --sum");
	/*
	 * If programs are followed, several versions may match. An interval (-I) need not have the program.
	 */
	return r->followed || (r->interval_ns && !m.cnt) ? 0 : per_match__check(&m, why);
}

void report__set_per(struct report *r, const char *program)
{
	free(r->per);
	r->per = xstrdup(program);
}

/* ---- the rows ---- */

static int compare_path_places(const void *a_ptr, const void *b_ptr)
{
	const int *a = a_ptr, *b = b_ptr;

	return a[0] - b[0] ?: a[1] - b[1];
}

/* map: the table has only the operations of this map; NULL: it has all rows */
static bool is_wanted_row(const struct report_prog *p, const char *map)
{
	char name[OPS_MAP_SZ];

	return !map || (report_prog__ops_map(p, name) && !strcmp(name, map));
}

/*
 * Adds the rows in the order of report_prog__path_place(). Rows with the same place stay in the
 * order of the report.
 */
static void add_rows(const struct report *r, const char *map, struct per_table *t)
{
	int(*order)[2] = xcalloc(r->prog_cnt + 1, sizeof(*order));

	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];
		bool inner = p->subprog || !strcmp(text__or_empty(p->type), "ext");

		/*
		 * Functions and extensions run in the runs of the program whose row is before
		 * theirs: keep them behind that row.
		 */
		order[i][0] = inner && i ? order[i - 1][0] : report_prog__path_place(p);
		order[i][1] = i;
	}
	qsort(order, r->prog_cnt, sizeof(*order), compare_path_places);
	t->row = xcalloc(r->prog_cnt + 1, sizeof(*t->row));
	for (int i = 0; i < r->prog_cnt; i++) {
		struct per_row *row = &t->row[t->row_cnt];

		row->p = &r->prog[order[i][1]];
		if (!is_wanted_row(row->p, map))
			continue;
		t->row_cnt++;
		row->runs = row->p->all.at_least ? NAN : row->p->all.runs / t->runs;
		row->value = xcalloc(t->event_cnt + 1, sizeof(*row->value));
	}
	free(order);
}

/* ---- the costs ---- */

static const struct report_event *event_of(const struct per_table *t, const struct per_row *row,
					   int event)
{
	return report_row__find_like(&row->p->all, &t->program->all, t->event[event].ev);
}

/*
 * Returns true if the event has STAT_SELF: the cost without other measured functions. Then all rows
 * that probes measured have it.
 */
static bool has_own_costs(const struct per_table *t, int event)
{
	for (int i = 0; i < t->row_cnt; i++) {
		const struct report_event *ev = event_of(t, &t->row[i], event);

		if (ev && report_event__has_value(ev) && !isnan(ev->stat[STAT_SELF]))
			return true;
	}
	return false;
}

/*
 * Returns true if p may run within the run of another program: as its function or extension, or because
 * programs of its type can run anywhere in the kernel, also in a helper that a program calls.
 */
static bool runs_anywhere(const struct report_prog *p)
{
	static const char *const types[] = {
		"kprobe",  "tracepoint", "raw_tracepoint", "raw_tracepoint_writable", "perf_event",
		"tracing", "lsm"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(text__or_empty(p->type), types[i]))
			return true;
	return p->subprog || p->called || !strcmp(text__or_empty(p->type), "ext");
}

static struct per_cost cost_of(const struct per_row *row, const struct report_event *ev, bool own)
{
	struct per_cost c = {.value = NAN, .stddev = NAN};
	double mean;

	if (!row->p->all.runs && !row->p->all.at_least) {
		/*
		 * row->runs is 0, and so is the cost; it is NaN if the runs of the program of --per
		 * are not known
		 */
		c.value = row->runs;
	} else if (ev && report_event__has_value(ev)) {
		mean = ev->stat[own ? STAT_SELF : STAT_MEAN];
		c.estimated = ev->estimate || ev->measured != row->p->all.runs;
		c.value = row->runs * mean;
		/*
		 * With --sample N, the error is not known: costly runs may come at a regular
		 * distance that is a multiple of N.
		 */
		c.stddev = row->runs * ev->mean_stddev;
	}
	return c;
}

/*
 * Returns the cost of a row "not measured" (--by): its runs cost what the measured runs of the same function
 * cost on average, as in a report without --by.
 */
static struct per_cost estimate_unmeasured(const struct per_table *t, const struct per_row *row,
					   int event, bool own)
{
	double total = 0, measured = 0;

	for (int i = 0; i < t->row_cnt; i++) {
		const struct report_event *ev = event_of(t, &t->row[i], event);

		if (!report_prog__is_same_target(t->row[i].p, row->p) || !ev ||
		    !report_event__has_value(ev))
			continue;
		total += ev->measured * ev->stat[own ? STAT_SELF : STAT_MEAN];
		measured += ev->measured;
	}
	return (struct per_cost){.value = measured > 0 ? row->runs * total / measured : NAN,
				 .stddev = NAN,
				 .estimated = true};
}

/* Returns why c is not in the total, or PER_IN_TOTAL. own: c does not contain the cost of other rows. */
static enum per_left_out choose_left_out(const struct per_table *t, const struct per_row *row,
					 const struct per_cost *c, bool own)
{
	const struct report_prog *p = row->p;

	if (isnan(c->value))
		return PER_NO_NUMBER;
	if (!p->all.runs)
		return PER_IN_TOTAL;
	if (!text__is_same(p->method, t->program->method) ||
	    p->uncalibrated != t->program->uncalibrated)
		return PER_METHOD;
	return !own && t->row_cnt > 1 && runs_anywhere(p) ? PER_INSIDE : PER_IN_TOTAL;
}

static void add_to_total(struct per_total *total, const struct per_cost *c)
{
	bool unknown = total->cost.estimated && isnan(total->cost.stddev);

	if (isnan(total->cost.value))
		total->cost.value = 0;
	total->cost.value += c->value;
	if (c->estimated)
		total->cost.stddev =
			unknown ? NAN
				: hypot(c->stddev, total->cost.estimated ? total->cost.stddev : 0);
	total->cost.estimated |= c->estimated;
}

static void add_event_costs(struct per_table *t, int event)
{
	struct per_total *total = &t->event[event];
	bool own = has_own_costs(t, event);

	total->cost = (struct per_cost){.value = NAN, .stddev = NAN};
	for (int i = 0; i < t->row_cnt; i++) {
		struct per_row *row = &t->row[i];
		const struct report_event *ev = event_of(t, row, event);
		bool row_own = own && row->p->probed;
		struct per_value *v = &row->value[event];

		v->cost = row->p->unmeasured && row->p->all.runs
				  ? estimate_unmeasured(t, row, event, row_own)
				  : cost_of(row, ev, row_own);
		/* A sample counts for one program only: the innermost one. */
		v->left_out = choose_left_out(t, row, &v->cost, row_own || (ev && ev->estimate));
		if (v->left_out == PER_IN_TOTAL)
			add_to_total(total, &v->cost);
		total->left_out += v->left_out != PER_IN_TOTAL;
	}
}

/* Adds rows, costs and totals. t->program must be set. The table has the events of t->program. */
static void fill_table(const struct report *r, const char *map, struct per_table *t)
{
	const struct report_row *all = &t->program->all;

	t->event = xcalloc(all->event_cnt + 1, sizeof(*t->event));
	t->event_cnt = all->event_cnt;
	add_rows(r, map, t);
	for (int i = 0; i < all->event_cnt; i++) {
		t->event[i].ev = &all->event[i];
		add_event_costs(t, i);
	}
}

void per_table__make(const struct report *r, struct per_table *t)
{
	__u64 skipped = 0;

	*t = (struct per_table){};
	r = r->whole ?: r;
	t->runs = NAN;
	/*
	 * Find the program's first row, and the sum of the runs of all its rows: it has several with
	 * --by and --follow.
	 */
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		if (!is_named_program(p, r->per))
			continue;
		t->runs = (t->program ? t->runs : 0) + (p->all.at_least ? NAN : p->all.runs);
		t->program = t->program ?: p;
	}
	if (!t->program)
		return;
	if (!t->runs)
		t->runs = NAN;
	fill_table(r, NULL, t);
	for (int i = 0; i < r->skip_cnt; i++)
		skipped += r->skip[i].id ? 1 + r->skip[i].more : 0;
	for (int i = 0; i < t->event_cnt; i++)
		t->event[i].left_out += skipped;
}

void per_table__free(struct per_table *t)
{
	for (int i = 0; i < t->row_cnt; i++)
		free(t->row[i].value);
	free(t->row);
	free(t->event);
	*t = (struct per_table){};
}

/* ---- operations ---- */

#define OPS_HOOK "struct_ops "

/*
 * The hooks are "struct_ops MAP.OPERATION", sorted and separated by ", ". If a program is an
 * operation of several maps, bprof does not know for which map it ran. So it is counted once, under
 * the names of all these maps together.
 */
bool report_prog__ops_map(const struct report_prog *p, char map[OPS_MAP_SZ])
{
	const char *hook = text__or_empty(p->hook), *last = "";
	size_t len = 0, name, last_name = 0;

	map[0] = '\0';
	while (!strncmp(hook, OPS_HOOK, strlen(OPS_HOOK))) {
		hook += strlen(OPS_HOOK);
		name = strcspn(hook, ".");
		if (name != last_name || strncmp(hook, last, name))
			len += snprintf(map + len, OPS_MAP_SZ - len, "%s%.*s", len ? ", " : "",
					(int)name, hook);
		if (len >= OPS_MAP_SZ)
			len = OPS_MAP_SZ - 1;
		last = hook;
		last_name = name;
		hook += strcspn(hook, ",");
		hook += strspn(hook, ", ");
	}
	return *map;
}

/* Returns true if no earlier row belongs to this map. */
static bool is_first_of_map(const struct report *r, int index, const char *map)
{
	for (int i = 0; i < index; i++)
		if (is_wanted_row(&r->prog[i], map))
			return false;
	return true;
}

bool per_table__next_ops(const struct report *r, int *at, struct per_table *t)
{
	char map[OPS_MAP_SZ];

	r = r->whole ?: r;
	*t = (struct per_table){};
	while (++*at < r->prog_cnt) {
		if (!report_prog__ops_map(&r->prog[*at], map) || !is_first_of_map(r, *at, map))
			continue;
		t->program = &r->prog[*at];
		t->runs = r->elapsed_ns ? r->elapsed_ns / 1e9 : NAN;
		fill_table(r, map, t);
		return true;
	}
	return false;
}
