// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The footers of the text report. Owns the texts and their order; must not know the tables above
 * the footers.
 *
 * Footers are the notes below the tables. They report lost runs, events that were not counted,
 * targets that were not measured, and work of a program that the program's numbers do not include.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/name_list.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "render/report_priv.h"

/* In which share of the time a hardware counter counted an event, over all rows that are shown. */
struct coverage {
	const char *name;
	/* The smallest and the largest share of those rows whose share is not 0 */
	double min, max;
	bool never; /* in at least one row, no counter ever counted the event */
};

struct notes {
	const struct report *r;
	const struct render_opts *o;
	FILE *out;
	const struct report_event **reported; /* the events whose status has been explained */
	int reported_cnt;
	struct coverage *coverage; /* one element per event of the scopes */
	int coverage_cnt;
	bool begun;
};

/* The labels of the footers about numbers that are missing or wrong, and their colours. */
static const struct {
	const char *label;
	enum table_style style;
} bad_news[] = {
	{"lost:", TABLE_RED},
	{"not in TOTAL:", TABLE_YELLOW},
	{"not measured:", TABLE_RED},
	{"event ", TABLE_YELLOW},
	{"not calibrated:", TABLE_YELLOW},
	{"untested kernel:", TABLE_YELLOW},
};

static void print_note_line(const struct notes *n, const char *line)
{
	const struct screen *screen = &n->o->screen;
	const char *colon = strchr(line, ':');
	enum table_style style = TABLE_PLAIN;

	for (size_t i = 0; i < ARRAY_SIZE(bad_news) && screen->color; i++)
		if (!strncmp(line, bad_news[i].label, strlen(bad_news[i].label)))
			style = bad_news[i].style;
	if (style != TABLE_PLAIN && colon) {
		fprintf(n->out, "%s%.*s%s", table_style__begin(style), (int)(colon - line), line,
			TABLE_STYLE_END);
	} else {
		colon = line;
	}
	text__fold(colon, text__width(line) - text__width(colon), FOLD_INDENT, screen->width,
		   n->out);
	fputc('\n', n->out);
}

static void __attribute__((format(printf, 2, 3))) print_note(struct notes *n, const char *fmt, ...)
{
	char *line;
	va_list ap;

	va_start(ap, fmt);
	line = text__vprintable(fmt, ap);
	va_end(ap);
	if (!n->begun)
		fputc('\n', n->out);
	print_note_line(n, line);
	n->begun = true;
	free(line);
}

/* Prints a note on a program: "LABEL: 42 xdp_lb: TEXT". */
static void __attribute__((format(printf, 4, 5)))
print_about(struct notes *n, const char *label, const struct report_prog *p, const char *fmt, ...)
{
	char title[TITLE_SZ], id[ID_SZ], *text;
	va_list ap;

	va_start(ap, fmt);
	text = text__vformat(fmt, ap);
	va_end(ap);
	print_note(n, "%s: %s %s: %s", label, report_prog__id(p, id), report_prog__title(p, title),
		   text);
	free(text);
}

/* Returns the number of runs of the function, with any return value. */
static __u64 count_runs(const struct report *r, const struct report_prog *p)
{
	__u64 runs = p->by_retval ? 0 : p->all.runs;

	for (int i = 0; p->by_retval && i < r->prog_cnt; i++)
		if (report_prog__is_same_target(&r->prog[i], p))
			runs += r->prog[i].all.runs;
	return runs;
}

static void print_lost(struct notes *n, const struct report_prog *p)
{
	char causes[512] = "", lost[NUMBER_SZ], runs[NUMBER_SZ];
	const struct report_row *row = &p->all;
	size_t len = 0;

	if (!report_row__lost(row))
		return;
	for (int i = 0; i < LOST_CNT; i++) {
		if (!row->lost[i])
			continue;
		len += snprintf(causes + len, sizeof(causes) - len, "%s%s %s", len ? ", " : "",
				number__group_u64(lost, row->lost[i]), lost_specs[i].text);
	}
	print_about(n, "lost", p, "%s of %s runs: %s",
		    number__group_u64(lost, report_row__lost(row)),
		    number__group_u64(runs, count_runs(n->r, p)), causes);
}

/* Returns true if a row has measured runs whose mean is not known. */
static bool lacks_mean(const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (row->event[i].status == EVENT_OK && row->event[i].measured &&
		    !report_event__has_value(&row->event[i]))
			return true;
	return false;
}

