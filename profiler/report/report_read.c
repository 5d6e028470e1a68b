// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads reports back from the JSON that report_json.c writes: one document after the other. Owns what
 * a document may cost and whether it is a report at all; must not know a report's fields. Prints
 * nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/report_head.h"
#include "base/util.h"

/*
 * A report of 500 targets on 128 CPUs with two events has half of that. What costs most is a text
 * full of empty objects: it takes 1 GB until it is refused.
 */
enum {
	MAX_SIZE = 128 << 20, /* bytes of a document */
	MAX_VALUES = 8 << 20,
};

/* One document on its way to jansson. */
struct input {
	struct report_source *src;
	size_t size, values;
	bool too_large;
	bool ended; /* the source, with the document not complete */
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

static int get_char(struct report_source *src)
{
	int c = getc(src->in);

	src->line += c == '\n';
	return c;
}

/* json_load_callback_t. One byte at a time: what follows the document is not to be taken. */
static size_t feed(void *buf, size_t sz, void *arg)
{
	struct input *in = arg;
	int c;

	if (in->too_large)
		return 0;
	c = get_char(in->src);
	in->ended = c == EOF;
	if (in->ended)
		return 0;
	/* Each begins with one of these, or is the first of its array or object; strings have some. */
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
	*doc = json_load_callback(feed, &in, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
				  &jerr);
	if (*doc)
		return 0;
	if (ferror(src->in))
		return errno ? -errno : -EIO;
	if (in.too_large)
		return report_error__set(err, first, "too large for a %s",
					 in.src->kind ?: "report");
	/* Without memory it says nothing. */
	if (!*jerr.text || json_error_code(&jerr) == json_error_out_of_memory)
		return -ENOMEM;
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

/* Is it a report, and of a version that can be read? */
static int check_head(json_t *doc, struct report_error *err)
{
	const json_t *schema = json_object_get(doc, "schema");

	if (json_object_get(doc, "comparisons"))
		return report_error__set(err, err->line,
					 "a comparison (of bprof diff), not a report");
	if (json_object_get(doc, "annotate"))
		return report_error__set(err, err->line,
					 "an annotation (of bprof annotate), not a report");
	if (json_object_get(doc, "record"))
		return report_error__set(
			err, err->line,
			"a recording (of bprof record), not a report: bprof annotate reads it");
	if (!json_is_integer(schema) || json_integer_value(schema) < 1)
		return report_error__set(err, err->line, "schema: a number from 1 on is wanted");
	if (json_integer_value(schema) > REPORT_SCHEMA)
		return report_error__set(
			err, err->line,
			"a report of a newer bprof (schema %lld): this one reads up to %d",
			(long long)json_integer_value(schema), REPORT_SCHEMA);
	return 0;
}

int report__read(struct report_source *src, struct report **out, struct report_error *err)
{
	struct report *r = NULL;
	json_t *doc = NULL;
	int ret;

	*out = NULL;
	ret = report_source__next(src, &doc, err) ?: check_head(doc, err);
	if (ret)
		goto out;
	r = report__new();
	ret = r ? report__fill(r, doc, err) : -ENOMEM;
	if (ret)
		goto out;
	*out = r;
	r = NULL;
out:
	report__free(r);
	json_decref(doc);
	return ret;
}
