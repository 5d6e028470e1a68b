// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes annotations as JSON, including lines below the percent limit, and reads them. Owns the
 * fields:
 *
 *   {"annotate":1,"tool":"bprof", … event, samples as in recordings …,
 *    "programs":[{"id":42,"name":"xdp_lb","type":"xdp","tag":"…","samples":4000,"weight":…,
 *      "share":0.9,                                       of the samples in the programs
 *      "functions":[{"name":"xdp_lb","samples":…,"weight":…,"share":…,
 *        "lines":[{"file":"lb.bpf.c","line":20,"text":"…","samples":…,"weight":…,"share":…,
 *          "insns":[{"insn":3,"text":"r1 = 0"},
 *                   {"insn":9,"text":"call …","callee":"…","inlined":"…","map":"…","map_type":"…"},
 *                   {"offset":16,"text":"xorl %edi, %edi","samples":…,"weight":…,"share":…}]}]}],
 *      "whole":true,                               if all functions were sampled
 *      "notes":[…]}],
 *    "skipped":[…]}
 *
 * The share of a function, line or instruction is its share of the program's samples. Lines and
 * functions have
 * "callees":[{"depth":1,"name":"…","map":"…","map_type":"…","samples":…,"weight":…,"share":…}], a
 * tree as in struct annotated_callees. If a function, line or instruction calls functions with
 * samples, "calls" and "calls_weight" have these samples and their weight, in addition to "samples"
 * and "weight".
 */
#include <stdint.h>
#include <jansson.h>

#include "base/memory.h"
#include "json/json_ascii.h"
#include "json/json_make.h"
#include "report/report_head.h"
#include "sampling/annotate.h"
#include "sampling/annotate_insns.h"
#include "sampling/record_json.h"

#define ANNOTATE_SCHEMA 1

#define INSN(field) offsetof(struct annotated_insn, field)

static const struct json_field insn_name_rows[] = {
	FIELD("text", string, INSN(text), .omit = true),
	FIELD("callee", string, INSN(callee), .omit = true),
	FIELD("inlined", string, INSN(inlined), .omit = true),
	FIELD("map", string, INSN(map), .omit = true),
	FIELD("map_type", string, INSN(map_type), .omit = true),
	{},
};

static const struct json_field notes_rows[] = {
	FIELD("notes", list, offsetof(struct record_prog, notes), .omit = true,
	      .arg = &report_notes_list),
	{},
};

static void set_sampled_sum(json_t *obj, const struct annotated *part,
			    const struct annotated *whole)
{
	json_object_set_new(obj, "samples", json__make_u64(part->samples));
	json_object_set_new(obj, "weight", json__make_u64(part->weight));
	if (part->calls) {
		json_object_set_new(obj, "calls", json__make_u64(part->calls));
		json_object_set_new(obj, "calls_weight", json__make_u64(part->calls_weight));
	}
	json__set_number(obj, "share", annotated__share(part, whole));
	json__set_number(obj, "share_stddev", annotated__share_stddev(part, whole));
}

#define CALLEE(field) offsetof(struct annotated_callee, field)

static const struct json_range callee_depth = {1, BPROF_IP_CALLEES};

static const struct json_field callee_rows[] = {
	FIELD("depth", int, CALLEE(depth), .required = true, .arg = &callee_depth),
	FIELD("name", string, CALLEE(name), .required = true),
	FIELD("map", string, CALLEE(map), .omit = true),
	FIELD("map_type", string, CALLEE(map_type), .omit = true),
	FIELD("samples", u64, CALLEE(samples), .required = true),
	FIELD("weight", u64, CALLEE(weight), .required = true),
	{},
};

static void set_callees(json_t *obj, const struct annotated_callees *callees,
			const struct annotated *whole)
{
	json_t *list = json_array();

	for (int i = 0; i < callees->cnt; i++) {
		const struct annotated sum = annotated_callee__sum(&callees->v[i]);
		json_t *callee = json_object();

		json__set_fields(callee, callee_rows, &callees->v[i], NULL);
		json__set_number(callee, "share", annotated__share(&sum, whole));
		json_array_append_new(list, callee);
	}
	if (callees->cnt)
		json_object_set_new(obj, "callees", list);
	else
		json_decref(list);
}

