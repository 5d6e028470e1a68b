// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the kernel functions that the instructions of a program call, with which maps, and at which
 * places. Decides which functions cannot be probed, if that is known before trying it. Must not
 * know how a probe works.
 *
 * All calls of a function run through its probe, and the probe adds to the costs of the callers. So
 * even if the glob matches only calls with some maps, the other calls of the function are measured,
 * too: in a row that names no map or place.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "btf/btf_compat.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/map_args.h"
#include "btf/reason.h"
#include "host/ksyms.h"
#include "target/call_maps.h"
#include "target/call_sites.h"
#include "target/kernel_calls.h"
#include "target/module_btfs.h"
#include "target/target.h"
#include "target/target_priv.h"

/* A kernel function that instructions call. */
struct callee {
	__s32 imm;
	__u8 src_reg;
	/* not 0: the function is in a module, for which prog's instructions use this number */
	__s16 off;
	const struct prog *prog; /* NULL if off is 0 */
	char *name;
	int arg_cnt;
	__u64 address; /* 0: the function cannot be probed */
	struct called called;
	/* why the function cannot be probed; REASON_NONE: it may be possible */
	struct reason reason;
	/* the glob matches the function's name, or the name of a call with its map */
	bool wanted;
	int row_cnt; /* how many of CALL_MAPS_MAX rows are in use */
};

/* The calls of a function by a target: those with one map or, with --by site, at one place. */
struct call {
	int by;	    /* index of the calling target in the list of targets */
	int callee; /* index in calls.callee */
	int map;    /* index in calls.maps; -1: the map is not known, or there is no map */
	__u64 site; /* with --by site: the address of the instruction after the call; 0: not known */
	/* owned; with --by site: the name of the place, which other calls may have, too */
	char *line;
};

struct calls {
	struct target_list *targets;
	const char *glob;
	bool by_site;
	struct call_sites sites;
	struct ksyms *ksyms;
	__u64 base;	 /* the address to which imm is relative; 0: not known */
	struct btf *btf; /* of vmlinux */
	struct module_btfs modules;
	struct callee *callee;
	int callee_cnt;
	struct call_maps maps;
	struct call *call;
	int call_cnt;
	/* the targets, including the added ones, in the order of the list */
	struct target *v;
	int cnt;
	__u32 callers; /* number of targets that have a caller_number */
};

/* Returns true for the call of a helper or kfunc, but not for a tail call: it never returns. */
static bool calls_kernel(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) &&
	       (insn->src_reg == BPF_PSEUDO_KFUNC_CALL ||
		(!insn->src_reg && insn->imm != BPF_FUNC_tail_call));
}

/* Returns the number of arguments of a function in the kernel's BTF. */
static int count_args(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	return t ? btf_vlen(t) : 0;
}

/*
 * Returns the name of the function that an instruction calls, or NULL if that is not known. If the
 * JIT can call distant functions, imm of the call of a kfunc is the kfunc's BTF id
 * (fixup_kfunc_call()), not an address.
 */
static const char *find_callee_name(const struct calls *c, const struct bpf_insn *insn)
{
	struct ksym_place place = ksyms__find(c->ksyms, c->base + insn->imm);
	const struct btf_type *t;

	if (!insn->imm)
		return NULL;
	if (c->base && place.name && !place.offset)
		return place.name;
	if (insn->src_reg != BPF_PSEUDO_KFUNC_CALL || insn->off)
		return NULL;
	t = btf__type_by_id(c->btf, insn->imm);
	return t && btf_is_func(t) ? btf__name_by_offset(c->btf, t->name_off) : NULL;
}

/*
 * Returns the id, in a module's BTF, of the function that an instruction calls, or 0 if the
 * function is not in that module. name: the function's name; NULL: the instruction has the
 * function's id instead. Functions of other modules may have the same id, so checks that the
 * program's code calls the address of this module's function.
 */
static __u32 find_in_module(struct calls *c, const struct module_btf *m,
			    const struct callee *callee, const char *name)
{
	const char *func;

	if (name)
		return module_btf__find(m, name);
	func = module_btf__func(m, callee->imm);
	return func && call_sites__calls(&c->sites, callee->prog, ksyms__address(c->ksyms, func))
		       ? callee->imm
		       : 0;
}

