// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The self-test as text: tables, and one line for bug reports. Owns their wording. Must not know
 * how numbers were measured or judged.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/selftest.h"

/* ---- numbers ---- */

/* Formats a number and, if it is known, its standard deviation: "1,003 (2.5)". */
static const char *format_value_and_spread(char *buf, size_t sz, double v, double spread)
{
	char number[NUMBER_SZ], deviation[NUMBER_SZ];

	/* no "-0" */
	if (fabs(v) < 0.05)
		v = 0;
	number__group(number, v, number__exact_digits(v, ""));
	if (isnan(spread))
		snprintf(buf, sz, "%s", number);
	else
		snprintf(buf, sz, "%s (%s)", number,
			 number__group(deviation, spread, number__exact_digits(spread, "")));
	return buf;
}

/* Formats the costs of a probe: "812 ns, 1,433 cycles". */
static void print_costs(const struct selftest_kind *k, FILE *out)
{
	char number[NUMBER_SZ];

	for (int i = 0; i < k->cost_cnt; i++) {
		const struct selftest_cost *c = &k->cost[i];
		const char *name = i ? c->name : c->unit;

		fprintf(out, "%s%s %s", i ? ", " : "",
			number__group(number, c->added, number__digits(c->added, "")), name);
	}
}

static bool is_measured(const struct selftest_context *c)
{
	return c->event_cnt && !c->why;
}

/* Returns a measured context of the kind that has all its events, or NULL. */
static const struct selftest_context *find_measured(const struct selftest_kind *k)
{
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
		if (is_measured(&k->context[i]))
			return &k->context[i];
	return NULL;
}

/* Returns the context's event of this name, or NULL. */
static const struct selftest_event *find_event(const struct selftest_context *c, const char *name)
{
	for (int i = 0; is_measured(c) && i < c->event_cnt; i++)
		if (!strcmp(c->event[i].name, name))
			return &c->event[i];
	return NULL;
}

/* Returns the event in the first context that counted it, or NULL if none did. */
static const struct selftest_event *find_counted(const struct selftest_kind *k, const char *name)
{
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_event *ev = find_event(&k->context[i], name);

		if (ev && !ev->detail)
			return ev;
	}
	return NULL;
}

/* ---- tables ---- */

static void add_verdict(struct table *t, const struct selftest_event *ev)
{
	static const enum table_style styles[SELFTEST_VERDICT_CNT] = {
		[SELFTEST_EXACT] = TABLE_GREEN,
		[SELFTEST_CLOSE] = TABLE_YELLOW,
		[SELFTEST_WRONG] = TABLE_RED,
	};
	enum table_style style = styles[ev->verdict];

	if (ev->verdict == SELFTEST_NOT_JUDGED)
		table__add_cell(t, TABLE_PLAIN, "%s", "");
	else if (ev->verdict == SELFTEST_EXACT)
		table__add_cell(t, style, "exact");
	else if (isnan(ev->off))
		table__add_cell(t, style, "no number");
	else
		table__add_cell(t, style, "off by %+.4g", ev->off);
}

static void add_empty(struct table *t, const struct selftest_event *ev)
{
	char text[3 * NUMBER_SZ];

	table__add_cell(t, TABLE_PLAIN, "%s",
			format_value_and_spread(text, sizeof(text),
						selftest_event__value(ev, SELFTEST_EMPTY),
						ev->stat[SELFTEST_EMPTY][STAT_STDDEV]));
}

static void add_p99(struct table *t, const struct selftest_event *ev)
{
	table__add_number(t, ev->stat[SELFTEST_EMPTY][STAT_P99], 0, "");
}

static void add_added(struct table *t, const struct selftest_event *ev, enum selftest_prog prog)
{
	char text[3 * NUMBER_SZ];

	table__add_cell(t, TABLE_PLAIN, "%s",
			format_value_and_spread(text, sizeof(text), selftest_event__added(ev, prog),
						selftest_event__spread(ev, prog)));
}

static void add_100(struct table *t, const struct selftest_event *ev)
{
	add_added(t, ev, SELFTEST_100);
}

