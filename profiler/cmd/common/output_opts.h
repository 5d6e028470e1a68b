/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options for output, which every command has: the format, the file, and how much is shown.
 * struct output_opts is the first member of the command's options, and output_rows one of its
 * tables.
 */
#ifndef BPROF_OUTPUT_OPTS_H
#define BPROF_OUTPUT_OPTS_H

#include <stdbool.h>

#include "base/options.h"
#include "formats/formats.h"

struct output_opts {
	const struct format *format; /* NULL: no option chose one */
	bool by_name;		     /* --format chose it */
	const char *sep;	     /* of -x, or NULL */
	const char *file;	     /* NULL: standard output */
	bool append;
	int verbose;
};

/*
 * -j, -x and the other options for the formats of the command's documents; --format, -o, --append,
 * -v. A command without documents (command_spec.documents is 0) has only -o and -v.
 */
extern const struct option_row output_rows[];

/* Checks the parsed options and sets the log level. 0 or -EINVAL (reported). */
int output_opts__apply(const struct output_opts *o);

const struct format *output_opts__format(const struct output_opts *o);
bool output_opts__is_json(const struct output_opts *o);
/*
 * For a command that knows only after parsing what it writes: refuses a format that has none of
 * these documents. what: the document, for the message ("a comparison"). 0 or -EINVAL (reported).
 */
int output_opts__check_format(const struct output_opts *o, unsigned int documents,
			      const char *what);

/* For messages: the file, or "standard output". */
const char *output_opts__name(const struct output_opts *o);

#endif