/* Finds the module's function that callee stands for. Sets callee->called, or callee->reason. */
static void resolve_in_modules(struct calls *c, struct callee *callee, const char *name)
{
	const struct module_btf *found = NULL;
	__u32 id, found_id = 0;
	int cnt = 0;

	module_btfs__read(&c->modules, c->btf);
	for (int i = 0; i < c->modules.cnt; i++) {
		id = find_in_module(c, &c->modules.v[i], callee, name);
		if (!id)
			continue;
		found = &c->modules.v[i];
		found_id = id;
		cnt++;
	}
	if (!found)
		reason__set(&callee->reason, REASON_CALL, ENOENT,
			    "it is a function of a module, in whose BTF it is not found");
	else if (cnt > 1)
		reason__set(&callee->reason, REASON_CALL, ENOENT,
			    "functions of several modules have the same name");
	name = found ? module_btf__func(found, found_id) : name;
	callee->name = xstrdup(name ?: "(unknown)");
	if (cnt != 1)
		return;
	callee->called.btf_id = found_id;
	callee->called.module = found->id;
	callee->arg_cnt = count_args(found->btf, found_id);
}

static void resolve_in_vmlinux(const struct calls *c, struct callee *callee, const char *name)
{
	__s32 id = btf__find_by_name_kind(c->btf, name, BTF_KIND_FUNC), imm = callee->imm;

	callee->name = xstrdup(name);
	if (!strcmp(name, "bpf_throw"))
		reason__set(&callee->reason, REASON_CALL, EOPNOTSUPP, "it does not return");
	else if (id <= 0)
		reason__set(&callee->reason, REASON_CALL, ENOENT,
			    "it is not in the BTF of vmlinux");
	else if (c->base && imm != id && ksyms__address(c->ksyms, name) != c->base + imm)
		/*
		 * When a probe is attached, the kernel finds the address by the name, and takes the
		 * first function with that name.
		 */
		reason__set(&callee->reason, REASON_CALL, ENOENT,
			    "another function of the kernel has the same name");
	else
		callee->called.btf_id = id;
	if (!callee->reason.code) {
		callee->called.map_param = map_args__param(c->btf, name);
		callee->arg_cnt = count_args(c->btf, id);
	}
}

/*
 * Finds the function that an instruction calls: sets its name, and callee->called.btf_id or, if it cannot
 * be probed, callee->reason.
 */
static void resolve_callee(struct calls *c, const struct bpf_insn *insn, struct callee *callee)
{
	const char *helper = insn__inlined_helper(insn), *name = find_callee_name(c, insn);

	callee->called.imm = insn->imm;
	if (helper) {
		reason__set(&callee->reason, REASON_CALL, EOPNOTSUPP, "the JIT has inlined it");
		callee->name = xstrdup(helper);
	} else if (callee->off && c->base) {
		resolve_in_modules(c, callee, name);
	} else if (name && !callee->off) {
		resolve_in_vmlinux(c, callee, name);
	} else {
		reason__set(&callee->reason, REASON_CALL, EPERM,
			    "the kernel hides which functions it calls, see kernel.kptr_restrict");
		callee->name = xstrdup("(unknown)");
	}
	if (!callee->reason.code)
		callee->address = ksyms__address(c->ksyms, callee->name);
}

/* Returns the index of the function that an instruction of a program calls. */
static int callee_index_of(struct calls *c, const struct prog *prog, const struct bpf_insn *insn)
{
	struct callee new = {.imm = insn->imm,
			     .src_reg = insn->src_reg,
			     .off = insn->off,
			     .prog = insn->off ? prog : NULL};

	for (int i = 0; i < c->callee_cnt; i++) {
		const struct callee *old = &c->callee[i];

		if (old->imm == new.imm && old->src_reg == new.src_reg && old->off == new.off &&
		    old->prog == new.prog)
			return i;
	}
	resolve_callee(c, insn, &new);
	/* Two programs may call the same function of a module by different numbers (off). */
	for (int i = 0; new.called.module &&i < c->callee_cnt; i++)
		if (called__is_same(&c->callee[i].called, &new.called)) {
			free(new.name);
			return i;
		}
	*(struct callee *)array__add(&c->callee, &c->callee_cnt, sizeof(new)) = new;
	return c->callee_cnt - 1;
}