static json_t *make_annotated_line(const struct annotated_line *l, const struct annotated *whole,
				   const struct annotate_opts *o)
{
	json_t *obj = json_object(), *insns = json_array();

	json__set_string(obj, "file", l->file);
	json_object_set_new(obj, "line", json_integer(l->line));
	json__set_string(obj, "text", l->text);
	set_sampled_sum(obj, &l->sum, whole);
	set_callees(obj, &l->callees, whole);
	for (int i = 0; !o->lines_only && i < l->insn_cnt; i++) {
		const struct annotated_insn *insn = &l->insn[i];
		json_t *elem = json_object();

		json_object_set_new(elem, insn->jited ? "offset" : "insn", json_integer(insn->off));
		json__set_fields(elem, insn_name_rows, insn, NULL);
		if (insn->jited)
			set_sampled_sum(elem, &insn->sum, whole);
		json_array_append_new(insns, elem);
	}
	json_object_set_new(obj, "insns", insns);
	return obj;
}

static json_t *make_annotated_func(const struct annotated_func *f, const struct annotated *whole,
				   const struct annotate_opts *o)
{
	json_t *obj = json_object(), *lines = json_array();

	json__set_string(obj, "name", f->func->name);
	set_sampled_sum(obj, &f->sum, whole);
	set_callees(obj, &f->callees, whole);
	for (int i = 0; i < f->line_cnt; i++)
		json_array_append_new(lines, make_annotated_line(&f->line[i], whole, o));
	json_object_set_new(obj, "lines", lines);
	return obj;
}

static json_t *make_annotated_prog(const struct annotation *a, const struct annotated_prog *p,
				   const struct annotate_opts *o)
{
	json_t *obj = json_object(), *funcs = json_array();

	json_object_set_new(obj, "id", json_integer(p->prog->id));
	json__set_string(obj, "name", p->prog->name);
	json__set_string(obj, "type", p->prog->type);
	json__set_string(obj, "tag", p->prog->tag);
	set_sampled_sum(obj, &p->sum, &a->sum);
	for (int i = 0; i < p->func_cnt; i++)
		json_array_append_new(funcs, make_annotated_func(&p->func[i], &p->sum, o));
	json_object_set_new(obj, "functions", funcs);
	if (annotated_prog__is_whole(p))
		json_object_set_new(obj, "whole", json_true());
	json__set_fields(obj, record_runs_rows, p->prog, NULL);
	if (a->r->run_stats)
		json__set_number(obj, "cpu_share", annotated_prog__cpu_share(a, p));
	if (annotated_prog__advice(a, p))
		json__set_string(obj, "advice", annotated_prog__advice(a, p));
	json__set_fields(obj, notes_rows, p->prog, NULL);
	return obj;
}

void annotation__print_json(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	json_t *obj = json_object(), *progs = json_array();

	json_object_set_new(obj, "annotate", json_integer(ANNOTATE_SCHEMA));
	json__set_fields(obj, record_head_rows, a->r, NULL);
	for (int i = 0; i < a->prog_cnt; i++)
		json_array_append_new(progs, make_annotated_prog(a, &a->prog[i], o));
	json_object_set_new(obj, "programs", progs);
	json__set_fields(obj, record_skip_rows, a->r, NULL);
	json__print(obj, o->one_line ? JSON_LINE : JSON_INDENTED, out);
}

/* ---- reading: first the names into a recording, then the samples ---- */

#define PROG(field) offsetof(struct record_prog, field)
#define LINE(field) offsetof(struct annotated_line, field)

static const struct json_field func_name_rows[] = {
	FIELD("name", string, offsetof(struct record_func, name), .required = true),
	{},
};

static const struct json_field prog_name_rows[] = {
	FIELD("id", u32, PROG(id), .required = true),
	FIELD("name", string, PROG(name), .required = true),
	FIELD("type", string, PROG(type), .required = true),
	FIELD("tag", tag, PROG(tag), .required = true),
	FIELD("functions", list, 0, .required = true,
	      .arg = LIST(struct record_prog, func, func_cnt, object, .elem.arg = func_name_rows)),
	FIELD(NULL, object, 0, .arg = record_runs_rows),
	FIELD(NULL, object, 0, .arg = notes_rows),
	{},
};

