// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the tree of the functions that a line or function calls. Calls of functions with the same
 * name and the same map are one callee. Must not know how the tree is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "sampling/annotate_callees.h"

void callee_list__add(struct callee_list *list, const struct record_prog *p, __u32 begin, __u32 end)
{
	int low = COUNT_BELOW(p->callee, p->callee_cnt, code_off, begin);

	for (; low < p->callee_cnt && p->callee[low].code_off < end; low++)
		*(const struct record_callee **)array__add(&list->v, &list->cnt, sizeof(*list->v)) =
			&p->callee[low];
}

void callee_list__free(struct callee_list *list)
{
	free(list->v);
	*list = (struct callee_list){};
}

void annotated_callees__free(struct annotated_callees *callees)
{
	for (int i = 0; i < callees->cnt; i++) {
		free(callees->v[i].name);
		free(callees->v[i].map);
		free(callees->v[i].map_type);
	}
	free(callees->v);
	*callees = (struct annotated_callees){};
}

/* A callee of the recording with its map; map 0: none. */
struct callee_ref {
	const struct record_callee *callee;
	__u32 map;
};

/*
 * The callees of a recording that are one callee at some level of the tree. They are adjacent in a
 * sorted array.
 */
struct callee_group {
	const struct callee_ref *first;
	int cnt;
	__u64 samples, weight;
};

/* The data from which the tree is built. */
struct callee_tree {
	const struct record_prog *p;
	int depth;
	struct annotated_callees *out;
};

static int compare_refs(const void *a, const void *b)
{
	const struct callee_ref *x = a, *y = b;
	int diff = strcmp(x->callee->frame[0], y->callee->frame[0])
			   ?: (x->map > y->map) - (x->map < y->map);

	for (int i = 1; !diff && x->callee->frame[i - 1]; i++)
		diff = strcmp(text__or_empty(x->callee->frame[i]),
			      text__or_empty(y->callee->frame[i]));
	return diff ?: (x > y) - (x < y);
}

static int compare_groups(const void *a, const void *b)
{
	const struct callee_group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->samples < y->samples) - (x->samples > y->samples)
		       ?: (x->first > y->first) - (x->first < y->first);
}

/* Finds the groups at one level. Returns the number of groups. The caller frees *out. */
static int group_callees(const struct callee_ref *ref, int cnt, int level,
			 struct callee_group **out)
{
	struct callee_group *g = NULL;
	int groups = 0;

	*out = NULL;
	for (int i = 0; i < cnt; i++) {
		if (!ref[i].callee->frame[level])
			continue;
		if (!g || strcmp(g->first->callee->frame[level], ref[i].callee->frame[level]) ||
		    (!level && g->first->map != ref[i].map)) {
			g = array__add(out, &groups, sizeof(*g));
			*g = (struct callee_group){.first = &ref[i]};
		}
		g->cnt++;
		g->samples += ref[i].callee->samples;
		g->weight += ref[i].callee->weight;
	}
	if (groups)
		qsort(*out, groups, sizeof(**out), compare_groups);
	return groups;
}

/* The recursion is limited by the number of frames in a recording: BPROF_IP_CALLEES. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void add_level(const struct callee_tree *tree, const struct callee_ref *ref, int cnt,
		      int level)
{
	struct callee_group *g;
	int groups = group_callees(ref, cnt, level, &g);

	for (int i = 0; i < groups; i++) {
		const struct callee_ref *first = g[i].first;
		const struct record_call call = {.map = level ? 0 : first->map};
		const struct record_map *map = record_prog__map_of(tree->p, &call);
		struct annotated_callee *new =
			array__add(&tree->out->v, &tree->out->cnt, sizeof(*new));

		*new = (struct annotated_callee){.depth = level + 1,
						 .name = xstrdup(first->callee->frame[level]),
						 .samples = g[i].samples,
						 .weight = g[i].weight};
		if (map) {
			new->map = record_map__label(map);
			new->map_type = xstrdup(map->type);
		}
		if (level + 1 < tree->depth)
			add_level(tree, first, g[i].cnt, level + 1);
	}
	free(g);
}

void callee_list__sum(struct callee_list *list, const struct record_prog *p, int depth,
		      const struct annotated *sum, struct annotated_callees *out)
{
	const struct callee_tree tree = {p, depth ?: BPROF_IP_CALLEES, out};
	struct callee_ref *ref = xcalloc(list->cnt + 1, sizeof(*ref));
	/* the samples in calls that are in no other callee */
	struct annotated_callee rest = {
		.depth = 1, .samples = sum->calls, .weight = sum->calls_weight};

	for (int i = 0; i < list->cnt; i++) {
		const struct record_call *call =
			record_calls__find(p->code_call, p->code_call_cnt, list->v[i]->code_off);

		ref[i] = (struct callee_ref){list->v[i], call ? call->map : 0};
	}
	if (list->cnt)
		qsort(ref, list->cnt, sizeof(*ref), compare_refs);
	add_level(&tree, ref, list->cnt, 0);
	free(ref);
	for (int i = 0; i < out->cnt; i++) {
		if (out->v[i].depth != 1)
			continue;
		rest.samples -= out->v[i].samples;
		rest.weight -= out->v[i].weight;
	}
	if (rest.samples && p->callee_cnt) {
		rest.name = xstrdup(RECORD_UNKNOWN_CALLEE);
		*(struct annotated_callee *)array__add(&out->v, &out->cnt, sizeof(rest)) = rest;
	}
	callee_list__free(list);
}
