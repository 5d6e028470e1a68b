// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes report__read(), and all renderers with the reports that it accepts. "make fuzz" runs it.
 *
 * Input: JSON documents, one after the other. The output must be harmless in every form, and an
 * accepted report must be the same after it was written to JSON and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "formats/formats.h"
#include "render/render.h"
#include "report/report.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/require.h"
#include "tests/unit/benchfmt_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

/* ---- checks of the report that was read ---- */

static void check_event(const struct report_event *ev)
{
	require(ev->name && ev->base);
	require(ev->status >= 0 && ev->status < EVENT_STATUS_CNT);
	for (int i = 0; i < ev->block_cnt; i++)
		require(ev->block[i].measured);
	for (int i = 0; i < ev->bucket_cnt; i++) {
		require(ev->bucket[i].count && ev->bucket[i].low <= ev->bucket[i].high);
		require(!i || ev->bucket[i - 1].high <= ev->bucket[i].low);
	}
}

static void check_row(const struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++)
		check_event(&row->event[i]);
}

static void check_cpus(const struct report_row *cpu, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		require(cpu[i].cpu >= 0);
		check_row(&cpu[i]);
	}
}

/* Checks the report. Returns true if it has rows of CPUs. */
static bool check_report(const struct report *r)
{
	bool cpus = false;

	require(r->repeats >= 1 && (r->thin_period || (r->budget && r->budget->share > 0)) &&
		r->host.cpus >= 0);
	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];

		require(p->method && strlen(p->tag) < sizeof(p->tag) && p->all.cpu == -1);
		check_row(&p->all);
		check_cpus(p->cpu, p->cpu_cnt);
		cpus |= p->cpu_cnt;
	}
	for (int i = 0; i < r->scope_cnt; i++) {
		const struct report_scope *s = &r->scope[i];

		require(s->kind && s->method && s->all.cpu == -1);
		check_row(&s->all);
		check_cpus(s->cpu, s->cpu_cnt);
		cpus |= s->cpu_cnt;
	}
	for (int i = 0; i < r->skip_cnt; i++)
		require(r->skip[i].reason);
	return cpus;
}

/* ---- checks of the renderers' output ---- */

static char *render(const struct report *r, const struct render_opts *o, report_render_fn *fn)
{
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	require(out);
	require(!report__render(r, fn, o, out));
	fclose(out);
	require(strlen(text) == sz);
	return text;
}

/*
 * Requires that the output has nothing that a terminal interprets as a command, and that JSON is
 * ASCII.
 */
static void check_harmless(const char *text, bool ascii)
{
	for (const unsigned char *p = (const void *)text; *p; p++) {
		require(*p == '\n' || *p >= ' ');
		require(*p != 0x7f);
		require(!ascii || *p < 0x7f);
	}
}

/* Counts the fields of the first line of CSV, and moves *line to the next line. */
static int count_fields(const char **line)
{
	bool quoted = false;
	int cnt = 1;

	for (; **line && (quoted || **line != '\n'); (*line)++) {
		if (**line == '"')
			quoted = !quoted;
		cnt += !quoted && **line == ',';
	}
	require(**line == '\n' && !quoted);
	(*line)++;
	return cnt;
}

/* Counts the fields of a line of CSV in a report whose program or scope has no name. */
static int count_plain_fields(struct render_opts *o, const struct report *r, bool scope)
{
	struct report *plain = report__new();
	const char *line;
	char *csv;
	int cnt;

	if (scope)
		report__add_scope(plain);
	else
		report__add_prog(plain);
	plain->repeats = r->repeats;
	plain->followed = r->followed;
	plain->by_retval = r->by_retval;
	line = csv = render(plain, o, report__render_csv);
	cnt = count_fields(&line);
	require(cnt > 8 && !*line);
	report__free(plain);
	free(csv);
	return cnt;
}

/*
 * Requires that no name forges a field or a line: each line has as many fields as a line without
 * names.
 */
static void check_csv(const char *text, struct render_opts *o, const struct report *r)
{
	int of_prog = count_plain_fields(o, r, false), of_scope = count_plain_fields(o, r, true);

	while (*text) {
		int cnt = count_fields(&text);

		require((cnt == of_prog && (r->prog_cnt || !r->scope_cnt)) ||
			(cnt == of_scope && r->scope_cnt));
	}
}

