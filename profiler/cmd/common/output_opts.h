/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options for output, which every command has: in which format, into which file, how much. They
 * are the first member of the command's own options, and output_rows stands among its tables.
 */
#ifndef BPROF_OUTPUT_OPTS_H
#define BPROF_OUTPUT_OPTS_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/formats.h"
#include "base/options.h"

struct output_opts {
	const struct format *format; /* NULL: none was given */
	bool by_name;		     /* it was given by --format */
	const char *sep;	     /* of -x, or NULL */
	const char *file;	     /* NULL: standard output */
	bool append;
	int verbose;
};

/*
 * -j, -x and the like for the formats of the command's documents; --format, -o, --append, -v. A
 * command without documents (command_spec.documents is 0) has -o and -v only.
 */
extern const struct option_row output_rows[];

/* To be called when all options are parsed: checks them and sets the log's level. 0 or -EINVAL (reported). */
int output_opts__apply(const struct output_opts *o);

const struct format *output_opts__format(const struct output_opts *o);
bool output_opts__is_json(const struct output_opts *o);
/*
 * For a command whose document is known only after its options: has the format one of these?
 * what: what it is, in the message ("a comparison"). 0 or -EINVAL (reported).
 */
int output_opts__check_format(const struct output_opts *o, unsigned int documents,
			      const char *what);

/* Opens the file. 0 or -errno (reported). */
int output_opts__open(const struct output_opts *o, FILE **out);
/* For messages: the file, or "standard output". */
const char *output_opts__name(const struct output_opts *o);

#endif
