/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values as text: numbers that look the same in every locale, and strings that cannot harm a
 * terminal and whose width is known.
 */
#ifndef BPROF_TEXT_H
#define BPROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Large enough for any number written here. */
#define NUMBER_SZ 48

/*
 * Formats for people: "digits" digits after the point, thousands separated by ',' whatever
 * LC_NUMERIC says; "-" for NaN; an exponent from 1e18 on. Returns buf, of NUMBER_SZ bytes.
 */
const char *number__group(char *buf, double v, int digits);
/* Like number__group() for a count, exact up to the maximum. */
const char *number__group_u64(char *buf, __u64 v);
/*
 * Returns how many digits after the point are useful to people: one for a count or a time with few
 * digits before it, three significant ones for a small value of another unit (Joules, …).
 */
int number__digits(double v, const char *unit);
/* Like number__digits(), but 0 for a whole number: for exact values, not means. */
int number__exact_digits(double v, const char *unit);
/*
 * Formats a share in percent with its sign, as "+12.5%", with more digits for a small one. Returns
 * as snprintf().
 */
int number__share(char *buf, size_t sz, double share);
#define CHANGE_SZ 160
/*
 * Formats a change and its share, as "+100.0 ns (+12.5%)", without the share unless that is finite.
 * Returns buf, of CHANGE_SZ bytes.
 */
const char *number__change(char *buf, double change, int digits, const char *unit, double share);
/*
 * Formats part of total in percent, without the sign; "-" if total is 0. A part that is not zero is
 * not shown as 0 ("<0.1"), one that is not all of it not as 100 (">99.9"). Returns buf.
 */
const char *number__percent(char *buf, __u64 part, __u64 total, int digits);
/*
 * Formats for programs: "digits" digits after the point, which is '.' whatever LC_NUMERIC says. v
 * is finite. Returns buf.
 */
const char *number__fixed(char *buf, double v, int digits);
/*
 * Formats for programs: a whole number without a point, otherwise at most 6 digits after the point
 * (6 significant ones below 1). v is finite. Returns buf.
 */
const char *number__plain(char *buf, double v);
/* Parses a number as strtod() does, but with '.' whatever LC_NUMERIC says. */
double number__parse(const char *s, char **end);
/* Returns v rounded as number__plain() writes it: 99.000000001 is 99, 0.1 + 0.2 is 0.3. */
double number__round(double v);

/*
 * Returns a copy of s (NULL counts as "") with \xNN in place of every byte that the locale cannot
 * decode and every character that does not simply appear in its place (control characters, escape
 * sequences, changes of the writing direction). It is one line, and only ASCII in the C locale. The
 * caller frees it; NULL: out of memory.
 */
char *text__printable(const char *s);

/* Returns true if the strings are equal; NULL counts as "". */
bool text__is_same(const char *a, const char *b);
/* Returns true if a program's tag begins so, ignoring case. */
bool tag__begins(const char *tag, const char *beginning);
/* Returns the columns that a printable string takes on a terminal. */
int text__width(const char *s);

#endif
