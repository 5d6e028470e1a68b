// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the selection of targets: opens the programs that selectors choose, and picks the functions to
 * measure in them. Must not know events or backends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "base/util.h"
#include "btf/blinding.h"
#include "btf/func_label.h"
#include "btf/func_table.h"
#include "btf/own.h"
#include "kernel/feature.h"
#include "kernel/kernel_bugs.h"
#include "target/prog_arrays.h"
#include "target/relations.h"
#include "target/shape.h"
#include "target/target.h"
#include "target/pins.h"
#include "target/target_priv.h"

/*
 * Adds a program to the list of skipped programs. func: the requested function, or NULL.
 * func_index: its index if it is a known subprogram, or 0. by_wildcard: as in struct target.
 */
static void skip_func(struct target_list *targets, const struct prog *prog, const char *func,
		      __u32 func_index, bool by_wildcard, const struct reason *reason)
{
	char name[256];
	const struct skipped new = {.id = prog->info.id,
				    .name = name,
				    .reason = *reason,
				    .func_index = func_index,
				    .by_wildcard = by_wildcard};

	snprintf(name, sizeof(name), "%s%s%s", prog__name(prog), func ? ":" : "", func ?: "");
	target_list__add_skipped(targets, &new);
}

static void skip_prog(struct target_list *targets, const struct prog *prog, const char *func,
		      const struct reason *reason)
{
	skip_func(targets, prog, func, 0, false, reason);
}

static void free_target(const struct target *t)
{
	prog__close(t->prog);
	free(t->callers);
	free(t->part_ran_ns);
	free(t->version_name);
	free(t->called.map);
	free(t->called.site);
	free(t->called.label);
}

void target_list__skip_called(struct target_list *targets, const struct target *t,
			      const struct reason *reason)
{
	char name[512];
	const struct skipped new = {.id = t->id,
				    .name = name,
				    .reason = *reason,
				    .func_index = t->called.caller_index,
				    .by_wildcard = true,
				    .called = true,
				    .reported = true}; /* the report names it */

	/* The reason applies to the function with any map, so the name has no map. */
	snprintf(name, sizeof(name), "%s:%.*s", prog__name(t->prog), (int)strcspn(t->func, " "),
		 t->func);
	target_list__add_skipped(targets, &new);
}

void target_list__skip(struct target_list *targets, int index, const struct reason *reason)
{
	struct target *t = &targets->v[index];

	if (target__is_called(t))
		target_list__skip_called(targets, t, reason);
	else
		skip_func(targets, t->prog, t->subprog ? t->func : NULL, t->func_index,
			  t->by_wildcard, reason);
	free_target(t);
	memmove(t, t + 1, (--targets->cnt - index) * sizeof(*t));
}

void target_list__keep(struct target_list *targets, const bool *keep)
{
	int cnt = 0;

	for (int i = 0; i < targets->cnt; i++)
		if (keep[i])
			targets->v[cnt++] = targets->v[i];
		else
			free_target(&targets->v[i]);
	targets->cnt = cnt;
	target_list__index(targets);
}

void target_list__free(struct target_list *targets)
{
	for (int i = 0; i < targets->cnt; i++)
		free_target(&targets->v[i]);
	for (int i = 0; i < targets->skip_cnt; i++)
		free(targets->skip[i].name);
	target_list__free_index(targets);
	free(targets->v);
	free(targets->skip);
	extensions__free(&targets->extensions);
	prog_arrays__free(&targets->prog_arrays);
	memset(targets, 0, sizeof(*targets));
}

/*
 * Returns the result of prog__tail_calls(), except that TAIL_CALLS_MAYBE becomes TAIL_CALLS_NO if
 * the program is known to use no prog array.
 */
static enum tail_calls find_prog_tail_calls(const struct target_list *targets, struct prog *p,
					    const struct bpf_fn *fn)
{
	enum tail_calls calls = prog__tail_calls(p, fn);
	__u32 *ids, cnt;

	/* Without a prog array, there are no tail calls, even if the code cannot be read. */
	if (calls != TAIL_CALLS_MAYBE || !targets->prog_arrays.known ||
	    prog__map_ids(p, &ids, &cnt))
		return calls;
	calls = TAIL_CALLS_NO;
	for (__u32 i = 0; i < cnt; i++)
		if (prog_arrays__has_map(&targets->prog_arrays, ids[i]))
			calls = TAIL_CALLS_MAYBE;
	free(ids);
	return calls;
}

