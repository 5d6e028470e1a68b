// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as folded stacks for flamegraph.pl and similar tools: "program;function;file:line
 * samples". Owns how programs, functions and lines are formatted as frames of a stack.
 */
#include <stdlib.h>

#include "base/text.h"
#include "sampling/annotate.h"

static void print_frame(const char *name, FILE *out)
{
	text__put(out, text__frame(name));
}

/* Prints the stack of a line with its samples. callee: the last frame, or NULL */
static void print_stack(const struct annotated_prog *p, const struct annotated_func *f,
			const struct annotated_line *l, const char *callee, __u64 samples,
			FILE *out)
{
	if (!samples)
		return;
	print_frame(p->prog->name, out);
	fputc(';', out);
	print_frame(f->func->name, out);
	if (*l->file) {
		fputc(';', out);
		print_frame(annotated_line__file(l), out);
		fprintf(out, ":%u", l->line);
	}
	if (callee) {
		fputc(';', out);
		print_frame(callee, out);
	}
	fprintf(out, " %llu\n", samples);
}

static void print_line(const struct annotated_prog *p, const struct annotated_func *f,
		       const struct annotated_line *l, FILE *out)
{
	print_stack(p, f, l, NULL, l->sum.samples, out);
	print_stack(p, f, l, ANNOTATED_CALLEE, l->sum.calls, out);
}

void annotation__print_folded(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	for (int i = 0; i < a->prog_cnt; i++) {
		const struct annotated_prog *p = &a->prog[i];

		for (int k = 0; k < p->func_cnt; k++)
			for (int n = 0; n < p->func[k].line_cnt; n++)
				print_line(p, &p->func[k], &p->func[k].line[n], out);
	}
}
