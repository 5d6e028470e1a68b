// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as an HTML page. Owns the order of the sections, and the facts about the machine and the
 * measurement; must not know the columns of the tables, which are the same as in the text report.
 *
 * The page shows all that the text report shows with -v. In a series (-I), the page has one section
 * for each report, and html_page__end() is called after the last one.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/table.h"
#include "base/text.h"
#include "html/html.h"
#include "render/render.h"
#include "render/report_html.h"
#include "render/report_priv.h"

struct page {
	struct html h;
	const struct report *r; /* has only the programs to show, in their order */
	const struct render_opts *o;
	const char *heading; /* the element of the headings of parts */
	int hidden;	     /* the number of programs that are not shown */
};

/* ---- texts that the text report prints, too ---- */

typedef void print_fn(const struct report *r, const struct render_opts *o, FILE *out);

struct printed {
	const struct report *r;
	const struct render_opts *o;
	print_fn *print;
};

static void print_part(const void *arg, FILE *out)
{
	const struct printed *part = arg;

	part->print(part->r, part->o, out);
}

/* Returns the text that a function prints. The caller frees the text. */
static char *capture(struct page *p, print_fn *print)
{
	return html__capture(print_part, &(struct printed){p->r, p->o, print});
}

/* Writes the line that says how long the measurement was and on which machine, in an element. */
static void write_summary(struct page *p, const char *tag)
{
	char *text = capture(p, report__print_summary), *line = text + strspn(text, "\n# ");

	line[strcspn(line, "\n")] = '\0';
	html__element(&p->h, tag, NULL, line);
	free(text);
}

static void write_lines(struct page *p, const char *heading, print_fn *print)
{
	char *text = capture(p, print);

	if (*text) {
		html__element(&p->h, p->heading, NULL, heading);
		html__lines(&p->h, text);
	}
	free(text);
}

/* ---- tables ---- */

static void write_table(struct page *p, const char *heading, const char *caption,
			report_table_fn *make)
{
	struct report_table t = {};

	make(p->r, p->o, &t);
	if (t.table) {
		html__element(&p->h, p->heading, NULL, heading);
		html__table(&p->h, t.table, *t.title ? t.title : caption);
	}
	table__free(t.table);
}

static void write_operations(struct page *p)
{
	struct report_table t;

	for (int at = -1; report__make_ops(p->r, &at, &t);) {
		html__element(&p->h, p->heading, NULL, "Operations");
		html__table(&p->h, t.table, t.title);
		table__free(t.table);
	}
}

/* ---- facts ---- */

