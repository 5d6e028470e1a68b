// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From a JSON document to the recording (record_json.c has the fields). Owns what they may hold: who
 * shows a recording relies on its parts lying within the program, in order. Prints nothing.
 *
 * As with reports, fields that are not known here are passed over.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "sampling/record.h"
#include "report/report_head.h"
#include "report/report_read.h"
#include "base/util.h"

#define RECORD(field) offsetof(struct record, field)
#define PROG(field) offsetof(struct record_prog, field)
#define FUNC(field) offsetof(struct record_func, field)
#define LINE(field) offsetof(struct record_line, field)
#define WHOLE 0

static int read_func(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"name", reader__string, FUNC(name), true},
		{"insn", reader__id, FUNC(insn_off), true},
		{"insns", reader__id, FUNC(insn_cnt), true},
		{"offset", reader__id, FUNC(code_off), true},
		{"size", reader__id, FUNC(code_len), true},
		{"sampled", reader__bool, FUNC(sampled), true},
	};
	struct record_func *f = record_prog__add_func(to);

	return f ? reader__object(rd, v, fields, ARRAY_SIZE(fields), f) : -ENOMEM;
}

static int read_funcs(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_func, to);
}

static int read_line(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"insn", reader__id, LINE(insn_off), true},
		{"offset", reader__id, LINE(code_off), true},
		{"file", reader__string, LINE(file), true},
		{"line", reader__id, LINE(line), true},
		{"column", reader__id, LINE(col), false},
		{"text", reader__string, LINE(text), true},
	};
	struct record_line *l = record_prog__add_line(to);

	return l ? reader__object(rd, v, fields, ARRAY_SIZE(fields), l) : -ENOMEM;
}

static int read_lines(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_line, to);
}

static int read_place(struct reader *rd, json_t *v, void *to)
{
	struct record_place *p = record_prog__add_place(to);

	if (!p)
		return -ENOMEM;
	if (!json_is_array(v) || json_array_size(v) != 3)
		return reader__refuse(rd, "[offset, samples, weight] is wanted");
	return reader__element(rd, v, 0, reader__id, &p->code_off) ?:
	       reader__element(rd, v, 1, reader__natural, &p->samples) ?:
	       reader__element(rd, v, 2, reader__u64, &p->weight);
}

static int read_places(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_place, to);
}

static int read_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? found - digits : -1;
}

static int read_bytes(struct reader *rd, json_t *v, __u8 **bytes, __u32 *sz)
{
	const char *s = json_string_value(v);
	size_t len = s ? json_string_length(v) : 0;

	if (!s)
		return reader__refuse_type(rd, "a string", v);
	*sz = len / 2;
	*bytes = malloc(*sz + 1);
	if (!*bytes)
		return -ENOMEM;
	for (size_t i = 0; i < *sz; i++) {
		int high = read_digit(s[2 * i]), low = read_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return reader__refuse(rd, "hexadecimal digits are wanted");
		(*bytes)[i] = high << 4 | low;
	}
	return len % 2 ? reader__refuse(rd, "half a byte at its end") : 0;
}

static int read_insns(struct reader *rd, json_t *v, void *to)
{
	struct record_prog *p = to;
	int err = read_bytes(rd, v, &p->insns, &p->insns_sz);

	if (!err && p->insns_sz % sizeof(struct bpf_insn))
		err = reader__refuse(rd, "half an instruction at its end");
	return err;
}

static int read_code(struct reader *rd, json_t *v, void *to)
{
	struct record_prog *p = to;

	return read_bytes(rd, v, &p->code, &p->code_sz);
}

static const struct field prog_fields[] = {
	{"id", reader__id, PROG(id), true},
	{"name", reader__string, PROG(name), true},
	{"type", reader__string, PROG(type), true},
	{"tag", reader__tag, PROG(tag), true},
	{"insns", read_insns, WHOLE, false},
	{"code", read_code, WHOLE, true},
	{"functions", read_funcs, WHOLE, true},
	{"lines", read_lines, WHOLE, true},
	{"places", read_places, WHOLE, true},
	{"notes", report_notes__read, PROG(notes), false},
};

