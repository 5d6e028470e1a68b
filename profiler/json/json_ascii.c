// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns how a JSON document is written. Must not know what is in it.
 */
#include <errno.h>
#include <string.h>

#include "json/json_ascii.h"

/* json_dump_callback_t. The one control character that JSON_ENSURE_ASCII leaves is DEL. */
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

int json__print_ascii(const json_t *doc, size_t flags, FILE *out)
{
	/*
	 * Not json_dumps(): while its buffer grows for the key of an object it ignores a failure
	 * (jansson 2.14, do_dump) and leaves the key out. A stream keeps its error.
	 */
	int err = json_dump_callback(doc, write_chunk, out, flags | JSON_ENSURE_ASCII);

	return fputc('\n', out) == EOF || err ? -ENOMEM : 0;
}
