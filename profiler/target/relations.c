// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the order of targets (callers before callees, programs before their extensions) and the
 * notes that say how a target's relations affect its numbers. Must not know how targets are
 * selected or measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "report/report.h"
#include "target/prog_arrays.h"
#include "target/relations.h"
#include "target/target.h"
#include "target/target_priv.h"

/* What is known about a function during the walk over one program's call trees. */
struct node {
	struct target *target; /* or NULL */
	__u32 root;	       /* the first root that reaches the function, plus 1; 0: none yet */
	__u32 walk;	       /* the last root that reached the function, plus 1 */
	bool shared;	       /* several roots reach the function */
	bool seen;	       /* the function already has its place in the order */
};

/* The state of the walk over one program's call trees. */
struct tree {
	const struct prog *prog;
	struct node *node;
	struct target *sorted; /* the targets in the order in which they were visited */
	int cnt;
};

static bool does_call(const struct tree *t, __u32 caller, __u32 callee)
{
	return prog__when_calls(t->prog, caller, callee) & CALL_NOW;
}

/* Returns the bits of all calls of a function (prog__when_calls()), by any caller. */
static __u8 when_function_called(const struct tree *t, __u32 index)
{
	__u8 when = 0;

	for (__u32 i = 0; i < t->prog->funcs->cnt; i++)
		when |= prog__when_calls(t->prog, i, index);
	return when;
}

/* Marks all functions that run when the root runs. */
static void mark(struct tree *t, __u32 root, __u32 index)
{
	struct node *n = &t->node[index];

	if (n->walk == root + 1)
		return;
	n->shared |= n->root != 0;
	n->root = n->root ?: root + 1;
	n->walk = root + 1;
	for (__u32 i = 0; i < t->prog->funcs->cnt; i++)
		if (does_call(t, index, i))
			mark(t, root, i);
}

/* A note names at most this many functions, before "and N more". */
#define MAX_NAMED 4

/* Returns a list of names, such as "a, b and c". The caller frees it. */
static char *list_names(const char *const *name, int cnt)
{
	size_t size;
	char *names;
	FILE *out = text__open(&names, &size);

	for (int i = 0; i < cnt && i < MAX_NAMED; i++)
		fprintf(out, "%s%s", !i ? "" : i + 1 < cnt ? ", " : " and ", name[i]);
	if (cnt > MAX_NAMED)
		fprintf(out, " and %d more", cnt - MAX_NAMED);
	fclose(out);
	return names;
}

/*
 * Returns a list of the functions i for which wanted[i] is set. Returns NULL if there are fewer
 * than min such functions. The caller frees the list.
 */
static char *name_funcs(const struct func_table *table, const bool *wanted, int min)
{
	const char **name = xcalloc(table->cnt, sizeof(*name));
	char *names;
	int cnt = 0;

	for (__u32 i = 0; i < table->cnt; i++)
		if (wanted[i])
			name[cnt++] = table->fn[i].label;
	names = cnt < min ? NULL : list_names(name, cnt);
	free(name);
	return names;
}

/* Visits a function, then its callees. The recursion ends: BPF functions cannot be recursive. */
static void visit_prog(struct tree *t, __u32 index, int depth)
{
	const struct func_table *funcs = t->prog->funcs;
	struct node *n = &t->node[index];
	bool *calls;

	if (n->seen)
		return;
	n->seen = true;
	/* Fill in a target's place in the call trees, and its callers if it has several. */
	if (n->target) {
		n->target->depth = depth++;
		n->target->root_index = n->root - 1;
		n->target->runs_elsewhere = n->shared || (!t->prog->calls && index);
		calls = xcalloc(funcs->cnt, sizeof(*calls));
		for (__u32 i = 0; i < funcs->cnt; i++)
			calls[i] = does_call(t, i, index);
		n->target->callers = name_funcs(funcs, calls, 2);
		free(calls);
		t->sorted[t->cnt++] = *n->target;
	}
	for (__u32 i = 0; i < funcs->cnt; i++)
		if (does_call(t, index, i))
			visit_prog(t, i, depth);
}

