// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads reports back from the JSON that report_json.c writes, one document after the other. Owns
 * the limits on a document's size, and the check of a document's kind; must not know a report's
 * fields.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "report/report_head.h"

/*
 * The limits on one document. A report on 500 targets, 128 CPUs and two events has half of
 * MAX_SIZE. Before a malicious document with MAX_VALUES empty objects is refused, it takes 1 GB of
 * memory.
 */
enum {
	MAX_SIZE = 128 << 20, /* maximum number of bytes of a document */
	MAX_VALUES = 8 << 20,
};

/* The state of reading one document with jansson. */
struct input {
	struct report_source *src;
	size_t size, values;
	bool too_large;
	bool ended; /* the input ended inside the document */
};

int report_error__set(struct report_error *err, unsigned long line, const char *fmt, ...)
{
	va_list ap;

	err->line = line;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int report_error__report(int err, const char *name, const char *hint,
			 const struct report_error *rerr)
{
	switch (err) {
	case 0:
		return 0;
	case -ENODATA:
		return log_err(err, "%s: is empty; %s", name, hint);
	case -EINVAL:
		return log_err(err, "%s:%lu: %s", name, rerr->line, rerr->text);
	default:
		return log_err(err, "%s: %s", name, strerror(-err));
	}
}

static int get_char(struct report_source *src)
{
	int c = getc(src->in);

	src->line += c == '\n';
	return c;
}

/*
 * A json_load_callback_t. Reads one byte at a time, so that the stream still has the text after the
 * document.
 */
static size_t read_byte(void *buf, size_t sz, void *arg)
{
	struct input *in = arg;
	int c;

	if (in->too_large)
		return 0;
	c = get_char(in->src);
	in->ended = c == EOF;
	if (in->ended)
		return 0;
	/*
	 * Count an upper bound of the number of values: one of these characters precedes each
	 * value. Strings may also contain these characters.
	 */
	in->values += c == ',' || c == '[' || c == '{';
	in->too_large = ++in->size > MAX_SIZE || in->values > MAX_VALUES;
	*(char *)buf = c;
	return 1;
}

static int load_doc(struct report_source *src, json_t **doc, struct report_error *err)
{
	struct input in = {.src = src};
	unsigned long first = src->line;
	json_error_t jerr;

	errno = 0;
	*doc = json_load_callback(read_byte, &in, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
				  &jerr);
	if (*doc)
		return 0;
	if (ferror(src->in))
		return errno ? -errno : -EIO;
	if (in.too_large)
		return report_error__set(err, first, "too large for a %s",
					 in.src->kind ?: "report");
	return report_error__set(err, first + jerr.line - 1, "%s",
				 in.ended ? "the document is cut off" : json__syntax_text(&jerr));
}

int report_source__next(struct report_source *src, json_t **doc, struct report_error *err)
{
	const char *tool;
	int c, ret;

	*doc = NULL;
	src->line += !src->line;
	errno = 0;
	do
		c = get_char(src);
	while (c != EOF && isspace(c));
	if (c == EOF)
		return ferror(src->in) ? -(errno ?: EIO) : -ENODATA;
	err->line = src->line;
	if (c != '{')
		return report_error__set(err, err->line, "not a %s of bprof",
					 src->kind ?: "report");
	ungetc(c, src->in);
	ret = load_doc(src, doc, err);
	if (ret)
		return ret;
	tool = json_string_value(json_object_get(*doc, "tool"));
	if (tool && !strcmp(tool, "bprof"))
		return 0;
	json_decref(*doc);
	*doc = NULL;
	return report_error__set(err, err->line, "not a %s of bprof", src->kind ?: "report");
}

/* The kinds of documents. A document is of the first kind in this table whose key it has. */
static const struct document_kind {
	const char *key;     /* a field that this kind has, and that no kind below has */
	const char *version; /* the field with the version of the kind's format */
	const char *what, *remedy;
} report_kinds[] = {
	{"comparisons", "schema", "a comparison (of bprof diff)", ""},
	{"annotate", "annotate", "an annotation (of bprof annotate)", ""},
	{"series", "schema", "the series of a history (of bprof history show)", ""},
	{"history", "history", "a history (of bprof history)", ": 'bprof history show' shows it"},
	{"record", "record", "a recording (of bprof record)", ": bprof annotate reads it"},
	{"schema", "schema", "a report (of bprof stat or bench)", ": 'bprof record' makes one"},
};

static const struct document_kind *find_kind(const json_t *doc)
{
	for (size_t i = 0; i < ARRAY_SIZE(report_kinds); i++)
		if (json_object_get(doc, report_kinds[i].key))
			return &report_kinds[i];
	return NULL;
}

const char *report_source__key(const json_t *doc)
{
	const struct document_kind *kind = find_kind(doc);

	return kind ? kind->key : "schema";
}

int report_source__check(const struct report_source *src, const json_t *doc, const char *key,
			 int newest, struct report_error *err)
{
	const struct document_kind *found = find_kind(doc);
	const char *field = found ? found->version : key, *kind = src->kind ?: "report";
	const json_t *version = json_object_get(doc, field);

	if (found && strcmp(found->key, key))
		return report_error__set(err, err->line, "%s, not a %s%s", found->what, kind,
					 found->remedy);
	if (!json__is(version, JSON_INTEGER) || json_integer_value(version) < 1)
		return report_error__set(err, err->line, "%s: expected a number of at least 1",
					 field);
	if (json_integer_value(version) > newest)
		return report_error__set(
			err, err->line, "a %s of a newer bprof (%s %lld): this one reads up to %d",
			kind, field, (long long)json_integer_value(version), newest);
	return 0;
}

int report__parse(const struct report_source *src, json_t *doc, struct report **out,
		  struct report_error *err)
{
	int ret = report_source__check(src, doc, "schema", REPORT_SCHEMA, err);
	struct report *r = ret ? NULL : report__new();

	*out = NULL;
	if (!ret)
		ret = report__fill(r, doc, report_rows, r, err);
	if (ret)
		report__free(r);
	else
		*out = r;
	return ret;
}

int report__read(struct report_source *src, struct report **out, struct report_error *err)
{
	json_t *doc = NULL;
	int ret;

	*out = NULL;
	ret = report_source__next(src, &doc, err) ?: report__parse(src, doc, out, err);
	json_decref(doc);
	return ret;
}
