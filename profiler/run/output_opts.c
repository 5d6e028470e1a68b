// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options for output. Owns the choice of a format, by --format or by the format's own option;
 * must not know what a command writes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/suggest.h"
#include "base/util.h"
#include "render/render.h"
#include "run/log_stderr.h"
#include "run/output_opts.h"

#define OPT(member) offsetof(struct output_opts, member)

#define OPTION_SZ 64
#define NAMES_SZ 200

/* Formats the option that chose f: "--format csv", "-x" or "--markdown". Returns buf. */
static const char *name_option(const struct format *f, bool by_name, char *buf)
{
	if (by_name)
		snprintf(buf, OPTION_SZ, "--format %s", f->name);
	else if (f->letter)
		snprintf(buf, OPTION_SZ, "-%c", f->letter);
	else
		snprintf(buf, OPTION_SZ, "--%s", f->flag);
	return buf;
}

static int choose_one_format(struct output_opts *o, const struct format *f, bool by_name)
{
	char first[OPTION_SZ], second[OPTION_SZ];

	if (o->format && o->format != f)
		return log_err(-EINVAL, "%s and %s: choose one format",
			       name_option(o->format, o->by_name, first),
			       name_option(f, by_name, second));
	o->format = f;
	o->by_name = by_name;
	return 0;
}

/* Lists the formats in which these documents can be written: "text, json or csv". Returns buf. */
static const char *list_names(unsigned int documents, char *buf, size_t sz)
{
	const struct format *f;
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; (f = formats__next(documents, i)) && len < sz; i++) {
		const char *sep = formats__next(documents, i + 1) ? ", " : " or ";

		len += snprintf(buf + len, sz - len, "%s%s", i ? sep : "", f->name);
	}
	return buf;
}

static int choose_by_name(void *options, const struct option_row *row, const char *arg)
{
	const struct format *f;
	struct suggest near;
	char names[NAMES_SZ], hint[96];

	suggest__init(&near, arg, strlen(arg));
	for (int i = 0; (f = formats__next(row->min, i)); i++) {
		if (!strcmp(f->name, arg))
			return choose_one_format(options, f, true);
		suggest__offer(&near, f->name);
	}
	return log_err(-EINVAL, "--format %s: give %s%s", arg,
		       list_names(row->min, names, sizeof(names)),
		       suggest__text(&near, hint, sizeof(hint)));
}

/* Handles an option that stands for a format: -j, -x, --markdown. */
static int choose_by_flag(void *options, const struct option_row *row, const char *arg)
{
	struct output_opts *o = options;
	const struct format *f;
	const char *why;
	int i = 0, err;

	do
		f = formats__next(row->min, i++);
	while (f && !(f->flag && !strcmp(f->flag, row->name)));
	err = f ? choose_one_format(o, f, false) : -EINVAL;
	if (err || !arg)
		return err;
	why = report_csv__check_sep(arg);
	if (why)
		return log_err(-EINVAL, "-x: %s", why);
	o->sep = strcmp(arg, "\\t") ? arg : "\t"; /* "-x '\t'" is a tab, as in perf */
	return 0;
}

static void add_format_rows(struct option_rows *rows)
{
	unsigned int documents = rows->spec->documents;
	struct option_row by_name = {.name = "format",
				     .type = OPTION_CALL,
				     .arg = "NAME",
				     .min = documents,
				     .add = choose_by_name,
				     .help = rows->help,
				     .arg_kind = ARG_FORMAT};
	const struct format *f;
	size_t len = snprintf(rows->help, sizeof(rows->help), "output format: ");

	for (int i = 0; (f = formats__next(documents, i)); i++)
		if (f->flag)
			option_rows__add(rows, &(struct option_row){.name = f->flag,
								    .letter = f->letter,
								    .type = OPTION_CALL,
								    .arg = f->arg,
								    .min = documents,
								    .add = choose_by_flag,
								    .help = f->help});
	list_names(documents, rows->help + len, sizeof(rows->help) - len);
	option_rows__add(rows, &by_name);
}