/*
 * Sets t->no_probe if a probe would overwrite arguments of the function: a trampoline saves only
 * the arguments that BTF declares. For static functions that declare no arguments, the kernel does
 * not check whether they have some.
 */
static void check_hidden_args(const struct func_risks *r, struct target *t)
{
	int args = r->args && t->subprog ? r->args[t->func_index] : 0;

	if (args <= (int)target__fn(t)->arg_cnt)
		return;
	/*
	 * If the verifier has seen that the function is called with undeclared arguments, the
	 * trampoline saves five arguments.
	 */
	shape__find(t, NULL);
	if (t->shape.args < args)
		reason__set(&t->no_probe, REASON_HIDDEN_ARGS, EINVAL, "it takes %d, not %d", args,
			    t->shape.args);
}

/* Fills in the function to measure and, if it cannot be probed, the reason in t->no_probe. */
static int set_func(struct target_list *targets, struct target *t, const struct bpf_fn *fn,
		    const struct func_risks *risks, struct reason *reason)
{
	const struct func_table *funcs = t->prog->funcs;
	int err = func_risks__check_throw(risks, t->prog, fn, reason);

	t->subprog = fn != funcs->fn;
	t->tail_calls = find_prog_tail_calls(targets, t->prog, fn);
	if (!err && t->subprog && t->tail_calls != TAIL_CALLS_NO)
		err = risks__check_tail_calls(&targets->risks, reason);
	if (err)
		return err;
	t->func = fn->label;
	t->func_index = fn - funcs->fn;
	t->func_btf_id = fn->type_id;
	if (fn->first != t->func_index)
		reason__set(&t->no_probe, REASON_SAME_BTF_ID, EINVAL, "%s",
			    funcs->fn[fn->first].label);
	else if (!prog__is_jited(t->prog))
		reason__set(&t->no_probe, REASON_NOT_JITED, EINVAL, NULL);
	else if (!kernel_bugs__check_type(t->prog->info.type, &t->no_probe))
		check_hidden_args(risks, t);
	return 0;
}

/* Appends the target, unless the list has it. Takes ownership of its program and callers. */
static void append_unless_listed(struct target_list *targets, const struct target *new)
{
	struct target *old = target_list__find_func(targets, new->id, new->func_index);

	if (old) {
		old->with_extensions |= new->with_extensions;
		old->by_func &= new->by_func;
		old->by_wildcard &= new->by_wildcard;
		free_target(new);
	} else {
		target_list__append(targets, new);
	}
}

static void add_func_target(struct target_list *targets, const struct target *base,
			    const struct bpf_fn *fn, const struct func_risks *risks)
{
	struct target new = *base;
	struct reason reason = {};

	prog__get(new.prog);
	if (!set_func(targets, &new, fn, risks, &reason)) {
		append_unless_listed(targets, &new);
		return;
	}
	free_target(&new);
	skip_func(targets, base->prog, fn->label, fn - base->prog->funcs->fn, base->by_wildcard,
		  &reason);
}

/* Adds the functions that match the glob. If the user named this program, one must match. */
static void add_funcs(struct target_list *targets, const struct target *base, const char *glob,
		      bool named)
{
	const struct func_table *funcs = base->prog->funcs;
	struct reason reason = {};
	struct func_risks risks;
	bool matched = false;

	risks__find_funcs(&targets->risks, base->prog, &risks);
	for (__u32 i = 0; i < funcs->cnt; i++) {
		if (!func_label__matches(funcs->fn[i].label, glob))
			continue;
		matched = true;
		add_func_target(targets, base, &funcs->fn[i], &risks);
	}
	func_risks__free(&risks);
	targets->func_matched |= matched;
	if (matched || !named)
		return;
	reason__set(&reason, REASON_NO_SUCH_FUNC, ENOENT, "%s", glob);
	skip_prog(targets, base->prog, glob, &reason);
}

static bool is_hardened(void)
{
	return features__jit_harden("") == 2;
}

/*
 * Returns true if the selectors choose the program. The caller found it through a selector that
 * names it, or because it extends a chosen program, but other kinds of selectors must choose it,
 * too.
 */
static bool is_chosen(const struct target_list *targets, struct prog *prog)
{
	const struct selector_list *list = targets->selectors;

	/* The program's BTF has the full name. */
	if (list && selector_list__has(list, SELECT_NAME))
		target_list__share_btf(targets, prog);
	return !list || list->any_kind ||
	       selector_list__selects(list, prog, targets->adds_extensions);
}

/*
 * Appends functions of the program as targets; takes ownership of prog. func is a glob of
 * functions; NULL: use the glob of --func. named: the user requested exactly this program, so a
 * missing function is an error. Releases prog if targets->selectors does not choose it.
 */