static void print_unprobed(struct notes *n, const struct report_prog *p)
{
	char probed[NUMBER_SZ], runs[NUMBER_SZ];
	const struct report_row *row = &p->all;

	if (row->at_least && p->by_key && n->r->by == BY_CPU)
		print_about(n, "runs", p,
			    "the probe did not measure some runs, and it is not known on which CPU "
			    "they were: there may be more than these");
	else if (row->at_least)
		print_about(n, "runs", p,
			    "its probe was attached for slices of time only, and the kernel does "
			    "not count its runs: there were more than these");
	else if (row->unprobed)
		print_about(n, "runs", p,
			    "probed %s%% of %s runs: its probe was attached for slices of time, "
			    "and the kernel counted the others%s",
			    number__percent(probed, row->runs - row->unprobed, row->runs, 2),
			    number__group_u64(runs, row->runs),
			    lacks_mean(row) ? "; too few slices had runs to know a mean within 25%"
					    : "");
}

static void print_recursion(struct notes *n, const struct report_prog *p)
{
	char misses[NUMBER_SZ];

	if (p->recursion_misses > 0)
		print_about(n, "note", p,
			    "the kernel skipped %s runs of it (recursion): they did not happen, "
			    "and no number includes them",
			    number__group_u64(misses, p->recursion_misses));
}

/* Prints the notes on all rows of a function, at the first of these rows. */
static void print_func_notes(struct notes *n, const struct report_prog *p)
{
	char runs[NUMBER_SZ];

	if (!report__is_first_row(n->r, p - n->r->prog))
		return;
	if (p->slowed_runs)
		print_about(n, "note", p,
			    "the kernel's run statistics were turned on after the calibration, "
			    "which slows down the probe: net numbers of up to %s runs are too "
			    "high; measure again",
			    number__group_u64(runs, p->slowed_runs));
	if (p->own_runs)
		print_about(n, "note", p, "%s run%s by bprof itself %s left out",
			    number__group_u64(runs, p->own_runs), p->own_runs == 1 ? "" : "s",
			    p->own_runs == 1 ? "is" : "are");
	if (p->with_own_runs)
		print_about(n, "note", p,
			    "the numbers may include runs by bprof itself, in its own system "
			    "calls: no probe was there to leave them out");
}

/* Returns true if the row is the first one of its program. */
static bool is_first_of_prog(const struct report *r, int i)
{
	for (int k = 0; k < i; k++)
		if (r->prog[k].id == r->prog[i].id)
			return false;
	return true;
}

/* Prints one note on all programs whose constants are blinded. */
static void print_blinded(struct notes *n)
{
	const struct report *r = n->r;
	const struct report_prog *first = NULL;
	char title[TITLE_SZ], id[ID_SZ], others[32] = "";
	bool random = false;
	int cnt = 0;

	for (int i = 0; i < r->prog_cnt; i++) {
		if (!r->prog[i].blinded || !is_first_of_prog(r, i))
			continue;
		first = first ?: &r->prog[i];
		random |= r->prog[i].random_code;
		cnt++;
	}
	if (!cnt)
		return;
	if (cnt > 1)
		snprintf(others, sizeof(others), " and %d more", cnt - 1);
	print_note(
		n,
		"note: %s %s%s: constants are blinded with random numbers "
		"(net.core.bpf_jit_harden), which can make a program several times as expensive%s",
		report_prog__id(first, id), report_prog__title(first, title), others,
		random ? ", and after each load in another way" : "");
}

/* Formats a time in seconds: "1.234". */
static const char *format_s(char *buf, double ns)
{
	return number__group(buf, ns / 1e9, 3);
}

/*
 * Prints when the version was loaded and unloaded. With -I, prints a version only in the interval
 * in which its probe was attached, which is the first one that has the version, or in which it was
 * unloaded.
 */