/* Returns true if the glob matches the function, or the function with the map (NULL: none). */
static bool is_matching_call(const struct calls *c, const struct callee *callee,
			     const struct call_map *map)
{
	char *name = map ? text__format("%s (%s)", callee->name, map->name) : NULL;
	bool found = !fnmatch(c->glob, callee->name, 0) || (name && !fnmatch(c->glob, name, 0));

	free(name);
	return found;
}

static const struct call_map *map_of(const struct calls *c, const struct call *call)
{
	return call->map < 0 ? NULL : &c->maps.v[call->map];
}

/*
 * Returns true if c already has a call with this caller, function and map, and "new" needs no row
 * for its place.
 */
static bool has_call(const struct calls *c, const struct call *new)
{
	/* With --by site, each place has a row, unless the function cannot be probed. */
	if (c->by_site && c->callee[new->callee].address)
		return false;
	for (int k = c->call_cnt - 1; k >= 0 && c->call[k].by == new->by; k--)
		if (c->call[k].callee == new->callee && c->call[k].map == new->map)
			return true;
	return false;
}

/*
 * Adds the call by instruction i, unless it was added before. The calling function begins at
 * instruction first.
 */
static void add_call(struct calls *c, int by, const struct insn_flow *flow, __u32 first, __u32 i)
{
	const struct prog *prog = c->targets->v[by].prog;
	struct call new = {
		.by = by, .callee = callee_index_of(c, prog, &flow->insns[i]), .map = -1};
	struct callee *callee = &c->callee[new.callee];

	if (callee->called.map_param)
		new.map = call_maps__find(
			&c->maps, c->targets->v[by].id,
			insn_flow__map_in(flow, first, i, callee->called.map_param));
	if (has_call(c, &new))
		return;
	callee->wanted |= is_matching_call(c, callee, map_of(c, &new));
	if (c->by_site)
		new.line = call_sites__name(&c->sites, first, i);
	*(struct call *)array__add(&c->call, &c->call_cnt, sizeof(new)) = new;
}

/* Finds the places of the calls from index first on. All these calls are made by one function. */
static void find_sites(struct calls *c, __u32 func, int first)
{
	int cnt = c->call_cnt - first;
	__u64 *target = xcalloc(cnt + 1, sizeof(*target)), *site = xcalloc(cnt + 1, sizeof(*site));

	for (int i = 0; i < cnt; i++)
		target[i] = c->callee[c->call[first + i].callee].address;
	call_sites__find(&c->sites, func, target, site, cnt);
	for (int i = 0; i < cnt; i++)
		c->call[first + i].site = target[i] ? site[i] : 0;
	free(target);
	free(site);
}

/*
 * Adds the calls of a target. These are the calls by its function, and by the other functions of
 * its program whose cost counts as the target's own (target_list__reach()).
 */
static void find_calls(struct calls *c, int by)
{
	const struct target *t = &c->targets->v[by];
	const struct func_table *funcs = t->prog->funcs;
	struct insn_flow flow;
	bool *reached;
	struct bpf_insn *insns;
	struct reason reason;
	__u32 cnt;

	if (t->no_probe.code || !funcs)
		return;
	if (prog__load_calls(t->prog) || prog__read_insns(t->prog, &insns, &cnt)) {
		const struct target calls = {.id = t->id,
					     .prog = t->prog,
					     .func = "(calls)",
					     .called.caller_index = t->func_index};

		reason__set(&reason, REASON_CALL, EACCES, "the kernel does not show its code");
		target_list__skip_called(c->targets, &calls, &reason);
		return;
	}
	call_maps__add_prog(&c->maps, t->prog);
	if (c->by_site)
		call_sites__read(&c->sites, t->prog);
	insn_flow__find(&flow, insns, cnt);
	reached = xcalloc(funcs->cnt, sizeof(*reached));
	target_list__reach(c->targets, t, t->func_index, reached);
	reached[t->func_index] = true;
	for (__u32 f = 0; f < funcs->cnt; f++) {
		__u32 first = funcs->fn[f].insn_off, end = func_table__end(funcs, f, cnt);
		int first_call = c->call_cnt;

		for (__u32 i = first; reached[f] && i < end; i++)
			if (calls_kernel(&insns[i]))
				add_call(c, by, &flow, first, i);
		if (reached[f] && c->by_site)
			find_sites(c, f, first_call);
	}
	free(reached);
	insn_flow__free(&flow);
	free(insns);
}

