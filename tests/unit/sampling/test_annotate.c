// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that recordings are read, written and shown: one that has every field (tests/golden/record),
 * and real ones, which are seeds of the fuzzers, too (tests/fuzz/corpus/record). These are of
 * xdp_hot_loop in tests/progs/loops.bpf.c. They were made with this command in the test VM of each
 * architecture (the object's path was shortened):
 *
 *   bprof record -e cpu-clock -c 20011 … -- drive testrun ID:20000
 *
 * BPROF_GOLDEN_UPDATE=1 rewrites the golden files; check their changes with git diff.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "base/util.h"
#include "sampling/annotate.h"
#include "tests/unit/pprof_text.h"
#include "tests/unit/golden.h"

static const char *const recordings[] = {"hot_loop_x86_64", "hot_loop_arm64"};

static struct record *read_text(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct report_error err = {};
	struct record *r;

	assert_non_null(in);
	if (record__read(in, &r, &err))
		fail_msg("line %lu: %s", err.line, err.text);
	fclose(in);
	return r;
}

static char *real_text(const char *name)
{
	char path[512], *text;

	snprintf(path, sizeof(path), "%.*s/../../fuzz/corpus/record/%s.json",
		 (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__, name);
	assert_int_equal(read_file(path, &text), 0);
	return text;
}

static struct record *real_record(const char *name)
{
	char *text = real_text(name);
	struct record *r = read_text(text);

	free(text);
	return r;
}

static char *write_out(const struct record *r)
{
	char *text = NULL;
	size_t sz = 0;
	FILE *out = open_memstream(&text, &sz);

	assert_int_equal(record__write(r, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* ---- output of recordings ---- */

static char *print(const struct record *r, const struct annotate_opts *o, annotation_render_fn *fn)
{
	struct annotation *a;
	char *text = NULL;
	size_t sz = 0;
	FILE *out = open_memstream(&text, &sz);

	a = annotate(r, o);
	fn(a, o, out);
	assert_int_equal(fclose(out), 0);
	annotation__free(a);
	return text;
}

/* Returns the text of the profile of a recording. */
static char *print_pprof(const struct record *r)
{
	char *packed = NULL;
	size_t sz = 0;
	FILE *out = open_memstream(&packed, &sz);

	assert_int_equal(record__write_pprof(r, out), 0);
	assert_int_equal(fclose(out), 0);
	return pprof_text__make(packed, sz);
}

/*
 * Removes the note that this bprof was built without a disassembler, as one for other machines is.
 */
static char *drop_note(char *text)
{
	char *line = strstr(text, "<li><strong>note:</strong> this bprof was built without LLVM"),
	     *end;

	end = line ? strchr(line, '\n') : NULL;
	if (end)
		memmove(line, end + 1, strlen(end));
	return text;
}

static const struct annotated_line *find_line(const struct annotated_func *f, const char *part)
{
	for (int i = 0; i < f->line_cnt; i++)
		if (strstr(f->line[i].text, part))
			return &f->line[i];
	fail_msg("no line with '%s'", part);
	return NULL;
}

/*
 * Recordings of each architecture are shown on any machine. If bprof has no disassembler, a line
 * lists the addresses that have samples instead of instructions. Together they have all samples of
 * the line.
 */
static void test_instructions(void **state)
{
	static const char *const last[] = {"retq", "ret"}, *const xors[] = {"xorl", "eor"};
	const struct annotate_opts o = {};

	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++) {
		struct record *r = real_record(recordings[i]);
		const struct annotated_func *f;
		const struct annotated_line *l;
		bool bpf = false, jited = false, ret = false;
		struct annotation *a;
		__u64 sum = 0;

		a = annotate(r, &o);
		f = &a->prog[0].func[0];
		assert_string_equal(f->func->name, "mix");
		l = find_line(f, "hash ^= hash << 13");
		for (int k = 0; k < l->insn_cnt; k++) {
			const struct annotated_insn *insn = &l->insn[k];

			sum += insn->sum.samples;
			assert_true(insn->text || (a->no_disasm && insn->sum.samples));
			bpf |= insn->text && !insn->jited && strstr(insn->text, "w2 <<= 13");
			jited |= insn->text && insn->jited && strstr(insn->text, xors[i]);
		}
		assert_true(sum == l->sum.samples && sum > 100);
		l = find_line(f, "return hash");
		for (int k = 0; k < l->insn_cnt; k++)
			ret |= l->insn[k].text && l->insn[k].jited &&
			       !strcmp(l->insn[k].text, last[i]);
		assert_true(a->no_disasm ? !bpf && !jited && !ret : bpf && jited && ret);
		l = find_line(&a->prog[0].func[1], "return mix(len)");
		bpf = false;
		for (int k = 0; k < l->insn_cnt; k++)
			bpf |= l->insn[k].text && !strcmp(l->insn[k].text, "call mix");
		assert_true(bpf || a->no_disasm);
		annotation__free(a);
		record__free(r);
	}
}

/* ---- which code belongs to which function ---- */

static struct record_prog *add_prog(struct record *r, __u32 id, const char *name, __u32 code_sz)
{
	struct record_prog *p = record__add_prog(r);

	p->id = id;
	p->name = strdup(name);
	p->type = strdup("xdp");
	p->code_sz = code_sz;
	p->code = calloc(1, code_sz);
	return p;
}

static void add_func(struct record_prog *p, const char *name, __u32 off, __u32 len, __u32 insn)
{
	struct record_func *f = record_prog__add_func(p);

	*f = (struct record_func){strdup(name), insn, 10, off, len, true};
}

static void add_line(struct record_prog *p, __u32 insn, __u32 off, const char *file, __u32 line)
{
	struct record_line *l = record_prog__add_line(p);
	char text[32];

	snprintf(text, sizeof(text), "text %u", line);
	*l = (struct record_line){insn, off, line, 1, strdup(file), strdup(text)};
}

static void add_place(struct record_prog *p, __u32 off, __u64 samples, __u64 weight)
{
	*record_prog__add_place(p) = (struct record_place){off, samples, weight};
}

static struct record *new_record(void)
{
	struct record *r = record__new();

	r->event = strdup("cpu-clock");
	r->period = 1000;
	r->head->host.kernel = strdup("6.12");
	r->head->host.arch = strdup("unknown");
	r->head->host.cpus = 1;
	return r;
}

/*
 * Makes a recording with three functions. The first 4 bytes of main have no source line. Its other
 * bytes belong to lines 10 and 11, line 20 of a header, and line 11 again. sub has line 30, and
 * last has no line.
 */
static struct record *make_record(void)
{
	struct record *r = new_record();
	struct record_prog *p = add_prog(r, 7, "prog", 100);

	add_func(p, "main", 0, 40, 0);
	add_func(p, "sub", 40, 20, 10);
	add_func(p, "last", 60, 40, 20);
	add_line(p, 1, 4, "dir/main.c", 10);
	add_line(p, 2, 8, "dir/main.c", 11);
	add_line(p, 3, 16, "dir/a header.h", 20);
	add_line(p, 4, 24, "dir/main.c", 11);
	add_line(p, 10, 40, "dir/main.c", 30);
	add_place(p, 0, 1, 10);
	add_place(p, 7, 2, 20);
	add_place(p, 8, 4, 40);
	add_place(p, 15, 8, 80);
	add_place(p, 16, 16, 160);
	add_place(p, 39, 32, 320);
	add_place(p, 40, 64, 640);
	add_place(p, 99, 128, 1280);
	r->samples.taken = 300;
	r->samples.in_targets = 255;
	return r;
}

/* Adds samples in one or two frames below the call at the offset. */
static void add_callee(struct record_prog *p, __u32 code_off, __u64 samples, const char *outer,
		       const char *inner)
{
	struct record_callee *c = record_prog__add_callee(p);

	*c = (struct record_callee){code_off, calloc(3, sizeof(*c->frame)), samples, 10 * samples};
	assert_non_null(c->frame);
	c->frame[0] = strdup(outer);
	c->frame[1] = inner ? strdup(inner) : NULL;
}

/* Makes the recording of make_record() with all optional parts. */
static struct record *make_rich(void)
{
	struct record *r = make_record();
	struct record_prog *p = r->prog;

	r->head->version = strdup("0.1.0");
	r->head->command = calloc(3, sizeof(*r->head->command));
	assert_non_null(r->head->command);
	r->head->command[0] = strdup("record");
	r->head->command[1] = strdup("--name=prog");
	free(r->head->host.arch);
	r->head->host.arch = strdup("x86_64");
	r->head->host.cpu_model = strdup("Model 7");
	r->head->started.tv_sec = 1767225601;
	r->head->elapsed_ns = 79275664;
	r->samples.weight = 3000;
	r->samples.weight_in_targets = 2550;
	r->samples.in_calls = 6;
	r->samples.weight_in_calls = 60;
	r->samples.lost = 1234;
	r->samples.enabled_ns = 79262277;
	r->samples.running_ns = 39631138;
	r->samples.throttled = 3;
	r->samples.cost_ns = 1667.5;
	r->calls = r->run_stats = true;
	strcpy(p->tag, "6325438d1c144878");
	memset(p->code, 0x90, p->code_sz); /* nop: instructions of one byte, also without LLVM */
	p->insns_sz = 30 * 8;
	p->insns = calloc(1, p->insns_sz);
	assert_non_null(p->insns);
	free(p->line[2].text);
	p->line[2].text = strdup("\t\thash ^= hash << 13;\t/* <hot> */");
	p->line[3].col = 16;
	*record_prog__add_call(p) = (struct record_place){24, 6, 60};
	r->samples.interrupting = 2;
	r->samples.weight_interrupting = 20;
	add_callee(p, 24, 3, "htab_map_update_elem", NULL);
	add_callee(p, 24, 2, "htab_map_update_elem", "alloc <hot>");
	*record_prog__add_map(p) = (struct record_map){12, strdup("flows"), strdup("hash")};
	*record_prog__add_code_call(p) =
		(struct record_call){24, strdup("htab_map_update_elem"), NULL, 12};
	p->runs = 1000;
	p->run_time_ns = 500000;
	report_notes__add(&p->notes, "no BTF: \033[2J");
	add_func(add_prog(r, 8, "idle", 8), "idle", 0, 8, 0);
	report__skip(r->head, 9, "gone", "no_such_prog", "is not there");
	return r;
}

/* The golden files have no instructions, because the text of instructions depends on LLVM. */
static void test_golden(void **state)
{
	const struct annotate_opts o = {.lines_only = true, .percent_limit = 1.5};
	struct record *r = make_rich();

	assert_golden("record/rich", "json", write_out(r));
	assert_golden("record/rich", "txt", print(r, &o, annotation__print_text));
	assert_golden("record/rich", "annotate.json", print(r, &o, annotation__print_json));
	assert_golden("record/rich", "html",
		      drop_note(golden__cut_html(print(r, &o, annotation__print_html))));
	assert_golden("record/rich", "pprof", print_pprof(r));
	record__free(r);
}

static void test_lines(void **state)
{
	static const struct {
		const char *file;
		__u32 line;
		__u64 samples;
	} want[] = {{"main.c", 10, 2}, {"main.c", 11, 44}, {"", 0, 1}, {"a header.h", 20, 16}};
	const struct annotate_opts o = {};
	struct record *r = make_record();
	const struct annotated_func *f;
	struct annotation *a;

	a = annotate(r, &o);
	assert_int_equal(a->sum.samples, 255);
	assert_int_equal(a->prog[0].func_cnt, 3);
	/* functions with more samples come first */
	f = a->prog[0].func;
	assert_string_equal(f[0].func->name, "last");
	assert_int_equal(f[0].line_cnt, 1);
	assert_string_equal(f[0].line[0].file, "");
	assert_int_equal(f[0].sum.samples, 128);
	assert_string_equal(f[1].func->name, "sub");
	assert_int_equal(f[1].line[0].line, 30);
	assert_int_equal(f[1].sum.samples, 64);
	assert_string_equal(f[2].func->name, "main");
	assert_int_equal(f[2].sum.samples, 63);
	assert_int_equal(f[2].line_cnt, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_string_equal(annotated_line__file(&f[2].line[i]), want[i].file);
		assert_int_equal(f[2].line[i].line, want[i].line);
		assert_int_equal(f[2].line[i].sum.samples, want[i].samples);
		assert_int_equal(f[2].line[i].sum.weight, want[i].samples * 10);
	}
	annotation__free(a);
	record__free(r);
}

static void test_options(void **state)
{
	struct annotate_opts o = {.func = "ma*", .hot = true};
	struct record *r = make_record();
	struct annotation *a;
	char *text;

	r->prog[0].func[1].sampled = false;
	a = annotate(r, &o);
	assert_int_equal(a->prog[0].func_cnt, 1);
	/* the samples that percentages are computed from */
	assert_int_equal(a->prog[0].sum.samples, 255);
	assert_int_equal(a->prog[0].func[0].line[0].line, 11);
	assert_int_equal(a->prog[0].func[0].line[1].line, 20);
	annotation__free(a);
	text = print(r, &o, annotation__print_folded);
	assert_string_equal(text, "prog;main;main.c:11 44\nprog;main;a_header.h:20 16\n"
				  "prog;main;main.c:10 2\nprog;main 1\n");
	free(text);
	o = (struct annotate_opts){.percent_limit = 30};
	text = print(r, &o, annotation__print_text);
	assert_non_null(strstr(text, "4 lines below 30%"));
	assert_null(strstr(text, "sub"));
	free(text);
	record__free(r);
}

/*
 * Percentages are computed from what the event counted, not from the number of samples, because not
 * all samples have the same period.
 */
static void test_weights(void **state)
{
	struct annotated part = {.samples = 1, .weight = 900},
			 whole = {.samples = 10, .weight = 1000};

	assert_true(fabs(annotated__share(&part, &whole) - .9) <= 1e-9);
	part.weight = whole.weight = 0;
	assert_true(fabs(annotated__share(&part, &whole) - .1) <= 1e-9);
	whole.samples = 0;
	assert_true(fabs(annotated__share(&part, &whole) - 0) <= 1e-9);
}

/* Targets that were skipped for the same reason are one line. */
static void test_head(void **state)
{
	const struct annotate_opts o = {};
	struct record *r = make_record();
	char *text;

	for (int i = 9; i < 14; i++)
		report__skip(r->head, i, "gone", "no_such_prog", "is not there");
	text = print(r, &o, annotation__print_text);
	assert_non_null(strstr(text, "300 samples: 255 in the targets (85%), 45 outside, none "
				     "lost\n"));
	assert_non_null(
		strstr(text, "not sampled: 9 gone, 10 gone, 11 gone and 2 more: is not there\n"));
	free(text);
	record__free(r);
}

/* A target without samples has no table, but a reason. */
static void test_no_samples(void **state)
{
	const struct annotate_opts o = {};
	struct record *r = new_record();
	char *text, *page;

	add_func(add_prog(r, 7, "prog", 100), "main", 0, 100, 0);
	r->samples.taken = 300;
	text = print(r, &o, annotation__print_text);
	assert_non_null(strstr(text,
			       "): no samples: it did not run, or too rarely; sample for longer "
			       "(--timeout), or more often (-F)\n"));
	page = print(r, &o, annotation__print_html);
	assert_non_null(strstr(page, "no samples: it did not run, or too rarely"));
	free(text);
	free(page);
	/* If many targets have no samples for the same reason, they share one line. */
	for (int i = 8; i < 12; i++)
		add_func(add_prog(r, i, "more", 100), "main", 0, 100, 0);
	text = print(r, &o, annotation__print_text);
	assert_non_null(
		strstr(text, "\nno samples of 7 prog, 8 more, 9 more and 2 more: it did not run"));
	assert_null(strstr(text, "program 8"));
	free(text);
	record__free(r);
}

/* ---- writing and reading recordings ---- */

/* Reads the recording, and returns how it is written. */
static char *rewrite(const char *text)
{
	struct record *r = read_text(text);
	char *again = write_out(r);

	record__free(r);
	return again;
}

/* Adds names of functions and maps that the first program calls or uses. */
static void add_calls(struct record *r)
{
	struct record_prog *p = &r->prog[0];

	*record_prog__add_map(p) = (struct record_map){12, strdup("flows"), strdup("lru_hash")};
	*record_prog__add_bpf_call(p) =
		(struct record_call){0, NULL, strdup("bpf_get_smp_processor_id"), 0};
	*record_prog__add_bpf_call(p) =
		(struct record_call){17, strdup("htab_lru_map_update_elem"), NULL, 12};
	*record_prog__add_code_call(p) =
		(struct record_call){40, strdup("htab_lru_map_update_elem"), NULL, 12};
	*record_prog__add_code_call(p) = (struct record_call){48, strdup("sub"), NULL, 0};
	*record_prog__add_call(p) = (struct record_place){40, 6, 60};
	*record_prog__add_call(p) = (struct record_place){48, 7, 70};
	add_callee(p, 40, 1, "outer_1", NULL);
	add_callee(p, 40, 5, "outer_2", "inner");
	add_callee(p, 48, 6, "outer_3", NULL);
}

/* A recording that was written is read back unchanged, and is written in the same way again. */
static void test_written(void **state)
{
	struct record *made[] = {make_rich(), make_record()};
	char *text, *again;
	json_t *want, *got;

	made[1]->frequency = 4000;
	made[1]->period = 0;
	add_calls(made[1]);
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		text = write_out(made[i]);
		again = rewrite(text);
		assert_string_equal(text, again);
		record__free(made[i]);
		free(text);
		free(again);
	}
	for (size_t i = 0; i < ARRAY_SIZE(recordings); i++) {
		text = real_text(recordings[i]);
		again = rewrite(text);
		want = json_loads(text, 0, NULL);
		got = json_loads(again, 0, NULL);
		assert_non_null(want);
		assert_true(json_equal(got, want));
		json_decref(want);
		json_decref(got);
		free(text);
		free(again);
	}
}

/* A source line is shown as a whole, however long it is and whatever its characters are. */
static void test_long_line(void **state)
{
	static annotation_render_fn *const renders[] = {annotation__print_text,
							annotation__print_html};
	const struct annotate_opts o = {.lines_only = true};
	struct record *r = make_record();
	char line[2048] = "\tx";

	for (int i = 0; i < 500; i++)
		strcat(line, "\u00e4");
	strcat(line, "\tend");
	free(r->prog[0].line[0].text);
	r->prog[0].line[0].text = strdup(line);
	for (size_t i = 0; i < ARRAY_SIZE(renders); i++) {
		char *text = print(r, &o, renders[i]);

		assert_non_null(strstr(text, i ? "&#xe4;    end" : "\u00e4 end"));
		assert_null(strstr(text, "\\x"));
		free(text);
	}
	record__free(r);
}

static char *replace(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out;

	if (!at)
		fail_msg("no '%s' in %s", from, text);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return out;
}

static void test_refused(void **state)
{
	static const struct {
		const char *from, *to, *text;
	} cases[] = {
		{"\"tool\": \"bprof\"", "\"tool\": \"perf\"", "not a recording of bprof"},
		{"\"record\": 1", "\"schema\": 1", "a report (of bprof stat or bench)"},
		{"\"record\": 1", "\"annotate\": 1", "an annotation (of bprof annotate)"},
		{"\"record\": 1", "\"record\": 2", "of a newer bprof (record 2)"},
		{"\"record\": 1", "\"record\": \"1\"", "record: expected a number of at least 1"},
		{"\"period\": 1000", "\"period\": 0", "event.period: expected a number from 1"},
		{"\"period\": 1000", "\"x\": 1", "event: expected either a frequency or a period"},
		{"\"in_targets\": 255", "\"in_targets\": 301",
		 "samples: more samples in the targets than in total"},
		{"\"taken\": 300", "\"taken\": -1", "samples.taken: expected a number from 0"},
		{"\"code\": \"00", "\"code\": \"0g",
		 "programs[0].code: expected hexadecimal digits"},
		{"\"code\": \"00", "\"code\": \"0", "programs[0].code: an odd number of digits"},
		{"\"code\": \"00", "\"insns\": \"b7\", \"code\": \"00",
		 "programs[0].insns: half an instruction"},
		{"\"code\": \"0000", "\"code\": \"00", "programs[0]: functions[2]: ends outside"},
		{"\"size\": 40", "\"size\": 41", "programs[0]: functions[1]: begins before"},
		{"\"size\": 40", "\"size\": 4294967296",
		 "functions[0].size: expected a number from 0"},
		{"\"insn\": 3", "\"insn\": 1", "programs[0]: lines[2]: begins before"},
		{"\"file\": \"dir/main.c\"", "\"file\": 1", "lines[0].file: expected a string"},
		{"    8,\n", "    7,\n", "programs[0]: places[2]: is not after"},
		{"    99,\n", "    100,\n", "programs[0]: places[7]: is outside"},
		{"    99,\n", "50, 1, 9223372036854775807], [51, 1, 9223372036854775807], [99,\n",
		 "programs: too many samples to be added up"},
		{"\"places\": [", "\"places\": [[1, 2],",
		 "places[0]: expected [offset, samples, weight]"},
		{"\"at\": 17", "\"at\": 0", "programs[0]: bpf_calls[1]: is not after"},
		{"\"at\": 48", "\"at\": 39", "programs[0]: code_calls[1]: is not after"},
		{"\"samples\": 5", "\"samples\": 6",
		 "programs[0]: callees[1]: more samples than in"},
		{"\"weight\": 60\n", "\"weight\": 71\n",
		 "callees[2]: more samples than in the call"},
		{"\"offset\": 48", "\"offset\": 47",
		 "programs[0]: callees[2]: there is no such call"},
		{"\"inner\"\n", "\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\"\n",
		 "callees[1].frames: expected 1 to 8 names"},
		{"\"callee\": \"sub\"", "\"callee\": 1", "code_calls[1].callee: expected a string"},
		{"\"map\": 12", "\"map\": -1", "bpf_calls[1].map: expected a number"},
		{"\"skipped\": []\n}", "\"skipped\": []\n} {\"tool\":\"bprof\"}",
		 "unexpected data after the recording"},
		{"\"skipped\": []\n}", "", "the document is cut off"},
	};
	struct record *made = make_record(), *r;
	char *text;

	add_calls(made);
	text = write_out(made);
	record__free(made);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *bad = replace(text, cases[i].from, cases[i].to);
		FILE *in = fmemopen(bad, strlen(bad), "r");
		struct report_error err = {};

		assert_non_null(in);
		if (record__read(in, &r, &err) != -EINVAL)
			fail_msg("it was taken: %s", cases[i].to);
		if (!strstr(err.text, cases[i].text))
			fail_msg("'%s' is not in '%s'", cases[i].text, err.text);
		assert_null(r);
		fclose(in);
		free(bad);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_line),    cmocka_unit_test(test_golden),
		cmocka_unit_test(test_instructions), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_options),	     cmocka_unit_test(test_weights),
		cmocka_unit_test(test_head),	     cmocka_unit_test(test_no_samples),
		cmocka_unit_test(test_written),	     cmocka_unit_test(test_refused),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("annotate", tests, NULL, NULL);
}
