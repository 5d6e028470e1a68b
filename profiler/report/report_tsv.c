// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as tab-separated values (IANA's text/tab-separated-values): a line with the names of
 * the columns, then the same lines as CSV. Owns the escaping of fields; report_csv.c owns the
 * columns.
 *
 * In names, a backslash is written as \\, and tabs and line breaks are written as \xNN, so that no
 * field contains such a character, and each field can be read back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report_csv_priv.h"

static int print_field(const char *s, const char *sep, FILE *out)
{
	char *escaped = calloc(strlen(s) + 1, 2), *end = escaped, *printable;

	if (!escaped)
		return -ENOMEM;
	for (; *s; s++) {
		if (*s == '\\')
			*end++ = '\\';
		*end++ = *s;
	}
	printable = text__printable(escaped);
	free(escaped);
	if (!printable)
		return -ENOMEM;
	fputs(printable, out);
	free(printable);
	return 0;
}

int report__render_tsv(const struct report *r, const struct render_opts *o, FILE *out)
{
	const struct csv_style style = {
		.sep = "\t", .header = report_csv__begins(r, o), .print_text = print_field};

	return report__print_csv(r, o, &style, out);
}
