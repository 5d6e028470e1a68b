// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Elements, attributes and text of HTML. Owns the check that each element is closed. Must not know
 * what a page shows.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "html/html.h"

static const char json_begin[] = "<script type=\"application/json\" class=\"bprof\">";
static const char json_end[] = "</script>";

static void put_escaped(struct html *h, const char *fmt, va_list ap)
{
	char *text = text__vformat(fmt, ap);

	text__put(h->out, text__xml(text));
	free(text);
}

static void end_tag(struct html *h)
{
	if (h->in_tag)
		fputc('>', h->out);
	h->in_tag = false;
}

void html__begin(struct html *h, const char *tag)
{
	assert(h->depth < HTML_DEPTH);
	end_tag(h);
	fprintf(h->out, "<%s", tag);
	h->open[h->depth++] = tag;
	h->in_tag = true;
}

void html__attr(struct html *h, const char *name, const char *fmt, ...)
{
	va_list ap;

	assert(h->in_tag);
	fprintf(h->out, " %s=\"", name);
	va_start(ap, fmt);
	put_escaped(h, fmt, ap);
	va_end(ap);
	fputc('"', h->out);
}

/* Returns true if a line break may follow the element, which makes the page easier to read. */
static bool is_block(const char *tag)
{
	static const char *const blocks[] = {"section", "tr", "thead", "tbody",	 "table", "div",
					     "caption", "p",  "li",    "ul",	 "svg",	  "dl",
					     "dd",	"h2", "h3",    "figure", "rect",  "line"};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (!strcmp(blocks[i], tag))
			return true;
	return false;
}

void html__end(struct html *h)
{
	const char *tag;

	assert(h->depth);
	tag = h->open[--h->depth];
	end_tag(h);
	fprintf(h->out, "</%s>%s", tag, is_block(tag) ? "\n" : "");
}

void html__text(struct html *h, const char *fmt, ...)
{
	va_list ap;

	end_tag(h);
	va_start(ap, fmt);
	put_escaped(h, fmt, ap);
	va_end(ap);
}

void html__element(struct html *h, const char *tag, const char *class, const char *text)
{
	html__begin(h, tag);
	if (class)
		html__attr(h, "class", "%s", class);
	html__text(h, "%s", text);
	html__end(h);
}

void html__fact(struct html *h, const char *name, const char *fmt, ...)
{
	va_list ap;

	html__element(h, "dt", NULL, name);
	html__begin(h, "dd");
	end_tag(h);
	va_start(ap, fmt);
	put_escaped(h, fmt, ap);
	va_end(ap);
	html__end(h);
}

void html__finish(const struct html *h)
{
	assert(!h->depth);
}

char *html__capture(void (*print)(const void *arg, FILE *out), const void *arg)
{
	char *text = NULL;
	size_t sz;
	FILE *out = text__open(&text, &sz);
	bool old = text__print_utf8(true); /* a page must not depend on the terminal's locale */

	print(arg, out);
	text__print_utf8(old);
	fclose(out);
	return text;
}

void html__lines(struct html *h, const char *text)
{
	if (!*text)
		return;
	html__begin(h, "ul");
	while (*text) {
		int len = strcspn(text, "\n"), head = strcspn(text, ":");

		head = head < len ? head + 1 : 0;
		if (len) {
			html__begin(h, "li");
			if (head) {
				html__begin(h, "strong");
				html__text(h, "%.*s", head, text);
				html__end(h);
			}
			html__text(h, "%.*s", len - head, text + head);
			html__end(h);
		}
		text += len + (text[len] == '\n');
	}
	html__end(h);
}

void html__json(struct html *h, const char *json)
{
	end_tag(h);
	fprintf(h->out, "%s\n", json_begin);
	/* In JSON, these characters occur only in strings, where they can be escaped. */
	for (; *json; json++) {
		if (*json == '<' || *json == '>' || *json == '&')
			fprintf(h->out, "\\u%04x", *json);
		else
			fputc(*json, h->out);
	}
	fprintf(h->out, "%s\n", json_end);
}

/*
 * Reads up to the end of the next "mark", which begins with '<' and has no other '<'. all: copies the text
 * before the mark; otherwise copies only its line breaks. Returns false at the end of the page.
 */
static bool read_up_to(FILE *page, const char *mark, FILE *out, bool all)
{
	size_t matched = 0;
	int c;

	while (mark[matched] && (c = getc(page)) != EOF) {
		if (c == mark[matched]) {
			matched++;
			continue;
		}
		if (all)
			fwrite(mark, 1, matched, out);
		matched = c == *mark;
		if (!matched && (all || c == '\n'))
			fputc(c, out);
	}
	return !mark[matched];
}

int html__extract_json(FILE *page, FILE *out)
{
	int cnt = 0;

	errno = 0;
	while (read_up_to(page, json_begin, out, false) && read_up_to(page, json_end, out, true))
		cnt++;
	if (ferror(page) || ferror(out) || fflush(out))
		return -(errno ?: EIO);
	return cnt;
}