/*
 * The roots of the call trees, by priority: the entry function; callbacks that run later; functions
 * without a known caller, such as exception callbacks; and functions that none of these reaches.
 * Functions of the last kind would have to call one another, which the verifier refuses.
 */
enum root_kind { ROOT_ENTRY, ROOT_LATER, ROOT_UNCALLED, ROOT_OTHER, ROOT_KINDS };

static bool is_root_of_kind(const struct tree *t, __u32 index, enum root_kind kind)
{
	switch (kind) {
	case ROOT_ENTRY:
		return !index;
	case ROOT_LATER:
		return when_function_called(t, index) & CALL_LATER;
	case ROOT_UNCALLED:
		return index && !when_function_called(t, index);
	default:
		return !t->node[index].seen;
	}
}

/*
 * Copies the targets of the program that `first` belongs to into sorted[], callers before callees.
 * Marks the functions that each root reaches. Then visits all functions, each from the first root
 * that reaches it.
 */
static void sort_program(const struct target_list *targets, const struct target *first,
			 struct target *sorted)
{
	const struct func_table *table = first->prog->funcs;
	struct tree t = {.prog = first->prog, .sorted = sorted};

	t.node = xcalloc(table->cnt, sizeof(*t.node));
	for (int i = first - targets->v; i < targets->cnt; i++)
		if (targets->v[i].id == first->id)
			t.node[targets->v[i].func_index].target = &targets->v[i];
	prog__load_calls(first->prog);
	for (int kind = 0; kind < ROOT_KINDS; kind++)
		for (__u32 i = 0; i < table->cnt; i++)
			if (kind == ROOT_OTHER ? !t.node[i].root : is_root_of_kind(&t, i, kind))
				mark(&t, i, i);
	for (int kind = 0; kind < ROOT_KINDS; kind++)
		for (__u32 i = 0; i < table->cnt; i++)
			if (is_root_of_kind(&t, i, kind))
				visit_prog(&t, i, 0);
	free(t.node);
}

/* Sorts the targets of each program so that callers come before callees. */
static void place_functions(struct target_list *targets)
{
	struct target *sorted = xcalloc(targets->cnt + 1, sizeof(*sorted));
	/* at the index of a program's first target: the number of its targets; else 0 */
	int *funcs = xcalloc(targets->cnt + 1, sizeof(*funcs));

	for (int i = 0; i < targets->cnt; i++)
		funcs[target_list__next(targets, targets->v[i].id, NULL) - targets->v]++;
	for (int i = 0, cnt = 0; i < targets->cnt; i++) {
		const struct target *t = &targets->v[i];

		if (funcs[i] > 1)
			sort_program(targets, t, sorted + cnt);
		else if (funcs[i])
			sorted[cnt] = *t; /* needs no sorting; may lack a function table */
		/* Notes may need the program's calls. */
		if (funcs[i] == 1 && t->by_func)
			prog__load_calls(t->prog);
		cnt += funcs[i];
	}
	free(funcs);
	target_list__replace(targets, sorted);
}

static bool is_target(const struct target_list *targets, __u32 id)
{
	return target_list__next(targets, id, NULL) != NULL;
}

/*
 * Sets the extension that this target is, or NULL. If the program extends several programs,
 * prefers a program that is also a target, because the extension is placed after that program.
 */
static void set_extends(const struct target_list *targets, struct target *t)
{
	const struct extensions *all = &targets->extensions;

	t->extends = NULL;
	for (int i = 0; i < all->cnt && !t->extends; i++)
		if (all->v[i].prog_id == t->id && is_target(targets, all->v[i].target_id))
			t->extends = &all->v[i];
	t->extends = t->extends ?: extensions__find(all, t->id, 0);
	if (t->extends)
		t->prog->extended_type = t->extends->target_type;
}

