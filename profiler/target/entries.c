// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for the programs through which another program is entered: by a tail call from
 * them, or because it extends them. Must not know why their runs are counted. Prints nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "target/entries.h"
#include "target/target.h"

/* The state of the search. Each step searches for the programs that directly enter "to". */
struct entry_search {
	const struct target_list *targets;
	__u32 to;
	__u32 self; /* id of the target's own program, which is never added to the entries */
	struct entries *found;
};

static bool is_found(const struct entry_search *s, __u32 id)
{
	for (int i = 0; i < s->found->cnt; i++)
		if (s->found->v[i]->info.id == id)
			return true;
	return id == s->self;
}

/* Returns true if p uses a prog array that contains the program s->to. */
static bool may_tail_call(const struct entry_search *s, struct prog *p)
{
	const struct prog_arrays *arrays = &s->targets->prog_arrays;
	__u32 *ids, cnt;
	bool jumps = false;

	if (prog__map_ids(p, &ids, &cnt))
		return false;
	for (__u32 i = 0; i < cnt; i++)
		for (int k = 0; k < arrays->cnt; k++)
			jumps |= arrays->v[k].map_id == ids[i] &&
				 prog_array__has(&arrays->v[k], s->to);
	free(ids);
	return jumps;
}

static int visit_possible_entry(__u32 id, void *arg)
{
	struct entry_search *s = arg;
	struct prog *p;

	if (is_found(s, id) || prog__open_id(id, &p))
		return 0; /* already found, or unloaded after its id was read */
	if (may_tail_call(s, p))
		*(struct prog **)array__add(&s->found->v, &s->found->cnt, sizeof(p)) = p;
	else
		prog__close(p);
	return 0;
}

void entries__find(const struct target_list *targets, const struct target *t, struct entries *out)
{
	struct entry_search s = {.targets = targets, .to = t->id, .self = t->id, .found = out};
	const struct extensions *all = &targets->extensions;
	struct prog *p;

	memset(out, 0, sizeof(*out));
	for (int next = 0;; next++) {
		for (int i = 0; i < all->cnt; i++)
			if (all->v[i].prog_id == s.to && !is_found(&s, all->v[i].target_id) &&
			    !prog__open_id(all->v[i].target_id, &p))
				*(struct prog **)array__add(&out->v, &out->cnt, sizeof(p)) = p;
		/* Ignore errors: without permission, for example, no program is found. */
		if (prog_arrays__has_prog(&targets->prog_arrays, s.to))
			prog__for_each_id(visit_possible_entry, &s);
		if (next == out->cnt)
			break;
		s.to = out->v[next]->info.id;
	}
}

void entries__free(struct entries *e)
{
	for (int i = 0; i < e->cnt; i++)
		prog__close(e->v[i]);
	free(e->v);
	memset(e, 0, sizeof(*e));
}

int entries__count_runs(const struct entries *e, __u64 *runs)
{
	*runs = 0;
	for (int i = 0; i < e->cnt; i++) {
		int err = prog__refresh(e->v[i]);

		if (err)
			return err;
		*runs += e->v[i]->info.run_cnt;
	}
	return 0;
}
