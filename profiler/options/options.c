// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles options as tables. Owns the conversion of rows to getopt_long(). Must not know any
 * command.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_info.h"
#include "base/log.h"
#include "base/parse_error.h"
#include "base/suggest.h"
#include "base/util.h"
#include "options/amount.h"
#include "options/options.h"

/* The value that getopt_long() returns for row i if the row has no letter. */
#define LONG_ONLY(i) (256 + (i))

static const struct option_row common_rows[] = {
	OPTION("help", 'h', OPTION_HELP, .help = "show this help"),
	OPTION("version", 'V', OPTION_VERSION, .help = "show the version"),
	{},
};
static const struct option_table common_table = {"Other", common_rows};

static int apply_u64(const struct option_row *row, __u64 *member, const char *arg)
{
	__u64 max = row->max ? row->max : ~0ULL;

	if (parse_u64(arg, max, member) || *member < row->min)
		return log_err(-EINVAL,
			       row->max ? "--%s %s: give a whole number from %llu to %llu"
					: "--%s %s: give a whole number, at least %llu",
			       row->name, arg, (unsigned long long)row->min,
			       (unsigned long long)row->max);
	return 0;
}

static int apply_time(const struct option_row *row, __u64 *member, const char *arg)
{
	struct parse_error perr;
	char option[64];
	int err = duration__parse(arg, member, &perr);

	snprintf(option, sizeof(option), "--%s", row->name);
	if (err || *member >= row->min)
		return parse_error__report(err, option, arg, &perr);
	if (row->min < NSEC_PER_MSEC)
		return log_err(-EINVAL, "--%s %s: the time must not be 0", row->name, arg);
	return log_err(-EINVAL, "--%s %s: give at least %llums", row->name, arg,
		       (unsigned long long)(row->min / NSEC_PER_MSEC));
}

int option_rows__apply(const struct option_rows *rows, int row, void *options, const char *arg)
{
	const struct option_row *option = &rows->v[row];
	void *member = (char *)options + rows->table[row]->base + option->member;

	switch (option->type) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return 0;
	case OPTION_COUNT:
		++*(int *)member;
		return 0;
	case OPTION_U64:
		return apply_u64(option, member, arg);
	case OPTION_TIME:
		return apply_time(option, member, arg);
	case OPTION_STRING:
		*(const char **)member = arg;
		return 0;
	case OPTION_CALL:
		return option->add(member, option, arg);
	case OPTION_REFUSE:
		return log_err(-EINVAL, "--%s: %s", option->name, option->help);
	case OPTION_HELP:
	case OPTION_VERSION:
	case OPTION_ROWS:
		break;
	}
	return -EINVAL;
}

void option_rows__add(struct option_rows *rows, const struct option_row *row)
{
	/*
	 * Too many rows are a bug: end at once, so that the developer notices it. Otherwise --help
	 * would lack an option.
	 */
	if (rows->cnt == OPTION_MAX_ROWS)
		abort();
	rows->v[rows->cnt++] = *row;
}

bool option_row__is_shown(const struct option_row *row)
{
	return row->help && row->type != OPTION_REFUSE;
}

static void join_table(struct option_rows *rows, const struct option_table *table)
{
	int done = rows->cnt;

	for (const struct option_row *row = table->rows; row->name; row++)
		if (row->type == OPTION_ROWS)
			row->add(rows, row, NULL);
		else
			option_rows__add(rows, row);
	while (done < rows->cnt)
		rows->table[done++] = table;
}

void option_rows__join(struct option_rows *rows, const struct command_spec *spec)
{
	rows->spec = spec;
	rows->cnt = 0;
	for (int i = 0; i < OPTION_MAX_TABLES && spec->tables[i].rows; i++)
		join_table(rows, &spec->tables[i]);
	join_table(rows, &common_table);
}

/* Fills getopt's tables of long and short options. */
static void fill_getopt(const struct option_rows *rows, struct option *longs, char *shorts)
{
	char *s = shorts;
	int i;

	/*
	 * '+' makes getopt stop at the first argument that is not an option. ':' makes it return
	 * ':' for a missing argument.
	 */
	s = stpcpy(s, "+:");
	for (i = 0; i < rows->cnt; i++) {
		const struct option_row *row = &rows->v[i];

		longs[i] = (struct option){row->name, row->arg ? required_argument : no_argument,
					   NULL, row->letter ? row->letter : LONG_ONLY(i)};
		if (!row->letter)
			continue;
		*s++ = row->letter;
		if (row->arg)
			*s++ = ':';
	}
	*s = '\0';
	longs[i] = (struct option){0};
}

/* Returns the index of the row for val, a value that getopt_long() returned, or -1. */
static int find_row(const struct option_rows *rows, int val)
{
	for (int i = 0; i < rows->cnt; i++)
		if (val == (rows->v[i].letter ? rows->v[i].letter : LONG_ONLY(i)))
			return i;
	return -1;
}

int option_rows__find(const struct option_rows *rows, const char *name)
{
	for (int i = 0; i < rows->cnt; i++)
		if (!strcmp(rows->v[i].name, name))
			return i;
	return -1;
}