/* Puts each extension after the program that it extends. */
static void place_after_extended(struct target_list *targets)
{
	struct target *sorted;
	int cnt = 0;

	if (!targets->extensions.cnt || !targets->cnt)
		return;
	sorted = xcalloc(targets->cnt, sizeof(*sorted));
	for (int i = 0; i < targets->cnt; i++)
		set_extends(targets, &targets->v[i]);
	for (int i = 0; i < targets->cnt; i++) {
		const struct target *t = &targets->v[i];

		if (t->extends && is_target(targets, t->extends->target_id))
			continue; /* This extension is placed after the program that it extends. */
		sorted[cnt++] = *t;
		if (i + 1 < targets->cnt && t[1].id == t->id)
			continue; /* The program's extensions are placed after its last function. */
		/* The kernel rejects extensions of extensions, so one level is enough. */
		for (int j = 0; j < targets->extensions.cnt; j++) {
			const struct extension *ext = &targets->extensions.v[j];

			for (int k = 0; k < targets->cnt && ext->target_id == t->id; k++)
				if (targets->v[k].extends == ext)
					sorted[cnt++] = targets->v[k];
		}
	}
	target_list__replace(targets, sorted);
}

void target_list__sort(struct target_list *targets)
{
	place_functions(targets);
	place_after_extended(targets);
}

bool target_list__is_nested(const struct target_list *targets)
{
	for (int i = 0; i < targets->cnt; i++) {
		const struct target *t = &targets->v[i];

		/*
		 * The last case: by tail calls, runs of a function may happen in its own runs. Not
		 * for entry functions, because their probes do not notice runs by tail call.
		 */
		if (target_list__next(targets, t->id, NULL) != t ||
		    (t->extends && is_target(targets, t->extends->target_id)) ||
		    (t->subprog && t->tail_calls != TAIL_CALLS_NO &&
		     prog_arrays__has_prog(&targets->prog_arrays, t->id)))
			return true;
	}
	return false;
}

static void add_prog_array_note(const struct target *t, const struct prog_arrays *arrays,
				struct report_prog *p)
{
	const struct prog_array *first = NULL;
	char more[32] = "";
	int cnt = 0;

	/*
	 * A subprogram gets no note about prog arrays: it is called as a function, so its probe
	 * sees its runs, no matter how the program was entered.
	 */
	for (int i = 0; i < arrays->cnt && !t->subprog; i++)
		if (prog_array__has(&arrays->v[i], t->id) && !cnt++)
			first = &arrays->v[i];
	if (!cnt)
		return;
	if (cnt > 1)
		snprintf(more, sizeof(more), " and %d more", cnt - 1);
	report_notes__add(&p->notes,
			  "its runs by tail call (it is in prog array %u, %s%s) are not "
			  "seen by %s; 'bprof stat "
			  "--method samples' estimates its cost",
			  first->map_id, first->name, more, p->method);
}

/* ---- functions whose cost is a part of their callers' cost ---- */

/*
 * Finds the subprograms of the program that were selected but then skipped, because of bpf_throw()
 * or for another reason. Sets unmeasured[i] for each such subprogram i, unless unmeasured is NULL.
 * Returns true if there are any.
 */
static bool find_skipped(const struct target_list *targets, const struct target *t, bool thrown,
			 bool *unmeasured)
{
	bool found = false;

	for (int i = 0; i < targets->skip_cnt; i++) {
		const struct skipped *s = &targets->skip[i];

		if (s->id != t->id || s->called || !s->func_index ||
		    s->func_index >= t->prog->funcs->cnt ||
		    (s->reason.code == REASON_THROW) != thrown)
			continue;
		if (unmeasured)
			unmeasured[s->func_index] = true;
		found = true;
	}
	return found;
}

void target_list__reach(const struct target_list *targets, const struct target *t, __u32 from,
			bool *reached)
{
	for (__u32 i = 0; i < t->prog->funcs->cnt; i++) {
		if (reached[i] || !(prog__when_calls(t->prog, from, i) & CALL_NOW) ||
		    target_list__find_func(targets, t->id, i))
			continue;
		reached[i] = true;
		target_list__reach(targets, t, i, reached);
	}
}

/*
 * Adds a note that names the functions that the user wanted to measure, but whose cost is now a
 * part of this target's cost.
 */
