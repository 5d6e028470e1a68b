// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report as tab-separated values (IANA's text/tab-separated-values): a line with the names of
 * the columns, then the same lines as CSV. Owns the separator; report_csv.c owns the columns.
 *
 * In a name, a backslash is written as \\, and some other bytes as \xNN, so that a reader of the
 * file can recover each field's text.
 */
#include "render/render.h"
#include "render/report_csv_priv.h"

void report__render_tsv(const struct report *r, const struct render_opts *o, FILE *out)
{
	const struct csv_style style = {
		.sep = "\t", .header = report_csv__begins(r, o), .tsv = true};

	report__print_csv(r, o, &style, out);
}