static void append_target(struct calls *c, const struct target *t)
{
	*(struct target *)array__add(&c->v, &c->cnt, sizeof(*t)) = *t;
}

/* Fills in the place of a called function in the call tree, and what is known about its probe. */
static void place_in_call_tree(const struct calls *c, const struct target *by, int arg_cnt,
			       struct target *t)
{
	t->called.caller = by->caller_number;
	t->called.piece = 1;
	for (int i = 0; i < c->cnt; i++)
		t->called.piece += called__is_same(&c->v[i].called, &t->called);
	t->func_btf_id = t->called.btf_id;
	t->func_index = by->prog->funcs->cnt + c->cnt; /* no other function has this index */
	t->shape =
		(struct target_shape){.known = true, .sub = true, .kernel = true, .args = arg_cnt};
	t->depth = by->depth + 1;
	t->root_index = by->root_index;
	t->runs_elsewhere = by->runs_elsewhere;
}

/* Returns true if there is a target for calls of a function with that address by c->v[caller]. */
static bool has_call_target(const struct calls *c, int caller, const struct callee *callee,
			    __u64 address)
{
	for (int i = caller + 1; callee->called.btf_id && i < c->cnt; i++)
		if (called__is_same(&c->v[i].called, &callee->called) &&
		    c->v[i].called.address == address)
			return true;
	return false;
}

/*
 * Returns the address of the call's map or place, by which the probe finds the row of the call; 0:
 * the call has no row of its own.
 */
static __u64 choose_address(const struct calls *c, const struct callee *callee,
			    const struct call *call)
{
	const struct call_map *map = map_of(c, call);

	if (!is_matching_call(c, callee, map))
		return 0;
	return c->by_site ? call->site : map ? map->address : 0;
}

/* Returns the name of the place of a call, which the caller frees: "FILE:LINE", "FILE:LINE#2". */
static char *name_site(const struct calls *c, const struct call *call)
{
	int number = 1;

	for (const struct call *other = c->call; other < call; other++)
		number += other->by == call->by && other->callee == call->callee &&
			  other->map == call->map && !strcmp(other->line, call->line);
	return number > 1 ? text__format("%s#%d", call->line, number) : xstrdup(call->line);
}

/*
 * Appends a target for calls of a function by the target c->v[caller]: for the calls with the same
 * map or place as "call" or, if "call" is NULL, for all other calls. unforeseen: see struct called.
 */
static void append_calls(struct calls *c, int caller, const struct callee *callee,
			 const struct call *call, bool unforeseen)
{
	struct target *by = &c->v[caller];
	struct target new = {.id = by->id,
			     .prog = by->prog,
			     .subprog = true,
			     .by_wildcard = true,
			     .called = callee->called};
	struct reason reason = callee->reason;

	if (call && map_of(c, call))
		call_map__copy(map_of(c, call), &new.called);
	if (call && c->by_site)
		new.called.site = name_site(c, call);
	if (call)
		new.called.address = choose_address(c, callee, call);
	/* "f", "f (map)", "f file.c:41", "sub:f (map) file.c:41" */
	new.called.label = text__format(
		"%s%s%s%s%s%s%s%s", by->subprog ? by->func : "", by->subprog ? ":" : "",
		callee->name, new.called.map ? " (" : "", new.called.map ?: "",
		new.called.map ? ")" : "", new.called.site ? " " : "", new.called.site ?: "");
	new.called.caller_index = by->func_index;
	new.called.unforeseen = unforeseen;
	new.func = new.called.label;
	if (!reason.code && !by->caller_number && c->callers == CALLERS_MAX)
		reason__set(&reason, REASON_CALL, E2BIG, "more than %d functions make calls",
			    CALLERS_MAX);
	if (reason.code) {
		target_list__skip_called(c->targets, &new, &reason);
		free(new.called.label);
		free(new.called.site);
		free(new.called.map);
		return;
	}
	by->caller_number = by->caller_number ?: ++c->callers;
	place_in_call_tree(c, by, callee->arg_cnt, &new);
	prog__get(new.prog);
	append_target(c, &new);
}

