// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values as text. Owns the text form of numbers, and the width of strings; must not know their
 * meaning.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"

#define DIGITS "0123456789"

/* Copies a formatted number, such as "-1234.5", and inserts separators. */
static const char *group_digits(char *buf, const char *num)
{
	size_t left;
	char *p = buf;

	/* Subtracting a bias may leave "-0.0": write it without the sign. */
	if (*num == '-' && !strpbrk(num, "123456789"))
		num++;
	if (*num == '-')
		*p++ = *num++;
	left = strspn(num, DIGITS);
	while (left) {
		*p++ = *num++;
		if (--left && left % 3 == 0)
			*p++ = ',';
	}
	strcpy(p, num);
	return buf;
}

const char *number__group(char *buf, double v, int digits)
{
	char num[NUMBER_SZ];

	if (isnan(v))
		return strcpy(buf, "-");
	if (isinf(v))
		return strcpy(buf, v < 0 ? "-inf" : "inf");
	if (fabs(v) >= 1e18)
		snprintf(num, sizeof(num), "%.2e", v);
	else
		snprintf(num, sizeof(num), "%.*f", digits, v);
	return group_digits(buf, num);
}

const char *number__group_u64(char *buf, __u64 v)
{
	char num[NUMBER_SZ];

	snprintf(num, sizeof(num), "%llu", (unsigned long long)v);
	return group_digits(buf, num);
}

int number__digits(double v, const char *unit)
{
	if (!unit || !*unit || !strcmp(unit, "ns") || v == 0 || !(fabs(v) < 10))
		return fabs(v) < 999.95 ? 1 : 0;
	return fabs(v) < 1e-9 ? 9 : 2 - (int)floor(log10(fabs(v)));
}

int number__exact_digits(double v, const char *unit)
{
	return v == floor(v) ? 0 : number__digits(v, unit);
}

int number__share(char *buf, size_t sz, double share)
{
	char number[NUMBER_SZ];
	double percent = 100 * share;
	int digits = fabs(percent) >= 0.1 || !percent ? 1 : 3;

	return snprintf(buf, sz, "%s%s%%", share > 0 ? "+" : "",
			number__group(number, percent, digits));
}

static bool is_time(const char *unit)
{
	return unit && !strcmp(unit, "ns");
}

const char *number__amount(char *buf, double v, const char *unit, bool exact)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	int digits = exact ? number__exact_digits(v, unit) : number__digits(v, unit);
	size_t i = 0;

	if (!is_time(unit) || !isfinite(v))
		return number__group(buf, v, digits);
	/* Choose the greatest unit in which the time is at least 1 after rounding. */
	for (; fabs(v) >= 999.95 && i + 1 < ARRAY_SIZE(units); i++)
		v /= 1000;
	if (i)
		digits = fabs(v) >= 99.995 ? 1 : fabs(v) >= 9.9995 ? 2 : 3;
	number__group(buf, v, digits);
	sprintf(buf + strlen(buf), " %s", units[i]);
	return buf;
}

const char *number__quantity(char *buf, double v, const char *unit, bool exact)
{
	number__amount(buf, v, unit, exact);
	if (unit && *unit && !isnan(v) && !is_time(unit))
		sprintf(buf + strlen(buf), " %.24s", unit);
	return buf;
}

const char *number__rate(char *buf, double v)
{
	if (v > 0 && v < 0.0005)
		return strcpy(buf, "<0.001");
	return number__group(buf, v, v >= 99.95 || !v ? 0 : v >= 9.995 ? 1 : v >= 0.9995 ? 2 : 3);
}

const char *number__change(char *buf, double change, const char *unit, bool exact, double share)
{
	char amount[QUANTITY_SZ], percent[NUMBER_SZ + 2];
	int len;

	len = snprintf(buf, CHANGE_SZ, "%s%s", change > 0 ? "+" : "",
		       number__quantity(amount, change, unit, exact));
	if (isfinite(share)) {
		number__share(percent, sizeof(percent), share);
		snprintf(buf + len, CHANGE_SZ - len, " (%s)", percent);
	}
	return buf;
}

const char *number__percent(char *buf, __u64 part, __u64 total, int digits)
{
	double percent = total ? 100.0 * part / total : NAN, half = 0.5;
	const char *bound = "";

	for (int i = 0; i < digits; i++)
		half /= 10;
	if (part && percent < half) {
		bound = "<";
		percent = 2 * half;
	} else if (part < total && percent >= 100 - half) {
		bound = ">";
		percent = 100 - 2 * half;
	}
	buf += sprintf(buf, "%s", bound);
	number__group(buf, percent, digits);
	return buf - strlen(bound);
}

double number__round(double v)
{
	char num[NUMBER_SZ];
	int digits = 6;

	if (v == floor(v))
		return v;
	/*
	 * "%.*g" takes the number of significant digits: 6 plus, for |v| >= 1, those before the
	 * point. At most 15, because a double holds no more.
	 */
	if (fabs(v) >= 1)
		digits += (int)floor(log10(fabs(v))) + 1;
	if (digits > 15)
		digits = 15;
	snprintf(num, sizeof(num), "%.*g", digits, v);
	return strtod(num, NULL);
}

const char *number__fixed(char *buf, double v, int digits)
{
	snprintf(buf, NUMBER_SZ, fabs(v) < 1e18 ? "%.*f" : "%.*e", digits, v);
	return buf;
}