static int add_output_rows(void *made, const struct option_row *row, const char *arg)
{
	static const struct option_row file[] = {
		OPTION("output", 'o', OPTION_STRING, .member = OPT(file), .arg = "FILE",
		       .help = "write the output to FILE (-: standard output); the default is "
			       "standard output, or standard error if a COMMAND runs, as in perf",
		       .arg_kind = ARG_FILE),
		OPTION("output", 'o', OPTION_STRING, .member = OPT(file), .arg = "FILE",
		       .help = "write the output to FILE (-: standard output, the default)",
		       .arg_kind = ARG_FILE),
		OPTION("header", 0, OPTION_FLAG, .member = OPT(header),
		       .help = "with -x: begin with a line that has the names of the columns"),
		OPTION("append", 0, OPTION_FLAG, .member = OPT(append),
		       .help = "append to the FILE of -o instead of replacing it; JSON is then "
			       "one document per line"),
		OPTION("no-pager", 0, OPTION_FLAG, .member = OPT(no_pager),
		       .help = "do not show long output on a terminal with a pager (BPROF_PAGER, "
			       "PAGER, less)"),
		OPTION("verbose", 'v', OPTION_COUNT, .member = OPT(verbose),
		       .help = "show more details (-vv: also libbpf's messages)"),
	};
	struct option_rows *rows = made;
	unsigned int formats = rows->spec->documents;

	if (formats)
		add_format_rows(rows);
	/*
	 * The first and the second row are the same option with different help: add only one of
	 * them. Add none for a recording, whose default is a file: its command has its own row.
	 */
	if (!(formats & DOC_RECORDING))
		option_rows__add(rows, &file[rows->spec->operand == ARG_PROGRAM ? 0 : 1]);
	for (size_t i = 2; i < ARRAY_SIZE(file); i++)
		if (file[i].member == OPT(append) ? formats & ~DOC_RECORDING
		    : file[i].member == OPT(header)
			    ? formats & (DOC_PROGRAMS | DOC_SCOPES | DOC_TABLE)
			    : true)
			option_rows__add(rows, &file[i]);
	return 0;
}

const struct option_row output_rows[] = {
	{.name = "output", .type = OPTION_ROWS, .add = add_output_rows},
	{},
};

int output_opts__apply(struct output_opts *o, char **command)
{
	const struct format *f = output_opts__format(o);

	o->command = command;
	log_stderr__set_verbose(o->verbose);
	if (o->append && output__is_standard(o->file))
		return log_err(-EINVAL, "--append: it needs -o FILE");
	if (o->append && f->end)
		return log_err(-EINVAL, "--append: %s is a complete page; choose another format",
			       f->name);
	if (o->header && !o->sep && !(o->format && !strcmp(o->format->name, "csv")))
		return log_err(-EINVAL, "--header: it needs -x SEP; TSV always has a header");
	if (o->file && !*o->file)
		return log_err(-EINVAL, "-o: the name of the file is empty");
	/*
	 * Refuse to write a document to a place where it could not be read: after another document
	 * or, if it is binary, to a terminal or between messages.
	 */
	if (o->append && (f->binary || f->timeline))
		return log_err(-EINVAL, "--append and --format %s: a file holds one %s document",
			       f->name, f->name);
	if (f->binary && !o->file && o->command)
		return log_err(-EINVAL,
			       "--format %s: it is binary, and standard error has messages, too; "
			       "give -o FILE",
			       f->name);
	if (f->binary && output__is_terminal(o->file))
		return log_err(-EINVAL,
			       "--format %s: it is binary, and standard output is a terminal; give "
			       "-o FILE",
			       f->name);
	return output__check(o->file);
}

const struct format *output_opts__format(const struct output_opts *o)
{
	return o->format ?: &formats[FORMAT_TEXT];
}

bool output_opts__is_json(const struct output_opts *o)
{
	return o->format == &formats[FORMAT_JSON];
}

bool output_opts__is_csv(const struct output_opts *o)
{
	return output_opts__format(o)->table_sep;
}

struct csv_style output_opts__csv(const struct output_opts *o, const struct output *out)
{
	const char *sep = output_opts__format(o)->table_sep;
	const bool tsv = *sep == '\t';

	return (struct csv_style){
		.sep = o->sep ?: sep, .header = (tsv || o->header) && !out->continues, .tsv = tsv};
}

int output_opts__check_format(const struct output_opts *o, unsigned int documents, const char *what)
{
	const struct format *f = output_opts__format(o);
	char option[OPTION_SZ], names[NAMES_SZ];

	if (format__has(f, documents))
		return 0;
	return log_err(-EINVAL, "%s: %s is not available for %s; choose %s",
		       name_option(f, o->by_name, option), f->name, what,
		       list_names(documents, names, sizeof(names)));
}

enum json_layout output_opts__layout(const struct output_opts *o)
{
	return o->append ? JSON_LINE : JSON_INDENTED;
}

int output_opts__open(const struct output_opts *o, unsigned int flags, struct output *out)
{
	flags |= o->append ? OUTPUT_APPEND : 0;
	flags |= o->command ? OUTPUT_STDERR : 0;
	if (o->no_pager)
		flags &= ~OUTPUT_PAGER;
	return output__open(o->file, flags, out);
}
