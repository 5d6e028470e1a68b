// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as folded stacks for flamegraph.pl and similar tools: "program;function;file:line
 * samples". Owns how programs, functions and lines are formatted as frames of a stack.
 */
#include <stdlib.h>

#include "sampling/annotate_priv.h"

static void print_frame(const char *name, FILE *out)
{
	text__put(out, text__frame(name));
}

/* The frames of the program at the beginning of a stack. */
struct folded_line {
	const struct annotated_prog *p;
	const struct annotated_func *f;
	const struct annotated_line *l;
	FILE *out;
};

/* Prints a stack with its number of samples. Its last frames are callee[0] to callee[cnt - 1]. */
static void print_stack(const struct folded_line *at, const char *const *callee, int cnt,
			__u64 samples)
{
	if (!samples)
		return;
	print_frame(at->p->prog->name, at->out);
	fputc(';', at->out);
	print_frame(at->f->func->name, at->out);
	if (*at->l->file) {
		fputc(';', at->out);
		print_frame(annotated_line__file(at->l), at->out);
		fprintf(at->out, ":%u", at->l->line);
	}
	for (int i = 0; i < cnt; i++) {
		fputc(';', at->out);
		print_frame(callee[i], at->out);
	}
	fprintf(at->out, " %llu\n", samples);
}

/* Prints the callees. Returns the number of their samples. */
static __u64 print_callees(const struct folded_line *at)
{
	const struct annotated_callee *end = at->l->callees.v + at->l->callees.cnt;
	char *names[BPROF_IP_CALLEES] = {};
	__u64 samples = 0;

	for (const struct annotated_callee *c = at->l->callees.v; c < end; c++) {
		__u64 own = c->samples; /* those that are in no function that the callee calls */

		free(names[c->depth - 1]);
		names[c->depth - 1] = annotated_callee__format(c);
		for (const struct annotated_callee *in = c + 1; in < end && in->depth > c->depth;
		     in++)
			if (in->depth == c->depth + 1)
				own -= in->samples;
		print_stack(at, (const char *const *)names, c->depth, own);
		samples += c->depth == 1 ? c->samples : 0;
	}
	for (int i = 0; i < BPROF_IP_CALLEES; i++)
		free(names[i]);
	return samples;
}

void annotation__print_folded(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	static const char *const rest[] = {ANNOTATED_CALLEE};

	for (int i = 0; i < a->prog_cnt; i++) {
		const struct annotated_prog *p = &a->prog[i];

		for (int k = 0; k < p->func_cnt; k++)
			for (int n = 0; n < p->func[k].line_cnt; n++) {
				const struct annotated_line *l = &p->func[k].line[n];
				const struct folded_line at = {p, &p->func[k], l, out};

				print_stack(&at, NULL, 0, l->sum.samples);
				print_stack(&at, rest, 1, l->sum.calls - print_callees(&at));
			}
	}
}