static void print_version_notes(struct notes *n, const struct report_prog *p)
{
	const struct report_version *v = &p->version;
	bool interval = n->o->interval && !n->r->total;
	double from = interval ? n->r->interval_ns - (double)n->r->elapsed_ns : -INFINITY;
	double begin = isnan(v->attached_ns) ? v->loaded_ns : v->loaded_ns + v->attached_ns;
	bool loaded = begin >= from, unloaded = v->ended_ns > from;
	char title[TITLE_SZ], at[NUMBER_SZ], after[NUMBER_SZ],
		missed[NUMBER_SZ + 32] = "", gone[NUMBER_SZ + 32] = "", number[NUMBER_SZ];

	if (!report__is_first_row(n->r, p - n->r->prog) || p->subprog ||
	    (!loaded && !unloaded && !(v->missed > 0 && !interval)))
		return;
	if (!isnan(v->missed) && (v->missed > 0 || loaded))
		snprintf(missed, sizeof(missed), ", %s run%s missed",
			 number__group(number, v->missed, 0), v->missed == 1 ? "" : "s");
	if (unloaded)
		snprintf(gone, sizeof(gone), ", gone at %s s", format_s(at, v->ended_ns));
	if (isnan(v->loaded_ns))
		print_note(n, "version: %u %s (tag %s): there at the start%s%s", p->id,
			   report_prog__title(p, title), p->tag, missed, gone);
	else if (isnan(v->attached_ns))
		print_note(n, "version: %u %s (tag %s): loaded at %s s%s%s", p->id,
			   report_prog__title(p, title), p->tag, format_s(at, v->loaded_ns), missed,
			   gone);
	else
		print_note(n, "version: %u %s (tag %s): loaded at %s s, attached %s ms later%s%s",
			   p->id, report_prog__title(p, title), p->tag, format_s(at, v->loaded_ns),
			   number__group(after, v->attached_ns / 1e6, 3), missed, gone);
}

static bool is_reported(const struct notes *n, const struct report_event *ev)
{
	for (int i = 0; i < n->reported_cnt; i++)
		if (n->reported[i]->status == ev->status &&
		    text__is_same(n->reported[i]->name, ev->name) &&
		    text__is_same(n->reported[i]->detail, ev->detail))
			return true;
	return false;
}

/*
 * Explains the status of an event, because the cell has no room for the reason. Explains each
 * status only once, because the reason is usually the same for all programs.
 */
static void print_status(struct notes *n, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		const struct report_event *ev = &row->event[i];

		if (ev->status == EVENT_OK || is_reported(n, ev))
			continue;
		print_note(n, "event %s: %s%s%s", text__or_empty(ev->name),
			   event_status_specs[ev->status].text, ev->detail ? ": " : "",
			   text__or_empty(ev->detail));
		*(const struct report_event **)array__add(&n->reported, &n->reported_cnt,
							  sizeof(*n->reported)) = ev;
	}
}

static bool has_note(const struct report_prog *p, const char *text)
{
	for (int i = 0; i < p->notes.cnt; i++)
		if (!strcmp(p->notes.text[i], text))
			return true;
	return false;
}

/*
 * If several rows have the same note as row i, prints one line for all of them, at the first of
 * these rows. With -v, prints a line for each row.
 */
static void print_prog_note(struct notes *n, int i, const char *text)
{
	const struct report *r = n->r;
	struct name_list rows = {};
	char title[TITLE_SZ], id[ID_SZ], *names;

	for (int k = 0; !n->o->verbose && k < i; k++)
		if (has_note(&r->prog[k], text))
			return;
	for (int k = i; k < (n->o->verbose ? i + 1 : r->prog_cnt); k++)
		if (has_note(&r->prog[k], text))
			name_list__add(&rows, "%s %s", report_prog__id(&r->prog[k], id),
				       report_prog__title(&r->prog[k], title));
	names = name_list__finish(&rows);
	print_note(n, "note: %s: %s", names, text);
	free(names);
}

static bool has_partial(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_row *row = &r->prog[i].all;

		for (int j = 0; j < row->event_cnt; j++)
			if (report_event__is_partial(row, &row->event[j]))
				return true;
	}
	return false;
}

/* ---- scopes ---- */

static void for_each_scope_row(struct notes *n,
			       void (*fn)(struct notes *n, const struct report_row *row))
{
	for (int i = 0; i < n->r->scope_cnt; i++) {
		const struct report_scope *s = &n->r->scope[i];

		fn(n, &s->all);
		for (int j = 0; n->o->per_cpu && j < s->cpu_cnt; j++)
			fn(n, &s->cpu[j]);
	}
}

/* Returns the coverage of the event called name. Adds an element if there is none. */
static struct coverage *find_coverage(struct notes *n, const char *name)
{
	struct coverage *c;

	for (int i = 0; i < n->coverage_cnt; i++)
		if (!strcmp(n->coverage[i].name, name))
			return &n->coverage[i];
	c = array__add(&n->coverage, &n->coverage_cnt, sizeof(*c));
	*c = (struct coverage){.name = name, .min = 1};
	return c;
}

