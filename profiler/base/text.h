/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values as text: numbers written alike whatever the locale, strings that cannot harm a
 * terminal and are as wide as they look.
 */
#ifndef BPROF_TEXT_H
#define BPROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Large enough for any number written here. */
#define NUMBER_SZ 48

/*
 * For people: digits after the point, thousands separated by ',' whatever LC_NUMERIC says; "-"
 * for NaN, exponents from 1e18 on. Returns buf, of NUMBER_SZ bytes.
 */
const char *number__group(char *buf, double v, int digits);
/* The same for a count, exact up to the largest. */
const char *number__group_u64(char *buf, __u64 v);
/*
 * How many digits after the point say something to people: one for a count or a time with few
 * digits before it, three significant ones for a small value of another unit (Joules, …).
 */
int number__digits(double v, const char *unit);
/* The same, but none for a whole number: for what is no mean, and exact. */
int number__exact_digits(double v, const char *unit);
/*
 * "+12.5%": a share in percent with its sign, and as many digits as a small one needs. As snprintf().
 */
int number__share(char *buf, size_t sz, double share);
#define CHANGE_SZ 160
/*
 * "+100.0 ns (+12.5%)": a change, and the share that it is, unless that is not finite. Returns buf,
 * of CHANGE_SZ bytes.
 */
const char *number__change(char *buf, double change, int digits, const char *unit, double share);
/*
 * part of whole in percent, without the sign: "-" where whole is 0. What is not none does not
 * read as 0 ("<0.1"), what is not all not as 100 (">99.9"). Returns buf.
 */
const char *number__percent(char *buf, __u64 part, __u64 whole, int digits);
/* For programs: with so many digits after the point, which is '.' whatever LC_NUMERIC says. */
const char *number__fixed(char *buf, double v, int digits);
/*
 * For programs: a whole number without a point, else at most 6 digits after the point (6
 * significant ones below 1). v is finite for this and the former. Returns buf.
 */
const char *number__plain(char *buf, double v);
/* v rounded as number__plain() writes it: 99.000000001 is 99, 0.1 + 0.2 is 0.3. */
double number__round(double v);

/*
 * A copy of s (NULL counts as "") in which every byte that the locale cannot decode and every
 * character that would not just stand where it is printed (control characters, escape sequences,
 * changes of the writing direction) is written as \xNN. One line always, and in the C locale
 * ASCII only. The caller frees it; NULL: out of memory.
 */
char *text__printable(const char *s);

/* One that is missing is as an empty one. */
bool text__is_same(const char *a, const char *b);
/* Does a program's tag begin so? In capitals or not. */
bool tag__begins(const char *tag, const char *beginning);
/* The columns that a printable string takes on a terminal. */
int text__width(const char *s);

#endif
