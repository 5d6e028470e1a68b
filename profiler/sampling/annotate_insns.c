// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Formats instructions as text and adds up their samples. Owns the names of BPF instructions that
 * the kernel changed or added. Must not know source lines.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "sampling/annotate_insns.h"
#include "sampling/disasm.h"
#include "sampling/record_calls.h"

/* for the text of an instruction: names of functions have up to 511 characters */
#define TEXT_SZ 1024

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

/* Adds an instruction to a line. text may be NULL. */
static void add_insn(struct annotated_line *l, const struct annotated_insn *insn, const char *text)
{
	struct annotated_insn *new = array__add(&l->insn, &l->insn_cnt, sizeof(*new));

	*new = *insn;
	new->text = text__dup(text);
}

/* ---- names of what is called ---- */

static void set_insn_names(const struct record_prog *p, const struct record_call *call,
			   struct annotated_insn *insn)
{
	const struct record_map *map = call ? record_prog__map_of(p, call) : NULL;

	if (call) {
		insn->callee = text__dup(call->callee);
		insn->inlined = text__dup(call->inlined);
	}
	if (map) {
		insn->map = record_map__label(map);
		insn->map_type = xstrdup(map->type);
	}
}

/* Appends "(inlined HELPER, MAP, TYPE)", without parts that are unknown or in the text already. */
static void append_names(const struct annotated_insn *insn, char *buf, size_t sz)
{
	const char *helper = insn->inlined && !strstr(buf, insn->inlined) ? insn->inlined : "";
	size_t len = strlen(buf);

	if (!insn->inlined && !insn->map)
		return;
	snprintf(buf + len, sz - len, "%s(%s%s%s%s%s%s%s)", len ? " " : "",
		 insn->inlined ? "inlined" : "", *helper ? " " : "", helper,
		 insn->inlined && insn->map ? ", " : "", insn->map ?: "", insn->map ? ", " : "",
		 insn->map_type ?: "");
}

/* ---- BPF instructions ---- */

/* Returns the name of the function that a call instruction calls. */
static const char *find_called(const struct record_prog *p, const struct bpf_insn *insn, __u32 i,
			       const struct record_call *call)
{
	if (insn->src_reg == BPF_PSEUDO_CALL)
		return record_prog__find_callee(p, insn, i) ?: "function";
	if (call && (call->callee || call->inlined))
		return call->callee ?: call->inlined;
	if (insn->src_reg == BPF_PSEUDO_KFUNC_CALL)
		return "kfunc";
	return insn->imm == BPF_FUNC_tail_call ? "tail_call" : "helper";
}

static bool is_load_of(const struct bpf_insn *insn, __u8 src_reg)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == src_reg;
}

/*
 * Writes the text of the BPF instruction at index i to buf, without the part that append_names()
 * adds. Returns true if the instruction has two halves.
 */
static bool format_bpf(const struct insn_printer *printer, __u32 i, __u32 end,
		       const struct record_call *call, char *buf, size_t sz)
{
	const struct record_prog *p = printer->p;
	const __u8 *at = p->insns + (size_t)i * sizeof(struct bpf_insn);
	struct bpf_insn insn;
	size_t len = 0;

	memcpy(&insn, at, sizeof(insn));
	*buf = '\0';
	if (printer->bpf)
		len = disasm__next(printer->bpf, at, (size_t)(end - i) * sizeof(insn), 0, buf, sz);
	/* LLVM does not know the instruction, because it exists only inside the kernel */
	if (printer->bpf && !len)
		snprintf(buf, sz, ".insn 0x%02x", insn.code);
	/*
	 * The disassembler cannot format calls and loads of map or function addresses, because the
	 * kernel changes them when it shows them (kernel/bpf/syscall.c, bpf_insn_prepare_dump()).
	 */
	if (is_load_of(&insn, BPF_PSEUDO_MAP_FD))
		snprintf(buf, sz, "r%u = map id %d ll", insn.dst_reg, insn.imm);
	else if (is_load_of(&insn, BPF_PSEUDO_FUNC))
		snprintf(buf, sz, "r%u = %s ll", insn.dst_reg,
			 record_prog__find_callee(p, &insn, i) ?: "function");
	else if (insn.code == (BPF_JMP | BPF_CALL))
		snprintf(buf, sz, "call %s", find_called(p, &insn, i, call));
	return printer->bpf ? len > sizeof(insn) : insn.code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* Without a disassembler, only calls with known names are added. */
static void add_bpf(const struct insn_printer *printer, const struct code_part *part,
		    struct annotated_line *l)
{
	const struct record_prog *p = printer->p;
	__u32 i = part->insn_off;

	while (p->insns && i < part->insn_end) {
		const struct record_call *call =
			record_calls__find(p->bpf_call, p->bpf_call_cnt, i);
		struct annotated_insn new = {.off = i};
		char text[TEXT_SZ];
		bool is_long = format_bpf(printer, i, part->insn_end, call, text, sizeof(text));

		if (printer->bpf || call) {
			set_insn_names(p, call, &new);
			append_names(&new, text, sizeof(text));
			add_insn(l, &new, text);
		}
		i += is_long ? 2 : 1;
	}
}

/* ---- JITed instructions ---- */

/* The position in a part: the indices of the next place and the next call. */
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

/*
 * Adds a JITed instruction. After its text come the names of the function and map that it uses. If
 * the text is empty and there are no names, the instruction has no text.
 */
static void add_jited_insn(const struct record_prog *p, struct annotated_line *l, __u32 code_off,
			   struct annotated_insn *new, char *text, size_t sz)
{
	size_t len = strlen(text);

	set_insn_names(p, record_calls__find(p->code_call, p->code_call_cnt, code_off), new);
	if (new->callee) {
		snprintf(text + len, sz - len, "%s<%s>", len ? " " : "", new->callee);
		append_names(new, text, sz);
	}
	add_insn(l, new, *text ? text : NULL);
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

/* Without a disassembler, adds an instruction, with names but no text, for each sampled place. */
static void add_places(const struct record_prog *p, const struct record_func *f,
		       const struct code_part *part, struct annotated_line *l)
{
	struct part_walk w = {.part = part};
	__u32 at;

	while (next_place(&w, &at)) {
		struct annotated_insn new = {.jited = true, .off = at - f->code_off, .len = 1};
		char text[TEXT_SZ] = "";

		take_insn_places(&w, at + 1, &new.sum);
		add_jited_insn(p, l, at, &new, text, sizeof(text));
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
		new.len = len;
		take_insn_places(&w, at + len, &new.sum);
		add_jited_insn(printer->p, l, at, &new, text, sizeof(text));
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
		add_places(printer->p, f, part, l);
}
