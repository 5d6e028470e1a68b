// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The arguments of bprof trace. Finds out which arguments a function has, their names, and where
 * the function's trampoline saves them. Must not know how a path through types is found.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/log.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "btf/arg_reads.h"
#include "btf/btf_compat.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/reason.h"
#include "btf/run_key.h"
#include "probe/trace_args.h"
#include "target/target.h"

_Static_assert(ARG_TEXT_SZ == BPROF_ARG_SZ, "a value in a record");
_Static_assert(ARG_READS_MAX *TRACE_ARGS_MAX <= BPROF_TRACE_READS, "room for all reads");

int trace_args__add(struct trace_args *a, const char *spec, struct parse_error *err)
{
	int ret;

	if (a->cnt == TRACE_ARGS_MAX)
		return -E2BIG;
	ret = arg_expr__parse(&a->expr[a->cnt], spec, err);
	if (!ret)
		a->cnt++;
	return ret;
}

int trace_args__total(const struct trace_args *a)
{
	return a->cnt + a->hidden_cnt;
}

int trace_args__add_hidden(struct trace_args *a, const char *xdp, const char *skb)
{
	struct trace_hidden_arg *hidden = &a->hidden[a->hidden_cnt];
	struct parse_error ignored;

	if (trace_args__total(a) == BPROF_TRACE_ARGS)
		return -E2BIG;
	if (xdp)
		arg_expr__parse(&hidden->xdp, xdp, &ignored);
	if (skb)
		arg_expr__parse(&hidden->skb, skb, &ignored);
	a->hidden_cnt++;
	return trace_args__total(a) - 1;
}

int trace_args__add_cgroup(struct trace_args *a)
{
	int i = trace_args__add_hidden(a, NULL, "ctx->sk->sk_cgrp_data.cgroup->kn->id");

	if (i >= 0)
		a->hidden[i - a->cnt].cgroup = true;
	return i;
}

bool trace_args__has_cgroup(const struct trace_args *a)
{
	for (int i = 0; i < a->hidden_cnt; i++)
		if (a->hidden[i].cgroup)
			return true;
	return false;
}

void trace_args__free(struct trace_args *a)
{
	for (int i = 0; i < a->cnt; i++)
		arg_expr__free(&a->expr[i]);
	for (int i = 0; i < a->hidden_cnt; i++) {
		arg_expr__free(&a->hidden[i].xdp);
		arg_expr__free(&a->hidden[i].skb);
	}
	btf__free(a->vmlinux);
	free(a->target);
	*a = (struct trace_args){};
}

bool trace_args__has_condition(const struct trace_args *a)
{
	for (int i = 0; i < a->cnt; i++)
		if (a->expr[i].op)
			return true;
	return false;
}

/* ---- the arguments of a function ---- */