static void target_list__add_prog(struct target_list *targets, struct prog *prog, const char *func,
				  bool named)
{
	struct target base = {.id = prog->info.id, .prog = prog, .func = ""};
	struct reason reason = {};
	/* only functions with certain names are wanted, so the names must be known */
	bool some;

	if (!is_chosen(targets, prog)) {
		prog__close(prog);
		return;
	}
	base.with_extensions = targets->selectors && !targets->adds_extensions &&
			       selector_list__has(targets->selectors, SELECT_NAME);
	func = func ?: targets->func;
	some = func && strcmp(func, "*");
	base.by_func = func != NULL;
	base.by_wildcard = func && strpbrk(func, "*?[");
	base.blinded = prog__is_blinded(prog, is_hardened);
	targets->has_ext |= prog->info.type == BPF_PROG_TYPE_EXT;
	target_list__share_btf(targets, prog);
	if (!targets->own && prog__is_own(prog))
		reason__set(&reason, REASON_OWN_PROG, EINVAL, NULL);
	else
		kernel_bugs__check_arch(&reason);
	if (reason.code) {
		skip_prog(targets, prog, func, &reason);
	} else if (!prog__load_funcs(prog, &base.no_probe)) {
		if (func)
			add_funcs(targets, &base, func, named);
		else
			add_func_target(targets, &base, prog->funcs->fn, &(struct func_risks){});
	} else if (some || is_shortage(base.no_probe.err)) {
		if (named || !some)
			skip_prog(targets, prog, func, &base.no_probe);
	} else {
		/*
		 * If the functions are not known, continue: a backend without probes may be able to
		 * measure the program.
		 */
		targets->func_matched = true;
		base.by_func = false;
		base.tail_calls = find_prog_tail_calls(targets, prog, NULL);
		append_unless_listed(targets, &base);
		prog = NULL;
	}
	prog__close(prog);
}

static void skip_id(struct target_list *targets, __u32 id, int err)
{
	struct reason reason = {};

	if (err == -ENOENT)
		reason__set(&reason, REASON_NO_SUCH_PROG, ENOENT, NULL);
	else if (err == -EPERM || err == -EACCES)
		reason__set(&reason, REASON_NO_PERM, EPERM,
			    "opening programs by id needs CAP_SYS_ADMIN");
	else
		reason__set(&reason, REASON_SYSTEM, -err, "opening it: %s", strerror(-err));
	target_list__skip_prog(targets, id, "", &reason);
}

/* Adds a program that was found in a list, unless it was unloaded after its id was read. */
static void add_if_loaded(struct target_list *targets, __u32 id, const char *func)
{
	struct prog *prog;
	int err = prog__open_id(id, &prog);

	if (err) {
		if (err != -ENOENT)
			skip_id(targets, id, err);
		return;
	}
	targets->has_ext |= prog->info.type == BPF_PROG_TYPE_EXT;
	/* The probes of another bprof are never targets, not even with --all. */
	if (prog__is_own(prog))
		prog__close(prog);
	else
		target_list__add_prog(targets, prog, func, false);
}

/* The state of a walk over all loaded programs. */
struct target_walk {
	struct target_list *targets;
	/* only programs with these ids; NULL: all programs that the selectors may choose */
	const struct idlist_item *range;
};

static int visit_id(__u32 id, void *arg)
{
	struct target_walk *w = arg;

	if (w->range ? id >= w->range->id && id <= w->range->last
		     : selector_list__has_id(w->targets->selectors, id))
		add_if_loaded(w->targets, id, w->range ? w->range->func : NULL);
	return 0;
}

static int walk_ids(struct target_list *targets, const struct idlist_item *range)
{
	struct target_walk w = {targets, range};
	int err = prog__for_each_id(visit_id, &w);

	if (err == -EPERM)
		return log_err(err, "listing the loaded programs needs CAP_SYS_ADMIN; run as root");
	return err ? log_err(err, "the loaded programs cannot be listed: %s", strerror(-err)) : 0;
}

static int select_ids(struct target_list *targets, struct selector *s)
{
	int err = 0;

	for (int i = 0; !err && i < s->ids.cnt; i++) {
		const struct idlist_item *item = &s->ids.v[i];
		struct prog *prog;

		if (item->last > item->id) {
			err = walk_ids(targets, item);
			continue;
		}
		s->matched = true; /* if it cannot be opened, skip_id() adds the reason */
		err = prog__open_id(item->id, &prog);
		if (err)
			skip_id(targets, item->id, err);
		else
			target_list__add_prog(targets, prog, item->func, true);
		err = 0;
	}
	return err;
}

