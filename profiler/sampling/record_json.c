// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes recordings as JSON and reads them:
 *
 *   {"record":1,"tool":"bprof", … the host, when and how long as in reports …,
 *    "event":{"name":"cpu-clock","frequency":4000},                   or "period"
 *    "samples":{"taken":…,"in_targets":…,"weight":…,"weight_in_targets":…,"lost":…,"throttled":…,
 *               "enabled_ns":…,"running_ns":…,"cost_ns":…},"calls":true,"run_stats":true,
 *    "programs":[
 *     {"id":42,"name":"xdp_lb","type":"xdp","tag":"d4f8542f2b42fac5",
 *      "functions":[{"name":"xdp_lb","insn":0,"insns":120,"offset":0,"size":512,"sampled":true}],
 *      "lines":[{"insn":0,"offset":0,"file":"lb.bpf.c","line":20,"column":5,"text":"…"}],
 *      "insns":"b701…","code":"f30f…",                                hexadecimal, as in memory
 *      "places":[[offset, samples, weight],…],
 *      "calls":[[offset, samples, weight],…],                 in what the instruction calls
 *      "callees":[{"offset":96,"frames":["htab_lru_map_update_elem"],"samples":…,"weight":…}],
 *      "maps":[{"id":12,"name":"flows","type":"lru_hash"}],
 *      "bpf_calls":[{"at":17,"callee":"htab_lru_map_update_elem","map":12},   at an instruction
 *                   {"at":30,"inlined":"bpf_map_lookup_elem","map":13}],
 *      "code_calls":[{"at":96,"callee":"htab_lru_map_update_elem","map":12}], at an offset
 *      "runs":…,"run_time_ns":…,"notes":[…]}],
 *    "skipped":[…]}
 *
 * Owns the fields and their valid values. Must not know how recordings are shown. Prints nothing.
 * Checks that the functions, lines and places of a program lie within the program and are in order:
 * bprof annotate relies on this. A recording does not say where in the kernel's memory the programs
 * were, but their JITed code contains addresses of maps and other kernel objects.
 */
#include <errno.h>
#include <stdint.h>
#include <linux/bpf.h>

#include "base/output.h"
#include "base/util.h"
#include "json/json_stream.h"
#include "report/report_head.h"
#include "sampling/record.h"
#include "sampling/record_json.h"

#define RECORD(field) offsetof(struct record, field)
#define PROG(field) offsetof(struct record_prog, field)
#define FUNC(field) offsetof(struct record_func, field)
#define LINE(field) offsetof(struct record_line, field)
#define PLACE(field) offsetof(struct record_place, field)
#define MAP(field) offsetof(struct record_map, field)
#define CALL(field) offsetof(struct record_call, field)
#define CALLEE(field) offsetof(struct record_callee, field)

static const struct json_range from_one = {1, UINT64_MAX};

static const struct json_field json_func_rows[] = {
	FIELD("name", string, FUNC(name), .required = true),
	FIELD("insn", u32, FUNC(insn_off), .required = true),
	FIELD("insns", u32, FUNC(insn_cnt), .required = true),
	FIELD("offset", u32, FUNC(code_off), .required = true),
	FIELD("size", u32, FUNC(code_len), .required = true),
	FIELD("sampled", bool, FUNC(sampled), .required = true),
	{},
};

static const struct json_field json_line_rows[] = {
	FIELD("insn", u32, LINE(insn_off), .required = true),
	FIELD("offset", u32, LINE(code_off), .required = true),
	FIELD("file", string, LINE(file), .required = true),
	FIELD("line", u32, LINE(line), .required = true),
	FIELD("column", u32, LINE(col)),
	FIELD("text", string, LINE(text), .required = true),
	{},
};

static const struct json_field place_rows[] = {
	FIELD("offset", u32, PLACE(code_off)),
	FIELD("samples", u64, PLACE(samples), .arg = &from_one),
	FIELD("weight", u64, PLACE(weight)),
	{},
};

