// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes annotations: assigns code and samples to source lines. Must not know how annotations are
 * shown. Relies on record_json.c, which checks that functions, lines and samples lie within the
 * program and are in order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/util.h"
#include "btf/func_label.h"
#include "sampling/annotate.h"
#include "sampling/annotate_callees.h"
#include "sampling/annotate_insns.h"

/* ---- splitting a function's code into parts ---- */

static int compare_code_parts(const void *a, const void *b)
{
	const struct code_part *x = a, *y = b;
	int diff = strcmp(x->file, y->file);

	if (diff)
		return diff;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/*
 * An iterator over a program's source lines and sampled places (struct record_place). Both are in
 * the same order as the functions.
 */
struct annotate_walk {
	const struct record_prog *p;
	int line, place, call;
};

/*
 * Splits the code of f into parts: one for each entry of the line table and, if there is code
 * before the first entry, one for this code. Returns the parts, which the caller frees.
 */
static struct code_part *split_into_parts(struct annotate_walk *w, const struct record_func *f,
					  int *cnt)
{
	__u32 end = f->code_off + f->code_len, insn_end = f->insn_off + f->insn_cnt;
	const struct record_prog *p = w->p;
	struct code_part *parts, *part;
	int first;

	while (w->line < p->line_cnt &&
	       (p->line[w->line].code_off < f->code_off || p->line[w->line].insn_off < f->insn_off))
		w->line++;
	first = w->line;
	while (w->line < p->line_cnt && p->line[w->line].code_off < end &&
	       p->line[w->line].insn_off < insn_end)
		w->line++;
	parts = xcalloc(w->line - first + 1, sizeof(*parts));
	part = parts;
	*part = (struct code_part){
		.file = "", .text = "", .insn_off = f->insn_off, .code_off = f->code_off};
	for (int i = first; i < w->line; i++) {
		const struct record_line *l = &p->line[i];

		part->insn_end = l->insn_off;
		part->code_end = l->code_off;
		/* If the previous part has no code, overwrite it with this part. */
		if (part->insn_end > part->insn_off || part->code_end > part->code_off)
			part++;
		*part = (struct code_part){.file = l->file,
					   .text = l->text,
					   .line = l->line,
					   .insn_off = l->insn_off,
					   .code_off = l->code_off};
	}
	part->insn_end = insn_end;
	part->code_end = end;
	*cnt = part - parts + 1;
	for (int i = 0; i < *cnt; i++)
		parts[i].first = i;
	return parts;
}

/*
 * Skips the places from *at on that lie before the part. Returns how many of the next places lie in
 * the part, and sets *at to the place after them.
 */
static int take_places(const struct record_place *place, int cnt, const struct code_part *part,
		       int *at, const struct record_place **first)
{
	int begin;

	while (*at < cnt && place[*at].code_off < part->code_off)
		(*at)++;
	begin = *at;
	*first = place ? &place[begin] : NULL;
	while (*at < cnt && place[*at].code_off < part->code_end)
		(*at)++;
	return *at - begin;
}

/* ---- grouping parts into source lines ---- */

static int compare_hot(const void *a, const void *b)
{
	const struct annotated_line *x = a, *y = b;

	return annotated__compare(&x->sum, &y->sum);
}

static void end_source_line(struct annotated_func *f, struct callee_list *callees,
			    const struct insn_printer *printer, int depth)
{
	struct annotated_line *l = f->line_cnt ? &f->line[f->line_cnt - 1] : NULL;

	if (l)
		callee_list__sum(callees, printer->p, depth, &l->sum, &l->callees);
}

/* callees: the callees of the current line */
static void add_part_to_line(struct annotated_func *f, const struct code_part *part,
			     const struct insn_printer *printer, int depth,
			     struct callee_list *callees)
{
	struct annotated_line *l = f->line_cnt ? &f->line[f->line_cnt - 1] : NULL;
	struct record_place own, calls;
	struct annotated sum;

	if (!l || l->line != part->line || strcmp(l->file, part->file)) {
		end_source_line(f, callees, printer, depth);
		l = array__add(&f->line, &f->line_cnt, sizeof(*l));
		l->file = part->file;
		l->text = part->text;
		l->line = part->line;
	}
	own = record_places__sum(part->place, part->place_cnt);
	calls = record_places__sum(part->call, part->call_cnt);
	sum = (struct annotated){own.samples, own.weight, calls.samples, calls.weight};
	annotated__add(&l->sum, &sum);
	annotated__add(&f->sum, &sum);
	insn_printer__add(printer, f->func, part, l);
	callee_list__add(callees, printer->p, part->code_off, part->code_end);
}

/* Moves the lines of the file `own` before those of other files, whose code was inlined. */
static void put_own_first(struct annotated_func *f, const char *own)
{
	struct annotated_line *lines = f->line, *tmp;
	int first = 0, cnt = 0;

	while (first < f->line_cnt && strcmp(lines[first].file, own))
		first++;
	while (first + cnt < f->line_cnt && !strcmp(lines[first + cnt].file, own))
		cnt++;
	tmp = xmalloc(first * sizeof(*tmp) + 1);
	memcpy(tmp, lines, first * sizeof(*tmp));
	memmove(lines, lines + first, cnt * sizeof(*lines));
	memcpy(lines + cnt, tmp, first * sizeof(*tmp));
	free(tmp);
}

static void annotate_func(struct annotate_walk *w, const struct annotate_opts *o,
			  const struct insn_printer *printer, struct annotated_func *f)
{
	int cnt;
	struct code_part *parts = split_into_parts(w, f->func, &cnt);
	const struct record_prog *p = w->p;
	struct callee_list callees = {};
	const char *own;

	/* Parts and sampled places are both in the order of the code. */
	for (struct code_part *part = parts; part < parts + cnt; part++) {
		part->place_cnt =
			take_places(p->place, p->place_cnt, part, &w->place, &part->place);
		part->call_cnt = take_places(p->call, p->call_cnt, part, &w->call, &part->call);
	}
	own = cnt > 1 && !*parts[0].file ? parts[1].file : parts[0].file;
	qsort(parts, cnt, sizeof(*parts), compare_code_parts);
	for (int i = 0; i < cnt; i++)
		add_part_to_line(f, &parts[i], printer, o->depth, &callees);
	end_source_line(f, &callees, printer, o->depth);
	free(parts);
	callee_list__add(&callees, p, f->func->code_off, f->func->code_off + f->func->code_len);
	callee_list__sum(&callees, p, o->depth, &f->sum, &f->callees);
	if (o->hot)
		qsort(f->line, f->line_cnt, sizeof(*f->line), compare_hot);
	else
		put_own_first(f, own);
}

/* ---- building the annotation of each program ---- */

static int compare_annotated_funcs(const void *a, const void *b)
{
	const struct annotated_func *x = a, *y = b;

	return annotated__compare(&x->sum, &y->sum) ?: (x->func > y->func) - (x->func < y->func);
}

static int compare_progs(const void *a, const void *b)
{
	const struct annotated_prog *x = a, *y = b;

	return annotated__compare(&x->sum, &y->sum) ?: (x->prog > y->prog) - (x->prog < y->prog);
}

static void annotate_prog(const struct record_prog *rp, const struct annotate_opts *o,
			  struct insn_printer *printer, struct annotated_prog *p)
{
	const struct record_place own = record_places__sum(rp->place, rp->place_cnt);
	const struct record_place calls = record_places__sum(rp->call, rp->call_cnt);
	struct annotate_walk w = {.p = rp};

	p->prog = rp;
	p->sum = (struct annotated){own.samples, own.weight, calls.samples, calls.weight};
	printer->p = rp;
	for (int i = 0; i < rp->func_cnt; i++) {
		const struct record_func *func = &rp->func[i];
		struct annotated_func *f;

		if (!func->sampled || (o->func && !func_label__matches(func->name, o->func)))
			continue;
		f = array__add(&p->func, &p->func_cnt, sizeof(*f));
		f->func = func;
		annotate_func(&w, o, printer, f);
	}
	if (p->func_cnt)
		qsort(p->func, p->func_cnt, sizeof(*p->func), compare_annotated_funcs);
}

struct annotation *annotate(const struct record *r, const struct annotate_opts *o)
{
	struct annotation *a = xcalloc(1, sizeof(*a));
	struct insn_printer printer = {};

	a->no_disasm = insn_printer__open(&printer, r->head->host.arch);
	a->r = r;
	for (int i = 0; i < r->prog_cnt; i++) {
		struct annotated_prog *p = array__add(&a->prog, &a->prog_cnt, sizeof(*p));

		annotate_prog(&r->prog[i], o, &printer, p);
		annotated__add(&a->sum, &p->sum);
	}
	insn_printer__close(&printer);
	if (a->prog_cnt)
		qsort(a->prog, a->prog_cnt, sizeof(*a->prog), compare_progs);
	return a;
}

static void free_line(struct annotated_line *l, bool own)
{
	for (int i = 0; i < l->insn_cnt; i++) {
		free(l->insn[i].text);
		free(l->insn[i].callee);
		free(l->insn[i].inlined);
		free(l->insn[i].map);
		free(l->insn[i].map_type);
	}
	free(l->insn);
	annotated_callees__free(&l->callees);
	if (own) {
		free((char *)l->file);
		free((char *)l->text);
	}
}

void annotation__free(struct annotation *a)
{
	if (!a)
		return;
	for (int i = 0; i < a->prog_cnt; i++) {
		for (int k = 0; k < a->prog[i].func_cnt; k++) {
			struct annotated_func *f = &a->prog[i].func[k];

			for (int n = 0; n < f->line_cnt; n++)
				free_line(&f->line[n], a->own);
			free(f->line);
			annotated_callees__free(&f->callees);
		}
		free(a->prog[i].func);
	}
	free(a->prog);
	record__free(a->own);
	free(a);
}

int annotation__render(const struct annotation *a, annotation_render_fn *render,
		       const struct annotate_opts *o, FILE *out)
{
	struct draft draft;

	draft__begin(&draft);
	render(a, o, draft.mem);
	return draft__end(&draft, 0, out);
}
