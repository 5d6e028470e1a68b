/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values as text: numbers, and strings in a given width. main() does not change LC_NUMERIC: it is "C". */
#ifndef BPROF_TEXT_H
#define BPROF_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

#include "base/escape.h"

/* The size of a buffer for any number that these functions write. */
#define NUMBER_SZ 48

/*
 * Formats a number for people, with "digits" digits after the point and ',' between thousands. NaN
 * becomes "-". Numbers from 1e18 on have an exponent. Returns buf, of NUMBER_SZ bytes.
 */
const char *number__group(char *buf, double v, int digits);
/* Formats a count like number__group(), but without rounding a large count to a double. */
const char *number__group_u64(char *buf, __u64 v);
/*
 * Returns how many digits after the point are useful to people. A count or a time in ns has one
 * digit below 1000, and no digit from 1000 on. A small value of another unit (Joules, …) has as
 * many digits as give three significant digits.
 */
int number__digits(double v, const char *unit);
/* Like number__digits(), but 0 for a whole number. Use it for exact values, not for means. */
int number__exact_digits(double v, const char *unit);
#define QUANTITY_SZ (NUMBER_SZ + 32)
/*
 * Formats an amount for people. If the unit is "ns", the text has the time in a suitable unit, with
 * four significant digits from a microsecond on: "84.3 ns", "1.104 us", "187.9 ms". For any other
 * unit, the text is only the number. unit may be NULL. exact: a whole number has no digits after
 * the point. Returns buf, of QUANTITY_SZ bytes.
 */
const char *number__amount(char *buf, double v, const char *unit, bool exact);
/* Like number__amount(), but always with the unit: "12.5 Joules". */
const char *number__quantity(char *buf, double v, const char *unit, bool exact);
/*
 * Formats a rate or a percentage for people: "1,994", "61.1", "0.265", "<0.001", "0". v must not be
 * negative. Returns buf, of NUMBER_SZ bytes.
 */
const char *number__rate(char *buf, double v);
/*
 * Formats a relative change in percent with its sign, such as "+12.5%", with more digits for a
 * small change. Returns the result of snprintf().
 */
int number__share(char *buf, size_t sz, double share);
#define CHANGE_SZ 160
/*
 * Formats an absolute and a relative change, such as "+100.0 ns (+12.5%)". exact: as in
 * number__quantity(). Leaves out the relative change if that is not finite. Returns buf, of
 * CHANGE_SZ bytes.
 */
const char *number__change(char *buf, double change, const char *unit, bool exact, double share);
/*
 * Formats part / total in percent, without "%", or "-" if total is 0. Shows a small part as a
 * bound, such as "<0.1", instead of 0. Shows a part that is almost the total as ">99.9" instead of
 * 100. Returns buf.
 */
const char *number__percent(char *buf, __u64 part, __u64 total, int digits);
/*
 * Formats a number for machine-readable output, with "digits" digits after the point. v must be
 * finite. Returns buf.
 */
const char *number__fixed(char *buf, double v, int digits);
/*
 * Formats a number for machine-readable output: a whole number without a point, another number with
 * at most 6 digits after the point (below 1, with at most 6 significant digits). v must be finite.
 * Returns buf.
 */
const char *number__plain(char *buf, double v);
/*
 * Formats a number with as few digits as distinguish it from all other doubles. Numbers below 1e-4
 * and from 1e6 on have an exponent, as in Go and Prometheus. v must be finite. Returns buf.
 */
const char *number__shortest(char *buf, double v);
/*
 * Returns v rounded to the digits that number__plain() writes: 99.000000001 becomes 99, 0.1 + 0.2
 * becomes 0.3.
 */
double number__round(double v);

/* Returns the text, which the caller frees. */
char *text__vformat(const char *fmt, va_list ap);
/* Like text__vformat(), but makes the text printable (escape.h). */
char *text__vprintable(const char *fmt, va_list ap);
char *text__format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Like strdup(), but returns NULL for NULL. */
char *text__dup(const char *s);
/*
 * Opens a stream. fclose() stores its text in *text, which the caller frees, and the text's length in
 * *sz. Without memory, open_memstream() would lose characters without an error (glibc 2.36,
 * _IO_str_overflow() in libio/strops.c). This stream ends the process instead.
 */
FILE *text__open(char **text, size_t *sz);

/* Returns s, or "" if s is NULL. */
const char *text__or_empty(const char *s);
/* Returns true if the strings are equal; NULL counts as "". */
bool text__is_same(const char *a, const char *b);
/* For qsort() of an array of strings. */
int text__compare(const void *a, const void *b);
/* Returns true if a program's tag begins with "beginning", ignoring case. */
bool tag__begins(const char *tag, const char *beginning);
/*
 * Prints ASCII text in lines of at most width columns. The lines begin in column "indent"; the
 * caller has already printed the first line's indent. A '\n' in the text ends a paragraph. A word
 * that is too long gets a line of its own. The last line ends with '\n', too.
 */
void text__wrap(FILE *out, const char *s, int indent, int width);
/* Returns the number of columns that a printable string takes on a terminal. */
int text__width(const char *s);
/*
 * Returns a copy of a printable string that takes at most "width" columns. If the string is longer,
 * an ellipsis replaces its middle, because names often differ only at their ends. The caller frees
 * the copy.
 */
char *text__shorten(const char *s, int width);
/*
 * Writes a printable string to out, from the given column on. Where a word would end beyond column
 * "max", begins a new, indented line. max 0: no limit.
 */
#define FOLD_INDENT 4 /* for callers of text__fold() that have no column to align with */
void text__fold(const char *s, int column, int indent, int max, FILE *out);

#endif