static int check_frames(struct json_reader *rd, json_t *v, void *to)
{
	size_t cnt = json_array_size(v);

	return cnt && cnt <= BPROF_IP_CALLEES
		       ? 0
		       : json_reader__refuse(rd, "expected 1 to %d names", BPROF_IP_CALLEES);
}

static const struct json_field json_callee_rows[] = {
	FIELD("offset", u32, CALLEE(code_off), .required = true),
	FIELD("frames", argv, CALLEE(frame), .required = true, .check = check_frames),
	FIELD("samples", u64, CALLEE(samples), .required = true, .arg = &from_one),
	FIELD("weight", u64, CALLEE(weight), .required = true),
	{},
};

static const struct json_field json_map_rows[] = {
	FIELD("id", u32, MAP(id), .required = true),
	FIELD("name", string, MAP(name), .required = true),
	FIELD("type", string, MAP(type), .required = true),
	{},
};

static const struct json_field json_call_rows[] = {
	FIELD("at", u32, CALL(at), .required = true),
	FIELD("callee", string, CALL(callee), .omit = true),
	FIELD("inlined", string, CALL(inlined), .omit = true),
	FIELD("map", u32, CALL(map), .omit = true),
	{},
};

static const struct json_bytes insns = {PROG(insns), PROG(insns_sz)};
static const struct json_bytes code = {PROG(code), PROG(code_sz)};

static int check_insns(struct json_reader *rd, json_t *v, void *to)
{
	const struct record_prog *p = to;

	return p->insns_sz % sizeof(struct bpf_insn)
		       ? json_reader__refuse(rd, "half an instruction at its end")
		       : 0;
}

const struct json_field record_runs_rows[] = {
	FIELD("runs", u64, PROG(runs), .omit = true),
	FIELD("run_time_ns", u64, PROG(run_time_ns), .omit = true),
	{},
};

static const struct json_field json_prog_rows[] = {
	FIELD("id", u32, PROG(id), .required = true),
	FIELD("name", string, PROG(name), .required = true),
	FIELD("type", string, PROG(type), .required = true),
	FIELD("tag", tag, PROG(tag), .required = true),
	FIELD("functions", list, 0, .required = true,
	      .arg = LIST(struct record_prog, func, func_cnt, object, .elem.arg = json_func_rows)),
	FIELD("lines", list, 0, .required = true,
	      .arg = LIST(struct record_prog, line, line_cnt, object, .elem.arg = json_line_rows)),
	FIELD("insns", bytes, 0, .omit = true, .arg = &insns, .check = check_insns),
	FIELD("code", bytes, 0, .required = true, .arg = &code),
	FIELD("places", list, 0, .required = true,
	      .arg = LIST(struct record_prog, place, place_cnt, tuple, .elem.arg = place_rows)),
	FIELD("calls", list, 0, .omit = true,
	      .arg = LIST(struct record_prog, call, call_cnt, tuple, .elem.arg = place_rows)),
	FIELD("callees", list, 0, .omit = true,
	      .arg = LIST(struct record_prog, callee, callee_cnt, object,
			  .elem.arg = json_callee_rows)),
	FIELD("maps", list, 0, .omit = true,
	      .arg = LIST(struct record_prog, map, map_cnt, object, .elem.arg = json_map_rows)),
	FIELD("bpf_calls", list, 0, .omit = true,
	      .arg = LIST(struct record_prog, bpf_call, bpf_call_cnt, object,
			  .elem.arg = json_call_rows)),
	FIELD("code_calls", list, 0, .omit = true,
	      .arg = LIST(struct record_prog, code_call, code_call_cnt, object,
			  .elem.arg = json_call_rows)),
	FIELD(NULL, object, 0, .arg = record_runs_rows),
	FIELD("notes", list, PROG(notes), .omit = true, .arg = &report_notes_list),
	{},
};

