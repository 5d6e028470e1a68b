/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as a table: each row names an option, its letter, its argument and the member of the
 * command's own options struct that it sets. Both the parser (getopt_long) and --help use these
 * rows.
 */
#ifndef BPROF_OPTIONS_H
#define BPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum option_type {
	OPTION_FLAG,   /* sets a bool member to true */
	OPTION_COUNT,  /* increments an int member each time */
	OPTION_U64,    /* sets a __u64 member to a decimal number from min to max */
	OPTION_STRING, /* sets a const char * member to the argument, which is not copied */
	OPTION_CALL,   /* calls add(), which returns 0, or -errno after reporting the error */
	OPTION_REFUSE, /* an option of perf that bprof rejects; help says why */
	/*
	 * A placeholder for rows that depend on the command. Its add(struct option_rows *, row,
	 * NULL) adds these rows.
	 */
	OPTION_ROWS,
};

struct option_row {
	const char *name; /* long name; NULL ends the table */
	char letter;	  /* short name, or 0 */
	enum option_type type;
	size_t member;	 /* offset of the member in the options struct */
	const char *arg; /* the argument's name in --help; NULL: the option takes no argument */
	__u64 min, max;	 /* for OPTION_U64; max 0: no limit */
	/*
	 * For OPTION_CALL: called with a pointer to the member. If the row sets no member, this is
	 * a pointer to the options struct.
	 */
	int (*add)(void *member, const struct option_row *row, const char *arg);
	const char *help; /* NULL: an alias of the row above, which --help does not show */
};

#define OPTION_MAX_TABLES 10

struct command_spec {
	const char *name;     /* the command's name, such as "list" */
	const char *synopsis; /* its arguments: "[TARGETS] [OPTIONS] [-- COMMAND [ARG...]]" */
	const char *summary;  /* one sentence that describes the command */
	/* The tables of options, in the order of --help. Several commands may share a table. */
	const struct option_row *rows[OPTION_MAX_TABLES];
	/*
	 * For each table: the offset, in the command's options struct, of the struct whose members
	 * the table sets.
	 */
	size_t base[OPTION_MAX_TABLES];
	/*
	 * The documents that the command writes, as bits of enum document. They decide which
	 * formats the command offers.
	 */
	unsigned int documents;
	const char *epilog; /* examples and notes after the options, or NULL */
};

/* All rows of a command, with the rows of OPTION_ROWS expanded. */
#define OPTION_MAX_ROWS 64
struct option_rows {
	const struct command_spec *spec;
	struct option_row v[OPTION_MAX_ROWS];
	/* for each row, the base of its table (struct command_spec) */
	size_t base[OPTION_MAX_ROWS];
	int cnt;
	char help[256]; /* for the help text of one row that an add() function adds */
};
/* Adds a copy of row. The add() functions of OPTION_ROWS call it. */
void option_rows__add(struct option_rows *rows, const struct option_row *row);

/*
 * Parses bprof's argv into options. The command's name may be missing in argv (bprof --all). As in
 * perf, parsing stops at the first argument that is not an option. Returns 0 and sets *rest to that
 * and the following arguments of argv (NULL if there are none); 1: --help or --version was printed;
 * -EINVAL: a wrong option (reported).
 */
int options__parse(const struct command_spec *spec, void *options, int argc, char **argv,
		   char ***rest);

/*
 * Like options__parse(), but for a command whose other arguments may stand before, between and
 * after the options. Passes each other argument to add(options, argument), which reports its
 * errors.
 */
int options__parse_mixed(const struct command_spec *spec, void *options, int argc, char **argv,
			 int (*add)(void *options, const char *arg));

/* A combination of options that must not be used. */
struct option_check {
	bool bad;
	const char *text; /* the message, such as "-j and -x: choose one format" */
};

/* Reports the first bad combination and returns -EINVAL, or returns 0 if there is none. */
int options__check(const struct option_check *checks, size_t cnt);

#endif