static void print_command(const void *arg, FILE *out)
{
	char *const *argv = arg;

	for (int i = 0; argv && argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", argv[i]);
}

#define TIME_SZ 32

/* Formats when the measurement started. buf has TIME_SZ bytes. Returns buf. */
static const char *format_start(const struct report *r, char *buf)
{
	struct tm tm;

	if (!gmtime_r(&r->started.tv_sec, &tm) ||
	    !strftime(buf, TIME_SZ, "%Y-%m-%d %H:%M:%S UTC", &tm))
		strcpy(buf, "-");
	return buf;
}

void report__write_facts(const struct report *r, struct html *h)
{
	char *command = html__capture(print_command, r->command), started[TIME_SZ];
	char number[NUMBER_SZ];

	html__begin(h, "dl");
	html__attr(h, "class", "facts");
	html__fact(h, "Command", "%s", command);
	html__fact(h, "Started", "%s", format_start(r, started));
	html__fact(h, "Measured", "%s s", number__group(number, r->elapsed_ns / 1e9, 3));
	html__fact(h, "Kernel", "%s %s", text__or_empty(r->host.kernel),
		   text__or_empty(r->host.arch));
	if (r->host.cpu_model)
		html__fact(h, "CPU model", "%s", r->host.cpu_model);
	if (r->host.cpus > 0)
		html__fact(h, "CPUs", "%d", r->host.cpus);
	if (!r->host.jit_unknown)
		html__fact(h, "JIT compiler", "%s", r->host.jit ? "on" : "off");
	html__fact(h, "bprof", "%s", text__or_empty(r->version));
	html__end(h);
	free(command);
}

static void write_measurement(struct page *p)
{
	const struct report *r = p->r;

	if (!render_opts__is_first(p->o) || r->total)
		return;
	html__element(&p->h, p->heading, NULL, "How it was measured");
	report__write_facts(r, &p->h);
	if (report__probed(r))
		html__element(&p->h, "p", NULL,
			      r->calibrated
				      ? "Costs are net: bprof measured what its probe shows for an "
					"empty program, and subtracted this bias from each run."
				      : "Costs are raw: they include what the probe itself costs.");
	if (r->driven)
		html__element(&p->h, "p", NULL,
			      "bprof ran the programs itself, as fast as possible, so that rates "
			      "mean nothing.");
	if (r->scope_cnt)
		html__element(&p->h, "p", NULL,
			      "A count is everything that happened in its target, bprof included.");
}

/* ---- the page ---- */

static void print_report_json(const void *arg, FILE *out)
{
	const struct printed *json = arg;

	report__render_json(json->r, json->o, out);
}

static void write_json(struct page *p, const struct report *r)
{
	struct render_opts o = *p->o;
	char *text;

	o.one_line = true;
	text = html__capture(print_report_json, &(struct printed){.r = r, .o = &o});
	html__json(&p->h, text);
	free(text);
}

static void write_parts(struct page *p, const struct report *r)
{
	write_table(p, "Programs", "cost of a run of each program", report__make_progs);
	if (p->hidden) {
		html__begin(&p->h, "p");
		html__text(&p->h, "%d more program%s not shown", p->hidden,
			   p->hidden == 1 ? "" : "s");
		html__end(&p->h);
	}
	write_table(p, "Counts", "counts of each target", report__make_scopes);
	write_lines(p, "Notes", report__print_notes);
	write_table(p, "Path", "cost per run of a program", report__make_path);
	write_table(p, "Verify", "whether measuring changes the cost", report__make_verify);
	write_operations(p);
	write_table(p, "Functions", "call tree", report__make_tree);
	write_table(p, "Distributions", "distribution", report__make_dist);
	if (report__has_charts(p->r)) {
		html__element(&p->h, p->heading, NULL, "Charts");
		report__write_charts(p->r, p->o, &p->h);
	}
	write_table(p, "Estimates", "estimates", report__make_estimates);
	write_lines(p, "Samples", report__print_samples);
	write_table(p, "Sizes", "sizes", report__make_sizes);
	write_measurement(p);
	write_json(p, r);
}

/*
 * Writes one report of a series. Each can be folded; at first, only the first report and the total are open.
 */
static void write_one_of_series(struct page *p, const struct report *r)
{
	char started[TIME_SZ];

	p->heading = "h3";
	html__begin(&p->h, "details");
	if (p->o->header)
		html__attr(&p->h, "open", "%s", "");
	html__begin(&p->h, "summary");
	html__begin(&p->h, "h2");
	if (!p->o->interval)
		html__text(&p->h, "%s, ", format_start(r, started));
	else if (!r->total)
		html__text(&p->h, "interval until ");
	write_summary(p, "span");
	html__end(&p->h);
	html__end(&p->h);
	write_parts(p, r);
	html__end(&p->h);
}

static void make_title(const struct report *r, char *title, size_t sz)
{
	int more = (r->prog_cnt ?: r->scope_cnt) - 1;
	bool of_scope = !r->prog_cnt && r->scope_cnt;
	char name[TITLE_SZ], others[32] = "", *label = NULL;

	if (more > 0)
		snprintf(others, sizeof(others), " and %d more", more);
	if (of_scope)
		label = report_scope__label(&r->scope[0]);
	snprintf(title, sz, "%s %s%s", of_scope || r->of_scopes ? "Counts of" : "Cost of",
		 of_scope      ? label
		 : r->prog_cnt ? report_prog__title(&r->prog[0], name)
			       : "nothing",
		 others);
	free(label);
}

void report__render_html(const struct report *r, const struct render_opts *opts, FILE *out)
{
	struct render_opts o = *opts;
	struct report ordered;
	struct page p = {.h.out = out, .r = &ordered, .o = &o, .heading = "h2"};
	bool series = o.interval || o.series;
	char title[TITLE_SZ + 64];

	o.screen = (struct screen){};
	o.dist = true;
	o.verbose = 1;
	report__order(r, &o, &ordered, &p.hidden);
	ordered.whole = r;
	if (!series || (o.header && !r->total && !o.continues)) {
		make_title(&ordered, title, sizeof(title));
		html_page__begin(out, title);
	}
	if (series) {
		write_one_of_series(&p, r);
	} else {
		write_summary(&p, "p");
		write_parts(&p, r);
		html_page__end(out);
	}
	html__finish(&p.h);
	free(ordered.prog);
}
