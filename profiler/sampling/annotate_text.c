// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as text. Each function is a table of source lines, each followed by its instructions.
 * All shares are shares of the program's samples. Owns the layout.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/name_list.h"
#include "base/output.h"
#include "base/text.h"
#include "base/util.h"
#include "sampling/annotate_priv.h"

/*
 * Prints s, which comes from the recording, with unprintable characters replaced. Cells of tables
 * do not need this: table__add_cell() also replaces them.
 */
static void print_safe(FILE *out, const char *before, const char *s, const char *after)
{
	fputs(before, out);
	text__put(out, text__printable(s));
	fputs(after, out);
}

/* ---- printing the head of the output ---- */

void annotation__print_head(const struct record *r, FILE *out)
{
	const struct record_samples *s = &r->samples;
	const struct annotated all = {s->taken}, own = {s->in_targets};
	char n[NUMBER_SZ], taken[NUMBER_SZ], in[NUMBER_SZ], outside[NUMBER_SZ], part[SHARE_SZ];
	char lost[NUMBER_SZ], calls[NUMBER_SZ];
	const struct report *h = r->head;

	fprintf(out, "%s s", number__group(n, h->elapsed_ns / 1e9, 3));
	if (h->host.cpus > 0) /* known */
		fprintf(out, " on %d CPU%s", h->host.cpus, h->host.cpus == 1 ? "" : "s");
	print_safe(out, ", kernel ", h->host.kernel, " ");
	print_safe(out, "", h->host.arch, ", ");
	print_safe(out, "", r->event, " ");
	if (r->frequency)
		fprintf(out, "%s times a second\n", number__group_u64(n, r->frequency));
	else
		fprintf(out, "at every %s\n", number__group_u64(n, r->period));
	fprintf(out, "%s samples: %s in the targets", number__group_u64(taken, s->taken),
		number__group_u64(in, s->in_targets));
	if (annotated__has_shares(&all))
		fprintf(out, " (%s)", annotated__format_share(&own, &all, part));
	if (r->calls)
		fprintf(out, ", %s in what they call", number__group_u64(calls, s->in_calls));
	if (s->interrupting)
		fprintf(out, ", %s in interrupts of them",
			number__group_u64(calls, s->interrupting));
	fprintf(out, ", %s outside, %s lost\n",
		number__group_u64(outside, record_samples__outside(s)),
		s->lost ? number__group_u64(lost, s->lost) : "none");
	record_samples__print_losses(s, out);
	record_samples__print_cost(s, (double)h->elapsed_ns * h->host.cpus, out);
}

/* ---- printing the table of a function ---- */

static void add_samples(struct table *t, __u64 samples)
{
	if (samples)
		table__add_count(t, samples, TABLE_PLAIN);
	else
		table__add_cell(t, TABLE_PLAIN, "%s", "");
}

void annotated__add_cols(struct table *t, const struct annotated *whole)
{
	static const struct table_col share = RIGHT_COL("SHARE");
	static const struct table_col samples = RIGHT_COL("SAMPLES", .drop_order = 1);
	static const struct table_col calls = RIGHT_COL("IN CALLS", .drop_order = 2);

	if (annotated__has_shares(whole))
		table__add_cols(t, &share, 1);
	table__add_cols(t, &samples, 1);
	if (whole->calls)
		table__add_cols(t, &calls, 1);
}

void annotated__add_cells(struct table *t, const struct annotated *part,
			  const struct annotated *whole)
{
	char share[SHARE_SZ];

	if (annotated__has_shares(whole))
		table__add_cell(t, TABLE_PLAIN, "%s",
				annotated__all(part) ? annotated__format_share(part, whole, share)
						     : "");
	add_samples(t, part->samples);
	if (whole->calls)
		add_samples(t, part->calls);
}

static void add_line_rows(struct table *t, const struct annotated_line *l,
			  const struct annotated_prog *p, const struct annotate_opts *o)
{
	const struct annotated *whole = &p->sum;
	char *text = xstrdup(l->text + strspn(l->text, " \t"));

	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	table__add_row(t);
	annotated__add_cells(t, &l->sum, whole);
	if (*l->file)
		table__add_cell(t, TABLE_PLAIN, "%s:%u", annotated_line__file(l), l->line);
	else
		table__add_cell(t, TABLE_DIM, "%s", "-");
	table__add_cell(t, TABLE_PLAIN, "%s", *l->file ? text : "(no source line)");
	free(text);
	for (int i = 0; i < l->callees.cnt; i++) {
		const struct annotated_callee *c = &l->callees.v[i];
		const struct annotated sum = annotated_callee__sum(c);

		if (annotated_callee__is_small(c, p, o))
			continue;
		table__add_row(t);
		annotated__add_cells(t, &sum, whole);
		table__add_cell(t, TABLE_PLAIN, "%s", "");
		text = annotated_callee__format(c);
		table__add_cell(t, TABLE_PLAIN, "%*s-> %s", 2 * c->depth, "", text);
		free(text);
	}
	for (int i = 0; !o->lines_only && i < l->insn_cnt; i++) {
		const struct annotated_insn *insn = &l->insn[i];

		table__add_row(t);
		annotated__add_cells(t, &insn->sum, whole);
		table__add_cell(t, TABLE_DIM, insn->jited ? "+%#x" : "%u", insn->off);
		if (insn->text)
			table__add_cell(t, insn->jited ? TABLE_DIM : TABLE_PLAIN, "%s%s",
					insn->jited ? "        " : "    ", insn->text);
	}
}