/* Checks that functions are in order, and lie within the program. */
static int check_record_funcs(struct json_reader *rd, const struct record_prog *p)
{
	__u64 insns = p->insns ? p->insns_sz / sizeof(struct bpf_insn) : UINT32_MAX;
	__u64 insn_end = 0, code_end = 0;

	if (!p->func_cnt)
		return json_reader__refuse(rd, "functions: expected at least one");
	for (int i = 0; i < p->func_cnt; i++) {
		const struct record_func *f = &p->func[i];

		if (f->insn_off < insn_end || f->code_off < code_end)
			return json_reader__refuse(
				rd, "functions[%d]: begins before the end of the previous one", i);
		insn_end = (__u64)f->insn_off + f->insn_cnt;
		code_end = (__u64)f->code_off + f->code_len;
		if (insn_end > insns || code_end > p->code_sz)
			return json_reader__refuse(rd, "functions[%d]: ends outside the program",
						   i);
	}
	return 0;
}

static int check_record_places(struct json_reader *rd, const struct record_prog *p, const char *key,
			       const struct record_place *place, int cnt)
{
	for (int i = 1; i < cnt; i++)
		if (place[i].code_off <= place[i - 1].code_off)
			return json_reader__refuse(rd, "%s[%d]: is not after the previous one", key,
						   i);
	if (cnt && place[cnt - 1].code_off >= p->code_sz)
		return json_reader__refuse(rd, "%s[%d]: is outside the program", key, cnt - 1);
	return 0;
}

static int check_calls(struct json_reader *rd, const char *key, const struct record_call *call,
		       int cnt)
{
	for (int i = 1; i < cnt; i++)
		if (call[i].at <= call[i - 1].at)
			return json_reader__refuse(rd, "%s[%d]: is not after the previous one", key,
						   i);
	return 0;
}

/* The callees of a call have at most as many samples as the call. */
static int check_callees(struct json_reader *rd, const struct record_prog *p)
{
	__u64 samples = 0, weight = 0;
	int call = -1;

	for (int i = 0; i < p->callee_cnt; i++) {
		const struct record_callee *c = &p->callee[i];

		while (call < 0 || p->call[call].code_off < c->code_off) {
			if (++call == p->call_cnt)
				break;
			samples = p->call[call].samples;
			weight = p->call[call].weight;
		}
		if (call == p->call_cnt || p->call[call].code_off != c->code_off)
			return json_reader__refuse(rd, "callees[%d]: there is no such call", i);
		if (c->samples > samples || c->weight > weight)
			return json_reader__refuse(rd, "callees[%d]: more samples than in the call",
						   i);
		samples -= c->samples;
		weight -= c->weight;
	}
	return 0;
}

static int check_record_prog(struct json_reader *rd, json_t *v, void *to)
{
	const struct record_prog *p = to;
	int err = check_record_funcs(rd, p);

	for (int i = 1; !err && i < p->line_cnt; i++)
		if (p->line[i].insn_off < p->line[i - 1].insn_off ||
		    p->line[i].code_off < p->line[i - 1].code_off)
			err = json_reader__refuse(rd, "lines[%d]: begins before the previous one",
						  i);
	return err ?:
	       check_record_places(rd, p, "places", p->place, p->place_cnt) ?:
	       check_record_places(rd, p, "calls", p->call, p->call_cnt) ?:
	       check_callees(rd, p) ?: check_calls(rd, "bpf_calls", p->bpf_call, p->bpf_call_cnt) ?:
	       check_calls(rd, "code_calls", p->code_call, p->code_call_cnt);
}

/* Adds v to *sum. Returns false if the sum is too large. */
static bool add_u64(__u64 *sum, __u64 v)
{
	return !__builtin_add_overflow(*sum, v, sum);
}

static bool sum_places(struct record_place *sum, const struct record_place *place, int cnt)
{
	for (int i = 0; i < cnt; i++)
		if (!add_u64(&sum->samples, place[i].samples) ||
		    !add_u64(&sum->weight, place[i].weight))
			return false;
	return true;
}

