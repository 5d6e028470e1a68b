// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the display of a bad token in an argument. Must not know the meaning of the argument.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns 0 for bytes 10xxxxxx, which continue a UTF-8 character and take no column. */
static int takes_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Prints the message, the argument, and carets under the bad token. */
static void print(FILE *out, const char *option, const char *arg, const struct parse_error *err)
{
	size_t end = strlen(arg), i;

	fprintf(out, "%s: %s\n  %s\n  ", option, err->text, arg);
	for (i = 0; i < err->pos; i++)
		if (i >= end || takes_column(arg[i]))
			fputc(i < end && arg[i] == '\t' ? '\t' : ' ', out);
	/* print at least one caret, even if the token is not UTF-8 */
	for (; i < err->pos + err->len; i++)
		if (i == err->pos || i >= end || takes_column(arg[i]))
			fputc('^', out);
}

int parse_error__report(int err, const char *option, const char *arg,
			const struct parse_error *perr)
{
	char *text = NULL;
	size_t sz;
	FILE *out;

	if (!err)
		return 0;
	if (err != -EINVAL)
		return log_err(err, "%s: %s", option, strerror(-err));
	out = open_memstream(&text, &sz);
	if (out) {
		print(out, option, arg, perr);
		text__finish(out, &text);
	}
	if (text)
		log_err_lines(err, text);
	else
		log_err(err, "%s: %s", option, perr->text);
	free(text);
	return err;
}
