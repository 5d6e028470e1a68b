// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes record__read(), and everything that shows a recording that was accepted. "make fuzz" runs
 * it.
 *
 * Input: a JSON document. The output for an accepted recording must be harmless in every form, must
 * have every sample in one line, and must be the same after the recording was written to JSON and
 * read again.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "sampling/annotate.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

/* Requires that the output has nothing that a terminal interprets as a command. */
static void check_harmless(const char *text)
{
	for (const unsigned char *p = (const void *)text; *p; p++)
		require(*p == '\n' || (*p >= ' ' && *p != 0x7f));
}

static void check_print(const struct annotation *a, const struct annotate_opts *o,
			annotation_render_fn *fn)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	require(out);
	fn(a, o, out);
	require(!fclose(out));
	require(strlen(text) == sz);
	check_harmless(text);
	free(text);
}

/*
 * Requires that every sample inside of the program's functions belongs to exactly one line and one
 * instruction.
 */
static void check_sums(const struct annotation *a)
{
	for (int i = 0; i < a->prog_cnt; i++) {
		const struct annotated_prog *p = &a->prog[i];
		__u64 in_prog = 0, want = 0;

		for (int k = 0; k < p->func_cnt; k++) {
			const struct annotated_func *f = &p->func[k];
			__u32 from = f->func->code_off, to = from + f->func->code_len;

			for (int n = 0; n < f->line_cnt; n++) {
				__u64 in_line = 0;

				for (int m = 0; m < f->line[n].insn_cnt; m++)
					in_line += f->line[n].insn[m].sum.samples;
				require(in_line == f->line[n].sum.samples);
				in_prog += in_line;
			}
			for (int n = 0; n < p->prog->place_cnt; n++)
				if (p->prog->place[n].code_off >= from &&
				    p->prog->place[n].code_off < to)
					want += p->prog->place[n].samples;
		}
		require(in_prog == want);
	}
}

static void check_shown(const struct record *r)
{
	static const struct annotate_opts opts[] = {
		{}, {.hot = true, .lines_only = true, .percent_limit = 1}, {.func = "*x*"}};

	for (size_t i = 0; i < sizeof(opts) / sizeof(opts[0]); i++) {
		struct annotation *a = annotate(r, &opts[i]);

		check_sums(a);
		check_print(a, &opts[i], annotation__print_text);
		check_print(a, &opts[i], annotation__print_json);
		check_print(a, &opts[i], annotation__print_folded);
		annotation__free(a);
	}
}

static char *write_out(const struct record *r)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	require(out && !record__write(r, out) && !fclose(out));
	return text;
}

static struct record *read_again(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct report_error err = {};
	struct record *r;

	require(in && !record__read(in, &r, &err));
	fclose(in);
	return r;
}

/*
 * Writes the recording and reads it again, twice. The first writing may round values that no real
 * recording has; the second one must change nothing.
 */
static void check_again(const struct record *r)
{
	char *first = write_out(r), *once, *twice;
	struct record *again = read_again(first), *second;

	once = write_out(again);
	second = read_again(once);
	twice = write_out(second);
	require(!strcmp(once, twice));
	record__free(again);
	record__free(second);
	free(first);
	free(once);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	FILE *in = sz ? fmemopen((void *)data, sz, "r") : NULL;
	struct report_error err = {};
	struct record *r;
	int ret;

	if (!in)
		return 0;
	ret = record__read(in, &r, &err);
	fclose(in);
	if (!ret) {
		check_shown(r);
		check_again(r);
		record__free(r);
		return 0;
	}
	require(!r);
	require(ret == -ENODATA || ret == -EINVAL);
	if (ret == -EINVAL) {
		require(err.line >= 1 && *err.text);
		check_harmless(err.text);
	}
	return 0;
}
