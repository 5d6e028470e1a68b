// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recordings in memory. Owns creating, extending and freeing them. Must not know where their
 * contents come from, or any output format.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/util.h"
#include "sampling/record.h"

struct record *record__new(void)
{
	struct record *r = xcalloc(1, sizeof(*r));

	r->samples.cost_ns = NAN;
	r->head = report__new();
	return r;
}

static void free_prog(struct record_prog *p)
{
	free(p->name);
	free(p->type);
	for (int i = 0; i < p->func_cnt; i++)
		free(p->func[i].name);
	for (int i = 0; i < p->line_cnt; i++) {
		free(p->line[i].file);
		free(p->line[i].text);
	}
	free(p->func);
	free(p->line);
	free(p->insns);
	free(p->code);
	free(p->place);
	free(p->call);
	report_notes__free(&p->notes);
}

void record__free(struct record *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->prog_cnt; i++)
		free_prog(&r->prog[i]);
	free(r->prog);
	free(r->event);
	report__free(r->head);
	free(r);
}

struct record_prog *record__add_prog(struct record *r)
{
	return array__add(&r->prog, &r->prog_cnt, sizeof(*r->prog));
}

struct record_func *record_prog__add_func(struct record_prog *p)
{
	return array__add(&p->func, &p->func_cnt, sizeof(*p->func));
}

struct record_line *record_prog__add_line(struct record_prog *p)
{
	return array__add(&p->line, &p->line_cnt, sizeof(*p->line));
}

struct record_place *record_prog__add_place(struct record_prog *p)
{
	return array__add(&p->place, &p->place_cnt, sizeof(*p->place));
}

struct record_place *record_prog__add_call(struct record_prog *p)
{
	return array__add(&p->call, &p->call_cnt, sizeof(*p->call));
}

struct record_place record_places__sum(const struct record_place *place, int cnt)
{
	struct record_place sum = {};

	for (int i = 0; i < cnt; i++) {
		sum.samples += place[i].samples;
		sum.weight += place[i].weight;
	}
	return sum;
}
