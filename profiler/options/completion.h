/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion of a command line. The scripts in completion/ pass the words of the line to "bprof
 * __complete", and get the candidates for the last word. Each candidate is on a line, with a tab
 * before its description. Instead of candidates, a single line can tell the shell to complete the
 * word itself: ":files PREFIX" (PREFIX is the part of the word before the path) or ":program N"
 * (word N, counted from 0, begins another program's command line).
 */
#ifndef BPROF_COMPLETION_H
#define BPROF_COMPLETION_H

#include <stdio.h>

#include "options/options.h"

struct completion {
	const struct command_spec *spec; /* the command whose options are completed */
	const char *word;		 /* the word to complete */
	/* length of the part of word that stays as it is: "--type=xdp," */
	int prefix;
	FILE *out;
};

/* Offers a value of the argument to complete. description may be NULL. */
void completion__offer(const struct completion *c, const char *value, const char *description);

/* Offers the values of an argument of this kind. Not called for ARG_CHOICE, ARG_FILE and ARG_PROGRAM. */
typedef void completion_values_fn(const struct completion *c, enum option_arg kind);

/*
 * Completes the last of the cnt words (at least one) that follow the command's name. first is the
 * index of words[0] in the command line.
 */
void command_spec__complete(const struct command_spec *spec, char *const *words, int cnt, int first,
			    completion_values_fn *values, FILE *out);

#endif
