// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the text form of a JSON document. Must not know the content of the document.
 */
#include <errno.h>
#include <string.h>

#include "json/json_ascii.h"

/*
 * A json_dump_callback_t. Escapes DEL, the only control character that JSON_ENSURE_ASCII does not
 * escape.
 */
static int write_chunk(const char *chunk, size_t sz, void *arg)
{
	FILE *out = arg;

	while (sz) {
		const char *del = memchr(chunk, 0x7f, sz);
		size_t len = del ? (size_t)(del - chunk) : sz;

		fwrite(chunk, 1, len, out);
		if (del)
			fputs("\\u007f", out);
		chunk += len + !!del;
		sz -= len + !!del;
	}
	return 0;
}

int json__print(json_t *doc, int err, enum json_layout layout, FILE *out)
{
	/*
	 * A number of up to 15 digits is printed with these digits. With a precision of more than
	 * 15 digits, 0.1 would be printed as 0.10000000000000001.
	 */
	size_t flags = (layout == JSON_LINE ? JSON_COMPACT : JSON_INDENT(1)) |
		       JSON_REAL_PRECISION(15) | JSON_ENSURE_ASCII;

	/*
	 * Do not use json_dumps(): if it cannot grow its buffer for an object's key, it ignores the
	 * failure (jansson 2.14, do_dump) and leaves the key out. A FILE remembers errors.
	 */
	if (!err)
		err = json_dump_callback(doc, write_chunk, out, flags) || fputc('\n', out) == EOF;
	json_decref(doc);
	return err ? -ENOMEM : 0;
}
