// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Formats instructions as text and adds up their samples. Owns the names of those BPF instructions
 * that the kernel changed or added. Must not know source lines.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/memory.h"
#include "base/util.h"
#include "btf/call_graph.h"
#include "sampling/annotate_insns.h"
#include "sampling/disasm.h"

#define TEXT_SZ 160

const char *insn_printer__open(struct insn_printer *printer, const char *arch)
{
	int err = disasm__new("bpf", &printer->bpf);

	if (!err)
		err = disasm__new(arch ?: "", &printer->jited);
	switch (err) {
	case -EOPNOTSUPP:
		return "this bprof was built without LLVM: instructions are not disassembled";
	case -ELIBACC:
		return "the LLVM library that this bprof was built for is not installed: "
		       "instructions are not disassembled";
	case -ENOENT:
		return "LLVM does not know this architecture: instructions are not disassembled";
	default:
		return NULL;
	}
}

void insn_printer__close(struct insn_printer *printer)
{
	disasm__free(printer->bpf);
	disasm__free(printer->jited);
}

static void add_insn(struct annotated_line *l, const struct annotated_insn *insn, const char *text)
{
	struct annotated_insn *new = array__add(&l->insn, &l->insn_cnt, sizeof(*new));

	*new = *insn;
	if (text)
		new->text = xstrdup(text);
}

/* ---- BPF instructions ---- */

/* Returns the name of the function that instruction i refers to, or "function" if it is unknown. */
static const char *find_func(const struct record_prog *p, const struct bpf_insn *insn, __u32 i)
{
	const char *name = NULL;

	for (int f = 0; f < p->func_cnt; f++) {
		if (!p->func[f].insn_cnt || !insn__may_enter(insn, i, p->func[f].insn_off))
			continue;
		if (name) /* the instruction may refer to either function */
			return "function";
		name = p->func[f].name;
	}
	return name ?: "function";
}

/*
 * Formats a call or a load of a map or function address. The disassembler cannot format these,
 * because the kernel changes them when it shows them (kernel/bpf/syscall.c,
 * bpf_insn_prepare_dump()). Returns false for other instructions.
 */
static bool name_insn(const struct record_prog *p, const struct bpf_insn *insn, __u32 i, char *buf,
		      size_t sz)
{
	const char *func;

	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_MAP_FD) {
		snprintf(buf, sz, "r%u = map id %d ll", insn->dst_reg, insn->imm);
		return true;
	}
	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC) {
		snprintf(buf, sz, "r%u = %s ll", insn->dst_reg, find_func(p, insn, i));
		return true;
	}
	if (insn->code != (BPF_JMP | BPF_CALL))
		return false;
	func = insn->src_reg == BPF_PSEUDO_CALL	 ? find_func(p, insn, i)
	       : insn->imm == BPF_FUNC_tail_call ? "tail_call"
						 : "helper";
	snprintf(buf, sz, "call %s", func);
	return true;
}

static void add_bpf(const struct insn_printer *printer, const struct code_part *part,
		    struct annotated_line *l)
{
	const struct record_prog *p = printer->p;
	__u32 i = part->insn_off;

	while (p->insns && printer->bpf && i < part->insn_end) {
		const __u8 *at = p->insns + (size_t)i * sizeof(struct bpf_insn);
		size_t left = (size_t)(part->insn_end - i) * sizeof(struct bpf_insn);
		struct annotated_insn new = {.off = i};
		struct bpf_insn insn;
		char text[TEXT_SZ];
		size_t len;

		memcpy(&insn, at, sizeof(insn));
		len = disasm__next(printer->bpf, at, left, 0, text, sizeof(text));
		/* LLVM does not know the instruction, because it exists only inside the kernel */
		if (!len)
			snprintf(text, sizeof(text), ".insn 0x%02x", insn.code);
		name_insn(p, &insn, i, text, sizeof(text));
		add_insn(l, &new, text);
		i += len > sizeof(insn) ? 2 : 1;
	}
}

/* ---- JITed instructions ---- */

/* The next place and the next call of a part. */
struct part_walk {
	const struct code_part *part;
	int place, call;
};

/* Adds the samples of all places and calls before the offset "end" to *sum. */
static void take_insn_places(struct part_walk *w, __u32 end, struct annotated *sum)
{
	const struct code_part *part = w->part;

	for (; w->place < part->place_cnt && part->place[w->place].code_off < end; w->place++) {
		sum->samples += part->place[w->place].samples;
		sum->weight += part->place[w->place].weight;
	}
	for (; w->call < part->call_cnt && part->call[w->call].code_off < end; w->call++) {
		sum->calls += part->call[w->call].samples;
		sum->calls_weight += part->call[w->call].weight;
	}
}

/* Sets *at to the offset of the next place or call. Returns false if there is none. */
static bool next_place(const struct part_walk *w, __u32 *at)
{
	const struct code_part *part = w->part;
	bool place = w->place < part->place_cnt, call = w->call < part->call_cnt;

	*at = place ? part->place[w->place].code_off : UINT32_MAX;
	if (call && part->call[w->call].code_off < *at)
		*at = part->call[w->call].code_off;
	return place || call;
}

/*
 * Adds an instruction without text for each place that has samples. Used if there is no
 * disassembler.
 */
static void add_places(const struct record_func *f, const struct code_part *part,
		       struct annotated_line *l)
{
	struct part_walk w = {.part = part};
	__u32 at;

	while (next_place(&w, &at)) {
		struct annotated_insn new = {.jited = true, .off = at - f->code_off};

		take_insn_places(&w, at + 1, &new.sum);
		add_insn(l, &new, NULL);
	}
}

static void add_jited(const struct insn_printer *printer, const struct record_func *f,
		      const struct code_part *part, struct annotated_line *l)
{
	struct part_walk w = {.part = part};
	__u32 at = part->code_off;

	while (at < part->code_end) {
		struct annotated_insn new = {.jited = true, .off = at - f->code_off};
		char text[TEXT_SZ];
		size_t len = disasm__next(printer->jited, printer->p->code + at,
					  part->code_end - at, new.off, text, sizeof(text));

		if (!len) {
			snprintf(text, sizeof(text), ".byte 0x%02x", printer->p->code[at]);
			len = 1;
		}
		take_insn_places(&w, at + len, &new.sum);
		add_insn(l, &new, text);
		at += len;
	}
}

void insn_printer__add(const struct insn_printer *printer, const struct record_func *f,
		       const struct code_part *part, struct annotated_line *l)
{
	add_bpf(printer, part, l);
	if (printer->jited)
		add_jited(printer, f, part, l);
	else
		add_places(f, part, l);
}