const char *number__plain(char *buf, double v)
{
	v = number__round(v);
	/* adding 0.0 turns -0 into 0 */
	if (v == floor(v) && fabs(v) < 1e18)
		return number__fixed(buf, v + 0.0, 0);
	snprintf(buf, NUMBER_SZ, "%.15g", v);
	return buf;
}

const char *number__shortest(char *buf, double v)
{
	int digits = 14, exponent;
	char *e;

	v += 0.0; /* turns -0 into 0 */
	do
		snprintf(buf, NUMBER_SZ, "%.*e", digits, v);
	while (strtod(buf, NULL) != v && digits++ < 16);
	e = strchr(buf, 'e');
	exponent = atoi(e + 1);
	while (digits && e[-1] == '0') {
		e--;
		digits--;
	}
	if (exponent < -4 || exponent >= 6)
		snprintf(buf, NUMBER_SZ, "%.*e", digits, v);
	else
		snprintf(buf, NUMBER_SZ, "%.*f", digits > exponent ? digits - exponent : 0, v);
	return buf;
}

/* The text of a stream that text__open() has opened. */
struct draft_text {
	char **text;
	size_t *sz, room; /* room counts the NUL at the end, too */
};

/* A cookie_write_function_t. */
static ssize_t add_text(void *cookie, const char *s, size_t len)
{
	struct draft_text *d = cookie;

	while (d->room - *d->sz <= len)
		*d->text = xreallocarray(*d->text, d->room *= 2, 1);
	memcpy(*d->text + *d->sz, s, len);
	*d->sz += len;
	(*d->text)[*d->sz] = '\0';
	return len;
}

static int end_text(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *text__open(char **text, size_t *sz)
{
	const cookie_io_functions_t calls = {.write = add_text, .close = end_text};
	struct draft_text *d = xcalloc(1, sizeof(*d));
	FILE *out = fopencookie(d, "w", calls);

	if (!out)
		out_of_memory();
	*d = (struct draft_text){text, sz, 256};
	*text = xcalloc(d->room, 1);
	*sz = 0;
	return out;
}

char *text__vformat(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		out_of_memory();
	return text;
}

char *text__vprintable(const char *fmt, va_list ap)
{
	char *text = text__vformat(fmt, ap), *printable = text__printable(text);

	free(text);
	return printable;
}

char *text__format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = text__vformat(fmt, ap);
	va_end(ap);
	return text;
}

char *text__dup(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

/* Returns the number of bytes of the first character of s, and sets *width to its columns. */
static size_t measure_char(const char *s, int *width)
{
	mbstate_t state = {};
	wchar_t wc;
	size_t len;

	*width = 1;
	if (text__is_plain(*s))
		return 1;
	len = mbrtowc(&wc, s, strnlen(s, MB_CUR_MAX), &state);
	if (len > MB_CUR_MAX)
		return 1;
	*width = wcwidth(wc) > 0 ? wcwidth(wc) : 0;
	return len;
}

int text__width(const char *s)
{
	int width = 0, one;

	for (; *s; width += one)
		s += measure_char(s, &one);
	return width;
}

/* Skips as many characters of s as fit into "room" columns. Returns the position after them. */
static const char *skip_columns(const char *s, int room)
{
	int one;

	while (*s) {
		size_t len = measure_char(s, &one);

		if (one > room)
			break;
		room -= one;
		s += len;
	}
	return s;
}

char *text__shorten(const char *s, int width)
{
	const char *ellipsis = MB_CUR_MAX > 1 ? "…" : "...", *head, *tail;
	int room = width - text__width(ellipsis), one;

	if (text__width(s) <= width)
		return xstrdup(s);
	if (room < 0)
		return xstrdup("");
	head = skip_columns(s, (room + 1) / 2);
	for (tail = head; text__width(tail) > room / 2;)
		tail += measure_char(tail, &one);
	return text__format("%.*s%s%s", (int)(head - s), s, ellipsis, tail);
}

void text__fold(const char *s, int column, int indent, int max, FILE *out)
{
	while (*s) {
		size_t blanks = strspn(s, " "), len = strcspn(s + blanks, " ");
		char *word = xstrndup(s + blanks, len);
		int width = text__width(word);

		free(word);
		if (max && column > indent && column + (int)blanks + width > max) {
			fprintf(out, "\n%*s%.*s", indent, "", (int)len, s + blanks);
			column = indent + width;
		} else {
			fprintf(out, "%.*s", (int)(blanks + len), s);
			column += blanks + width;
		}
		s += blanks + len;
	}
}

const char *text__or_empty(const char *s)
{
	return s ?: "";
}

bool text__is_same(const char *a, const char *b)
{
	return !strcmp(text__or_empty(a), text__or_empty(b));
}

int text__compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool tag__begins(const char *tag, const char *beginning)
{
	return !strncasecmp(tag, beginning, strlen(beginning));
}

void text__wrap(FILE *out, const char *s, int indent, int width)
{
	int at = indent;

	while (*s) {
		int len = strcspn(s, " \n");

		if (at > indent && at + 1 + len > width) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
		}
		at += fprintf(out, "%s%.*s", at > indent ? " " : "", len, s);
		s += len;
		if (*s == '\n') {
			fprintf(out, "\n%*s", s[1] ? indent : 0, "");
			at = indent;
		}
		s += *s != '\0';
	}
	if (at > indent)
		fputc('\n', out);
}
