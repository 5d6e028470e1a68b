// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the knowledge of how the kernel uses a function's BTF to build its trampoline. Must not know
 * how the properties of a trampoline affect a probe. Prints nothing.
 *
 * A trampoline saves the arguments of its target before the probes run, and restores them for the
 * target. It saves as many arguments as BTF declares, or five if the verifier does not trust that
 * BTF (func_info_aux.unreliable; kernel/bpf/btf.c, btf_distill_func_proto()). The verifier does not
 * trust the BTF of a main program whose context has another type (such as void *) than the kernel
 * expects, or of a static function that is called with arguments other than those declared. If the
 * verifier removes functions that cannot run, it moves the func_info of the functions after them,
 * but not the func_info_aux (adjust_subprog_starts_after_remove(), seen in Linux 6.12). So the flag
 * may belong to the wrong function: any function may count as unreliable, even a global one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/util.h"
#include "btf/arg_reads.h"
#include "btf/func_table.h"
#include "kernel/verifier_log.h"
#include "target/shape.h"
#include "target/target.h"

/*
 * Tests whether the trampoline saves five arguments: loads a program that reads the fifth. A test
 * is needed because the kernel does not report whether it trusts the BTF.
 */
static bool has_fifth_argument(const struct target *t)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_prog_fd = t->prog->fd, .attach_btf_id = t->func_btf_id,
		    .attempts = VERIFIER_ATTEMPTS);
	const struct bpf_insn insns[] = {
		{.code = BPF_LDX | BPF_MEM | BPF_DW,
		 .dst_reg = BPF_REG_0,
		 .src_reg = BPF_REG_1,
		 .off = (BPF_MAX_ARGS - 1) * sizeof(__u64)},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "bprof_args", "Dual BSD/GPL", insns,
			       ARRAY_SIZE(insns), &opts);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int find_saved_args(const struct target *t, int declared)
{
	return declared >= BPF_MAX_ARGS || has_fifth_argument(t) ? BPF_MAX_ARGS : declared;
}

/*
 * Fills in the properties of a main program that decide whether the verifier trusts its BTF
 * (btf_prepare_func_args()). Returns false if these properties are not enough: for tracing
 * programs, the expected context also depends on the function to which they are attached.
 */
static bool describe_main_func(const struct target *t, struct shape_answer *a)
{
	const struct btf *btf = t->prog->funcs->btf;
	const struct btf_type *func = btf__type_by_id(btf, t->func_btf_id), *proto, *arg, *ret;
	const char *name;

	proto = func ? btf__type_by_id(btf, func->type) : NULL;
	if (!proto || !btf_is_func_proto(proto) || btf_vlen(proto) != 1)
		return false;
	arg = btf_type__strip(btf, btf_params(proto)->type);
	arg = arg && btf_is_ptr(arg) ? btf_type__strip(btf, arg->type) : NULL;
	ret = btf_type__strip(btf, proto->type);
	if (!arg || !btf_is_struct(arg) || !ret)
		return false;
	name = btf__name_by_offset(btf, arg->name_off);
	a->prog_type = t->prog->info.type;
	a->ctx_kind = btf_kind(arg);
	a->ret_kind = btf_kind(ret);
	snprintf(a->ctx_type, sizeof(a->ctx_type), "%s", name ?: "");
	return a->prog_type != BPF_PROG_TYPE_TRACING && a->prog_type != BPF_PROG_TYPE_LSM &&
	       a->prog_type != BPF_PROG_TYPE_EXT && a->prog_type != BPF_PROG_TYPE_STRUCT_OPS;
}

/*
 * Returns the number of arguments that the trampoline saves. To test this, loads a program, but
 * only once for all targets with the same properties, because a session may have hundreds of
 * programs.
 */
static int find_prog_args(const struct target *t, int declared, struct shape_cache *cache)
{
	struct shape_answer a = {}, *known;

	if (!describe_main_func(t, &a))
		return find_saved_args(t, declared);
	for (int i = 0; i < cache->cnt; i++) {
		known = &cache->v[i];
		if (known->prog_type == a.prog_type && known->ctx_kind == a.ctx_kind &&
		    known->ret_kind == a.ret_kind && !strcmp(known->ctx_type, a.ctx_type))
			return known->saved_args;
	}
	a.saved_args = find_saved_args(t, declared);
	known = array__add(&cache->v, &cache->cnt, sizeof(*known));
	*known = a;
	return a.saved_args;
}

/*
 * Finds out whether the trampoline passes on the tail call count. On x86-64, since Linux 6.7
 * (2b5dcb31a19a), it passes on the count for all functions of a program if one of the program's
 * subprograms makes a tail call (check_max_stack_depth(), tail_call_reachable).
 */
static enum tail_calls find_passed_tail_calls(const struct target *t)
{
	const struct func_table *funcs = t->prog->funcs;
	enum tail_calls found = TAIL_CALLS_NO;

	if (funcs->cnt < 2 || (!t->subprog && t->tail_calls == TAIL_CALLS_NO))
		return TAIL_CALLS_NO;
	for (__u32 i = 1; i < funcs->cnt && found != TAIL_CALLS_YES; i++) {
		enum tail_calls here = prog__tail_calls(t->prog, &funcs->fn[i]);

		if (here != TAIL_CALLS_NO)
			found = here;
	}
	return found;
}

void shape__find(struct target *t, struct shape_cache *cache)
{
	const struct bpf_fn *fn;
	int declared;

	if (t->shape.known)
		return; /* always so for kernel functions */
	t->shape = (struct target_shape){.known = true, .sub = t->subprog, .args = 1};
	/*
	 * Do not load anything for a target with a no_probe reason: on old kernels, loading a
	 * tracing program for some targets crashes the kernel.
	 */
	if (!t->prog->funcs || t->no_probe.code)
		return;
	fn = target__fn(t);
	declared = fn ? (int)fn->arg_cnt : 1;
	t->shape.tail_calls = find_passed_tail_calls(t);
	t->shape.args = t->subprog ? find_saved_args(t, declared)
				   : find_prog_args(t, declared, cache);
}

void shape_cache__free(struct shape_cache *cache)
{
	free(cache->v);
	memset(cache, 0, sizeof(*cache));
}
