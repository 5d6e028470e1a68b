// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the display of a bad token in an argument. Must not know the meaning of the argument.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/parse_error.h"
#include "base/text.h"

int parse_error__set(struct parse_error *err, size_t pos, size_t len, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->pos = pos;
	err->len = len ? len : 1;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Returns the length of the character at position i. put_part() prints each character in one column. */
static size_t char_len(const char *arg, size_t i, size_t end)
{
	bool harmless;

	return i < end ? text__char(arg + i, &harmless) : 1;
}

/*
 * Prints a part of the message. Replaces line breaks in it, because a line break would look like
 * the end of the message.
 */
static void put_part(FILE *out, const char *s, const char *end)
{
	for (; *s; s++)
		fputc(*s == '\n' ? '?' : *s, out);
	fputs(end, out);
}

int parse_error__report(int err, const char *option, const char *arg,
			const struct parse_error *perr)
{
	size_t end, i, sz;
	char *text = NULL;
	FILE *out;

	if (!err)
		return 0;
	if (err != -EINVAL)
		return log_err(err, "%s: %s", option, strerror(-err));
	out = text__open(&text, &sz);
	put_part(out, option, ": ");
	put_part(out, perr->text, "\n  ");
	put_part(out, arg, "\n  ");
	/* Print carets under the bad token. */
	end = strlen(arg);
	for (i = 0; i < perr->pos; i += char_len(arg, i, end))
		fputc(i < end && arg[i] == '\t' ? '\t' : ' ', out);
	do
		fputc('^', out);
	while ((i += char_len(arg, i, end)) < perr->pos + perr->len);
	fclose(out);
	log_err_lines(text);
	free(text);
	return err;
}