static void add_1000(struct table *t, const struct selftest_event *ev)
{
	add_added(t, ev, SELFTEST_1000);
}

static bool always(const struct selftest_event *ev)
{
	return true;
}

static bool has_p99(const struct selftest_event *ev)
{
	return !isnan(ev->stat[SELFTEST_EMPTY][STAT_P99]);
}

static bool is_judged(const struct selftest_event *ev)
{
	return ev->is_known;
}

static const struct {
	const char *header;
	enum table_align align;
	bool (*is_shown)(const struct selftest_event *ev);
	void (*add)(struct table *t, const struct selftest_event *ev);
} columns[] = {
	{"EMPTY", TABLE_RIGHT, always, add_empty},	{"P99", TABLE_RIGHT, has_p99, add_p99},
	{"+100", TABLE_RIGHT, always, add_100},		{"+1000", TABLE_RIGHT, always, add_1000},
	{"RESULT", TABLE_LEFT, is_judged, add_verdict},
};

/*
 * Prints a table with a row for each context that counted the event. Below it, prints why other
 * contexts did not count it. "first" is the event in the first of these contexts, and decides which
 * columns the table has.
 */
static void print_event(const struct selftest_kind *k, const struct selftest_event *first,
			FILE *out, const struct screen *screen)
{
	struct table *t = table__new();

	table__add_col(t, TABLE_LEFT, "CONTEXT");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].is_shown(first))
			table__add_col(t, columns[i].align, columns[i].header);
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_event *ev = find_event(&k->context[i], first->name);

		if (!ev || ev->detail)
			continue;
		table__add_row(t);
		table__add_cell(t, TABLE_PLAIN, "%s", selftest_contexts[i].title);
		for (size_t col = 0; col < ARRAY_SIZE(columns); col++)
			if (columns[col].is_shown(first))
				columns[col].add(t, ev);
	}
	if (table__row_cnt(t))
		table__print(t, out, true, screen);
	table__free(t);
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_event *ev = find_event(&k->context[i], first->name);

		if (ev && ev->detail)
			fprintf(out, "%s: %s\n", selftest_contexts[i].title, ev->detail);
	}
}

static void print_title(const struct selftest *t, const struct selftest_kind *k, FILE *out)
{
	if (k->cpu < 0)
		fprintf(out, "CPUs %s", k->cpus);
	else
		fprintf(out, "CPU %d", k->cpu);
	if (k->cpu >= 0 && t->kind_cnt > 1)
		fprintf(out, " of %s", k->cpus);
	if (t->kind_cnt > 1 && *k->name)
		fprintf(out, " (%s)", k->name);
}

static void print_events(const struct selftest *t, const struct selftest_kind *k, FILE *out,
			 const struct screen *screen)
{
	const struct selftest_context *c = find_measured(k);

	for (int i = 0; c && i < c->event_cnt; i++) {
		const struct selftest_event *ev = find_counted(k, c->event[i].name);

		print_title(t, k, out);
		if (!ev) {
			fprintf(out, ": %s: %s\n\n", c->event[i].name, c->event[i].detail);
			continue;
		}
		fprintf(out, ", %s of a run%s%s:\n", ev->name, *ev->unit ? " in " : "", ev->unit);
		print_event(k, ev, out, screen);
		fputc('\n', out);
	}
}

/* Writes a paragraph that is folded to the width of the screen. */
static void print_folded(const char *text, const struct screen *screen, FILE *out)
{
	text__fold(text, 0, 0, screen->width, out);
	fputc('\n', out);
}

/* Returns how many contexts have the reason of context i. *first: whether i is the first one. */
static int count_whys(const struct selftest_kind *k, int i, bool *first)
{
	int cnt = 0;

	for (int c = 0; c < SELFTEST_CONTEXT_CNT; c++)
		if (k->context[c].why && !strcmp(k->context[c].why, k->context[i].why)) {
			if (!cnt++)
				*first = c == i;
		}
	return cnt;
}