/* Every function behind the one before, and inside the program. */
static int check_funcs(struct reader *rd, const struct record_prog *p)
{
	__u64 insns = p->insns ? p->insns_sz / sizeof(struct bpf_insn) : UINT32_MAX;
	__u64 insn_end = 0, code_end = 0;

	if (!p->func_cnt)
		return reader__refuse(rd, "functions: there is one at least");
	for (int i = 0; i < p->func_cnt; i++) {
		const struct record_func *f = &p->func[i];

		if (f->insn_off < insn_end || f->code_off < code_end)
			return reader__refuse(rd, "functions[%d]: it is not behind the one before",
					      i);
		insn_end = (__u64)f->insn_off + f->insn_cnt;
		code_end = (__u64)f->code_off + f->code_len;
		if (insn_end > insns || code_end > p->code_sz)
			return reader__refuse(rd, "functions[%d]: it ends outside the program", i);
	}
	return 0;
}

static int check_order(struct reader *rd, const struct record_prog *p)
{
	for (int i = 1; i < p->line_cnt; i++)
		if (p->line[i].insn_off < p->line[i - 1].insn_off ||
		    p->line[i].code_off < p->line[i - 1].code_off)
			return reader__refuse(rd, "lines[%d]: it is not behind the one before", i);
	for (int i = 1; i < p->place_cnt; i++)
		if (p->place[i].code_off <= p->place[i - 1].code_off)
			return reader__refuse(rd, "places[%d]: it is not behind the one before", i);
	if (p->place_cnt && p->place[p->place_cnt - 1].code_off >= p->code_sz)
		return reader__refuse(rd, "places[%d]: it is outside the program",
				      p->place_cnt - 1);
	return 0;
}

static int read_prog(struct reader *rd, json_t *v, void *to)
{
	struct record_prog *p = record__add_prog(to);
	int err;

	if (!p)
		return -ENOMEM;
	if (++rd->rows > READER_MAX_ROWS)
		return reader__refuse(rd, "more than %d programs", READER_MAX_ROWS);
	err = reader__object(rd, v, prog_fields, ARRAY_SIZE(prog_fields), p);
	return err ?: check_funcs(rd, p) ?: check_order(rd, p);
}

static int read_progs(struct reader *rd, json_t *v, void *to)
{
	return reader__array(rd, v, read_prog, to);
}

static int read_event(struct reader *rd, json_t *v, void *to)
{
	static const struct field fields[] = {
		{"name", reader__string, RECORD(event), true},
		{"frequency", reader__natural, RECORD(frequency), false},
		{"period", reader__natural, RECORD(period), false},
	};
	struct record *r = to;
	int err = reader__object(rd, v, fields, ARRAY_SIZE(fields), to);

	if (!err && !r->frequency == !r->period)
		err = reader__refuse(rd, "either a frequency or a period is wanted");
	return err;
}

static const struct field record_fields[] = {
	{"event", read_event, WHOLE, true},
	{"samples", record_samples__read, RECORD(samples), true},
	{"programs", read_progs, WHOLE, true},
};

/* Is it a recording, and of a version that can be read? */
static int check_version(json_t *doc, struct report_error *err)
{
	const json_t *version = json_object_get(doc, "record");

	if (!version && json_object_get(doc, "annotate"))
		return report_error__set(err, err->line,
					 "an annotation (of bprof annotate), not a recording");
	if (!version && json_object_get(doc, "schema"))
		return report_error__set(err, err->line,
					 "a report (of bprof stat, bench or diff), not a "
					 "recording: 'bprof record' makes one");
	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return report_error__set(err, err->line, "record: a number from 1 on is wanted");
	if (json_integer_value(version) > RECORD_SCHEMA)
		return report_error__set(
			err, err->line,
			"a recording of a newer bprof (version %lld): this one reads up to %d",
			(long long)json_integer_value(version), RECORD_SCHEMA);
	return 0;
}

static int fill(struct record *r, json_t *doc, struct report_error *err)
{
	struct reader rd = {.r = r->head, .err = err};

	return report__fill_head(&rd, doc)
		       ?: reader__object(&rd, doc, record_fields, ARRAY_SIZE(record_fields), r);
}

int record__read(FILE *in, struct record **out, struct report_error *err)
{
	struct report_source src = {.in = in, .kind = "recording"};
	struct record *r = NULL;
	json_t *doc = NULL, *more = NULL;
	int ret;

	*out = NULL;
	ret = report_source__next(&src, &doc, err) ?: check_version(doc, err);
	if (ret)
		goto out;
	r = record__new();
	ret = r ? fill(r, doc, err) : -ENOMEM;
	if (ret)
		goto out;
	ret = report_source__next(&src, &more, err);
	if (!ret)
		ret = report_error__set(err, err->line, "there is more behind the recording");
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
