// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares the output of runs (judge.h). Must not know which command wrote the output. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/exit_status.h"
#include "tests/faults/judge.h"

/* Exit status of the sanitizers (campaign.c). */
#define SANITIZER_STATUS 99

const char *const verdict_names[RUN_VERDICT_CNT] = {
	"good",
	"degraded",
	"crashed",
	"hung",
	"wrong exit status",
	"failed without a message",
	"exit status of a clean run with less output",
	"output file neither whole nor as it was",
	"left something behind",
	"a clean run after it failed",
};

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool set__has(const struct set *set, const char *s)
{
	return set->cnt && bsearch(&s, set->s, set->cnt, sizeof(s), compare_strings);
}

static void set__free(struct set *set)
{
	for (int i = 0; i < set->cnt; i++)
		free(set->s[i]);
	free(set->s);
	*set = (struct set){};
}

static void set__add(struct set *set, const char *s)
{
	set->s = realloc(set->s, (set->cnt + 1) * sizeof(*set->s));
	set->s[set->cnt++] = strdup(s);
}

static void set__sort(struct set *set)
{
	if (set->cnt)
		qsort(set->s, set->cnt, sizeof(*set->s), compare_strings);
}

/*
 * Removes the differences between runs: a number, with its exponent or percent sign, becomes '#',
 * and several blanks and signs become one blank.
 */
static void normalize(char *part)
{
	char *to = part;
	bool in_number = false;

	for (const char *c = part; *c; c++) {
		bool exponent_sign = (*c == '-' || *c == '+') && c > part && c[-1] == 'e';

		if (isdigit(*c) || (in_number && (*c == ',' || *c == '.' || *c == '%' ||
						  *c == 'e' || exponent_sign))) {
			if (!in_number)
				*to++ = '#';
			in_number = true;
		} else if (isspace(*c) || *c == '-' || *c == '+') {
			in_number = false;
			if (to > part && to[-1] != ' ')
				*to++ = ' ';
		} else {
			in_number = false;
			*to++ = *c;
		}
	}
	while (to > part && to[-1] == ' ')
		to--;
	*to = '\0';
}

/* Ignored: by chance, a run has bounds of a percentile ("p50": [LOW, HIGH]) or not. */
#define BOUNDS "\"p#\":"

/* Splits text into lines, and JSON also at braces, brackets and commas. */
static struct set split(const char *text)
{
	const char *ends = text && (*text == '{' || *text == '[') ? "\n{}[]," : "\n";
	char *copy = text ? strdup(text) : NULL, *rest = copy, *part;
	struct set set = {};

	while ((part = strsep(&rest, ends))) {
		normalize(part);
		if (*part && strcmp(part, BOUNDS))
			set__add(&set, part);
	}
	free(copy);
	set__sort(&set);
	return set;
}

/* Returns the first of the parts that text does not have, or NULL. */
static const char *find_missing(const struct set *parts, const char *text)
{
	const char *missing = NULL;
	struct set set = split(text);

	for (int i = 0; !missing && i < parts->cnt; i++)
		if (!set__has(&set, parts->s[i]))
			missing = parts->s[i];
	set__free(&set);
	return missing;
}

static void keep_common(struct set *set, const char *text)
{
	struct set other = split(text);
	int cnt = 0;

	for (int i = 0; i < set->cnt; i++)
		if (set__has(&other, set->s[i]))
			set->s[cnt++] = set->s[i];
		else
			free(set->s[i]);
	set->cnt = cnt;
	set__free(&other);
}

static void add_all(struct set *set, const char *text)
{
	struct set other = split(text);

	for (int i = 0; i < other.cnt; i++)
		set__add(set, other.s[i]);
	set__free(&other);
	set__sort(set);
}

void output__free(struct output *o)
{
	free(o->out);
	free(o->err);
	free(o->file);
	free(o->log);
	*o = (struct output){};
}

bool clean__add(struct clean *c, const struct output *o)
{
	if (!c->all.cnt) {
		c->status = o->status;
		c->out = split(o->out);
		c->file = split(o->file);
	} else {
		keep_common(&c->out, o->out);
		keep_common(&c->file, o->file);
	}
	add_all(&c->all, o->out);
	add_all(&c->all, o->err);
	add_all(&c->all, o->file);
	return o->status == c->status && WIFEXITED(o->status) &&
	       WEXITSTATUS(o->status) != SANITIZER_STATUS;
}

void clean__free(struct clean *c)
{
	set__free(&c->out);
	set__free(&c->file);
	set__free(&c->all);
}

/* Counts the parts with at least three words that no clean run wrote. These are messages and notes. */
static int count_new(const struct clean *c, const char *text)
{
	struct set set = split(text);
	int cnt = 0;

	for (int i = 0; i < set.cnt; i++) {
		const char *blank = strchr(set.s[i], ' ');

		cnt += blank && strchr(blank + 1, ' ') && !set__has(&c->all, set.s[i]);
	}
	set__free(&set);
	return cnt;
}

static bool is_crash(int status)
{
	return WIFSIGNALED(status) || WEXITSTATUS(status) == SANITIZER_STATUS;
}

/* Returns true if the file is neither as it was before nor a whole JSON document. */
static bool is_torn(const char *file)
{
	bool quoted = false;
	int depth = 0;

	if (!file || (*file != '{' && *file != '['))
		return !file || strcmp(file, AS_IT_WAS);
	for (; *file; file++) {
		if (quoted && *file == '\\' && file[1])
			file++;
		else if (*file == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (*file == '{' || *file == '[') - (*file == '}' || *file == ']');
	}
	return depth != 0;
}

enum verdict clean__judge(const struct clean *c, const struct output *o, bool streamed,
			  int *messages, const char **missing)
{
	bool as_clean = o->status == c->status;

	*messages = count_new(c, o->err);
	*missing = find_missing(&c->file, o->file);
	if (is_crash(o->status))
		return RUN_CRASHED;
	if (!as_clean && WEXITSTATUS(o->status) != EXIT_FAILED &&
	    WEXITSTATUS(o->status) != EXIT_NOTHING && WEXITSTATUS(o->status) != EXIT_NO_MEMORY)
		return RUN_WRONG_STATUS;
	/* doctor writes its messages to stdout. */
	if (!as_clean && !*messages && !count_new(c, o->out) && !count_new(c, o->file))
		return RUN_SILENT;
	if (*missing && !as_clean && !streamed && is_torn(o->file))
		return RUN_TORN_FILE;
	if (!*missing)
		*missing = find_missing(&c->out, o->out);
	if (!as_clean || !*missing)
		return RUN_GOOD;
	return *messages || count_new(c, o->out) || count_new(c, o->file) ? RUN_DEGRADED
									  : RUN_MISSING;
}