/* Writes why contexts were not measured. Contexts with the same reason share a sentence. */
static void write_reasons(const struct selftest_kind *k, FILE *out)
{
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const char *why = k->context[i].why, *sep = "";
		bool first = false;
		int cnt = why ? count_whys(k, i, &first) : 0;

		if (!first)
			continue;
		if (cnt == SELFTEST_CONTEXT_CNT) {
			fprintf(out, "No context was measured: %s.\n", why);
			continue;
		}
		fprintf(out, "Not measured: ");
		for (int c = i; c < SELFTEST_CONTEXT_CNT; c++)
			if (k->context[c].why && !strcmp(k->context[c].why, why)) {
				fprintf(out, "%s%s", sep, selftest_contexts[c].title);
				sep = "; ";
			}
		fprintf(out, ": %s.\n", why);
	}
}

static void write_lost(const struct selftest_kind *k, FILE *out)
{
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_context *c = &k->context[i];
		__u64 unseen = c->driven > c->runs ? c->driven - c->runs : 0;

		if (is_measured(c) && (c->lost || unseen))
			fprintf(out, "%s: of %llu runs, %llu were lost and %llu not seen.\n",
				selftest_contexts[i].title, c->driven, c->lost, unseen);
	}
}

static void write_probe(const struct selftest *t, const struct selftest_kind *k, FILE *out)
{
	if (k->no_probe)
		fprintf(out,
			"No probe can be attached here: each program %s. So these are times by the "
			"kernel's statistics, with nothing subtracted: the median of the means of "
			"blocks of runs. They say nothing about counters and probes.\n",
			k->no_probe);
	if (!k->cost_cnt)
		return;
	fprintf(out, "A probe that reads %s adds to each run: ",
		t->events == 1 ? "this event" : "these events");
	print_costs(k, out);
	fprintf(out, ".\n");
}

/* Prints the notes that belong to the tables of a kind of CPUs. */
static void print_notes(const struct selftest *t, const struct selftest_kind *k, FILE *out,
			const struct screen *screen)
{
	char *text, *line, *save = NULL;
	size_t sz;
	FILE *mem = text__open(&text, &sz);

	if (k->cpu >= 0) {
		write_reasons(k, mem);
		write_lost(k, mem);
		write_probe(t, k, mem);
	} else {
		print_title(t, k, mem);
		fprintf(mem, " were not measured: this process may not run there.\n");
	}
	fclose(mem);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		print_folded(line, screen, out);
	if (sz)
		fputc('\n', out);
	free(text);
}

/* ---- the line to quote ---- */

/* The smallest and the largest of the contexts' numbers. */
struct range {
	double low, high;
};

static void range__add(struct range *r, double v)
{
	if (!isnan(v)) {
		r->low = fmin(r->low, v);
		r->high = fmax(r->high, v);
	}
}

static void quote_range(const char *before, const struct range *r, FILE *out)
{
	char low[NUMBER_SZ], high[NUMBER_SZ];

	if (r->low > r->high)
		return;
	number__group(low, r->low, number__exact_digits(r->low, ""));
	number__group(high, r->high, number__exact_digits(r->high, ""));
	fprintf(out, "%s%s", before, low);
	if (strcmp(low, high))
		fprintf(out, " to %s", high);
}

/* Writes the values of an event whose right value is not known. */
static void quote_values(const struct selftest_kind *k, const char *name, FILE *out)
{
	struct range empty = {INFINITY, -INFINITY}, added = empty;

	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_event *ev = find_event(&k->context[i], name);

		if (!ev || ev->detail)
			continue;
		range__add(&empty, selftest_event__value(ev, SELFTEST_EMPTY));
		range__add(&added, selftest_event__added(ev, SELFTEST_1000));
	}
	fprintf(out, "%s", name);
	quote_range(": empty ", &empty, out);
	quote_range(", +1000: ", &added, out);
}

