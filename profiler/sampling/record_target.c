// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds loaded programs to a recording. Assigns a program's source lines and addresses to its
 * functions. Must not know perf events.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "btf/call_graph.h"
#include "btf/func_table.h"
#include "btf/prog_code.h"
#include "btf/reason.h"
#include "sampling/kernel_names.h"
#include "sampling/record_callees.h"
#include "sampling/record_calls.h"
#include "sampling/record_target.h"
#include "sampling/sampling.h"

/* Returns true if the program's function table has an entry for each JITed function. */
static bool funcs_are_known(const struct prog *p, const struct prog_code *code)
{
	return p->funcs && p->funcs->cnt == code->func_cnt;
}

static void add_target_func(struct record_prog *rp, const struct prog *p,
			    const struct prog_code *code, __u32 i)
{
	__u32 insn_cnt = p->info.xlated_prog_len / sizeof(struct bpf_insn);
	struct record_func *prev = i ? &rp->func[i - 1] : NULL;
	__u32 code_off = prev ? prev->code_off + prev->code_len : 0;
	struct record_func *f = record_prog__add_func(rp);
	char name[32];

	f->code_off = code_off;
	f->code_len = code->len[i];
	if (funcs_are_known(p, code)) {
		f->insn_off = p->funcs->fn[i].insn_off;
		f->insn_cnt = func_table__end(p->funcs, i, insn_cnt) - f->insn_off;
		f->name = xstrdup(p->funcs->fn[i].label);
	} else {
		/*
		 * Without func_info, the instructions of each function are not known, unless there
		 * is only one function.
		 */
		f->insn_cnt = code->func_cnt == 1 ? insn_cnt : 0;
		snprintf(name, sizeof(name), "function %u", i);
		f->name = xstrdup(i ? name : prog__name(p));
	}
}

/* Sets *code_off to the line's offset in the JITed code. Returns false if it is not known. */
static bool find_line_code(const struct record_prog *rp, const struct prog_code *code,
			   const struct bpf_line *line, __u32 *code_off)
{
	int i = rp->func_cnt - 1;

	while (i > 0 && rp->func[i].insn_off > line->insn_off)
		i--;
	if (line->jited_addr < code->addr[i] || line->jited_addr > code->addr[i] + code->len[i])
		return false;
	*code_off = rp->func[i].code_off + (line->jited_addr - code->addr[i]);
	return !rp->line_cnt || *code_off >= rp->line[rp->line_cnt - 1].code_off;
}

static void add_source_lines(struct record_prog *rp, const struct prog_code *code)
{
	for (__u32 i = 0; i < code->line_cnt; i++) {
		const struct bpf_line *from = &code->line[i];
		struct record_line *l;
		__u32 code_off;

		if (!find_line_code(rp, code, from, &code_off))
			continue;
		l = record_prog__add_line(rp);
		l->insn_off = from->insn_off;
		l->code_off = code_off;
		l->line = from->line;
		l->col = from->col;
		l->file = xstrdup(from->file);
		l->text = xstrdup(from->text);
	}
}

static void read_bpf_insns(struct record_prog *rp, const struct prog *p)
{
	struct bpf_insn *insns;
	__u32 cnt;
	int err = prog__read_insns(p, &insns, &cnt);

	if (err == -EACCES) {
		report_notes__add(&rp->notes,
				  "the kernel withholds its BPF instructions, as it blinds "
				  "constants in them (net.core.bpf_jit_harden)");
	} else if (err == -E2BIG) {
		report_notes__add(&rp->notes,
				  "the kernel cannot return its %u BPF instructions at once",
				  p->info.xlated_prog_len / (__u32)sizeof(*insns));
	} else if (err) {
		report_notes__add(&rp->notes, "its BPF instructions cannot be read: %s",
				  strerror(-err));
	} else {
		rp->insns = (__u8 *)insns;
		rp->insns_sz = cnt * sizeof(*insns);
	}
}

