/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A strict parser of Go's benchmark format, for the unit tests and the fuzzer of reports. It
 * accepts what golang.org/x/perf/benchfmt accepts (design 14313), but refuses lines that benchfmt
 * silently ignores.
 */
#ifndef BPROF_TEST_BENCHFMT_PARSER_H
#define BPROF_TEST_BENCHFMT_PARSER_H

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Callbacks, one for each kind of line; each may be NULL. */
struct benchfmt_reader {
	void (*config)(void *arg, const char *key, const char *value);
	void (*value)(void *arg, const char *name, long long runs, double value, const char *unit);
	void (*unit)(void *arg, const char *unit, const char *key, const char *value);
	void *arg;
};

enum {
	BENCHFMT_MAX_LINE = 65536,  /* longest line that Go's bufio.Scanner accepts */
	BENCHFMT_MAX_FIELDS = 1024, /* this parser's own limit of fields in a line */
};

/* Splits a line at blanks. Returns the number of fields, or -1 if there are too many. */
static inline int benchfmt__split(char *line, char **field)
{
	int cnt = 0;

	for (char *s = strtok(line, " \t"); s; s = strtok(NULL, " \t")) {
		if (cnt == BENCHFMT_MAX_FIELDS)
			return -1;
		field[cnt++] = s;
	}
	return cnt;
}

/*
 * Checks that name is "Benchmark", followed by a name and any number of "/key=value" parts. Returns
 * NULL, or what is wrong.
 */
static inline const char *benchfmt__check_name(const char *name)
{
	const char *s = name + strlen("Benchmark"), *end = name + strlen(name);

	if (!*s || *s == '/' || islower((unsigned char)*s))
		return "no name behind Benchmark";
	while (end > s && isdigit((unsigned char)end[-1]))
		end--;
	if (*end && end > s && end[-1] == '-')
		return "the name ends as with a number of CPUs";
	for (s = strchr(s, '/'); s; s = strchr(s + 1, '/')) {
		size_t key = strcspn(s + 1, "=/");

		if (!key || s[1 + key] != '=' || !s[2 + key] || s[2 + key] == '/')
			return "a part of the name is no /key=value";
	}
	return NULL;
}

static inline const char *benchfmt__read_result(const struct benchfmt_reader *r, char **field,
						int cnt)
{
	const char *why = benchfmt__check_name(field[0]);
	long long runs;
	char *end;

	if (why)
		return why;
	if (cnt < 4 || cnt % 2)
		return "a result has an even number of fields, at least four";
	errno = 0;
	runs = strtoll(field[1], &end, 10);
	if (*end || errno || runs < 1 || !isdigit((unsigned char)*field[1]))
		return "no number of iterations";
	for (int i = 2; i < cnt; i += 2) {
		double v = strtod(field[i], &end);

		if (*end || end == field[i] || !isfinite(v) || !strpbrk(field[i], "0123456789") ||
		    strpbrk(field[i], "xXpP,"))
			return "no value";
		if (!strchr(field[i + 1], '/') || isdigit((unsigned char)*field[i + 1]))
			return "no unit";
		for (int k = 3; k < i; k += 2)
			if (!strcmp(field[k], field[i + 1]))
				return "a unit twice in a line";
		if (r->value)
			r->value(r->arg, field[0] + strlen("Benchmark"), runs, v, field[i + 1]);
	}
	return NULL;
}

static inline const char *benchfmt__read_unit(const struct benchfmt_reader *r, char **field,
					      int cnt)
{
	static const char *const known[] = {"assume=exact", "assume=nothing", "better=higher",
					    "better=lower"};

	if (cnt < 3)
		return "no property of a unit";
	for (int i = 2; i < cnt; i++) {
		bool good = false;
		char *equal;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			good |= !strcmp(field[i], known[k]);
		if (!good)
			return "no property of a unit that is known";
		equal = strchr(field[i], '=');
		*equal = '\0';
		if (r->unit)
			r->unit(r->arg, field[1], field[i], equal + 1);
	}
	return NULL;
}

static inline const char *benchfmt__read_config(const struct benchfmt_reader *r, char *line)
{
	char *colon = strchr(line, ':'), *value;

	if (!colon || !islower((unsigned char)*line))
		return "neither a key, nor a result, nor a unit";
	for (const char *s = line; s < colon; s++)
		if (isspace((unsigned char)*s) || isupper((unsigned char)*s))
			return "a blank or a capital letter in a key";
	value = colon + 1 + strspn(colon + 1, " \t");
	if (value == colon + 1)
		return "no blank behind a key";
	if (!*value)
		return "a key without a value";
	*colon = '\0';
	if (r->config)
		r->config(r->arg, line, value);
	return NULL;
}

static inline const char *benchfmt__read_line(const struct benchfmt_reader *r, char *line)
{
	static const char unit[] = "Unit ";
	char *field[BENCHFMT_MAX_FIELDS];
	bool result = !strncmp(line, "Benchmark", strlen("Benchmark"));
	int cnt;

	for (const unsigned char *s = (void *)line; *s; s++)
		if ((*s < ' ' && *s != '\t') || *s == 0x7f)
			return "a control character";
	if (!*line)
		return NULL;
	if (!result && strncmp(line, unit, strlen(unit)))
		return benchfmt__read_config(r, line);
	/* Characters above ASCII are refused, as Unicode counts some of them as blanks. */
	for (const unsigned char *s = (void *)line; *s; s++)
		if (*s >= 0x80)
			return "not ASCII";
	cnt = benchfmt__split(line, field);
	if (cnt < 0)
		return "too many fields";
	return result ? benchfmt__read_result(r, field, cnt) : benchfmt__read_unit(r, field, cnt);
}

/*
 * Parses text. Returns NULL, or what is wrong in the first bad line. *at gets the line's number,
 * from 1.
 */
static inline const char *benchfmt__read(const struct benchfmt_reader *r, const char *text, int *at)
{
	const char *why = NULL;

	for (*at = 1; *text && !why; ++*at) {
		size_t len = strcspn(text, "\n");
		char *line;

		if (len >= BENCHFMT_MAX_LINE)
			return "the line is too long";
		if (!text[len])
			return "the line has no end";
		line = strndup(text, len);
		if (!line)
			abort();
		why = benchfmt__read_line(r, line);
		free(line);
		if (why)
			return why;
		text += len + 1;
	}
	return NULL;
}

#endif
