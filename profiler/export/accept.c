// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses Accept and Accept-Encoding (RFC 9110, 12.5): lists of names with parameters. The parameter
 * q is the quality, from 0 (refused) to 1.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "export/accept.h"

/* An element of the list: "text/plain; version=0.0.4; q=0.5". */
struct accept_item {
	char name[64];
	char version[16]; /* the parameter "version", or "" */
	double quality;
};

/* Copies the word at s, which has n characters, without the spaces and quotes around it. */
static void copy_word(char *buf, size_t sz, const char *s, size_t n)
{
	for (; n && strchr(" \t\"", *s); n--)
		s++;
	while (n && strchr(" \t\"", s[n - 1]))
		n--;
	if (n >= sz)
		n = 0; /* the word is longer than any known word */
	memcpy(buf, s, n);
	buf[n] = '\0';
}

static double parse_quality(const char *s)
{
	char *end;
	double q = strtod(s, &end);

	return end != s && !*end && q >= 0 && q <= 1 ? q : 0;
}

/* Returns the length of s up to a separator that is not in quotes. */
static size_t span(const char *s, const char *separators)
{
	size_t n = 0;

	for (bool quoted = false; s[n] && (quoted || !strchr(separators, s[n])); n++)
		quoted ^= s[n] == '"';
	return n;
}

/* Parses the next item. Returns the text after it, or NULL at the end. */
static const char *next_item(const char *s, struct accept_item *item)
{
	char key[16], value[16];
	size_t n;

	if (!s || !*s)
		return NULL;
	n = span(s, ",;");
	copy_word(item->name, sizeof(item->name), s, n);
	item->version[0] = '\0';
	item->quality = 1;
	for (s += n; *s == ';'; s += n) {
		s++;
		n = span(s, ",;");
		if (!memchr(s, '=', n))
			continue;
		copy_word(key, sizeof(key), s, strcspn(s, "="));
		copy_word(value, sizeof(value), s + strcspn(s, "=") + 1, n - strcspn(s, "=") - 1);
		if (!strcasecmp(key, "q"))
			item->quality = parse_quality(value);
		else if (!strcasecmp(key, "version"))
			strcpy(item->version, value);
	}
	return *s ? s + 1 : s;
}

static bool is_version(const struct accept_item *item, const char *version)
{
	return !*item->version || !strcmp(item->version, version);
}

enum metrics_format accept__choose_format(const char *accept)
{
	double openmetrics = 0, text = 0, any_text = -1, any = -1;
	bool has_text = false;
	struct accept_item item;

	while ((accept = next_item(accept, &item))) {
		if (!strcasecmp(item.name, "application/openmetrics-text") &&
		    is_version(&item, "1.0.0") && item.quality > openmetrics)
			openmetrics = item.quality;
		if (!strcasecmp(item.name, "text/plain") && is_version(&item, "0.0.4")) {
			text = item.quality > text ? item.quality : text;
			has_text = true;
		}
		if (!strcasecmp(item.name, "text/*"))
			any_text = item.quality;
		if (!strcmp(item.name, "*/*"))
			any = item.quality;
	}
	/* The most specific range counts. */
	if (!has_text)
		text = any_text >= 0 ? any_text : any;
	return openmetrics > 0 && openmetrics >= text ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
}

bool accept__has_gzip(const char *accept_encoding)
{
	double gzip = -1, any = 0;
	struct accept_item item;

	while ((accept_encoding = next_item(accept_encoding, &item))) {
		if (!strcasecmp(item.name, "gzip") || !strcasecmp(item.name, "x-gzip"))
			gzip = item.quality;
		if (!strcmp(item.name, "*"))
			any = item.quality;
	}
	return gzip >= 0 ? gzip > 0 : any > 0;
}