bool annotated_line__is_rest(const struct annotated_line *l, const struct annotated_prog *p,
			     const struct annotate_opts *o)
{
	return o->percent_limit > 100 * annotated__share(&l->sum, &p->sum);
}

static void print_func(const struct annotated_prog *p, const struct annotated_func *f,
		       const struct annotate_opts *o, FILE *out)
{
	const struct table_col cols[] = {
		RIGHT_COL("LINE"),
		LEFT_COL(o->lines_only ? "SOURCE" : "SOURCE, BPF, JITED", .min_width = 40),
	};
	struct annotated rest = {}; /* the sum of the lines whose shares are below the limit */
	struct table *t = table__new();
	int cnt = 0;

	print_safe(out, "\n", f->func->name, ": ");
	annotated_func__print_share(f, p, out);
	fputc('\n', out);
	annotated_func__print_callees(f, p, o, out);
	annotated__add_cols(t, &p->sum);
	table__add_cols(t, cols, ARRAY_SIZE(cols));
	for (int i = 0; i < f->line_cnt; i++) {
		const struct annotated_line *l = &f->line[i];

		if (annotated_line__is_rest(l, p, o)) {
			annotated__add(&rest, &l->sum);
			cnt++;
		} else {
			add_line_rows(t, l, p, o);
		}
	}
	if (cnt) {
		table__add_row(t);
		annotated__add_cells(t, &rest, &p->sum);
		table__add_cell(t, TABLE_DIM, "%s", "...");
		table__add_cell(t, TABLE_DIM, "%d line%s below %g%%", cnt, cnt == 1 ? "" : "s",
				o->percent_limit);
	}
	table__print(t, out, true, &o->screen);
	table__free(t);
}

void annotated_prog__print_cold(const struct annotated_prog *p, FILE *out)
{
	bool first = true;

	for (int i = 0; i < p->func_cnt; i++) {
		if (annotated__all(&p->func[i].sum))
			continue;
		print_safe(out, first ? "\nwithout samples: " : ", ", p->func[i].func->name, "");
		first = false;
	}
	if (!first)
		fputc('\n', out);
}

static void print_annotated_prog(const struct annotation *a, const struct annotated_prog *p,
				 const struct annotate_opts *o, FILE *out)
{
	fprintf(out, "\nprogram %u ", p->prog->id);
	print_safe(out, "", p->prog->name, "");
	print_safe(out, " (", p->prog->type, "");
	fprintf(out, ", tag %s): ", p->prog->tag);
	annotated_prog__print_samples(a, p, out);
	fputc('\n', out);
	annotated_prog__print_cost(a, p, out);
	for (int i = 0; i < p->prog->notes.cnt; i++)
		print_safe(out, "note: ", p->prog->notes.text[i], "\n");
	for (int i = 0; i < p->func_cnt; i++)
		if (annotated__all(&p->func[i].sum))
			print_func(p, &p->func[i], o, out);
	if (p->func_cnt > 1 && annotated__all(&p->sum))
		annotated_prog__print_cold(p, out);
}

void annotation__print_skipped(const struct record *r, FILE *out)
{
	for (int i = 0; i < r->head->skip_cnt; i++) {
		char *names = report__name_skips(r->head, i, false);

		if (names) {
			print_safe(out, "\nnot sampled: ", names, ": ");
			print_safe(out, "", r->head->skip[i].detail, "\n");
		}
		free(names);
	}
}

/* Returns true if nothing is known of a program except why it has no samples. */
static bool has_only_advice(const struct annotated_prog *p)
{
	return p->func_cnt && !annotated__all(&p->sum) && !p->prog->notes.cnt;
}

/* Prints why programs, from the i-th on, have no samples: one line for each reason. */
static void print_alike(const struct annotation *a, int i, FILE *out)
{
	const char *advice = annotated_prog__advice(a, &a->prog[i]);
	struct name_list list = {};
	char *names;

	for (int k = 0; k < a->prog_cnt; k++) {
		const struct annotated_prog *p = &a->prog[k];

		if (!has_only_advice(p) || strcmp(annotated_prog__advice(a, p), advice))
			continue;
		if (k < i)
			return; /* it was printed together with that program */
		name_list__add(&list, "%u %s", p->prog->id, text__or_empty(p->prog->name));
	}
	names = name_list__finish(&list);
	print_safe(out, "\nno samples of ", names, ": ");
	free(names);
	fprintf(out, "%s\n", advice);
}

void annotation__print_text(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	struct draft d;
	int empty = 0;

	draft__begin(&d);
	annotation__print_head(a->r, d.mem);
	if (a->no_disasm && !o->lines_only)
		fprintf(d.mem, "note: %s\n", a->no_disasm);
	for (int i = 0; i < a->prog_cnt; i++)
		empty += has_only_advice(&a->prog[i]);
	for (int i = 0; i < a->prog_cnt; i++)
		if (a->prog[i].func_cnt && (empty == 1 || !has_only_advice(&a->prog[i])))
			print_annotated_prog(a, &a->prog[i], o, d.mem);
	for (int i = 0; empty > 1 && i < a->prog_cnt; i++)
		if (has_only_advice(&a->prog[i]))
			print_alike(a, i, d.mem);
	annotation__print_skipped(a->r, d.mem);
	draft__fold(&d, o->screen.width, out);
}