static void note_coverage(struct notes *n, const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		const struct report_event *ev = &row->event[i];
		struct coverage *c;
		double share = 1;

		if (ev->status != EVENT_OK || !(ev->enabled_ns > 0))
			continue;
		c = find_coverage(n, text__or_empty(ev->name));
		if (report_row__never_on(row, ev)) {
			c->never = true;
			continue;
		}
		if (report_event__is_partial(row, ev))
			share = ev->running_ns / ev->enabled_ns;
		c->min = share < c->min ? share : c->min;
		c->max = share > c->max ? share : c->max;
	}
}

/*
 * Prints a note on each event that was not counted all the time in a scope. The numbers of such
 * events are estimates, because bprof scales the numbers of scopes. bprof does not scale the
 * numbers of programs.
 */
static void print_coverage(struct notes *n)
{
	static const __u64 one = 1000000000000000;
	char min[NUMBER_SZ], max[NUMBER_SZ];

	for_each_scope_row(n, note_coverage);
	for (int i = 0; i < n->coverage_cnt; i++) {
		const struct coverage *c = &n->coverage[i];

		number__percent(min, c->min * one, one, 1);
		number__percent(max, c->max * one, one, 1);
		if (c->min < 1)
			print_note(n,
				   "note: %s: counted %s%% of the time%s and scaled (more events "
				   "than counters)",
				   c->name, min, strcmp(min, max) ? " at least," : "");
		if (c->never)
			print_note(n, "note: %s: never on a counter%s (more events than counters)",
				   c->name, c->max > 0 ? " in some rows" : "");
	}
}

/* ---- all notes ---- */

/* Returns true if both rows belong to the same kernel function, with any map. */
static bool is_same_called(const struct report_prog *a, const struct report_prog *b)
{
	const char *name = report_prog__called_name(a), *other = report_prog__called_name(b);
	size_t len = strcspn(name, " ");

	return a->called && b->called && len == strcspn(other, " ") && !strncmp(name, other, len);
}

/* Returns true if an earlier row belongs to the same kernel function. */
static bool is_function_counted(const struct report *r, int i)
{
	for (int k = 0; k < i; k++)
		if (is_same_called(&r->prog[k], &r->prog[i]))
			return true;
	return false;
}

static void print_called(struct notes *n)
{
	int cnt = 0;

	for (int i = 0; i < n->r->prog_cnt; i++)
		cnt += n->r->prog[i].called && !is_function_counted(n->r, i);
	if (cnt)
		print_note(n,
			   "note: %d function%s of the kernel %s probed: everybody who calls %s "
			   "passes the probe, and only calls in runs of these programs are counted",
			   cnt, cnt == 1 ? "" : "s", cnt == 1 ? "was" : "were",
			   cnt == 1 ? "it" : "them");
}

/* Prints how much CPU time the probes of kernel functions added to calls by others. */
static void print_others(struct notes *n)
{
	const struct report *r = n->r;
	char rate[NUMBER_SZ], share[NUMBER_SZ];
	double calls = 0, ns = 0;

	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		if (!p->called || is_function_counted(r, i))
			continue;
		calls += p->others;
		ns += p->others_ns;
	}
	if (calls && r->elapsed_ns)
		print_note(n,
			   "note: others called these functions of the kernel %s times a second: "
			   "the probes took %s%% of a CPU from them",
			   number__group(rate, calls / r->elapsed_ns * 1e9, 0),
			   number__group(share, 100 * ns / r->elapsed_ns, 2));
}

