// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes recordings as JSON:
 *
 *   {"record":1,"tool":"bprof", … the host, when and how long as in reports …,
 *    "event":{"name":"cpu-clock","frequency":4000},                   or "period"
 *    "samples":{"taken":…,"in_targets":…,"weight":…,"weight_in_targets":…,"lost":…,"throttled":…,
 *               "enabled_ns":…,"running_ns":…,"cost_ns":…},
 *    "programs":[
 *     {"id":42,"name":"xdp_lb","type":"xdp","tag":"d4f8542f2b42fac5",
 *      "functions":[{"name":"xdp_lb","insn":0,"insns":120,"offset":0,"size":512,"sampled":true}],
 *      "lines":[{"insn":0,"offset":0,"file":"lb.bpf.c","line":20,"column":5,"text":"…"}],
 *      "insns":"b701…","code":"f30f…",                                hexadecimal, as in memory
 *      "places":[[offset, samples, weight],…],"notes":[…]}],
 *    "skipped":[…]}
 *
 * Owns the fields; must not know what they are shown for. Where functions are in the kernel is not in
 * it, but JITed code has addresses of maps and other objects in it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <jansson.h>

#include "json/json_ascii.h"
#include "json/json_make.h"
#include "sampling/record.h"
#include "sampling/record_json.h"
#include "report/report_head.h"
#include "base/util.h"

static json_t *make_func(const struct record_func *f)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "name", f->name);
	err |= json_object_set_new(obj, "insn", json_integer(f->insn_off));
	err |= json_object_set_new(obj, "insns", json_integer(f->insn_cnt));
	err |= json_object_set_new(obj, "offset", json_integer(f->code_off));
	err |= json_object_set_new(obj, "size", json_integer(f->code_len));
	err |= json_object_set_new(obj, "sampled", json_boolean(f->sampled));
	return json__finish(obj, err);
}

static json_t *make_line(const struct record_line *l)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json_object_set_new(obj, "insn", json_integer(l->insn_off));
	err |= json_object_set_new(obj, "offset", json_integer(l->code_off));
	err |= json__set_string(obj, "file", l->file);
	err |= json_object_set_new(obj, "line", json_integer(l->line));
	err |= json_object_set_new(obj, "column", json_integer(l->col));
	err |= json__set_string(obj, "text", l->text);
	return json__finish(obj, err);
}

static json_t *make_place(const struct record_place *p)
{
	json_t *array = json_array();
	int err = 0;

	err |= json_array_append_new(array, json_integer(p->code_off));
	err |= json_array_append_new(array, json__make_u64(p->samples));
	err |= json_array_append_new(array, json__make_u64(p->weight));
	return json__finish(array, err);
}

static json_t *make_prog(const struct record_prog *p)
{
	json_t *obj = json_object(), *funcs = json_array(), *lines = json_array();
	json_t *places = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "id", json_integer(p->id));
	err |= json__set_string(obj, "name", p->name);
	err |= json__set_string(obj, "type", p->type);
	err |= json__set_string(obj, "tag", p->tag);
	for (int i = 0; i < p->func_cnt; i++)
		err |= json_array_append_new(funcs, make_func(&p->func[i]));
	err |= json_object_set_new(obj, "functions", funcs);
	for (int i = 0; i < p->line_cnt; i++)
		err |= json_array_append_new(lines, make_line(&p->line[i]));
	err |= json_object_set_new(obj, "lines", lines);
	if (p->insns)
		err |= json_object_set_new(obj, "insns", json__make_hex(p->insns, p->insns_sz));
	err |= json_object_set_new(obj, "code", json__make_hex(p->code, p->code_sz));
	for (int i = 0; i < p->place_cnt; i++)
		err |= json_array_append_new(places, make_place(&p->place[i]));
	err |= json_object_set_new(obj, "places", places);
	if (p->notes.cnt)
		err |= json_object_set_new(obj, "notes", report_notes__to_json(&p->notes));
	return json__finish(obj, err);
}

static json_t *make_event(const struct record *r)
{
	json_t *obj = json_object();
	int err = 0;

	err |= json__set_string(obj, "name", r->event);
	if (r->frequency)
		err |= json_object_set_new(obj, "frequency", json__make_u64(r->frequency));
	else
		err |= json_object_set_new(obj, "period", json__make_u64(r->period));
	return json__finish(obj, err);
}

int record__set_head(json_t *obj, const struct record *r)
{
	int err = report__set_head(obj, r->head);

	err |= json_object_set_new(obj, "event", make_event(r));
	return err | json_object_set_new(obj, "samples", record_samples__to_json(&r->samples));
}

static json_t *make_record(const struct record *r)
{
	json_t *obj = json_object(), *progs = json_array();
	int err = 0;

	err |= json_object_set_new(obj, "record", json_integer(RECORD_SCHEMA));
	err |= record__set_head(obj, r);
	for (int i = 0; i < r->prog_cnt; i++)
		err |= json_array_append_new(progs, make_prog(&r->prog[i]));
	err |= json_object_set_new(obj, "programs", progs);
	err |= report__set_skipped(obj, r->head);
	return json__finish(obj, err);
}

int record__write(const struct record *r, FILE *out)
{
	json_t *doc = make_record(r);
	char *text = NULL;
	size_t size = 0;
	FILE *mem = doc ? open_memstream(&text, &size) : NULL;
	int err = -ENOMEM;

	if (mem) {
		err = json__print_ascii(doc, JSON_INDENT(1) | JSON_REAL_PRECISION(15), mem);
		if (fclose(mem) && !err)
			err = -ENOMEM;
	}
	if (!err)
		err = write_text(out, text, size);
	free(text);
	json_decref(doc);
	return err;
}