/* The JSON has only sampled functions. It also says whether the program has no other functions. */
static int mark_sampled_funcs(struct json_reader *rd, json_t *v, void *to)
{
	struct record_prog *p = to;

	for (int i = 0; i < p->func_cnt; i++)
		p->func[i].sampled = json_is_true(json_object_get(v, "whole"));
	return 0;
}

static const struct json_field name_rows[] = {
	FIELD(NULL, object, 0, .arg = record_head_rows),
	FIELD("programs", list, 0, .required = true,
	      .arg = LIST(struct record, prog, prog_cnt, object, .elem.arg = prog_name_rows,
			  .elem.check = mark_sampled_funcs, .max = READER_MAX_ROWS)),
	FIELD(NULL, object, 0, .arg = record_skip_rows),
	{},
};

static const struct json_field sum_rows[] = {
	FIELD("samples", u64, offsetof(struct annotated, samples)),
	FIELD("weight", u64, offsetof(struct annotated, weight)),
	FIELD("calls", u64, offsetof(struct annotated, calls)),
	FIELD("calls_weight", u64, offsetof(struct annotated, calls_weight)),
	{},
};

/* The instruction's offset: an index if it is a BPF instruction, in bytes if it is a JITed one. */
static int check_insn(struct json_reader *rd, json_t *v, void *to)
{
	struct annotated_insn *insn = to;

	insn->jited = json_object_get(v, "offset");
	return 0;
}

static const struct json_field insn_rows[] = {
	FIELD("insn", u32, INSN(off)),
	FIELD("offset", u32, INSN(off)),
	FIELD(NULL, object, 0, .arg = insn_name_rows),
	FIELD(NULL, object, INSN(sum), .arg = sum_rows),
	{},
};

/* The rows of a struct annotated_callees. */
static const struct json_field callees_rows[] = {
	FIELD("callees", list, 0,
	      .arg = LIST(struct annotated_callees, v, cnt, object, .elem.arg = callee_rows)),
	{},
};

static const struct json_field line_rows[] = {
	FIELD("file", string, LINE(file), .required = true),
	FIELD("line", u32, LINE(line), .required = true),
	FIELD("text", string, LINE(text), .required = true),
	FIELD(NULL, object, LINE(sum), .arg = sum_rows),
	FIELD(NULL, object, LINE(callees), .arg = callees_rows),
	FIELD("insns", list, 0,
	      .arg = LIST(struct annotated_line, insn, insn_cnt, object, .elem.arg = insn_rows,
			  .elem.check = check_insn)),
	{},
};

static const struct json_field func_rows[] = {
	FIELD(NULL, object, offsetof(struct annotated_func, sum), .arg = sum_rows),
	FIELD(NULL, object, offsetof(struct annotated_func, callees), .arg = callees_rows),
	FIELD("lines", list, 0, .required = true,
	      .arg = LIST(struct annotated_func, line, line_cnt, object, .elem.arg = line_rows)),
	{},
};

static const struct json_field prog_rows[] = {
	FIELD(NULL, object, offsetof(struct annotated_prog, sum), .arg = sum_rows),
	FIELD("functions", list, 0, .required = true,
	      .arg = LIST(struct annotated_prog, func, func_cnt, object, .elem.arg = func_rows)),
	{},
};

static const struct json_field rows[] = {
	FIELD("programs", list, 0, .required = true,
	      .arg = LIST(struct annotation, prog, prog_cnt, object, .elem.arg = prog_rows)),
	{},
};

static bool is_part(const struct annotated *part, const struct annotated *whole)
{
	return part->samples <= whole->samples && part->weight <= whole->weight &&
	       part->calls <= whole->calls && part->calls_weight <= whole->calls_weight;
}

/*
 * Returns true if the callees of each caller together have at most as many samples as the caller.
 * "whole" is the caller of the callees of depth 1.
 */