static void quote_verdicts(const struct selftest_kind *k, const char *name, FILE *out)
{
	int cnt = 0, exact = 0;

	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_event *ev = find_event(&k->context[i], name);

		cnt += ev && !ev->detail;
		exact += ev && ev->verdict == SELFTEST_EXACT;
	}
	fprintf(out, "%s exact in %d of %d contexts", name, exact, cnt);
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		const struct selftest_event *ev = find_event(&k->context[i], name);

		if (ev && ev->detail)
			fprintf(out, ", %s not counted", selftest_contexts[i].name);
		else if (ev && ev->verdict != SELFTEST_EXACT)
			fprintf(out, ", %s off by %+.4g", selftest_contexts[i].name, ev->off);
	}
}

static void quote_kind(const struct selftest *t, const struct selftest_kind *k, FILE *out)
{
	const struct selftest_context *c = find_measured(k);

	fprintf(out, "; ");
	if (t->kind_cnt > 1) {
		print_title(t, k, out);
		fprintf(out, ": ");
	}
	if (k->counters > 0)
		fprintf(out, "%d counters, ", k->counters);
	else if (!k->counters)
		fprintf(out, "no PMU, ");
	if (k->no_probe)
		fprintf(out, "no probes (%s), ", k->no_probe);
	if (!c)
		fprintf(out, "nothing measured");
	for (int i = 0; c && i < c->event_cnt; i++) {
		const struct selftest_event *ev = find_counted(k, c->event[i].name);

		fprintf(out, "%s", i ? "; " : "");
		if (!ev)
			fprintf(out, "%s not counted", c->event[i].name);
		else if (ev->is_known)
			quote_verdicts(k, ev->name, out);
		else
			quote_values(k, ev->name, out);
	}
	if (k->cost_cnt) {
		fprintf(out, "; probe ");
		print_costs(k, out);
	}
}

char *selftest__quote(const struct selftest *t)
{
	char *text;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	fprintf(out, "bprof %s self-test: Linux %s %s", t->version, t->kernel, t->arch);
	if (*t->cpu_model)
		fprintf(out, ", %s", t->cpu_model);
	fprintf(out, ", libbpf %s", t->libbpf);
	if (*t->clock_source)
		fprintf(out, ", clock %s", t->clock_source);
	for (int i = 0; i < t->kind_cnt; i++)
		quote_kind(t, &t->kind[i], out);
	fclose(out);
	return text;
}

/* ---- everything ---- */

/* Prints what is not known without counters. */
static void print_time_only(const struct selftest *t, const struct screen *screen, FILE *out)
{
	const struct selftest_context *c = NULL;
	char text[400], step[QUANTITY_SZ];

	for (int i = 0; i < t->kind_cnt && !c; i++)
		c = find_measured(&t->kind[i]);
	if (!c || c->event_cnt != 1 || strcmp(c->event[0].base, "time"))
		return;
	snprintf(text, sizeof(text),
		 "Only time was measured: this says how long 100 and 1000 instructions take by the "
		 "clock%s%s, and not whether instructions are counted exactly. The smallest "
		 "difference of two readings of the clock was %s.",
		 *t->clock_source ? " " : "", t->clock_source,
		 number__quantity(step, t->clock_step_ns, "ns", true));
	print_folded(text, screen, out);
	fputc('\n', out);
}

void selftest__print(const struct selftest *t, FILE *out, const struct screen *screen)
{
	const struct selftest_summary s = selftest__summarize(t);
	char *quote = selftest__quote(t);

	if (s.measured) {
		print_folded(s.probed ? "Programs of known cost: the median of an empty one (P99: "
					"99% of its runs show at most this), and what 100 and 1000 "
					"instructions more add to it. In brackets: the standard "
					"deviation of a run."
				      : "Programs of known cost: what an empty one shows, and what "
					"100 and 1000 instructions more add to it.",
			     screen, out);
		fputc('\n', out);
	}
	for (int i = 0; i < t->kind_cnt; i++) {
		print_events(t, &t->kind[i], out, screen);
		print_notes(t, &t->kind[i], out, screen);
	}
	print_time_only(t, screen, out);
	fprintf(out, "For bug reports:\n%s\n", quote);
	free(quote);
}
