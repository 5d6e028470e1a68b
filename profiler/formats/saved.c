// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads saved documents of any kind. Chooses the reader by the kind of document. Must not know the
 * fields of a document, or what is done with the document.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "formats/saved.h"
#include "html/html.h"
#include "report/report_head.h"
#include "sampling/record_json.h"

enum document saved__kind(const struct saved *s)
{
	if (s->comparison.c)
		return DOC_COMPARISON;
	if (s->annotation)
		return DOC_ANNOTATED;
	if (s->record)
		return DOC_ANNOTATION;
	return s->report->of_scopes || s->report->scope_cnt ? DOC_SCOPES : DOC_PROGRAMS;
}

static int parse_report(struct report_source *src, json_t *doc, struct saved *s,
			struct report_error *err)
{
	return report__parse(src, doc, &s->report, err);
}

static int parse_comparison(struct report_source *src, json_t *doc, struct saved *s,
			    struct report_error *err)
{
	return compare_saved__parse(src, doc, &s->comparison, err);
}

static int parse_record(struct report_source *src, json_t *doc, struct saved *s,
			struct report_error *err)
{
	return record__parse(src, doc, &s->record, err);
}

static int parse_annotation(struct report_source *src, json_t *doc, struct saved *s,
			    struct report_error *err)
{
	return annotation__parse(src, doc, &s->annotation, err);
}

static int refuse_history(struct report_source *src, json_t *doc, struct saved *s,
			  struct report_error *err)
{
	return report_error__set(err, err->line,
				 "a history of reports: 'bprof history show' shows it");
}

/* The readers of documents. A document is of the kind whose field "key" it has. */
static const struct {
	const char *key, *kind;
	int (*parse)(struct report_source *src, json_t *doc, struct saved *s,
		     struct report_error *err);
} readers[] = {
	{"schema", "report", parse_report},	{"comparisons", "comparison", parse_comparison},
	{"record", "recording", parse_record},	{"annotate", "annotation", parse_annotation},
	{"history", "history", refuse_history}, {"series", "history", refuse_history},
};

/* Reads the next document. Returns -ENODATA at the end. */
static int read_next(struct report_source *src, struct saved_list *l, struct report_error *err)
{
	json_t *doc = NULL;
	struct saved *s;
	size_t i = 0;
	int ret;

	ret = report_source__next(src, &doc, err);
	if (ret)
		return ret;
	while (strcmp(readers[i].key, report_source__key(doc)))
		i++;
	src->kind = readers[i].kind;
	s = array__add(&l->v, &l->cnt, sizeof(*s));
	ret = readers[i].parse(src, doc, s, err);
	json_decref(doc);
	if (ret)
		l->cnt--;
	if (!ret && saved__kind(s) != saved__kind(&l->v[0]))
		ret = report_error__set(err, err->line,
					"a document of another kind than the ones before");
	return ret;
}

int saved_list__read(FILE *in, struct saved_list *l, struct report_error *err)
{
	FILE *json = NULL;
	int ret;

	*l = (struct saved_list){};
	ret = saved__open(in, &json, err);
	if (!ret) {
		struct report_source src = {.in = json};

		do
			src.kind = "document";
		while (!(ret = read_next(&src, l, err)));
		ret = ret == -ENODATA && l->cnt ? 0 : ret;
	}
	if (json && json != in)
		fclose(json);
	return ret;
}

void saved_list__free(struct saved_list *l)
{
	for (int i = 0; i < l->cnt; i++) {
		report__free(l->v[i].report);
		compare_saved__free(&l->v[i].comparison);
		record__free(l->v[i].record);
		annotation__free(l->v[i].annotation);
	}
	free(l->v);
	*l = (struct saved_list){};
}

/* ---- HTML ---- */

/* Returns the first character of the file that is not blank, without reading it from the stream. */
static int peek(FILE *in, unsigned long *lines)
{
	int c;

	*lines = 0;
	while ((c = getc(in)) != EOF && isspace(c))
		*lines += c == '\n';
	if (c != EOF)
		ungetc(c, in);
	return c;
}

int saved__open(FILE *in, FILE **out, struct report_error *err)
{
	unsigned long lines;
	FILE *copy;
	int ret;

	*out = in;
	if (peek(in, &lines) != '<')
		return 0;
	copy = tmpfile();
	if (!copy)
		return -errno;
	ret = html__extract_json(in, copy);
	if (ret <= 0) {
		fclose(copy);
		*out = NULL;
		return ret ?: report_error__set(err, lines + 1, "a page without the data of bprof");
	}
	rewind(copy);
	*out = copy;
	return 0;
}

int saved__read_report(const char *path, const char *hint, struct report **out)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *in = is_stdin ? stdin : fopen(path, "re"), *json = NULL;
	struct report_error rerr = {};
	int err;

	if (!in)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	err = saved__open(in, &json, &rerr) ?: report__read_all(json, out, &rerr);
	if (json && json != in)
		fclose(json);
	if (!is_stdin)
		fclose(in);
	return report_error__report(err, is_stdin ? "standard input" : path, hint, &rerr);
}