/* Reports a long option that is not in the table, such as "--hlep" or "--interval=5". */
static int report_unknown(const struct command_spec *spec, const struct option_rows *rows,
			  const char *arg)
{
	const char *name = arg + strspn(arg, "-");
	int len = strcspn(name, "="), begins = 0;
	struct suggest near;

	suggest__init(&near, name, len);
	for (int i = 0; i < rows->cnt; i++) {
		begins += !strncmp(rows->v[i].name, name, len);
		suggest__offer(&near, rows->v[i].name);
	}
	if (begins)
		return log_err(-EINVAL,
			       "%s: several options begin with '--%.*s'; see 'bprof %s --help'",
			       arg, len, name, spec->name);
	if (near.best[0])
		return log_err(-EINVAL, "%s: no such option; did you mean '--%s'?", arg, near.best);
	return log_err(-EINVAL, "%s: no such option; see 'bprof %s --help'", arg, spec->name);
}

static int report_bad_option(const struct command_spec *spec, const struct option_rows *rows, int c,
			     char **argv)
{
	bool known = c == ':' || find_row(rows, optopt) >= 0;
	const char *what = c == ':' ? "needs an argument"
			   : known  ? "takes no argument"
				    : "no such option";
	bool is_long;

	/*
	 * If the user gave an argument to a long option that takes none, getopt returns '?', optopt
	 * is the option's letter, and argv[optind - 1] is the option's name.
	 */
	is_long = known && !strncmp(argv[optind - 1], "--", 2);
	if (optopt && optopt < 256 && !is_long)
		return log_err(-EINVAL, "-%c: %s; see 'bprof %s --help'", optopt, what, spec->name);
	if (!known)
		return report_unknown(spec, rows, argv[optind - 1]);
	return log_err(-EINVAL, "%s: %s; see 'bprof %s --help'", argv[optind - 1], what,
		       spec->name);
}

const char *command_spec__word(const struct command_spec *spec)
{
	const char *blank = strrchr(spec->name, ' ');

	return blank ? blank + 1 : spec->name;
}

int command_spec__find_sub(const struct command_spec *spec, const char *word)
{
	struct suggest near;
	char hint[96];

	suggest__init(&near, word, strlen(word));
	for (int i = 0; spec->subs[i]; i++) {
		const char *name = command_spec__word(spec->subs[i]);

		if (!strcmp(word, name))
			return i;
		suggest__offer(&near, name);
	}
	log_err(0, "%s: '%s': no such command%s%s%s", spec->name, word,
		near.best[0] ? suggest__text(&near, hint, sizeof(hint)) : "; 'bprof help ",
		near.best[0] ? "" : spec->name, near.best[0] ? "" : "' lists them");
	return -1;
}

/* Returns 1 if the first argument is the (last word of the) command's name, which may be missing, else 0. */
static int count_names(const struct command_spec *spec, int argc, char **argv)
{
	return argc > 1 && !strcmp(argv[1], command_spec__word(spec));
}

/* Parses the options after argv[0], which is ignored. */
static int parse_options(const struct command_spec *spec, void *options, int argc, char **argv,
			 int *rest)
{
	struct option longs[OPTION_MAX_ROWS + 1];
	char shorts[2 * OPTION_MAX_ROWS + 3];
	struct option_rows rows;
	int c, err;

	option_rows__join(&rows, spec);
	fill_getopt(&rows, longs, shorts);
	opterr = 0;
	optind = 0; /* makes glibc begin again if there was an earlier parse */
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int row = c == '?' || c == ':' ? -1 : find_row(&rows, c);

		if (row < 0)
			return report_bad_option(spec, &rows, c, argv);
		if (rows.v[row].type == OPTION_HELP) {
			command_spec__print_help(spec, stdout);
			return 1;
		}
		if (rows.v[row].type == OPTION_VERSION) {
			build_info__print(stdout);
			return 1;
		}
		err = option_rows__apply(&rows, row, options, optarg);
		if (err)
			return err;
	}
	*rest = optind;
	return 0;
}

int options__parse(const struct command_spec *spec, void *options, int argc, char **argv,
		   char ***rest)
{
	int names = count_names(spec, argc, argv), end = 0;
	int err = parse_options(spec, options, argc - names, argv + names, &end);

	*rest = !err && names + end < argc ? argv + names + end : NULL;
	return err;
}

int options__parse_sub(const struct command_spec *spec, int *argc, char ***argv)
{
	char **rest;
	int sub, err = options__parse(spec, NULL, *argc, *argv, &rest);

	if (err)
		return err > 0 ? -1 : err;
	if (!rest)
		return log_err(-EINVAL, "%s: a command is missing; 'bprof help %s' lists them",
			       spec->name, spec->name);
	sub = command_spec__find_sub(spec, *rest);
	if (sub < 0)
		return -EINVAL;
	/* Make argv[1] the name of the subcommand. options__parse() ignores argv[0]. */
	*argc -= rest - 1 - *argv;
	*argv = rest - 1;
	return sub;
}

int options__parse_mixed(const struct command_spec *spec, void *options, int argc, char **argv,
			 int (*add)(void *options, const char *arg))
{
	int names = count_names(spec, argc, argv);

	argc -= names;
	argv += names;
	for (;;) {
		int rest, err = parse_options(spec, options, argc, argv, &rest);
		bool no_more_options;

		if (err)
			return err;
		no_more_options = rest > 0 && !strcmp(argv[rest - 1], "--");
		do {
			if (rest == argc)
				return 0;
			err = add(options, argv[rest++]);
			if (err)
				return err;
		} while (no_more_options);
		/*
		 * The next call of parse_options() ignores its argv[0]: make the argument that was
		 * just added its argv[0].
		 */
		argc -= rest - 1;
		argv += rest - 1;
	}
}

int options__check(const struct option_check *checks, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		if (checks[i].bad)
			return log_err(-EINVAL, "%s", checks[i].text);
	return 0;
}
