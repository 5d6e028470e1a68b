/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options for output, which every command has. They set the format, the file, and how much is
 * shown. The command's tables of options include output_rows.
 */
#ifndef BPROF_OUTPUT_OPTS_H
#define BPROF_OUTPUT_OPTS_H

#include <stdbool.h>

#include "base/output.h"
#include "base/table.h"
#include "formats/formats.h"
#include "json/json_ascii.h"
#include "options/options.h"

struct output_opts {
	const struct format *format; /* the chosen format; NULL: no option chose one */
	bool by_name;		     /* format was chosen by --format */
	const char *sep;	     /* separator of -x, or NULL */
	bool header;		     /* CSV begins with the names of the columns */
	const char *file;	     /* file of -o, "-" for standard output; NULL: not given */
	bool append;
	/*
	 * A COMMAND runs, and writes to standard output: without -o, bprof writes to standard
	 * error.
	 */
	bool command;
	bool no_pager;
	int verbose;
};

/*
 * The rows of --format, -o, --append and -v, and of -j, -x and the other options that choose a
 * format for the command's documents. A command without documents (command_spec.documents is 0) has
 * only -o and -v.
 */
extern const struct option_row output_rows[];

/*
 * Checks the parsed options and the file of -o, and sets the log level. command: the COMMAND that
 * runs beside bprof, or NULL. Returns 0, or -errno (reported): -EINVAL for a wrong option, another
 * error if the file cannot be used.
 */
int output_opts__apply(struct output_opts *o, char **command);

const struct format *output_opts__format(const struct output_opts *o);
bool output_opts__is_json(const struct output_opts *o);
bool output_opts__is_csv(const struct output_opts *o); /* or TSV */
/*
 * Returns how to print a table as CSV. Call it only if output_opts__is_csv() is true, with the
 * output open.
 */
struct csv_style output_opts__csv(const struct output_opts *o, const struct output *out);
/*
 * Refuses the chosen format if none of these documents can be written in it. This is for commands
 * that know only after parsing which document they write. what: the document's name for the
 * message ("a comparison"). Returns 0 or -EINVAL (reported).
 */
int output_opts__check_format(const struct output_opts *o, unsigned int documents,
			      const char *what);

/*
 * Returns the layout of a JSON document. In a file to which further documents are appended, the
 * document is on one line.
 */
enum json_layout output_opts__layout(const struct output_opts *o);
/*
 * Opens the output like output__open(). flags adds flags of enum output_flags. Returns 0 or -errno
 * (reported).
 */
int output_opts__open(const struct output_opts *o, unsigned int flags, struct output *out);

#endif
