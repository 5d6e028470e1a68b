// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Annotations as JSON, including lines below the percent limit. Owns the fields:
 *
 *   {"annotate":1,"tool":"bprof", … event, samples as in recordings …,
 *    "programs":[{"id":42,"name":"xdp_lb","type":"xdp","tag":"…","samples":4000,"weight":…,
 *      "share":0.9,                                       of the samples in the programs
 *      "functions":[{"name":"xdp_lb","samples":…,"weight":…,"share":…,
 *        "lines":[{"file":"lb.bpf.c","line":20,"text":"…","samples":…,"weight":…,"share":…,
 *          "insns":[{"insn":3,"text":"r1 = 0"},
 *                   {"offset":16,"text":"xorl %edi, %edi","samples":…,"weight":…,"share":…}]}]}],
 *      "notes":[…]}],
 *    "skipped":[…]}
 *
 * The share of a function, line or instruction is its share of its program's samples.
 */
#include <errno.h>
#include <jansson.h>

#include "json/json_ascii.h"
#include "json/json_make.h"
#include "report/report_head.h"
#include "sampling/annotate.h"
#include "sampling/record_json.h"

#define ANNOTATE_SCHEMA 1

static const struct json_field notes_rows[] = {
	FIELD("notes", list, offsetof(struct record_prog, notes), .omit = true,
	      .arg = &report_notes_list),
	{},
};

static int set_sum(json_t *obj, const struct annotated *part, const struct annotated *whole)
{
	int err = 0;

	err |= json_object_set_new(obj, "samples", json__make_u64(part->samples));
	err |= json_object_set_new(obj, "weight", json__make_u64(part->weight));
	return err | json__set_number(obj, "share", annotated__share(part, whole));
}

static json_t *make_insn(const struct annotated_insn *insn, const struct annotated *whole)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, insn->jited ? "offset" : "insn", json_integer(insn->off));
	if (insn->text)
		err |= json__set_string(obj, "text", insn->text);
	if (insn->jited)
		err |= set_sum(obj, &insn->sum, whole);
	return json__finish(obj, err);
}

static json_t *make_line(const struct annotated_line *l, const struct annotated *whole,
			 const struct annotate_opts *o)
{
	json_t *obj = json_object(), *insns = json_array();
	int err = 0;

	err |= json__set_string(obj, "file", l->file);
	err |= json_object_set_new(obj, "line", json_integer(l->line));
	err |= json__set_string(obj, "text", l->text);
	err |= set_sum(obj, &l->sum, whole);
	for (int i = 0; !o->lines_only && i < l->insn_cnt; i++)
		err |= json_array_append_new(insns, make_insn(&l->insn[i], whole));
	err |= json_object_set_new(obj, "insns", insns);
	return json__finish(obj, err);
}

static json_t *make_func(const struct annotated_func *f, const struct annotated *whole,
			 const struct annotate_opts *o)
{
	json_t *obj = json_object(), *lines = json_array();
	int err = 0;

	err |= json__set_string(obj, "name", f->func->name);
	err |= set_sum(obj, &f->sum, whole);
	for (int i = 0; i < f->line_cnt; i++)
		err |= json_array_append_new(lines, make_line(&f->line[i], whole, o));
	err |= json_object_set_new(obj, "lines", lines);
	return json__finish(obj, err);
}

static json_t *make_prog(const struct annotation *a, const struct annotated_prog *p,
			 const struct annotate_opts *o)
{
	json_t *obj = json_object(), *funcs = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "id", json_integer(p->prog->id));
	err |= json__set_string(obj, "name", p->prog->name);
	err |= json__set_string(obj, "type", p->prog->type);
	err |= json__set_string(obj, "tag", p->prog->tag);
	err |= set_sum(obj, &p->sum, &a->sum);
	for (int i = 0; i < p->func_cnt; i++)
		err |= json_array_append_new(funcs, make_func(&p->func[i], &p->sum, o));
	err |= json_object_set_new(obj, "functions", funcs);
	err |= json__set_fields(obj, notes_rows, p->prog, NULL);
	return json__finish(obj, err);
}

int annotation__print_json(const struct annotation *a, const struct annotate_opts *o, FILE *out)
{
	json_t *obj = json_object(), *progs = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "annotate", json_integer(ANNOTATE_SCHEMA));
	err |= json__set_fields(obj, record_head_rows, a->r, NULL);
	for (int i = 0; i < a->prog_cnt; i++)
		err |= json_array_append_new(progs, make_prog(a, &a->prog[i], o));
	err |= json_object_set_new(obj, "programs", progs);
	err |= json__set_fields(obj, record_skip_rows, a->r, NULL);
	return json__print(obj, err, o->one_line ? JSON_LINE : JSON_INDENTED, out);
}
