// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as an HTML page. Each function is a table of source lines, coloured by their share of
 * the program's samples; the instructions of a line are folded. Owns the layout, and the shares at
 * which the colour changes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "html/html.h"
#include "render/report_html.h"
#include "sampling/annotate_priv.h"

struct page {
	struct html h;
	const struct annotation *a;
	const struct annotate_opts *o;
};

/* The smallest share for each colour in html_style, in ascending order. */
static const double heat[] = {0, 0.01, 0.05, 0.1, 0.25};

/* ---- lines ---- */

static void begin_cell(struct page *p, const char *class)
{
	html__begin(&p->h, "td");
	html__attr(&p->h, "class", "%s", class);
}

static void write_samples(struct page *p, const char *class, __u64 cnt)
{
	char samples[NUMBER_SZ] = "";

	if (cnt)
		number__group_u64(samples, cnt);
	html__element(&p->h, "td", class, samples);
}

static void write_sum(struct page *p, const struct annotated *part, const struct annotated *whole)
{
	char share[SHARE_SZ] = "", class[16] = "num";
	int level = 0;

	while (level < (int)ARRAY_SIZE(heat) && annotated__all(part) &&
	       annotated__share(part, whole) >= heat[level])
		level++;
	if (level)
		snprintf(class, sizeof(class), "num heat%d", level);
	if (annotated__all(part))
		annotated__format_share(part, whole, share);
	if (annotated__has_shares(whole))
		html__element(&p->h, "td", class, share);
	write_samples(p, class, part->samples);
	if (whole->calls)
		write_samples(p, class, part->calls);
}

/* Makes a table of a line's instructions. */
static struct table *make_insns(const struct annotated_line *l, const struct annotated *whole)
{
	static const struct table_col cols[] = {
		RIGHT_COL("AT", .row_header = true),
		LEFT_COL("BPF, JITED"),
	};
	struct table *t = table__new();

	annotated__add_cols(t, whole);
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < l->insn_cnt; i++) {
		const struct annotated_insn *insn = &l->insn[i];

		table__add_row(t);
		annotated__add_cells(t, &insn->sum, whole);
		table__add_cell(t, TABLE_PLAIN, insn->jited ? "+%#x" : "%u", insn->off);
		table__add_cell(t, insn->jited ? TABLE_DIM : TABLE_PLAIN, "%s%s",
				insn->jited ? "    " : "", insn->text ?: "");
	}
	return t;
}

/* Writes the source text of a line with its indentation. */
static void write_source(struct page *p, const struct annotated_line *l)
{
	const char *text = *l->file ? l->text : "(no source line)";

	while (*text) {
		int len = strcspn(text, "\t");

		html__text(&p->h, "%.*s%s", len, text, text[len] ? "    " : "");
		text += len + !!text[len];
	}
}

static void write_code(struct page *p, const struct annotated_line *l,
		       const struct annotated *whole)
{
	char caption[300];
	struct table *t;

	begin_cell(p, "code");
	if (p->o->lines_only || !l->insn_cnt) {
		write_source(p, l);
		html__end(&p->h);
		return;
	}
	t = make_insns(l, whole);
	snprintf(caption, sizeof(caption), "instructions of line %u", l->line);
	html__begin(&p->h, "details");
	html__begin(&p->h, "summary");
	write_source(p, l);
	html__end(&p->h);
	html__table(&p->h, t, caption);
	html__end(&p->h);
	html__end(&p->h);
	table__free(t);
}

static void write_line_rows(struct page *p, const struct annotated_line *l,
			    const struct annotated_prog *prog)
{
	const struct annotated *whole = &prog->sum;

	html__begin(&p->h, "tr");
	write_sum(p, &l->sum, whole);
	html__begin(&p->h, "th");
	html__attr(&p->h, "scope", "row");
	html__attr(&p->h, "class", "code num");
	if (*l->file)
		html__text(&p->h, "%s:%u", annotated_line__file(l), l->line);
	else
		html__text(&p->h, "-");
	html__end(&p->h);
	write_code(p, l, whole);
	html__end(&p->h);
	for (int i = 0; i < l->callees.cnt; i++) {
		const struct annotated_callee *c = &l->callees.v[i];
		const struct annotated sum = annotated_callee__sum(c);
		char *name;

		if (annotated_callee__is_small(c, prog, p->o))
			continue;
		html__begin(&p->h, "tr");
		write_sum(p, &sum, whole);
		html__element(&p->h, "td", "num dim", "");
		begin_cell(p, "code");
		name = annotated_callee__format(c);
		html__text(&p->h, "%*s-> %s", 4 * c->depth, "", name);
		free(name);
		html__end(&p->h);
		html__end(&p->h);
	}
}

/* ---- functions and programs ---- */

static void write_col_headers(struct page *p, const struct annotated *whole)
{
	const char *const header[] = {annotated__has_shares(whole) ? "SHARE" : NULL, "SAMPLES",
				      whole->calls ? "IN CALLS" : NULL, "LINE", "SOURCE"};

	html__begin(&p->h, "thead");
	html__begin(&p->h, "tr");
	for (size_t i = 0; i < ARRAY_SIZE(header); i++) {
		if (!header[i])
			continue;
		html__begin(&p->h, "th");
		html__attr(&p->h, "scope", "col");
		if (i + 1 < ARRAY_SIZE(header))
			html__attr(&p->h, "class", "num");
		html__text(&p->h, "%s", header[i]);
		html__end(&p->h);
	}
	html__end(&p->h);
	html__end(&p->h);
}

