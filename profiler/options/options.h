/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options as tables: each row has the name of an option, its letter, its argument, and the member
 * that it sets in the command's own options struct. The parser (getopt_long), --help, the man pages
 * and the completion of the shells use these rows.
 */
#ifndef BPROF_OPTIONS_H
#define BPROF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

enum option_type {
	OPTION_FLAG,   /* sets a bool member to true */
	OPTION_COUNT,  /* increments an int member each time that it is given */
	OPTION_U64,    /* sets a __u64 member to a decimal number from min to max */
	OPTION_TIME,   /* sets a __u64 member to a time in ns of at least min (options/amount.h) */
	OPTION_STRING, /* sets a const char * member to the argument, which is not copied */
	OPTION_CALL,   /* calls add(), which returns 0, or -errno after reporting the error */
	OPTION_REFUSE, /* an option of perf that bprof rejects; help says why */
	/*
	 * A placeholder for rows that depend on the command. The placeholder's function add(struct
	 * option_rows *, row, NULL) adds these rows.
	 */
	OPTION_ROWS,
	OPTION_HELP, /* every command has it: shows the help */
	OPTION_VERSION,
};

/* What kind of argument an option takes, for the completion of the shells. */
enum option_arg {
	ARG_OTHER,	/* cannot be completed, such as a number */
	ARG_CHOICE,	/* one of the words in the row's arg: "source|hot" */
	ARG_FILE,	/* a path of a file or of a directory */
	ARG_NAMED_FILE, /* NAME=FILE */
	ARG_PROG_ID,	/* this kind and the next ones take lists, separated by commas */
	ARG_PROG_NAME,
	ARG_PROG_TAG,
	ARG_PROG_TYPE,
	ARG_STRUCT_OPS, /* the name of a struct_ops map */
	ARG_EVENT,
	ARG_METHOD,
	ARG_FORMAT,
	ARG_COMMAND, /* a command of bprof */
	ARG_PROGRAM, /* a program to run, and the arguments of that program */
};

struct option_row {
	const char *name; /* long name; NULL ends the table */
	char letter;	  /* short name, or 0 */
	enum option_type type;
	size_t member;	 /* offset of the member in the options struct */
	const char *arg; /* the argument's name in --help; NULL: the option takes no argument */
	__u64 min, max;	 /* for OPTION_U64; min also for OPTION_TIME; max 0: no limit */
	/*
	 * For OPTION_CALL: called with a pointer to the member. If the row has no member, add()
	 * gets a pointer to the options struct.
	 */
	int (*add)(void *member, const struct option_row *row, const char *arg);
	/* One paragraph without line breaks. NULL: an alias of the row above, which is not shown. */
	const char *help;
	enum option_arg arg_kind;
};
/* Makes a row from its name, its letter or 0, its type, and other members by name. */
#define OPTION(long_name, short_name, option_type, ...)                                     \
	{                                                                                   \
		.name = long_name, .letter = short_name, .type = option_type, ##__VA_ARGS__ \
	}

/*
 * Rows of options that several commands may share, with the place of their members in one command's struct.
 */
struct option_table {
	/* The headline of the group in --help. Tables with the same title are one group. */
	const char *title;
	const struct option_row *rows;
	/*
	 * the offset, in the command's options struct, of the struct that has the members which the
	 * rows set
	 */
	size_t base;
};

#define OPTION_MAX_TABLES 20

struct command_spec {
	const char *name;     /* the command's name, such as "list" or "history add" */
	const char *brief;    /* what the command does, in a few words, for the list of commands */
	const char *synopsis; /* its arguments: "[TARGETS] [OPTIONS] [-- COMMAND [ARG...]]" */
	/*
	 * The texts below are paragraphs without line breaks: each '\n' ends a paragraph. In
	 * examples, each line is one command line. All but the summary may be NULL.
	 */
	const char *summary; /* what the command does */
	const char *examples;
	const char *notes;	 /* notes, such as the meaning of columns */
	const char *exit_status; /* the meaning of each status: "0 done, 1 failed, ..." */
	enum option_arg operand; /* the kind of the arguments that are not options */
	struct option_table tables[OPTION_MAX_TABLES]; /* in the order of --help */
	/*
	 * The documents that the command writes, as bits of enum document. These bits decide which
	 * formats the command offers.
	 */
	unsigned int documents;
	/*
	 * Prints further parts of the man page in the format of command_spec__print_man(); may be
	 * NULL.
	 */
	void (*print_man)(FILE *out);
	/*
	 * NULL, or the subcommands of this command, such as "history add", with NULL at the end.
	 * Then the command's first argument chooses a subcommand, and the command has no options of
	 * its own.
	 */
	const struct command_spec *const *subs;
};

/* Returns the last word of the command's name: "add" of "history add". */
const char *command_spec__word(const struct command_spec *spec);
/*
 * Returns the index in spec->subs of the command with that last word. Returns -1 (reported) if
 * there is none.
 */
int command_spec__find_sub(const struct command_spec *spec, const char *word);

/* All rows of a command, with the rows of OPTION_ROWS expanded. */
#define OPTION_MAX_ROWS 128
struct option_rows {
	const struct command_spec *spec;
	struct option_row v[OPTION_MAX_ROWS];
	/* table[i]: the table that row i comes from */
	const struct option_table *table[OPTION_MAX_ROWS];
	int cnt;
	char help[256]; /* the buffer for the help text of one row that an add() function makes */
};
/* Fills rows with all rows of the command. The last ones are --help and --version. */
void option_rows__join(struct option_rows *rows, const struct command_spec *spec);
/* Adds a copy of row. The add() functions of OPTION_ROWS call it. */
void option_rows__add(struct option_rows *rows, const struct option_row *row);
/*
 * Applies an option as if it were on the command line. arg is the option's argument, or NULL if it
 * takes none. Returns 0 or -errno (reported).
 */
int option_rows__apply(const struct option_rows *rows, int row, void *options, const char *arg);
/* Returns the index of the option called name, or -1. */
int option_rows__find(const struct option_rows *rows, const char *name);
/* Returns true if help and man pages show the row: it is neither an alias nor refused. */
bool option_row__is_shown(const struct option_row *row);

/* Prints what --help shows, in at most 80 columns. */
void command_spec__print_help(const struct command_spec *spec, FILE *out);
/* Prints the parts of the command's man page. Each part begins with a line @PART@. */
void command_spec__print_man(const struct command_spec *spec, FILE *out);
/* Prints a text as lines of a man page. */
void man__print_text(FILE *out, const char *text);

/*
 * Parses bprof's argv into options. The command's name may be missing in argv (bprof --all). As in
 * perf, parsing stops at the first argument that is not an option. Returns 0, and sets *rest to the
 * arguments of argv from that one on (NULL if there are none); 1: --help or --version was printed;
 * -EINVAL: a wrong option (reported).
 */
int options__parse(const struct command_spec *spec, void *options, int argc, char **argv,
		   char ***rest);

/*
 * Parses the arguments of a command with subcommands (spec->subs) up to the word that chooses a subcommand.
 * Returns the index of the subcommand in spec->subs, and sets *argc and *argv to the subcommand's own
 * arguments for options__parse(). Returns a negative value after --help or --version (-1) or after reporting
 * an error (-EINVAL).
 */
int options__parse_sub(const struct command_spec *spec, int *argc, char ***argv);

/*
 * Like options__parse(), but for a command that takes arguments before, between and after its
 * options. Passes each argument that is not an option to add(options, argument), which reports its
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