/* Requires that each line has as many fields as the header line. */
static void check_tsv(const char *text, const struct report *r)
{
	int tabs = 0, want = -1;

	for (; *text; text++) {
		require(*text == '\n' || *text == '\t' || (unsigned char)*text >= ' ');
		tabs += *text == '\t';
		if (*text != '\n')
			continue;
		require(want < 0 || tabs == want || (r->prog_cnt && r->scope_cnt));
		want = tabs;
		tabs = 0;
	}
}

static struct report *read_again(const char *json)
{
	struct report_source src = {.in = fmemopen((void *)json, strlen(json), "r")};
	struct report_error err = {};
	struct report *r, *none;

	require(src.in);
	if (report__read(&src, &r, &err)) {
		fprintf(stderr, "line %lu: %s\n%s", err.line, err.text, json);
		abort();
	}
	require(report__read(&src, &none, &err) == -ENODATA && !none);
	fclose(src.in);
	return r;
}

/*
 * Requires that a report is the same after it was written and read. The first writing may round
 * values that no session has; after that, nothing may change.
 */
static void check_again(const char *json, struct render_opts *o)
{
	struct report *first = read_again(json), *second;
	const struct format *f;
	char *once = render(first, o, report__render_json), *twice;

	second = read_again(once);
	twice = render(second, o, report__render_json);
	require(!strcmp(once, twice));
	for (int i = 0; (f = formats__next(DOC_PROGRAMS, i)); i++) {
		char *a, *b;

		if (f->binary)
			continue;
		a = render(first, o, f->report);
		b = render(second, o, f->report);
		require(!strcmp(a, b));
		free(a);
		free(b);
	}
	report__free(first);
	report__free(second);
	free(once);
	free(twice);
}

/* Requires that a strict parser of the format accepts the output, whatever the names are. */
static void check_benchfmt(const char *text)
{
	const struct benchfmt_reader none = {};
	const char *why;
	int line;

	why = benchfmt__read(&none, text, &line);
	/* a line may be too long, as names may be as long as the report */
	if (why && strcmp(why, "the line is too long")) {
		fprintf(stderr, "line %d: %s\n%s", line, why, text);
		abort();
	}
}

/*
 * Requires that a page has only tags that bprof writes, in pairs, and that no text of the report
 * ends the JSON.
 */
static void check_page(const char *page)
{
	static const char begin[] = "<script type=\"application/json\" class=\"bprof\">";
	char *json = strstr(page, begin), *end = json ? strstr(json, "</script>") : NULL;
	int depth = 0;

	require(end && strchr(json + strlen(begin), '<') == end);
	for (const char *p = page; (p = strchr(p, '<')); p++) {
		const char *close = strchr(p, '>');

		require(close);
		if (p[1] == '!' || close[-1] == '/')
			continue;
		depth += p[1] == '/' ? -1 : 1;
		require(depth >= 0);
	}
	require(!depth);
	require(!strcmp(strstr(page, "</html>"), "</html>\n"));
}

static void check_outputs(const struct report *r, struct render_opts *o)
{
	char *text = render(r, o, report__render_text), *csv = render(r, o, report__render_csv);
	char *json = render(r, o, report__render_json),
	     *bench = render(r, o, report__render_benchfmt),
	     *tsv = render(r, o, report__render_tsv), *page = render(r, o, report__render_html);

	check_harmless(text, false);
	check_csv(csv, o, r);
	check_harmless(json, true);
	check_benchfmt(bench);
	check_tsv(tsv, r);
	check_harmless(page, true);
	if (!o->interval) /* the page of a series is not complete yet */
		check_page(page);
	free(page);
	check_again(json, o);
	free(text);
	free(bench);
	free(tsv);
	free(csv);
	free(json);
}

static void check_error(const struct report_error *err, size_t lines)
{
	require(err->line >= 1 && err->line <= lines);
	require(*err->text && memchr(err->text, '\0', sizeof(err->text)));
	check_harmless(err->text, true);
	require(!strchr(err->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct report_source src = {.in = sz ? fmemopen((void *)data, sz, "r") : NULL};
	struct report_error err = {};
	struct report *r;
	size_t lines = 1;
	int ret;

	if (!src.in)
		return 0;
	for (size_t i = 0; i < sz; i++)
		lines += data[i] == '\n';
	for (bool header = true; !(ret = report__read(&src, &r, &err)); header = false) {
		struct render_opts opts = {.sep = ",", .header = header, .verbose = 1};

		opts.per_cpu = check_report(r);
		opts.interval = r->interval_ns;
		check_outputs(r, &opts);
		report__free(r);
	}
	require(!r);
	require(ret == -ENODATA || ret == -EINVAL);
	if (ret == -EINVAL)
		check_error(&err, lines);
	fclose(src.in);
	return 0;
}
