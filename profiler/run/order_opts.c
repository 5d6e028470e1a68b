// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options --sort, --top and --active. Owns their rows and their message; must not know the
 * columns of any command.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "base/util.h"
#include "run/order_opts.h"

#define OPT(member) offsetof(struct order_opts, member)

const struct option_row order_rows[] = {
	OPTION("sort", 0, OPTION_STRING, .member = OPT(sort), .arg = "COLUMN",
	       .help = "sort the programs by this column: numbers descending, ids and text "
		       "ascending"),
	OPTION("top", 0, OPTION_U64, .member = OPT(top), .arg = "N", .min = 1, .max = 1U << 30,
	       .help = "show only the first N programs"),
	OPTION("active", 0, OPTION_FLAG, .member = OPT(active),
	       .help = "show only programs that ran"),
	{},
};

int order_opts__check(const struct order_opts *o, const char *(*column)(int i))
{
	char list[256] = "", hint[96];
	struct suggest near;
	size_t len = 0;

	if (!o->sort)
		return 0;
	suggest__init(&near, o->sort, strlen(o->sort));
	for (int i = 0; column(i); i++) {
		if (!strcasecmp(column(i), o->sort))
			return 0;
		suggest__offer(&near, column(i));
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					column(i));
	}
	return log_err(-EINVAL, "--sort %s: no such column; choose %s%s", o->sort, list,
		       suggest__text(&near, hint, sizeof(hint)));
}
