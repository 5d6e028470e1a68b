// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recordings in memory. Creates, extends and frees them. Must not know where their contents come
 * from, or any output format.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "sampling/record.h"

struct record *record__new(void)
{
	struct record *r = xcalloc(1, sizeof(*r));

	r->samples.cost_ns = NAN;
	r->head = report__new();
	return r;
}

static void free_calls(struct record_call *call, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		free(call[i].callee);
		free(call[i].inlined);
	}
	free(call);
}

void record_prog__free_callees(struct record_prog *p)
{
	for (int i = 0; i < p->callee_cnt; i++) {
		for (char **name = p->callee[i].frame; name && *name; name++)
			free(*name);
		free(p->callee[i].frame);
	}
	free(p->callee);
	p->callee = NULL;
	p->callee_cnt = 0;
}

static void free_record_prog(struct record_prog *p)
{
	free(p->name);
	free(p->type);
	for (int i = 0; i < p->func_cnt; i++)
		free(p->func[i].name);
	for (int i = 0; i < p->line_cnt; i++) {
		free(p->line[i].file);
		free(p->line[i].text);
	}
	for (int i = 0; i < p->map_cnt; i++) {
		free(p->map[i].name);
		free(p->map[i].type);
	}
	free(p->func);
	free(p->line);
	free(p->map);
	free(p->insns);
	free(p->code);
	free(p->place);
	free(p->call);
	record_prog__free_callees(p);
	free_calls(p->bpf_call, p->bpf_call_cnt);
	free_calls(p->code_call, p->code_call_cnt);
	report_notes__free(&p->notes);
}

void record__free(struct record *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->prog_cnt; i++)
		free_record_prog(&r->prog[i]);
	free(r->prog);
	free(r->event);
	report__free(r->head);
	free(r);
}

/* Defines a function that appends to the list "member" of a struct "owner". */
#define APPENDER(element, function, owner, member)                                   \
	struct element *function(struct owner *o)                                    \
	{                                                                            \
		return array__add(&o->member, &o->member##_cnt, sizeof(*o->member)); \
	}
APPENDER(record_prog, record__add_prog, record, prog)
APPENDER(record_func, record_prog__add_func, record_prog, func)
APPENDER(record_line, record_prog__add_line, record_prog, line)
APPENDER(record_place, record_prog__add_place, record_prog, place)
APPENDER(record_place, record_prog__add_call, record_prog, call)
APPENDER(record_callee, record_prog__add_callee, record_prog, callee)
APPENDER(record_map, record_prog__add_map, record_prog, map)
APPENDER(record_call, record_prog__add_bpf_call, record_prog, bpf_call)
APPENDER(record_call, record_prog__add_code_call, record_prog, code_call)

const struct record_call *record_calls__find(const struct record_call *call, int cnt, __u32 at)
{
	int low = COUNT_BELOW(call, cnt, at, at);

	return low < cnt && call[low].at == at ? &call[low] : NULL;
}

char *record_map__label(const struct record_map *map)
{
	return *map->name ? xstrdup(map->name) : text__format("map %u", map->id);
}

const struct record_map *record_prog__map_of(const struct record_prog *p,
					     const struct record_call *call)
{
	for (int i = 0; call->map && i < p->map_cnt; i++)
		if (p->map[i].id == call->map)
			return &p->map[i];
	return NULL;
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
