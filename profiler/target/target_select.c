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
#include "target/owner.h"
#include "target/prog_arrays.h"
#include "target/relations.h"
#include "target/shape.h"
#include "target/struct_ops.h"
#include "target/target.h"
#include "target/target_priv.h"

/*
 * Adds a program to the list of skipped programs. func: the requested function, or NULL; func_index:
 * its index if it is a known subprogram, or 0; by_wildcard: as in struct target.
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
				    .reported = true}; /* by the report */

	/* The reason is that of the function, with whatever map. */
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

	/* A program without a prog array cannot make tail calls, even if its code is withheld. */
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
 * those that BTF declares, and the kernel does not check this for static functions without any.
 */
static void check_args(const struct func_risks *r, struct target *t)
{
	int args = r->args && t->subprog ? r->args[t->func_index] : 0;

	if (args <= (int)target__fn(t)->arg_cnt)
		return;
	/* The kernel may have noticed that it is called with others. Then all five are saved. */
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
		check_args(risks, t);
	return 0;
}

/*
 * Appends the target unless the list already has it. Takes ownership of its program reference and
 * its callers.
 */
static void add_target(struct target_list *targets, const struct target *new)
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

static void add_func(struct target_list *targets, const struct target *base,
		     const struct bpf_fn *fn, const struct func_risks *risks)
{
	struct target new = *base;
	struct reason reason = {};

	prog__get(new.prog);
	if (!set_func(targets, &new, fn, risks, &reason)) {
		add_target(targets, &new);
		return;
	}
	free_target(&new);
	skip_func(targets, base->prog, fn->label, fn - base->prog->funcs->fn, base->by_wildcard,
		  &reason);
}

/*
 * Adds the functions that match the glob. If the user requested this program, at least one must
 * match.
 */
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
		add_func(targets, base, &funcs->fn[i], &risks);
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

