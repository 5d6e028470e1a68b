// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as tab-separated values (IANA's text/tab-separated-values): a line with the names of
 * the columns, then the same lines as CSV. Owns the escaping of fields; report_csv.c owns the
 * columns.
 *
 * Tabs and line breaks in names are written as \xNN, so no field contains such a character.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/report_csv_priv.h"

static int print_field(const char *s, const char *sep, FILE *out)
{
	char *printable = text__printable(s);

	if (!printable)
		return -ENOMEM;
	fputs(printable, out);
	free(printable);
	return 0;
}

int report__render_tsv(const struct report *r, const struct render_opts *o, FILE *out)
{
	/* With -I, print the names only before the first interval. */
	const struct csv_style style = {.sep = "\t",
					.header = !o->interval || (o->header && !r->total),
					.print_text = print_field};

	return report__print_csv(r, o, &style, out);
}