static void add_unmeasured_note(const struct target *t, const struct target_list *targets,
				bool thrown, struct report_prog *p)
{
	const struct func_table *funcs = t->prog->funcs;
	bool *unmeasured, *reached;
	char *names;

	if (!funcs || !find_skipped(targets, t, thrown, NULL))
		return;
	unmeasured = xcalloc(funcs->cnt, sizeof(*unmeasured));
	reached = xcalloc(funcs->cnt, sizeof(*reached));
	find_skipped(targets, t, thrown, unmeasured);
	target_list__reach(targets, t, t->func_index, reached);
	for (__u32 i = 0; i < funcs->cnt; i++)
		unmeasured[i] &= reached[i];
	names = name_funcs(funcs, unmeasured, 1);
	if (names)
		report_notes__add(&p->notes, "its cost includes %s, not measured%s", names,
				  !thrown		   ? ""
				  : strstr(names, " and ") ? ": bpf_throw() may leave them"
							   : ": bpf_throw() may leave it");
	free(names);
	free(reached);
	free(unmeasured);
}

/* Adds a note that names the kernel functions that the target calls and that are not measured. */
static void add_called_note(const struct target *t, const struct target_list *targets,
			    struct report_prog *p)
{
	const char **name = xcalloc(targets->skip_cnt + 1, sizeof(*name));
	char *names;
	int cnt = 0;

	for (int i = 0; i < targets->skip_cnt; i++)
		if (skipped__is_called_by(&targets->skip[i], t))
			name[cnt++] = strrchr(targets->skip[i].name, ':') + 1;
	names = list_names(name, cnt);
	if (cnt)
		report_notes__add(&p->notes, "its own cost includes its calls of %s, not measured",
				  names);
	free(names);
	free(name);
}

/* Adds a note that names functions that cannot be probed because they have the target's BTF id. */
static void add_same_id_note(const struct target *t, struct report_prog *p)
{
	const struct func_table *funcs = t->prog->funcs;
	bool *same;
	char *names;

	if (!funcs)
		return;
	same = xcalloc(funcs->cnt, sizeof(*same));
	for (__u32 i = 0; i < funcs->cnt; i++)
		same[i] = i != t->func_index && funcs->fn[i].first == t->func_index;
	names = name_funcs(funcs, same, 1);
	if (names)
		report_notes__add(&p->notes, "has the same BTF id as %s, which cannot be probed",
				  names);
	free(names);
	free(same);
}

void target__add_notes(const struct target *t, const struct target_list *targets, bool own_code,
		       struct report_prog *p)
{
	bool whole = !t->subprog && !own_code && targets->extensions.cnt;
	int cnt = 0;

	if (target__is_called(t))
		return;
	for (int i = 0; whole && i < targets->cnt; i++)
		cnt += targets->v[i].extends && targets->v[i].extends->target_id == t->id;
	if (!own_code)
		add_prog_array_note(t, &targets->prog_arrays, p);
	if (!own_code && t->tail_calls == TAIL_CALLS_YES)
		report_notes__add(&p->notes,
				  "makes tail calls: its cost includes the programs it jumps to");
	if (!own_code && t->tail_calls == TAIL_CALLS_MAYBE)
		report_notes__add(&p->notes, "may make tail calls (it has a prog array): its "
					     "cost includes the programs it jumps to");
	if (t->extends && !t->subprog)
		report_notes__add(&p->notes, "extends program %u (%s) in place of %s",
				  t->extends->target_id, t->extends->target_name,
				  *t->extends->func ? t->extends->func : "a function");
	if (cnt)
		report_notes__add(&p->notes,
				  "its cost includes that of the %d extension%s listed after it",
				  cnt, cnt == 1 ? "" : "s");
	if (!own_code) {
		add_same_id_note(t, p);
		add_unmeasured_note(t, targets, true, p);
		add_unmeasured_note(t, targets, false, p);
		add_called_note(t, targets, p);
	}
	if (t->callers)
		report_notes__add(&p->notes, "called by %s", t->callers);
}
