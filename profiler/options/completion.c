// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completes a command line with the tables of options. Owns the rules of getopt_long() for the
 * words before the last word: which words are options, and which are arguments of options. Must not
 * know where values come from.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "options/completion.h"

#define MAX_BRIEF 60

/* Returns how many bytes of a help text fit on the line of a candidate. */
static int brief_len(const char *text)
{
	const char *detail = strstr(text, " (");
	int len = strcspn(text, ";");

	if (detail && detail - text < len)
		len = detail - text;
	if (len <= MAX_BRIEF)
		return len;
	for (len = MAX_BRIEF; len && text[len] != ' ';)
		len--;
	return len;
}

void completion__offer(const struct completion *c, const char *value, const char *description)
{
	const char *typed = c->word + c->prefix;
	bool harmless = true;

	/* Leave out a candidate with control characters, because the shell would print them. */
	for (const char *p = value; harmless && *p;)
		p += text__char(p, &harmless);
	if (!harmless || strpbrk(value, "\t\n") || strncmp(value, typed, strlen(typed)))
		return;
	fprintf(c->out, "%.*s%s", c->prefix, c->word, value);
	if (description)
		fprintf(c->out, "\t%.*s", brief_len(description), description);
	fputc('\n', c->out);
}

static const struct option_row *find_letter(const struct option_rows *rows, char letter)
{
	for (int i = 0; i < rows->cnt; i++)
		if (rows->v[i].letter == letter)
			return &rows->v[i];
	return NULL;
}

/* Finds the row of a long name of len characters, which may be abbreviated. */
static const struct option_row *find_long_name(const struct option_rows *rows, const char *name,
					       size_t len)
{
	const struct option_row *found = NULL;

	for (int i = 0; i < rows->cnt; i++) {
		const struct option_row *row = &rows->v[i];

		if (strncmp(row->name, name, len))
			continue;
		if (!row->name[len])
			return row;
		if (found)
			return NULL;
		found = row;
	}
	return found;
}

/*
 * Returns the option in the word that takes an argument, or NULL. Sets *value to the index in the
 * word at which the option's argument begins, or to 0 if the next word is the argument.
 */
static const struct option_row *find_option(const struct option_rows *rows, const char *word,
					    int *value)
{
	*value = 0;
	if (!strncmp(word, "--", 2)) {
		size_t len = strcspn(word + 2, "=");
		const struct option_row *row = find_long_name(rows, word + 2, len);

		if (word[2 + len])
			*value = len + 3;
		return row && row->arg ? row : NULL;
	}
	for (int i = 1; word[i]; i++) {
		const struct option_row *row = find_letter(rows, word[i]);

		if (row && row->arg) {
			*value = word[i + 1] ? i + 1 : 0;
			return row;
		}
	}
	return NULL;
}

/* Returns the length of the part of s that ends with the last separator: 4 for "xdp,tc". */
static int list_prefix(const char *s, const char *separators)
{
	int len = strlen(s);

	while (len && !strchr(separators, s[len - 1]))
		len--;
	return len;
}

static void offer_choices(const struct completion *c, const char *choices)
{
	char choice[32];

	while (*choices) {
		size_t len = strcspn(choices, "|");

		snprintf(choice, sizeof(choice), "%.*s", (int)len, choices);
		completion__offer(c, choice, NULL);
		choices += len + (choices[len] == '|');
	}
}

/* Completes an argument, which begins at c->prefix. choices: the words of ARG_CHOICE. */
static void complete_value(struct completion *c, enum option_arg kind, const char *choices,
			   completion_values_fn *values)
{
	switch (kind) {
	case ARG_OTHER:
	case ARG_NAMED_FILE:
	case ARG_PROGRAM:
		return;
	case ARG_CHOICE:
		offer_choices(c, choices);
		return;
	case ARG_FILE:
		fprintf(c->out, ":files %.*s\n", c->prefix, c->word);
		return;
	case ARG_PROG_ID:
	case ARG_PROG_TYPE:
	case ARG_METHOD:
		c->prefix += list_prefix(c->word + c->prefix, ",");
		break;
	case ARG_EVENT:
		c->prefix += list_prefix(c->word + c->prefix, ",{");
		break;
	case ARG_PROG_NAME:
	case ARG_PROG_TAG:
	case ARG_STRUCT_OPS:
	case ARG_FORMAT:
	case ARG_COMMAND:
		break;
	}
	values(c, kind);
}

static void offer_options(struct completion *c, const struct option_rows *rows)
{
	bool letters = c->word[0] == '-' && c->word[1] != '-';
	char letter[] = "-?", name[64];

	for (int i = 0; i < rows->cnt; i++) {
		const struct option_row *row = &rows->v[i];

		if (!option_row__is_shown(row))
			continue;
		letter[1] = row->letter;
		snprintf(name, sizeof(name), "--%s", row->name);
		if (row->letter && letters)
			completion__offer(c, letter, row->help);
		completion__offer(c, name, row->help);
	}
}

/* Completes the words after the name of a command that has subcommands. */
static void complete_sub(const struct command_spec *spec, char *const *words, int cnt, int first,
			 completion_values_fn *values, FILE *out)
{
	const struct completion c = {.spec = spec, .word = words[0], .out = out};

	for (int i = 0; spec->subs[i]; i++) {
		const struct command_spec *sub = spec->subs[i];

		if (cnt == 1)
			completion__offer(&c, command_spec__word(sub), sub->brief);
		else if (!strcmp(words[0], command_spec__word(sub)))
			command_spec__complete(sub, words + 1, cnt - 1, first + 1, values, out);
	}
}

void command_spec__complete(const struct command_spec *spec, char *const *words, int cnt, int first,
			    completion_values_fn *values, FILE *out)
{
	struct completion c = {.spec = spec, .word = words[cnt - 1], .out = out};
	const struct option_row *waits = NULL; /* the option whose argument comes next */
	bool operands_only = false;
	struct option_rows rows;

	if (spec->subs && words[0][0] != '-') {
		complete_sub(spec, words, cnt, first, values, out);
		return;
	}
	option_rows__join(&rows, spec);
	for (int i = 0; i < cnt; i++) {
		bool is_last = i == cnt - 1;
		const struct option_row *row = waits;
		const char *word = words[i];

		waits = NULL;
		if (row) {
			if (is_last)
				complete_value(&c, row->arg_kind, row->arg, values);
		} else if (!operands_only && !strcmp(word, "--") && !is_last) {
			operands_only = true;
		} else if (!operands_only && word[0] == '-') {
			row = find_option(&rows, word, &c.prefix);
			if (!is_last)
				waits = c.prefix ? NULL : row;
			else if (row && c.prefix)
				complete_value(&c, row->arg_kind, row->arg, values);
			else
				offer_options(&c, &rows);
		} else if (spec->operand == ARG_PROGRAM && (*word || operands_only)) {
			fprintf(out, ":program %d\n", first + i);
			return;
		} else if (is_last &&
			   (spec->operand == ARG_OTHER || spec->operand == ARG_PROGRAM)) {
			offer_options(&c, &rows);
		} else if (is_last) {
			complete_value(&c, spec->operand, NULL, values);
		}
		if (!is_last)
			c.prefix = 0;
	}
}
