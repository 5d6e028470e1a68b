// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the step from the instructions of a program to the functions of the kernel that they call, and
 * the decision which of these cannot be probed, as far as that is known before trying it. Must not
 * know how a probe works.
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
#include "btf/reason.h"
#include "host/ksyms.h"
#include "target/kernel_calls.h"
#include "target/target.h"
#include "target/target_priv.h"

struct calls {
	struct target_list *targets;
	const char *glob;
	struct ksyms *ksyms;
	__u64 base; /* the address to which imm is relative; 0: not known */
	struct btf *btf;
	/* the targets with those that were added, in the order of the list */
	struct target *v;
	int cnt;
	__u32 callers; /* how many targets have a caller_number */
};

/* Returns true for the call of a helper or kfunc. A tail call never returns: it is no call. */
static bool calls_kernel(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) &&
	       (insn->src_reg == BPF_PSEUDO_KFUNC_CALL ||
		(!insn->src_reg && insn->imm != BPF_FUNC_tail_call));
}

/*
 * Returns the name of the helper with that number, "bpf_NAME", which the caller frees, or NULL. A
 * number is left in the place of an address if the JIT makes instructions of the call.
 */
static char *name_helper(const struct calls *c, __s32 imm)
{
	static const char prefix[] = "BPF_FUNC_";
	__s32 id = btf__find_by_name_kind(c->btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(c->btf, id) : NULL;

	for (int i = 0; t && i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(c->btf, btf_enum(t)[i].name_off);

		if ((__s32)btf_enum(t)[i].val == imm && name &&
		    !strncmp(name, prefix, strlen(prefix)) && strcmp(name, "BPF_FUNC_unspec"))
			return text__format("bpf_%s", name + strlen(prefix));
	}
	return NULL;
}

/* Returns the number of arguments of a function of the kernel's BTF. */
static int count_args(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	return t ? btf_vlen(t) : 0;
}

/*
 * Returns the name of the function that a call leads to, or NULL if that is not known. Where the JIT
 * can call far away, the call of a kfunc has its BTF id (fixup_kfunc_call()).
 */
static const char *name_callee(const struct calls *c, const struct bpf_insn *insn)
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
 * Finds the function that an instruction calls. Returns its name, which the caller frees, and sets
 * called->btf_id, or *reason if it cannot be probed.
 */
static char *resolve(const struct calls *c, const struct bpf_insn *insn, struct called *called,
		     struct reason *reason)
{
	char *helper = insn->src_reg ? NULL : name_helper(c, insn->imm);
	const char *name = name_callee(c, insn);
	__s32 id;

	*called = (struct called){.imm = insn->imm};
	if (helper) {
		reason__set(reason, REASON_CALL, EOPNOTSUPP, "the JIT has inlined it");
		return helper;
	}
	if (!name) {
		reason__set(reason, REASON_CALL, EPERM, "%s",
			    insn->off ? "it is a function of a module"
				      : "the kernel hides which functions it calls, see "
					"kernel.kptr_restrict");
		return xstrdup("(unknown)");
	}
	id = btf__find_by_name_kind(c->btf, name, BTF_KIND_FUNC);
	if (!strcmp(name, "bpf_throw"))
		reason__set(reason, REASON_CALL, EOPNOTSUPP, "it does not return");
	else if (id <= 0)
		reason__set(reason, REASON_CALL, ENOENT, "it is not in the BTF of vmlinux");
	else if (c->base && insn->imm != id &&
		 ksyms__address(c->ksyms, name) != c->base + insn->imm)
		/* The kernel finds the address by the name, and takes the first one. */
		reason__set(reason, REASON_CALL, ENOENT,
			    "another function of the kernel has the same name");
	else
		called->btf_id = id;
	return xstrdup(name);
}

/* Returns the number of the targets so far that are the same function of the kernel. */
static int count_pieces(const struct calls *c, __u32 btf_id)
{
	int cnt = 0;

	for (int i = 0; i < c->cnt; i++)
		cnt += c->v[i].called.btf_id == btf_id;
	return cnt;
}

static struct target *append(struct calls *c, const struct target *t)
{
	struct target *new = array__add(&c->v, &c->cnt, sizeof(*new));

	*new = *t;
	return new;
}

/* Gives a caller its number. Returns 0, or -errno with *reason if there are too many. */
static int number_caller(struct calls *c, struct target *by, struct reason *reason)
{
	if (by->caller_number)
		return 0;
	if (c->callers == CALLERS_MAX)
		return reason__set(reason, REASON_CALL, E2BIG, "more than %d functions make calls",
				   CALLERS_MAX);
	by->caller_number = ++c->callers;
	return 0;
}

/* Fills in the place of a called function in the call tree, and what is known of its probe. */
static void place_call(const struct calls *c, const struct target *by, struct target *t)
{
	t->called.caller = by->caller_number;
	t->called.piece = 1 + count_pieces(c, t->called.btf_id);
	t->func_btf_id = t->called.btf_id;
	t->func_index = by->prog->funcs->cnt + c->cnt; /* that of no other */
	t->shape = (struct target_shape){.known = true,
					 .sub = true,
					 .kernel = true,
					 .args = count_args(c->btf, t->called.btf_id)};
	t->depth = by->depth + 1;
	t->root_index = by->root_index;
	t->runs_elsewhere = by->runs_elsewhere;
}

/* Adds what an instruction of a function calls, as called by the target c->v[caller]. */
static void add_call(struct calls *c, int caller, const struct bpf_insn *insn)
{
	struct target *by = &c->v[caller];
	struct target new = {.id = by->id, .prog = by->prog, .subprog = true, .by_wildcard = true};
	struct reason reason = {};
	char *name = resolve(c, insn, &new.called, &reason);

	if (fnmatch(c->glob, name, 0)) {
		free(name);
		return;
	}
	new.called.label = by->subprog ? text__format("%s:%s", by->func, name) : xstrdup(name);
	new.called.caller_index = by->func_index;
	new.func = new.called.label;
	free(name);
	if (reason.code || number_caller(c, by, &reason)) {
		target_list__skip_called(c->targets, &new, &reason);
		free(new.called.label);
		return;
	}
	place_call(c, by, &new);
	prog__get(new.prog);
	append(c, &new);
}

/* Returns true if an earlier instruction, of the same functions, calls the same. */
static bool is_repeated(const struct bpf_insn *insns, const bool *in, __u32 i)
{
	for (__u32 k = 0; k < i; k++)
		if (in[k] && calls_kernel(&insns[k]) && insns[k].imm == insns[i].imm &&
		    insns[k].src_reg == insns[i].src_reg)
			return true;
	return false;
}

/* Sets in[i] for each instruction i of the functions whose own cost is in that of the target. */
static void find_insns(const struct calls *c, const struct target *t, bool *in, __u32 cnt)
{
	const struct func_table *funcs = t->prog->funcs;
	bool *reached = xcalloc(funcs->cnt, sizeof(*reached));

	target_list__reach(c->targets, t, t->func_index, reached);
	reached[t->func_index] = true;
	for (__u32 f = 0; f < funcs->cnt; f++)
		for (__u32 i = funcs->fn[f].insn_off; i < func_table__end(funcs, f, cnt); i++)
			in[i] |= reached[f];
	free(reached);
}

/* Adds the functions of the kernel that the target c->v[caller] calls. */
static void add_calls(struct calls *c, int caller)
{
	const struct target *t = &c->v[caller];
	struct bpf_insn *insns;
	struct reason reason;
	__u32 cnt;
	bool *in;

	if (t->no_probe.code || !t->prog->funcs)
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
	in = xcalloc(cnt, sizeof(*in));
	find_insns(c, t, in, cnt);
	for (__u32 i = 0; i < cnt; i++)
		if (in[i] && calls_kernel(&insns[i]) && !is_repeated(insns, in, i))
			add_call(c, caller, &insns[i]);
	free(in);
	free(insns);
}

void target_list__add_calls(struct target_list *targets, const char *glob)
{
	struct calls c = {.targets = targets, .glob = glob, .btf = btf_compat__load_vmlinux()};

	if (!c.btf) {
		log_warn("--calls: the kernel's BTF cannot be read: %s", strerror(errno));
		return;
	}
	if (!ksyms__read("/proc/kallsyms", &c.ksyms))
		c.base = ksyms__address(c.ksyms, "__bpf_call_base");
	for (int i = 0; i < targets->cnt; i++) {
		int caller = c.cnt;

		append(&c, &targets->v[i]);
		add_calls(&c, caller);
	}
	targets->cnt = c.cnt;
	target_list__replace(targets, c.v);
	btf__free(c.btf);
	ksyms__free(c.ksyms);
}
