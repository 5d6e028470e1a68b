// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the index that finds the targets of one program in a long list. Must not know what the
 * targets are used for.
 *
 * The maps from ids to positions in the list may be outdated, because removing a target moves the
 * targets after it. So the target at a position is used only if it has the id that was looked up.
 * If a map has no entry for an id, no target has this id.
 */

#include <stdlib.h>

#include "base/util.h"
#include "target/target.h"
#include "target/target_priv.h"

/* Returns the index of the program's first target, or targets->cnt if there is none. */
static int find_first_target(const struct target_list *targets, __u32 id)
{
	int i = id_map__get(&targets->first, id);

	if (i < 0 && !id_map__is_empty(&targets->first))
		return targets->cnt;
	if (i >= 0 && i < targets->cnt && targets->v[i].id == id &&
	    (!i || targets->v[i - 1].id != id))
		return i;
	for (i = 0; i < targets->cnt && targets->v[i].id != id; i++)
		;
	return i;
}

struct target *target_list__next(const struct target_list *targets, __u32 id,
				 const struct target *prev)
{
	int i = prev ? prev - targets->v + 1 : find_first_target(targets, id);

	return i < targets->cnt && targets->v[i].id == id ? &targets->v[i] : NULL;
}

struct target *target_list__find_func(const struct target_list *targets, __u32 id, __u32 func_index)
{
	for (int i = find_first_target(targets, id); i < targets->cnt; i++)
		if (targets->v[i].id == id && targets->v[i].func_index == func_index)
			return &targets->v[i];
	return NULL;
}

void target_list__share_btf(const struct target_list *targets, struct prog *prog)
{
	int i = id_map__get(&targets->by_btf, prog->info.btf_id);

	if (i >= 0 && i < targets->cnt)
		prog__load_funcs_like(prog, targets->v[i].prog);
}

static void index_target(struct target_list *targets, int i)
{
	const struct target *t = &targets->v[i];

	if (id_map__get(&targets->first, t->id) < 0)
		id_map__set(&targets->first, t->id, i);
	if (t->prog && t->prog->funcs)
		id_map__set(&targets->by_btf, t->prog->info.btf_id, i);
}

struct target *target_list__append(struct target_list *targets, const struct target *t)
{
	struct target *new = array__add(&targets->v, &targets->cnt, sizeof(*new));

	*new = *t;
	index_target(targets, targets->cnt - 1);
	return new;
}

void target_list__index(struct target_list *targets)
{
	target_list__free_index(targets);
	for (int i = 0; i < targets->cnt; i++)
		index_target(targets, i);
}

void target_list__replace(struct target_list *targets, struct target *v)
{
	free(targets->v);
	targets->v = v;
	target_list__index(targets);
}

void target_list__free_index(struct target_list *targets)
{
	id_map__free(&targets->first);
	id_map__free(&targets->by_btf);
}
