// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JSON as bpftool writes it. Owns what is taken beyond JSON; must not know what it means.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_lenient.h"
#include "base/util.h"

/* Most digits that jansson takes always: its numbers end at 2^63. */
#define SAFE_DIGITS 18

/* A string, from its quote to the one that ends it. */
static size_t string_len(const char *s)
{
	size_t len = 1;

	while (s[len] && s[len] != '"')
		len += s[len] == '\\' && s[len + 1] ? 2 : 1;
	return s[len] ? len + 1 : len;
}

/* Where the text is, for the names of unnamed fields. */
struct nesting {
	unsigned int unnamed[64]; /* of the objects that it is in, the outermost first */
	unsigned int depth;
};

static unsigned int *here(struct nesting *n)
{
	return &n->unnamed[n->depth % ARRAY_SIZE(n->unnamed)];
}

static void follow(struct nesting *n, char c)
{
	if (c == '{') {
		n->depth++;
		*here(n) = 0;
	} else if (c == '}') {
		n->depth--;
	}
}

/* Is it a number that jansson does not take: hexadecimal, or over 2^63? */
static bool is_foreign_number(const char *s, size_t len)
{
	if (memchr(s, 'x', len) || memchr(s, 'X', len))
		return true;
	return len > SAFE_DIGITS && !memchr(s, '.', len) && !memchr(s, 'e', len) &&
	       !memchr(s, 'E', len);
}

/* A text that jansson takes, with the lines where they were. NULL: out of memory. */
static char *mend_text(const char *json)
{
	static const char digits[] = ".0123456789abcdefABCDEFxX";
	/* What grows most: each "": of 3 bytes takes a name of up to 5 digits. */
	char *out = malloc(3 * strlen(json) + 1), *p = out;
	struct nesting n = {};
	size_t len;

	for (; out && *json; json += len) {
		len = *json == '-';
		if (*json == '"') {
			len = string_len(json);
			if (len == 2 && json[2 + strspn(json + 2, " \t\r\n")] == ':')
				p += sprintf(p, "\"#%u\"", ++*here(&n) % 100000);
			else
				p = mempcpy(p, json, len);
		} else if (isdigit((unsigned char)json[len])) {
			len += strspn(json + len, digits);
			p += sprintf(p, is_foreign_number(json, len) ? "\"%.*s\"" : "%.*s",
				     (int)len, json);
		} else {
			len = 1;
			follow(&n, *json);
			*p++ = *json;
		}
	}
	if (out)
		*p = '\0';
	return out;
}

int json_lenient__load(const char *text, size_t flags, json_t **out, json_error_t *err)
{
	char *mended = mend_text(text);

	*out = NULL;
	*err = (json_error_t){};
	if (!mended)
		return -ENOMEM;
	*out = json_loads(mended, flags | JSON_REJECT_DUPLICATES, err);
	free(mended);
	if (*out)
		return 0;
	/* Without memory it says nothing. */
	return !*err->text || json_error_code(err) == json_error_out_of_memory ? -ENOMEM : -EINVAL;
}