/* Finds the extensions, and selects those of all targets for which with_extensions is set. */
static void add_extensions(struct target_list *targets)
{
	struct extensions *all = &targets->extensions;
	int err = targets->has_ext ? extensions__load(all) : 0;

	if (err)
		log_info("cannot find out which programs the extensions extend: %s",
			 strerror(-err));

	targets->adds_extensions = true;
	for (int i = 0; i < all->cnt; i++) {
		const struct extension *ext = &all->v[i];
		bool wanted = false;

		for (int j = 0; j < targets->cnt; j++)
			wanted |= targets->v[j].id == ext->target_id &&
				  targets->v[j].with_extensions;
		if (wanted)
			add_if_loaded(targets, ext->prog_id, NULL);
	}
	targets->adds_extensions = false;
}

static void add_pinned(void *targets, const char *path, struct prog *prog)
{
	target_list__add_prog(targets, prog, NULL, true);
}

static void skip_pin(void *targets, const char *path, int err, const char *why)
{
	struct reason reason;

	reason__set(&reason, REASON_BAD_PIN, err, "%s", why);
	target_list__skip_prog(targets, 0, path, &reason);
}

/* Opens the programs that this selector names. */
static int open_selected(struct target_list *targets, struct selector *s)
{
	const struct pin_visitor v = {add_pinned, skip_pin, targets};

	if (s->kind == SELECT_ID)
		return select_ids(targets, s);
	if (s->kind == SELECT_PROG)
		target_list__add_prog(targets, prog__get(s->prog), NULL, true);
	else if (s->kind == SELECT_PINNED)
		pins__visit(&v, s->arg);
	return 0;
}

/*
 * Opens the programs to choose from. If the list has selectors of the kinds in naming[], opens the
 * programs that the selectors of the first such kind name. Otherwise, opens all loaded programs.
 */
static int open_candidates(struct target_list *targets)
{
	static const enum selector_kind naming[] = {SELECT_PROG, SELECT_ID, SELECT_PINNED};
	const struct selector_list *selectors = targets->selectors;
	bool named = false;
	int err = 0;

	for (size_t k = 0; k < ARRAY_SIZE(naming) && (!named || selectors->any_kind); k++)
		for (int i = 0; !err && i < selectors->cnt; i++) {
			if (selectors->v[i].kind != naming[k])
				continue;
			named = true;
			err = open_selected(targets, &selectors->v[i]);
		}
	return err || named || !selectors->cnt ? err : walk_ids(targets, NULL);
}

int target_list__select(const struct selector_list *selectors, const char *func,
			struct target_list *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	out->func = func;
	out->own = selectors->own;
	prog_arrays__load(&out->prog_arrays);
	out->selectors = selectors;
	/*
	 * Warn about missing pins only if programs are named by id. Otherwise open_candidates()
	 * opens the pins, and lists those that cannot be opened as skipped, with the reason.
	 */
	err = selector_list__read(selectors, selector_list__has(selectors, SELECT_ID))
		      ?: open_candidates(out);
	if (!err) {
		add_extensions(out);
		target_list__sort(out);
	}
	out->selectors = NULL;
	if (!err && !selectors->awaiting)
		selector_list__warn_unmatched(selectors);
	if (!err && func && !out->func_matched && !selectors->awaiting)
		log_warn("--func %s: no function of these programs matches; --func '*' "
			 "measures all functions",
			 func);
	target_list__report_skipped(out);
	if (err)
		target_list__free(out);
	return err;
}

int target_list__select_new(const struct selector_list *selectors, __u32 id,
			    struct target_list *targets, struct target_list *out)
{
	struct prog *prog;
	int err;

	memset(out, 0, sizeof(*out));
	err = prog__open_id(id, &prog);
	if (err && err != -ENOENT) {
		skip_id(out, id, err);
		return 0;
	}
	if (err)
		return err;
	/* Another program of the same object may already be a target. */
	target_list__share_btf(targets, prog);
	if (prog__is_own(prog) || !selector_list__selects(selectors, prog, false)) {
		prog__close(prog);
		return 0;
	}
	out->func = targets->func;
	out->risks = targets->risks;
	if (out->func) /* The prog arrays show whether subprograms may make tail calls. */
		prog_arrays__load(&out->prog_arrays);
	target_list__add_prog(out, prog, NULL, false);
	target_list__sort(out);
	targets->risks = out->risks;
	return 0;
}