static void write_captured_lines(struct page *p, void (*print)(const void *arg, FILE *out),
				 const void *arg)
{
	char *text = html__capture(print, arg);

	html__lines(&p->h, text);
	free(text);
}

static void write_captured(struct page *p, const char *tag,
			   void (*print)(const void *arg, FILE *out), const void *arg)
{
	char *text = html__capture(print, arg);

	html__element(&p->h, tag, NULL, text);
	free(text);
}

/* A program of an annotation, and one of its functions, or NULL. */
struct func_of {
	const struct annotation *a;
	const struct annotated_prog *prog;
	const struct annotated_func *func;
	const struct annotate_opts *o;
};

static void print_func_callees(const void *arg, FILE *out)
{
	const struct func_of *of = arg;

	annotated_func__print_callees(of->func, of->prog, of->o, out);
}

static void print_share(const void *arg, FILE *out)
{
	const struct func_of *of = arg;

	text__put(out, text__printable(of->func->func->name));
	fputs(": ", out);
	annotated_func__print_share(of->func, of->prog, out);
}

static void print_samples(const void *arg, FILE *out)
{
	const struct func_of *of = arg;
	const struct record_prog *r = of->prog->prog;

	text__put(out, text__printable(r->type));
	fprintf(out, ", tag %s: ", r->tag);
	annotated_prog__print_samples(of->a, of->prog, out);
}

static void print_cost(const void *arg, FILE *out)
{
	const struct func_of *of = arg;

	annotated_prog__print_cost(of->a, of->prog, out);
}

static void write_func(struct page *p, const struct annotated_prog *prog,
		       const struct annotated_func *f)
{
	const struct func_of of = {p->a, prog, f, p->o};
	struct annotated rest = {}; /* the sum of the lines whose shares are below the limit */
	int cnt = 0;

	write_captured(p, "h3", print_share, &of);
	write_captured_lines(p, print_func_callees, &of);
	html_box__begin(&p->h, "source lines and their share of the program's samples");
	write_col_headers(p, &prog->sum);
	html__begin(&p->h, "tbody");
	for (int i = 0; i < f->line_cnt; i++) {
		const struct annotated_line *l = &f->line[i];

		if (annotated_line__is_rest(l, prog, p->o)) {
			annotated__add(&rest, &l->sum);
			cnt++;
		} else {
			write_line_rows(p, l, prog);
		}
	}
	if (cnt) {
		html__begin(&p->h, "tr");
		write_sum(p, &rest, &prog->sum);
		html__element(&p->h, "td", "num dim", "...");
		begin_cell(p, "dim");
		html__text(&p->h, "%d line%s below %g%%", cnt, cnt == 1 ? "" : "s",
			   p->o->percent_limit);
		html__end(&p->h);
		html__end(&p->h);
	}
	html__end(&p->h);
	html_box__end(&p->h);
}

static void print_cold(const void *arg, FILE *out)
{
	annotated_prog__print_cold(arg, out);
}

static void write_annotated_prog(struct page *p, const struct annotated_prog *prog)
{
	const struct func_of of = {p->a, prog};
	const struct report_notes *notes = &prog->prog->notes;

	html__begin(&p->h, "h2");
	html__text(&p->h, "Program %u %s", prog->prog->id, prog->prog->name);
	html__end(&p->h);
	write_captured(p, "p", print_samples, &of);
	write_captured_lines(p, print_cost, &of);
	if (notes->cnt) {
		html__begin(&p->h, "ul");
		for (int i = 0; i < notes->cnt; i++)
			html__element(&p->h, "li", NULL, notes->text[i]);
		html__end(&p->h);
	}
	for (int i = 0; i < prog->func_cnt; i++)
		if (annotated__all(&prog->func[i].sum))
			write_func(p, prog, &prog->func[i]);
	if (prog->func_cnt > 1 && annotated__all(&prog->sum))
		write_captured_lines(p, print_cold, prog);
}

/* ---- the page ---- */

static void print_page_head(const void *arg, FILE *out)
{
	const struct annotation *a = arg;

	annotation__print_head(a->r, out);
	if (a->no_disasm)
		fprintf(out, "note: %s\n", a->no_disasm);
	annotation__print_skipped(a->r, out);
}

static void print_page_json(const void *arg, FILE *out)
{
	const struct page *p = arg;
	struct annotate_opts o = *p->o;

	o.one_line = true;
	annotation__print_json(p->a, &o, out);
}

void annotation__print_html(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	struct page p = {.h.out = out, .a = a, .o = o};
	char *json, *title = text__format("Samples in %s%s",
					  a->prog_cnt ? a->prog[0].prog->name : "no program",
					  a->prog_cnt > 1 ? " and others" : "");

	html_page__begin(out, title);
	free(title);
	write_captured_lines(&p, print_page_head, a);
	for (int i = 0; i < a->prog_cnt; i++)
		if (a->prog[i].func_cnt)
			write_annotated_prog(&p, &a->prog[i]);
	html__element(&p.h, "h2", NULL, "How it was measured");
	report__write_facts(a->r->head, &p.h);
	json = html__capture(print_page_json, &p);
	html__json(&p.h, json);
	free(json);
	html_page__end(out);
	html__finish(&p.h);
}
