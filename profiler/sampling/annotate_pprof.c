// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as pprof profiles: each instruction with samples is a sample, in its function and
 * source line. Owns the values of such a sample; must not know the format of the file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "pprof/pprof.h"
#include "render/report_pprof.h"
#include "sampling/annotate_callees.h"
#include "sampling/annotate_priv.h"

/*
 * The profile, and the locations of callees in it: location[i] is the location of the function with
 * id i + 1.
 */
struct callee_profile {
	struct pprof *p;
	__u64 *location;
	int cnt;
};

static __u64 find_location(struct callee_profile *c, const char *name)
{
	__u64 function = pprof__add_function(c->p, name, "");

	while ((__u64)c->cnt < function)
		array__add(&c->location, &c->cnt, sizeof(*c->location));
	if (!c->location[function - 1])
		c->location[function - 1] = pprof__add_location(c->p, 0, 0, function, 0);
	return c->location[function - 1];
}

/* Returns the name of the called function, with the map that it works on. */
static char *name_callee(const struct record_prog *r, const struct record_callee *from)
{
	const struct record_call *call =
		record_calls__find(r->code_call, r->code_call_cnt, from->code_off);
	const struct record_map *map = call ? record_prog__map_of(r, call) : NULL;
	struct annotated_callee callee = {.name = from->frame[0]};
	char *name;

	if (map) {
		callee.map = record_map__label(map);
		callee.map_type = map->type;
	}
	name = annotated_callee__format(&callee);
	free(callee.map);
	return name;
}

/* Adds a sample whose last frames are the callee's. at: the program's frames, innermost first */
static void add_pprof_callee(struct callee_profile *c, const struct pprof_prog *prog,
			     const struct record_prog *r, const struct record_callee *from,
			     const __u64 at[2])
{
	const __s64 values[] = {from->samples, from->weight};
	__u64 path[BPROF_IP_CALLEES + 2];
	int frames = 0, cnt = 0;
	char *name = name_callee(r, from);

	while (from->frame[frames])
		frames++;
	for (int i = frames - 1; i >= 0; i--)
		path[cnt++] = find_location(c, i ? from->frame[i] : name);
	path[cnt++] = at[0];
	path[cnt++] = at[1];
	pprof__add_sample(c->p, path, cnt, values);
	pprof_prog__label(prog, c->p);
	free(name);
}

/* Adds the samples in the functions that an instruction calls. */
static void add_pprof_calls(struct callee_profile *c, const struct pprof_prog *prog,
			    const struct record_prog *r, __u32 code_off,
			    const struct annotated_insn *insn, const __u64 at[2])
{
	__s64 rest[] = {insn->sum.calls, insn->sum.calls_weight};
	struct callee_list list = {};
	__u64 path[] = {0, at[0], at[1]};

	callee_list__add(&list, r, code_off, code_off + insn->len);
	for (int i = 0; i < list.cnt; i++) {
		add_pprof_callee(c, prog, r, list.v[i], at);
		rest[0] -= list.v[i]->samples;
		rest[1] -= list.v[i]->weight;
	}
	callee_list__free(&list);
	if (rest[0] <= 0)
		return;
	path[0] = find_location(c, ANNOTATED_CALLEE);
	pprof__add_sample(c->p, path, 3, rest);
	pprof_prog__label(prog, c->p);
}

static void add_pprof_insn(struct callee_profile *c, const struct pprof_prog *prog,
			   const struct record_prog *r, const struct annotated_func *f,
			   const struct annotated_line *l, const struct annotated_insn *insn)
{
	__u64 function = pprof__add_function(c->p, f->func->name, l->file);
	__u32 code_off = f->func->code_off + insn->off;
	const __u64 path[] = {pprof__add_location(c->p, prog->mapping, code_off, function, l->line),
			      prog->frame};
	const __s64 values[] = {insn->sum.samples, insn->sum.weight};

	if (insn->sum.samples) {
		pprof__add_sample(c->p, path, 2, values);
		pprof_prog__label(prog, c->p);
	}
	if (insn->sum.calls)
		add_pprof_calls(c, prog, r, code_off, insn, path);
}

static void add_pprof_prog(struct callee_profile *c, const struct annotated_prog *from)
{
	const struct record_prog *r = from->prog;
	struct pprof_prog prog = {.id = r->id, .name = r->name, .type = r->type, .tag = r->tag};
	char id[16];

	snprintf(id, sizeof(id), "%u", r->id);
	pprof_prog__add(&prog, c->p, r->code_sz);
	for (int i = 0; i < from->func_cnt; i++) {
		const struct annotated_func *f = &from->func[i];

		for (int k = 0; k < f->line_cnt; k++)
			for (int n = 0; n < f->line[k].insn_cnt; n++)
				if (annotated__all(&f->line[k].insn[n].sum))
					add_pprof_insn(c, &prog, r, f, &f->line[k],
						       &f->line[k].insn[n]);
	}
	report_pprof__add_notes(c->p, id, r->name, &r->notes);
}

/* Adds a comment for each kind of missing samples. */
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
	const struct record *r = a->r;
	const char *unit = report_pprof__sampled_unit(r->event);
	__u64 mean = r->samples.taken ? r->samples.weight / r->samples.taken : 0;
	struct pprof *p = pprof__new();
	struct callee_profile c = {.p = p};

	report_pprof__describe(p, r->head);
	add_losses(p, &r->samples);
	/* If the samples' periods are not known, the profile has only their number. */
	pprof__add_type(p, "samples", "count", !a->sum.weight);
	if (a->sum.weight)
		pprof__add_type(p, r->event, unit, true);
	pprof__set_period(p, r->event, unit, r->period ?: mean);
	for (int i = 0; i < a->prog_cnt; i++)
		add_pprof_prog(&c, &a->prog[i]);
	free(c.location);
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