static const struct btf_type *find_proto(const struct btf *btf, __u32 func_id)
{
	const struct btf_type *t = btf__type_by_id(btf, func_id);

	t = t && btf_is_func(t) ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

/*
 * Returns the prototype of the kernel function or tracepoint to which a program is attached, or
 * NULL if the function is unknown or in a module. *first is the index of the first parameter that
 * the program gets.
 */
static const struct btf_type *attached_proto(const struct target *t, const struct btf *vmlinux,
					     int *first)
{
	const struct bpf_prog_info *info = &t->prog->info;
	const struct btf_type *type = NULL;

	*first = 0;
	if (vmlinux && info->attach_btf_id && info->attach_btf_obj_id)
		type = btf__type_by_id(vmlinux, info->attach_btf_id);
	if (type && btf_is_func(type))
		return find_proto(vmlinux, info->attach_btf_id);
	/* typedef void (*btf_trace_NAME)(void *, ...) */
	if (!type || !btf_is_typedef(type))
		return NULL;
	type = btf_type__strip(vmlinux, type->type);
	type = type && btf_is_ptr(type) ? btf__type_by_id(vmlinux, type->type) : NULL;
	*first = 1;
	return type && btf_is_func_proto(type) ? type : NULL;
}

/* The names of a function's arguments, for an error. */
struct names {
	char list[200];
};

static void list_arg_name(struct names *n, const char *name)
{
	size_t len = strlen(n->list);

	if (*name)
		snprintf(n->list + len, sizeof(n->list) - len, "%s%s", len ? ", " : "", name);
}

static int refuse_arg_name(const struct names *n, const char *name, struct reason *reason)
{
	return reason__fail(reason, -ENOENT, "it has no argument '%s'%s%s", name,
			    *n->list ? "; its arguments are " : "; it has no arguments by name",
			    n->list);
}

/* Returns the index of the parameter with that name, or -ENOENT. */
static int find_arg_param(const struct btf *btf, const struct btf_type *proto, int first,
			  const char *name, struct names *names)
{
	for (int i = first; proto && i < btf_vlen(proto); i++) {
		const char *param = btf__name_by_offset(btf, btf_params(proto)[i].name_off) ?: "";

		if (!strcmp(param, name))
			return i;
		list_arg_name(names, param);
	}
	return -ENOENT;
}

/*
 * Checks that a static function has the arguments that its BTF declares. The compiler removes
 * arguments that a static function does not use, but BTF keeps them. Then the other arguments are
 * in other places than BTF says. If a function reads its last declared argument, none was removed.
 */
static int check_static(const struct target *t, int declared, struct reason *reason)
{
	struct bpf_insn *insns;
	__u8 *reads;
	__u32 cnt;
	int err, read;

	if (target__fn(t)->linkage != BTF_FUNC_STATIC)
		return 0;
	err = prog__read_insns(t->prog, &insns, &cnt);
	if (err)
		return reason__fail(reason, err,
				    "cannot read its code, which shows where a static "
				    "function has its arguments: %s",
				    strerror(-err));
	reads = insns__find_arg_reads(insns, cnt, t->prog->funcs, NULL, NULL);
	read = reads[t->func_index];
	free(reads);
	free(insns);
	return read == declared
		       ? 0
		       : reason__fail(
				 reason, -EINVAL,
				 "it is a static function that does not use its last argument: "
				 "the compiler may have removed some of them; make it global");
}

/* Finds an argument that the function itself declares. */
static int find_declared(const struct target *t, const struct arg_expr *e, struct arg_place *place,
			 struct reason *reason)
{
	const struct btf *btf = t->prog->funcs->btf;
	const struct btf_type *proto = find_proto(btf, t->func_btf_id);
	struct names names = {};
	int i;

	i = find_arg_param(btf, proto, 0, e->root, &names);
	if (i < 0)
		return refuse_arg_name(&names, e->root, reason);
	place->btf = btf;
	place->type_id = btf_params(proto)[i].type;
	place->offset = i * sizeof(__u64);
	return check_static(t, btf_vlen(proto), reason);
}

/* ---- the context of a program ---- */

/*
 * Returns true if "name" is the kernel's name for a context of this struct type, such as "skb" for
 * struct __sk_buff. An expression may use this name in each program with this context.
 */
static bool is_alias(const char *context, const char *name)
{
	return (!strcmp(context, "__sk_buff") && !strcmp(name, "skb")) ||
	       (!strcmp(context, "xdp_md") && !strcmp(name, "xdp"));
}

/*
 * Finds an argument of a program whose context is an array of the arguments of the function,
 * tracepoint or hook that it is attached to. Sets *first to the index of the expression's first
 * step that is still to be resolved.
 */
static int find_in_array(const struct target *t, const struct arg_expr *e, const char *param,
			 struct arg_place *place, int *first, struct reason *reason)
{
	bool by_index = !strcmp(e->root, "ctx") || !strcmp(e->root, param);
	int skipped, i;
	const struct btf_type *proto = attached_proto(t, place->vmlinux, &skipped);
	struct names names = {};
	__u64 index;

	if (by_index && (!e->step_cnt || e->step[0].name))
		return reason__fail(reason, -EINVAL,
				    "'%s' is an array of arguments: give one, such as %s[0]",
				    e->root, e->root);
	if (by_index) {
		index = e->step[0].index;
		i = index < BPF_MAX_ARGS + 7 ? (int)index + skipped : -EINVAL;
		*first = 1;
	} else {
		i = find_arg_param(place->vmlinux, proto, skipped, e->root, &names);
		list_arg_name(&names, "ctx");
		if (i < 0)
			return refuse_arg_name(&names, e->root, reason);
	}
	if (i < 0 || (proto && i >= btf_vlen(proto)))
		return reason__fail(reason, -EINVAL, "[%llu]: it has %d arguments",
				    (unsigned long long)e->step[0].index,
				    proto ? btf_vlen(proto) - skipped : BPF_MAX_ARGS + 7);
	place->btf = place->vmlinux;
	place->type_id = proto ? btf_params(proto)[i].type : 0;
	place->at.offset[place->at.cnt++] = 0; /* the context */
	place->offset = (i - skipped) * sizeof(__u64);
	return 0;
}

static bool has_array(__u32 type)
{
	return type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       type == BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE || type == BPF_PROG_TYPE_TRACING ||
	       type == BPF_PROG_TYPE_LSM || type == BPF_PROG_TYPE_STRUCT_OPS;
}

/* Finds the context, or a part of it, of a program's main function. */
static int find_main(const struct target *t, const struct arg_expr *e, struct arg_place *place,
		     int *first, struct reason *reason)
{
	const struct btf *btf = t->prog->funcs->btf;
	const struct btf_type *proto = find_proto(btf, t->func_btf_id), *type = NULL;
	const char *param = "", *context = "";
	struct names names = {};

	if (proto && btf_vlen(proto)) {
		place->btf = btf;
		place->type_id = btf_params(proto)->type;
		param = btf__name_by_offset(btf, btf_params(proto)->name_off) ?: "";
		type = btf_type__strip(btf, place->type_id);
		type = type && btf_is_ptr(type) ? btf_type__strip(btf, type->type) : NULL;
	}
	if (type && (btf_is_composite(type) || btf_is_fwd(type)))
		context = btf__name_by_offset(btf, type->name_off) ?: "";
	else if (has_array(place->prog_type))
		return find_in_array(t, e, param, place, first, reason);
	else if (!arg_place__set_context(place, 0))
		return reason__fail(reason, -EINVAL,
				    "its context has no type: declare it as a pointer to a struct");
	if (!strcmp(e->root, "ctx") || !strcmp(e->root, param) || is_alias(context, e->root))
		return 0;
	list_arg_name(&names, *param ? param : "ctx");
	return refuse_arg_name(&names, e->root, reason);
}

/* Returns the expression for a target, or NULL if there is none for programs of its type. */
static const struct arg_expr *expr_for(const struct trace_args *a, const struct target *t,
				       int index)
{
	enum key_source from = run_key__source(BY_IFINDEX, prog__context_type(t->prog));
	const struct trace_hidden_arg *hidden;
	const struct arg_expr *e;

	if (index < a->cnt)
		return &a->expr[index];
	hidden = &a->hidden[index - a->cnt];
	e = from == KEY_FROM_XDP ? &hidden->xdp : &hidden->skb;
	return from && !t->subprog && e->root ? e : NULL;
}

/* Returns true if the value is the cgroup of the task in which the target runs. */
static bool is_task_cgroup(const struct trace_args *a, const struct target *t, int index)
{
	return index >= a->cnt && a->hidden[index - a->cnt].cgroup && !target__is_called(t) &&
	       run_key__source(BY_CGROUP, prog__context_type(t->prog)) == KEY_FROM_TASK;
}

/*
 * How the probe reads the cgroup of the task: it first reads a value at the address of the
 * arguments, and then replaces this value by the result of a helper (BPROF_READ_CGROUP).
 */
static const struct arg_path task_cgroup = {
	.at.cnt = 1, .kind = ARG_INTEGER, .size = sizeof(__u64), .bits = 64};

static int resolve_arg(const struct trace_args *a, const struct target *t, int index,
		       struct trace_target_args *to, struct reason *reason)
{
	const struct arg_expr *e = expr_for(a, t, index);
	struct arg_path *path = &to->path[index];
	struct arg_place place = {.vmlinux = a->vmlinux, .prog_type = prog__context_type(t->prog)};
	bool declared = t->subprog || t->prog->info.type == BPF_PROG_TYPE_EXT;
	int first = 0, err;

	if (is_task_cgroup(a, t, index)) {
		*path = task_cgroup;
		return 0;
	}
	if (!e || target__is_called(t) || !target__fn(t))
		return reason__fail(reason, -EINVAL, "its arguments are unknown");
	err = declared ? find_declared(t, e, &place, reason)
		       : find_main(t, e, &place, &first, reason);
	err = err ?: arg_place__resolve(&place, e, first, path, reason);
	if (!err && e->op)
		err = arg_path__operand(path, e, &to->operand[index], reason);
	return err;
}

/* ---- all targets ---- */

/* Returns 0, or -EINVAL (reported) if an expression has a value in none of the targets. */
static int check_all_found(const struct trace_args *a, const struct target_list *targets)
{
	__u32 found = 0;

	for (int i = 0; i < a->target_cnt; i++)
		found |= a->target[i].found;
	for (int i = 0; targets->cnt && i < a->cnt; i++) {
		const struct target *t = &targets->v[0];
		struct trace_target_args ignored = {};
		struct reason reason;

		if (found >> i & 1)
			continue;
		resolve_arg(a, t, i, &ignored, &reason);
		return log_err(-EINVAL, "--arg '%s': program %u %s%s%s: %s", a->expr[i].spec, t->id,
			       prog__name(t->prog), t->subprog ? ":" : "",
			       t->subprog ? t->func : "", reason.detail);
	}
	return 0;
}

static void resolve_target(struct trace_args *a, const struct target *t)
{
	struct trace_target_args *to = array__add(&a->target, &a->target_cnt, sizeof(*to));
	struct reason ignored;

	to->id = t->id;
	to->func_index = t->func_index;
	for (int i = 0; i < trace_args__total(a); i++)
		if (!resolve_arg(a, t, i, to, &ignored))
			to->found |= 1U << i;
}

int trace_args__resolve(struct trace_args *a, struct target_list *targets)
{
	int err;

	if (!trace_args__total(a))
		return 0;
	a->vmlinux = btf_compat__load_vmlinux();
	if (!a->vmlinux)
		log_warn("--arg: cannot read the kernel's BTF, so only types of the programs are "
			 "known: %s",
			 strerror(errno));
	for (int i = 0; i < targets->cnt; i++)
		resolve_target(a, &targets->v[i]);
	err = check_all_found(a, targets);
	for (int i = targets->cnt - 1; !err && i >= 0; i--) {
		struct trace_target_args ignored = {};
		struct reason reason = {}, why;

		if (!a->cnt || a->target[i].found & ((1U << a->cnt) - 1))
			continue;
		resolve_arg(a, &targets->v[i], 0, &ignored, &why);
		reason__set(&reason, REASON_OTHER, EINVAL, "--arg '%s': %s", a->expr[0].spec,
			    why.detail);
		target_list__skip(targets, i, &reason);
	}
	return err;
}

/* Returns the arguments of a target, or NULL. */
static const struct trace_target_args *args_of(const struct trace_args *a, const struct target *t)
{
	/* Before Linux 6.12, a trampoline may save no argument of a main function that declares none. */
	if (t->shape.known && !t->shape.args)
		return NULL;
	for (int i = 0; i < a->target_cnt; i++)
		if (a->target[i].id == t->id && a->target[i].func_index == t->func_index)
			return target__is_called(t) ? NULL : &a->target[i];
	return NULL;
}

const struct arg_path *trace_args__path(const struct trace_args *a, const struct target *t,
					int index)
{
	const struct trace_target_args *args = args_of(a, t);

	return args && args->found >> index & 1 ? &args->path[index] : NULL;
}

static void add_reads(struct bprof_trace_cpu *area, const struct arg_reads *reads, int arg,
		      __u8 size, __u8 kind)
{
	for (int i = 0; i < reads->cnt; i++) {
		bool last = i == reads->cnt - 1;

		area->read[area->read_cnt++] = (struct bprof_arg_read){
			.offset = reads->offset[i],
			.size = last ? size : sizeof(__u64),
			.arg = arg,
			.kind = last ? kind : BPROF_READ_POINTER,
		};
	}
}

static __u8 when_of(enum arg_op op)
{
	static const __u8 when[] = {
		[ARG_NO_OP] = 0,
		[ARG_EQ] = BPROF_ARG_EQUAL,
		[ARG_NE] = BPROF_ARG_LESS | BPROF_ARG_GREATER,
		[ARG_LT] = BPROF_ARG_LESS,
		[ARG_LE] = BPROF_ARG_LESS | BPROF_ARG_EQUAL,
		[ARG_GT] = BPROF_ARG_GREATER,
		[ARG_GE] = BPROF_ARG_GREATER | BPROF_ARG_EQUAL,
		[ARG_AND] = BPROF_ARG_HAS_BITS,
	};

	return when[op];
}

void trace_args__fill(const struct trace_args *a, const struct target *t,
		      struct bprof_trace_cpu *area)
{
	area->read_cnt = 0;
	for (int i = 0; i < trace_args__total(a); i++) {
		const struct arg_path *p = trace_args__path(a, t, i);
		bool shifts = p && p->kind != ARG_TEXT;

		if (!p)
			continue;
		add_reads(area, &p->minus, i, sizeof(__u64), BPROF_READ_MINUS);
		add_reads(area, &p->at, i, p->size,
			  is_task_cgroup(a, t, i) ? BPROF_READ_CGROUP : BPROF_READ_VALUE);
		area->arg[i] = (struct bprof_arg_spec){
			.left = shifts ? 64 - p->bit - p->bits : 0,
			.right = shifts ? 64 - p->bits : 0,
			.mask = 1U << i,
			.sign = p->is_signed ? 1ULL << (p->bits - 1) : 0,
			.order = p->is_signed ? 1ULL << 63 : 0,
			.when = i < a->cnt ? when_of(a->expr[i].op) : 0,
			.operand = args_of(a, t)->operand[i],
		};
	}
}
