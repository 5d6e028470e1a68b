// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as tab-separated values (IANA's text/tab-separated-values): a line with the columns'
 * names, then the same lines as CSV. Owns how a field is written; report_csv.c owns the columns.
 *
 * No field contains a tab or a line break: in names, such characters are written as \xNN.
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
	/* with -I, print the names once, before the first interval */
	const struct csv_style style = {.sep = "\t",
					.header = !o->interval || (o->header && !r->total),
					.print_text = print_field};

	return report__print_csv(r, o, &style, out);
}
