/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign strings in output: names of programs, tasks, cgroups and files, and everything that was read from a file.
 * There is one function for each syntax of output. In its result, no character can control a terminal, change the
 * writing direction, be invisible, or end the field that contains it.
 *
 * Each function returns a copy in one line, which the caller frees. NULL counts as "". In the copy, \xNN stands for a
 * byte of a harmful character, or for a byte that cannot be decoded. The copies of text__printable() and text__lines()
 * are in the locale's encoding. All others are UTF-8 in every locale, because they are for files that are read
 * elsewhere.
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
 * text__print_utf8(true) makes text__printable() return the same as text__utf8(), so that functions
 * that print on terminals can also write a part of a file. Returns the previous setting.
 */
bool text__print_utf8(bool on);
/*
 * For messages: like text__printable(), but keeps lines and tabs, and puts one '?' in place of each
 * harmful character, so that a caret stays below the character that it marks.
 */
char *text__lines(const char *s);
/*
 * Returns the length of the first character of s, as text__lines() sees it: a byte that cannot be
 * decoded is a character of its own. Sets *harmless if text__lines() keeps it.
 */
size_t text__char(const char *s, bool *harmless);
/*
 * For syntaxes that have no function here, if the caller quotes the text or writes each text on a
 * line of its own.
 */
char *text__utf8(const char *s);
/*
 * For values of JSON, replaces each byte that is not UTF-8 by U+FFFD. Leaves harmful characters to JSON's
 * own escapes.
 */
char *text__json(const char *s);
/*
 * For fields of CSV (RFC 4180). Quotes a field that contains the separator or a quote. \xNN also
 * replaces '=', '+', '-' or '@' as the first character, because it would begin a formula in
 * spreadsheets. A number keeps its sign.
 */
char *text__csv(const char *s, const char *sep);
/* For fields of TSV: like CSV, but without quotes; a backslash becomes \\. */
char *text__tsv(const char *s);
/* For text and attributes of XML and HTML: ASCII, with references such as "&lt;" for other characters. */
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