static void fill_record_prog(struct record_prog *rp, const struct prog *p,
			     const struct prog_code *code)
{
	const char *why = NULL;

	rp->id = p->info.id;
	rp->name = xstrdup(prog__name(p));
	rp->type = xstrdup(prog_type__name(p->info.type));
	prog__tag(p, rp->tag);
	rp->code = xmalloc(code->jited_len + 1);
	memcpy(rp->code, code->jited, code->jited_len);
	rp->code_sz = code->jited_len;
	for (__u32 i = 0; i < code->func_cnt; i++)
		add_target_func(rp, p, code, i);
	if (funcs_are_known(p, code))
		add_source_lines(rp, code);
	read_bpf_insns(rp, p);
	if (!p->funcs)
		why = "no BTF (compiled without -g, or it cannot be read): no source lines, and "
		      "no names of functions";
	else if (!funcs_are_known(p, code))
		why = "its func_info does not match its code: no source lines, and no names of "
		      "functions";
	else if (!rp->line_cnt)
		why = "no line_info: no source lines";
	if (why)
		report_notes__add(&rp->notes, "%s", why);
}

int record__add_target(struct record *r, struct prog *p, wants_func wants, const void *arg,
		       struct kernel_names *names, struct ip_ranges *ranges, struct reason *reason)
{
	struct prog_code code = {};
	struct record_prog *rp;
	int err;

	reason__set(reason, REASON_NONE, 0, NULL);
	err = prog__read_code(p, &code, reason);
	if (err)
		goto out;
	rp = record__add_prog(r);
	fill_record_prog(rp, p, &code);
	record_prog__name_calls(rp, p, code.addr, names);
	for (__u32 i = 0; !err && i < code.func_cnt; i++) {
		kernel_names__add_code(names, code.addr[i], code.len[i], rp->func[i].name);
		rp->func[i].sampled = wants(&rp->func[i], arg);
		if (rp->func[i].sampled)
			err = ip_ranges__add(ranges, code.addr[i], code.len[i]);
	}
out:
	prog_code__free(&code);
	return err;
}

/*
 * Returns the offset of the call instruction whose last byte is at code_off. On x86-64, a call of a
 * helper or function has five bytes. On other architectures, a cell stands for an entire
 * instruction, so code_off is its offset already.
 */
static __u32 call_off(const struct record_prog *p, const struct record_func *f, __u32 code_off)
{
#ifdef __x86_64__
	if (code_off >= f->code_off + 4 && p->code[code_off - 4] == 0xe8 &&
	    !(p->call_cnt && p->call[p->call_cnt - 1].code_off >= code_off - 4))
		return code_off - 4;
#endif
	return code_off;
}

static void read_cell(const struct bprof_ip_cell *cell, __u32 code_off, struct record_prog *p,
		      struct record_place *(*add)(struct record_prog *p))
{
	if (cell && cell->samples)
		*add(p) = (struct record_place){code_off, cell->samples, cell->weight};
}

static void read_samples(struct record_prog *p, const struct record_func *f,
			 const struct bprof_ip_range *range, const struct ip_sampler *sampler)
{
	unsigned int shift = ip_sampler__shift();

	for (__u32 off = 0; off < f->code_len; off += 1u << shift) {
		__u32 cell = range->first + (off >> shift), at = f->code_off + off;

		read_cell(ip_sampler__cell(sampler, cell), at, p, record_prog__add_place);
		read_cell(ip_sampler__call_cell(sampler, cell), call_off(p, f, at), p,
			  record_prog__add_call);
	}
}

void record__read_samples(struct record *r, const struct ip_ranges *ranges,
			  struct kernel_names *names, const struct ip_sampler *sampler)
{
	const struct bprof_ip_range *range = ranges->v;

	for (int i = 0; i < r->prog_cnt; i++)
		for (int k = 0; k < r->prog[i].func_cnt; k++)
			if (r->prog[i].func[k].sampled)
				read_samples(&r->prog[i], &r->prog[i].func[k], range++, sampler);
	record__read_callees(r, ranges, names, sampler);
}

void record__note_losses(struct record *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		sampling__note_losses(
			r->prog[i].type,
			record_places__sum(r->prog[i].place, r->prog[i].place_cnt).samples,
			r->samples.lost, &r->prog[i].notes);
}

void record__note_gaps(struct record *r, const struct cpus *gaps)
{
	char text[64];

	for (int i = 0; gaps->cnt && i < r->prog_cnt; i++)
		report_notes__add(&r->prog[i].notes,
				  "%s was not always sampled on CPU %s: samples of runs there are "
				  "missing",
				  r->event, cpus__format(gaps, text, sizeof(text)));
}
