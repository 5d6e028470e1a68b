// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as pprof profiles: each instruction with samples is a sample, in its function and
 * source line. Owns which values it has; must not know the format of the file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pprof/pprof.h"
#include "render/report_pprof.h"
#include "sampling/annotate.h"

/* The kernel's own clocks count ns, whatever their modifiers. */
static const char *unit_of(const char *event)
{
	return !strncmp(event, "cpu-clock", 9) || !strncmp(event, "task-clock", 10) ? "nanoseconds"
										    : "count";
}

static void add_types(struct pprof *p, const struct annotation *a)
{
	const struct record *r = a->r;
	__u64 mean = r->samples.taken ? r->samples.weight / r->samples.taken : 0;

	/* Without periods of the samples, their number is all there is. */
	pprof__add_type(p, "samples", "count", !a->sum.weight);
	if (a->sum.weight)
		pprof__add_type(p, r->event, unit_of(r->event), true);
	pprof__set_period(p, r->event, unit_of(r->event), r->period ?: mean);
}

/* callee: the location of all code that is called, or 0 */
static void add_pprof_insn(struct pprof *p, const struct pprof_prog *prog,
			   const struct annotated_func *f, const struct annotated_line *l,
			   const struct annotated_insn *insn, __u64 callee)
{
	__u64 function = pprof__add_function(p, f->func->name, l->file);
	const __u64 path[] = {callee,
			      pprof__add_location(p, prog->mapping, f->func->code_off + insn->off,
						  function, l->line),
			      prog->frame};
	const __s64 values[] = {insn->sum.samples, insn->sum.weight};
	const __s64 calls[] = {insn->sum.calls, insn->sum.calls_weight};

	if (insn->sum.samples) {
		pprof__add_sample(p, path + 1, 2, values);
		pprof_prog__label(prog, p);
	}
	if (insn->sum.calls) {
		pprof__add_sample(p, path, 3, calls);
		pprof_prog__label(prog, p);
	}
}

static void add_func(struct pprof *p, const struct pprof_prog *prog, const struct annotated_func *f,
		     __u64 callee)
{
	for (int i = 0; i < f->line_cnt; i++)
		for (int k = 0; k < f->line[i].insn_cnt; k++)
			if (annotated__all(&f->line[i].insn[k].sum))
				add_pprof_insn(p, prog, f, &f->line[i], &f->line[i].insn[k],
					       callee);
}

static void add_prog(struct pprof *p, const struct annotated_prog *from)
{
	const struct record_prog *r = from->prog;
	struct pprof_prog prog = {.id = r->id, .name = r->name, .type = r->type, .tag = r->tag};
	__u64 callee = 0;

	pprof_prog__add(&prog, p, r->code_sz);
	if (from->sum.calls)
		callee = pprof__add_location(p, 0, 0, pprof__add_function(p, ANNOTATED_CALLEE, ""),
					     0);
	for (int i = 0; i < from->func_cnt; i++)
		add_func(p, &prog, &from->func[i], callee);
	report_pprof__add_notes(p, r->id, r->name, &r->notes);
}

/* Adds a comment for each kind of samples that are missing. */
static void add_losses(struct pprof *p, const struct record_samples *s)
{
	char *text = NULL, *rest, *line;
	size_t sz = 0;
	FILE *out = text__open(&text, &sz);

	fprintf(out, "samples: %llu, of which %llu are in the programs", s->taken, s->in_targets);
	if (s->in_calls)
		fprintf(out, " and %llu in what they call", s->in_calls);
	fputc('\n', out);
	record_samples__print_losses(s, out);
	fclose(out);
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			pprof__add_comment(p, "%s", line);
	free(text);
}

void annotation__print_pprof(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	struct pprof *p = pprof__new();

	report_pprof__describe(p, a->r->head);
	add_losses(p, &a->r->samples);
	add_types(p, a);
	for (int i = 0; i < a->prog_cnt; i++)
		add_prog(p, &a->prog[i]);
	pprof__write(p, out);
	pprof__free(p);
}

int record__write_pprof(const struct record *r, FILE *out)
{
	const struct annotate_opts all = {};
	struct annotation *a = annotate(r, &all);
	int err = annotation__render(a, annotation__print_pprof, &all, out);
	annotation__free(a);
	return err;
}