void target_list__add_prog(struct target_list *targets, struct prog *prog, const char *func,
			   bool named, bool with_extensions)
{
	struct target base = {
		.id = prog->info.id, .prog = prog, .func = "", .with_extensions = with_extensions};
	struct reason reason = {};
	bool some; /* only functions of certain names, which one has to know */

	if (!selector_list__is_owned(targets->owners, prog->info.id)) {
		prog__close(prog);
		return;
	}
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
			add_func(targets, &base, prog->funcs->fn, &(struct func_risks){});
	} else if (some || is_shortage(base.no_probe.err)) {
		if (named || !some)
			skip_prog(targets, prog, func, &base.no_probe);
	} else {
		/*
		 * Not knowing the functions is not fatal: a backend without probes may be able to
		 * measure the program.
		 */
		targets->func_matched = true;
		base.by_func = false;
		base.tail_calls = find_prog_tail_calls(targets, prog, NULL);
		add_target(targets, &base);
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

static void select_ids(struct target_list *targets, const struct selector *s)
{
	for (int i = 0; i < s->ids.cnt; i++) {
		const struct idlist_item *item = &s->ids.v[i];
		struct prog *prog;
		int err = prog__open_id(item->id, &prog);

		if (err)
			skip_id(targets, item->id, err);
		else
			target_list__add_prog(targets, prog, item->func, true, false);
	}
}

/* Does nothing if the program was unloaded after its id was read. */
static void add_id_if_loaded(struct target_list *targets, __u32 id)
{
	struct prog *prog;
	int err = prog__open_id(id, &prog);

	if (!err)
		target_list__add_prog(targets, prog, NULL, false, false);
	else if (err != -ENOENT)
		skip_id(targets, id, err);
}

static int select_struct_ops(struct target_list *targets, const struct selector *s)
{
	__u32 *ids;
	int cnt, err = struct_ops__find(s->arg, &ids, &cnt);

	for (int i = 0; i < cnt; i++)
		add_id_if_loaded(targets, ids[i]);
	free(ids);
	return err;
}

/* The state of the target_walk over all loaded programs for one selector. */
struct target_walk {
	struct target_list *targets;
	const struct selector *selector;
	int matches;
};

static int visit_id(__u32 id, void *arg)
{
	struct target_walk *w = arg;
	struct prog *prog;
	int err = prog__open_id(id, &prog);

	if (err == -ENOENT) /* the program was unloaded after its id was read */
		return 0;
	if (err) {
		skip_id(w->targets, id, err);
		return 0;
	}
	w->targets->has_ext |= prog->info.type == BPF_PROG_TYPE_EXT;
	if (w->selector->kind == SELECT_NAME)
		/* selector__matches() may need the program's full name, from its BTF. */
		target_list__share_btf(w->targets, prog);
	/* The probes of another bprof are never targets, not even with --all. */
	if (prog__is_own(prog) || !selector_list__is_owned(w->targets->owners, id) ||
	    !selector__matches(w->selector, prog)) {
		prog__close(prog);
		return 0;
	}
	w->matches++;
	target_list__add_prog(w->targets, prog, NULL, false, w->selector->kind == SELECT_NAME);
	return 0;
}

static const char *const selector_names[] = {
	[SELECT_ID] = "prog-id",    [SELECT_NAME] = "name", [SELECT_TAG] = "tag",
	[SELECT_PINNED] = "pinned", [SELECT_TYPE] = "type", [SELECT_ALL] = "all",
	[SELECT_OWNER] = "owner",
};

static int select_by_walk(struct target_list *targets, const struct selector *s, bool awaiting)
{
	struct target_walk w = {.targets = targets, .selector = s};
	int err = prog__for_each_id(visit_id, &w);

	if (err == -EPERM)
		return log_err(err,
			       "--%s: listing the loaded programs needs CAP_SYS_ADMIN; run as root",
			       selector_names[s->kind]);
	if (err)
		return log_err(err, "--%s: the loaded programs cannot be listed: %s",
			       selector_names[s->kind], strerror(-err));
	if (!w.matches && !awaiting && s->kind != SELECT_OWNER)
		log_warn("--%s%s%s: no loaded program matches; see 'bprof list'",
			 selector_names[s->kind], s->arg ? " " : "", s->arg ?: "");
	return 0;
}

/* Selects the extensions of those targets for which with_extensions is set. */
static void add_extensions(struct target_list *targets)
{
	struct extensions *all = &targets->extensions;

	for (int i = 0; i < all->cnt; i++) {
		const struct extension *ext = &all->v[i];
		bool wanted = false;

		for (int j = 0; j < targets->cnt; j++)
			wanted |= targets->v[j].id == ext->target_id &&
				  targets->v[j].with_extensions;
		if (wanted)
			add_id_if_loaded(targets, ext->prog_id);
	}
}

/*
 * Selects extensions of the targets, and sorts the targets: callers before callees, programs before
 * extensions.
 */
static void place_targets(struct target_list *targets)
{
	int err = targets->has_ext ? extensions__load(&targets->extensions) : 0;

	if (err)
		log_info("cannot find out which programs the extensions extend: %s",
			 strerror(-err));
	add_extensions(targets);
	target_list__sort(targets);
}

/* Explains that nothing was chosen of what the owners hold. */
static void warn_unowned(const struct selector_list *selectors)
{
	int refused = selectors->owned->holders.refused;
	bool alone = selector_list__has_only_owners(selectors);

	for (int i = 0; i < selectors->cnt; i++)
		if (selectors->v[i].kind == SELECT_OWNER)
			log_warn("--owner %s: no %sprogram is held by it now; programs that are "
				 "only pinned or attached have no holder; 'bprof list' shows the "
				 "holders",
				 selectors->v[i].arg, alone ? "" : "selected ");
	if (refused)
		log_warn("the open files of %d processes, which may hold programs, cannot be read; "
			 "run as root",
			 refused);
}

/* Opens the programs of a selector. Owners choose programs only if there are no other selectors. */
static int select_kind(const struct selector_list *selectors, const struct selector *s, bool first,
		       struct target_list *out)
{
	switch (s->kind) {
	case SELECT_ID:
		select_ids(out, s);
		return 0;
	case SELECT_PROG:
		target_list__add_prog(out, prog__get(s->prog), NULL, true, false);
		return 0;
	case SELECT_PINNED:
		target_list__select_pinned(out, s->arg);
		return 0;
	case SELECT_STRUCT_OPS:
		return select_struct_ops(out, s);
	case SELECT_OWNER:
		if (!first || !selector_list__has_only_owners(selectors))
			return 0;
		/* fall through */
	default:
		return select_by_walk(out, s, selectors->awaiting);
	}
}

int target_list__select(const struct selector_list *selectors, const char *func,
			struct target_list *out)
{
	int err = 0;

	memset(out, 0, sizeof(*out));
	out->func = func;
	out->own = selectors->own;
	prog_arrays__load(&out->prog_arrays);
	out->owners = selectors;
	selector_list__read_owned(selectors);
	for (int i = 0; !err && i < selectors->cnt; i++)
		err = select_kind(selectors, &selectors->v[i], !i, out);
	if (!err)
		place_targets(out);
	out->owners = NULL;
	if (!err && selectors->owned && !out->cnt && !out->skip_cnt && !selectors->awaiting)
		warn_unowned(selectors);
	if (!err && func && !out->func_matched && !selectors->awaiting)
		log_warn("--func %s: no function of these programs matches; --func '*' "
			 "measures all functions",
			 func);
	target_list__report_skipped(out);
	if (err)
		target_list__free(out);
	return err;
}

static bool is_chosen(const struct selector_list *selectors, struct prog *prog)
{
	if (!selector_list__is_owned(selectors, prog->info.id))
		return false;
	if (selector_list__has_only_owners(selectors))
		return true;
	for (int i = 0; i < selectors->cnt; i++)
		if (selector__may_match_new(&selectors->v[i]) &&
		    selectors->v[i].kind != SELECT_OWNER &&
		    selector__matches(&selectors->v[i], prog))
			return true;
	return false;
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
	if (prog__is_own(prog) || !is_chosen(selectors, prog)) {
		prog__close(prog);
		return 0;
	}
	out->func = targets->func;
	out->risks = targets->risks;
	if (out->func) /* The prog arrays help to find out whether subprograms make tail calls. */
		prog_arrays__load(&out->prog_arrays);
	target_list__add_prog(out, prog, NULL, false, false);
	target_list__sort(out);
	targets->risks = out->risks;
	return 0;
}