/* Adds the target for a call by the target c->v[caller], unless there is one already. */
static void add_called_target(struct calls *c, int caller, const struct call *call)
{
	struct callee *callee = &c->callee[call->callee];
	__u64 address = choose_address(c, callee, call);

	if (!callee->wanted || has_call_target(c, caller, callee, address))
		return;
	if (address && callee->row_cnt++ >= CALL_MAPS_MAX) {
		address = 0; /* one probe can distinguish no more addresses of this function */
		if (callee->row_cnt == CALL_MAPS_MAX + 1)
			log_warn("--calls: %s is called %s more than %d %s: calls with the others "
				 "have a row without %s",
				 callee->name, c->by_site ? "at" : "with", CALL_MAPS_MAX,
				 c->by_site ? "places" : "maps", c->by_site ? "place" : "map");
	}
	if (!has_call_target(c, caller, callee, address))
		append_calls(c, caller, callee, address ? call : NULL, false);
}

static void add_one_unforeseen(struct calls *c, int caller, const struct callee *callee)
{
	if (callee->wanted && !callee->reason.code && (callee->called.map_param || c->by_site) &&
	    !has_call_target(c, caller, callee, 0))
		append_calls(c, caller, callee, NULL, true);
}

/*
 * Adds targets for calls that no known instruction of the caller makes, but that helpers or
 * interrupts may make during its runs. A function that the caller calls only with known maps, or at
 * known places, gets one for calls with any other map, or from any other place. If the caller calls
 * a helper for maps, each function that any target calls gets such a target, too.
 */
static void add_unforeseen(struct calls *c, int caller, const struct call *first,
			   const struct call *end)
{
	bool any = false;

	for (const struct call *call = first; call < end; call++) {
		/* These helpers call a function of any map that they get. */
		any |= !strncmp(c->callee[call->callee].name, "bpf_map_", strlen("bpf_map_"));
		add_one_unforeseen(c, caller, &c->callee[call->callee]);
	}
	for (int i = 0; any && i < c->callee_cnt; i++)
		add_one_unforeseen(c, caller, &c->callee[i]);
}

/*
 * Warns if the glob matches none of the functions that the targets call. Warns only once, because
 * bench selects the functions again at each load.
 */
static void check_glob(const struct calls *c)
{
	static bool warned;

	for (int i = 0; i < c->callee_cnt; i++)
		if (c->callee[i].wanted)
			return;
	if (c->callee_cnt && !warned)
		log_warn("--calls %s: the selected programs call no such function of the kernel; "
			 "--calls '*' shows those that they call, such as %s",
			 c->glob, c->callee[0].name);
	warned = true;
}

void target_list__add_calls(struct target_list *targets, const char *glob, bool by_site)
{
	struct calls c = {.targets = targets,
			  .glob = glob,
			  .by_site = by_site,
			  .btf = btf_compat__load_vmlinux()};
	int next = 0; /* index of the first call of the next target */

	if (!c.btf) {
		log_warn("--calls: the kernel's BTF cannot be read: %s", strerror(errno));
		return;
	}
	if (!ksyms__read("/proc/kallsyms", &c.ksyms))
		c.base = ksyms__address(c.ksyms, "__bpf_call_base");
	for (int i = 0; i < targets->cnt; i++)
		find_calls(&c, i);
	check_glob(&c);
	/* Find the addresses of the maps that are passed to measured functions. */
	for (int i = 0; i < c.call_cnt; i++)
		if (c.call[i].map >= 0 && !by_site)
			c.maps.v[c.call[i].map].wanted |= c.callee[c.call[i].callee].wanted;
	call_maps__locate(&c.maps);
	for (int i = 0; i < targets->cnt; i++) {
		int caller = c.cnt, first = next;

		append_target(&c, &targets->v[i]);
		for (; next < c.call_cnt && c.call[next].by == i; next++)
			add_called_target(&c, caller, &c.call[next]);
		add_unforeseen(&c, caller, c.call + first, c.call + next);
	}
	targets->cnt = c.cnt;
	target_list__replace(targets, c.v);
	for (int i = 0; i < c.callee_cnt; i++)
		free(c.callee[i].name);
	for (int i = 0; i < c.call_cnt; i++)
		free(c.call[i].line);
	free(c.callee);
	free(c.call);
	call_sites__free(&c.sites);
	call_maps__free(&c.maps);
	module_btfs__free(&c.modules);
	btf__free(c.btf);
	ksyms__free(c.ksyms);
}