static bool are_callees_part(const struct annotated_callees *callees, const struct annotated *whole)
{
	/* indexed by depth: the caller's samples that are in none of the callees so far */
	__u64 samples[BPROF_IP_CALLEES + 1] = {whole->calls};
	__u64 weight[BPROF_IP_CALLEES + 1] = {whole->calls_weight};
	int depth = 0;

	for (int i = 0; i < callees->cnt; i++) {
		const struct annotated_callee *c = &callees->v[i];

		if (c->depth > depth + 1 || c->samples > samples[c->depth - 1] ||
		    c->weight > weight[c->depth - 1])
			return false;
		depth = c->depth;
		samples[depth - 1] -= c->samples;
		weight[depth - 1] -= c->weight;
		samples[depth] = c->samples;
		weight[depth] = c->weight;
	}
	return true;
}

static bool is_func_part(const struct annotated_func *f, const struct annotated *whole)
{
	bool is = is_part(&f->sum, whole) && are_callees_part(&f->callees, &f->sum);

	for (int i = 0; i < f->line_cnt; i++) {
		is &= is_part(&f->line[i].sum, whole);
		is &= are_callees_part(&f->line[i].callees, &f->line[i].sum);
		for (int k = 0; k < f->line[i].insn_cnt; k++)
			is &= is_part(&f->line[i].insn[k].sum, whole);
	}
	return is;
}

/* Adds up the samples. Refuses parts larger than the whole, because a share is at most 1. */
static int add_up(struct annotation *a, struct report_error *err)
{
	bool is = true;

	for (int i = 0; i < a->prog_cnt; i++) {
		const struct annotated_prog *p = &a->prog[i];

		is &= !__builtin_add_overflow(a->sum.samples, p->sum.samples, &a->sum.samples);
		is &= !__builtin_add_overflow(a->sum.weight, p->sum.weight, &a->sum.weight);
		is &= !__builtin_add_overflow(a->sum.calls, p->sum.calls, &a->sum.calls);
		is &= !__builtin_add_overflow(a->sum.calls_weight, p->sum.calls_weight,
					      &a->sum.calls_weight);
		is &= a->sum.calls <= UINT64_MAX - a->sum.samples;
		for (int k = 0; k < p->func_cnt; k++)
			is &= is_func_part(&p->func[k], &p->sum);
	}
	return is ? 0
		  : report_error__set(err, err->line,
				      "programs: a function has more samples than its program");
}

static bool has_bare_insn(const struct annotation *a)
{
	bool has = false;

	for (int i = 0; i < a->prog_cnt; i++)
		for (int k = 0; k < a->prog[i].func_cnt; k++)
			for (int n = 0; n < a->prog[i].func[k].line_cnt; n++)
				for (int m = 0; m < a->prog[i].func[k].line[n].insn_cnt; m++)
					has |= !a->prog[i].func[k].line[n].insn[m].text;
	return has;
}

int annotation__parse(const struct report_source *src, json_t *doc, struct annotation **out,
		      struct report_error *err)
{
	struct annotation *a = xcalloc(1, sizeof(*a));
	struct insn_printer printer = {};
	int ret = report_source__check(src, doc, "annotate", ANNOTATE_SCHEMA, err);

	*out = NULL;
	a->r = a->own = record__new();
	ret = ret ?: report__fill(a->own->head, doc, name_rows, a->own, err) ?:
	      report__fill(a->own->head, doc, rows, a, err) ?: add_up(a, err);
	if (ret) {
		annotation__free(a);
		return ret;
	}
	/*
	 * The JSON does not say why instructions have no text. If this bprof has no disassembler,
	 * assume that this is why.
	 */
	if (has_bare_insn(a))
		a->no_disasm = insn_printer__open(&printer, a->r->head->host.arch);
	insn_printer__close(&printer);
	/* Link the samples with the names. Both were read from the same lists. */
	for (int i = 0; i < a->prog_cnt; i++) {
		struct annotated_prog *p = &a->prog[i];

		p->prog = &a->own->prog[i];
		for (int k = 0; k < p->func_cnt; k++)
			p->func[k].func = &p->prog->func[k];
	}
	*out = a;
	return 0;
}