/* Checks that the sums over all programs do not overflow. All other sums are parts of these. */
static int check_sums(struct json_reader *rd, json_t *v, void *to)
{
	const struct record *r = to;
	struct record_place sum = {};

	for (int i = 0; i < r->prog_cnt; i++)
		if (!sum_places(&sum, r->prog[i].place, r->prog[i].place_cnt) ||
		    !sum_places(&sum, r->prog[i].call, r->prog[i].call_cnt))
			return json_reader__refuse(rd, "too many samples to be added up");
	return 0;
}

static int check_event_rate(struct json_reader *rd, json_t *v, void *to)
{
	const struct record *r = to;

	return !r->frequency == !r->period
		       ? json_reader__refuse(rd, "expected either a frequency or a period")
		       : 0;
}

static const struct json_field event_rows[] = {
	FIELD("name", string, RECORD(event), .required = true),
	FIELD("frequency", u64, RECORD(frequency), .omit = true, .arg = &from_one),
	FIELD("period", u64, RECORD(period), .omit = true, .arg = &from_one),
	{},
};

const struct json_field record_head_rows[] = {
	FIELD(NULL, pointed, RECORD(head), .arg = report_head_rows),
	FIELD("event", object, 0, .required = true, .arg = event_rows, .check = check_event_rate),
	FIELD("samples", object, RECORD(samples), .required = true, .arg = record_samples_rows),
	FIELD("calls", bool, RECORD(calls), .omit = true),
	FIELD("run_stats", bool, RECORD(run_stats), .omit = true),
	{},
};

const struct json_field record_skip_rows[] = {
	FIELD(NULL, pointed, RECORD(head), .arg = report_skip_rows),
	{},
};

const struct json_field record_rows[] = {
	FIELD(NULL, object, 0, .arg = record_head_rows),
	FIELD("programs", list, 0, .required = true,
	      .arg = LIST(struct record, prog, prog_cnt, object, .elem.arg = json_prog_rows,
			  .elem.check = check_record_prog, .max = READER_MAX_ROWS),
	      .check = check_sums),
	FIELD(NULL, object, 0, .arg = record_skip_rows),
	{},
};

static json_t *make_schema(const struct json_field *f, const void *from, const void *user)
{
	return json_integer(RECORD_SCHEMA);
}

static const struct json_kind field_schema = {.make = make_schema};

static const struct json_field document_rows[] = {
	FIELD("record", schema, 0),
	FIELD(NULL, object, 0, .arg = record_rows),
	{},
};

int record__write(const struct record *r, FILE *out)
{
	struct draft draft;

	draft__begin(&draft);
	json__stream(document_rows, r, NULL, draft.mem);
	return draft__end(&draft, 0, out);
}

int record__parse(const struct report_source *src, json_t *doc, struct record **out,
		  struct report_error *err)
{
	int ret = report_source__check(src, doc, "record", RECORD_SCHEMA, err);
	struct record *r = ret ? NULL : record__new();

	*out = NULL;
	if (!ret)
		ret = report__fill(r->head, doc, record_rows, r, err);
	if (ret)
		record__free(r);
	else
		*out = r;
	return ret;
}

int record__read(FILE *in, struct record **out, struct report_error *err)
{
	struct report_source src = {.in = in, .kind = "recording"};
	struct record *r = NULL;
	json_t *doc = NULL, *more = NULL;
	int ret;

	*out = NULL;
	ret = report_source__next(&src, &doc, err) ?: record__parse(&src, doc, &r, err);
	if (ret)
		goto out;
	ret = report_source__next(&src, &more, err);
	if (!ret)
		ret = report_error__set(err, err->line, "unexpected data after the recording");
	if (ret != -ENODATA)
		goto out;
	ret = 0;
	*out = r;
	r = NULL;
out:
	record__free(r);
	json_decref(doc);
	json_decref(more);
	return ret;
}