/* Prints the notes that are the same in all intervals of -I. */
static void print_constant(struct notes *n)
{
	const struct report *r = n->r;
	const char *sort = n->o->sort;

	for (int i = 0; i < r->prog_cnt; i++)
		for (int k = 0; k < r->prog[i].notes.cnt; k++)
			print_prog_note(n, i, r->prog[i].notes.text[k]);
	for (int i = 0; i < r->prog_cnt; i++) {
		print_status(n, &r->prog[i].all);
		for (int j = 0; n->o->per_cpu && j < r->prog[i].cpu_cnt; j++)
			print_status(n, &r->prog[i].cpu[j]);
	}
	for_each_scope_row(n, print_status);
	print_called(n);
	/* Say that --sort did nothing: no program has a value in the column, so programs are sorted by id. */
	if (sort && report_order__is_unknown(r, sort))
		print_note(n, "note: not sorted: %s is not known of any program%s", sort,
			   strcasecmp(sort, "cpu%")
				   ? ""
				   : "; it needs the event time or cycles: add -e time");
	for (int i = 0; i < r->skip_cnt; i++) {
		const struct report_skip *s = &r->skip[i];
		char *names = report__name_skips(r, i, n->o->verbose);

		if (names)
			print_note(n, "not measured: %s: %s", names,
				   s->detail ?: text__or_empty(s->reason));
		free(names);
	}
	if (has_partial(r))
		print_note(n, "coverage: the share of the measured runs in which the event was "
			      "counted from entry to exit; its numbers are from these runs only, "
			      "nothing is scaled");
	if (!r->calibrated && report__probed(r))
		print_note(n,
			   "not calibrated: the numbers of %s rows are raw: they include the "
			   "probe's own cost",
			   report__probed(r)->method);
	print_blinded(n);
	if (r->host.newest_tested)
		print_note(n,
			   "untested kernel: it is newer than Linux %s, the newest that this bprof "
			   "was tested with; check the numbers with 'bprof doctor --self-test'",
			   r->host.newest_tested);
}

/*
 * Prints a note if the overhead exceeded the limit of --sample auto. Allows for one adjustment
 * interval (THINNING_ADJUST_MS) more than the elapsed time: a measurement that ends within an
 * interval may already have used up what is allowed for the whole interval.
 */
static void print_thinning(struct notes *n)
{
	const struct report_budget *b = n->r->budget;
	char added[NUMBER_SZ], share[NUMBER_SZ], counting[NUMBER_SZ];
	double adjust_ns = THINNING_ADJUST_MS * 1e6;

	if (!b || b->added * n->r->elapsed_ns <= b->share * (n->r->elapsed_ns + adjust_ns))
		return;
	if (b->stats > b->share) {
		print_note(n,
			   "overhead: the kernel's run statistics alone added %s%% of a CPU, more "
			   "than the limit of %s%%, to count each run; --strict does without",
			   number__group(added, 100 * b->stats, 2),
			   number__plain(share, 100 * b->share));
		return;
	}
	print_note(n,
		   "overhead: %s%% of a CPU was added, more than the limit of %s%%; counting runs "
		   "alone added %s%%",
		   number__group(added, 100 * b->added, 2), number__plain(share, 100 * b->share),
		   number__group(counting, 100 * b->counting, 2));
}

/* Names the programs that the total per run of a program leaves out. */
static void print_left_out(struct notes *n)
{
	struct per_table t;

	if (!n->r->per)
		return;
	per_table__make(n->r, &t);
	if (!t.program)
		print_note(n, "per run of %s: it was not loaded, or not measured", n->r->per);
	/*
	 * runs is NaN if the program of --per did not run, or if its runs were not counted. Then
	 * the table has no costs.
	 */
	for (int why = PER_IN_TOTAL + 1; why < PER_CNT && !isnan(t.runs); why++) {
		char *names = report__name_left_out(n->r, &t, why);

		if (names)
			print_note(n, "not in TOTAL: %s: %s", names, per_left_out_specs[why].text);
		free(names);
	}
	per_table__free(&t);
}

void report__print_notes(const struct report *r, const struct render_opts *o, FILE *out)
{
	struct notes n = {.r = r, .o = o, .out = out};

	for (int i = 0; i < r->prog_cnt; i++)
		print_version_notes(&n, &r->prog[i]);
	for (int i = 0; i < r->prog_cnt; i++) {
		print_lost(&n, &r->prog[i]);
		print_recursion(&n, &r->prog[i]);
		print_func_notes(&n, &r->prog[i]);
		print_unprobed(&n, &r->prog[i]);
	}
	print_left_out(&n);
	print_thinning(&n);
	print_others(&n);
	print_coverage(&n);
	/* The notes of scopes are printed in each interval, because they describe this interval. */
	for (int i = 0; i < r->scope_cnt; i++) {
		const struct report_notes *notes = &r->scope[i].notes;
		char *label = report_scope__label(&r->scope[i]);

		for (int k = 0; k < notes->cnt; k++)
			print_note(&n, "note: %s: %s", label, notes->text[k]);
		free(label);
	}
	if (render_opts__is_first(o))
		print_constant(&n);
	free(n.reported);
	free(n.coverage);
}
