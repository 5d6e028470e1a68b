/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as a table: each row names an option, its letter, its argument and the member of the
 * command's own options struct that it fills. Parsing (getopt_long) and --help are made from the
 * same rows.
 */
#ifndef BPROF_OPTIONS_H
#define BPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

enum option_type {
	OPTION_FLAG,   /* bool member: true */
	OPTION_COUNT,  /* int member: one more each time */
	OPTION_U64,    /* __u64 member: a decimal number from min to max */
	OPTION_STRING, /* const char * member: the argument, not copied */
	OPTION_CALL,   /* add(), which reports its errors: 0 or -errno */
	OPTION_REFUSE, /* an option of perf's that has no meaning here: help says why */
};

struct option_row {
	const char *name; /* long name; NULL ends the table */
	char letter;	  /* short name, or 0 */
	enum option_type type;
	size_t member;	 /* offsetof in the options struct */
	const char *arg; /* the argument's name in --help; NULL: takes none */
	__u64 min, max;	 /* for OPTION_U64; max 0: no limit */
	/* For OPTION_CALL; gets the member: with offset 0 the options struct. */
	int (*add)(void *member, const struct option_row *row, const char *arg);
	const char *help; /* NULL: an alias of the row above, left out of --help */
};

#define OPTION_MAX_TABLES 10

struct command_spec {
	const char *name;     /* "list" */
	const char *synopsis; /* "[TARGETS] [OPTIONS] [-- COMMAND [ARG...]]" */
	const char *summary;  /* one sentence */
	/* Tables, in the order of --help, some of which other commands may have too. */
	const struct option_row *rows[OPTION_MAX_TABLES];
	/* Where in the command's options the struct begins that a table's members are of. */
	size_t base[OPTION_MAX_TABLES];
	const char *epilog; /* examples and notes under the options, or NULL */
};

/*
 * Parses bprof's argv into options; the command's name in it may be missing (bprof --all). 0: go on, with *rest the index of the first argument that is no option
 * (argc: none); 1: --help or --version was printed; -EINVAL: a wrong option, already reported.
 * Parsing stops at the first argument that is no option, as perf's does.
 */
int options__parse(const struct command_spec *spec, void *options, int argc, char **argv,
		   int *rest);

/*
 * The same for a command whose other arguments may stand before, between and behind the options: each
 * goes to add(options, argument), which reports its errors.
 */
int options__parse_mixed(const struct command_spec *spec, void *options, int argc, char **argv,
			 int (*add)(void *options, const char *arg));

/* A combination of options that makes no sense. */
struct option_check {
	bool bad;
	const char *text; /* "-j and -x: choose one format" */
};

/* 0, or -EINVAL with the text of the first that is bad reported. */
int options__check(const struct option_check *checks, size_t cnt);

#endif
