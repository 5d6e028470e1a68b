// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JSON as bpftool writes it. Owns the accepted extensions of JSON; must not know the meaning of
 * documents.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/util.h"
#include "json/json_lenient.h"

/* Numbers of up to 18 digits are below 2^63 - 1, jansson's maximum. */
#define SAFE_DIGITS 18

/* Returns the length of a string, including both quotes. */
static size_t string_len(const char *s)
{
	size_t len = 1;

	while (s[len] && s[len] != '"')
		len += s[len] == '\\' && s[len + 1] ? 2 : 1;
	return s[len] ? len + 1 : len;
}

/* Counts unnamed fields up to the current position of the text, to give them names. */
struct nesting {
	/* number of unnamed fields in each enclosing object, indexed by depth */
	unsigned int unnamed[64];
	unsigned int depth;
};

static unsigned int *unnamed_count(struct nesting *n)
{
	return &n->unnamed[n->depth % ARRAY_SIZE(n->unnamed)];
}

static void track_nesting(struct nesting *n, char c)
{
	if (c == '{') {
		n->depth++;
		*unnamed_count(n) = 0;
	} else if (c == '}') {
		n->depth--;
	}
}

/*
 * Returns true for numbers that jansson may refuse: hexadecimal numbers, and numbers that may be
 * too large.
 */
static bool is_foreign_number(const char *s, size_t len)
{
	if (memchr(s, 'x', len) || memchr(s, 'X', len))
		return true;
	return len > SAFE_DIGITS && !memchr(s, '.', len) && !memchr(s, 'e', len) &&
	       !memchr(s, 'E', len);
}

/*
 * Converts json to a text that jansson accepts, with the same line breaks. The caller frees the
 * text.
 */
static char *make_strict(const char *json)
{
	static const char digits[] = ".0123456789abcdefABCDEFxX";
	/*
	 * Unnamed fields get names, which makes the text longer: at worst, each "": (3 bytes)
	 * becomes "#12345": (9 bytes).
	 */
	char *out = xmalloc(3 * strlen(json) + 1), *p = out;
	struct nesting n = {};
	size_t len;

	for (; *json; json += len) {
		len = *json == '-';
		if (*json == '"') {
			len = string_len(json);
			if (len == 2 && json[2 + strspn(json + 2, " \t\r\n")] == ':')
				p += sprintf(p, "\"#%u\"", ++*unnamed_count(&n) % 100000);
			else
				p = mempcpy(p, json, len);
		} else if (isdigit((unsigned char)json[len])) {
			len += strspn(json + len, digits);
			p += sprintf(p, is_foreign_number(json, len) ? "\"%.*s\"" : "%.*s",
				     (int)len, json);
		} else {
			len = 1;
			track_nesting(&n, *json);
			*p++ = *json;
		}
	}
	*p = '\0';
	return out;
}

int json_lenient__load(const char *text, size_t flags, json_t **out, json_error_t *err)
{
	char *strict = make_strict(text);

	*out = json_loads(strict, flags | JSON_REJECT_DUPLICATES, err);
	free(strict);
	return *out ? 0 : -EINVAL;
}
