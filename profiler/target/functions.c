// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the order of a program's functions among the targets, which is that of a call tree. Must not
 * know what is measured.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "target/functions.h"
#include "base/log.h"
#include "target/target.h"
#include "target/target_priv.h"

/* The walk over one program's call tree. */
struct tree {
	const struct func_table *table;
	bool *calls;	       /* prog__call_graph(); NULL: withheld */
	bool *seen;	       /* by function: visited */
	struct target **which; /* by function: its target, or NULL */
	struct target *sorted; /* targets in the order of visits */
	int cnt;
};

static bool does_call(const struct tree *t, __u32 caller, __u32 callee)
{
	if (!t->calls)
		return !caller && callee;
	return t->calls[(size_t)caller * t->table->cnt + callee];
}

/* Sets *names to the callers of a function if it has several. The caller frees it. 0 or -ENOMEM. */
static int name_callers(const struct tree *t, __u32 index, char **names)
{
	int cnt = 0, left;
	size_t size;
	FILE *out;

	for (__u32 i = 0; i < t->table->cnt; i++)
		cnt += does_call(t, i, index);
	if (cnt < 2)
		return 0;
	out = open_memstream(names, &size);
	if (!out)
		return -ENOMEM;
	left = cnt;
	for (__u32 i = 0; i < t->table->cnt; i++) {
		if (!does_call(t, i, index))
			continue;
		fprintf(out, "%s%s",
			left == cnt ? ""
			: left > 1  ? ", "
				    : " and ",
			t->table->fn[i].name);
		left--;
	}
	return fclose(out) ? -ENOMEM : 0;
}

/* Visits a function, and then its callees. The recursion ends, as BPF functions cannot recurse. */
static int visit(struct tree *t, __u32 index, int depth)
{
	struct target *target = t->which[index];
	int err = 0;

	if (t->seen[index])
		return 0;
	t->seen[index] = true;
	if (target) {
		target->depth = depth++;
		err = name_callers(t, index, &target->callers);
		t->sorted[t->cnt++] = *target;
	}
	for (__u32 i = 0; !err && i < t->table->cnt; i++)
		if (does_call(t, index, i))
			err = visit(t, i, depth);
	return err;
}

/* Copies the targets of first's program to sorted[], each once. Returns 0 or -ENOMEM. */
static int sort_program(const struct target_list *targets, const struct target *first,
			struct target *sorted)
{
	const struct func_table *table = first->prog->funcs;
	struct tree t = {.table = table, .sorted = sorted};
	int err = 0;

	t.seen = calloc(table->cnt, sizeof(*t.seen));
	t.which = calloc(table->cnt, sizeof(*t.which));
	if (!t.seen || !t.which)
		err = -ENOMEM;
	for (int i = first - targets->v; !err && i < targets->cnt; i++)
		if (targets->v[i].id == first->id)
			t.which[func_table__find_type(table, targets->v[i].func_btf_id) -
				table->fn] = &targets->v[i];
	if (!err && prog__call_graph(first->prog, &t.calls))
		t.calls = NULL;
	/* A function without a known caller (a timer's callback) starts a tree of its own. */
	for (__u32 i = 0; !err && i < table->cnt; i++)
		err = visit(&t, i, 0);
	free(t.calls);
	free(t.which);
	free(t.seen);
	return err;
}

/*
 * Counts the targets of each program, at the index of its first target; 0 elsewhere. The caller
 * frees the array; NULL: out of memory.
 */
static int *count_functions(const struct target_list *targets)
{
	int *cnt = calloc(targets->cnt + 1, sizeof(*cnt));

	for (int i = 0; cnt && i < targets->cnt; i++)
		cnt[target_list__next(targets, targets->v[i].id, NULL) - targets->v]++;
	return cnt;
}

int target_list__place_functions(struct target_list *targets)
{
	struct target *sorted = calloc(targets->cnt + 1, sizeof(*sorted));
	int *funcs = count_functions(targets);
	int cnt = 0, err = sorted && funcs ? 0 : -ENOMEM;

	for (int i = 0; !err && i < targets->cnt; i++) {
		if (funcs[i] > 1)
			err = sort_program(targets, &targets->v[i], sorted + cnt);
		else if (funcs[i])
			sorted[cnt] = targets->v[i]; /* its program may have no function table */
		cnt += funcs[i];
	}
	free(funcs);
	if (!err)
		return target_list__replace(targets, sorted);
	free(sorted);
	return log_err(err, "out of memory");
}
