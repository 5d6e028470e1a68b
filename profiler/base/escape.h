/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign strings in output: names of programs, tasks, cgroups and files, and everything that was read from a file.
 * There is one function for each syntax of output. In the function's result, no character can control a terminal,
 * change the writing direction, be invisible, or end the field that contains it.
 *
 * Each function returns a copy in one line, which the caller frees. NULL counts as "". \xNN stands for a byte of a
 * harmful character, and for a byte that cannot be decoded. The copies are UTF-8 in every locale, because they are for
 * files that others read. Exceptions are text__printable() and text__lines().
 */
#ifndef BPROF_ESCAPE_H
#define BPROF_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Returns true if the byte c at the start of a character is printable ASCII. Such a character is
 * one column wide in every locale. This check makes most text fast: mbrtowc() takes 100 times as
 * long.
 */
static inline bool text__is_plain(char c)
{
	return c >= ' ' && c <= '~';
}

/* For terminals: the copy is in the locale's encoding; in the C locale it is ASCII. */
char *text__printable(const char *s);
/*
 * While this is on, text__printable() returns the same as text__utf8(), so that functions that print
 * on terminals can also write a part of a file. Returns whether it was on.
 */
bool text__print_utf8(bool on);
/*
 * For messages: like text__printable(), but keeps lines and tabs, and puts one '?' in place of each
 * harmful character, so that a caret stays below the character that it marks.
 */
char *text__lines(const char *s);
/*
 * Returns the length of the first character of s, as text__lines() counts: a byte that cannot be
 * decoded is a character. Sets *harmless if text__lines() keeps it.
 */
size_t text__char(const char *s, bool *harmless);
/* For output whose writer quotes text itself, or whose fields are lines. */
char *text__utf8(const char *s);
/* For values of JSON, which have escapes for harmful characters: replaces each invalid byte by U+FFFD. */
char *text__json(const char *s);
/*
 * For fields of CSV (RFC 4180). Quotes a field that contains the separator or a quote. \xNN also
 * stands for a first character '=', '+', '-' or '@', which begins a formula in spreadsheets, unless
 * the field is a number.
 */
char *text__csv(const char *s, const char *sep);
/* For fields of TSV: like CSV, but without quotes; a backslash becomes \\. */
char *text__tsv(const char *s);
/* For text and attributes of XML and HTML: ASCII, with references. */
char *text__xml(const char *s);
/*
 * For Markdown, also in a table. Writes the string as code, so that it is not read as markup, a
 * link or a mention. \xNN also stands for '|', which would end a cell.
 */
char *text__markdown(const char *s);
/* For values of labels in OpenMetrics. \xNN also stands for a backslash. */
char *text__label(const char *s);
/* For frames of folded stacks: ';' and ' ', which would end the frame, become '_'. */
char *text__frame(const char *s);
/* For names in Go's benchmark format: %NN stands for bytes that are not visible ASCII, '/' and '%'. */
char *text__percent(const char *s);

/* Writes a copy that one of these functions has returned, and frees it. */
void text__put(FILE *out, char *copy);

#endif
