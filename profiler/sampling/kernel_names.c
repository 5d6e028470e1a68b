// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the name of the kernel function that a call in translated instructions calls. Must not know
 * where the calls are.
 */
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/memory.h"
#include "base/util.h"
#include "btf/btf_compat.h"
#include "btf/map_args.h"
#include "host/ksyms.h"
#include "sampling/ip_sampler.h"
#include "sampling/kernel_names.h"

/* The results are kept, because finding a name in BTF means comparing it with all names. */
struct map_param {
	const char *func; /* owned by the symbols */
	int param;
};

struct named_code {
	__u64 address;
	__u32 len;
	char *name;
};

struct kernel_names {
	bool has_read, has_read_btf;
	struct ksyms *ksyms; /* NULL: the kernel hides addresses */
	__u64 base;	     /* __bpf_call_base; 0: unknown */
	struct btf *btf;     /* NULL: the kernel has no BTF that can be read */
	struct map_param *known;
	int known_cnt;
	struct named_code *code;
	int code_cnt;
};

struct kernel_names *kernel_names__new(void)
{
	return xcalloc(1, sizeof(struct kernel_names));
}

void kernel_names__free(struct kernel_names *n)
{
	if (!n)
		return;
	ksyms__free(n->ksyms);
	btf__free(n->btf);
	free(n->known);
	for (int i = 0; i < n->code_cnt; i++)
		free(n->code[i].name);
	free(n->code);
	free(n);
}

static struct ksyms *ksyms_of(struct kernel_names *n)
{
	if (!n->has_read && !ksyms__read("/proc/kallsyms", &n->ksyms))
		n->base = ksyms__address(n->ksyms, "__bpf_call_base");
	n->has_read = true;
	return n->ksyms;
}

static const struct btf *btf_of(struct kernel_names *n)
{
	if (!n->has_read_btf)
		n->btf = btf_compat__load_vmlinux();
	n->has_read_btf = true;
	return n->btf;
}

const char *kernel_names__at(struct kernel_names *n, __u64 address)
{
	const struct ksym_place place = ksyms__find(ksyms_of(n), address);

	return place.offset || place.is_bpf ? NULL : place.name;
}

void kernel_names__add_code(struct kernel_names *n, __u64 address, __u32 len, const char *name)
{
	*(struct named_code *)array__add(&n->code, &n->code_cnt, sizeof(*n->code)) =
		(struct named_code){address, len, xstrdup(name)};
}

const char *kernel_names__around(struct kernel_names *n, __u64 address)
{
	for (int i = 0; i < n->code_cnt; i++)
		if (address - n->code[i].address < n->code[i].len)
			return n->code[i].name;
	return ksyms__find(ksyms_of(n), address).name;
}

/* These symbols are adjacent in the kernel's assembly code: arch/x86/include/asm/idtentry.h, and
 * arch/arm64/kernel/entry.S. */
#ifdef __aarch64__
#define IRQ_START "el1h_64_irq"
#define IRQ_END "el1h_64_error"
#else
#define IRQ_START "asm_common_interrupt"
#define IRQ_END "__irqentry_text_end"
#endif
#define MAX_IRQ_SZ 8192 /* larger code shows that these symbols mean something else */

void kernel_names__find_interrupts(struct kernel_names *n, struct ip_calls *calls)
{
	struct ksyms *k = ksyms_of(n);

	calls->irq_start = ksyms__address(k, IRQ_START);
	calls->irq_end = ksyms__address(k, IRQ_END);
	if (!calls->irq_start || calls->irq_end - calls->irq_start > MAX_IRQ_SZ)
		calls->irq_start = calls->irq_end = 0;
	/* Linux 6.11 split __do_softirq() and moved the handling to handle_softirqs() */
	if (!ksyms__range(k, "handle_softirqs", &calls->softirq_start, &calls->softirq_end) &&
	    !ksyms__range(k, "__do_softirq", &calls->softirq_start, &calls->softirq_end))
		calls->softirq_start = calls->softirq_end = 0;
}

/*
 * The imm of a call is the function's distance from __bpf_call_base. For a kfunc, if the JIT can
 * call distant functions, the imm is the function's id in BTF (fixup_kfunc_call() in
 * kernel/bpf/verifier.c): in a module's BTF if off is not 0.
 */
const char *kernel_names__called(struct kernel_names *n, const struct bpf_insn *call)
{
	const char *name, *by_id;
	const struct btf_type *t;
	const struct btf *btf;

	if (!ksyms_of(n) || !n->base || !call->imm)
		return NULL;
	name = kernel_names__at(n, n->base + call->imm);
	if (call->src_reg != BPF_PSEUDO_KFUNC_CALL)
		return name;
	if (call->off)
		return NULL;
	btf = btf_of(n);
	t = btf && call->imm > 0 ? btf__type_by_id(btf, call->imm) : NULL;
	by_id = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
	return name && by_id && strcmp(name, by_id) ? NULL : name ?: by_id;
}

int kernel_names__map_param(struct kernel_names *n, const char *func)
{
	const struct btf *btf = btf_of(n);
	struct map_param *p;

	for (int i = 0; i < n->known_cnt; i++)
		if (!strcmp(n->known[i].func, func))
			return n->known[i].param;
	p = array__add(&n->known, &n->known_cnt, sizeof(*p));
	*p = (struct map_param){func, btf ? map_args__param(btf, func) : 0};
	return p->param;
}
