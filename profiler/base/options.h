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
	OPTION_FLAG,   /* bool member: true */
	OPTION_COUNT,  /* int member: incremented each time */
	OPTION_U64,    /* __u64 member: a decimal number from min to max */
	OPTION_STRING, /* const char * member: the argument, not copied */
	OPTION_CALL,   /* calls add(), which returns 0, or -errno after reporting the error */
	OPTION_REFUSE, /* a perf option without a meaning here: help says why */
	/* Stands for rows that depend on the command: add(struct option_rows *, row, NULL). */
	OPTION_ROWS,
};

struct option_row {
	const char *name; /* long name; NULL ends the table */
	char letter;	  /* short name, or 0 */
	enum option_type type;
	size_t member;	 /* offsetof in the options struct */
	const char *arg; /* the argument's name in --help; NULL: takes none */
	__u64 min, max;	 /* for OPTION_U64; max 0: no limit */
	/* For OPTION_CALL; called with the member (the options struct at offset 0). */
	int (*add)(void *member, const struct option_row *row, const char *arg);
	const char *help; /* NULL: an alias of the row above, left out of --help */
};

#define OPTION_MAX_TABLES 10

struct command_spec {
	const char *name;     /* "list" */
	const char *synopsis; /* "[TARGETS] [OPTIONS] [-- COMMAND [ARG...]]" */
	const char *summary;  /* one sentence */
	/* Tables, in the order of --help. Several commands may share a table. */
	const struct option_row *rows[OPTION_MAX_TABLES];
	/*
	 * For each table, the offset in the command's options of the struct that the table's
	 * members are in.
	 */
	size_t base[OPTION_MAX_TABLES];
	unsigned int documents; /* what it writes, bits of enum document: which formats it has */
	const char *epilog;	/* examples and notes after the options, or NULL */
};

/* All rows of a command, and what makes them. */
#define OPTION_MAX_ROWS 64
struct option_rows {
	const struct command_spec *spec;
	struct option_row v[OPTION_MAX_ROWS];
	size_t base[OPTION_MAX_ROWS]; /* as in command_spec, for each row */
	int cnt;
	char help[256]; /* room for the help text of one row of OPTION_ROWS */
};
/* For the add() of OPTION_ROWS: adds a copy of row. */
void option_rows__add(struct option_rows *rows, const struct option_row *row);

/*
 * Parses bprof's argv into options; the command's name may be missing in it (bprof --all). Returns
 * 0 with *rest the index of the first argument that is not an option (argc: none); 1: --help or
 * --version was printed; -EINVAL: a wrong option, already reported. Like perf's, parsing stops at
 * the first argument that is not an option.
 */
int options__parse(const struct command_spec *spec, void *options, int argc, char **argv,
		   int *rest);

/*
 * Like options__parse(), for a command whose other arguments may stand before, between and after
 * the options: each of those is passed to add(options, argument), which reports its errors.
 */
int options__parse_mixed(const struct command_spec *spec, void *options, int argc, char **argv,
			 int (*add)(void *options, const char *arg));

/* A combination of options that is an error. */
struct option_check {
	bool bad;
	const char *text; /* "-j and -x: choose one format" */
};

/* Reports the first bad combination and returns -EINVAL; 0 if there is none. */
int options__check(const struct option_check *checks, size_t cnt);

#endif
