// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints JSON values as ASCII text (with jansson). Must not know the content of the document. */
#include <string.h>

#include "json/json_ascii.h"

/*
 * The destination of jansson's text. depth: the number of blanks at the beginning of each line
 * after the first.
 */
struct text {
	FILE *out;
	int depth;
};

/*
 * A json_dump_callback_t. Escapes DEL, the only control character that JSON_ENSURE_ASCII does not
 * escape. Adds blanks after each newline: as strings have no newlines, each one ends a line.
 */
static int write_chunk(const char *chunk, size_t sz, void *arg)
{
	const struct text *t = arg;

	while (sz) {
		size_t len = 0;

		while (len < sz && chunk[len] != 0x7f && chunk[len] != '\n')
			len++;
		fwrite(chunk, 1, len, t->out);
		if (len < sz && chunk[len] == '\n')
			fprintf(t->out, "\n%*s", t->depth, "");
		else if (len < sz)
			fputs("\\u007f", t->out);
		len += len < sz;
		chunk += len;
		sz -= len;
	}
	return 0;
}

static void dump(json_t *v, size_t layout, int depth, FILE *out)
{
	struct text text = {out, depth};
	/*
	 * With a precision of 15 digits, a number of up to 15 digits is printed unchanged. With a
	 * higher precision, 0.1 would be printed as 0.10000000000000001.
	 */
	size_t flags = layout | JSON_REAL_PRECISION(15) | JSON_ENSURE_ASCII | JSON_ENCODE_ANY;

	json_dump_callback(v, write_chunk, &text, flags);
}

void json__print(json_t *doc, enum json_layout layout, FILE *out)
{
	dump(doc, layout == JSON_LINE ? JSON_COMPACT : JSON_INDENT(1), 0, out);
	fputc('\n', out);
	json_decref(doc);
}

void json__print_value(json_t *value, int depth, FILE *out)
{
	dump(value, JSON_INDENT(1), depth, out);
	json_decref(value);
}
